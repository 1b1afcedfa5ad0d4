// ReadManifest() of manifest.h.

#include "format/manifest.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "arrow/status.h"
#include "base/status.h"
#include "format/avro_file.h"
#include "format/avro_plan.h"
#include "format/decode_budget.h"
#include "format/entry_inheritance.h"
#include "format/partition_tuple.h"
#include "format/statistics_reader.h"

namespace esker {
namespace {

enum EntryAction : uint8_t {
  kSkip,
  kStatus,
  kSnapshotId,
  kSequenceNumber,
  kFileSequenceNumber,
  kDataFile,
};

enum FileAction : uint8_t {
  kSkipFileField,
  kContent,
  kFilePath,
  kFileFormat,
  kPartition,
  kRecordCount,
  kFileSize,
  kSplitOffsets,
  kEqualityIds,
  kSortOrderId,
  kFirstRowId,
  kReferencedDataFile,
  kContentOffset,
  kContentSize,
  kValueCounts,  // the maps: in the order of StatisticsMap, and last
  kNullCounts,
  kNanCounts,
  kLowerBounds,
  kUpperBounds,
};

constexpr uint32_t kText = KindBit(AvroKind::kString) | KindBit(AvroKind::kBytes);
constexpr uint32_t kArray = KindBit(AvroKind::kArray);
constexpr uint32_t kRecord = KindBit(AvroKind::kRecord);

// Spec: Manifest Entry Fields.
constexpr std::array<AvroTarget, 5> kEntryTargets = {{
    {0, "status", "", kAnyInteger, kStatus},
    {1, "snapshot_id", "", kAnyInteger, kSnapshotId},
    {3, "sequence_number", "", kAnyInteger, kSequenceNumber},
    {4, "file_sequence_number", "", kAnyInteger, kFileSequenceNumber},
    {2, "data_file", "", kRecord, kDataFile},
}};

// Spec: Data File Fields; in the order of FileAction.
constexpr std::array<AvroTarget, 19> kFileTargets = {{
    {134, "content", "", kAnyInteger, kContent},
    {100, "file_path", "", kText, kFilePath},
    {101, "file_format", "", kText, kFileFormat},
    {102, "partition", "", kRecord, kPartition},
    {103, "record_count", "", kAnyInteger, kRecordCount},
    {104, "file_size_in_bytes", "", kAnyInteger, kFileSize},
    {132, "split_offsets", "", kArray, kSplitOffsets},
    {135, "equality_ids", "", kArray, kEqualityIds},
    {140, "sort_order_id", "", kAnyInteger, kSortOrderId},
    {142, "first_row_id", "", kAnyInteger, kFirstRowId},
    {143, "referenced_data_file", "", kText, kReferencedDataFile},
    {144, "content_offset", "", kAnyInteger, kContentOffset},
    {145, "content_size_in_bytes", "", kAnyInteger, kContentSize},
    {109, "value_counts", "", kArray, kValueCounts},
    {110, "null_value_counts", "", kArray, kNullCounts},
    {137, "nan_value_counts", "", kArray, kNanCounts},
    {125, "lower_bounds", "", kArray, kLowerBounds},
    {128, "upper_bounds", "", kArray, kUpperBounds},
}};

constexpr uint32_t Bit(uint8_t action) { return uint32_t{1} << action; }

constexpr uint32_t kRequiredOfEntry = Bit(kStatus) | Bit(kDataFile);
constexpr uint32_t kRequiredOfFile =
    Bit(kFilePath) | Bit(kFileFormat) | Bit(kRecordCount) | Bit(kFileSize);

int64_t ReadNotNegative(ByteReader* reader, const char* what) {
  const int64_t value = reader->ReadVarint();
  if (value < 0) reader->Fail(what);
  return value;
}

std::string ReadUpperCase(ByteReader* reader) {
  std::string text(reader->ReadSizedBytes());
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

template <typename T>
void ReadIntegers(const AvroOptional& item, ByteReader* reader, DecodeBudget* budget,
                  std::vector<T>* values) {
  int64_t byte_size = -1;
  while (int64_t count = ReadBlockHead(reader, 1, &byte_size)) {
    for (; count > 0 && reader->ok(); --count) {
      if (!ReadPresent(item, reader)) continue;
      budget->Charge(sizeof(T), reader);
      values->push_back(sizeof(T) == 4 ? static_cast<T>(reader->ReadInt32Varint())
                                       : static_cast<T>(reader->ReadVarint()));
    }
  }
}

// Writers have recorded offsets past the end of the file (apache/iceberg#8860). Splits are a
// matter of speed only, so a list that cannot be right is dropped.
bool SplitOffsetsAreSound(const std::vector<int64_t>& offsets, int64_t file_size) {
  return offsets.empty() || (offsets.front() >= 0 && offsets.back() < file_size &&
                             std::is_sorted(offsets.begin(), offsets.end()));
}

// Of all that is not charged where it is read; there are as many of those as the schema has.
size_t MemoryOf(const DataFile& file) {
  size_t bytes = sizeof(ManifestEntry) + file.path.size() + file.format.size();
  bytes += file.partition.capacity() * sizeof(file.partition[0]);
  for (const auto& [field_id, value] : file.partition) {
    if (const auto* text = std::get_if<std::string>(&value)) bytes += text->size();
  }
  if (file.referenced_data_file) bytes += file.referenced_data_file->size();
  return bytes;
}

arrow::Result<std::optional<int32_t>> SpecIdOf(const AvroFile& file) {
  const auto text = file.FindMetadata("partition-spec-id");
  if (!text) return std::nullopt;
  int32_t id = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), id);
  if (error == std::errc() && end == text->data() + text->size()) return id;
  return arrow::Status::Invalid("its header has partition-spec-id '", text->substr(0, 20),
                                "', which is no number");
}

/// Decodes the entries of one manifest by a plan made once, and lets them inherit.
class EntryDecoder {
 public:
  EntryDecoder(const AvroFile& file, const ManifestFile& source,
               const ManifestProjection& projection)
      : file_(file),
        source_(source),
        keep_deleted_(projection.deleted_entries),
        skipper_(file.schema()),
        budget_(projection.max_bytes),
        statistics_(projection, &budget_) {}
  EntryDecoder(const EntryDecoder&) = delete;  // statistics_ borrows budget_
  EntryDecoder& operator=(const EntryDecoder&) = delete;

