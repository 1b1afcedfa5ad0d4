"""The command as people and scripts meet it: exit codes, bad input, pipes, interrupts, formats."""

import csv
import datetime
import fcntl
import io
import json
import os
import shutil
import signal
import struct
import subprocess
import termios
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import (DISORDER, DONE, ESKER, FAILURE, NOT_FOUND, ROOT, SPARK, UNSUPPORTED, USAGE,
                     esker, scan)
from iceberg_writer import TableBuilder, field

TABLE = SPARK / "overlap3"


def copied(tmp_path, case="overlap3"):
    """A copy of a table that a test may damage."""
    shutil.copytree(SPARK / case, tmp_path / case)
    return tmp_path / case


def the_file(folder, pattern):
    return sorted(folder.glob(pattern))[-1]


# ---- what is refused, and how ----

@pytest.mark.parametrize("arguments,code,words", [
    (["scan", "no/such/table"], NOT_FOUND, "no/such/table"),
    (["scan", "catalog.namespace.table"], NOT_FOUND, "catalog"),
    (["scan", TABLE, "--order-by", "tss"], USAGE, "did you mean 'ts'"),
    (["scan", TABLE, "--columns", "hots"], USAGE, "did you mean 'host'"),
    (["scan", TABLE, "--order-by", "ts sideways"], USAGE, "^"),
    (["scan", TABLE, "--order-by", "ts, ts"], USAGE, "twice"),
    (["scan", TABLE, "--format", "xml"], USAGE, "csv"),
    (["scan", TABLE, "--limit", "-1"], USAGE, "limit"),
    (["scan", TABLE, "--limit", "many"], USAGE, "limit"),
    (["scan", TABLE, "--max-merge-files", "1"], USAGE, "max-merge-files"),
    (["scan", TABLE, "--max-planned-files", "5"], USAGE, "max-planned-files"),
    (["scan", TABLE, "--memory", "plenty"], USAGE, "memory"),
    (["scan", TABLE, "--order", "random"], USAGE, "files"),
    (["scan", TABLE, "--where", "ts >"], USAGE, "^"),
    (["scan", TABLE, "--map", "nothing"], USAGE, "FROM=TO"),
    (["scan", TABLE, "--snapshot", "7"], NOT_FOUND, "snapshot 7"),
    (["scan", TABLE, "--ref", "nowhere"], NOT_FOUND, "main"),
    (["scan", TABLE, "--as-of", "1999-01-01"], NOT_FOUND, "1999"),
    (["scan", TABLE, "--as-of", "yesterday"], USAGE, "yesterday"),
    (["scan", TABLE, "--frobnicate"], USAGE, "frobnicate"),
    (["frobnicate"], USAGE, "frobnicate"),
    ([], USAGE, ""),
    (["scan"], USAGE, "TABLE"),
])
def test_bad_requests_end_in_words(arguments, code, words):
    outcome = esker(*arguments)
    assert outcome.code == code, outcome.err
    assert words in outcome.err or words in outcome.text
    assert "terminate" not in outcome.err


@pytest.mark.parametrize("option", [
    "--limit", "--where", "--columns", "--ref", "--as-of", "--snapshot", "--order-by", "--memory",
    "--assume-order", "--format", "-o", "--stats", "--spill-dir", "--map"])
def test_an_empty_value_is_a_variable_that_was_never_set(option):
    outcome = esker("scan", TABLE, option, "")
    assert outcome.code == USAGE and "empty" in outcome.err and outcome.out == b""


def test_a_folder_without_metadata(tmp_path):
    outcome = esker("scan", tmp_path)
    assert outcome.code == NOT_FOUND and str(tmp_path) in outcome.err


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"not json", b"\x1f\x8b\x08broken",
                                     b"{\"format-version\": 9}", b"[" * 100_000])
def test_metadata_that_is_none(tmp_path, content):
    path = tmp_path / "v1.metadata.json"
    path.write_bytes(content)
    outcome = esker("scan", path)
    assert outcome.code in (FAILURE, UNSUPPORTED), outcome.err
    assert "v1.metadata.json" in outcome.err


@pytest.mark.parametrize("pattern", ["metadata/snap-*.avro", "metadata/*-m0.avro",
                                     "data/*.parquet"])
