"""The tables that Spark wrote: rows and key order against what was recorded when they were made.

Each table is right, refused by name, or its lie is caught. None may be wrong.
"""

import json

import pytest

from command import DISORDER, DONE, SPARK, UNSUPPORTED, esker, quoted, scan
import value_text

CASES = sorted(folder.name for folder in SPARK.iterdir() if (folder / "expected.json").exists())


def expected(case):
    return json.loads((SPARK / case / "expected.json").read_text())


def order_text(key, backwards=False, nulls_moved=False):
    """The key of expected.json as --order-by takes it."""
    parts = []
    for part in key:
        descending = (part["direction"] == "desc") != backwards
        first = (part["null_order"] == "nulls-first") != (backwards != nulls_moved)
        parts.append(f"{quoted_path(part['column'])} {'desc' if descending else 'asc'} "
                     f"nulls {'first' if first else 'last'}")
    return ", ".join(parts)


def quoted_path(name):
    return quoted(name)


def turned(key, backwards, nulls_moved):
    """The key itself, turned as order_text() turns it."""
    result = []
    for part in key:
        descending = (part["direction"] == "desc") != backwards
        first = (part["null_order"] == "nulls-first") != (backwards != nulls_moved)
        result.append({**part, "direction": "desc" if descending else "asc",
                       "null_order": "nulls-first" if first else "nulls-last"})
    return result


def plain(key):
    return all(part["transform"] == "identity" for part in key)


def order_arguments(answers):
    key = answers["scan"]["key"]
    if plain(key):
        return ["--order-by", order_text(key)]
    return ["--order", "table"]


def verdict(case):
    """(word, detail): right, refused, lie caught, or wrong."""
    answers = expected(case)
    if not answers["scan"]["key"]:
        return "refused", "no order to scan in"
    outcome = scan(SPARK / case, *order_arguments(answers))
    if outcome.code == UNSUPPORTED:
        return "refused", outcome.err.strip()
    if outcome.code == DISORDER:
        return "lie caught", outcome.err.strip()
    if outcome.code == 1 and case == "liar_record_count" and "51" in outcome.err:
        return "lie caught", outcome.err.strip()
    if outcome.code != DONE:
        return "wrong", f"exit {outcome.code}: {outcome.err.strip()}"
    rows = outcome.table()
    if rows.num_rows != answers["row_count"]:
        return "wrong", f"{rows.num_rows} rows instead of {answers['row_count']}"
    if value_text.rows_sha256(rows, answers["columns"]) != answers["rows_sha256"]:
        return "wrong", "other rows"
    lines = value_text.key_lines(rows, answers["scan"]["key"], answers["columns"])
    if value_text.keys_sha256(lines) != answers["scan"]["keys_sha256"]:
        return "wrong", "other order of keys"
    return "right", f"{rows.num_rows} rows"


@pytest.fixture(scope="module")
def verdicts():
    return {case: verdict(case) for case in CASES}


def test_every_table_is_right_or_refused(verdicts, capsys):
    with capsys.disabled():
        print()
        for case, (word, detail) in verdicts.items():
            print(f"  {word:10} {case:32} {detail.splitlines()[0] if detail else ''}"[:150])
        for word in ("right", "refused", "lie caught", "wrong"):
            print(f"  {word}: {sum(1 for w, _ in verdicts.values() if w == word)}")
    assert len(CASES) == 136
    assert {case: v for case, v in verdicts.items() if v[0] == "wrong"} == {}
    assert sum(1 for word, _ in verdicts.values() if word == "right") >= 100


def test_only_liars_are_caught(verdicts):
    for case, (word, detail) in verdicts.items():
        if word == "lie caught":
            assert not expected(case)["honest"], (case, detail)


@pytest.mark.parametrize("case,claim", [
    ("liar_one_inversion", "sort order id 1"),
    ("liar_last_row", "sort order id 1"),
    ("liar_nulls_scattered", "sort order id 1"),
    ("liar_nulls_wrong_end", "sort order id 1"),
    ("liar_batch_sorted", "sort order id 1"),
    ("liar_descending", "sort order id 1"),
])
def test_a_lie_is_named_with_its_place(case, claim):
    """Exit 3; file, row group, row, both keys and the claim. The place is checked by hand below."""
    answers = expected(case)
    outcome = scan(SPARK / case, *order_arguments(answers))
    assert outcome.code == DISORDER
    liars = [f["path"] for f in answers["data_files"] if f["really_sorted"] is False]
    assert any(path in outcome.err for path in liars), outcome.err
    for word in ("row group", "row ", claim):
        assert word in outcome.err


