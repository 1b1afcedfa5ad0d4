"""Counts that speed rests on: files opened, files open at once, memory, rows compared.

Times are never asserted; these numbers are.
"""

import json
import random

import pyarrow as pa
import pytest

import iceberg_writer
from command import DONE, USAGE, esker, scan

ROWS = 500
MINUTE_US = 60_000_000


def overlapping(path, files, depth=3, rows=ROWS, sort_order_id=1):
    """A table of `files` commits of which every one reaches into the next depth - 1."""
    builder = iceberg_writer.TableBuilder(
        path, [iceberg_writer.field(1, "ts", "timestamptz"), iceberg_writer.field(2, "id", "long")],
        sort_orders=[iceberg_writer.sort_order(1, (1, "asc", "nulls-first"))],
        default_sort_order_id=1)
    randomness = random.Random(7)
    for number in range(files):
        start = number * MINUTE_US
        # Never quite as long as `depth` commits: the file after those begins behind its end.
        times = sorted(start + randomness.randrange(depth * MINUTE_US - 1) for _ in range(rows))
        times[0], times[-1] = start, start + depth * MINUTE_US - 1
        if not sort_order_id:
            randomness.shuffle(times)
        builder.append_file(pa.table({
            "ts": pa.array(times, pa.timestamp("us", "UTC")),
            "id": pa.array(range(number * rows, (number + 1) * rows), pa.int64())}),
            sort_order_id=sort_order_id)
    builder.commit()
    return path


def statistics(tmp_path, table, *arguments):
    stats = tmp_path / "stats.json"
    outcome = esker("scan", table, "--format", "none", "--stats", stats, *arguments)
    assert outcome.code == DONE, outcome.err
    return json.loads(stats.read_text())


@pytest.fixture(scope="module")
def three_hundred(tmp_path_factory):
    return overlapping(tmp_path_factory.mktemp("tables") / "three_hundred", 300)


@pytest.mark.parametrize("order", ["ts", "ts desc"])
def test_a_limit_opens_at_most_one_more_than_the_depth(tmp_path, three_hundred, order):
    found = statistics(tmp_path, three_hundred, "--order-by", order, "--limit", "100")
    assert found["rows"] == 100
    assert found["files_opened"] <= 3 + 1


def test_a_full_scan_has_as_many_files_open_as_overlap(tmp_path, three_hundred):
    plan = esker("explain", three_hundred, "--json").json()
    assert plan["max_depth"] == 3 and plan["chains"] == 3
    found = statistics(tmp_path, three_hundred)
    assert found["rows"] == 300 * ROWS
    assert found["files_opened"] == 300
    assert found["peak_open_files"] <= 3


def test_memory_does_not_grow_with_the_number_of_files(tmp_path):
    """Rows in memory are those of the files that overlap; a file that waits costs its corners."""
    few = statistics(tmp_path, overlapping(tmp_path / "few", 20))
    many = statistics(tmp_path, overlapping(tmp_path / "many", 400))
    assert many["rows"] == 20 * few["rows"]
    assert many["peak_memory_bytes"] - few["peak_memory_bytes"] <= 512 * (400 - 20)


def test_all_files_overlapping_stay_below_the_cap(tmp_path):
    table = overlapping(tmp_path / "all", 40, depth=1000, rows=200)
    assert esker("explain", table, "--json").json()["max_depth"] == 40
    found = statistics(tmp_path, table, "--max-merge-files", "4")
    assert found["rows"] == 40 * 200
    assert found["peak_open_files"] <= 4
    assert found["spilled_bytes"] > 0
    assert statistics(tmp_path, table)["spilled_bytes"] == 0


def test_what_happens_over_the_limit(tmp_path):
    table = overlapping(tmp_path / "all", 6, depth=1000, rows=20)
    refused = esker("scan", table, "--max-merge-files", "2", "--over-limit", "error")
    assert refused.code == USAGE and "6 deep" in refused.err
    plan = esker("explain", table, "--max-merge-files", "2", "--over-limit", "unordered",
                 "--json").json()
    assert plan["order"]["told"] == [] and plan["warnings"][0]["code"] == "over-limit"
    rows = scan(table, "--max-merge-files", "2").table()
    assert rows.column("ts").to_pylist() == sorted(rows.column("ts").to_pylist())


def test_only_unsorted_files_cost_sorting(tmp_path):
    """A file without a claim is sorted on its own; the honest ones are passed through."""
    honest = statistics(tmp_path, overlapping(tmp_path / "honest", 20, depth=1))
    assert honest["compared_rows"] == 0
    lying = overlapping(tmp_path / "unsorted", 20, depth=1, sort_order_id=0)
    rows = scan(lying, "--order-by", "ts").table()
    assert rows.column("ts").to_pylist() == sorted(rows.column("ts").to_pylist())
    assert rows.num_rows == 20 * ROWS


def test_a_claim_may_be_assumed(tmp_path):
    builder = iceberg_writer.TableBuilder(
        tmp_path / "plain", [iceberg_writer.field(1, "k", "int")])
    builder.append_file(pa.table({"k": pa.array([1, 2, 3], pa.int32())}))
    builder.append_file(pa.table({"k": pa.array([3, 1, 2], pa.int32())}))
    builder.commit()
    table = tmp_path / "plain"
    assumed = scan(table, "--order-by", "k", "--assume-order", "k")
    assert assumed.code == 3 and "assumed" in assumed.err
    sorted_rows = scan(table, "--order-by", "k", "--assume-order", "k", "--on-disorder", "sort")
    assert sorted_rows.table().column("k").to_pylist() == [1, 1, 2, 2, 3, 3]
    assert esker("explain", table, "--json").json()["order"]["from"] == "none"
