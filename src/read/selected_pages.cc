#include "read/selected_pages.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "parquet/column_page.h"
#include "parquet/column_reader.h"
#include "parquet/exception.h"
#include "parquet/metadata.h"
#include "parquet/schema.h"

namespace esker {
namespace {

using Contents = parquet::ParquetFileReader::Contents;
using PagePtr = std::shared_ptr<parquet::Page>;

[[noreturn]] void Throw(const parquet::ColumnDescriptor& column, const std::string& what) {
  throw parquet::ParquetException("a page of column '" + column.path()->ToDotString() +
                                  "' is not as the page index says: " + what);
}

// Rows begin where the repetition level is 0.
int64_t CountRows(const parquet::DataPage& page, const parquet::ColumnDescriptor& column) {
  const int16_t most = column.max_repetition_level();
  if (most == 0) return page.num_values();
  parquet::LevelDecoder decoder;
  if (page.type() == parquet::PageType::DATA_PAGE_V2) {
    const auto& v2 = static_cast<const parquet::DataPageV2&>(page);
    const int32_t bytes = v2.repetition_levels_byte_length();
    if (bytes < 0 || bytes > page.size()) Throw(column, "its levels do not fit it");
    decoder.SetDataV2(bytes, most, page.num_values(), page.data());
  } else {
    const auto& v1 = static_cast<const parquet::DataPageV1&>(page);
    decoder.SetData(v1.repetition_level_encoding(), most, page.num_values(), page.data(),
                    page.size());
  }
  std::array<int16_t, 1024> levels;
  int64_t rows = 0;
  bool is_first = true;
  while (const int count = decoder.Decode(static_cast<int>(levels.size()), levels.data())) {
    if (std::exchange(is_first, false) && levels[0] != 0) Throw(column, "it begins within a row");
    rows += std::count(levels.begin(), levels.begin() + count, 0);
  }
  return rows;
}

/// The pages of one column chunk. Reads nothing before the first is asked for.
class SelectedPageReader final : public parquet::PageReader {
 public:
  SelectedPageReader(const ParquetFile& file, PageSelection* pages, size_t group, int leaf,
                     std::shared_ptr<parquet::RowGroupReader> row_group)
      : file_(file),
        pages_(pages),
        group_(group),
        leaf_(leaf),
        row_group_(std::move(row_group)),
        column_(*file.metadata().schema()->Column(leaf)) {}

  PagePtr NextPage() override {
    if (!std::exchange(is_started_, true)) Start();
    if (chunk_.is_whole) return inner_->NextPage();
    for (; run_ < chunk_.runs.size(); ++run_) {
      if (inner_ == nullptr) OpenRun(chunk_.runs[run_]);
      if (PagePtr page = NextOf(chunk_.runs[run_])) return page;
      inner_ = nullptr;
    }
    return nullptr;
  }

  void set_max_page_header_size(uint32_t size) override { max_page_header_size_ = size; }

 private:
  void Start() {
    auto chunk = pages_->PagesOf(group_, leaf_);
    if (!chunk.ok()) throw parquet::ParquetStatusException(chunk.status());
    chunk_ = *std::move(chunk);
    if (chunk_.is_whole) SetInner(row_group_->GetColumnPageReader(leaf_));
  }

  void SetInner(std::unique_ptr<parquet::PageReader> reader) {
    inner_ = std::move(reader);
    if (max_page_header_size_ > 0) inner_->set_max_page_header_size(max_page_header_size_);
  }

  void OpenRun(const PageRun& run) {
    parquet::ReaderProperties properties = file_.reader_properties();
    properties.set_buffer_size(std::min(properties.buffer_size(), run.bytes));
    const auto chunk = row_group_->metadata()->ColumnChunk(leaf_);
    // Old versions of Arrow compressed pages v2 without saying so.
    const bool always_compressed = file_.metadata().writer_version().VersionLt(
        parquet::ApplicationVersion::PARQUET_CPP_10353_FIXED_VERSION());
    SetInner(parquet::PageReader::Open(properties.GetStream(file_.input(), run.offset, run.bytes),
                                       chunk->num_values(), chunk->compression(), properties,
                                       column_, always_compressed));
    pages_seen_ = 0;
  }

