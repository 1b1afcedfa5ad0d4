#include "merge/slice_filter.h"

#include <algorithm>
#include <type_traits>

namespace esker {
namespace {

arrow::Result<KeyBatch> EncodeCut(const KeyEncoder& encoder, const Corner& cut) {
  if (cut.empty()) return KeyBatch{};
  return encoder.EncodeLower(cut);
}

}  // namespace

arrow::Result<SliceFilter> SliceFilter::Make(const KeySlice& slice, size_t satisfied,
                                             const KeyEncoder& encoder,
                                             const KeyEncoder& prefix_encoder) {
  SliceFilter filter;
  ARROW_ASSIGN_OR_RAISE(filter.lower_, EncodeCut(encoder, slice.lower));
  ARROW_ASSIGN_OR_RAISE(filter.upper_, EncodeCut(encoder, slice.upper));
  if (satisfied == 0 || slice.upper.empty()) return filter;
  // A cut by (5) has all rows of 5 behind it, one by (5, 1) only some of them.
  filter.ends_before_ = slice.upper.size() <= satisfied;
  const Corner prefix(
      slice.upper.begin(),
      slice.upper.begin() + static_cast<std::ptrdiff_t>(std::min(satisfied, slice.upper.size())));
  ARROW_ASSIGN_OR_RAISE(filter.prefix_end_, filter.ends_before_
                                                ? prefix_encoder.EncodeLower(prefix)
                                                : prefix_encoder.EncodeUpper(prefix));
  return filter;
}

std::vector<int32_t> SliceFilter::RowsInside(const KeyBatch& keys) const {
  std::vector<int32_t> inside;
  VisitViews(keys.words, [&]<typename View>(std::type_identity<View>) {
    const View rows(keys);
    const View lower(lower_);
    const View upper(upper_);
    for (int64_t row = 0; row < keys.rows; ++row) {
      if (lower_.rows > 0 && rows[row] < lower[0]) continue;
      if (upper_.rows > 0 && !(rows[row] < upper[0])) continue;
      inside.push_back(static_cast<int32_t>(row));
    }
  });
  return inside;
}

bool SliceFilter::IsPast(KeyRow prefix) const {
  if (prefix_end_.rows == 0) return false;
  const auto order = CompareKeys(prefix, {&prefix_end_, 0});
  return order > 0 || (ends_before_ && order == 0);
}

}  // namespace esker
