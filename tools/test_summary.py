"""Adds up the reports that test.sh collected and prints the line it ends with.

A check named N leaves `N.status`, its exit status, in the report folder, and, if it counts its
tests, `N.xml` in JUnit form. A check without a report of its own is one test. A check that exits
with an error although its report tells of no failure is one failure more: it crashed, or did not
build. No test at all is a failure too.

    test_summary.py FOLDER      prints "N passed, N failed[, N skipped]"; exit 1 if any failed
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path


def outcome(case):
    """What became of one <testcase>: "passed", "failed" or "skipped"."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def read_report(path):
    """The outcomes of a JUnit file by test name; a damaged file is one failure."""
    try:
        cases = ElementTree.parse(path).getroot().iter("testcase")
        return [(f"{case.get('classname') or ''}.{case.get('name')}", outcome(case)) for case in cases]
    except ElementTree.ParseError as error:
        return [(f"{path.name}: {error}", "failed")]


def read_check(status_file):
    """The outcomes of one check."""
    status = status_file.read_text().strip()
    report = status_file.with_suffix(".xml")
    results = read_report(report) if report.exists() else []
    failed = any(result == "failed" for _, result in results)
    if status != "0" and not failed:
        results.append((f"exit status {status}", "failed"))
    return results or ([] if report.exists() else [("", "passed")])


def summary(counts):
    text = f"{counts['passed']} passed, {counts['failed']} failed"
    return text + (f", {counts['skipped']} skipped" if counts["skipped"] else "")


def main(folder):
    total = Counter()
    failures = []
    for status_file in sorted(Path(folder).glob("*.status")):
        results = read_check(status_file)
        counts = Counter(result for _, result in results)
        failures += [f"{status_file.stem}: {name}".rstrip(": ")
                     for name, result in results if result == "failed"]
        print(f"  {status_file.stem:<16} {summary(counts)}")
        total += counts
    for failure in failures:
        print(f"  failed: {failure}")
    print(summary(total), flush=True)
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
