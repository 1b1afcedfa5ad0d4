// One seed for everything random in a test run: ESKER_SEED if it is set, else a fixed one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace esker::testing {

inline uint64_t TestSeed() {
  const char* text = std::getenv("ESKER_SEED");
  return text == nullptr ? 20240601 : std::strtoull(text, nullptr, 10);
}

/// A generator for one test; `salt` keeps tests from walking the same road.
inline std::mt19937_64 MakeRandom(uint64_t salt) { return std::mt19937_64(TestSeed() + salt); }

/// A whole number from `least` to `most`.
inline int64_t Draw(std::mt19937_64& random, int64_t least, int64_t most) {
  return std::uniform_int_distribution<int64_t>(least, most)(random);
}

/// True `percent` times out of a hundred.
inline bool Chance(std::mt19937_64& random, int percent) { return Draw(random, 1, 100) <= percent; }

}  // namespace esker::testing
