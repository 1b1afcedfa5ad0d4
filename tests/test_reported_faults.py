"""Kinds of fault that people reported of other readers, each on the least table that shows it.

The numbers are those of bug_reports.txt; kinds that a unit test covers are not repeated here.
Expected values are written by hand.
"""

import gzip
import json
import math
import uuid
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import DISORDER, DONE, FAILURE, UNSUPPORTED, USAGE, esker, scan
from iceberg_writer import TableBuilder, arrow_schema, field, sort_order

ASCENDING = sort_order(1, (1, "asc", "nulls-first"))
LONG_KEY = [field(1, "id", "long")]
FIRST_SNAPSHOT = 7_000_000_001


def rows_of(fields, *rows):
    """A table of rows given as tuples."""
    schema = arrow_schema(fields)
    columns = list(zip(*rows)) if rows else [[] for _ in fields]
    return pa.table([pa.array(values, f.type) for values, f in zip(columns, schema)],
                    schema=schema)


def sorted_table(path, fields, *files, order=ASCENDING, **options):
    """A table of files that all claim one sort order."""
    builder = TableBuilder(path, fields, sort_orders=[order],
                           default_sort_order_id=order["order-id"], **options)
    for rows in files:
        builder.append_file(rows_of(fields, *rows), sort_order_id=order["order-id"])
    builder.commit()
    return path


def column(outcome, name="id"):
    return outcome.table().column(name).to_pylist()


def append_written(builder, table, write):
    """Adds a data file that `write(table, path)` makes, without statistics."""
    name = f"written-{builder.files_written}.parquet"
    target = builder.path / "data" / name
    write(table, target)
    builder.append_file(None, record_count=table.num_rows, file_size=target.stat().st_size,
                        file_path=f"{builder.location}/data/{name}", bounds=None,
                        value_counts=None, null_counts=None, nan_counts=None)
    return target


# ---- order ----

def test_nulls_stand_where_the_sort_order_says(tmp_path):
    """Report 2: key by key, also without any order asked for."""
    first = sorted_table(tmp_path / "first", LONG_KEY, [(None,), (2,)], [(None,), (3,)])
    assert column(scan(first)) == [None, None, 2, 3]
    pair = [field(1, "a", "long"), field(2, "b", "long")]
    mixed = sort_order(1, (1, "desc", "nulls-last"), (2, "asc", "nulls-first"))
    table = sorted_table(tmp_path / "pair", pair, [(2, 1), (1, None), (None, 5)],
                         [(2, None), (1, 7), (None, None)], order=mixed)
    assert [tuple(row.values()) for row in scan(table).table().to_pylist()] == [
        (2, None), (2, 1), (1, None), (1, 7), (None, None), (None, 5)]


@pytest.mark.parametrize("transform", ["identity", "truncate[4]"])
def test_a_key_may_have_any_name(tmp_path, transform):
    """Report 4: the key is found by its id, under a transform too."""
    fields = [field(1, "@timestamp", "string")]
    table = sorted_table(tmp_path / "t", fields, [("2024x",), ("2026x",)], [("2025x",)],
                         order=sort_order(1, (1, "asc", "nulls-first", transform)))
    assert column(scan(table, "--order", "table"), "@timestamp") == ["2024x", "2025x", "2026x"]
    assert column(scan(table, "--order-by", '"@timestamp" desc'), "@timestamp") == [
        "2026x", "2025x", "2024x"]


def test_an_old_order_on_a_dropped_column_is_no_matter(tmp_path):
    """Report 7: order 1 names a field that no schema has; the files follow order 2."""
    broken = sort_order(1, (77, "asc", "nulls-first"))
    builder = TableBuilder(tmp_path / "t", LONG_KEY, default_sort_order_id=2,
                           sort_orders=[broken, sort_order(2, (1, "asc", "nulls-first"))])
    for values in ([(1,), (3,)], [(2,)]):
        builder.append_file(rows_of(LONG_KEY, *values), sort_order_id=2)
    builder.commit()
    assert column(scan(builder.path)) == [1, 2, 3]
    assert esker("explain", builder.path, "--json").json()["order"]["told"] != []
    builder.append_file(rows_of(LONG_KEY, (9,), (0,)), sort_order_id=1)
    builder.commit()
    assert esker("explain", builder.path, "--json").json()["order"]["told"] == []
    assert column(scan(builder.path, "--order-by", "id")) == [0, 1, 2, 3, 9]


