#include "acero/nan_check.h"

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/array.h"
#include "arrow/buffer.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "esker/error.h"

namespace esker {
namespace {

// The values as they are in memory, null where `valid` is false.
template <typename Type>
std::shared_ptr<arrow::Array> Values(const std::vector<typename Type::c_type>& values,
                                     const std::vector<bool>& valid) {
  auto bits = arrow::AllocateEmptyBitmap(static_cast<int64_t>(values.size())).ValueOrDie();
  for (size_t i = 0; i < valid.size(); ++i) {
    if (valid[i]) bits->mutable_data()[i / 8] |= static_cast<uint8_t>(1 << i % 8);
  }
  return std::make_shared<arrow::NumericArray<Type>>(static_cast<int64_t>(values.size()),
                                                     arrow::Buffer::FromVector(values),
                                                     std::shared_ptr<arrow::Buffer>(bits));
}

std::shared_ptr<arrow::RecordBatch> BatchOf(const std::shared_ptr<arrow::Array>& a,
                                            const std::shared_ptr<arrow::Array>& b) {
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("a", a->type()), arrow::field("b", b->type())}), a->length(),
      {a, b});
}

TEST(CheckWithoutNan, LooksAtTheColumnsNamedAlone) {
  const auto clean = Values<arrow::DoubleType>({1, -INFINITY, INFINITY}, {true, true, true});
  const auto dirty = Values<arrow::FloatType>({1, 2, std::nanf("")}, {true, true, true});
  const auto batch = BatchOf(clean, dirty);
  EXPECT_TRUE(CheckWithoutNan(*batch, {}).ok());
  EXPECT_TRUE(CheckWithoutNan(*batch, std::vector<int>{0}).ok());
  const arrow::Status found = CheckWithoutNan(*batch, std::vector<int>{0, 1});
  EXPECT_EQ(KindOf(found), ErrorKind::kDisorder);
  EXPECT_NE(found.message().find("column b holds NaN"), std::string::npos) << found;
}

TEST(CheckWithoutNan, NanUnderANullIsNone) {
  const double nan = std::copysign(std::nan(""), -1.0);
  const auto hidden = Values<arrow::DoubleType>({1, nan, 2, nan}, {true, false, true, true});
  const auto batch = BatchOf(hidden, hidden);
  EXPECT_FALSE(CheckWithoutNan(*batch, std::vector<int>{0}).ok());
  EXPECT_TRUE(CheckWithoutNan(*batch->Slice(0, 3), std::vector<int>{0, 1}).ok());
  EXPECT_FALSE(CheckWithoutNan(*batch->Slice(3), std::vector<int>{1}).ok());
}

}  // namespace
}  // namespace esker
