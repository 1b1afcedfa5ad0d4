// NaN block: finding it, holding it back, giving it as a source.
#include "merge/nan_block.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arrow/array.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "arrow/util/byte_size.h"
#include "merge/memory_source.h"
#include "merge/row_gather.h"

namespace esker {
namespace {

/// A block of up to so many parts of a spill file stays in memory.
constexpr int64_t kMemoryParts = 16;

bool IsNanAt(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return false;
  switch (column.type_id()) {
    case arrow::Type::FLOAT:
      return std::isnan(static_cast<const arrow::FloatArray&>(column).Value(row));
    case arrow::Type::DOUBLE:
      return std::isnan(static_cast<const arrow::DoubleArray&>(column).Value(row));
    default:
      return false;
  }
}

int64_t SkipNulls(const arrow::Array& column, int64_t row) {
  while (row < column.length() && column.IsNull(row)) ++row;
  return row;
}

int64_t SkipNans(const arrow::Array& column, int64_t row) {
  while (row < column.length() && IsNanAt(column, row)) ++row;
  return row;
}

/// Takes the first `rows` rows off `batches`.
arrow::RecordBatchVector TakeFront(int64_t rows, arrow::RecordBatchVector* batches) {
  arrow::RecordBatchVector taken;
  size_t used = 0;
  for (; rows > 0 && used < batches->size(); ++used) {
    auto& batch = (*batches)[used];
    if (batch->num_rows() > rows) {
      taken.push_back(batch->Slice(0, rows));
      batch = batch->Slice(rows);
      break;
    }
    rows -= batch->num_rows();
    taken.push_back(batch);
  }
  batches->erase(batches->begin(), batches->begin() + static_cast<std::ptrdiff_t>(used));
  return taken;
}

int64_t CountRows(const arrow::RecordBatchVector& batches) {
  int64_t rows = 0;
  for (const auto& batch : batches) rows += batch->num_rows();
  return rows;
}

}  // namespace

bool MayBeginWithNan(const SortKeys& keys) {
  if (keys.empty()) return false;
  const SortKey& key = keys[0];
  const bool is_float = key.type.is_floating();
  return is_float && !key.descending && key.transform.is_identity();
}

NanFront::Block NanFront::Find(const arrow::Array& first_key) {
  if (past_) return {};
  const int64_t begin = nulls_first_ && !in_block_ ? SkipNulls(first_key, 0) : 0;
  const int64_t end = SkipNans(first_key, begin);
  past_ = end < first_key.length();
  in_block_ |= begin < end;
  return {begin, end};
}

/// The rows held back: first what is on disk, then what is in memory.
struct NanBlockSource::Held {
  SpillOptions spill;
  arrow::MemoryPool* pool;
  std::shared_ptr<ScanCounters> counters;
  std::shared_ptr<arrow::Schema> schema;  // keys and output columns; null while nothing is held
  int key_columns = 0;
  RowPlace place;  // of its first row
  arrow::RecordBatchVector batches;
  int64_t bytes = 0;
  std::unique_ptr<SpillFile> file;

  arrow::Status Add(const arrow::RecordBatchVector& zipped) {
    for (const auto& batch : zipped) {
      ARROW_ASSIGN_OR_RAISE(const int64_t size, arrow::util::ReferencedBufferSize(*batch));
      bytes += size;
      batches.push_back(batch);
    }
    return bytes > kMemoryParts * spill.part_bytes ? Spill() : arrow::Status::OK();
  }

  arrow::Status Spill() {
    if (file == nullptr) {
      ARROW_ASSIGN_OR_RAISE(file, SpillFile::Create(spill, schema, pool, counters));
    }
    for (const auto& batch : batches) ARROW_RETURN_NOT_OK(file->Write(*batch));
    batches.clear();
    bytes = 0;
    return arrow::Status::OK();
  }

