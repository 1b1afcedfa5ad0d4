"""Lists in text files that name the tests which prove their rows, and the tests that there are.

A row is one line of parts between "|"; a line that begins with a space continues the one before, one
that begins with # is a comment. Tests are named suite.Name (C++) and file.py::name (Python).
"""

import functools
import re

from command import ROOT

CPP_TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.M)
PYTHON_TEST = re.compile(r"^def (test_\w+)\(", re.M)
SKIP = re.compile(r"GTEST_SKIP|DISABLED_|^#if 0|pytest\.skip|importorskip|mark\.(?:skip|xfail)", re.M)


def listed_rows(path):
    """The parts of every row of a list, as lists of text."""
    text = path.read_text(encoding="utf-8").replace("\n ", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [[" ".join(part.split()) for part in line.split("|")] for line in lines]


@functools.cache
def written_tests():
    """{name: file} of all tests there are."""
    names = {}
    for path in (ROOT / "src").rglob("*_test.cc"):
        for suite, name in CPP_TEST.findall(path.read_text("utf-8")):
            names[f"{suite}.{name}"] = path
    for path in (ROOT / "tests").glob("test_*.py"):
        for name in PYTHON_TEST.findall(path.read_text("utf-8")):
            names[f"{path.name}::{name}"] = path
    return names


def skips(name):
    """Places where this test, or another of its C++ file, is passed over. Those that only want the
    public tables do not count: they say ESKER_TABLES."""
    path = written_tests()[name]
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        text = function_text(text, name.partition("::")[2])
    found = ((m, text[m.start():m.start() + 200]) for m in SKIP.finditer(text))
    return [place.splitlines()[0] for _, place in found if "ESKER_TABLES" not in place]


def function_text(text, name):
    """A function of a module with its decorators, and what marks the whole module."""
    parts = re.split(r"\n\n\n", text)
    return "\n".join(part for part in parts
                     if re.search(rf"^def {name}\(", part, re.M) or "pytestmark" in part)
