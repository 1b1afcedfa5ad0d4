// MakeLayout() of a million files, by how many overlap at one key. Target: 400 ms at any depth.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "order/chain.h"

namespace esker {
namespace {

using Kind = HalfRank::Kind;

constexpr int64_t kMillion = 1'000'000;

// Files that begin one apart, in no order, and reach over `depth` of their followers.
std::vector<KeyRange> FilesOfDepth(int64_t count, int64_t depth) {
  std::mt19937_64 random(1);
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<KeyRange> files;
  files.reserve(order.size());
  for (const int64_t i : order) {
    const int64_t upper = 2 * (i + depth) - 1;
    files.push_back({{{Kind::kValue, 2 * i}}, {{Kind::kValue, upper}}});
  }
  return files;
}

SortKey Key(const char* type) {
  SortKey key;
  key.type = ParsePrimitiveType(type).ValueOrDie();
  return key;
}

void BM_OneKey(benchmark::State& state) {
  const SortKeys keys = {Key("long")};
  const auto files = FilesOfDepth(kMillion, state.range(0));
  for (auto _ : state) {
    const Layout layout = MakeLayout(keys, files);
    if (layout.max_depth != state.range(0)) state.SkipWithError("wrong depth");
  }
}
BENCHMARK(BM_OneKey)->Arg(1)->Arg(25)->Arg(1000)->Arg(kMillion)->Unit(benchmark::kMillisecond);

// A first key of few values, as (country, ts): most comparisons go on to the second.
void BM_TwoKeys(benchmark::State& state) {
  const SortKeys keys = {Key("string"), Key("long")};
  auto files = FilesOfDepth(kMillion, state.range(0));
  for (KeyRange& file : files) {
    const int64_t country = std::get<int64_t>(file.lower[0].value) / 2 * 20 / kMillion;
    const HalfRank first = {Kind::kValue, "country " + std::to_string(10 + country)};
    file.lower.insert(file.lower.begin(), first);
    file.upper.insert(file.upper.begin(), first);
  }
  for (auto _ : state) {
    const Layout layout = MakeLayout(keys, files);
    if (layout.max_depth != state.range(0)) state.SkipWithError("wrong depth");
  }
}
BENCHMARK(BM_TwoKeys)->Arg(1)->Arg(25)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace esker
