// File facts: what planning knows about the columns of one data file, from its partition tuple and
// its statistics (docs/order.md, 2).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "format/column_facts.h"
#include "format/table_metadata.h"
#include "plan/file_task.h"

namespace esker {

/// The identity partition values of a file by source field id: exact values of those columns in
/// every row. Fields that the schema lacks are left out. Invalid where a value is not of its
/// column's type; Unsupported where it may be days, for a timestamp that was a date once.
arrow::Result<std::vector<std::pair<int32_t, Value>>> PartitionConstants(
    const TableMetadata& metadata, const PartitionSpec& spec, const DataFile& file,
    const Schema& schema);

/// The values of all other transforms of a single column, by source field id.
std::vector<std::pair<int32_t, std::pair<Transform, Value>>> PartitionTransforms(
    const PartitionSpec& spec, const DataFile& file);

/// The value that stands for the column in `task` by its partition, or null if there is none.
const Value* FindConstant(const FileTask& task, int32_t field_id);

/// Facts of a column in a file: its partition constant, else (or where that may be days for a
/// timestamp) its statistics. Nothing is known of a column that the schema lacks.
ColumnFacts FactsOfColumn(const FileTask& task, const Schema& schema, int32_t field_id);

}  // namespace esker
