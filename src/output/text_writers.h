// The text formats: CSV, TSV, NDJSON, JSON, Markdown and the terminal table.
#pragma once

#include <memory>

#include "esker/row_writer.h"

namespace esker {

std::unique_ptr<RowWriter> MakeCsvWriter(std::shared_ptr<arrow::Schema> schema,
                                         arrow::io::OutputStream* sink);
std::unique_ptr<RowWriter> MakeTsvWriter(std::shared_ptr<arrow::Schema> schema,
                                         arrow::io::OutputStream* sink);
/// `as_array`: one JSON array; else one object a line.
std::unique_ptr<RowWriter> MakeJsonWriter(std::shared_ptr<arrow::Schema> schema,
                                          arrow::io::OutputStream* sink, bool as_array);
std::unique_ptr<RowWriter> MakeMarkdownWriter(std::shared_ptr<arrow::Schema> schema,
                                              arrow::io::OutputStream* sink);
/// Columns are as wide as the widest cell of the first thousand rows; later rows may be wider.
std::unique_ptr<RowWriter> MakeTableWriter(std::shared_ptr<arrow::Schema> schema,
                                           arrow::io::OutputStream* sink, int32_t terminal_columns);

}  // namespace esker
