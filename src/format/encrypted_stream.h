// Encrypted stream: what an encrypted file begins with.
#pragma once

#include <string_view>

namespace esker {

/// Whether bytes from the beginning of a file are those of an AES GCM stream (the spec's
/// gcm-stream-spec, "Encrypted data structure"). The files themselves tell and not their key
/// metadata: there are tables that give key metadata for files that are not encrypted.
inline bool IsEncryptedStream(std::string_view beginning) { return beginning.starts_with("AGS1"); }

}  // namespace esker
