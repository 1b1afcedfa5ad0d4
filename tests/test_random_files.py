"""Random Parquet files of every way pyarrow can write them, with every type: order and filters.

Every file has its own codec, encodings, page version, page size and page index, and values at the
ends of their types. What comes out is compared with plain Python: rows one by one, keys by
neighbours, filters by exact arithmetic. Schemas that change: test_random_evolution.py.

The seed is ESKER_SEED; a failure prints it with the number of the table.
"""

import functools
import itertools
import random
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import iceberg_writer
from command import DONE, scan
from iceberg_writer import arrow_schema, field, sort_order
from random_values import DAY_US, compare_keys, wide_value
from test_random_evolution import ROUNDS, SEED, literal_text, multiset
from value_text import column, rank

KINDS = ("boolean", "int", "long", "float", "double", "decimal(1,0)", "decimal(9,2)",
         "decimal(18,18)", "decimal(19,3)", "decimal(38,10)", "date", "time", "timestamp",
         "timestamptz", "timestamp_ns", "timestamptz_ns", "string", "uuid", "fixed[3]", "fixed[17]",
         "binary")


# --- Files ---------------------------------------------------------------------------------------


def encoding(rng, kind):
    """One of the encodings beside the dictionary, which some writers use for that type."""
    others = {"string": ("DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"), "boolean": ("RLE",),
              "binary": ("DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")}
    if kind in ("int", "long", "date", "time") or kind.startswith("timestamp"):
        return rng.choice(("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"))
    return rng.choice(("PLAIN", *others.get(kind, ("BYTE_STREAM_SPLIT",))))


def writer_options(rng, fields):
    dictionary = rng.random() < 0.5
    return {"compression": rng.choice(("none", "snappy", "gzip", "brotli", "zstd", "lz4")),
            "data_page_version": rng.choice(("1.0", "2.0")), "use_dictionary": dictionary,
            "column_encoding": None if dictionary else {
                f["name"]: encoding(rng, f["type"]) for f in fields},
            "data_page_size": rng.choice((16, 64, 1 << 20)),
            "write_batch_size": rng.choice((1, 10, 1024)),
            "dictionary_pagesize_limit": rng.choice((1, 1 << 20)),
            "row_group_size": rng.choice((None, 1, 10)),
            "write_page_index": rng.random() < 0.6, "write_statistics": rng.random() < 0.85,
            "write_page_checksum": rng.random() < 0.3, "store_schema": rng.random() < 0.5,
            "store_decimal_as_integer": rng.random() < 0.5}


class RandomFiles(iceberg_writer.TableBuilder):
    """A table of files that claim no order or a true one; `rows` are those of all files."""

    def __init__(self, path, rng):
        self.rng, self.rows = rng, []
        fields = [field(i + 1, f"c{i}", rng.choice(KINDS), rng.random() < 0.2)
                  for i in range(rng.randrange(2, 6))]
        self.keys = random_keys(rng, fields)
        super().__init__(path, fields, format_version=3, sort_orders=[sort_order(1, *[
            (f["id"], "desc" if descending else "asc", "nulls-first" if first else "nulls-last")
            for f, descending, first in self.keys])])
        for _ in range(rng.randrange(1, 7)):
            self.append_rows(rng.choice((0, 1, 7, 60)))
        self.commit()

    def append_rows(self, count):
        rng, sort_order_id = self.rng, self.rng.choice((None, 1, 1))
        rows = [tuple(None if not f["required"] and rng.random() < 0.15
                      else wide_value(rng, f["type"]) for f in self.fields) for _ in range(count)]
        if sort_order_id:
            rows.sort(key=functools.cmp_to_key(functools.partial(compare_rows, self.keys)))
        names = [f["name"] for f in self.fields]
        table = pa.Table.from_pylist([dict(zip(names, row)) for row in rows],
                                     arrow_schema(self.fields))
        self.append_file(table, sort_order_id=sort_order_id, truncate=rng.choice((None, 1, 16)),
                         bounds=rng.choice(("true", None)), nan_counts=rng.choice(("true", None)))
        self.rows += rows

    def new_file(self, table, fields, *arguments):
        info = super().new_file(table, fields, *arguments)
        target = self.real_path(info["file_path"])
        pq.write_table(table.cast(arrow_schema(fields)), target,
                       **writer_options(self.rng, fields))
        info.pop("split_offsets")
        return info | {"file_size_in_bytes": target.stat().st_size}


