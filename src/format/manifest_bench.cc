// Time per manifest entry: a generated manifest with statistics of 12 columns, uncompressed and
// deflated, with few or all statistics kept; and, where ESKER_TABLES names the real tables, the
// 5,000 entries of duckdb-iceberg/generated_bounds_5000.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "format/avro_file.h"
#include "format/manifest.h"
#include "testing/manifest_writer.h"

namespace esker {
namespace {

constexpr int kEntries = 5000;
constexpr int kColumns = 12;

std::string LittleEndian64(uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

testing::WrittenEntry EntryWithStatistics(int i) {
  testing::WrittenEntry entry;
  entry.path = "s3://warehouse/db/events/data/day=2024-05-17/00000-" + std::to_string(i) +
               "-5ae4b1d0-5b0c-4dc4-9cf1-1f2be0c8f5a4-00001.parquet";
  entry.day = 19860 + i / 100;
  entry.record_count = 20000 + i % 77;
  entry.file_size = 1000000 + i * 31;
  for (auto* map : {&entry.column_sizes, &entry.value_counts, &entry.null_counts}) map->emplace();
  entry.nan_counts.emplace();
  entry.lower_bounds.emplace();
  entry.upper_bounds.emplace();
  for (int id = 1; id <= kColumns; ++id) {
    entry.column_sizes->emplace_back(id, 40000 + i * id);
    entry.value_counts->emplace_back(id, entry.record_count);
    entry.null_counts->emplace_back(id, id % 3 == 0 ? i % 50 : 0);
    if (id % 4 == 0) entry.nan_counts->emplace_back(id, 0);
    entry.lower_bounds->emplace_back(id, LittleEndian64(1715900000000000ULL + i * 1000003ULL * id));
    entry.upper_bounds->emplace_back(id, LittleEndian64(1715900060000000ULL + i * 1000003ULL * id));
  }
  entry.split_offsets = {4};
  entry.sort_order_id = 1;
  return entry;
}

std::string GeneratedManifest(const std::string& codec) {
  std::vector<testing::WrittenEntry> entries;
  for (int i = 0; i < kEntries; ++i) entries.push_back(EntryWithStatistics(i));
  testing::ManifestShape shape;
  shape.codec = codec;
  shape.entries_a_block = 200;  // some 64 KB, as Avro's Java library cuts them
  return WriteManifest(entries, shape);
}

void ReadRepeatedly(const std::string& bytes, const ManifestProjection& projection,
                    benchmark::State* state) {
  size_t entries = 0;
  for (auto _ : *state) {
    const auto read = ReadManifest(bytes, ManifestFile{}, projection);
    if (!read.ok()) return state->SkipWithError(read.status().message().c_str());
    entries = read->size();
    benchmark::DoNotOptimize(read->data());
  }
  state->counters["entries"] = static_cast<double>(entries);
  state->counters["per_entry"] = benchmark::Counter(
      static_cast<double>(entries),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void ReadGenerated(benchmark::State& state, const char* codec, int wanted_columns) {
  constexpr std::array<int32_t, 3> kWanted = {2, 5, 11};
  ManifestProjection projection;
  projection.statistics_field_ids = std::span(kWanted).first(std::max(wanted_columns, 0));
  projection.all_statistics = wanted_columns < 0;
  ReadRepeatedly(GeneratedManifest(codec), projection, &state);
}
BENCHMARK_CAPTURE(ReadGenerated, plain_no_statistics, "null", 0);
BENCHMARK_CAPTURE(ReadGenerated, plain_one_column, "null", 1);
BENCHMARK_CAPTURE(ReadGenerated, plain_three_columns, "null", 3);
BENCHMARK_CAPTURE(ReadGenerated, plain_all_columns, "null", -1);
BENCHMARK_CAPTURE(ReadGenerated, deflate_one_column, "deflate", 1);
BENCHMARK_CAPTURE(ReadGenerated, snappy_one_column, "snappy", 1);
BENCHMARK_CAPTURE(ReadGenerated, zstandard_one_column, "zstandard", 1);

// What inflating alone costs.
void InflateGenerated(benchmark::State& state, const char* codec) {
  const std::string bytes = GeneratedManifest(codec);
  for (auto _ : state) {
    auto file = AvroFile::Open(bytes);
    if (!file.ok()) return state.SkipWithError("not an Avro file");
    while (file->Next().ValueOr(std::nullopt)) {
    }
  }
  state.counters["per_entry"] = benchmark::Counter(
      kEntries, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(InflateGenerated, deflate, "deflate");
BENCHMARK_CAPTURE(InflateGenerated, zstandard, "zstandard");

void ReadBounds5000(benchmark::State& state) {
  const char* tables = std::getenv("ESKER_TABLES");
  if (tables == nullptr) return state.SkipWithError("ESKER_TABLES is not set");
  std::string largest;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(tables) / "duckdb-iceberg" / "generated_bounds_5000")) {
    std::ifstream stream(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (entry.path().extension() == ".avro" && text.str().size() > largest.size()) {
      largest = text.str();
    }
  }
  constexpr std::array<int32_t, 1> kWanted = {1};
  ManifestProjection projection;
  projection.statistics_field_ids = kWanted;
  ReadRepeatedly(largest, projection, &state);
}
BENCHMARK(ReadBounds5000);

}  // namespace
}  // namespace esker
