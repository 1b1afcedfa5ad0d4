#include "output/text_writers.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/io/interfaces.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "output/cell.h"

namespace esker {
namespace {

// Text is gathered and written in pieces of about this size.
constexpr size_t kBufferBytes = 1 << 16;

using CellWriters = std::vector<std::unique_ptr<CellWriter>>;

arrow::Result<CellWriters> MakeCells(const arrow::Schema& schema, const arrow::RecordBatch& batch,
                                     CellStyle style) {
  CellWriters cells;
  for (int i = 0; i < batch.num_columns(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto cell, MakeCellWriter(*schema.field(i), *batch.column(i), style));
    cells.push_back(std::move(cell));
  }
  return cells;
}

// What all text writers share: the schema, the sink and a buffer in front of it.
class TextWriter : public RowWriter {
 public:
  TextWriter(std::shared_ptr<arrow::Schema> schema, arrow::io::OutputStream* sink)
      : schema_(std::move(schema)), sink_(sink) {}

 protected:
  const arrow::Schema& schema() const { return *schema_; }

  arrow::Status FlushIfFull() {
    return text_.size() < kBufferBytes ? arrow::Status::OK() : Flush();
  }
  arrow::Status Flush() {
    ARROW_RETURN_NOT_OK(sink_->Write(text_.data(), static_cast<int64_t>(text_.size())));
    text_.clear();
    return sink_->Flush();
  }

  std::string text_;

 private:
  std::shared_ptr<arrow::Schema> schema_;
  arrow::io::OutputStream* sink_;
};

void AppendCsvText(std::string_view text, std::string* out) {
  const bool plain = !text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) {
    out->append(text);
    return;
  }
  *out += '"';
  for (const char c : text) {
    if (c == '"') *out += '"';
    *out += c;
  }
  *out += '"';
}

void AppendTsvText(std::string_view text, std::string* out) {
  for (const char c : text) {
    switch (c) {
      case '\t':
        *out += "\\t";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\\':
        *out += "\\\\";
        break;
      default:
        *out += c;
    }
  }
}

void AppendMarkdownText(std::string_view text, std::string* out) {
  for (const char c : text) {
    if (c == '|' || c == '\\') *out += '\\';
    if (c == '\n' || c == '\r') {
      *out += "<br>";
    } else {
      *out += c;
    }
  }
}

// CSV, TSV and Markdown differ in what stands around cells and how a cell is escaped.
struct Delimiters {
  std::string_view before, between, after, null;
  void (*escape)(std::string_view, std::string*);
};

constexpr Delimiters kCsv = {"", ",", "\n", "", AppendCsvText};
constexpr Delimiters kTsv = {"", "\t", "\n", "\\N", AppendTsvText};
constexpr Delimiters kMarkdown = {"| ", " | ", " |\n", "", AppendMarkdownText};

class DelimitedWriter : public TextWriter {
 public:
  DelimitedWriter(std::shared_ptr<arrow::Schema> schema, arrow::io::OutputStream* sink,
                  const Delimiters& delimiters, bool rule_under_header)
      : TextWriter(std::move(schema), sink), delimiters_(delimiters) {
    AppendHeader();
    if (rule_under_header) AppendRule();
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const CellWriters cells, MakeCells(schema(), batch, CellStyle::kPlain));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      AppendRow(cells, row);
      ARROW_RETURN_NOT_OK(FlushIfFull());
    }
    return Flush();
  }

  arrow::Status Finish() override { return Flush(); }

 private:
  void AppendHeader() {
    text_ += delimiters_.before;
    for (int i = 0; i < schema().num_fields(); ++i) {
      if (i > 0) text_ += delimiters_.between;
      delimiters_.escape(schema().field(i)->name(), &text_);
    }
    text_ += delimiters_.after;
  }

  void AppendRule() {
    text_ += '|';
    for (int i = 0; i < schema().num_fields(); ++i) text_ += " --- |";
    text_ += '\n';
  }

  void AppendRow(const CellWriters& cells, int64_t row) {
    text_ += delimiters_.before;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text_ += delimiters_.between;
      if (cells[i]->IsNull(row)) {
        text_ += delimiters_.null;
        continue;
      }
      cell_.clear();
      cells[i]->Append(row, &cell_);
      delimiters_.escape(cell_, &text_);
    }
    text_ += delimiters_.after;
  }

  const Delimiters& delimiters_;
  std::string cell_;
};

class JsonWriter : public TextWriter {
 public:
  JsonWriter(std::shared_ptr<arrow::Schema> schema, arrow::io::OutputStream* sink, bool as_array)
      : TextWriter(std::move(schema), sink), as_array_(as_array) {
    for (const auto& field : this->schema().fields()) {
      std::string name;
      AppendJsonString(field->name(), &name);
      names_.push_back(name + ":");
    }
    if (as_array_) text_ += "[";
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const CellWriters cells, MakeCells(schema(), batch, CellStyle::kJson));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      AppendRow(cells, row);
      ARROW_RETURN_NOT_OK(FlushIfFull());
    }
    return Flush();
  }

  arrow::Status Finish() override {
    if (as_array_) text_ += first_ ? "]\n" : "\n]\n";
    return Flush();
  }

 private:
  void AppendRow(const CellWriters& cells, int64_t row) {
    if (as_array_) text_ += first_ ? "\n" : ",\n";
    first_ = false;
    text_ += '{';
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text_ += ',';
      text_ += names_[i];
      cells[i]->Append(row, &text_);
    }
    text_ += as_array_ ? "}" : "}\n";
  }

  bool as_array_;
  bool first_ = true;
  std::vector<std::string> names_;
};

