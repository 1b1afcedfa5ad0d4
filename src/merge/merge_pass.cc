// Merge pass: choosing a group of open inputs and merging it to a run on disk.
#include "merge/merge_pass.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "merge/memory_source.h"
#include "merge/row_gather.h"
#include "merge/spill.h"
#include "merge/window_merge.h"

namespace esker {
namespace {

using OpenInputs = std::vector<std::unique_ptr<OpenInput>>;

bool IsFile(const OpenInput& input) { return input.identity().kind == OpenInput::Kind::kFile; }
bool IsRun(const OpenInput& input) { return input.identity().kind == OpenInput::Kind::kRun; }

/// The greatest upper corner in a group; empty if one of them is not known.
KeyRow GreatestUpper(std::span<const std::unique_ptr<OpenInput>> group) {
  KeyRow greatest;
  for (const auto& input : group) {
    const KeyBatch& upper = input->identity().upper;
    if (upper.rows == 0) return {};
    const KeyRow key{&upper, 0};
    if (greatest.empty() || CompareKeys(greatest, key) < 0) greatest = key;
  }
  return greatest;
}

/// Is `a` known to be smaller? What is not known counts as greatest.
bool EndsSooner(KeyRow a, KeyRow b) {
  if (a.empty() || b.empty()) return b.empty() && !a.empty();
  return CompareKeys(a, b) < 0;
}

size_t LongestStretchOfFiles(std::span<const std::unique_ptr<OpenInput>> open) {
  size_t longest = 0;
  size_t length = 0;
  for (const auto& input : open) {
    length = IsFile(*input) ? length + 1 : 0;
    longest = std::max(longest, length);
  }
  return longest;
}

/// Key columns and output columns side by side.
std::shared_ptr<arrow::Schema> SpillSchema(const arrow::RecordBatch& keys,
                                           const arrow::Schema& rows) {
  arrow::FieldVector fields = keys.schema()->fields();
  for (const auto& field : rows.fields()) fields.push_back(field);
  return arrow::schema(std::move(fields));
}

/// Key columns in the same types for every source.
arrow::Result<arrow::RecordBatchVector> UniformKeys(const arrow::RecordBatchVector& batches,
                                                    const KeyEncoder& encoder) {
  arrow::RecordBatchVector plain;
  for (const auto& batch : batches) {
    ARROW_ASSIGN_OR_RAISE(auto columns, encoder.UniformColumns(*batch));
    plain.push_back(std::move(columns));
  }
  return plain;
}

/// Writes windows of a group to a file that is made when the first comes.
class RunWriter {
 public:
  explicit RunWriter(const MergeContext& context) : context_(context) {}

  arrow::Status Write(MergedWindow window) {
    for (auto& keys : window.keys) {
      ARROW_ASSIGN_OR_RAISE(keys, UniformKeys(keys, context_.encoder));
    }
    const auto key_schema = FirstKeys(window)->schema();
    if (file_ == nullptr) {
      schema_ = SpillSchema(*FirstKeys(window), *context_.schema);
      key_columns_ = key_schema->num_fields();
      ARROW_ASSIGN_OR_RAISE(
          file_, SpillFile::Create(context_.spill, schema_, context_.pool, context_.counters));
    }
    constexpr int64_t kNeverSlice = std::numeric_limits<int64_t>::max();
    ARROW_ASSIGN_OR_RAISE(auto keys, GatherRuns(key_schema, window.keys, window.runs, kNeverSlice,
                                                context_.pool, context_.tasks.get()));
    ARROW_ASSIGN_OR_RAISE(auto rows, GatherRuns(context_.schema, window.rows, window.runs,
                                                kNeverSlice, context_.pool, context_.tasks.get()));
    for (const auto& batch : ZipBatches(keys, rows, schema_)) {
      ARROW_RETURN_NOT_OK(file_->Write(*batch));
    }
    return arrow::Status::OK();
  }

  /// The run as an input with the given identity. Requires that something was written.
  arrow::Result<std::unique_ptr<OpenInput>> Finish(OpenInput::Identity identity, RowPlace place) {
    ARROW_RETURN_NOT_OK(file_->Finish());
    identity.bytes = file_->bytes();
    const SourceMemory memory = file_->read_memory();
    ARROW_ASSIGN_OR_RAISE(NextBatch next, file_->Read());
    auto source = MakeBatchSource(std::move(next), {key_columns_, key_columns_}, context_.schema,
                                  std::move(place), memory);
    return std::make_unique<OpenInput>(context_, std::move(identity), std::move(source));
  }

 private:
  static std::shared_ptr<arrow::RecordBatch> FirstKeys(const MergedWindow& window) {
    return window.keys[window.runs[0].span][0];
  }

  const MergeContext& context_;
  std::shared_ptr<arrow::Schema> schema_;
  int key_columns_ = 0;
  std::unique_ptr<SpillFile> file_;
};

}  // namespace

InputGroup ChooseFiles(std::span<const std::unique_ptr<OpenInput>> open, size_t size) {
  size = std::min(size, LongestStretchOfFiles(open));
  InputGroup best;
  KeyRow best_upper;
  for (size_t begin = 0; begin + size <= open.size(); ++begin) {
    const auto group = open.subspan(begin, size);
    const bool files =
        std::all_of(group.begin(), group.end(), [](const auto& input) { return IsFile(*input); });
    if (!files) continue;
    const KeyRow upper = GreatestUpper(group);
    if (best.end == 0 || EndsSooner(upper, best_upper)) {
      best = {begin, begin + size};
      best_upper = upper;
    }
  }
  return best;
}

InputGroup ChooseRuns(std::span<const std::unique_ptr<OpenInput>> open, size_t size) {
  std::vector<size_t> runs;
  for (size_t i = 0; i < open.size(); ++i) {
    if (IsRun(*open[i])) runs.push_back(i);
  }
  InputGroup best;
  std::pair<size_t, int64_t> best_cost;
  for (size_t i = 0; i + size <= runs.size(); ++i) {
    const InputGroup group{runs[i], runs[i + size - 1] + 1};
    int64_t bytes = 0;
    for (size_t j = i; j < i + size; ++j) bytes += open[runs[j]]->identity().bytes;
    const std::pair<size_t, int64_t> cost{group.end - group.begin, bytes};
    if (best.end == 0 || cost < best_cost) {
      best = group;
      best_cost = cost;
    }
  }
  return best;
}

arrow::Result<std::unique_ptr<OpenInput>> DrainToRun(OpenInputs group, const MergeContext& context,
                                                     int64_t window_rows) {
  OpenInput::Identity identity;
  identity.kind = OpenInput::Kind::kRun;
  identity.claim = "merged run";
  const RowPlace place{"merged run of " + std::to_string(group.size()) + " files", -1, -1};
  RunWriter writer(context);
  while (true) {
    ARROW_RETURN_NOT_OK(RefillInputs(window_rows, &group, context));
    if (group.empty()) break;
    ARROW_ASSIGN_OR_RAISE(MergedWindow window,
                          MergeWindow(group, KeyRow(), {window_rows, -1, true}, context));
    ARROW_RETURN_NOT_OK(writer.Write(std::move(window)));
  }
  return writer.Finish(std::move(identity), place);
}

}  // namespace esker
