#include "base/status.h"

#include <memory>

namespace esker {
namespace {

constexpr const char* kDetailTypeId = "esker::ErrorKind";

const char* NameOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return "wrong request";
    case ErrorKind::kDisorder:
      return "a file breaks the order that it claims";
    case ErrorKind::kNotFound:
      return "not found";
    case ErrorKind::kUnsupported:
      return "not read by Esker";
    case ErrorKind::kFailure:
      break;
  }
  return "failure";
}

class KindDetail : public arrow::StatusDetail {
 public:
  explicit KindDetail(ErrorKind kind) : kind_(kind) {}
  const char* type_id() const override { return kDetailTypeId; }
  // Arrow appends this to Status::ToString(); messages of ours are printed by message().
  std::string ToString() const override { return NameOf(kind_); }
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

arrow::StatusCode CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound:
      return arrow::StatusCode::KeyError;
    case ErrorKind::kUnsupported:
      return arrow::StatusCode::NotImplemented;
    default:
      return arrow::StatusCode::Invalid;
  }
}

}  // namespace

ErrorKind KindOf(const arrow::Status& status) {
  const auto& detail = status.detail();
  if (detail == nullptr || std::string_view(detail->type_id()) != kDetailTypeId) {
    return ErrorKind::kFailure;
  }
  return static_cast<const KindDetail&>(*detail).kind();
}

arrow::Status MakeError(ErrorKind kind, std::string message) {
  return arrow::Status(CodeOf(kind), std::move(message), std::make_shared<KindDetail>(kind));
}

arrow::Status WithPlace(const arrow::Status& status, std::string_view where) {
  if (status.ok() || status.message().starts_with(where)) return status;
  return status.WithMessage(where, ": ", status.message());
}

}  // namespace esker
