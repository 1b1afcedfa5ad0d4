"""Random tables whose schema, partitions and deletes change: esker against the slow reader.

The seed is ESKER_SEED; a failure prints it with the number of the table and the table's life.
"""

import collections
import datetime
import functools
import math
import os
import random
import shutil
import struct
import uuid

import pyarrow as pa
import pytest

from command import DONE, quoted, scan
from iceberg_writer import TableBuilder, field
from random_tables import TableLife
from random_values import compare_keys, default_text, leaf_fields, random_value
from slow_reader import read_table
from value_text import rank

SEED = int(os.environ.get("ESKER_SEED", "20260101"))
ROUNDS = int(os.environ.get("ESKER_ROUNDS", "1"))
OUTPUT_TYPES = {"boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(),
                "float": pa.float32(), "double": pa.float64(), "date": pa.date32(),
                "time": pa.time64("us"), "fixed[3]": pa.binary(3),
                "timestamp": pa.timestamp("us"), "decimal(9,2)": pa.decimal128(9, 2),
                "decimal(20,2)": pa.decimal128(20, 2)}


# --- Rows ----------------------------------------------------------------------------------------


def plain(value):
    """A value of an Arrow row as the slow reader gives it."""
    if isinstance(value, dict):
        return tuple(plain(member) for member in value.values())
    if isinstance(value, datetime.datetime):
        whole = value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)
        return whole // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).days
    if isinstance(value, datetime.time):
        return plain(datetime.datetime.combine(datetime.date(1970, 1, 1), value))
    return value.bytes if isinstance(value, uuid.UUID) else value


def rows_of(table):
    return [tuple(plain(v) for v in row)
            for row in zip(*(column.to_pylist() for column in table.columns))]


def exact(value):
    """A value that equals only itself: the sign of zero counts, all NaN are one."""
    if isinstance(value, tuple):
        return tuple(exact(member) for member in value)
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else struct.pack(">d", value)
    return value


def multiset(rows):
    return collections.Counter(exact(row) for row in rows)


def same_rows(got, wanted, what):
    extra, missing = multiset(got) - multiset(wanted), multiset(wanted) - multiset(got)
    assert not extra and not missing, (
        f"{what}: {len(got)} rows instead of {len(wanted)}; too many {dict(extra)}; "
        f"missing {dict(missing)}")


def position_of(fields, path):
    """Where a column or a member of a struct lies in a row."""
    where = []
    for name in path:
        names = [f["name"] for f in fields]
        where.append(names.index(name))
        inner = fields[where[-1]]["type"]
        fields = inner["fields"] if isinstance(inner, dict) else []
    return where


def cell(row, where):
    for index in where:
        if row is None:
            return None
        row = row[index]
    return row


def name_text(path):
    return ".".join(quoted(name) for name in path)


# --- Orders --------------------------------------------------------------------------------------


class Order:
    """A random --order-by, its text and its comparison."""

    def __init__(self, rng, fields):
        leaves = leaf_fields(fields)
        self.keys = [(f, path, rng.random() < 0.5, rng.random() < 0.5)
                     for f, path in rng.sample(leaves, rng.randrange(1, min(4, len(leaves) + 1)))]
        self.where = [position_of(fields, path) for _, path, _, _ in self.keys]
        self.text = ", ".join(
            f"{name_text(path)} {'desc' if descending else 'asc'} nulls "
            f"{'first' if nulls_first else 'last'}" for _, path, descending, nulls_first in self.keys)

    def compare(self, a, b):
        return compare_keys(*([cell(row, where) for where in self.where] for row in (a, b)),
                            [(f["type"], desc, first) for f, _, desc, first in self.keys])

    def check(self, rows):
        for number, (a, b) in enumerate(zip(rows, rows[1:])):
            assert self.compare(a, b) <= 0, f"order by {self.text}: row {number} {a} before {b}"

    def first(self, rows, count):
        return sorted(rows, key=functools.cmp_to_key(self.compare))[:count]


# --- Filters -------------------------------------------------------------------------------------


