#include "format/statistics_reader.h"

#include <algorithm>

namespace esker {
namespace {

// Up to here ids are looked up in a table; schemas with larger ids are rare.
constexpr int32_t kMaxTableId = 1 << 16;

// What a column costs that nobody named: its statistics and its node in the table of ids.
constexpr size_t kAddedBytes = sizeof(ColumnStatistics) + 4 * sizeof(void*);

bool IsBound(StatisticsMap map) {
  return map == StatisticsMap::kLowerBounds || map == StatisticsMap::kUpperBounds;
}

std::vector<int32_t> IndexById(std::span<const int32_t> ids) {
  if (ids.empty() || ids.front() < 0 || ids.back() > kMaxTableId) return {};
  std::vector<int32_t> index(static_cast<size_t>(ids.back()) + 1, -1);
  for (size_t i = 0; i < ids.size(); ++i) index[ids[i]] = static_cast<int32_t>(i);
  return index;
}

int64_t ReadColumnCount(ByteReader* reader) {
  const int64_t count = reader->ReadVarint();
  if (count < 0) reader->Fail("negative count in column statistics");
  return count;
}

}  // namespace

StatisticsReader::StatisticsReader(const ManifestProjection& projection, DecodeBudget* budget)
    : budget_(budget),
      all_(projection.all_statistics),
      wanted_(projection.statistics_field_ids),
      index_of_id_(IndexById(wanted_)),
      column_of_wanted_(wanted_.size(), 0) {}

arrow::Status StatisticsReader::Plan(const AvroSchema& schema, StatisticsMap map,
                                     AvroNodeIndex array) {
  MapPlan& plan = plans_[static_cast<size_t>(map)];
  ARROW_ASSIGN_OR_RAISE(plan.item, StripNull(schema, schema.node(array).children[0]));
  const AvroNode& item = schema.node(plan.item.node);
  if (item.kind != AvroKind::kRecord || item.fields.size() != 2) {
    return arrow::Status::Invalid("column statistics that are no list of key and value");
  }
  ARROW_ASSIGN_OR_RAISE(plan.key, StripNull(schema, item.fields[0].type));
  ARROW_ASSIGN_OR_RAISE(plan.value, StripNull(schema, item.fields[1].type));
  const uint32_t value_kinds =
      IsBound(map) ? KindBit(AvroKind::kBytes) | KindBit(AvroKind::kString) : kAnyInteger;
  if (!(KindBit(schema.node(plan.key.node).kind) & kAnyInteger) ||
      !(KindBit(schema.node(plan.value.node).kind) & value_kinds)) {
    return arrow::Status::Invalid("column statistics with a key or value of a wrong type");
  }
  return arrow::Status::OK();
}

void StatisticsReader::BeginEntry() {
  next_column_ = 0;
  std::fill(column_of_wanted_.begin(), column_of_wanted_.end(), 0);
  if (all_) column_of_id_.clear();
}

void StatisticsReader::Read(StatisticsMap map, ByteReader* reader,
                            std::vector<ColumnStatistics>* columns) {
  const MapPlan& plan = plans_[static_cast<size_t>(map)];
  const bool bound = IsBound(map);
  size_t left = all_ ? SIZE_MAX : wanted_.size();
  int64_t byte_size = -1;
  next_column_ = 0;
  while (int64_t count = ReadBlockHead(reader, 1, &byte_size)) {
    for (; count > 0 && reader->ok(); --count) {
      if (left == 0) {
        SkipItems(map, count, reader);
        break;
      }
      if (!ReadPresent(plan.item, reader)) continue;
      const bool has_key = ReadPresent(plan.key, reader);
      const int32_t field_id = has_key ? reader->ReadInt32Varint() : 0;
      if (!ReadPresent(plan.value, reader)) continue;
      ColumnStatistics* column = has_key ? FindOrAdd(field_id, reader, columns) : nullptr;
      if (column != nullptr) {
        ReadInto(map, reader, column);
        --left;
      } else if (bound) {
        reader->ReadSizedBytes();
      } else {
        reader->ReadVarint();
      }
    }
  }
}

void StatisticsReader::ReadInto(StatisticsMap map, ByteReader* reader, ColumnStatistics* column) {
  switch (map) {
    case StatisticsMap::kValueCounts:
      column->value_count = ReadColumnCount(reader);
      return;
    case StatisticsMap::kNullCounts:
      column->null_count = ReadColumnCount(reader);
      return;
    case StatisticsMap::kNanCounts:
      column->nan_count = ReadColumnCount(reader);
      return;
    case StatisticsMap::kLowerBounds:
      column->lower_bound = ReadBound(reader);
      return;
    default:
      column->upper_bound = ReadBound(reader);
  }
}

std::string StatisticsReader::ReadBound(ByteReader* reader) {
  const std::string_view bytes = reader->ReadSizedBytes();
  budget_->Charge(bytes.size(), reader);
  return std::string(bytes);
}

// Passes over the rest of a block, all wanted keys having been met.
void StatisticsReader::SkipItems(StatisticsMap map, int64_t count, ByteReader* reader) const {
  const MapPlan& plan = plans_[static_cast<size_t>(map)];
  const bool plain =
      plan.item.null_branch < 0 && plan.key.null_branch < 0 && plan.value.null_branch < 0;
  if (plain && IsBound(map)) return reader->SkipVarintBytesPairs(count);
  if (plain) return reader->SkipVarints(2 * count);
  for (; count > 0 && reader->ok(); --count) {
    if (!ReadPresent(plan.item, reader)) continue;
    if (ReadPresent(plan.key, reader)) reader->ReadVarint();
    if (!ReadPresent(plan.value, reader)) continue;
    if (IsBound(map)) {
      reader->ReadSizedBytes();
    } else {
      reader->ReadVarint();
    }
  }
}

ColumnStatistics* StatisticsReader::FindOrAdd(int32_t field_id, ByteReader* reader,
                                              std::vector<ColumnStatistics>* columns) {
  if (!all_) return FindWanted(field_id, columns);
  if (next_column_ < columns->size() && (*columns)[next_column_].field_id == field_id) {
    return &(*columns)[next_column_++];
  }
  const auto [it, added] = column_of_id_.emplace(field_id, static_cast<uint32_t>(columns->size()));
  if (added) {
    budget_->Charge(kAddedBytes, reader);
    columns->emplace_back().field_id = field_id;
  }
  next_column_ = it->second + 1;
  return &(*columns)[it->second];
}

ColumnStatistics* StatisticsReader::FindWanted(int32_t field_id,
                                               std::vector<ColumnStatistics>* columns) {
  const int32_t index = WantedIndex(field_id);
  if (index < 0) return nullptr;
  uint32_t& column = column_of_wanted_[index];
  if (column == 0) {
    if (columns->empty()) columns->reserve(wanted_.size());
    columns->emplace_back().field_id = field_id;
    column = static_cast<uint32_t>(columns->size());
  }
  return &(*columns)[column - 1];
}

int32_t StatisticsReader::WantedIndex(int32_t field_id) const {
  if (!index_of_id_.empty()) {
    const auto id = static_cast<uint32_t>(field_id);  // a negative id is above all others
    return id < index_of_id_.size() ? index_of_id_[id] : -1;
  }
  const auto it = std::lower_bound(wanted_.begin(), wanted_.end(), field_id);
  return it != wanted_.end() && *it == field_id ? static_cast<int32_t>(it - wanted_.begin()) : -1;
}

void StatisticsReader::EndEntry(std::vector<ColumnStatistics>* columns) {
  const auto by_id = [](const ColumnStatistics& a, const ColumnStatistics& b) {
    return a.field_id < b.field_id;
  };
  if (!std::is_sorted(columns->begin(), columns->end(), by_id)) {
    std::sort(columns->begin(), columns->end(), by_id);
  }
}

}  // namespace esker
