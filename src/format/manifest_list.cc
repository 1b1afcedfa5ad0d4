// ReadManifestList() of manifest.h.

#include <array>

#include "arrow/status.h"
#include "format/avro_file.h"
#include "format/avro_plan.h"
#include "format/decode_budget.h"
#include "format/manifest.h"

namespace esker {
namespace {

enum ListAction : uint8_t {
  kSkip,
  kPath,
  kLength,
  kSpecId,
  kContent,
  kSequenceNumber,
  kAddedSnapshotId,
  kAddedFiles,
  kExistingFiles,
  kPartitions,
  kFirstRowId,
};

constexpr uint32_t kText = KindBit(AvroKind::kString) | KindBit(AvroKind::kBytes);

// Spec: Manifest Lists. Early writers called the counts added_data_files_count and so on.
constexpr std::array<AvroTarget, 10> kListTargets = {{
    {500, "manifest_path", "", kText, kPath},
    {501, "manifest_length", "", kAnyInteger, kLength},
    {502, "partition_spec_id", "", kAnyInteger, kSpecId},
    {517, "content", "", kAnyInteger, kContent},
    {515, "sequence_number", "", kAnyInteger, kSequenceNumber},
    {503, "added_snapshot_id", "", kAnyInteger, kAddedSnapshotId},
    {504, "added_files_count", "added_data_files_count", kAnyInteger, kAddedFiles},
    {505, "existing_files_count", "existing_data_files_count", kAnyInteger, kExistingFiles},
    {507, "partitions", "", KindBit(AvroKind::kArray), kPartitions},
    {520, "first_row_id", "", kAnyInteger, kFirstRowId},
}};

enum SummaryAction : uint8_t { kSkipSummary, kContainsNull, kContainsNan, kLower, kUpper };

constexpr std::array<AvroTarget, 4> kSummaryTargets = {{
    {509, "contains_null", "", KindBit(AvroKind::kBoolean), kContainsNull},
    {518, "contains_nan", "", KindBit(AvroKind::kBoolean), kContainsNan},
    {510, "lower_bound", "", kText, kLower},
    {511, "upper_bound", "", kText, kUpper},
}};

int64_t ReadCount(ByteReader* reader) {
  const int64_t count = reader->ReadVarint();
  if (count < 0) reader->Fail("negative number in a manifest list");
  return count;
}

int32_t ReadFileCount(ByteReader* reader) {
  const int32_t count = reader->ReadInt32Varint();
  if (count < 0) reader->Fail("negative file count in a manifest list");
  return count;
}

ManifestFile::Content ReadContent(ByteReader* reader) {
  const int64_t content = reader->ReadVarint();
  if (content != 0 && content != 1) reader->Fail("manifest content that is neither 0 nor 1");
  return content == 0 ? ManifestFile::Content::kData : ManifestFile::Content::kDeletes;
}

/// Decodes the lines of one list by a plan made once.
class ListDecoder {
 public:
  ListDecoder(const AvroSchema& schema, size_t max_bytes) : skipper_(schema), budget_(max_bytes) {}

  arrow::Status Plan() {
    const AvroSchema& schema = skipper_.schema();
    ARROW_ASSIGN_OR_RAISE(steps_, PlanRecord(skipper_, schema.root, kListTargets));
    for (const ListAction action : {kPath, kLength, kSpecId}) {
      if (FindStep(steps_, action) == nullptr) {
        return arrow::Status::Invalid("manifest list without field '",
                                      kListTargets[action - 1].name, "'");
      }
    }
    const AvroStep* partitions = FindStep(steps_, kPartitions);
    if (partitions == nullptr) return arrow::Status::OK();
    const AvroNodeIndex items = schema.node(partitions->type.node).children[0];
    ARROW_ASSIGN_OR_RAISE(summary_, StripNull(schema, items));
    return PlanRecord(skipper_, summary_.node, kSummaryTargets).Value(&summary_steps_);
  }