def literal_text(value, kind):
    if kind == "date":
        return f"date '{datetime.date(1970, 1, 1) + datetime.timedelta(days=value)}'"
    if kind.startswith("timestamp"):
        when = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=value)
        return f"timestamp '{when.isoformat()}{'Z' if kind == 'timestamptz' else ''}'"
    if kind == "string":
        return "'" + value.replace("'", "''") + "'"
    if kind == "binary" or kind.startswith("fixed"):
        return f"X'{value.hex()}'"
    if kind in ("time", "uuid"):
        return f"'{default_text(value, kind)}'"
    return str(value).lower() if kind == "boolean" else str(value)


def negated(truth):
    return None if truth is None else not truth


def both(a, b):
    return False if a is False or b is False else None if a is None or b is None else True


def random_literal(rng, kind):
    value = random_value(rng, kind)
    while kind in ("float", "double") and not math.isfinite(value):
        value = random_value(rng, kind)
    return value


def simple_filter(rng, fields):
    """(text, function from a row to True, False or None) of a test of one column."""
    f, path = rng.choice(leaf_fields(fields))
    name, where, kind = name_text(path), position_of(fields, path), f["type"]
    form = rng.randrange(6)
    if form == 0:
        return f"{name} is null", lambda row: cell(row, where) is None
    if form == 1 and kind in ("float", "double"):
        return f"{name} is nan", lambda row: (  # false of null, as in Spark and Iceberg's own
            cell(row, where) is not None and math.isnan(cell(row, where)))
    if form == 2:
        values = [random_literal(rng, kind) for _ in range(rng.randrange(1, 4))]
        text = f"{name} in ({', '.join(literal_text(v, kind) for v in values)})"
        return text, lambda row: (
            None if cell(row, where) is None else
            any(rank(cell(row, where), kind) == rank(v, kind) for v in values))
    value, sign = random_literal(rng, kind), rng.choice(("=", "<>", "<", "<=", ">", ">="))

    def compared(row):
        if cell(row, where) is None:
            return None
        a, b = rank(cell(row, where), kind), rank(value, kind)
        return {"=": a == b, "<>": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]
    return f"{name} {sign} {literal_text(value, kind)}", compared


def random_filter(rng, fields):
    text, test = simple_filter(rng, fields)
    if rng.random() < 0.3:
        text, test = f"not ({text})", functools.partial(lambda t, row: negated(t(row)), test)
    if rng.random() < 0.4:
        other_text, other = simple_filter(rng, fields)
        first = test
        if rng.random() < 0.5:
            return f"({text}) and ({other_text})", lambda row: both(first(row), other(row))
        return f"({text}) or ({other_text})", lambda row: negated(
            both(negated(first(row)), negated(other(row))))
    return text, test


# --- Checks --------------------------------------------------------------------------------------


def read(table, *arguments):
    outcome = scan(table, *arguments)
    assert outcome.code == DONE, f"{arguments}: exit {outcome.code}: {outcome.err}"
    return outcome.table()


def some_options(rng):
    """Options that must not change the rows."""
    return rng.choice(((), ("--max-merge-files", "2"), ("--batch-rows", "3"), ("--memory", "32MB")))


def check_whole(rng, folder, fields, rows):
    got = read(folder, *some_options(rng))
    assert got.column_names == [f["name"] for f in fields]
    for f, kind in zip(fields, got.schema.types):
        if isinstance(f["type"], str) and f["type"] in OUTPUT_TYPES:
            assert kind == OUTPUT_TYPES[f["type"]], f
    same_rows(rows_of(got), rows, "whole table")


def check_order(rng, folder, fields, rows):
    order = Order(rng, fields)
    got = rows_of(read(folder, "--order-by", order.text, *some_options(rng)))
    order.check(got)
    same_rows(got, rows, f"order by {order.text}")
    limit = rng.randrange(len(rows) + 2)
    few = rows_of(read(folder, "--order-by", order.text, "--limit", limit))
    wanted = order.first(rows, limit)
    order.check(few)
    assert len(few) == len(wanted)
    assert all(order.compare(a, b) == 0 for a, b in zip(few, wanted)), f"limit {limit}"
    assert not multiset(few) - multiset(rows), f"limit {limit}: rows that the table does not have"


