// Tests of the key encoder: normalised keys must compare as a plain comparator does.
#include "merge/key_encoder.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "testing/random_keys.h"
#include "testing/reference_merge.h"
#include "testing/seed.h"

namespace esker {
namespace {

using ::esker::testing::CompareRows;
using ::esker::testing::MakeColumn;
using ::esker::testing::MakeKey;
using ::esker::testing::PoolOf;

std::shared_ptr<arrow::RecordBatch> OneColumn(const std::shared_ptr<arrow::Array>& column) {
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("k", column->type())}),
                                  column->length(), {column});
}

KeyBatch Encode(const SortKeys& keys, const arrow::RecordBatch& batch) {
  auto encoder = KeyEncoder::Make(keys, nullptr).ValueOrDie();
  return encoder.Encode(batch).ValueOrDie();
}

void ExpectAllPairs(const SortKeys& keys, const arrow::RecordBatch& batch) {
  const KeyBatch encoded = Encode(keys, batch);
  ASSERT_EQ(encoded.rows, batch.num_rows());
  for (int64_t i = 0; i < batch.num_rows(); ++i) {
    for (int64_t j = 0; j < batch.num_rows(); ++j) {
      const auto expected = CompareRows(keys, batch, i, batch, j);
      const auto actual = CompareKeys({&encoded, i}, {&encoded, j});
      ASSERT_EQ(expected < 0, actual < 0) << ToString(keys) << " rows " << i << " " << j;
      ASSERT_EQ(expected == 0, actual == 0) << ToString(keys) << " rows " << i << " " << j;
    }
  }
}

/// All pairs of directions and null placements.
std::vector<SortKey> EveryOption(const std::string& type) {
  std::vector<SortKey> keys;
  for (const bool descending : {false, true}) {
    for (const bool nulls_first : {false, true})
      keys.push_back(MakeKey(type, descending, nulls_first));
  }
  return keys;
}

TEST(KeyEncoder, EveryTypeAndOptionComparesAsThePlainComparator) {
  for (const std::string& type : testing::KeyTypeNames()) {
    for (const SortKey& key : EveryOption(type)) {
      std::vector<Value> values = PoolOf(key.type);
      values.emplace_back();
      ExpectAllPairs({key}, *OneColumn(MakeColumn(key.type, values)));
    }
  }
}

TEST(KeyEncoder, PairsOfKeysOfEveryTypeCompareLexicographically) {
  auto random = testing::MakeRandom(1);
  for (const std::string& first : testing::KeyTypeNames()) {
    for (const std::string& second : testing::KeyTypeNames()) {
      const auto options = EveryOption(first);
      SortKeys keys{options[testing::Draw(random, 0, 3)],
                    EveryOption(second)[testing::Draw(random, 0, 3)]};
      const auto input = testing::RandomInput(keys, {30, 4, 20}, 0, random);
      ExpectAllPairs(keys, *input.keys);
    }
  }
}

TEST(KeyEncoder, FourKeysInWordsAndInBytes) {
  auto random = testing::MakeRandom(2);
  for (int i = 0; i < 200; ++i) {
    SortKeys keys;
    for (int k = 0; k < 4; ++k) {
      const auto& names = testing::KeyTypeNames();
      keys.push_back(MakeKey(names[testing::Draw(random, 0, std::ssize(names) - 1)],
                             testing::Chance(random, 50), testing::Chance(random, 50)));
    }
    ExpectAllPairs(keys, *testing::RandomInput(keys, {20, 2, 20}, 0, random).keys);
  }
}

TEST(KeyEncoder, LayoutsHaveTheWordsThatTheirBitsNeed) {
  const auto words = [](const SortKeys& keys) { return MakeKeyLayout(keys).ValueOrDie().words; };
  EXPECT_EQ(words({}), 1);
  EXPECT_EQ(words({MakeKey("int")}), 1);
  EXPECT_EQ(words({MakeKey("int"), MakeKey("date")}), 2);  // 66 bits
  EXPECT_EQ(words({MakeKey("long")}), 2);
  EXPECT_EQ(words({MakeKey("uuid"), MakeKey("timestamp")}), 4);
  EXPECT_EQ(words({MakeKey("uuid"), MakeKey("uuid")}), 0);
  EXPECT_EQ(words({MakeKey("fixed[17]")}), 0);
  EXPECT_EQ(words({MakeKey("string")}), 0);
}

