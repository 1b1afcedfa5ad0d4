"""Tests of test_summary.py: what is counted as passed, failed and skipped."""

import test_summary

REPORT = """<testsuites><testsuite>
<testcase classname="a" name="good"/>
<testcase classname="a" name="bad"><failure message="no"/></testcase>
<testcase classname="a" name="worse"><error message="no"/></testcase>
<testcase classname="a" name="left"><skipped/></testcase>
<testcase classname="a" name="off" status="disabled"/>
</testsuite></testsuites>"""


def run(folder, capsys, **checks):
    for name, (status, report) in checks.items():
        (folder / f"{name}.status").write_text(f"{status}\n")
        if report is not None:
            (folder / f"{name}.xml").write_text(report)
    status = test_summary.main(folder)
    return status, capsys.readouterr().out.splitlines()


def test_counts_each_kind(tmp_path, capsys):
    status, lines = run(tmp_path, capsys, unit=(1, REPORT))
    assert status == 1
    assert lines[-1] == "1 passed, 2 failed, 2 skipped"
    assert "  failed: unit: a.bad" in lines


def test_all_passed(tmp_path, capsys):
    good = '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>'
    assert run(tmp_path, capsys, unit=(0, good), tidy=(0, None))[1][-1] == "3 passed, 0 failed"
    assert test_summary.main(tmp_path) == 0


def test_a_check_that_dies_fails(tmp_path, capsys):
    good = '<testsuite><testcase name="a"/></testsuite>'
    status, lines = run(tmp_path, capsys, unit=(139, good))
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")


def test_a_check_that_did_not_build_fails(tmp_path, capsys):
    status, lines = run(tmp_path, capsys, tidy=(0, None), asan=(1, None))
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")


def test_a_damaged_report_fails(tmp_path, capsys):
    status, lines = run(tmp_path, capsys, unit=(0, "<testsuite>"))
    assert (status, lines[-1]) == (1, "0 passed, 1 failed")


def test_no_test_at_all_fails(tmp_path, capsys):
    assert run(tmp_path, capsys)[0] == 1
    assert run(tmp_path, capsys, unit=(0, "<testsuite/>"))[0] == 1
