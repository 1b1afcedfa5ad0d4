#include "format/json_node.h"

#include <cmath>
#include <exception>
#include <limits>
#include <utility>

namespace esker {
namespace {

using nlohmann::json;

// Thrown by the parser's callback, the only way to stop nlohmann's parser half-way; caught below.
struct TooMuch : std::exception {
  explicit TooMuch(const char* text) : text(text) {}
  const char* what() const noexcept override { return text; }
  const char* text;
};

class Bounds {
 public:
  bool operator()(int depth, json::parse_event_t event, json& /*parsed*/) {
    if (depth >= kMaxJsonDepth) throw TooMuch("nested too deeply");
    const bool is_value =
        event == json::parse_event_t::value || event == json::parse_event_t::object_start ||
        event == json::parse_event_t::array_start || event == json::parse_event_t::key;
    if (is_value && ++values_ > kMaxJsonValues) throw TooMuch("too many values");
    return true;
  }

 private:
  int64_t values_ = 0;
};

bool IsWhole(double number) {
  // Beyond 2^53 a double no longer says which integer was meant.
  constexpr double kExact = 9007199254740992.0;
  return std::floor(number) == number && std::abs(number) <= kExact;
}

}  // namespace

arrow::Result<json> ParseJson(std::string_view text) {
  try {
    return json::parse(text.begin(), text.end(), Bounds());
  } catch (const TooMuch& error) {
    return arrow::Status::Invalid("JSON is ", error.what());
  } catch (const json::parse_error& error) {
    return arrow::Status::Invalid("not JSON: error at byte ", error.byte);
  } catch (const json::exception&) {
    // What is left is a number that overflows a double, such as 1e999.
    return arrow::Status::Invalid("not JSON: a number is out of range");
  }
}

std::string JsonNode::path() const {
  if (parent_ == nullptr) return "";
  std::string path = parent_->path();
  if (parent_->value_->is_array()) return path + "[" + std::to_string(index_) + "]";
  if (!path.empty()) path += '.';
  return path.append(key_);
}

arrow::Status JsonNode::Error(std::string_view message) const {
  const std::string where = path();
  if (where.empty()) return arrow::Status::Invalid(message);
  return arrow::Status::Invalid(where, ": ", message);
}

arrow::Status JsonNode::CheckObject() const {
  return value_->is_object() ? arrow::Status::OK() : Error("must be an object");
}

arrow::Status JsonNode::CheckArray() const {
  return value_->is_array() ? arrow::Status::OK() : Error("must be a list");
}

JsonNode JsonNode::At(size_t index) const { return JsonNode(&(*value_)[index], this, {}, index); }

std::optional<JsonNode> JsonNode::Find(std::string_view key) const {
  if (!value_->is_object()) return std::nullopt;
  const auto it = value_->find(key);
  if (it == value_->end() || it->is_null()) return std::nullopt;
  // The document's own key outlives the node, `key` may not.
  return JsonNode(&*it, this, it.key(), 0);
}

arrow::Result<JsonNode> JsonNode::Get(std::string_view key) const {
  ARROW_RETURN_NOT_OK(CheckObject());
  if (auto node = Find(key)) return *node;
  const json null;
  return JsonNode(&null, this, key, 0).Error("is missing");
}

arrow::Result<int64_t> JsonNode::AsInt64() const {
  if (value_->is_number_unsigned()) {
    const auto number = value_->get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return Error("is out of range");
    }
    return static_cast<int64_t>(number);
  }
  if (value_->is_number_integer()) return value_->get<int64_t>();
  if (value_->is_number_float() && IsWhole(value_->get<double>())) {
    return static_cast<int64_t>(value_->get<double>());
  }
  return Error("must be an integer");
}

arrow::Result<int32_t> JsonNode::AsInt32() const {
  ARROW_ASSIGN_OR_RAISE(const int64_t number, AsInt64());
  if (!std::in_range<int32_t>(number)) return Error("is out of range");
  return static_cast<int32_t>(number);
}

arrow::Result<bool> JsonNode::AsBool() const {
  if (!value_->is_boolean()) return Error("must be true or false");
  return value_->get<bool>();
}

arrow::Result<std::string> JsonNode::AsString() const {
  if (!value_->is_string()) return Error("must be a string");
  return value_->get<std::string>();
}

arrow::Result<std::vector<int32_t>> JsonNode::AsInt32List() const {
  ARROW_RETURN_NOT_OK(CheckArray());
  std::vector<int32_t> numbers;
  for (size_t i = 0; i < size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const int32_t number, At(i).AsInt32());
    numbers.push_back(number);
  }
  return numbers;
}

arrow::Result<std::map<std::string, std::string>> JsonNode::AsStringMap() const {
  ARROW_RETURN_NOT_OK(CheckObject());
  std::map<std::string, std::string> map;
  for (const auto& [key, value] : value_->items()) {
    if (value.is_null()) continue;
    map.emplace(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return map;
}

arrow::Result<int64_t> JsonNode::GetInt64(std::string_view key) const {
  ARROW_ASSIGN_OR_RAISE(const JsonNode node, Get(key));
  return node.AsInt64();
}

arrow::Result<int32_t> JsonNode::GetInt32(std::string_view key) const {
  ARROW_ASSIGN_OR_RAISE(const JsonNode node, Get(key));
  return node.AsInt32();
}

arrow::Result<bool> JsonNode::GetBool(std::string_view key) const {
  ARROW_ASSIGN_OR_RAISE(const JsonNode node, Get(key));
  return node.AsBool();
}

arrow::Result<std::string> JsonNode::GetString(std::string_view key) const {
  ARROW_ASSIGN_OR_RAISE(const JsonNode node, Get(key));
  return node.AsString();
}

arrow::Result<std::optional<int64_t>> JsonNode::FindInt64(std::string_view key) const {
  const auto node = Find(key);
  if (!node) return std::optional<int64_t>();
  ARROW_ASSIGN_OR_RAISE(const int64_t number, node->AsInt64());
  return std::optional(number);
}

arrow::Result<std::optional<int32_t>> JsonNode::FindInt32(std::string_view key) const {
  const auto node = Find(key);
  if (!node) return std::optional<int32_t>();
  ARROW_ASSIGN_OR_RAISE(const int32_t number, node->AsInt32());
  return std::optional(number);
}

arrow::Result<std::optional<std::string>> JsonNode::FindString(std::string_view key) const {
  const auto node = Find(key);
  if (!node) return std::optional<std::string>();
  ARROW_ASSIGN_OR_RAISE(std::string text, node->AsString());
  return std::optional(std::move(text));
}

}  // namespace esker