TEST(KeyEncoder, SlicesDictionariesAndLargeStringsEncodeAlike) {
  const SortKeys keys{MakeKey("string", true, false)};
  std::vector<Value> values = PoolOf(keys[0].type);
  values.insert(values.begin() + 2, Value());
  const auto column = MakeColumn(keys[0].type, values);
  const auto dictionary = arrow::compute::DictionaryEncode(column).ValueOrDie().make_array();
  const auto large = arrow::compute::Cast(*column, arrow::large_binary()).ValueOrDie();
  const KeyBatch plain = Encode(keys, *OneColumn(column));
  for (const auto& other : {dictionary, large}) {
    const KeyBatch encoded = Encode(keys, *OneColumn(other)->Slice(1));
    for (int64_t i = 0; i < encoded.rows; ++i) {
      EXPECT_EQ(CompareKeys({&plain, i + 1}, {&encoded, i}), std::strong_ordering::equal);
    }
  }
}

TEST(KeyEncoder, TransformsAreAppliedBeforeEncoding) {
  // Spec, truncate[10] of integers: 1 gives 0, -1 gives -10.
  const SortKeys keys{MakeKey("int", false, true, "truncate[10]")};
  const auto column = MakeColumn(
      keys[0].type, {int64_t{-1}, int64_t{-10}, int64_t{1}, int64_t{9}, int64_t{10}, Value()});
  const KeyBatch encoded = Encode(keys, *OneColumn(column));
  EXPECT_TRUE(CompareKeys({&encoded, 0}, {&encoded, 1}) == 0);
  EXPECT_TRUE(CompareKeys({&encoded, 1}, {&encoded, 2}) < 0);
  EXPECT_TRUE(CompareKeys({&encoded, 2}, {&encoded, 3}) == 0);
  EXPECT_TRUE(CompareKeys({&encoded, 3}, {&encoded, 4}) < 0);
  EXPECT_TRUE(CompareKeys({&encoded, 5}, {&encoded, 0}) < 0);
}

TEST(KeyEncoder, WrongArrowTypeOrColumnCountIsAnError) {
  auto encoder = KeyEncoder::Make({MakeKey("long")}, nullptr).ValueOrDie();
  const auto ints = MakeColumn(MakeKey("int").type, {int64_t{1}});
  EXPECT_TRUE(encoder.Encode(*OneColumn(ints)).status().IsTypeError());
  EXPECT_FALSE(encoder
                   .Encode(*arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector{}), 1,
                                                     arrow::ArrayVector{}))
                   .ok());
  EXPECT_FALSE(KeyEncoder::Make({MakeKey("int", false, true, "rot[13]")}, nullptr).ok());
}

// Corners.

/// Checks that the keys of a corner bound every row on the right side of it, by the plain rules.
void ExpectBounds(const SortKeys& keys, const Corner& corner, const arrow::RecordBatch& batch) {
  auto encoder = KeyEncoder::Make(keys, nullptr).ValueOrDie();
  const KeyBatch rows = encoder.Encode(batch).ValueOrDie();
  const KeyBatch lower = encoder.EncodeLower(corner).ValueOrDie();
  const KeyBatch upper = encoder.EncodeUpper(corner).ValueOrDie();
  for (int64_t i = 0; i < rows.rows; ++i) {
    const Corner exact = testing::ExactRange(keys, *batch.Slice(i, 1)).lower;
    const auto order = CompareCorners(keys, exact, corner);
    if (order >= 0) {
      ASSERT_TRUE(CompareKeys({&lower, 0}, {&rows, i}) <= 0)
          << ToString(keys) << " corner " << ToString(keys, corner) << " row "
          << encoder.ToString({&rows, i});
    }
    if (order <= 0) {
      ASSERT_TRUE(CompareKeys({&upper, 0}, {&rows, i}) >= 0)
          << ToString(keys) << " corner " << ToString(keys, corner) << " row "
          << encoder.ToString({&rows, i});
    }
  }
}

HalfRank RandomRank(const SortKey& key, std::mt19937_64& random) {
  switch (testing::Draw(random, 0, 5)) {
    case 0:
      return {key.nulls_first ? HalfRank::Kind::kNullFirst : HalfRank::Kind::kNullLast, {}};
    case 1:
      return {HalfRank::Kind::kBeforeValues, {}};
    case 2:
      return {HalfRank::Kind::kAfterValues, {}};
    default: {
      const auto pool = PoolOf(key.type);
      Value value = pool[testing::Draw(random, 0, std::ssize(pool) - 1)];
      // Bounds of bytes may be cut short.
      if (auto* bytes = std::get_if<std::string>(&value); bytes != nullptr && bytes->size() > 1) {
        if (testing::Chance(random, 30))
          bytes->resize(testing::Draw(random, 0, std::ssize(*bytes)));
      }
      return {HalfRank::Kind::kValue, value};
    }
  }
}

