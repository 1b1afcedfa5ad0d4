"""Runs the esker command as a user would, for the tests.

The command is build/esker of this checkout, or what ESKER_COMMAND names.
"""

import io
import json
import os
import pathlib
import subprocess

import pyarrow as pa

ROOT = pathlib.Path(__file__).resolve().parent.parent
ESKER = os.environ.get("ESKER_COMMAND", str(ROOT / "build" / "esker"))
SPARK = ROOT / "testdata" / "spark"

# Exit codes of the command (README, "Exit codes").
DONE, FAILURE, USAGE, DISORDER, NOT_FOUND, UNSUPPORTED = 0, 1, 2, 3, 4, 5


class Outcome:
    """What a run of the command left behind."""

    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr.decode("utf-8", "replace")

    @property
    def text(self):
        return self.out.decode("utf-8")

    def table(self):
        """The rows of an Arrow stream on standard output."""
        assert self.code == DONE, self.err
        return pa.ipc.open_stream(io.BytesIO(self.out)).read_all()

    def json(self):
        assert self.code == DONE, self.err
        return json.loads(self.out)


def esker(*arguments, timeout=300, **options):
    """Runs `esker ARGUMENTS…` and waits for it."""
    command = [ESKER, *map(str, arguments)]
    return Outcome(subprocess.run(command, capture_output=True, timeout=timeout, **options))


def scan(table, *arguments, **options):
    """Runs `esker scan TABLE --format arrow ARGUMENTS…`."""
    return esker("scan", table, "--format", "arrow", *arguments, **options)


def public_tables():
    """The folder of public tables, or None: ESKER_TABLES, else ../shared/tables."""
    named = os.environ.get("ESKER_TABLES")
    folder = pathlib.Path(named) if named else ROOT.parent / "shared" / "tables"
    return folder if (folder / "index.json").exists() else None


def quoted(name):
    """A column name as --order-by, --columns and --where take it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
