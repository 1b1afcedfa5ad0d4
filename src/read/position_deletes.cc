#include "read/position_deletes.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "arrow/array.h"
#include "arrow/util/checked_cast.h"
#include "plan/delete_index.h"
#include "read/delete_file_reader.h"

namespace esker {
namespace {

using arrow::internal::checked_cast;

// A position among others takes 2 to 4 bytes; those that stand alone more, which shows as they are
// read.
constexpr int64_t kPositionBytes = 8;

// Optional here, so that a null is found and named below.
Field ReservedField(int32_t id, const char* name, TypeId type) {
  Field field;
  field.id = id;
  field.name = name;
  field.type.id = type;
  return field;
}

arrow::Status CheckRow(const arrow::StringArray& paths, const arrow::Int64Array& positions,
                       int64_t i, int64_t row) {
  if (paths.IsNull(i)) return arrow::Status::OK();
  if (positions.IsNull(i)) return arrow::Status::Invalid("null position in row ", row);
  if (positions.Value(i) >= 0) return arrow::Status::OK();
  return arrow::Status::Invalid("negative position ", positions.Value(i), " in row ", row);
}

class Collector {
 public:
  explicit Collector(const std::optional<std::string>& only_path) : only_path_(only_path) {}

  // Rows of one data file stand together, as a rule: each such run is added at once.
  arrow::Status Add(const arrow::StringArray& paths, const arrow::Int64Array& positions) {
    for (int64_t i = 0; i < paths.length(); ++i) {
      ARROW_RETURN_NOT_OK(CheckRow(paths, positions, i, rows_ + i));
    }
    rows_ += paths.length();
    for (int64_t begin = 0; begin < paths.length();) {
      int64_t end = begin + 1;
      // A row without a path deletes no row of any file.
      if (paths.IsNull(begin)) {
        begin = end;
        continue;
      }
      while (end < paths.length() && paths.IsValid(end) &&
             paths.GetView(end) == paths.GetView(begin)) {
        ++end;
      }
      AddRun(paths.GetView(begin),
             {positions.raw_values() + begin, static_cast<size_t>(end - begin)});
      begin = end;
    }
    return arrow::Status::OK();
  }

  int64_t rows() const { return rows_; }
  int64_t memory_bytes() const {
    constexpr int64_t kPathBytes = 128;  // a node of the map and the set in it
    int64_t sum = 0;
    for (const auto& [path, set] : by_path_) {
      sum += kPathBytes + static_cast<int64_t>(path.size()) + set->memory_bytes();
    }
    return sum;
  }

  PositionsByPath Take() { return std::move(by_path_); }

 private:
  void AddRun(std::string_view path, std::span<const int64_t> positions) {
    if (only_path_ && path != *only_path_) return;
    auto& set = by_path_[std::string(path)];
    if (set == nullptr) set = std::make_shared<PositionSet>();
    set->AddMany(positions);
  }

  const std::optional<std::string>& only_path_;
  PositionsByPath by_path_;
  int64_t rows_ = 0;
};

}  // namespace

arrow::Result<PositionsByPath> ReadPositionDeletes(
    std::shared_ptr<arrow::io::RandomAccessFile> file, const std::optional<std::string>& only_path,
    arrow::MemoryPool* pool, const LoadRoom& room, MemoryCharge* charge) {
  const std::vector<std::vector<Field>> columns = {
      {ReservedField(kDeleteFilePathFieldId, "file_path", TypeId::kString)},
      {ReservedField(kDeletePosFieldId, "pos", TypeId::kLong)}};
  ARROW_ASSIGN_OR_RAISE(
      const auto reader,
      DeleteFileReader::Open(std::move(file), columns, NameMapping(), pool, room.decode_bytes()));
  MemoryCharge own = room.Charge();
  if (charge == nullptr) charge = &own;
  const int64_t held_bytes = reader->held_bytes();
  ARROW_RETURN_NOT_OK(room.Resize(charge, held_bytes + reader->rows() * kPositionBytes));
  Collector collector(only_path);
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(const auto arrays, reader->Next());
    if (arrays.empty()) break;
    ARROW_RETURN_NOT_OK(collector.Add(checked_cast<const arrow::StringArray&>(*arrays[0]),
                                      checked_cast<const arrow::Int64Array&>(*arrays[1])));
    const int64_t bytes = collector.memory_bytes();
    if (held_bytes + bytes > charge->bytes()) {
      const int64_t all_bytes = LoadRoom::Extrapolate(bytes, collector.rows(), reader->rows());
      ARROW_RETURN_NOT_OK(room.Resize(charge, held_bytes + bytes, held_bytes + all_bytes));
    }
  }
  charge->Resize(collector.memory_bytes());
  return collector.Take();
}

}  // namespace esker
