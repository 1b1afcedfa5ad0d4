// Writes Avro for tests, benchmarks and fuzz seeds: the bytes that the decoders must read, put
// together piece by piece so that each piece can also be wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace esker::testing {

/// An Avro int or long.
std::string AvroLong(int64_t value);
/// Avro bytes or string: length and content.
std::string AvroBytes(std::string_view bytes);

/// A container file around `blocks`, pairs of an object count and the encoded objects.
/// `codec` is the name in the header; "null", "deflate", "snappy" and "zstandard" are packed as
/// they say, anything else is left plain. "" leaves the header key out.
std::string AvroContainer(std::string_view schema,
                          const std::vector<std::pair<int64_t, std::string>>& blocks,
                          std::string_view codec = "null",
                          const std::vector<std::pair<std::string, std::string>>& metadata = {});

/// The sync marker of AvroContainer(), 16 bytes.
std::string AvroSync();

}  // namespace esker::testing
