// The statistics maps of manifest entries, by projection (spec: Data File Fields, 109 to 137).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrow/status.h"
#include "base/byte_reader.h"
#include "format/avro_plan.h"
#include "format/avro_schema.h"
#include "format/decode_budget.h"
#include "format/manifest.h"

namespace esker {

enum class StatisticsMap { kValueCounts, kNullCounts, kNanCounts, kLowerBounds, kUpperBounds };

/// Gathers, entry by entry, the statistics of the fields asked for out of the five maps.
///
///     value_counts {1: 10, 2: 10}   lower_bounds {2: "a"}    ->    1: 10 values
///                                                                  2: 10 values, from "a"
///
/// Call BeginEntry(), then Read() for each map in any order, then EndEntry(). Passing over a key
/// that nobody wants allocates nothing. Of a key that a map repeats, one value is taken.
class StatisticsReader {
 public:
  /// Borrows the ids of `projection`, and `budget`, which is charged for all that is gathered.
  StatisticsReader(const ManifestProjection& projection, DecodeBudget* budget);

  /// Nothing is asked for: the maps need not be read at all.
  bool wants_nothing() const { return !all_ && wanted_.empty(); }

  /// Prepares for `map` of type `array`, a list of key and value records (the map type of Avro
  /// has only strings as keys). Errors: Invalid for any other shape.
  arrow::Status Plan(const AvroSchema& schema, StatisticsMap map, AvroNodeIndex array);

  void BeginEntry();
  /// Requires Plan() for `map`. On damage the reader has failed.
  void Read(StatisticsMap map, ByteReader* reader, std::vector<ColumnStatistics>* columns);
  /// Puts the columns in order of their ids. O(columns) if they came so, else O(n log n).
  static void EndEntry(std::vector<ColumnStatistics>* columns);

 private:
  struct MapPlan {
    AvroOptional item;
    AvroOptional key;
    AvroOptional value;
  };

  void ReadInto(StatisticsMap map, ByteReader* reader, ColumnStatistics* column);
  std::string ReadBound(ByteReader* reader);
  ColumnStatistics* FindOrAdd(int32_t field_id, ByteReader* reader,
                              std::vector<ColumnStatistics>* columns);
  ColumnStatistics* FindWanted(int32_t field_id, std::vector<ColumnStatistics>* columns);
  int32_t WantedIndex(int32_t field_id) const;
  void SkipItems(StatisticsMap map, int64_t count, ByteReader* reader) const;

  DecodeBudget* budget_;
  bool all_ = false;
  std::span<const int32_t> wanted_;
  std::vector<int32_t> index_of_id_;        // field id -> place in wanted_, -1 if none; small ids
  std::vector<uint32_t> column_of_wanted_;  // place in wanted_ -> place in columns + 1, 0 if none
  std::unordered_map<int32_t, uint32_t> column_of_id_;  // the same where all are asked for
  size_t next_column_ = 0;  // where the next key is expected: maps tend to agree in their order
  std::array<MapPlan, 5> plans_;
};

}  // namespace esker
