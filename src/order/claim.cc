#include "order/claim.h"

#include <utility>

namespace esker {
namespace {

using Kind = Transform::Kind;

// A claimed field that says something about this file: of one column, and not constant in it.
struct ClaimedField {
  int32_t field_id = 0;
  const Transform* transform = nullptr;
  bool descending = false;
  bool nulls_first = true;
  bool may_hold_nulls = true;
};

struct ClaimedFields {
  std::vector<ClaimedField> fields;
  std::string end;  // why they end, if not because the claim does
};

// A key of R and what is known of its column.
struct AskedKey {
  const SortKey& key;
  ColumnFacts facts;
};

// Is T(column) the same in every row? (docs/order.md, 4, rule 2.)
bool IsConstant(const Transform& transform, const ColumnFacts& facts) {
  if (facts.constant || transform.kind == Kind::kVoid) return true;
  for (const auto& [partition_transform, value] : facts.partition_transforms) {
    if (IsSameFunction(partition_transform, transform)) return true;
  }
  return false;
}

// The same of a key of R (rule 1), whose type lets us map bounds too: all rows of one day are one
// value of day(ts).
bool IsConstant(const AskedKey& asked) {
  if (IsConstant(asked.key.transform, asked.facts)) return true;
  if (asked.key.transform.is_identity() || asked.facts.may_hold_nulls) return false;
  const KeyRange range = MakeKeyRange({&asked.key, 1}, {&asked.facts, 1});
  return range.lower[0].kind == HalfRank::Kind::kValue &&
         range.upper[0].kind == HalfRank::Kind::kValue &&
         CompareHalfRanks(asked.key, range.lower[0], range.upper[0]) == 0;
}

// Leaves out what is constant, so that the rest can be walked field by field: within one file the
// order is the same without it. Ends where the order cannot be known (rule 5).
ClaimedFields FieldsThatCount(const Claim& claim, const FactsOf& facts_of) {
  ClaimedFields counted;
  if (claim.source == ClaimSource::kNone) {
    counted.end = "no order is claimed";
    return counted;
  }
  for (const SortField& field : claim.fields) {
    if (field.transform.kind == Kind::kVoid) continue;
    if (field.source_ids.size() != 1) {
      counted.end = "the claimed order has a transform of several columns";
      break;
    }
    if (field.transform.kind == Kind::kUnknown) {
      counted.end = "the claimed order has the unknown transform " + field.transform.text;
      break;
    }
    const ColumnFacts facts = facts_of(field.source_ids[0]);
    if (IsConstant(field.transform, facts)) continue;
    counted.fields.push_back({field.source_ids[0], &field.transform, field.descending,
                              field.nulls_first, facts.may_hold_nulls});
  }
  return counted;
}

// Where a column stands that its own order-preserving transforms precede: (day(ts), ts) is the
// order ts, for T(x) < T(y) implies x < y (rule 4). `begin` itself if that is not so.
size_t SkipTransforms(std::span<const ClaimedField> fields, size_t begin) {
  const ClaimedField& first = fields[begin];
  for (size_t i = begin; i < fields.size(); ++i) {
    const ClaimedField& field = fields[i];
    const bool same_place = field.nulls_first == first.nulls_first || !first.may_hold_nulls;
    if (field.field_id != first.field_id || field.descending != first.descending || !same_place ||
        !field.transform->preserves_order()) {
      return begin;
    }
    if (field.transform->is_identity()) return i;
  }
  return begin;
}

// One walk along R and the claimed fields, in one direction of reading.
class Walk {
 public:
  Walk(std::span<const AskedKey> asked, const ClaimedFields& claimed, bool backwards)
      : fields_(claimed.fields),
        end_(claimed.end),
        backwards_(backwards),
        only_key_(asked.size() == 1) {
    while (satisfied_ < asked.size() && Satisfies(asked[satisfied_])) ++satisfied_;
  }

  size_t satisfied() const { return satisfied_; }
  bool used_fields() const { return used_fields_; }  // else only constants
  const std::string& why_stopped() const { return why_stopped_; }
  bool stopped_by_direction() const { return stopped_by_direction_; }

 private:
  bool Satisfies(const AskedKey& asked) {
    if (IsConstant(asked)) return true;
    if (!FindField(asked.key) || !SameDirection(asked) || !NanInPlace(asked)) return false;
    used_fields_ = true;
    // A column in order has T(column) in order too, but goes on deciding within equal T.
    if (IsSameFunction(*fields_[next_].transform, asked.key.transform)) ++next_;
    if (MayHoldBothZeros(asked)) {
      fields_ = {};
      next_ = 0;
      end_ = "-0.0 and 0.0 are one value of " + asked.key.name + ", but perhaps not to its writer";
    }
    return true;
  }

