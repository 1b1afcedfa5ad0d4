#include "esker/row_writer.h"

#include <array>
#include <utility>

#include "arrow/io/interfaces.h"
#include "arrow/ipc/writer.h"
#include "arrow/record_batch.h"
#include "arrow/util/byte_size.h"
#include "output/text_writers.h"
#include "parquet/arrow/writer.h"
#include "parquet/properties.h"

namespace esker {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 9> kFormats = {{
    {"table", Format::kTable},
    {"csv", Format::kCsv},
    {"tsv", Format::kTsv},
    {"ndjson", Format::kNdjson},
    {"json", Format::kJson},
    {"markdown", Format::kMarkdown},
    {"arrow", Format::kArrow},
    {"parquet", Format::kParquet},
    {"none", Format::kNone},
}};

class NoWriter : public RowWriter {
 public:
  arrow::Status Write(const arrow::RecordBatch&) override { return arrow::Status::OK(); }
  arrow::Status Finish() override { return arrow::Status::OK(); }
};

class ArrowWriter : public RowWriter {
 public:
  explicit ArrowWriter(std::shared_ptr<arrow::ipc::RecordBatchWriter> writer)
      : writer_(std::move(writer)) {}
  arrow::Status Write(const arrow::RecordBatch& batch) override {
    return writer_->WriteRecordBatch(batch);
  }
  arrow::Status Finish() override { return writer_->Close(); }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

class ParquetWriter : public RowWriter {
 public:
  ParquetWriter(std::unique_ptr<parquet::arrow::FileWriter> writer, int64_t row_group_bytes)
      : writer_(std::move(writer)), row_group_bytes_(row_group_bytes) {}
  arrow::Status Write(const arrow::RecordBatch& batch) override {
    if (group_bytes_ >= row_group_bytes_) {
      ARROW_RETURN_NOT_OK(writer_->NewBufferedRowGroup());
      group_bytes_ = 0;
    }
    group_bytes_ += arrow::util::ReferencedBufferSize(batch).ValueOr(0);
    return writer_->WriteRecordBatch(batch);
  }
  arrow::Status Finish() override { return writer_->Close(); }

 private:
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  const int64_t row_group_bytes_;
  int64_t group_bytes_ = 0;
};

// A sink that the Parquet writer can share: the caller keeps owning the real one.
std::shared_ptr<arrow::io::OutputStream> Borrow(arrow::io::OutputStream* sink) {
  return {std::shared_ptr<void>(), sink};
}

arrow::Result<std::unique_ptr<RowWriter>> MakeParquetWriter(
    const std::shared_ptr<arrow::Schema>& schema, arrow::io::OutputStream* sink,
    int64_t row_group_bytes) {
  const auto properties =
      parquet::WriterProperties::Builder().compression(arrow::Compression::ZSTD)->build();
  const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
  ARROW_ASSIGN_OR_RAISE(
      auto writer, parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(),
                                                    Borrow(sink), properties, arrow_properties));
  return std::make_unique<ParquetWriter>(std::move(writer), row_group_bytes);
}

}  // namespace

std::optional<Format> ParseFormat(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::string FormatNames() {
  std::string names;
  for (const auto& [name, format] : kFormats) {
    names += names.empty() ? "" : ", ";
    names += name;
  }
  return names;
}

arrow::Result<std::unique_ptr<RowWriter>> MakeRowWriter(Format format,
                                                        std::shared_ptr<arrow::Schema> schema,
                                                        arrow::io::OutputStream* sink,
                                                        RowWriterOptions options) {
  switch (format) {
    case Format::kTable:
      return MakeTableWriter(std::move(schema), sink, options.terminal_columns);
    case Format::kCsv:
      return MakeCsvWriter(std::move(schema), sink);
    case Format::kTsv:
      return MakeTsvWriter(std::move(schema), sink);
    case Format::kNdjson:
      return MakeJsonWriter(std::move(schema), sink, false);
    case Format::kJson:
      return MakeJsonWriter(std::move(schema), sink, true);
    case Format::kMarkdown:
      return MakeMarkdownWriter(std::move(schema), sink);
    case Format::kArrow: {
      ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeStreamWriter(sink, schema));
      return std::make_unique<ArrowWriter>(std::move(writer));
    }
    case Format::kParquet:
      return MakeParquetWriter(schema, sink, options.row_group_bytes);
    case Format::kNone:
      break;
  }
  return std::make_unique<NoWriter>();
}

}  // namespace esker
