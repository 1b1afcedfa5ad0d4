// JSON as it lies in metadata files: parsed within bounds, read with a place for every error.
//
// A JsonNode is a borrowed view of one value that knows the way to it, so that a wrong or missing
// member is reported as "snapshots[3].schema-id: …" without anybody building paths by hand. The
// path is only put together when there is an error to tell.
//
// Include this from sources only: nlohmann/json.hpp is a heavy header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "nlohmann/json.hpp"

namespace esker {

/// Most levels of arrays and objects within one another that ParseJson() accepts.
inline constexpr int kMaxJsonDepth = 200;
/// Most values (members, elements, scalars) of one document: bounds memory on hostile input.
inline constexpr int64_t kMaxJsonValues = 16'000'000;

/// Parses one JSON document. Invalid, in words, for text that is not JSON, for nesting deeper than
/// kMaxJsonDepth and for more than kMaxJsonValues values. Throws nothing.
arrow::Result<nlohmann::json> ParseJson(std::string_view text);

/// A view of a JSON value and of the way to it. Borrows the value and, in a child, the parent node:
/// both must outlive it, so keep nodes on the stack. An error is Invalid "`path`: what is wrong".
class JsonNode {
 public:
  explicit JsonNode(const nlohmann::json& root) : value_(&root) {}

  const nlohmann::json& value() const { return *value_; }
  /// "snapshots[3].summary"; "" for the root.
  std::string path() const;
  /// Invalid with the path before `message`.
  arrow::Status Error(std::string_view message) const;

  /// Invalid unless this is an object, an array.
  arrow::Status CheckObject() const;
  arrow::Status CheckArray() const;

  /// Array access; requires an array and index < size().
  size_t size() const { return value_->size(); }
  JsonNode At(size_t index) const;

  /// The member of that name; none if it is absent or null, or if this is no object.
  std::optional<JsonNode> Find(std::string_view key) const;
  /// The same, but Invalid if it is absent, null or if this is no object.
  arrow::Result<JsonNode> Get(std::string_view key) const;

  /// The value as a C++ one; Invalid if it is of another type or out of range. A number written
  /// with a fraction of zero (3.0) is an integer too.
  arrow::Result<int64_t> AsInt64() const;
  arrow::Result<int32_t> AsInt32() const;
  arrow::Result<bool> AsBool() const;
  arrow::Result<std::string> AsString() const;
  /// An array of int32.
  arrow::Result<std::vector<int32_t>> AsInt32List() const;
  /// An object whose values are strings. Values of other types are kept as their JSON text, nulls
  /// are left out: writers are careless here and nothing hangs on it.
  arrow::Result<std::map<std::string, std::string>> AsStringMap() const;

  /// Get() and then the conversion.
  arrow::Result<int64_t> GetInt64(std::string_view key) const;
  arrow::Result<int32_t> GetInt32(std::string_view key) const;
  arrow::Result<bool> GetBool(std::string_view key) const;
  arrow::Result<std::string> GetString(std::string_view key) const;

  /// Find() and then the conversion: none if absent or null, Invalid if of a wrong type.
  arrow::Result<std::optional<int64_t>> FindInt64(std::string_view key) const;
  arrow::Result<std::optional<int32_t>> FindInt32(std::string_view key) const;
  arrow::Result<std::optional<std::string>> FindString(std::string_view key) const;

 private:
  JsonNode(const nlohmann::json* value, const JsonNode* parent, std::string_view key, size_t index)
      : value_(value), parent_(parent), key_(key), index_(index) {}

  const nlohmann::json* value_;
  const JsonNode* parent_ = nullptr;
  std::string_view key_;  // with a parent: the member's name, or empty for an array's element
  size_t index_ = 0;
};

}  // namespace esker