@pytest.mark.parametrize("case", [c for c in CASES if c.startswith(("liar", "output_order_un"))])
def test_a_liar_is_read_right_when_it_may_be_sorted(case):
    """--on-disorder sort treats a file that lies as unsorted: all rows come, in order."""
    answers = expected(case)
    outcome = scan(SPARK / case, *order_arguments(answers), "--on-disorder", "sort")
    if outcome.code == UNSUPPORTED:
        pytest.skip(outcome.err)
    if outcome.code != DONE:
        # A bound that lies is not mended by sorting; a wrong count is a damaged table.
        assert case in ("liar_lower_high", "liar_null_count", "liar_record_count"), outcome.err
        return
    rows = outcome.table()
    assert value_text.rows_sha256(rows, answers["columns"]) == answers["rows_sha256"]
    lines = value_text.key_lines(rows, answers["scan"]["key"], answers["columns"])
    assert value_text.keys_sha256(lines) == answers["scan"]["keys_sha256"]


def check_turned(case, backwards, nulls_moved, *arguments):
    """Scans in a turned order and compares with a plain sort of the rows of an unordered scan."""
    answers = expected(case)
    key = answers["scan"]["key"]
    if not key or not plain(key):
        return None
    outcome = scan(SPARK / case, "--order-by", order_text(key, backwards, nulls_moved), *arguments)
    if outcome.code == DISORDER and not answers["honest"]:
        return None
    if outcome.code == UNSUPPORTED or "record" in case and outcome.code == 1:
        return None
    rows = outcome.table()
    assert value_text.rows_sha256(rows, answers["columns"]) == answers["rows_sha256"], case
    wanted = turned(key, backwards, nulls_moved)
    got = value_text.key_lines(rows, wanted, answers["columns"])
    plain_rows = scan(SPARK / case, "--order", "none").table()
    positions = value_text.naive_order(plain_rows, wanted, answers["columns"])
    lines = value_text.key_lines(plain_rows, wanted, answers["columns"])
    assert got == [lines[p] for p in positions], case
    return rows


@pytest.mark.parametrize("backwards,nulls_moved,arguments", [
    (True, False, ()),
    (False, True, ()),
    (True, True, ()),
    (False, False, ("--max-merge-files", "2")),
    (False, False, ("--memory", "32MB")),
    (False, False, ("--batch-rows", "7")),
], ids=["backwards", "nulls moved", "backwards, nulls moved", "two open files", "32 MB",
        "batches of seven"])
def test_turned_orders(backwards, nulls_moved, arguments):
    checked = sum(
        1 for case in CASES if check_turned(case, backwards, nulls_moved, *arguments) is not None)
    assert checked >= 100


def literal(kind, value):
    """A value of expected.json's filters as a literal of --where."""
    import datetime
    import struct
    if kind in ("float", "double"):
        number = struct.unpack(">d", bytes.fromhex(value))[0]
        return repr(number)
    if kind == "date":
        return f"date '{datetime.date(1970, 1, 1) + datetime.timedelta(days=int(value))}'"
    if kind.startswith("timestamp"):
        when = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=int(value))
        return f"'{when.isoformat()}{'Z' if kind == 'timestamptz' else ''}'"
    if kind == "binary":
        return f"X'{value}'"
    if kind in ("string", "uuid"):
        return "'" + value.replace("'", "''") + "'"
    return value


def filter_text(condition, columns):
    kind = next(c["type"] for c in columns if c["id"] == condition["column_id"])
    name = quoted_path(condition["column"])
    if condition["op"] == "is null":
        return f"{name} is null"
    return f"{name} {condition['op']} {literal(kind, condition['value'])}"


@pytest.mark.parametrize("prune", [True, False], ids=["pruned", "unpruned"])
def test_filters_count_what_spark_counts(prune):
    """Only tables with honest bounds can be pruned; the others are counted without."""
    checked = 0
    for case in CASES:
        answers = expected(case)
        if not answers["honest"]:
            continue
        for condition in answers.get("filters", []):
            where = filter_text(condition, answers["columns"])
            arguments = ["--order", "none"] if prune else order_arguments(answers)
            outcome = scan(SPARK / case, "--where", where, *arguments)
            if outcome.code == UNSUPPORTED:
                continue
            assert outcome.code == DONE, (case, where, outcome.err)
            assert outcome.table().num_rows == condition["count"], (case, where)
            checked += 1
    assert checked >= 200


def test_explain_counts_the_files_and_their_depth():
    """Depth and file numbers of the plan against the recorded ones, where the bounds decide."""
    for case in ("overlap3", "ts_disjoint", "nested_onion", "overlap_all", "many_300"):
        answers = expected(case)
        plan = esker("explain", SPARK / case, "--json").json()
        assert plan["files"]["planned"] == len(answers["data_files"])
        assert plan["max_depth"] == answers["max_overlap_by_bounds_of_first_key"]
        assert plan["chains"] == plan["max_depth"]
