"""Tests of tidy.py: each fault is planted into a small clean tree and has to be reported."""

from pathlib import Path

import pytest
import tidy

HEADER = "// What it is.\n#pragma once\n"
CLEAN = {
    "src/base/a.h": HEADER,
    "src/base/a.cc": '// Why.\n#include "base/a.h"\n',
    "src/base/a_test.cc": '#include "base/a.h"\n',
    "src/format/b.h": HEADER + '#include "base/a.h"\n',
    "src/format/b.cc": '#include "format/b.h"\n',
    "src/api/scan.cc": '#include "esker/scan.h"\n#include "format/b.h"\n',
    "include/esker/scan.h": HEADER,
    "testing/twin.h": HEADER,
    "testing/twin.cc": '#include "testing/twin.h"\n',
    "src/format/b_test.cc": '#include "testing/twin.h"\n#include "format/b.h"\n',
    "cli/main.cc": '#include "esker/scan.h"\n',
    "testdata/any.txt": "/wo" "rk/here TO" "DO\n",
    "README.md": "Nothing to report. See build/esker and workshop/root/here.\n",
}


def run(folder, **changed):
    """The problems of the clean tree with some files put in place of its own."""
    for name, text in (CLEAN | changed).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [f"{path}:{line}: {message}" for path, line, message in tidy.Tidy(folder).run()]


def test_clean_tree_is_clean(tmp_path):
    assert run(tmp_path) == []


FAULTS = [
    ("src/base/a.cc", '#include "base/a.h"\n#include "format/b.h"\n', 2, "later stage format"),
    ("src/base/a_test.cc", '#include "base/a.h"\n#include "order/c.h"\n', 2, "later stage order"),
    ("src/base/a.cc", '#include "base/a.h"\n#include "testing/twin.h"\n', 2, "includes testing/"),
    ("src/base/a.cc", '#include "base/a.h"\n#include "cli/x.h"\n', 2, "includes cli/"),
    ("src/new/n_test.cc", "", 1, "not a stage"),
    ("include/esker/scan.h", HEADER + '#include "plan/p.h"\n', 3, "public header includes"),
    ("cli/main.cc", '#include "plan/p.h"\n', 1, "the command includes stage plan"),
    ("src/base/a.h", "#pragma once\n// Late.\n", 1, "no opening comment"),
    ("cmake/a.cmake", "set(x 1)\n", 1, "no opening comment"),
    ("CMakeLists.txt", "project(x)\n", 1, "no opening comment"),
    ("tools/a.py", "#!/usr/bin/env python3\nimport os\n", 1, "no opening comment"),
    ("run.sh", "#!/bin/sh\nls\n", 1, "no opening comment"),
    ("src/base/a.h", "// What it is.\n", 1, "no #pragma once"),
    ("src/plan/lost.h", HEADER, 1, "nothing includes this header"),
    ("src/plan/lost.cc", "", 1, "no header declares"),
    ("testing/lost.cc", "", 1, "no header declares"),
    ("README.md", "one\nTO" "DO: two\n", 2, "leftover mark"),
    ("README.md", "FIX" "ME\n", 1, "leftover mark"),
    ("cli/main.cc", "// XX" "X\n", 1, "leftover mark"),
    ("cli/main.cc", 'Fail("not implemented' ' yet");\n', 1, "leftover mark"),
    ("docs/a.md", "see /wo" "rk/main\n", 1, "somebody's machine"),
    ("docs/a.md", "`/ro" "ot/x`\n", 1, "somebody's machine"),
    ("docs/a.md", "/ho" "me/ann/x\n", 1, "somebody's machine"),
    ("docs/a.md", "/tmp/bash" "_jobs.0/1\n", 1, "somebody's machine"),
    ("src/base/a.cc", '#include "base/a.h"\n' + "/" * 101 + "\n", 2, "101 columns"),
]


@pytest.mark.parametrize("name, text, line, message", FAULTS)
def test_fault_is_reported(tmp_path, name, text, line, message):
    problems = run(tmp_path, **{name: text})
    assert len(problems) == 1, problems
    assert problems[0].startswith(f"{name}:{line}: ")
    assert message in problems[0]


def test_header_used_by_its_own_files_alone_is_dead(tmp_path):
    problems = run(tmp_path, **{
        "src/order/c.h": HEADER, "src/order/c.cc": '#include "order/c.h"\n',
        "src/order/c_test.cc": '#include "order/c.h"\n'})
    assert problems == ["src/order/c.h:1: dead file: nothing includes this header"]


def test_neighbours_may_be_included_by_bare_name(tmp_path):
    assert run(tmp_path, **{
        "cli/sink.h": HEADER, "cli/sink.cc": '#include "sink.h"\n',
        "cli/main.cc": '#include "sink.h"\n'}) == []


def test_one_header_may_have_several_sources(tmp_path):
    assert run(tmp_path, **{"src/format/b_json.cc": '#include "format/b.h"\n'}) == []


def test_ignored_files_are_not_looked_at(tmp_path):
    tidy.subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    assert run(tmp_path, **{".gitignore": "build/\n", "build/x.md": "TO" "DO\n"}) == []


def test_main_prints_and_fails(tmp_path, capsys):
    run(tmp_path, **{"README.md": "HA" "CK\n"})
    assert tidy.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == "README.md:1: leftover mark 'HA" "CK'\n"
    Path(tmp_path, "README.md").write_text("fine\n")
    assert tidy.main([str(tmp_path)]) == 0
