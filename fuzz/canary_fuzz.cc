// A fuzz program with a planted fault: it has to crash, which proves that the others would.
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size >= 2 && data[0] == 'o' && data[1] == 's') __builtin_trap();
  return 0;
}