def test_descending_runs_with_nulls_are_merged(tmp_path):
    """Report 20."""
    table = sorted_table(tmp_path / "t", LONG_KEY, [(4,), (3,), (2,), (1,)],
                         [(None,), (6,), (5,), (3,)],
                         order=sort_order(1, (1, "desc", "nulls-first")))
    assert column(scan(table)) == [None, 6, 5, 4, 3, 3, 2, 1]


def test_a_descending_file_with_scattered_nulls_is_found(tmp_path):
    """Report 12: the claim is tagged, the nulls are at neither end."""
    table = sorted_table(tmp_path / "t", LONG_KEY, [(4,), (None,), (1,)],
                         order=sort_order(1, (1, "desc", "nulls-last")))
    assert scan(table).code == DISORDER
    assert column(scan(table, "--order-by", "id desc nulls last", "--on-disorder", "sort")) == [
        4, 1, None]


# ---- bounds and counts ----

def test_a_uuid_range_keeps_files_with_signed_bounds(tmp_path):
    """Report 25: bounds as two signed longs, so that the lower one is above the upper one."""
    low, high = (uuid.UUID(bytes=bytes([b] * 16)) for b in (0x01, 0x81))
    fields = [field(1, "id", "uuid")]
    builder = TableBuilder(tmp_path / "t", fields)
    builder.append_file(rows_of(fields, (low.bytes,), (high.bytes,)),
                        bounds={"id": (high.bytes, low.bytes)})
    # A signed pair of which nobody can tell that it is one.
    builder.append_file(rows_of(fields, (high.bytes,)), bounds={"id": (low.bytes, low.bytes)})
    builder.commit()
    assert scan(builder.path, "--where", f"id > '{low}'").table().num_rows == 2
    assert scan(builder.path, "--where", f"id <= '{low}'").table().num_rows == 1


@pytest.mark.parametrize("nan_counts", ["true", None, {"id": 0}])
def test_a_file_that_may_hold_nan_does_not_end_at_its_bound(tmp_path, nan_counts):
    """Report 28: bounds never tell of NaN; an uncounted one is still in its place or an error."""
    fields = [field(1, "id", "double")]
    builder = TableBuilder(tmp_path / "t", fields, sort_orders=[ASCENDING])
    builder.append_file(rows_of(fields, (1.0,), (math.nan,)), sort_order_id=1,
                        nan_counts=nan_counts)
    builder.append_file(rows_of(fields, (2.0,), (3.0,)), sort_order_id=1)
    builder.commit()
    found = column(scan(builder.path, "--order-by", "id"))
    assert found[:3] == [1.0, 2.0, 3.0] and math.isnan(found[3])
    if nan_counts != {"id": 0}:
        assert scan(builder.path, "--where", "id > 5").table().num_rows == 1


def test_one_null_is_not_all_nulls(tmp_path):
    """Report 33."""
    builder = TableBuilder(tmp_path / "t", LONG_KEY)
    builder.append_file(rows_of(LONG_KEY, (1,), (None,)))
    builder.append_file(rows_of(LONG_KEY, (None,), (None,)))
    builder.append_file(rows_of(LONG_KEY, (2,)))
    builder.commit()
    assert sorted(column(scan(builder.path, "--where", "id is not null"))) == [1, 2]
    assert column(scan(builder.path, "--where", "id is null")) == [None] * 3
    plan = esker("explain", builder.path, "--where", "id is not null", "--json").json()
    assert plan["files"]["planned"] == 2


@pytest.mark.parametrize("where", ["case when s = 'a' then 1 end is null", "(s || 'x') is null",
                                   "upper(s) is null"])
def test_filters_are_on_bare_columns(where, tmp_path):
    """Report 34: no expression can be held against the bounds of its column."""
    fields = [field(1, "s", "string")]
    table = sorted_table(tmp_path / "t", fields, [("a",)])
    assert scan(table, "--where", where).code == USAGE


