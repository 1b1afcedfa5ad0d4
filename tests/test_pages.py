"""Pruning within files of other writers: page indexes of pyarrow, Bloom filters of DuckDB."""

import json

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import iceberg_writer
from command import DONE, esker

ROWS = 20_000
FIELDS = [iceberg_writer.field(1, "k", "long"), iceberg_writer.field(2, "v", "long"),
          iceberg_writer.field(3, "name", "string")]


def table_of(path, write):
    """A table of one file of ROWS rows, which `write` puts at the path that it is given."""
    builder = iceberg_writer.TableBuilder(path, FIELDS)
    info = builder.append_file(None, record_count=ROWS)
    file = builder.real_path(info["file_path"])
    file.parent.mkdir(parents=True, exist_ok=True)
    write(file)
    builder.commit()
    return path, file


def read(tmp_path, table, where):
    """The rows that come out, as a list of dicts, and the statistics of the scan."""
    stats = tmp_path / "stats.json"
    outcome = esker("scan", table, "--format", "arrow", "--where", where, "--stats", stats)
    assert outcome.code == DONE, outcome.err
    return outcome.table().to_pylist(), json.loads(stats.read_text())


# --- page indexes ----------------------------------------------------------------------------


def ascending():
    return pa.table({
        "k": pa.array(range(ROWS), pa.int64()),
        "v": pa.array([None if i % 5 == 0 else i * 7919 % 1000 for i in range(ROWS)], pa.int64()),
        "name": pa.array([f"name-{i // 100:05d}" for i in range(ROWS)])})


def pyarrow_table(path, **options):
    rows = ascending().cast(iceberg_writer.arrow_schema(FIELDS))
    return table_of(path, lambda file: pq.write_table(
        rows, file, data_page_size=4096, write_batch_size=500, use_dictionary=False, **options))


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    return pyarrow_table(tmp_path_factory.mktemp("pages") / "indexed", write_page_index=True)[0]


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    return pyarrow_table(tmp_path_factory.mktemp("pages") / "bare", write_page_index=False)[0]


FILTERS = {
    "k = 12345": lambda t: pc.equal(t["k"], 12345),
    "k in (3, 19999)": lambda t: pc.is_in(t["k"], pa.array([3, 19999])),
    "name = 'name-00042'": lambda t: pc.equal(t["name"], "name-00042"),
    "name like 'name-0001%' and v is null": lambda t: pc.and_kleene(
        pc.starts_with(t["name"], "name-0001"), pc.is_null(t["v"])),
    "k < 700 or k >= 19000 and v > 500": lambda t: pc.or_kleene(
        pc.less(t["k"], 700),
        pc.and_kleene(pc.greater_equal(t["k"], 19000), pc.greater(t["v"], 500))),
}


@pytest.mark.parametrize("where", FILTERS)
def test_pages_are_left_out_where_an_index_is(tmp_path, indexed, bare, where):
    rows, with_index = read(tmp_path, indexed, where)
    assert rows == ascending().filter(FILTERS[where](ascending())).to_pylist()
    same, without = read(tmp_path, bare, where)
    assert same == rows
    assert with_index["pages_skipped"] > 20 and without["pages_skipped"] == 0
    assert with_index["bytes_read"] < without["bytes_read"] / 2


# --- Bloom filters ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def duckdb_table(tmp_path_factory):
    """Numbers and names, even ones alone, in five row groups that all have them all. They are few, for
    DuckDB writes Bloom filters beside dictionaries alone."""
    def write(file):
        duckdb.execute(f"""
            COPY (SELECT (i * 7919 % 400) * 2 AS k, i AS v,
                         'name-' || (i * 31 % 500) * 2 AS name FROM range({ROWS}) t(i))
            TO '{file}' (FORMAT parquet, ROW_GROUP_SIZE 4096, FIELD_IDS {{k: 1, v: 2, name: 3}})""")
    return table_of(tmp_path_factory.mktemp("bloom") / "duckdb", write)


def excluded_by_duckdb(file, column, value):
    return duckdb.execute(
        "SELECT count(*) FILTER (bloom_filter_excludes) FROM parquet_bloom_probe(?, ?, ?)",
        [str(file), column, value]).fetchone()[0]


@pytest.mark.parametrize("column, value, literal", [
    ("k", 11, "11"), ("k", 12, "12"), ("k", 501, "501"), ("k", 798, "798"),
    ("name", "name-12", "'name-12'"), ("name", "name-13", "'name-13'"),
    ("name", "name-1", "'name-1'")])
def test_row_groups_are_left_out_as_duckdb_leaves_them(
        tmp_path, duckdb_table, column, value, literal):
    table, file = duckdb_table
    rows, statistics = read(tmp_path, table, f"{column} = {literal}")
    written = pq.read_table(file).to_pylist()
    assert rows == [row for row in written if row[column] == value]
    excluded = excluded_by_duckdb(file, column, value)
    assert excluded == (5 if value in (11, 501, "name-13", "name-1") else 0)
    assert statistics["row_groups_skipped"] == excluded
