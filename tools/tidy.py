"""Checks of the source tree that no compiler makes. Prints file:line: message; exit 1 if any.

    tidy.py [ROOT]

  include direction   a file under src/ includes only its own and earlier stages; include/esker
                      includes no stage; the cli uses include/esker and src/api
  opening comment     headers, CMake, Python and shell files say what they are for
  #pragma once        in every header
  dead file           a header that only its own files include; a .cc that is no program or test
                      and includes no header of its folder, so that nobody can call it
  leftover marks      notes to self
  machine paths       paths of the machine somebody worked on
  long lines          C++ beyond 100 columns

What git ignores is not looked at, and testdata/ is data, not text of ours.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

STAGES = ["base", "format", "catalog", "expr", "order", "plan", "read", "merge", "output", "api",
          "acero"]
MAX_COLUMNS = 100

# Split, so that this file does not report itself.
MARKS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|not implemented" r" yet")
MACHINE_PATH = re.compile(r"(?<![\w.])/(wo" r"rk|ro" r"ot)/|/tmp/bash" r"_jobs|/ho" r"me/[a-z]")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')

CPP = {".h", ".cc"}
COMMENT_STARTS = {".h": "//", ".cmake": "#", ".sh": "#", ".py": ('"""', "#", "'''")}
SKIPPED_FOLDERS = {"testdata", "demo", "__pycache__"}
PROGRAM = re.compile(r"(_test|_bench|_fuzz)$|^main$")


def tracked_files(root):
    """What git tracks or would track, else every file that does not look generated."""
    try:
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            capture_output=True, check=True, text=True).stdout
        names = [name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [os.path.relpath(os.path.join(folder, name), root)
                 for folder, _, files in os.walk(root) for name in files]
        names = [name for name in names if not re.match(r"build|\.(git|venv|wheels)/", name)]
    return [Path(name) for name in sorted(names)
            if not SKIPPED_FOLDERS & set(Path(name).parts) and (root / name).is_file()]


def read_text(path):
    """The lines of a text file; none of a binary one."""
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


class Tidy:
    """One run over a tree; `problems` are (file, line, message)."""

    def __init__(self, root):
        self.root = Path(root)
        self.lines = {path: read_text(self.root / path) for path in tracked_files(self.root)}
        self.problems = []

    def report(self, path, line, message):
        self.problems.append((path, line, message))

    def run(self):
        for path, lines in self.lines.items():
            self.check_lines(path, lines)
            self.check_opening(path, lines)
            if path.suffix in CPP:
                self.check_includes(path)
        self.check_dead_files()
        return sorted(self.problems, key=lambda problem: (str(problem[0]), problem[1]))

    def check_lines(self, path, lines):
        for number, line in enumerate(lines, 1):
            if mark := MARKS.search(line):
                self.report(path, number, f"leftover mark '{mark.group()}'")
            if MACHINE_PATH.search(line):
                self.report(path, number, "path of somebody's machine")
            if path.suffix in CPP and len(line) > MAX_COLUMNS:
                self.report(path, number, f"{len(line)} columns, more than {MAX_COLUMNS}")

    def check_opening(self, path, lines):
        starts = COMMENT_STARTS.get(".cmake" if path.name == "CMakeLists.txt" else path.suffix)
        content = [line for line in lines if line.strip() and not line.startswith("#!")]
        if starts and content and not content[0].startswith(starts):
            self.report(path, 1, "no opening comment that says what the file is for")
        if path.suffix == ".h" and "#pragma once" not in lines:
            self.report(path, 1, "no #pragma once")

    def includes(self, path):
        """(line, include) of each quoted include."""
        for number, line in enumerate(self.lines[path], 1):
            if match := INCLUDE.match(line):
                yield number, match.group(1)

    def check_includes(self, path):
        top = path.parts[0]
        is_test = path.stem.endswith(("_test", "_bench"))
        if top == "src" and path.parts[1] not in STAGES:
            self.report(path, 1, f"src/{path.parts[1]} is not a stage that tidy knows")
            return
        for number, target in self.includes(path):
            stage = target.split("/")[0]
            if top == "src":
                self.check_direction(path, number, stage, is_test)
            elif top == "include" and stage in STAGES:
                self.report(path, number, f"public header includes stage {stage}")
            elif top == "cli" and not is_test and stage in STAGES and stage not in ("api", "base"):
                self.report(path, number, f"the command includes stage {stage}; only api/ is for it")

    def check_direction(self, path, number, stage, is_test):
        own = path.parts[1]
        if stage in STAGES and STAGES.index(stage) > STAGES.index(own):
            self.report(path, number, f"stage {own} includes the later stage {stage}")
        elif stage in ("cli", "python") or (stage == "testing" and not is_test):
            self.report(path, number, f"stage {own} includes {stage}/")

    def included_files(self, path):
        """The files of the tree that a C++ file includes."""
        for _, target in self.includes(path):
            for folder in (Path("src"), Path("include"), Path("."), path.parent):
                if folder / target in self.lines:
                    yield folder / target
                    break

    def check_dead_files(self):
        sources = [path for path in self.lines if path.suffix in CPP]
        included = {path: set(self.included_files(path)) for path in sources}
        for path in sources:
            if path.suffix == ".h":
                # A header that only its own .cc and test include is tested, but never used.
                own = {path, path.with_suffix(".cc")} | {
                    path.with_name(f"{path.stem}_{kind}.cc") for kind in ("test", "bench")}
                users = [other for other in sources if other not in own and path in included[other]]
                if not users and path.parts[0] != "include":
                    self.report(path, 1, "dead file: nothing includes this header")
            elif path.parts[0] in ("src", "testing") and not PROGRAM.search(path.stem):
                if not self.is_declared(path, included[path]):
                    self.report(path, 1, "dead file: no header declares what this defines")

    @staticmethod
    def is_declared(path, included):
        """Whether a .cc defines what its own header, another one of its folder or a public one
        declares."""
        return any(header.suffix == ".h" and (header.parent == path.parent
                                              or header.parts[0] == "include")
                   for header in included)


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    problems = Tidy(root).run()
    for path, line, message in problems:
        print(f"{path}:{line}: {message}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