def test_bounds_of_odd_bytes(tmp_path):
    """Report 39: an upper bound that ends in half a surrogate pair, which no decoder takes."""
    fields = [field(1, "id", "string")]
    builder = TableBuilder(tmp_path / "t", fields, sort_orders=[ASCENDING])
    builder.append_file(rows_of(fields, ("a",), ("z\U0001f600",)), sort_order_id=1,
                        bounds={"id": (b"a", b"z\xed\xa0\xbd")})
    builder.append_file(rows_of(fields, ("b",)), sort_order_id=1)
    builder.commit()
    assert column(scan(builder.path)) == ["a", "b", "z\U0001f600"]
    for command in (["explain", builder.path, "--json"], ["files", builder.path, "--json"]):
        json.loads(esker(*command).out.decode("utf-8"))


def test_swapped_decimal_bounds_of_several_row_groups(tmp_path):
    """Report 44."""
    fields = [field(1, "id", "decimal(38,0)")]
    builder = TableBuilder(tmp_path / "t", fields, sort_orders=[ASCENDING])
    builder.append_file(rows_of(fields, *[(Decimal(n),) for n in (-300, -1, 5, 10**30)]),
                        sort_order_id=1, row_group_size=2,
                        bounds={"id": (Decimal(10**30), Decimal(-300))})
    builder.append_file(rows_of(fields, (Decimal(0),), (Decimal(7),)), sort_order_id=1)
    builder.commit()
    assert column(scan(builder.path)) == [-300, -1, 0, 5, 7, 10**30]
    assert column(scan(builder.path, "--where", "id < 0")) == [-300, -1]
    assert column(scan(builder.path, "--where", "id > 100")) == [10**30]


# ---- deletes ----

PERSON = [field(1, "id", "long", True), field(2, "name", "string", True), field(3, "n", "long")]


def people(path, format_version=2):
    builder = TableBuilder(path, PERSON, format_version=format_version)
    builder.append_file(rows_of(PERSON, (1, "a", 10), (2, "b", 20), (3, "c", 30)))
    builder.commit()
    return builder


def test_an_equality_delete_needs_its_keys_only(tmp_path):
    """Report 52: required columns that are no keys are not in the file."""
    builder = people(tmp_path / "t")
    builder.add_delete_file(pa.table({"id": [2]}), equality_ids=[1])
    builder.commit("delete")
    assert column(scan(builder.path)) == [1, 3]


@pytest.mark.parametrize("default,left", [(None, []), (7, [1, 2, 3])])
def test_a_key_that_is_younger_than_the_file(tmp_path, default, left):
    """Report 55: absent is the initial default, else null; renamed, and not asked for."""
    builder = people(tmp_path / "t", format_version=3)
    more = {} if default is None else {"initial-default": default}
    builder.set_schema([*PERSON, field(4, "late", "long", **more)])
    builder.add_delete_file(pa.table({"late": pa.array([None], pa.int64())}), equality_ids=[4])
    builder.commit("delete")
    builder.set_schema([*PERSON, field(4, "renamed", "long", **more)])
    builder.write_metadata()
    assert column(scan(builder.path, "--columns", "id")) == left
    assert column(scan(builder.path, "--columns", "id", "--where", "id < 9")) == left


def test_a_key_that_was_renamed_after_the_delete(tmp_path):
    """Report 55."""
    builder = people(tmp_path / "t")
    builder.add_delete_file(pa.table({"id": [1], "name": ["a"]}), equality_ids=[1, 2])
    builder.commit("delete")
    builder.set_schema([field(2, "id", "string", True), field(1, "key", "long", True)])
    builder.write_metadata()
    assert column(scan(builder.path, "--columns", "id"), "id") == ["b", "c"]


def test_counts_are_of_rows_that_are_left(tmp_path):
    """Reports 56 and 57: neither record counts nor the summary say how many there are."""
    builder = people(tmp_path / "t")
    builder.add_delete_file(pa.table({"id": [2, 3]}), equality_ids=[1])
    builder.commit("delete", publish=False)
    builder.snapshots[-1]["summary"] |= {"total-records": "1000", "total-data-files": "9"}
    builder.write_metadata()
    stats = tmp_path / "stats.json"
    assert esker("scan", builder.path, "--format", "none", "--stats", stats).code == DONE
    assert json.loads(stats.read_text())["rows"] == 1
    assert scan(builder.path, "--columns", "_pos").table().num_rows == 1


