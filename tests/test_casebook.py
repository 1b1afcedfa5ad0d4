"""The casebook of ordered reading and the tests that prove each case.

The list is casebook.txt. That a named test proves the case is for people to judge; that it is there,
is run, and that no case is left out, is checked here.
"""

import pytest

from cited_tests import listed_rows, skips, written_tests
from command import ROOT

CASES = listed_rows(ROOT / "tests" / "casebook.txt")


def test_every_case_is_there_once(capsys):
    with capsys.disabled():
        print()
        for number, case, behaviour, tests in CASES:
            print(f"  {number:>2} {case}: {behaviour}\n       {tests}")
    assert [int(number) for number, *_ in CASES] == list(range(1, 47))


@pytest.mark.parametrize("row", CASES, ids=lambda row: row[0])
def test_every_case_is_proved(row):
    _, case, behaviour, tests = row
    assert case and behaviour
    assert tests.split() and set(tests.split()) - set(written_tests()) == set()
    assert [place for name in tests.split() for place in skips(name)] == []


@pytest.mark.parametrize("name", sorted(n for n in written_tests() if n.startswith("Casebook.")))
def test_every_casebook_test_is_listed(name):
    """Casebook.CaseNN… stands in row NN."""
    number = int(name[len("Casebook.Case"):][:2])
    assert name in CASES[number - 1][3].split()