  arrow::Status Plan() {
    ARROW_RETURN_NOT_OK(CheckVersion());
    ARROW_RETURN_NOT_OK(CheckSpec());
    const AvroSchema& schema = file_.schema();
    ARROW_ASSIGN_OR_RAISE(entry_steps_, PlanRecord(skipper_, schema.root, kEntryTargets));
    ARROW_RETURN_NOT_OK(CheckRequired(entry_steps_, kEntryTargets, kRequiredOfEntry));
    inheritance_.emplace(source_, FindStep(entry_steps_, kSequenceNumber) == nullptr &&
                                      file_.FindMetadata("format-version").value_or("1") == "1");
    const AvroNodeIndex data_file = FindStep(entry_steps_, kDataFile)->type.node;
    std::span<const AvroTarget> targets = kFileTargets;
    if (statistics_.wants_nothing()) targets = targets.first(kValueCounts - 1);
    ARROW_ASSIGN_OR_RAISE(file_steps_, PlanRecord(skipper_, data_file, targets));
    ARROW_RETURN_NOT_OK(CheckRequired(file_steps_, kFileTargets, kRequiredOfFile));
    ARROW_RETURN_NOT_OK(CheckContent());
    return PlanMembers();
  }

  /// Decodes one entry. False if nobody wants it; `entry` is then to be thrown away.
  bool Decode(ByteReader* reader, ManifestEntry* entry) {
    uint32_t seen = 0;
    bool wanted = true;
    for (const AvroStep& step : entry_steps_) {
      if (step.action == kSkip || !wanted) {
        skipper_.Skip(step.whole, reader);
      } else if (ReadPresent(step.type, reader)) {
        seen |= Bit(step.action);
        DecodeEntryField(step.action, reader, entry);
        wanted = keep_deleted_ || entry->status != ManifestEntry::Status::kDeleted;
      }
    }
    if (!wanted) return false;
    if ((seen & kRequiredOfEntry) != kRequiredOfEntry) {
      reader->Fail("manifest entry without status or data_file");
    }
    inheritance_->Apply(seen & Bit(kSnapshotId), seen & Bit(kSequenceNumber), reader, entry);
    budget_.Charge(MemoryOf(entry->file), reader);
    return true;
  }

 private:
  arrow::Status CheckVersion() const {
    const std::string_view version = file_.FindMetadata("format-version").value_or("1");
    if (version == "1" || version == "2" || version == "3") return arrow::Status::OK();
    return UnsupportedError("manifest of format version '", version.substr(0, 20), "'");
  }

