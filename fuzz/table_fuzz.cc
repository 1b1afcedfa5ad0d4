// Fuzzes whole tables through the public API: any bytes in any file of a table give rows in the
// order that is told, or a Status; with little memory, few open files and a spilling sorter.
//
// An input is the files of a table folder one after another, each behind a line "--- path\n" with
// the path inside the folder, so that bytes that come and go in one file leave the others whole.
// fuzz/pack_table.py packs a folder.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/array.h"
#include "arrow/filesystem/mockfs.h"
#include "arrow/memory_pool.h"
#include "arrow/record_batch.h"
#include "esker/table.h"

namespace {

constexpr std::string_view kLocation = "warehouse/table";
constexpr std::string_view kMarker = "--- ";
constexpr int64_t kPoolBytes = int64_t{64} << 20;
// A file of a few hundred bytes may say that it has millions of rows, all alike.
constexpr int64_t kRowsEnough = 20000;

using MockFileSystem = arrow::fs::internal::MockFileSystem;

// The marker at the beginning of a line, from `begin` on; npos if there is none.
size_t FindMarker(std::string_view input, size_t begin) {
  for (size_t at = input.find(kMarker, begin); at != std::string_view::npos;
       at = input.find(kMarker, at + 1)) {
    if (at == 0 || input[at - 1] == '\n') return at;
  }
  return std::string_view::npos;
}

std::shared_ptr<MockFileSystem> Unpack(std::string_view input) {
  auto filesystem = std::make_shared<MockFileSystem>(arrow::fs::TimePoint());
  for (size_t at = FindMarker(input, 0); at != std::string_view::npos;) {
    const size_t name = at + kMarker.size();
    const size_t line_end = input.find('\n', name);
    if (line_end == std::string_view::npos) break;
    const size_t next = FindMarker(input, line_end + 1);
    // The line end before the next marker belongs to it.
    const size_t end = next == std::string_view::npos ? input.size() : next - 1;
    const std::string path =
        std::string(kLocation) + "/" + std::string(input.substr(name, line_end - name));
    if (path.size() < 500) {
      (void)filesystem->CreateFile(path, input.substr(line_end + 1, end - line_end - 1), true).ok();
    }
    at = next;
  }
  return filesystem;
}

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "table_fuzz: %s\n", what.c_str());
  std::abort();
}

// Checks the first key that a plan tells, where it is a number without fractions.
class OrderWitness {
 public:
  explicit OrderWitness(const esker::ScanPlan& plan) {
    if (plan.order().empty()) return;
    key_ = plan.order().front();
    // Several columns may have that name; then nothing is watched.
    column_ = plan.schema()->GetFieldIndex(key_.column);
    if (column_ >= 0 && plan.schema()->field(column_)->type()->id() != arrow::Type::INT64) {
      column_ = -1;
    }
  }

  void Look(const arrow::RecordBatch& batch) {
    if (column_ < 0) return;
    const auto& values = static_cast<const arrow::Int64Array&>(*batch.column(column_));
    for (int64_t i = 0; i < values.length(); ++i) {
      const std::optional<int64_t> value =
          values.IsNull(i) ? std::nullopt : std::optional<int64_t>(values.Value(i));
      if (seen_ && IsBefore(value, last_)) Fail("rows came out in a wrong order");
      last_ = value;
      seen_ = true;
    }
  }

 private:
  bool IsBefore(const std::optional<int64_t>& a, const std::optional<int64_t>& b) const {
    if (!a || !b) return a.has_value() != b.has_value() && a.has_value() != key_.nulls_first;
    return key_.descending ? *a > *b : *a < *b;
  }

  esker::ResolvedKey key_;
  int column_ = -1;
  bool seen_ = false;
  std::optional<int64_t> last_;
};

arrow::Status Scan(const std::shared_ptr<arrow::fs::FileSystem>& filesystem,
                   esker::ScanRequest request, esker::ScanOptions options) {
  ARROW_ASSIGN_OR_RAISE(auto table, esker::Table::Open(kLocation, {{}, filesystem}));
  ARROW_ASSIGN_OR_RAISE(auto plan, table->Plan(std::move(request), options));
  if (plan->Explain().empty() || plan->ExplainJson().empty()) Fail("nothing was explained");
  ARROW_ASSIGN_OR_RAISE(auto reader, plan->Read());
  OrderWitness witness(*plan);
  int64_t rows = 0;
  while (rows < kRowsEnough) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return reader->Close();
    if (!batch->Validate().ok()) Fail("an invalid batch: " + batch->Validate().ToString());
    if (!batch->schema()->Equals(*plan->schema())) Fail("a batch of another schema");
    witness.Look(*batch);
    rows += batch->num_rows();
  }
  return reader->Close();
}

void ScanLimited(const std::shared_ptr<arrow::fs::FileSystem>& filesystem,
                 const esker::ScanRequest& request, esker::OnDisorder on_disorder) {
  arrow::ProxyMemoryPool counting(arrow::default_memory_pool());
  arrow::CappedMemoryPool pool(&counting, kPoolBytes);
  esker::ScanOptions options;
  options.max_merge_files = 2;
  options.on_disorder = on_disorder;
  options.max_planned_files = 50;
  options.memory_bytes = 1000;
  options.batch_rows = 50;
  options.pool = &pool;
  (void)Scan(filesystem, request, options).ok();
  if (counting.bytes_allocated() != 0) Fail("memory was not given back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto filesystem = Unpack({reinterpret_cast<const char*>(data), size});
  ScanLimited(filesystem, {}, esker::OnDisorder::kError);
  esker::ScanRequest ordered;
  ordered.order_by = {{"k", /*descending=*/true, {}}};
  ScanLimited(filesystem, ordered, esker::OnDisorder::kSort);
  ordered.where = "k > 3 or v is null";
  ordered.limit = 7;
  ScanLimited(filesystem, ordered, esker::OnDisorder::kError);
  return 0;
}
