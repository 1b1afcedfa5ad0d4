#include "read/dictionary_values.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/io/interfaces.h"
#include "base/byte_reader.h"
#include "parquet/column_page.h"
#include "parquet/column_reader.h"
#include "parquet/metadata.h"
#include "parquet/properties.h"
#include "parquet/schema.h"
#include "read/parquet_status.h"

namespace esker {
namespace {

using Values = std::optional<std::vector<Value>>;

bool IsDictionary(parquet::Encoding::type encoding) {
  return encoding == parquet::Encoding::PLAIN_DICTIONARY ||
         encoding == parquet::Encoding::RLE_DICTIONARY;
}

bool IsDataPage(const parquet::PageEncodingStats& pages) {
  return pages.page_type == parquet::PageType::DATA_PAGE ||
         pages.page_type == parquet::PageType::DATA_PAGE_V2;
}

bool IsWhollyDictionary(const parquet::ColumnChunkMetaData& chunk) {
  const auto& pages = chunk.encoding_stats();
  return chunk.has_dictionary_page() && std::any_of(pages.begin(), pages.end(), IsDataPage) &&
         std::all_of(pages.begin(), pages.end(), [](const auto& each) {
           return !IsDataPage(each) || IsDictionary(each.encoding);
         });
}

// The next value in plain encoding.
std::string_view ReadPlain(const parquet::ColumnDescriptor& descriptor, ByteReader* bytes) {
  switch (descriptor.physical_type()) {
    case parquet::Type::INT32:
    case parquet::Type::FLOAT:
      return bytes->ReadBytes(4);
    case parquet::Type::INT64:
    case parquet::Type::DOUBLE:
      return bytes->ReadBytes(8);
    case parquet::Type::BYTE_ARRAY:
      return bytes->ReadBytes(bytes->ReadFixed<uint32_t>());
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return bytes->ReadBytes(descriptor.type_length());
    default:
      bytes->Fail("a dictionary of values that have none");
      return {};
  }
}

arrow::Result<Values> ValuesOf(const parquet::DictionaryPage& page, const StoredColumn& column) {
  std::vector<Value> values;
  // No value takes less than a byte, so a count from the file cannot ask for too much memory.
  if (page.num_values() > page.size()) {
    return arrow::Status::Invalid("a dictionary page has more values than bytes");
  }
  ByteReader bytes(std::string_view(*page.buffer()));
  for (int32_t i = 0; i < page.num_values(); ++i) {
    const std::string plain(ReadPlain(column.descriptor, &bytes));
    if (!bytes.ok()) return bytes.status().WithMessage("dictionary: ", bytes.status().message());
    auto value = ValueOfStored(plain, column);
    if (!value.has_value()) return std::nullopt;
    values.push_back(*std::move(value));
  }
  return values;
}

arrow::Result<Values> ReadValues(const ParquetFile& file, const StoredColumn& column,
                                 const parquet::ColumnChunkMetaData& chunk, int64_t bytes) {
  auto properties = file.reader_properties();
  const auto reader = parquet::PageReader::Open(
      properties.GetStream(file.input(), chunk.dictionary_page_offset(), bytes), chunk.num_values(),
      chunk.compression(), properties, column.descriptor);
  const auto page = reader->NextPage();
  if (page == nullptr || page->type() != parquet::PageType::DICTIONARY_PAGE) return std::nullopt;
  const auto& dictionary = static_cast<const parquet::DictionaryPage&>(*page);
  const bool plain = dictionary.encoding() == parquet::Encoding::PLAIN ||
                     dictionary.encoding() == parquet::Encoding::PLAIN_DICTIONARY;
  if (!plain) return std::nullopt;
  return ValuesOf(dictionary, column);
}

}  // namespace

arrow::Result<Values> ReadDictionaryValues(const ParquetFile& file, int row_group,
                                           const StoredColumn& column, int64_t most_bytes) {
  Values values;
  ARROW_RETURN_NOT_OK(CatchParquet([&]() -> arrow::Status {
    const auto group = file.metadata().RowGroup(row_group);
    const auto chunk = group->ColumnChunk(column.leaf.leaf);
    if (!IsWhollyDictionary(*chunk)) return arrow::Status::OK();
    const int64_t bytes = chunk->data_page_offset() - chunk->dictionary_page_offset();
    if (chunk->dictionary_page_offset() <= 0 || bytes <= 0 || bytes > most_bytes) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(values, ReadValues(file, column, *chunk, bytes));
    return arrow::Status::OK();
  }));
  return values;
}

}  // namespace esker
