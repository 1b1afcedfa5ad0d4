#include "format/gzip.h"

#include <algorithm>

#include <zlib.h>

namespace esker {
namespace {

// Owns zlib's state. Fed in pieces because zlib counts bytes in 32 bits.
class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK; }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool ready() const { return ready_; }

  /// Inflates one member from the front of `bytes`, which loses what was read.
  arrow::Status InflateMember(std::string_view* bytes, size_t max_bytes, std::string* out) {
    inflateReset(&stream_);
    while (true) {
      const int code = InflatePiece(bytes, out);
      if (out->size() > max_bytes) {
        return arrow::Status::Invalid("gzip: inflates to more than ", max_bytes, " bytes");
      }
      if (code == Z_STREAM_END) return arrow::Status::OK();
      if (code == Z_BUF_ERROR) return arrow::Status::Invalid("gzip: cut short");
      if (code == Z_MEM_ERROR) return arrow::Status::OutOfMemory("gzip: no memory");
      if (code != Z_OK) return arrow::Status::Invalid("gzip: damaged");
    }
  }

 private:
  static constexpr int kGzipWindow = 16 + MAX_WBITS;  // 16: a gzip header, not a zlib one
  static constexpr size_t kPieceBytes = 64 << 10;

  int InflatePiece(std::string_view* bytes, std::string* out) {
    char piece[kPieceBytes];
    const auto given = static_cast<uInt>(std::min<size_t>(bytes->size(), 1 << 30));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes->data()));
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(piece);
    stream_.avail_out = kPieceBytes;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    bytes->remove_prefix(given - stream_.avail_in);
    out->append(piece, kPieceBytes - stream_.avail_out);
    return code;
  }

  z_stream stream_{};
  bool ready_ = false;
};

bool IsPadding(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

}  // namespace

bool IsGzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

arrow::Result<std::string> InflateGzip(std::string_view bytes, size_t max_bytes) {
  Inflater inflater;
  if (!inflater.ready()) return arrow::Status::OutOfMemory("gzip: no memory");
  std::string out;
  do {
    ARROW_RETURN_NOT_OK(inflater.InflateMember(&bytes, max_bytes, &out));
  } while (IsGzip(bytes));
  if (!IsPadding(bytes)) return arrow::Status::Invalid("gzip: followed by other bytes");
  return out;
}

}  // namespace esker