  // Null after the last page of the run.
  PagePtr NextOf(const PageRun& run) {
    PagePtr page = inner_->NextPage();
    if (page == nullptr) {
      if (pages_seen_ < run.rows.size()) Throw(column_, "it is missing");
      return nullptr;
    }
    const bool is_dictionary = page->type() == parquet::PageType::DICTIONARY_PAGE;
    if (is_dictionary != run.rows.empty()) Throw(column_, "it is of another kind");
    if (is_dictionary) return page;
    if (pages_seen_ == run.rows.size()) Throw(column_, "it has another size");
    CheckRows(static_cast<const parquet::DataPage&>(*page), run.rows[pages_seen_++]);
    return page;
  }

  void CheckRows(const parquet::DataPage& page, int64_t said) const {
    const int64_t rows = CountRows(page, column_);
    if (rows == said) return;
    Throw(column_, "it has " + std::to_string(rows) + " rows, not " + std::to_string(said));
  }

  const ParquetFile& file_;
  PageSelection* pages_;
  const size_t group_;
  const int leaf_;
  std::shared_ptr<parquet::RowGroupReader> row_group_;
  const parquet::ColumnDescriptor& column_;
  uint32_t max_page_header_size_ = 0;
  bool is_started_ = false;
  ChunkPages chunk_;
  size_t run_ = 0;
  std::unique_ptr<parquet::PageReader> inner_;  // of the run, or of the whole chunk
  size_t pages_seen_ = 0;                       // data pages of the run
};

class SelectedRowGroup final : public parquet::RowGroupReader::Contents {
 public:
  SelectedRowGroup(const ParquetFile& file, PageSelection* pages, size_t group,
                   std::shared_ptr<parquet::RowGroupReader> row_group)
      : file_(file),
        pages_(pages),
        group_(group),
        row_group_(std::move(row_group)),
        properties_(file.reader_properties()) {}

  std::unique_ptr<parquet::PageReader> GetColumnPageReader(int i) override {
    return std::make_unique<SelectedPageReader>(file_, pages_, group_, i, row_group_);
  }
  const parquet::RowGroupMetaData* metadata() const override { return row_group_->metadata(); }
  const parquet::ReaderProperties* properties() const override { return &properties_; }

 private:
  const ParquetFile& file_;
  PageSelection* pages_;
  const size_t group_;
  std::shared_ptr<parquet::RowGroupReader> row_group_;
  parquet::ReaderProperties properties_;
};

class SelectedContents final : public Contents {
 public:
  SelectedContents(std::unique_ptr<Contents> contents, const ParquetFile& file,
                   PageSelection* pages)
      : contents_(std::move(contents)), file_(file), pages_(pages) {}

  void Close() override { contents_->Close(); }
  std::shared_ptr<parquet::RowGroupReader> GetRowGroup(int i) override {
    return std::make_shared<parquet::RowGroupReader>(std::make_unique<SelectedRowGroup>(
        file_, pages_, static_cast<size_t>(i), contents_->GetRowGroup(i)));
  }
  std::shared_ptr<parquet::FileMetaData> metadata() const override { return contents_->metadata(); }
  std::shared_ptr<parquet::PageIndexReader> GetPageIndexReader() override {
    return contents_->GetPageIndexReader();
  }
  parquet::BloomFilterReader& GetBloomFilterReader() override {
    return contents_->GetBloomFilterReader();
  }

 private:
  std::unique_ptr<Contents> contents_;
  const ParquetFile& file_;
  PageSelection* pages_;
};

}  // namespace

std::unique_ptr<Contents> SelectPages(std::unique_ptr<Contents> contents, const ParquetFile& file,
                                      PageSelection* pages) {
  return std::make_unique<SelectedContents>(std::move(contents), file, pages);
}

}  // namespace esker
