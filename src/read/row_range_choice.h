// Row range choice: which rows of a file a filter has to look at, finer than row groups.
//
// Row groups that the footer's statistics leave are asked further, the cheapest question first:
//
//     Bloom filters   for "=" and "in"; a few bytes for each value
//     page index      rows of pages that may match; kilobytes for each column of the filter
//     dictionaries    for any predicate; only where they are small against what they may save
//
// Every answer is a proof that rows do not match, or none. Rows that are left are read by the
// pages that hold them (page_selection.h), and tested one by one as ever.
#pragma once

#include <vector>

#include "arrow/result.h"
#include "expr/filter.h"
#include "plan/file_task.h"
#include "plan/row_request.h"
#include "read/parquet_file.h"
#include "read/row_group_choice.h"
#include "read/scan_columns.h"

namespace esker {

/// Narrows `spans`, each a whole row group or a part of one, in the order of the file; what comes
/// back is in that order, too. `filter_columns` are those of filter.field_ids(), in that order;
/// `request` says which kinds of questions may be asked. Errors: IOError; Invalid for a damaged
/// dictionary page. Index structures that are damaged count as absent.
/// O(pages of the filter's columns × nodes) for each row group, and as many values of dictionaries.
arrow::Result<std::vector<RowGroupSpan>> ChooseRowRanges(
    const ParquetFile& file, const FileTask& task, const RowRequest& request,
    const BoundFilter& filter, const std::vector<FilterColumn>& filter_columns,
    const ScanColumns& columns, std::vector<RowGroupSpan> spans);

}  // namespace esker