  void Decode(ByteReader* reader, ManifestFile* file) {
    uint32_t seen = 0;
    for (const AvroStep& step : steps_) {
      if (step.action == kSkip) {
        skipper_.Skip(step.whole, reader);
      } else if (ReadPresent(step.type, reader)) {
        seen |= 1u << step.action;
        DecodeField(step.action, reader, file);
      }
    }
    constexpr uint32_t kRequired = 1u << kPath | 1u << kLength | 1u << kSpecId;
    if ((seen & kRequired) != kRequired || file->path.empty()) {
      reader->Fail("manifest without path, length or partition spec");
    }
    budget_.Charge(sizeof(ManifestFile) + file->path.size(), reader);
  }

 private:
  void DecodeField(uint8_t action, ByteReader* reader, ManifestFile* file) {
    switch (action) {
      case kPath:
        file->path = reader->ReadSizedBytes();
        return;
      case kLength:
        file->length = ReadCount(reader);
        return;
      case kSpecId:
        file->partition_spec_id = reader->ReadInt32Varint();
        return;
      case kContent:
        file->content = ReadContent(reader);
        return;
      case kSequenceNumber:
        file->sequence_number = ReadCount(reader);
        return;
      case kAddedSnapshotId:
        file->added_snapshot_id = reader->ReadVarint();
        return;
      case kAddedFiles:
        file->added_files_count = ReadFileCount(reader);
        return;
      case kExistingFiles:
        file->existing_files_count = ReadFileCount(reader);
        return;
      case kPartitions:
        DecodeSummaries(reader, &file->partitions);
        return;
      default:
        file->first_row_id = ReadCount(reader);
    }
  }

  void DecodeSummaries(ByteReader* reader, std::vector<FieldSummary>* summaries) {
    int64_t byte_size = -1;
    while (int64_t count = ReadBlockHead(reader, 1, &byte_size)) {
      for (; count > 0 && reader->ok(); --count) {
        FieldSummary& summary = summaries->emplace_back();
        budget_.Charge(sizeof(FieldSummary), reader);  // a null one is a byte of the file
        if (ReadPresent(summary_, reader)) DecodeSummary(reader, &summary);
      }
    }
  }

  void DecodeSummary(ByteReader* reader, FieldSummary* summary) {
    size_t bound_bytes = 0;
    for (const AvroStep& step : summary_steps_) {
      if (step.action == kSkipSummary) {
        skipper_.Skip(step.whole, reader);
      } else if (ReadPresent(step.type, reader)) {
        if (step.action == kContainsNull) {
          summary->contains_null = reader->ReadBool();
        } else if (step.action == kContainsNan) {
          summary->contains_nan = reader->ReadBool();
        } else {
          auto& bound = step.action == kLower ? summary->lower_bound : summary->upper_bound;
          bound.emplace(reader->ReadSizedBytes());
          bound_bytes += bound->size();
        }
      }
    }
    budget_.Charge(bound_bytes, reader);
  }

  AvroSkipper skipper_;
  std::vector<AvroStep> steps_;
  AvroOptional summary_;
  std::vector<AvroStep> summary_steps_;
  DecodeBudget budget_;
};

}  // namespace

arrow::Result<std::vector<ManifestFile>> ReadManifestList(std::string_view bytes,
                                                          size_t max_bytes) {
  ARROW_ASSIGN_OR_RAISE(AvroFile file, AvroFile::Open(bytes));
  ListDecoder decoder(file.schema(), max_bytes);
  ARROW_RETURN_NOT_OK(decoder.Plan());
  std::vector<ManifestFile> manifests;
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(const auto block, file.Next());
    if (!block) return manifests;
    ByteReader reader(block->bytes);
    for (int64_t i = 0; i < block->count && reader.ok(); ++i) {
      decoder.Decode(&reader, &manifests.emplace_back());
    }
    if (!reader.at_end()) reader.Fail("bytes after the last manifest of a block");
    ARROW_RETURN_NOT_OK(InBlock(reader.status(), *block));
  }
}

}  // namespace esker