@pytest.mark.parametrize("gone", [range(100), range(3, 97), [6, 7, 8, 13, 14, 99]])
def test_row_groups_of_data_and_deletes_that_do_not_fit(tmp_path, gone):
    """Report 58: groups of seven rows of data, of nine deletes, and a filter that skips some."""
    builder = TableBuilder(tmp_path / "t", LONG_KEY, sort_orders=[ASCENDING])
    data = builder.append_file(rows_of(LONG_KEY, *[(n,) for n in range(100)]), row_group_size=7,
                               sort_order_id=1)
    builder.commit()
    info = builder.add_delete_file([(data["file_path"], n) for n in gone])
    target = builder.real_path(info["file_path"])
    pq.write_table(pq.read_table(target), target, row_group_size=9)
    info["file_size_in_bytes"] = target.stat().st_size
    builder.commit("delete")
    left = [n for n in range(100) if n not in gone]
    assert column(scan(builder.path)) == left
    assert column(scan(builder.path, "--order-by", "id desc")) == left[::-1]
    assert column(scan(builder.path, "--where", "id < 10 or id > 90")) == [
        n for n in left if n < 10 or n > 90]


def test_the_entry_says_what_a_file_is(tmp_path):
    """Report 64: by the manifest list the equality deletes are data."""
    builder = people(tmp_path / "t")
    builder.add_delete_file(pa.table({"id": [2]}), equality_ids=[1])
    write_list = builder.write_manifest_list

    def mislabelled(snapshot):
        for manifest in builder.manifests:
            manifest["content"] = 0
        return write_list(snapshot)

    builder.write_manifest_list = mislabelled
    builder.commit("delete")
    assert column(scan(builder.path)) == [1, 3]


def test_a_dangling_schema_id(tmp_path):
    """Report 68: an error in words, not whatever schema comes first."""
    builder = people(tmp_path / "t")
    builder.write_metadata(builder.metadata() | {"current-schema-id": 99})
    outcome = scan(builder.path)
    assert outcome.code == FAILURE and "99" in outcome.err


def test_a_dangling_schema_id_of_a_snapshot(tmp_path):
    """Report 68: the rows of then under the names of now would be wrong. The current state, a
    branch too, is read with the table's current schema, whatever its snapshot says."""
    builder = people(tmp_path / "t")
    metadata = builder.metadata()
    metadata["snapshots"][-1]["schema-id"] = 99
    builder.write_metadata(metadata)
    snapshot = metadata["snapshots"][-1]["snapshot-id"]
    outcome = scan(builder.path, "--snapshot", snapshot)
    assert outcome.code == FAILURE and "schema 99" in outcome.err
    assert scan(builder.path).code == DONE
    assert scan(builder.path, "--ref", "main").code == DONE


# ---- schemas, names, types ----

def test_a_required_member_of_a_null_struct_is_null(tmp_path):
    """Report 77: the struct is stored, and null in a row."""
    struct = {"type": "struct", "fields": [field(3, "x", "long", True)]}
    fields = [field(1, "id", "long"), field(2, "s", struct)]
    builder = TableBuilder(tmp_path / "t", fields)
    builder.append_file(rows_of(fields, (1, {"x": 5}), (2, None)))
    builder.commit()
    assert column(scan(builder.path, "--where", "s.x is null")) == [2]
    assert column(scan(builder.path, "--where", "s.x is not null")) == [1]
    assert column(scan(builder.path), "s") == [{"x": 5}, None]


def test_a_filter_on_a_partition_field_added_later(tmp_path):
    """Report 86: files of the unpartitioned spec are filtered row by row."""
    fields = [field(1, "id", "long"), field(2, "dt", "string")]
    builder = TableBuilder(tmp_path / "t", fields)
    builder.append_file(rows_of(fields, (1, "mon"), (2, "tue")))
    builder.commit()
    builder.set_spec([{"name": "dt", "transform": "identity", "source-id": 2}])
    for number, day in ((3, "mon"), (4, "tue")):
        builder.append_file(rows_of(fields, (number, day)), partition={"dt": day})
    builder.commit()
    assert sorted(column(scan(builder.path, "--where", "dt = 'mon'"))) == [1, 3]
    assert sorted(column(scan(builder.path, "--where", "dt <> 'mon'"))) == [2, 4]


