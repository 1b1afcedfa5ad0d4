// A bounded, forward-only view over bytes that come from a file.
//
// Formats such as Avro are decoded one small integer at a time, so a Status per read would cost
// more than the read. The reader is sticky instead: the first read that does not fit makes it
// fail, and from then on every read gives zero or nothing and at_end() is true. A decoder reads
// a whole record and then asks ok() once; a loop over a count from the file must also stop when
// ok() turns false, or a hostile count keeps it spinning.
//
// Nothing is copied or owned: the bytes must outlive the reader and the views it gives out.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "arrow/status.h"

namespace esker {

/// Reads Avro's encodings and little-endian integers. All calls are O(1) but where said.
class ByteReader {
 public:
  /// `base` is the offset of the first byte in its file; used in error messages only.
  explicit ByteReader(std::string_view bytes, int64_t base = 0)
      : begin_(bytes.data()), pos_(begin_), end_(begin_ + bytes.size()), base_(base) {}

  /// False once a read has failed. Never turns true again.
  bool ok() const { return what_ == nullptr; }
  /// OK, or Invalid with what failed and the byte position in the file.
  arrow::Status status() const {
    if (ok()) return arrow::Status::OK();
    return arrow::Status::Invalid(what_, " at byte ", failed_at_);
  }
  /// Makes the reader fail at the current position, unless it has failed before. `what` is a
  /// literal: it is kept, not copied.
  void Fail(const char* what) {
    if (!ok()) return;
    what_ = what;
    failed_at_ = position();
    pos_ = end_;
  }

  /// Offset of the next byte in the file.
  int64_t position() const { return base_ + (pos_ - begin_); }
  int64_t remaining() const { return end_ - pos_; }
  bool at_end() const { return pos_ == end_; }

  /// An Avro long: zigzag, seven bits a byte, lowest first. Fails above 64 bits.
  int64_t ReadVarint() {
    if (pos_ < end_ && static_cast<uint8_t>(*pos_) < 0x80) {
      return Unzigzag(static_cast<uint8_t>(*pos_++));
    }
    return ReadLongVarint();
  }

  /// An Avro int: a varint that must fit into 32 bits.
  int32_t ReadInt32Varint() {
    const int64_t value = ReadVarint();
    if (value < std::numeric_limits<int32_t>::min() ||
        value > std::numeric_limits<int32_t>::max()) {
      Fail("integer above 32 bits");
      return 0;
    }
    return static_cast<int32_t>(value);
  }

  /// Passes over `count` varints without decoding them. O(their bytes / 8). Requires count >= 0.
  void SkipVarints(int64_t count) {
    while (count >= 8 && remaining() >= 8) {
      count -= CountEnds(VarintEnds());
      pos_ += 8;
    }
    while (count > 0 && remaining() >= 8) {
      const uint64_t ends = VarintEnds();
      const int found = CountEnds(ends);
      if (found < count) {
        count -= found;
        pos_ += 8;
        continue;
      }
      pos_ += BytesThroughEnd(ends, count);
      return;
    }
    while (count > 0 && pos_ < end_) count -= static_cast<uint8_t>(*pos_++) < 0x80 ? 1 : 0;
    if (count > 0) Fail("data ends inside an integer");
  }

  /// The next `size` bytes, or an empty view and failure if they are not there.
  std::string_view ReadBytes(int64_t size) {
    if (size < 0 || size > remaining()) {
      Fail(size < 0 ? "negative length" : "length above the bytes that are left");
      return {};
    }
    const std::string_view bytes(pos_, static_cast<size_t>(size));
    pos_ += size;
    return bytes;
  }

  void Skip(int64_t size) { ReadBytes(size); }

  /// Avro bytes or string: a varint length and that many bytes.
  std::string_view ReadSizedBytes() { return ReadBytes(ReadVarint()); }

  /// Passes over `count` items of one varint and one sized byte string each, as maps from a
  /// number to bytes are made of. Requires count >= 0. O(count).
  void SkipVarintBytesPairs(int64_t count) {
    for (; count > 0 && ok(); --count) {
      // Nearly always both integers are of one byte.
      if (remaining() >= 2 && ((pos_[0] | pos_[1]) & 0x81) == 0) {
        // An even byte is a number that is not negative: the length is half of it.
        const int64_t item = 2 + (pos_[1] >> 1);
        if (item <= remaining()) {
          pos_ += item;
          continue;
        }
      }
      SkipVarints(1);
      ReadSizedBytes();
    }
  }

  /// A little-endian fixed-width value; T is an integer, float or double.
  template <typename T>
  T ReadFixed() {
    static_assert(std::endian::native == std::endian::little);
    T value{};
    const std::string_view bytes = ReadBytes(sizeof(T));
    if (bytes.size() == sizeof(T)) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  /// An Avro boolean: one byte, 0 or 1.
  bool ReadBool() {
    const uint8_t byte = ReadFixed<uint8_t>();
    if (byte > 1) Fail("boolean that is neither 0 nor 1");
    return byte == 1;
  }

 private:
  static int64_t Unzigzag(uint64_t raw) {
    return static_cast<int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
  }

  // The next eight bytes with the top bit left on in each that ends a varint.
  uint64_t VarintEnds() const {
    uint64_t word;
    std::memcpy(&word, pos_, sizeof(word));
    return ~word & 0x8080808080808080ULL;
  }

  // How many there are: the product sums the eight bytes in its highest. (Without a flag for the
  // processor's own instruction, std::popcount is a call.)
  static int CountEnds(uint64_t ends) {
    return static_cast<int>((ends >> 7) * 0x0101010101010101ULL >> 56);
  }

  // How many of the eight bytes there are up to and with the count-th end. Requires that many.
  static int BytesThroughEnd(uint64_t ends, int64_t count) {
    while (--count > 0) ends &= ends - 1;
    return std::countr_zero(ends) / 8 + 1;
  }

  int64_t ReadLongVarint() {
    uint64_t raw = 0;
    for (int shift = 0; pos_ < end_; shift += 7) {
      const uint8_t byte = static_cast<uint8_t>(*pos_);
      if (shift == 63 && byte > 1) break;  // the tenth byte has room for one bit only
      ++pos_;
      raw |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return Unzigzag(raw);
    }
    Fail(pos_ < end_ ? "integer above 64 bits" : "data ends inside an integer");
    return 0;
  }

  const char* begin_;
  const char* pos_;
  const char* end_;
  int64_t base_;
  const char* what_ = nullptr;
  int64_t failed_at_ = 0;
};

}  // namespace esker
