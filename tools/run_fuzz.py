"""Runs every fuzz program of a build for a while and writes a JUnit report.

    run_fuzz.py BUILD --seconds 60 --report FILE

The program <name>_fuzz starts from the seeds in fuzz/corpus/<name>/ and keeps what it finds in
BUILD/corpus/<name>/, so that a later run goes on where this one ended. An input that breaks it
is left in BUILD/crashes/<name>/: fix the bug, then move the input to the seeds.

canary_fuzz is a program with a planted bug. It has to crash, which proves that the others would.
"""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CANARY = "canary"


def command(program, name, build, seconds):
    found = build / "corpus" / name
    crashes = build / "crashes" / name
    found.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(parents=True, exist_ok=True)
    line = [program, f"-max_total_time={seconds}", f"-artifact_prefix={crashes}/",
            "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1", found]
    seeds = ROOT / "fuzz" / "corpus" / name
    return line + ([seeds] if seeds.is_dir() else [])


def run(program, build, seconds):
    """Returns (name, ok, seconds taken, output)."""
    name = program.name.removesuffix("_fuzz")
    environment = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system",
                                "UBSAN_OPTIONS": "print_stacktrace=1"}
    start = time.monotonic()
    done = subprocess.run(command(program, name, build, seconds), env=environment, text=True,
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    ok = (done.returncode != 0) == (name == CANARY)
    return name, ok, time.monotonic() - start, done.stdout


def write_report(path, results):
    suite = ElementTree.Element("testsuite", name="fuzz", tests=str(len(results)))
    for name, ok, seconds, output in results:
        case = ElementTree.SubElement(suite, "testcase", classname="fuzz", name=name,
                                      time=f"{seconds:.1f}")
        if not ok:
            text = "".join(c for c in output[-4000:] if c.isprintable() or c in "\n\t")
            ElementTree.SubElement(case, "failure", message=f"{name}_fuzz failed").text = text
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(suite).write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=int, default=60, help="time for each program")
    parser.add_argument("--report", type=Path, required=True)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    programs = sorted(path for path in build.glob("*_fuzz") if os.access(path, os.X_OK))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: run(path, build, arguments.seconds), programs))
    write_report(arguments.report, results)
    for name, ok, seconds, output in results:
        print(f"fuzz {name}: {'ok' if ok else 'FAILED'} after {seconds:.0f} s")
        if not ok:
            print(output[-4000:])
    return 0 if results and all(ok for _, ok, _, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