  // Does the next field order the key's column, or the key's transform of it?
  bool FindField(const SortKey& key) {
    if (next_ == fields_.size()) {
      return Stop(end_.empty() ? "the claimed order ends before " + key.name : end_);
    }
    if (fields_[next_].field_id != key.field_id) {
      return Stop("the claimed order goes on with another column than " + key.name);
    }
    if (IsSameFunction(*fields_[next_].transform, key.transform)) return true;
    next_ = SkipTransforms(fields_, next_);
    const Transform& claimed = *fields_[next_].transform;
    if (IsSameFunction(claimed, key.transform)) return true;
    if (claimed.is_identity() && key.transform.preserves_order()) return true;
    return Stop("the claimed order has " + claimed.text + " of " + key.name);
  }

  bool SameDirection(const AskedKey& asked) {
    const ClaimedField& field = fields_[next_];
    if ((field.descending != backwards_) != asked.key.descending) {
      stopped_by_direction_ = true;
      return Stop(asked.key.name + " is claimed in the other direction");
    }
    const bool same_place = (field.nulls_first != backwards_) == asked.key.nulls_first;
    if (same_place || !asked.facts.may_hold_nulls) return true;
    return Stop("nulls of " + asked.key.name + " are claimed at the other end");
  }

  // A file in the spec's total order has its negative NaN at the other end than our output has
  // every NaN (tests/casebook.txt, 46). At the front of a file that is in order of this one key the
  // merge sets such a block apart; anywhere else the file cannot be taken as it is.
  bool NanInPlace(const AskedKey& asked) {
    if (!asked.key.type.is_floating() || !asked.facts.may_hold_nan) return true;
    if (only_key_ && !asked.key.descending && !backwards_) return true;
    return Stop("NaN of " + asked.key.name + " may stand at either end");
  }

  static bool MayHoldBothZeros(const AskedKey& asked) {
    if (!asked.key.type.is_floating()) return false;
    const auto* lower = std::get_if<double>(&asked.facts.lower);
    const auto* upper = std::get_if<double>(&asked.facts.upper);
    return !(lower != nullptr && *lower > 0) && !(upper != nullptr && *upper < 0);
  }

  bool Stop(std::string why) {
    why_stopped_ = std::move(why);
    return false;
  }

  std::span<const ClaimedField> fields_;
  std::string end_;
  const bool backwards_;
  const bool only_key_;
  size_t next_ = 0;
  size_t satisfied_ = 0;
  bool used_fields_ = false;
  bool stopped_by_direction_ = false;
  std::string why_stopped_;
};

ClaimMatch WholeByConstants(size_t key_count) {
  ClaimMatch match;
  match.how = HowToRead::kAsItIs;
  match.satisfied = key_count;
  match.by_constant = true;
  return match;
}

ClaimMatch MatchOf(const Walk& walk, size_t key_count, bool reversed) {
  ClaimMatch match;
  if (!walk.used_fields()) {
    if (walk.satisfied() == key_count) return WholeByConstants(key_count);
    match.reason = walk.why_stopped();
    return match;
  }
  match.satisfied = walk.satisfied();
  match.reversed = reversed;
  if (match.satisfied < key_count) {
    match.how = HowToRead::kPrefixSort;
    match.reason = walk.why_stopped();
  } else if (reversed) {
    match.how = HowToRead::kReversed;
    match.reason = "the claimed order is the one asked for backwards";
  } else {
    match.how = HowToRead::kAsItIs;
  }
  return match;
}

}  // namespace

ClaimMatch MatchClaim(std::span<const SortKey> asked, const Claim& claim, const FactsOf& facts,
                      int64_t row_count) {
  if (row_count <= 1) return WholeByConstants(asked.size());
  std::vector<AskedKey> keys;
  keys.reserve(asked.size());
  for (const SortKey& key : asked) keys.push_back({key, facts(key.field_id)});
  const ClaimedFields claimed = FieldsThatCount(claim, facts);
  const Walk forwards(keys, claimed, /*backwards=*/false);
  if (forwards.satisfied() == asked.size()) return MatchOf(forwards, asked.size(), false);
  const Walk backwards(keys, claimed, /*backwards=*/true);
  if (backwards.satisfied() > forwards.satisfied()) {
    return MatchOf(backwards, asked.size(), true);
  }
  ClaimMatch match = MatchOf(forwards, asked.size(), false);
  // "The other direction" is no reason where reading backwards fails as well: that one's is.
  if (forwards.stopped_by_direction()) match.reason = backwards.why_stopped();
  return match;
}

}  // namespace esker