  // A tuple that is read by the names of another spec prunes rows that match.
  arrow::Status CheckSpec() const {
    ARROW_ASSIGN_OR_RAISE(const auto spec_id, SpecIdOf(file_));
    if (!spec_id || !source_.partition_spec_id || *spec_id == *source_.partition_spec_id) {
      return arrow::Status::OK();
    }
    return arrow::Status::Invalid("its header has partition spec ", *spec_id,
                                  ", the manifest list says ", *source_.partition_spec_id);
  }

  static arrow::Status CheckRequired(std::span<const AvroStep> steps,
                                     std::span<const AvroTarget> targets, uint32_t required) {
    for (const AvroTarget& target : targets) {
      if ((required & Bit(target.action)) && FindStep(steps, target.action) == nullptr) {
        return arrow::Status::Invalid("manifest without field '", target.name, "'");
      }
    }
    return arrow::Status::OK();
  }

  // Where entries do not say what they are, they are data (v1). That must not turn deletes into
  // rows.
  arrow::Status CheckContent() const {
    if (FindStep(file_steps_, kContent) != nullptr) return arrow::Status::OK();
    if (source_.content != ManifestFile::Content::kDeletes &&
        file_.FindMetadata("content").value_or("data") != "deletes") {
      return arrow::Status::OK();
    }
    return arrow::Status::Invalid("manifest of deletes whose entries have no field 'content'");
  }

  arrow::Status PlanMembers() {
    const AvroSchema& schema = file_.schema();
    if (const AvroStep* step = FindStep(file_steps_, kPartition)) {
      ARROW_ASSIGN_OR_RAISE(partition_,
                            PartitionTupleReader::Make(
                                schema, step->type.node,
                                file_.FindMetadata("partition-spec").value_or(std::string_view())));
    }
    for (const FileAction action : {kSplitOffsets, kEqualityIds}) {
      const AvroStep* step = FindStep(file_steps_, action);
      if (step == nullptr) continue;
      AvroOptional& item = action == kSplitOffsets ? split_offset_ : equality_id_;
      ARROW_ASSIGN_OR_RAISE(item, StripNull(schema, schema.node(step->type.node).children[0]));
      if (!(KindBit(schema.node(item.node).kind) & kAnyInteger)) {
        return arrow::Status::Invalid("field '", kFileTargets[action - 1].name,
                                      "' is no list of integers");
      }
    }
    for (uint8_t action = kValueCounts; action <= kUpperBounds; ++action) {
      const AvroStep* step = FindStep(file_steps_, action);
      if (step == nullptr) continue;
      ARROW_RETURN_NOT_OK(statistics_.Plan(schema, MapOf(action), step->type.node));
    }
    return arrow::Status::OK();
  }

  static StatisticsMap MapOf(uint8_t action) {
    return static_cast<StatisticsMap>(action - kValueCounts);
  }

  void DecodeEntryField(uint8_t action, ByteReader* reader, ManifestEntry* entry) {
    switch (action) {
      case kStatus: {
        const int64_t status = reader->ReadVarint();
        if (status < 0 || status > 2) return reader->Fail("entry status that is not 0, 1 or 2");
        entry->status = static_cast<ManifestEntry::Status>(status);
        return;
      }
      case kSnapshotId:
        entry->snapshot_id = reader->ReadVarint();
        return;
      case kSequenceNumber:
        entry->sequence_number = ReadNotNegative(reader, "negative sequence number");
        return;
      case kFileSequenceNumber:
        entry->file_sequence_number = ReadNotNegative(reader, "negative file sequence number");
        return;
      default:
        DecodeFile(reader, &entry->file);
    }
  }

  void DecodeFile(ByteReader* reader, DataFile* file) {
    uint32_t seen = 0;
    statistics_.BeginEntry();
    for (const AvroStep& step : file_steps_) {
      if (step.action == kSkipFileField) {
        skipper_.Skip(step.whole, reader);
      } else if (ReadPresent(step.type, reader)) {
        seen |= Bit(step.action);
        DecodeFileField(step.action, reader, file);
      }
    }
    StatisticsReader::EndEntry(&file->columns);
    if ((seen & kRequiredOfFile) != kRequiredOfFile || file->path.empty()) {
      reader->Fail("data file without path, format, record count or size");
    }
    if (!SplitOffsetsAreSound(file->split_offsets, file->file_size_bytes)) {
      file->split_offsets.clear();
    }
  }