TEST(KeyEncoder, CornersBoundEveryRow) {
  auto random = testing::MakeRandom(3);
  const auto& names = testing::KeyTypeNames();
  for (int i = 0; i < 3000; ++i) {
    SortKeys keys;
    for (int64_t k = testing::Draw(random, 1, 3); k > 0; --k) {
      keys.push_back(MakeKey(names[testing::Draw(random, 0, std::ssize(names) - 1)],
                             testing::Chance(random, 50), testing::Chance(random, 50)));
    }
    Corner corner;
    for (const SortKey& key : keys) corner.push_back(RandomRank(key, random));
    ExpectBounds(keys, corner, *testing::RandomInput(keys, {25, 0, 15}, 0, random).keys);
  }
}

TEST(KeyEncoder, WholeCornersAreExact) {
  auto random = testing::MakeRandom(4);
  for (const std::string& type : testing::KeyTypeNames()) {
    for (const SortKey& key : EveryOption(type)) {
      const SortKeys keys{key, MakeKey("int")};
      const auto batch = testing::RandomInput(keys, {20, 0, 15}, 0, random).keys;
      auto encoder = KeyEncoder::Make(keys, nullptr).ValueOrDie();
      const KeyBatch rows = encoder.Encode(*batch).ValueOrDie();
      for (int64_t i = 0; i < rows.rows; ++i) {
        const Corner corner = testing::ExactRange(keys, *batch->Slice(i, 1)).lower;
        const KeyBatch lower = encoder.EncodeLower(corner).ValueOrDie();
        const KeyBatch upper = encoder.EncodeUpper(corner).ValueOrDie();
        EXPECT_TRUE(CompareKeys({&lower, 0}, {&rows, i}) == 0) << ToString(keys);
        EXPECT_TRUE(CompareKeys({&upper, 0}, {&rows, i}) == 0) << ToString(keys);
      }
    }
  }
}

TEST(KeyEncoder, EmptyCornersAreBeforeAndAfterEverything) {
  const SortKeys keys{MakeKey("string", true, false), MakeKey("double")};
  auto encoder = KeyEncoder::Make(keys, nullptr).ValueOrDie();
  auto random = testing::MakeRandom(6);
  const KeyBatch rows =
      encoder.Encode(*testing::RandomInput(keys, {50, 0, 20}, 0, random).keys).ValueOrDie();
  const KeyBatch lower = encoder.EncodeLower({}).ValueOrDie();
  const KeyBatch upper = encoder.EncodeUpper({}).ValueOrDie();
  for (int64_t i = 0; i < rows.rows; ++i) {
    EXPECT_TRUE(CompareKeys({&lower, 0}, {&rows, i}) <= 0);
    EXPECT_TRUE(CompareKeys({&upper, 0}, {&rows, i}) >= 0);
  }
}

TEST(KeyEncoder, KeysComeBackInWords) {
  const SortKeys packed{MakeKey("int", true), MakeKey("boolean"), MakeKey("double", true)};
  auto words = KeyEncoder::Make(packed, nullptr).ValueOrDie();
  const Corner corner{{HalfRank::Kind::kValue, int64_t{-5}},
                      {HalfRank::Kind::kNullFirst, {}},
                      {HalfRank::Kind::kValue, 2.5}};
  const KeyBatch key = words.EncodeLower(corner).ValueOrDie();
  EXPECT_EQ(words.ToString({&key, 0}), "(-5, null, 2.5)");

  const SortKeys bytes{MakeKey("string", true), MakeKey("string"), MakeKey("date")};
  auto strings = KeyEncoder::Make(bytes, nullptr).ValueOrDie();
  const Corner texts{{HalfRank::Kind::kValue, std::string("ab")},
                     {HalfRank::Kind::kValue, std::string("")},
                     {HalfRank::Kind::kValue, int64_t{0}}};
  const KeyBatch text = strings.EncodeLower(texts).ValueOrDie();
  EXPECT_EQ(strings.ToString({&text, 0}), "(ab, , 1970-01-01)");
}

}  // namespace
}  // namespace esker
