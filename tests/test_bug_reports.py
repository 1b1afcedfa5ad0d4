"""The faults that people reported of other readers, and the tests that cover each kind here.

The list is bug_reports.txt. That a named test covers the kind is for people to judge; that it is
there, and that no report is left out, is checked here.
"""

import re

import pytest

from cited_tests import listed_rows, written_tests
from command import ROOT

REPORTS = ROOT / "tests" / "bug_reports.txt"
# Gaps mean nothing: the numbers are those of a longer list.
NUMBERS = [
    1, 2, 3, 4, 6, 7, 9, 10, 11, 12, 13, 14, 15, 17, 20, 21, 22, 23, 24, 25,
    27, 28, 29, 31, 32, 33, 34, 35, 36, 38, 39, 40, 42, 44, 45, 46, 47, 48, 49,
    50, 51, 52, 53, 55, 56, 57, 58, 59, 62, 63, 64, 65, 67, 68, 69, 70, 71,
    72, 74, 75, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 92, 93, 94, 95, 96, 97, 98, 99,
    100, 101, 102, 103, 104, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 119, 120,
]
REASONS = ("cannot happen: ", "refused: ")


def rows():
    """(number, report, kind, cover) of every row."""
    return [(int(number), *rest) for number, *rest in listed_rows(REPORTS)]


def test_every_report_is_there_once(capsys):
    with capsys.disabled():
        print()
        for number, report, kind, cover in rows():
            print(f"  {number:3} {report:38} {kind:44} {cover}")
    assert len(NUMBERS) == 100
    assert [number for number, *_ in rows()] == NUMBERS


@pytest.mark.parametrize("row", rows(), ids=lambda row: str(row[0]))
def test_every_report_is_covered(row):
    _, report, kind, cover = row
    assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", report) and kind
    if cover.startswith(REASONS):
        assert len(cover.split(": ", 1)[1].split()) > 3
        return
    assert cover.split() and set(cover.split()) - set(written_tests()) == set()