  void DecodeFileField(uint8_t action, ByteReader* reader, DataFile* file) {
    switch (action) {
      case kContent: {
        const int64_t content = reader->ReadVarint();
        if (content < 0 || content > 2) return reader->Fail("file content that is not 0, 1 or 2");
        file->content = static_cast<DataFile::Content>(content);
        return;
      }
      case kFilePath:
        file->path = reader->ReadSizedBytes();
        return;
      case kFileFormat:
        file->format = ReadUpperCase(reader);
        return;
      case kPartition:
        return partition_.Read(reader, &file->partition);
      case kRecordCount:
        file->record_count = ReadNotNegative(reader, "negative record count");
        return;
      case kFileSize:
        file->file_size_bytes = ReadNotNegative(reader, "negative file size");
        return;
      case kSplitOffsets:
        return ReadIntegers(split_offset_, reader, &budget_, &file->split_offsets);
      case kEqualityIds:
        return ReadIntegers(equality_id_, reader, &budget_, &file->equality_ids);
      case kSortOrderId:
        file->sort_order_id = reader->ReadInt32Varint();
        return;
      case kFirstRowId:
        file->first_row_id = ReadNotNegative(reader, "negative first row id");
        return;
      case kReferencedDataFile:
        file->referenced_data_file.emplace(reader->ReadSizedBytes());
        return;
      case kContentOffset:
        file->content_offset = ReadNotNegative(reader, "negative content offset");
        return;
      case kContentSize:
        file->content_size_bytes = ReadNotNegative(reader, "negative content size");
        return;
      default:
        statistics_.Read(MapOf(action), reader, &file->columns);
    }
  }

  const AvroFile& file_;
  const ManifestFile& source_;
  bool keep_deleted_;
  AvroSkipper skipper_;
  std::vector<AvroStep> entry_steps_;
  std::vector<AvroStep> file_steps_;
  AvroOptional split_offset_;
  AvroOptional equality_id_;
  PartitionTupleReader partition_;
  DecodeBudget budget_;
  StatisticsReader statistics_;
  std::optional<EntryInheritance> inheritance_;  // set by Plan()
};

// Room for the entries of a block. The count may be a lie, but an entry takes some 64 bytes of
// Avro at least: its path and a dozen numbers.
void ReserveFor(const AvroBlock& block, std::vector<ManifestEntry>* entries) {
  const size_t likely = std::min(static_cast<size_t>(block.count), block.bytes.size() / 64 + 1);
  const size_t wanted = entries->size() + likely;
  if (wanted > entries->capacity()) {
    entries->reserve(std::max(wanted, 2 * entries->capacity()));
  }
}

arrow::Status DecodeBlock(const AvroBlock& block, EntryDecoder* decoder,
                          std::vector<ManifestEntry>* entries) {
  ReserveFor(block, entries);
  ByteReader reader(block.bytes);
  for (int64_t i = 0; i < block.count && reader.ok(); ++i) {
    if (!decoder->Decode(&reader, &entries->emplace_back())) entries->pop_back();
  }
  if (!reader.at_end()) reader.Fail("bytes after the last entry of a block");
  return InBlock(reader.status(), block);
}

}  // namespace

const ColumnStatistics* DataFile::FindColumn(int32_t field_id) const {
  const auto it = std::lower_bound(
      columns.begin(), columns.end(), field_id,
      [](const ColumnStatistics& column, int32_t id) { return column.field_id < id; });
  return it != columns.end() && it->field_id == field_id ? &*it : nullptr;
}

arrow::Result<std::optional<int32_t>> ReadManifestSpecId(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(const AvroFile file, AvroFile::Open(bytes));
  return SpecIdOf(file);
}

arrow::Result<std::vector<ManifestEntry>> ReadManifest(std::string_view bytes,
                                                       const ManifestFile& source,
                                                       const ManifestProjection& projection) {
  ARROW_ASSIGN_OR_RAISE(AvroFile file, AvroFile::Open(bytes));
  EntryDecoder decoder(file, source, projection);
  ARROW_RETURN_NOT_OK(decoder.Plan());
  std::vector<ManifestEntry> entries;
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(const auto block, file.Next());
    if (!block) return entries;
    ARROW_RETURN_NOT_OK(DecodeBlock(*block, &decoder, &entries));
  }
}

}  // namespace esker