def partitioned_by(path, kind, value, type_now):
    """A table of one row in an identity partition; the column's type changes after it."""
    fields = [field(1, "id", "long"), field(2, "d", kind)]
    builder = TableBuilder(path, fields, partition_spec=[
        {"name": "d", "transform": "identity", "source-id": 2}])
    cell = pa.array([value], pa.int32() if kind == "date" else pa.int64())
    builder.append_file(pa.table({"id": [1], "d": cell.cast(arrow_schema(fields).field("d").type)}),
                        partition={"d": value})
    builder.commit()
    builder.set_schema([field(1, "id", "long"), field(2, "d", type_now)])
    builder.write_metadata()
    return path


@pytest.mark.parametrize("type_now", ["timestamp", "timestamp_ns"])
def test_a_partition_value_of_a_date_is_no_time(type_now, tmp_path):
    """Days stand in the tuple of a date that was promoted to a timestamp, and nothing says so."""
    was_date = partitioned_by(tmp_path / "date", "date", 19_000, type_now)
    for arguments in ([], ["--where", "d >= '2000-01-01T00:00:00'"], ["--order-by", "d"]):
        outcome = scan(was_date, *arguments)
        assert outcome.code == UNSUPPORTED and "number of days" in outcome.err
    never = partitioned_by(tmp_path / "never", type_now, 19_000, type_now)
    assert column(scan(never)) == [1]
    assert column(scan(never, "--where", "d < '2000-01-01T00:00:00'")) == [1]


def listed_in_the_snapshot(builder):
    """The last snapshot names its manifests itself, as v1 allows."""
    data = json.loads(json.dumps(builder.metadata()))
    snapshot = data["snapshots"][-1]
    del snapshot["manifest-list"]
    snapshot["manifests"] = [manifest["manifest_path"] for manifest in builder.manifests]
    builder.write_metadata(data)


def test_manifests_that_no_list_tells_of_are_of_the_spec_of_their_header(tmp_path):
    """By spec 0 the tuple of spec 1 says that its file has no row of level 7."""
    fields = [field(1, "id", "long"), field(2, "level", "long")]
    builder = TableBuilder(tmp_path / "t", fields, format_version=1, partition_spec=[
        {"name": "level", "transform": "identity", "source-id": 2, "field-id": 1000}])
    builder.append_file(rows_of(fields, (1, 5)), partition={"level": 5})
    builder.set_spec([{"name": "id", "transform": "identity", "source-id": 1, "field-id": 1000}])
    builder.append_file(rows_of(fields, (2, 7)), partition={"id": 2}, spec_id=1)
    builder.commit()
    listed_in_the_snapshot(builder)
    assert sorted(column(scan(builder.path))) == [1, 2]
    assert column(scan(builder.path, "--where", "level = 7")) == [2]
    assert column(scan(builder.path, "--where", "level = 5")) == [1]
    assert sorted(column(scan(builder.path, "--columns", "id,level"), "level")) == [5, 7]


def test_a_manifest_of_another_spec_than_its_list_says(tmp_path):
    fields = [field(1, "id", "long"), field(2, "level", "long")]
    builder = TableBuilder(tmp_path / "t", fields, partition_spec=[
        {"name": "level", "transform": "identity", "source-id": 2}])
    builder.set_spec([])
    builder.append_file(rows_of(fields, (1, 5)), partition={"level": 5}, spec_id=0)
    write_list = builder.write_manifest_list

    def mislabelled(snapshot):
        for manifest in builder.manifests:
            manifest["partition_spec_id"] = 1
        return write_list(snapshot)

    builder.write_manifest_list = mislabelled
    builder.commit()
    outcome = scan(builder.path)
    assert outcome.code == FAILURE
    assert "header has partition spec 0, the manifest list says 1" in outcome.err


@pytest.mark.parametrize("version", [1, 2])
def test_a_column_whose_partition_field_became_void(tmp_path, version):
    """Report 89: void says nothing of the column, which is in the file."""
    fields = [field(1, "id", "long"), field(2, "p", "string")]
    builder = TableBuilder(tmp_path / "t", fields, format_version=version, partition_spec=[
        {"name": "p", "transform": "identity", "source-id": 2}])
    builder.append_file(rows_of(fields, (1, "x")), partition={"p": "x"})
    builder.commit()
    builder.set_spec([{"name": "p_void", "transform": "void", "source-id": 2}])
    builder.append_file(rows_of(fields, (2, "y")), partition={"p_void": None})
    builder.commit()
    assert sorted(column(scan(builder.path), "p")) == ["x", "y"]
    assert column(scan(builder.path, "--where", "p = 'y'")) == [2]


