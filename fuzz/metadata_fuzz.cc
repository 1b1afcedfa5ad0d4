// Fuzzes ParseTableMetadata(): any bytes give a table or a Status. What parses is used as planning
// uses it: Arrow schemas, defaults, the name mapping.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "arrow/status.h"
#include "format/arrow_schema.h"
#include "format/name_mapping.h"
#include "format/table_metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto table =
      esker::ParseTableMetadata(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!table.ok()) return 0;
  for (const esker::Schema& schema : table->schemas) {
    (void)esker::ToArrowSchema(schema).ok();
    for (const std::string& name : schema.AllNames()) {
      // A name may be shadowed by another one with dots in it, but never lead nowhere.
      if (schema.FindByName(name).empty()) __builtin_trap();
    }
    for (const esker::Field& field : schema.fields) (void)esker::InitialDefault(field).ok();
  }
  const auto mapping = table->properties.find(std::string(esker::kNameMappingProperty));
  if (mapping != table->properties.end()) (void)esker::ParseNameMapping(mapping->second).ok();
  return 0;
}
