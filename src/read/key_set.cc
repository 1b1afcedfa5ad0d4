#include "read/key_set.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "arrow/buffer.h"

namespace esker {
namespace {

constexpr int64_t kFirstSlots = 64;
constexpr int64_t kChunkBytes = 64 << 10;
constexpr int64_t kHeaderBytes = sizeof(int64_t) + sizeof(uint32_t);

int64_t SequenceOf(const uint8_t* entry) {
  int64_t sequence;
  std::memcpy(&sequence, entry, sizeof(sequence));
  return sequence;
}

std::string_view KeyOf(const uint8_t* entry) {
  uint32_t length;
  std::memcpy(&length, entry + sizeof(int64_t), sizeof(length));
  return {reinterpret_cast<const char*>(entry) + kHeaderBytes, length};
}

bool IsTooFull(int64_t keys, int64_t slots) { return keys > slots / 3 * 2; }
int64_t NextSlotCount(int64_t slots) { return slots == 0 ? kFirstSlots : 2 * slots; }

void WriteEntry(std::string_view key, int64_t sequence, uint8_t* entry) {
  const uint32_t length = static_cast<uint32_t>(key.size());
  std::memcpy(entry, &sequence, sizeof(sequence));
  std::memcpy(entry + sizeof(sequence), &length, sizeof(length));
  std::memcpy(entry + kHeaderBytes, key.data(), key.size());
}

}  // namespace

KeySet::KeySet(arrow::MemoryPool* pool) : pool_(pool) {}
KeySet::~KeySet() = default;

int64_t KeySet::memory_bytes() const {
  return slot_count() * static_cast<int64_t>(sizeof(Slot)) + chunk_bytes_;
}

int64_t KeySet::MemoryBytesWith(int64_t more_keys, int64_t key_bytes) const {
  int64_t slots = slot_count();
  int64_t old_slots = 0;
  while (IsTooFull(size_ + more_keys, slots)) {
    old_slots = slots;
    slots = NextSlotCount(slots);
  }
  const int64_t entries = more_keys * kHeaderBytes + key_bytes;
  return (slots + old_slots) * static_cast<int64_t>(sizeof(Slot)) + chunk_bytes_ + entries +
         kChunkBytes;
}

KeySet::Slot* KeySet::FindSlot(uint64_t hash, std::string_view key) const {
  Slot* slots = reinterpret_cast<Slot*>(slots_->mutable_data());
  for (uint64_t i = hash & mask_;; i = (i + 1) & mask_) {
    Slot* slot = &slots[i];
    if (slot->entry == nullptr) return slot;
    if (slot->hash == hash && KeyOf(slot->entry) == key) return slot;
  }
}

int64_t KeySet::Find(std::string_view key) const {
  if (size_ == 0) return kAbsent;
  const Slot* slot = FindSlot(std::hash<std::string_view>()(key), key);
  return slot->entry == nullptr ? kAbsent : SequenceOf(slot->entry);
}

arrow::Status KeySet::Insert(std::string_view key, int64_t sequence) {
  if (IsTooFull(size_ + 1, slot_count())) ARROW_RETURN_NOT_OK(Grow());
  const uint64_t hash = std::hash<std::string_view>()(key);
  Slot* slot = FindSlot(hash, key);
  if (slot->entry != nullptr) {
    const int64_t greatest = std::max(sequence, SequenceOf(slot->entry));
    std::memcpy(slot->entry, &greatest, sizeof(greatest));
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(slot->entry,
                        AllocateEntry(kHeaderBytes + static_cast<int64_t>(key.size())));
  slot->hash = hash;
  WriteEntry(key, sequence, slot->entry);
  ++size_;
  return arrow::Status::OK();
}

arrow::Status KeySet::Grow() {
  const int64_t count = NextSlotCount(slot_count());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> grown,
                        arrow::AllocateBuffer(count * sizeof(Slot), pool_));
  std::memset(grown->mutable_data(), 0, grown->size());
  const auto old = slots_;
  const int64_t old_count = slot_count();
  slots_ = std::move(grown);
  mask_ = count - 1;
  Slot* slots = reinterpret_cast<Slot*>(slots_->mutable_data());
  for (int64_t i = 0; i < old_count; ++i) {
    const Slot& slot = reinterpret_cast<const Slot*>(old->data())[i];
    if (slot.entry == nullptr) continue;
    uint64_t place = slot.hash & mask_;
    while (slots[place].entry != nullptr) place = (place + 1) & mask_;
    slots[place] = slot;
  }
  return arrow::Status::OK();
}

arrow::Result<uint8_t*> KeySet::AllocateEntry(int64_t bytes) {
  if (chunks_.empty() || chunk_used_ + bytes > chunks_.back()->size()) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> chunk,
                          arrow::AllocateBuffer(std::max(bytes, kChunkBytes), pool_));
    chunk_bytes_ += chunk->size();
    chunks_.push_back(std::move(chunk));
    chunk_used_ = 0;
  }
  uint8_t* entry = chunks_.back()->mutable_data() + chunk_used_;
  chunk_used_ += bytes;
  return entry;
}

}  // namespace esker