  arrow::Result<NextBatch> Read(SourceMemory* memory) {
    NextBatch from_disk = [] { return nullptr; };
    memory->held_bytes = bytes;
    if (file != nullptr) {
      ARROW_RETURN_NOT_OK(file->Finish());
      memory->held_bytes += file->read_memory().held_bytes;
      ARROW_ASSIGN_OR_RAISE(from_disk, file->Read());
    }
    auto left = std::make_shared<arrow::RecordBatchVector>(std::move(batches));
    std::reverse(left->begin(), left->end());
    return NextBatch([from_disk, left]() -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
      ARROW_ASSIGN_OR_RAISE(auto batch, from_disk());
      if (batch != nullptr || left->empty()) return batch;
      batch = std::move(left->back());
      left->pop_back();
      return batch;
    });
  }
};

NanBlockSource::NanBlockSource(std::unique_ptr<Source> input, bool nulls_first,
                               std::shared_ptr<arrow::Schema> schema, SpillOptions spill,
                               arrow::MemoryPool* pool, std::shared_ptr<ScanCounters> counters)
    : input_(std::move(input)),
      schema_(std::move(schema)),
      finder_(/*may_begin=*/true, nulls_first),
      held_(new Held{std::move(spill), pool, std::move(counters), nullptr, 0, {}, {}, 0, nullptr}) {
}

NanBlockSource::~NanBlockSource() = default;

arrow::Result<std::shared_ptr<arrow::RecordBatch>> NanBlockSource::NextKeys() {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto keys, input_->NextKeys());
    if (keys == nullptr) {
      at_end_ = true;
      return keys;
    }
    if (finder_.past() || keys->num_columns() == 0) {
      given_ += keys->num_rows();
      return keys;
    }
    const auto [begin, end] = finder_.Find(*keys->column(0));
    if (begin < end) ARROW_RETURN_NOT_OK(Hold(keys, begin, end));
    arrow::RecordBatchVector rest;
    if (begin > 0) rest.push_back(keys->Slice(0, begin));
    if (finder_.past()) rest.push_back(keys->Slice(end));
    if (rest.empty()) continue;
    given_ += CountRows(rest);
    return JoinBatches(rest, held_->pool);
  }
}

arrow::Status NanBlockSource::Hold(const std::shared_ptr<arrow::RecordBatch>& keys, int64_t begin,
                                   int64_t end) {
  if (held_->schema == nullptr) {
    block_begin_ = given_ + begin;
    held_->place = input_->Place(block_begin_);
    held_->key_columns = keys->num_columns();
    arrow::FieldVector fields = keys->schema()->fields();
    for (const auto& field : schema_->fields()) fields.push_back(field);
    held_->schema = arrow::schema(std::move(fields));
    // Rows come out of the input in its order, so those in front of the block must come first.
    ARROW_ASSIGN_OR_RAISE(front_, input_->Take(block_begin_ - taken_));
  }
  block_rows_ += end - begin;
  ARROW_ASSIGN_OR_RAISE(const auto rows, input_->Take(end - begin));
  return held_->Add(ZipBatches({keys->Slice(begin, end - begin)}, rows, held_->schema));
}

arrow::Result<arrow::RecordBatchVector> NanBlockSource::Take(int64_t rows) {
  taken_ += rows;
  arrow::RecordBatchVector taken = TakeFront(rows, &front_);
  const int64_t left = rows - CountRows(taken);
  if (left == 0) return taken;
  ARROW_ASSIGN_OR_RAISE(const auto more, input_->Take(left));
  taken.insert(taken.end(), more.begin(), more.end());
  return taken;
}

RowPlace NanBlockSource::Place(int64_t row) const {
  return input_->Place(row < block_begin_ || block_rows_ == 0 ? row : row + block_rows_);
}

arrow::Result<std::unique_ptr<Source>> NanBlockSource::TakeBlock() {
  if ((!finder_.past() && !at_end_) || held_->schema == nullptr) return nullptr;
  SourceMemory memory = this->memory();
  ARROW_ASSIGN_OR_RAISE(NextBatch next, held_->Read(&memory));
  auto block = MakeBatchSource(std::move(next), {held_->key_columns, held_->key_columns}, schema_,
                               held_->place, memory);
  held_->schema = nullptr;
  return block;
}

}  // namespace esker
