#include "read/row_key.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/json/from_string.h"
#include "arrow/type.h"

namespace esker {
namespace {

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type, const char* json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::vector<std::string> Keys(const arrow::ArrayVector& columns) {
  RowKeyEncoder encoder;
  encoder.Bind(columns);
  std::vector<std::string> keys(columns[0]->length());
  for (size_t i = 0; i < keys.size(); ++i) encoder.Encode(static_cast<int64_t>(i), &keys[i]);
  return keys;
}

// Every pair of rows has equal keys exactly if the rows are equal by Arrow's own comparison.
void ExpectLikeEquals(const std::shared_ptr<arrow::Array>& values) {
  ASSERT_TRUE(RowKeyEncoder::CheckType(*values->type()).ok()) << values->type()->ToString();
  const auto keys = Keys({values});
  const auto options = arrow::EqualOptions().nans_equal(true).signed_zeros_equal(false);
  for (int64_t i = 0; i < values->length(); ++i) {
    for (int64_t j = 0; j < values->length(); ++j) {
      const bool equal = values->RangeEquals(*values, i, i + 1, j, options);
      EXPECT_EQ(keys[i] == keys[j], equal) << values->type()->ToString() << " " << i << " " << j;
    }
  }
}

TEST(RowKeyTest, EveryTypeAndItsSlices) {
  const std::shared_ptr<arrow::Array> arrays[] = {
      Json(arrow::boolean(), "[true, false, null, true, null]"),
      Json(arrow::int32(), "[0, 1, -1, null, 256, 0]"),
      Json(arrow::int64(), "[0, 1, 4294967296, null, -1, 1]"),
      Json(arrow::float32(), "[0, -0.0, 1.5, NaN, null, NaN, -NaN, Inf, -Inf]"),
      Json(arrow::float64(), "[0, -0.0, 1.5, NaN, null, NaN, -NaN, Inf, -Inf]"),
      Json(arrow::decimal128(20, 2), R"(["1.00", "-1.00", null, "1.00", "184467440737095516.16"])"),
      Json(arrow::date32(), "[0, -1, null, 0]"),
      Json(arrow::time64(arrow::TimeUnit::MICRO), "[0, 1, null, 0]"),
      Json(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[0, 1, null, 0]"),
      Json(arrow::timestamp(arrow::TimeUnit::NANO), "[0, 1, null, 0]"),
      Json(arrow::utf8(), R"(["", "a", "ab", null, "a", "a\u0000"])"),
      Json(arrow::binary(), R"(["", "a", "ab", null, ""])"),
      Json(arrow::fixed_size_binary(3), R"(["abc", "abd", null, "abc"])"),
      Json(arrow::null(), "[null, null]")};
  for (const auto& array : arrays) {
    ExpectLikeEquals(array);
    ExpectLikeEquals(array->Slice(1));
    ExpectLikeEquals(array->Slice(1, 1));
  }
}

TEST(RowKeyTest, EveryNanIsOne) {
  const uint64_t payload = 0xfff8000000000123;
  double odd_nan;
  std::memcpy(&odd_nan, &payload, sizeof(odd_nan));
  arrow::DoubleBuilder builder;
  ASSERT_TRUE(builder.AppendValues({odd_nan, std::nan(""), -std::nan("")}).ok());
  const auto keys = Keys({builder.Finish().ValueOrDie()});
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_EQ(keys[1], keys[2]);
}

// Columns do not run into one another, and null is no value.
TEST(RowKeyTest, SeveralColumns) {
  const auto keys = Keys({Json(arrow::utf8(), R"(["a", "ab", null, "", "a"])"),
                          Json(arrow::utf8(), R"(["bc", "c", "", null, "bc"])")});
  EXPECT_EQ(keys[0], keys[4]);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << i << " " << j;
  }
}

TEST(RowKeyTest, NestedTypesAreRefused) {
  EXPECT_TRUE(RowKeyEncoder::CheckType(*arrow::list(arrow::int32())).IsNotImplemented());
  EXPECT_TRUE(RowKeyEncoder::CheckType(*arrow::struct_({})).IsNotImplemented());
}

}  // namespace
}  // namespace esker
