"""The plan in words: whole texts, kept in testdata/explain/cases.txt, over the tables that Spark wrote.

A case there is the command line and below it what is printed, without the first line, which is the
path of the table. ESKER_REWRITE=1 writes the texts anew; the difference is to be read by a person.
"""

import json
import os
import shlex

import pytest

from command import DONE, ROOT, SPARK, USAGE, esker, scan

CASES = ROOT / "testdata" / "explain" / "cases.txt"
PROMPT = "$ esker explain "


def read_cases():
    cases = {}
    for line in CASES.read_text().splitlines():
        if line.startswith(PROMPT):
            lines = cases.setdefault(line.removeprefix(PROMPT), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return cases


def explain(command):
    table, *arguments = shlex.split(command)
    outcome = esker("explain", SPARK / table, *arguments)
    if outcome.code == USAGE:
        return [f"exit {outcome.code}: {outcome.err.strip()}"]
    assert outcome.code == DONE, outcome.err
    first, *lines = outcome.text.splitlines()
    assert first == str(SPARK / table)
    return lines


def rewrite():
    head = [line for line in CASES.read_text().splitlines() if line.startswith("#")]
    blocks = ["\n".join([PROMPT + command, *explain(command)]) for command in read_cases()]
    CASES.write_text("\n".join(head) + "\n\n" + "\n\n".join(blocks) + "\n")


if os.environ.get("ESKER_REWRITE"):
    rewrite()


@pytest.mark.parametrize("command", read_cases())
def test_a_plan_in_words(command):
    assert explain(command) == read_cases()[command]


def expected(case):
    return json.loads((SPARK / case / "expected.json").read_text())


def test_the_files_named_as_unsorted_are_those_that_spark_left_unsorted():
    """The names against what was recorded when the table was made."""
    unsorted = {f["path"].split("/")[-1] for f in expected("mixed_unordered")["data_files"]
                if f["sort_order_id"] == 0}
    named = {line.removeprefix("  - ") for line in explain("mixed_unordered --order-by ts")
             if line.startswith("  - ")}
    assert named == unsorted and len(unsorted) == 3


@pytest.mark.parametrize("option,code", [("error", 3), ("sort", DONE)])
def test_what_is_said_of_a_lie_is_what_happens(option, code):
    said = explain(f"liar_one_inversion --on-disorder {option}")[-1]
    outcome = scan(SPARK / "liar_one_inversion", "--on-disorder", option)
    assert outcome.code == code
    assert ("(exit 3)" in said) == (code == 3) and ("is sorted" in said) == (code == DONE)


def test_sections_said_to_stream_are_those_that_do_not_spill(tmp_path):
    """Each section on its own, by a filter on its keys: only those named as too deep spill."""
    table = SPARK / "part_day"
    plan = esker("explain", table, "--order-by", "ts", "--max-merge-files", "2", "--json").json()
    text = esker("explain", table, "--order-by", "ts", "--max-merge-files", "2").text
    for section in range(plan["sections"]):
        reads = [read for read in plan["reads"] if read["section"] == section]
        lower, upper = (f(read[end].strip("()") for read in reads)
                        for f, end in ((min, "lower"), (max, "upper")))
        stats = tmp_path / "stats.json"
        outcome = esker("scan", table, "--order-by", "ts", "--max-merge-files", "2", "--format",
                        "none", "--where", f"ts between '{lower}' and '{upper}'", "--stats", stats)
        assert outcome.code == DONE, outcome.err
        spilled = json.loads(stats.read_text())["spilled_bytes"] > 0
        assert spilled == (f"in section {section}," in text), section
