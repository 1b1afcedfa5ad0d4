#include "read/equality_keys.h"

#include <algorithm>
#include <utility>

#include "arrow/array.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "base/status.h"
#include "format/arrow_schema.h"
#include "read/delete_file_reader.h"
#include "read/row_key.h"

namespace esker {
namespace {

// Optional at every step: an equality delete may hold null for any column, and what is missing from
// the file is found by the reader.
arrow::Result<std::vector<Field>> KeyPath(const Schema& schema, int32_t field_id) {
  const FieldPath found = schema.FindById(field_id);
  if (found.empty()) {
    return arrow::Status::Invalid("equality field id ", field_id, " is in no schema of the table");
  }
  std::vector<Field> path;
  for (const Field* field : found) {
    const bool is_last = field == found.back();
    if (is_last ? field->type.is_nested() : field->type.id != TypeId::kStruct) {
      return arrow::Status::Invalid("equality field id ", field_id, " ('", schema.NameOf(field_id),
                                    "') is no primitive column, alone or in structs");
    }
    path.push_back(*field);
    path.back().required = false;
  }
  return path;
}

}  // namespace

EqualityKeys::EqualityKeys(std::vector<int32_t> field_ids, arrow::MemoryPool* pool)
    : field_ids_(std::move(field_ids)), pool_(pool), keys_(pool) {}

arrow::Result<std::shared_ptr<EqualityKeys>> EqualityKeys::Make(std::vector<int32_t> field_ids,
                                                                const Schema& schema,
                                                                arrow::MemoryPool* pool) {
  std::shared_ptr<EqualityKeys> keys(new EqualityKeys(std::move(field_ids), pool));
  if (keys->field_ids_.empty()) {
    return arrow::Status::Invalid("equality delete file without equality field ids");
  }
  for (const int32_t field_id : keys->field_ids_) {
    ARROW_ASSIGN_OR_RAISE(auto path, KeyPath(schema, field_id));
    ARROW_ASSIGN_OR_RAISE(auto type, ToArrowType(path.back().type));
    ARROW_RETURN_NOT_OK(RowKeyEncoder::CheckType(*type));
    keys->paths_.push_back(std::move(path));
    keys->types_.push_back(std::move(type));
  }
  return keys;
}

int64_t EqualityKeys::size() const {
  const std::shared_lock lock(mutex_);
  return keys_.size();
}

arrow::Status EqualityKeys::Add(const DeleteFile& file, const Storage& storage,
                                const NameMapping& mapping, std::shared_ptr<ScanCounters> counters,
                                const LoadRoom& room) {
  const std::lock_guard lock(add_mutex_);
  ARROW_RETURN_NOT_OK(failure_);
  if (added_.contains(file.file.path)) return arrow::Status::OK();
  failure_ = WithPlace(Read(file, storage, mapping, std::move(counters), room),
                       "equality delete file " + file.file.path);
  if (failure_.ok()) added_.insert(file.file.path);
  return failure_;
}

arrow::Status EqualityKeys::Read(const DeleteFile& file, const Storage& storage,
                                 const NameMapping& mapping, std::shared_ptr<ScanCounters> counters,
                                 const LoadRoom& room) {
  ARROW_ASSIGN_OR_RAISE(auto input, storage.Open(file.file.path, std::move(counters)));
  ARROW_ASSIGN_OR_RAISE(const auto reader, DeleteFileReader::Open(std::move(input), paths_, mapping,
                                                                  pool_, room.decode_bytes()));
  MemoryCharge reading = room.Charge();
  if (keys_.size() == 0) charge_ = room.Charge();
  const int64_t all_bytes = keys_.MemoryBytesWith(reader->rows(), reader->all_rows_bytes());
  ARROW_RETURN_NOT_OK(room.Resize(&reading, reader->held_bytes(),
                                  all_bytes - charge_.bytes() + reader->held_bytes()));
  ARROW_RETURN_NOT_OK(room.Resize(&charge_, all_bytes));
  RowKeyEncoder encoder;
  for (int64_t rows = 0;;) {
    ARROW_ASSIGN_OR_RAISE(const auto columns, reader->Next());
    if (columns.empty()) break;
    encoder.Bind(columns);
    const int64_t more = columns[0]->length();
    rows += more;
    const int64_t bytes = keys_.MemoryBytesWith(more, encoder.MostBytes());
    if (bytes > charge_.bytes()) {
      ARROW_RETURN_NOT_OK(
          room.Resize(&charge_, bytes, LoadRoom::Extrapolate(bytes, rows, reader->rows())));
    }
    ARROW_RETURN_NOT_OK(Insert(encoder, more, file.sequence_number));
  }
  charge_.Resize(keys_.memory_bytes());
  return arrow::Status::OK();
}

arrow::Status EqualityKeys::Insert(const RowKeyEncoder& encoder, int64_t rows,
                                   int64_t sequence_number) {
  std::string key;
  const std::unique_lock lock(mutex_);
  for (int64_t row = 0; row < rows; ++row) {
    encoder.Encode(row, &key);
    ARROW_RETURN_NOT_OK(keys_.Insert(key, sequence_number));
  }
  return arrow::Status::OK();
}

arrow::Status EqualityKeys::Apply(const arrow::RecordBatch& batch, int64_t sequence_number,
                                  uint8_t* keep) const {
  if (batch.num_columns() != static_cast<int>(types_.size())) {
    return arrow::Status::Invalid("equality deletes of ", types_.size(), " columns applied to ",
                                  batch.num_columns());
  }
  for (int i = 0; i < batch.num_columns(); ++i) {
    if (batch.column(i)->type()->Equals(*types_[i])) continue;
    return arrow::Status::Invalid("equality deletes on ", types_[i]->ToString(), " applied to ",
                                  batch.column(i)->type()->ToString());
  }
  RowKeyEncoder encoder;
  const arrow::ArrayVector columns = batch.columns();
  encoder.Bind(columns);
  std::string key;
  const std::shared_lock lock(mutex_);
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    if (keep[row] == 0) continue;
    encoder.Encode(row, &key);
    if (keys_.Find(key) > sequence_number) keep[row] = 0;
  }
  return arrow::Status::OK();
}

}  // namespace esker