def check_filter(rng, folder, fields, rows):
    """A filter, some of the columns, and an order that may be by columns that are not among them."""
    text, test = random_filter(rng, fields)
    chosen = rng.sample(fields, rng.randrange(1, len(fields) + 1))
    order = Order(rng, fields)
    ordered = rng.choice((("--order-by", order.text), ("--order", "none")))
    got = read(folder, "--where", text, "--columns", ",".join(quoted(f["name"]) for f in chosen),
               *ordered, *some_options(rng))
    where = [fields.index(f) for f in chosen]
    kept = [row for row in rows if test(row) is True]
    same_rows(rows_of(got), [tuple(row[i] for i in where) for row in kept], f"where {text}")
    if ordered[0] == "--order-by" and len(chosen) == len(fields):
        back = [where.index(i) for i in range(len(fields))]
        order.check([tuple(row[i] for i in back) for row in rows_of(got)])


def check_past(rng, folder, snapshots):
    """An older snapshot, read with the schema it was written with."""
    snapshot_id = rng.choice(snapshots)["snapshot-id"]
    fields, rows = read_table(folder, snapshot_id)
    got = read(folder, "--snapshot", snapshot_id)
    assert got.column_names == [f["name"] for f in fields], f"snapshot {snapshot_id}"
    same_rows(rows_of(got), rows, f"snapshot {snapshot_id}")


def check_table(folder, seed, number):
    """Makes table `number` of a seed and compares every reading of it; returns its rows."""
    rng = random.Random(f"{seed} {number}")
    life = TableLife(folder, rng)
    try:
        life.live()
        fields, rows = read_table(folder)
        check_whole(rng, folder, fields, rows)
        check_order(rng, folder, fields, rows)
        check_filter(rng, folder, fields, rows)
        if rng.random() < 0.4:
            check_past(rng, folder, life.builder.snapshots)
    except Exception as error:
        story = "\n  ".join(life.story)
        raise AssertionError(f"ESKER_SEED={seed}, table {number} in {folder}: {error}\n"
                             f"  {story}") from error
    shutil.rmtree(folder)
    return rows


def check_tables(folder, numbers):
    sizes = [len(check_table(folder / str(number), SEED, number)) for number in numbers]
    assert sum(size > 20 for size in sizes) > len(sizes) / 4, "hardly a table has rows"


def test_forty_random_tables(tmp_path):
    check_tables(tmp_path, range(40))


@pytest.mark.slow
def test_many_random_tables(tmp_path):
    check_tables(tmp_path, range(40, 40 + 300 * max(1, math.ceil(ROUNDS / 10))))


# --- What they found -----------------------------------------------------------------------------


@pytest.mark.parametrize("required", [False, True])
def test_an_equality_delete_by_a_dropped_column_that_only_the_partition_holds(tmp_path, required):
    day, value = field(1, "day", "int", required), field(2, "value", "long")
    builder = TableBuilder(tmp_path / "t", [day, value])
    builder.set_spec([{"name": "day", "transform": "identity", "source-id": 1}])
    builder.schemas[-1]["fields"] = [value]  # the file does not store the day
    for number in (1, 2):
        builder.append_file(pa.table({"value": [number]}), partition={"day": number})
    builder.schemas[-1]["fields"] = [day, value]
    builder.commit(publish=False)
    builder.set_spec([])
    builder.add_delete_file(pa.table({"day": [2]}), equality_ids=[1])
    builder.commit(publish=False)
    builder.set_schema([value])
    builder.write_metadata()
    assert rows_of(read(builder.path)) == [(1,)]
    assert read_table(builder.path)[1] == [(1,)]


def test_an_equality_delete_by_a_required_column_that_a_rewritten_file_no_longer_has(tmp_path):
    key, value = field(1, "key", "int", True), field(2, "value", "long")
    builder = TableBuilder(tmp_path / "t", [key, value])
    builder.append_file(pa.table({"key": pa.array([1, 2], pa.int32()), "value": [1, 2]}))
    builder.commit(publish=False)
    builder.add_delete_file(pa.table({"key": [2]}), equality_ids=[1])
    builder.commit(publish=False)
    builder.set_schema([value])
    builder.append_file(pa.table({"value": [3]}), sequence_number=1, file_sequence_number=1, status=0)
    builder.commit()
    assert sorted(rows_of(read(builder.path))) == [(1,), (3,)]
    assert sorted(read_table(builder.path)[1]) == [(1,), (3,)]