@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "missing"])
def test_damaged_files(tmp_path, pattern, damage):
    """Every part cut, emptied, flipped or gone: an error in words that names the file."""
    table = copied(tmp_path)
    path = the_file(table, pattern)
    content = path.read_bytes()
    if damage == "cut":
        path.write_bytes(content[:len(content) // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "flipped":
        path.write_bytes(bytes(b ^ 0xFF for b in content))
    else:
        path.unlink()
    outcome = scan(table)
    # An old manifest list or an orphan may not be read at all: then the rows are whole.
    if outcome.code == DONE:
        assert outcome.table().num_rows == 1600
        return
    assert outcome.code == FAILURE, outcome.err
    assert path.name in outcome.err


# ---- what is found ----

@pytest.mark.parametrize("named", ["..", "../", "../metadata", "../../overlap3", "../../overlap3/",
                                   "../data/../metadata", "../metadata/{file}"])
def test_a_table_is_named_from_where_one_is(named):
    file = the_file(TABLE / "metadata", "*.metadata.json").name
    outcome = scan(named.format(file=file), cwd=TABLE / "data")
    assert outcome.code == DONE, outcome.err
    assert outcome.table() == scan(TABLE).table()


def test_a_time_may_be_finer_than_those_of_snapshots(tmp_path):
    import iceberg_writer
    builder = iceberg_writer.TableBuilder(tmp_path / "t", [iceberg_writer.field(1, "k", "long")])
    for number in (1, 2):  # at 00:00:00 and at 00:00:01
        builder.append_file(pa.table({"k": [number]}))
        builder.commit()
    for fraction in ("", ".9", ".999", ".999999", ".999999999"):
        for zone in ("", "Z", "+00:00"):
            state = scan(builder.path, "--as-of", f"2026-01-01T00:00:00{fraction}{zone}")
            assert state.table().to_pylist() == [{"k": 1}], fraction + zone
    assert scan(builder.path, "--as-of", "2026-01-01T00:00:01.000001").table().num_rows == 2
    assert scan(builder.path, "--as-of", "2025-12-31T23:59:59.999999").code == NOT_FOUND


def test_names_with_spaces_are_not_run_together(tmp_path):
    import iceberg_writer
    fields = [iceberg_writer.field(1, "ab", "long"), iceberg_writer.field(2, "a b", "long")]
    builder = iceberg_writer.TableBuilder(tmp_path / "t", fields)
    builder.append_file(pa.table({"ab": [1], "a b": [2]}))
    builder.commit()
    for columns, header in ((" a b ,ab ", "a b,ab"), ('" a b"', None), ('"a b" , ab', "a b,ab"),
                            ("a  b", None)):
        outcome = esker("scan", builder.path, "--columns", columns)
        if header is None:
            assert outcome.code == USAGE and "no column" in outcome.err, columns
        else:
            assert outcome.text == header + "\n2,1\n", columns


def test_the_examples_of_the_filter_page_are_filters(tmp_path):
    import iceberg_writer
    kinds = {"level": "int", "ts": "timestamptz", "host": "string", "message": "string",
             "my column": "string", "v": "double"}
    fields = [iceberg_writer.field(i + 1, *column) for i, column in enumerate(kinds.items())]
    builder = iceberg_writer.TableBuilder(tmp_path / "t", fields)
    builder.append_file(pa.table({"level": [3], "ts": [datetime.datetime(2026, 1, 1)],
                                  "host": ["web-1"], "message": [""], "my column": [""],
                                  "v": [0.5]}))
    builder.commit()
    examples = (ROOT / "docs" / "filters.md").read_text().split("```")[1].strip().splitlines()
    assert len(examples) == 3
    for example in examples:
        assert scan(builder.path, "--where", example).table().num_rows == 1, example
    for other in ("ts < 2026-01-01", "ts between 2026-01-02 and 2026-12-31",
                  "ts in (2025-12-31, 2026-01-02)"):
        assert scan(builder.path, "--where", other).table().num_rows == 0, other


# ---- what comes out ----

def test_formats_hold_the_same_rows(tmp_path):
    rows = scan(TABLE, "--limit", "50").table()
    texts = [r["host"] for r in rows.to_pylist()]
    table = esker("scan", TABLE, "--limit", "50", "--format", "csv").text
    assert [r["host"] for r in csv.DictReader(io.StringIO(table))] == texts
    lines = esker("scan", TABLE, "--limit", "50", "--format", "ndjson").text.splitlines()
    assert [json.loads(line)["host"] for line in lines] == texts
    whole = esker("scan", TABLE, "--limit", "50", "--format", "json").json()
    assert [r["host"] for r in whole] == texts
    out = tmp_path / "rows.parquet"
    assert esker("scan", TABLE, "--limit", "50", "-o", out).code == DONE
    assert pq.read_table(out).column("host").to_pylist() == texts
    for name in ("tsv", "markdown", "table"):
        outcome = esker("scan", TABLE, "--limit", "50", "--format", name)
        assert outcome.code == DONE and all(text in outcome.text for text in texts)
    assert esker("scan", TABLE, "--format", "none").out == b""


def test_csv_is_the_default_when_piped():
    outcome = esker("scan", TABLE, "--limit", "1")
    header, row = outcome.text.splitlines()
    assert header == "id,ts,host,v"
    assert row.split(",")[1].endswith("Z")


def test_csv_tells_null_from_empty(tmp_path):
    import iceberg_writer
    table = write_strings(iceberg_writer, tmp_path, ["a,b", 'say "x"', "", None, "two\nlines"])
    outcome = esker("scan", table, "--columns", "s", "--order", "none")
    assert outcome.text == 's\n"a,b"\n"say ""x"""\n""\n\n"two\nlines"\n'


def write_strings(iceberg_writer, tmp_path, values):
    builder = iceberg_writer.TableBuilder(
        tmp_path / "strings", [{"id": 1, "name": "s", "required": False, "type": "string"}])
    builder.append_file(pa.table({"s": pa.array(values, pa.string())}))
    builder.commit()
    return tmp_path / "strings"


def test_an_empty_table_gives_its_header():
    assert esker("scan", SPARK / "empty_table", "--format", "csv").text.startswith("id,ts")
    assert scan(SPARK / "empty_table").table().num_rows == 0


# ---- limits, files opened ----

def test_a_limit_opens_few_files(tmp_path):
    stats = tmp_path / "stats.json"
    for order in ("ts", "ts desc"):
        outcome = scan(SPARK / "many_300", "--order-by", order, "--limit", "100", "--stats", stats)
        assert outcome.table().num_rows == 100
        found = json.loads(stats.read_text())
        assert found["files_opened"] <= 8 + 1, order
        assert found["rows"] == 100


def test_a_full_scan_holds_few_files_open(tmp_path):
    stats = tmp_path / "stats.json"
    scan(SPARK / "many_300", "--stats", stats)
    found = json.loads(stats.read_text())
    assert found["files_opened"] == 300
    assert found["peak_open_files"] <= 4 + 1
    assert found["rows"] == 15000


def test_disjoint_files_are_not_compared(tmp_path):
    stats = tmp_path / "stats.json"
    scan(SPARK / "ts_disjoint", "--stats", stats)
    found = json.loads(stats.read_text())
    assert found["peak_open_files"] == 1 and found["compared_rows"] == 0


# ---- pipes, interrupts, half-written files ----

def test_a_closed_pipe_ends_quietly():
    process = subprocess.run(
        ["bash", "-c", f'set -o pipefail; "{ESKER}" scan "{SPARK / "many_300"}" | head -5'],
        capture_output=True, timeout=60, text=True)
    assert process.returncode == 0 and process.stderr == ""
    assert len(process.stdout.splitlines()) == 5


def bytes_in(pipe):
    """How many bytes wait in a pipe to be read."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"1234"))[0]


def test_an_interrupt_wakes_a_write_that_waits(tmp_path):
    out = tmp_path / "fifo"
    os.mkfifo(out)
    # Nobody reads the pipe: once it is full, the command waits in a write.
    reader = os.open(out, os.O_RDONLY | os.O_NONBLOCK)
    process = subprocess.Popen([ESKER, "scan", str(SPARK / "many_300"), "-o", str(out)],
                               stderr=subprocess.PIPE)
    seen = 0
    while (waiting := bytes_in(reader)) == 0 or waiting > seen:
        assert process.poll() is None, process.stderr.read()
        seen = waiting
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    os.close(reader)


def test_an_interrupt_leaves_no_partial_file(tmp_path):
    process = subprocess.Popen(
        [ESKER, "scan", str(SPARK / "many_300"), "-o", str(tmp_path / "rows.csv")],
        stderr=subprocess.PIPE)
    while process.poll() is None and not any(tmp_path.iterdir()):
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    code = process.wait(timeout=10)
    left = [p.name for p in tmp_path.iterdir()]
    assert (code == 130 and left == []) or (code == 0 and left == ["rows.csv"])


def test_a_failure_leaves_no_partial_file(tmp_path):
    out = tmp_path / "rows.csv"
    outcome = esker("scan", SPARK / "liar_last_row", "--order-by", "k", "-o", out)
    assert outcome.code == DISORDER
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_an_older_file_alone(tmp_path):
    out = tmp_path / "rows.csv"
    out.write_text("older")
    assert esker("scan", SPARK / "liar_last_row", "--order-by", "k", "-o", out).code == DISORDER
    assert out.read_text() == "older"


def test_an_unwritable_output():
    outcome = esker("scan", TABLE, "-o", "/no/such/folder/rows.csv")
    assert outcome.code == FAILURE and "/no/such/folder/rows.csv" in outcome.err
    assert "No such file or directory" in outcome.err


@pytest.mark.parametrize("command", [
    ["scan"], ["explain"], ["explain", "--json"], ["explain", "--analyze"], ["files"],
    ["files", "--json"], ["snapshots"], ["snapshots", "--json"], ["describe"],
    ["describe", "--json"]])
def test_a_full_disk_is_an_error_of_every_command(command):
    with open("/dev/full", "wb") as full:
        process = subprocess.run([ESKER, *command, TABLE], stdout=full, stderr=subprocess.PIPE,
                                 timeout=60)
    assert process.returncode == FAILURE
    assert b"cannot write standard output: No space left on device" in process.stderr


@pytest.mark.parametrize("command", ["explain", "files", "snapshots", "describe"])
def test_a_listing_to_a_closed_pipe_ends_quietly(command):
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run([ESKER, command, SPARK / "many_300"], stdout=writer,
                             stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert process.returncode == 0 and process.stderr == b""


def test_statistics_that_cannot_be_written():
    outcome = esker("scan", TABLE, "--limit", "1", "--stats", "/no/such/folder/stats.json")
    assert outcome.code == FAILURE
    assert "/no/such/folder/stats.json: No such file or directory" in outcome.err
    # A scan that fails says why it did, not that its statistics are lost.
    lie = esker("scan", SPARK / "liar_last_row", "--order-by", "k", "--stats", "/no/such/folder/s")
    assert lie.code == DISORDER


def test_a_full_disk_is_an_error():
    outcome = esker("scan", TABLE, "-o", "/dev/full")
    assert outcome.code == FAILURE and "No space left on device" in outcome.err


# ---- looking around ----

def test_explain_says_why():
    plan = esker("explain", SPARK / "mixed_unordered", "--order-by", "ts").text
    assert "3 files are sorted on their own" in plan and "(sort order id 0)" in plan
    shared = esker("explain", SPARK / "mixed_unordered").text
    assert "share none" in shared and "claim none (sort order id 0)" in shared
    backwards = esker("explain", TABLE, "--order-by", "ts desc").text
    assert "40 files are read backwards" in backwards


def test_explain_json_keeps_its_names():
    plan = esker("explain", TABLE, "--json").json()
    assert set(plan) >= {"table", "order", "files", "claims", "chains", "max_depth", "sections",
                         "max_merge_files", "passes", "reads", "pruning", "residual", "warnings"}
    assert set(plan["table"]) == {"location", "metadata_file", "format_version", "uuid",
                                  "snapshot_id", "schema_id"}
    assert plan["order"]["from"] == "files"
    assert plan["order"]["told"][0] == {"column": "ts", "field_id": 2, "direction": "asc",
                                        "nulls": "first"}
    assert len(plan["reads"]) == 40


def test_without_an_order_no_file_is_said_to_be_sorted():
    plan = esker("explain", SPARK / "mixed_unordered", "--json").json()
    assert plan["order"]["from"] == "none"
    assert {read["how"] for read in plan["reads"]} == {"as it is"}


def test_hidden_keys_are_not_told():
    plan = esker("explain", TABLE, "--columns", "id,host", "--json").json()
    assert plan["order"]["told"] == []
    ids = scan(TABLE, "--columns", "id").table()
    whole = scan(TABLE).table()
    assert ids.column("id") == whole.column("id")


def test_files_snapshots_describe():
    files = esker("files", TABLE, "--json").json()
    assert len(files) == 40 and all(f["sort_order_id"] == 1 for f in files)
    assert sum(f["rows"] for f in files) == 1600
    snapshots = esker("snapshots", SPARK / "branches_tags", "--json").json()
    assert any(s["current"] for s in snapshots)
    about = esker("describe", TABLE, "--json").json()
    assert [c["name"] for c in about["columns"]] == ["id", "ts", "host", "v"]
    for command in ("files", "snapshots", "describe", "explain"):
        assert esker(command, TABLE).code == DONE


def test_version_starts_quickly():
    outcome = esker("--version")
    assert outcome.code == DONE
    assert "Arrow 25" in outcome.text


def test_a_branch_and_a_tag_are_read():
    answers = json.loads((SPARK / "branches_tags" / "expected.json").read_text())
    for name, ref in answers["refs"].items():
        of = next(s for s in answers["snapshots"] if s["snapshot_id"] == ref["snapshot_id"])
        if "row_count" in of:
            rows = scan(SPARK / "branches_tags", "--ref", name).table()
            assert rows.num_rows == of["row_count"], name


def test_bounds_that_are_cut_short_make_no_table_unreadable(tmp_path):
    """Writers cut bounds of fixed and binary to 16 bytes: true but loose, and shorter than the type."""
    import iceberg_writer
    builder = iceberg_writer.TableBuilder(
        tmp_path / "cut", [iceberg_writer.field(1, "k", "fixed[20]"),
                           iceberg_writer.field(2, "d", "decimal(4,2)")],
        sort_orders=[iceberg_writer.sort_order(1, (1, "asc", "nulls-first"))],
        default_sort_order_id=1)
    for first in (b"a", b"b"):
        rows = pa.table({"k": pa.array([first * 20, b"c" * 20], pa.binary(20)),
                         "d": pa.array([None, None], pa.decimal128(4, 2))})
        builder.append_file(rows, sort_order_id=1, bounds={
            "k": (first * 16, b"c" * 15 + b"d"),
            "d": (b"\x7f" * 16, b"\x7f" * 16)})  # no decimal(4,2) is as large
    builder.commit()
    rows = scan(tmp_path / "cut").table()
    assert [k[:1] for k in rows.column("k").to_pylist()] == [b"a", b"b", b"c", b"c"]
    assert esker("files", tmp_path / "cut").code == DONE


@pytest.mark.parametrize("place", ["ts=1", "a=b/c=d", "plain"])
@pytest.mark.parametrize("origin", ["s3://b", "s3://b/k=1", "/gone", "gone"])
def test_a_map_may_have_signs_of_equality_on_both_sides(place, origin, tmp_path):
    """The rule is split at the first one before an absolute path or a scheme."""
    builder = TableBuilder(tmp_path / "t", [field(1, "k", "long")])
    info = builder.append_file(pa.table({"k": [1, 2]}))
    target = tmp_path / place / "data.parquet"
    target.parent.mkdir(parents=True)
    (builder.real_path(info["file_path"])).rename(target)
    info["file_path"] = f"{origin}/data.parquet"
    builder.commit()
    for to in (target.parent, f"file://{target.parent}"):
        outcome = esker("scan", builder.path, "--map", f"{origin}={to}")
        assert outcome.text == "k\n1\n2\n", outcome.err


def test_a_version_has_an_end(tmp_path):
    builder = TableBuilder(tmp_path / "t", [field(1, "k", "long")])
    builder.append_file(pa.table({"k": [1, 2]}))
    target = builder.path / "metadata" / f"v{2**63 - 1}.metadata.json"
    builder.commit()
    builder.write_metadata().rename(target)
    (builder.path / "metadata" / "version-hint.text").write_text(str(2**63 - 1))
    assert esker("scan", builder.path).text == "k\n1\n2\n"


@pytest.mark.parametrize("millis, text", [
    (-1, "1969-12-31T23:59:59.999Z"), (1_700_000_000_123, "2023-11-14T22:13:20.123Z"),
    (-2**63, "-292275055-05-16T16:47:04.192Z"), (2**63 - 1, "292278994-08-17T07:12:55.807Z")])
def test_times_of_snapshots_as_far_as_they_go(millis, text, tmp_path):
    builder = TableBuilder(tmp_path / "t", [field(1, "k", "long")])
    builder.append_file(pa.table({"k": [1]}))
    builder.commit()
    builder.write_metadata(builder.metadata() | {"last-updated-ms": millis})
    assert text in esker("describe", builder.path).text