def test_time_travel_uses_the_schema_of_its_snapshot(tmp_path):
    """Reports 90 and 92: renamed, one column dropped and one added after the first snapshot."""
    builder = TableBuilder(tmp_path / "t", [field(1, "old", "int"), field(2, "gone", "string")])
    builder.append_file(pa.table({"old": pa.array([1], pa.int32()), "gone": ["x"]}))
    builder.commit()
    builder.set_schema([field(1, "new", "long"), field(3, "added", "long")])
    builder.append_file(pa.table({"new": [2], "added": [9]}))
    builder.commit()
    before = scan(builder.path, "--snapshot", FIRST_SNAPSHOT).table()
    assert before.to_pylist() == [{"old": 1, "gone": "x"}]
    assert before.schema.field("old").type == pa.int32()
    assert sorted(scan(builder.path).table().to_pylist(), key=lambda row: row["new"]) == [
        {"new": 1, "added": None}, {"new": 2, "added": 9}]
    assert column(scan(builder.path, "--snapshot", FIRST_SNAPSHOT, "--where", "gone = 'x'"),
                  "old") == [1]


@pytest.mark.parametrize("value", ["absent", None])
def test_a_snapshot_without_schema_id(tmp_path, value):
    """Report 93: then the current schema counts."""
    builder = people(tmp_path / "t")
    metadata = builder.metadata()
    if value == "absent":
        del metadata["snapshots"][0]["schema-id"]
    else:
        metadata["snapshots"][0]["schema-id"] = value
    builder.write_metadata(metadata)
    assert column(scan(builder.path)) == [1, 2, 3]
    assert column(scan(builder.path, "--snapshot", FIRST_SNAPSHOT)) == [1, 2, 3]


@pytest.mark.parametrize("dictionary", [True, False])
def test_int96_in_dictionary_pages(tmp_path, dictionary):
    """Report 96: packed in dictionaries, over several pages and row groups."""
    fields = [field(1, "t", "timestamp")]
    micros = [(n % 5 - 2) * 86_400_000_001 for n in range(3000)]
    builder = TableBuilder(tmp_path / "t", fields)
    path = append_written(
        builder, pa.table([pa.array(micros, pa.timestamp("us"))], schema=arrow_schema(fields)),
        lambda table, target: pq.write_table(
            table, target, use_deprecated_int96_timestamps=True, use_dictionary=dictionary,
            row_group_size=1000, data_page_size=64, write_batch_size=100, store_schema=False))
    builder.commit()
    stored = pq.ParquetFile(path).metadata.row_group(0).column(0)
    assert stored.physical_type == "INT96" and stored.has_dictionary_page == dictionary
    found = scan(builder.path).table().column("t").cast(pa.int64()).to_pylist()
    assert found == micros


def test_maps_of_lists_with_nulls(tmp_path):
    """Report 98: at every level, in batches of every size."""
    lists = {"type": "list", "element-id": 5, "element": "string", "element-required": False}
    maps = {"type": "map", "key-id": 3, "key": "string", "value-id": 4, "value": lists,
            "value-required": False}
    fields = [field(1, "id", "long"), field(2, "m", maps)]
    values = [[("a", ["x", None]), ("b", None)], None, [], [("c", [])], [("d", [None])]]
    builder = TableBuilder(tmp_path / "t", fields, sort_orders=[ASCENDING])
    builder.append_file(rows_of(fields, *enumerate(values)), row_group_size=2, sort_order_id=1)
    builder.commit()
    for size in (1, 2, 3, 100):
        assert column(scan(builder.path, "--batch-rows", size), "m") == values
        assert column(scan(builder.path, "--order-by", "id desc", "--batch-rows", size),
                      "m") == values[::-1]


@pytest.mark.parametrize("where", ["id > 100", "id = 2 and name = 'c'", "false"])
def test_no_matching_row_leaves_the_schema(tmp_path, where):
    """Report 99: with required columns, pruned by bounds and row by row."""
    builder = people(tmp_path / "t")
    found = scan(builder.path, "--where", where).table()
    assert found.num_rows == 0 and found.column_names == ["id", "name", "n"]