bool IsNumber(const arrow::DataType& type) {
  return arrow::is_numeric(type.id()) || arrow::is_decimal(type.id());
}

// Code points, not columns: wide characters are rare in tables and cost only alignment.
size_t WidthOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

// The byte length of the first `width` code points.
size_t CutAt(std::string_view text, size_t width) {
  size_t seen = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80 && seen++ == width) return i;
  }
  return text.size();
}

class TableWriter : public TextWriter {
 public:
  TableWriter(std::shared_ptr<arrow::Schema> schema, arrow::io::OutputStream* sink,
              int32_t terminal_columns)
      : TextWriter(std::move(schema), sink), terminal_columns_(terminal_columns) {
    for (const auto& field : this->schema().fields()) widths_.push_back(WidthOf(field->name()));
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const CellWriters cells, MakeCells(schema(), batch, CellStyle::kPlain));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::vector<std::string> texts = TextsOf(cells, row);
      if (measured_) {
        AppendLine(texts);
        ARROW_RETURN_NOT_OK(FlushIfFull());
        continue;
      }
      for (size_t i = 0; i < texts.size(); ++i) {
        widths_[i] = std::max(widths_[i], WidthOf(texts[i]));
      }
      held_.push_back(std::move(texts));
      if (held_.size() == kRowsMeasured) AppendHeld();
    }
    return measured_ ? Flush() : arrow::Status::OK();
  }

  arrow::Status Finish() override {
    if (!measured_) AppendHeld();
    return Flush();
  }

 private:
  static constexpr size_t kRowsMeasured = 1000;

  // A line break inside a cell would tear the table; null is told from an empty text.
  static std::vector<std::string> TextsOf(const CellWriters& cells, int64_t row) {
    std::vector<std::string> texts(cells.size());
    for (size_t i = 0; i < cells.size(); ++i) {
      if (cells[i]->IsNull(row)) {
        texts[i] = "null";
        continue;
      }
      cells[i]->Append(row, &texts[i]);
      for (char& c : texts[i]) {
        if (static_cast<uint8_t>(c) < 0x20) c = ' ';
      }
    }
    return texts;
  }

  void AppendHeld() {
    measured_ = true;
    std::vector<std::string> names, rules;
    for (int i = 0; i < schema().num_fields(); ++i) {
      names.push_back(schema().field(i)->name());
      rules.push_back(std::string(widths_[static_cast<size_t>(i)], '-'));
    }
    AppendLine(names);
    AppendLine(rules);
    for (const auto& texts : held_) AppendLine(texts);
    held_.clear();
  }

  void AppendLine(const std::vector<std::string>& texts) {
    line_.clear();
    for (size_t i = 0; i < texts.size(); ++i) {
      const size_t width = WidthOf(texts[i]);
      const std::string padding(width < widths_[i] ? widths_[i] - width : 0, ' ');
      if (i > 0) line_ += "  ";
      const bool right = IsNumber(*schema().field(static_cast<int>(i))->type());
      line_ += right ? padding + texts[i] : texts[i] + padding;
    }
    if (terminal_columns_ > 0) line_.resize(CutAt(line_, static_cast<size_t>(terminal_columns_)));
    line_.resize(line_.find_last_not_of(' ') + 1);
    text_ += line_;
    text_ += '\n';
  }

  int32_t terminal_columns_;
  bool measured_ = false;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> held_;
  std::string line_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeCsvWriter(std::shared_ptr<arrow::Schema> schema,
                                         arrow::io::OutputStream* sink) {
  return std::make_unique<DelimitedWriter>(std::move(schema), sink, kCsv, false);
}

std::unique_ptr<RowWriter> MakeTsvWriter(std::shared_ptr<arrow::Schema> schema,
                                         arrow::io::OutputStream* sink) {
  return std::make_unique<DelimitedWriter>(std::move(schema), sink, kTsv, false);
}

std::unique_ptr<RowWriter> MakeMarkdownWriter(std::shared_ptr<arrow::Schema> schema,
                                              arrow::io::OutputStream* sink) {
  return std::make_unique<DelimitedWriter>(std::move(schema), sink, kMarkdown, true);
}

std::unique_ptr<RowWriter> MakeJsonWriter(std::shared_ptr<arrow::Schema> schema,
                                          arrow::io::OutputStream* sink, bool as_array) {
  return std::make_unique<JsonWriter>(std::move(schema), sink, as_array);
}

std::unique_ptr<RowWriter> MakeTableWriter(std::shared_ptr<arrow::Schema> schema,
                                           arrow::io::OutputStream* sink,
                                           int32_t terminal_columns) {
  return std::make_unique<TableWriter>(std::move(schema), sink, terminal_columns);
}

}  // namespace esker
