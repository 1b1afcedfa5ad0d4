"""Random tables in random orders, with Polars and DuckDB as judges of what comes out.

The rows are those of the slow reader. Each judge sorts the keys on its own; rows of equal keys are a
group, within which any order is right. So the rows that esker gives have to be the groups, one after
the other, each with its very rows: that holds for columns without the keys and for limits too. Some
tables lie: a file claims an order and its rows are shuffled. Such a scan may stop, saying so, and has
to be right if the file may be sorted.

The seed is ESKER_SEED; a failure prints it with the number of the table and the table's life.
"""

import itertools
import math
import random
import shutil

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from command import DISORDER, DONE, quoted, scan
from iceberg_writer import arrow_type
from random_tables import TableLife
from slow_reader import read_table
from test_random_evolution import ROUNDS, SEED, Order, cell, multiset, rows_of
from value_text import text


class LooseLife(TableLife):
    """Tables with larger files, some of which may claim an order that they do not have."""

    FILE_ROWS = (0, 1, 7, 40, 300)

    def __init__(self, path, rng):
        self.lie_odds = rng.choice((0, 0, 0.3))
        self.liars = 0
        super().__init__(path, rng)

    def sorted_rows(self, rows):
        order_id, rows = super().sorted_rows(rows)
        if order_id and len(rows) > 1 and self.rng.random() < self.lie_odds:
            self.rng.shuffle(rows)
            self.liars += 1
            self.tell("the next file lies")
        return order_id, rows


# --- Judges --------------------------------------------------------------------------------------


def key_table(order, rows):
    """The keys of the rows as columns k0, k1 … of their own types, with the number of the row."""
    columns = {"n": pa.array(range(len(rows)), pa.int64())}
    for i, (f, where) in enumerate(zip((key[0] for key in order.keys), order.where)):
        columns[f"k{i}"] = pa.array([cell(row, where) for row in rows], judged_type(f["type"]))
    return pa.table(columns)


def judged_type(kind):
    """Bytes of a fixed length, and uuids, are bytes to the judges."""
    return pa.binary() if kind == "uuid" or kind.startswith("fixed") else arrow_type(kind)


def polars_order(order, keys):
    names = [f"k{i}" for i in range(len(order.keys))]
    _, _, descending, nulls_first = zip(*order.keys)
    frame = pl.from_arrow(keys).sort(names, descending=list(descending),
                                     nulls_last=[not first for first in nulls_first])
    return frame["n"].to_list()


def duckdb_order(order, keys):
    texts = [f"k{i} {'desc' if descending else 'asc'} nulls {'first' if first else 'last'}"
             for i, (_, _, descending, first) in enumerate(order.keys)]
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("keys", keys)
        found = connection.sql(f"select n from keys order by {', '.join(texts)}").fetchall()
    return [number for number, in found]


def groups_of(order, rows, numbers):
    """Numbers of rows with equal keys, group by group, as a judge has them one after the other."""
    kinds = [f["type"] for f, _, _, _ in order.keys]

    def key_text(number):
        return [text(cell(rows[number], where), kind) for where, kind in zip(order.where, kinds)]
    return [sorted(group) for _, group in itertools.groupby(numbers, key_text)]


def judged_groups(order, rows):
    keys = key_table(order, rows)
    groups = groups_of(order, rows, polars_order(order, keys))
    assert groups == groups_of(order, rows, duckdb_order(order, keys)), f"the judges differ: {order.text}"
    return groups


# --- Checks --------------------------------------------------------------------------------------


def check_groups(got, groups, rows, chosen, limit):
    """`got` is made of the groups, cut off after `limit` rows."""
    wanted_count = min(limit, len(rows))
    assert len(got) == wanted_count, f"{len(got)} rows instead of {wanted_count}"
    at = 0
    for group in groups:
        wanted = multiset(tuple(rows[n][i] for i in chosen) for n in group)
        part = multiset(got[at:at + len(group)])
        whole = at + len(group) <= len(got)
        assert part == wanted if whole else part <= wanted, (
            f"rows {at} to {at + len(group)}: {dict(part - wanted)} instead of {dict(wanted - part)}")
        at += len(group)


def random_reading(rng):
    """Options that change the road of the rows, and not the rows."""
    arguments = []
    for option, values in (("--max-merge-files", (2, 3, 5)), ("--memory", ("1MB", "20MB", "64MB")),
                           ("--batch-rows", (1, 2, 7, 64))):
        if rng.random() < 0.5:
            arguments += [option, rng.choice(values)]
    return arguments


def check_order(rng, folder, life, fields, rows):
    order = Order(rng, fields)
    groups = judged_groups(order, rows)
    chosen, arguments = range(len(fields)), ["--order-by", order.text, *random_reading(rng)]
    if rng.random() < 0.4:
        chosen = rng.sample(range(len(fields)), rng.randrange(1, len(fields) + 1))
        arguments += ["--columns", ",".join(quoted(fields[i]["name"]) for i in chosen)]
    limit = math.inf
    if rng.random() < 0.4:
        limit = rng.choice((0, 1, rng.randrange(len(rows) + 2)))
        arguments += ["--limit", limit]
    life.tell("scan", *arguments)
    outcome = scan(folder, *arguments)
    if life.liars and outcome.code == DISORDER:
        outcome = scan(folder, *arguments, "--on-disorder", "sort")
    assert outcome.code == DONE, f"exit {outcome.code}: {outcome.err}"
    check_groups(rows_of(outcome.table()), groups, rows, chosen, limit)
    return len(groups)


def check_table(folder, number):
    """Makes table `number` of the seed and has two scans of it judged; the groups they had."""
    rng = random.Random(f"judges {SEED} {number}")
    life = LooseLife(folder, rng)
    try:
        life.live()
        fields, rows = read_table(folder)
        groups = [check_order(rng, folder, life, fields, rows) for _ in range(2)]
    except Exception as error:
        story = "\n  ".join(life.story)
        raise AssertionError(
            f"ESKER_SEED={SEED}, table {number} in {folder}: {error}\n  {story}") from error
    shutil.rmtree(folder)
    return max(groups)


def check_tables(folder, numbers):
    print(f"ESKER_SEED={SEED}")
    groups = [check_table(folder / str(number), number) for number in numbers]
    assert sum(count > 20 for count in groups) > len(groups) / 4, "hardly an order to judge"


def test_sixty_tables_are_in_the_order_of_the_judges(tmp_path):
    check_tables(tmp_path, range(60))


@pytest.mark.slow
def test_many_tables_are_in_the_order_of_the_judges(tmp_path):
    check_tables(tmp_path, range(60, 60 + 300 * max(1, math.ceil(ROUNDS / 10))))


def test_the_check_sees_what_is_wrong():
    """Rows in the wrong order, lost, doubled or changed fail; equal keys may change places."""
    rows = [(1, "a"), (1, "b"), (2, "c"), (3, "d")]
    groups, columns = [[0, 1], [2], [3]], (0, 1)
    check_groups([rows[1], rows[0], rows[2], rows[3]], groups, rows, columns, math.inf)
    check_groups([rows[1]], groups, rows, columns, 1)
    for wrong, limit in (([0, 2, 1, 3], math.inf), ([0, 1, 2], math.inf), ([0, 0, 2, 3], math.inf),
                         ([2], 1), ([0, 1, 3], 3), ([0, 1], 1)):
        with pytest.raises(AssertionError):
            check_groups([rows[n] for n in wrong], groups, rows, columns, limit)