# ---- metadata, manifests, paths ----

class OtherHeaders(TableBuilder):
    """Writes manifests whose Avro header is changed."""

    changes = {}

    def write_avro(self, name, schema, records, metadata):
        if not name.startswith("snap-"):
            metadata = {**metadata, **self.changes}
        return super().write_avro(name, schema, records, metadata)


@pytest.mark.parametrize("schema", ["not json", "{}", json.dumps(
    {"type": "struct", "schema-id": 0, "fields": [field(1, "other", "binary")]})])
@pytest.mark.parametrize("partitioned", [False, True])
def test_the_schema_in_a_manifest_header_is_not_needed(tmp_path, schema, partitioned):
    """Report 107: types and specs come from the table's metadata."""
    spec = [{"name": "id", "transform": "identity", "source-id": 1}] if partitioned else []
    builder = OtherHeaders(tmp_path / "t", LONG_KEY, partition_spec=spec)
    builder.changes = {"schema": schema}
    builder.append_file(rows_of(LONG_KEY, (1,)), partition={"id": 1} if partitioned else None)
    builder.commit()
    assert column(scan(builder.path)) == [1]
    assert column(scan(builder.path, "--where", "id = 2")) == []


@pytest.mark.parametrize("version,header", [(1, "2"), (2, "1"), (3, "2"), (3, "1")])
def test_versions_of_list_and_manifest_may_differ(tmp_path, version, header):
    """Report 108."""
    builder = OtherHeaders(tmp_path / "t", LONG_KEY, format_version=version)
    builder.changes = {"format-version": header}
    builder.append_file(rows_of(LONG_KEY, (1,), (2,)))
    builder.commit()
    assert column(scan(builder.path)) == [1, 2]


@pytest.mark.parametrize("name", ["v2.gz.metadata.json", "v2.metadata.json.gz",
                                  "v2.gzip.metadata.json", "v2.metadata.json"])
def test_compressed_metadata_is_told_by_its_content(tmp_path, name):
    """Report 112: whatever the name says; a plain file under such a name is fine too."""
    builder = people(tmp_path / "t")
    plain = (builder.path / "metadata" / "v1.metadata.json").read_bytes()
    (builder.path / "metadata" / "version-hint.text").unlink()
    for content in (gzip.compress(plain), plain):
        (builder.path / "metadata" / name).write_bytes(content)
        assert column(scan(builder.path)) == [1, 2, 3]
        assert column(scan(builder.path / "metadata" / name)) == [1, 2, 3]


@pytest.mark.parametrize("name", ["p=a#b.parquet", "p=a?b=c.parquet", "p=100%25.parquet",
                                  "p=%zz.parquet", "p=a b.parquet", "p=ü+&.parquet"])
@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_paths_are_opaque(tmp_path, name, scheme):
    """Report 115, under each of the spellings of report 116."""
    builder = TableBuilder(tmp_path / "t", LONG_KEY, location=f"{scheme}{tmp_path / 't'}")
    builder.append_file(rows_of(LONG_KEY, (1,)), file_path=f"{builder.location}/data/{name}")
    builder.commit()
    assert column(scan(builder.path)) == [1]
    assert column(scan(f"{scheme}{builder.path}", "--columns", "_file"), "_file") == [
        f"{builder.location}/data/{name}"]


def test_row_groups_without_rows(tmp_path):
    """Report 120: in front, between others, at the end, and alone."""
    fields = LONG_KEY
    empty = rows_of(fields)

    def write(groups):
        def write_groups(_, target):
            with pq.ParquetWriter(target, empty.schema) as writer:
                for group in groups:
                    writer.write_table(rows_of(fields, *group))
        return write_groups

    for number, groups in enumerate(([[]], [[], [(1,)]], [[(1,)], [], [(2,)], []], [[], []])):
        rows = [row for group in groups for row in group]
        builder = TableBuilder(tmp_path / f"t{number}", fields)
        path = append_written(builder, rows_of(fields, *rows), write(groups))
        builder.commit()
        metadata = pq.ParquetFile(path).metadata
        assert 0 in [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        for order in ("id", "id desc"):
            found = column(scan(builder.path, "--order-by", order))
            assert found == sorted((row[0] for row in rows), reverse=order != "id")
