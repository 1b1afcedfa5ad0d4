// A plan as a source of Acero, Arrow's own engine: its nodes then rely on the order of the rows
// instead of sorting them.
//
//     auto plan = table->Plan({.order_by = {{"ts"}}});
//     auto source = esker::MakeAceroSource(*plan);
//     auto first = arrow::acero::Declaration::Sequence(
//         {*source, {"fetch", arrow::acero::FetchNodeOptions(/*offset=*/0, /*count=*/10)}});
//     auto rows = arrow::acero::DeclarationToTable(first);   // opens what ten rows need
//
// A part of its own, Esker::acero, because it needs libarrow_acero; the rest of Esker does not.
#pragma once

#include <memory>

#include "arrow/acero/exec_plan.h"
#include "arrow/compute/ordering.h"
#include "arrow/io/interfaces.h"
#include "arrow/result.h"
#include "esker/scan.h"

namespace esker {

/// The order of the rows of `plan` as Acero can be told it. Never more than is true there:
///
///     plan->order() is empty        Ordering::Unordered(): nothing is promised
///     its first key cannot be told  Ordering::Implicit(): rows come in the order of the plan,
///                                   but no sort key of Arrow's says in which
///     else                          the longest start of plan->order() that can be told
///
/// A key ends what can be told where
///   - it is float or double, and Acero would have its NaN at the other end. Acero moves NaN along
///     with nulls, Esker has NaN after every number: that agrees for "asc nulls last" and "desc
///     nulls first" alone. With the other two the key is told only if every file of the plan says
///     in its statistics that the column holds no NaN; rows are checked for it as they are read.
///   - Arrow has no comparator for its type that agrees with ours;
///   - the name of its column is that of another column of plan->schema(), too.
///
/// Columns are named by name, not by number: a node behind the source may move them. Looks at
/// metadata only; O(files × keys). Cannot fail. Any thread.
arrow::compute::Ordering AceroOrdering(const ScanPlan& plan);

/// A "source" node that gives the rows of `plan`, with AceroOrdering(*plan).
///
/// The declaration may be used more than once, at the same time too: each Acero plan made of it is
/// a scan of its own, begun at its first batch by plan->Read(). Batches carry their index. They are
/// read one after another on io_context.executor(), never on the threads that Acero computes on.
///
/// Acero asks for a batch as soon as it has queued the one before, until a node tells it to stop or
/// 1 GiB waits at the sink. So a `fetch` ends the scan, but somewhat later than at its last row:
/// how many batches more are read depends on how fast Acero comes to work on its queue (on a busy
/// machine, reads that are quick win that race many times over), and an error in one of them is an
/// error of all. Where the number of rows is known beforehand,
/// ScanRequest::limit reads no more than that.
///
/// Errors: kUsage for a null plan. An error of the plan while it is read ends the Acero plan with
/// that very status; so does a DisorderError where a column holds NaN although its files say that
/// it does not, and the order told rests on that. A stop token of `io_context` gives Cancelled.
///
/// Ownership: the declaration, and every Acero plan made of it, shares the plan. The files of a
/// scan are closed at its last batch, at an error, when it is stopped, or with the Acero plan,
/// which Acero's threads may hold a moment longer than the call that ran it. (Without threads, a
/// reader of DeclarationToReader() that is dropped half-way reads to the end first: Close() it.)
/// The executor must outlive the Acero plans.
arrow::Result<arrow::acero::Declaration> MakeAceroSource(
    std::shared_ptr<const ScanPlan> plan,
    arrow::io::IOContext io_context = arrow::io::default_io_context());

}  // namespace esker