# --- Orders and filters --------------------------------------------------------------------------


def random_keys(rng, fields):
    return [(f, rng.random() < 0.5, rng.random() < 0.5)
            for f in rng.sample(fields, rng.randrange(1, min(4, len(fields) + 1)))]


def compare_rows(keys, a, b):
    places = [f["id"] - 1 for f, _, _ in keys]
    return compare_keys([a[i] for i in places], [b[i] for i in places],
                        [(f["type"], descending, first) for f, descending, first in keys])


def random_literal(rng, kind):
    """(text, value): a value of the column, or a number that no such column can hold."""
    if kind in ("int", "long") or kind.startswith("decimal"):
        if rng.random() < 0.4:
            number = rng.choice(("0.5", "-2.5", "3e9", "-1e19", "1e-11", "1e40", "-1e40", "10e-1"))
            return number, Decimal(number)
    value = wide_value(rng, kind)
    if kind.endswith("_ns"):
        value = rng.randrange(-3, 4) * DAY_US
        return literal_text(value, kind[:-3]), value * 1000
    if kind in ("float", "double"):
        return f"'{value}'", value
    return literal_text(value, kind), value


def random_test(rng, fields):
    """(text, function from a row to True, False or None) of a test of one column."""
    f = rng.choice(fields)
    name, at, kind = f["name"], f["id"] - 1, f["type"]
    signs = {"=": (0,), "<>": (-1, 1), "<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}

    def side(row, value):
        a, b = rank(row[at], kind), rank(value, kind)
        return (a > b) - (a < b)

    def unless_null(test):
        return lambda row: None if row[at] is None else test(row)
    form = rng.randrange(3)
    (low_text, low), (high_text, high) = (random_literal(rng, kind) for _ in range(2))
    if form == 0:
        return f"{name} in ({low_text}, {high_text})", unless_null(
            lambda row: side(row, low) == 0 or side(row, high) == 0)
    if form == 1:
        return f"{name} between {low_text} and {high_text}", unless_null(
            lambda row: side(row, low) >= 0 and side(row, high) <= 0)
    sign = rng.choice(list(signs))
    return f"{name} {sign} {low_text}", unless_null(lambda row: side(row, low) in signs[sign])


# --- Checks --------------------------------------------------------------------------------------


def read(builder, *arguments):
    outcome = scan(builder.path, *arguments)
    assert outcome.code == DONE, f"{arguments}: exit {outcome.code}: {outcome.err}"
    table = outcome.table()
    return list(zip(*[column(table, name) for name in table.column_names]))


def check(got, wanted, keys, what):
    assert multiset(got) == multiset(wanted), f"{what}: {len(got)} rows, not the {len(wanted)}"
    for a, b in itertools.pairwise(got):
        assert compare_rows(keys, a, b) <= 0, f"{what}: {a} before {b}"


def check_table(folder, number):
    rng = random.Random(f"{SEED} files {number}")
    builder = RandomFiles(folder / str(number), rng)
    try:
        for keys in (builder.keys, random_keys(rng, builder.fields)):
            order = ("--order-by", ", ".join(
                f"{f['name']} {'desc' if descending else 'asc'} nulls {'first' if first else 'last'}"
                for f, descending, first in keys))
            check(read(builder, *order), builder.rows, keys, order)
            (where, test), (other_where, other) = (random_test(rng, builder.fields) for _ in "ab")
            where = f"not ({where}) and {other_where}"
            kept = [row for row in builder.rows if test(row) is False and other(row) is True]
            check(read(builder, *order, "--where", where), kept, keys, (*order, where))
    except Exception as error:
        raise AssertionError(f"ESKER_SEED={SEED}, table {number} in {builder.path}, "
                             f"{builder.fields}: {error}") from error


def test_random_files(tmp_path):
    for number in range(15):
        check_table(tmp_path, number)


@pytest.mark.slow
def test_many_random_files(tmp_path):
    for number in range(15, 15 + 30 * ROUNDS):
        check_table(tmp_path, number)
