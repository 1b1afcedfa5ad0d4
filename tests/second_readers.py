"""Other readers of Iceberg tables behind one call, their rows as lines of text that can be compared.

    reading = READERS["pyiceberg"](metadata_file, moved)

`moved` are (recorded prefix, folder) pairs for files that lie outside of the table's own location,
as --map takes them. A reader that fails raises whatever it raises; refusals are exceptions too.
"""

import collections
import datetime
import hashlib

from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import StaticTable

import slow_reader
import value_text
from command import DONE, esker, scan


class Reading(collections.namedtuple("Reading", ["columns", "lines"])):
    """Names of the columns, and the rows as sorted lines: order is no matter here."""

    @property
    def count(self):
        return len(self.lines)

    @property
    def sha256(self):
        whole = "\n".join(["\t".join(self.columns), *self.lines])
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


class Refused(Exception):
    """The reader says that it does not read this table."""


def reading_of(fields, rows):
    """Rows are tuples of Python values, `fields` the columns as Iceberg writes them in JSON."""
    texts = [column_texts(values, f["type"]) for values, f in zip(zip(*rows), fields)]
    return Reading([f["name"] for f in fields], sorted(map("\t".join, zip(*texts))))


def column_texts(values, kind):
    """The texts of a column; equal values are written once."""
    if not isinstance(kind, str):
        return [cell_text(value, kind) for value in values]
    known = {value: cell_text(value, kind) for value in set(values)}
    return [known[value] for value in values]


def cell_text(value, kind):
    """The text of a value, nested ones too; the entries of a map have no order."""
    if value is None or isinstance(kind, str):
        return value_text.text(slow_reader.plain(value), kind)
    if kind["type"] == "struct":
        members = value.values() if isinstance(value, dict) else value
        texts = [cell_text(member, f["type"]) for member, f in zip(members, kind["fields"], strict=True)]
        return f"({', '.join(texts)})"
    if kind["type"] == "list":
        return f"[{', '.join(cell_text(element, kind['element']) for element in value)}]"
    texts = [f"{cell_text(key, kind['key'])}: {cell_text(item, kind['value'])}" for key, item in value]
    return f"{{{', '.join(sorted(texts))}}}"


def reading_of_arrow(metadata_file, rows):
    """Of an Arrow table; the types are those of the table's current schema."""
    table = slow_reader.Table(metadata_file)
    kinds = {f["name"]: f["type"] for f in table.fields(None)}
    fields = [{"name": name, "type": kinds[name]} for name in rows.column_names]
    return reading_of(fields, zip(*(column.to_pylist() for column in rows.columns)))


# --- The readers ---------------------------------------------------------------------------------


def read_esker(metadata_file, moved=()):
    maps = [word for prefix, folder in moved for word in ("--map", f"{prefix}={folder}")]
    outcome = scan(metadata_file, "--order", "none", *maps)
    if outcome.code != DONE:
        raise Refused(f"exit {outcome.code}: {outcome.err.strip()}")
    return reading_of_arrow(metadata_file, outcome.table())


def read_slowly(metadata_file, moved=()):
    return reading_of(*slow_reader.read_table(metadata_file, moved=moved))


class MovedFileIO(PyArrowFileIO):
    """Opens files where they are today, under the locations that the metadata recorded."""

    def __init__(self, properties, table):
        super().__init__(properties)
        self.table = table

    def new_input(self, location):
        return super().new_input(str(self.table.real_path(location)))


def open_pyiceberg(metadata_file, moved):
    metadata = FromInputFile.table_metadata(PyArrowFileIO().new_input(str(metadata_file)))
    io = MovedFileIO(metadata.properties, slow_reader.Table(metadata_file, moved))
    return StaticTable(("public", metadata_file.name), metadata, str(metadata_file), io,
                       NoopCatalog("public"))


def read_pyiceberg(metadata_file, moved=()):
    table = open_pyiceberg(metadata_file, moved)
    return reading_of_arrow(metadata_file, table.scan().to_arrow())


# --- Planned data files, for tables without them -------------------------------------------------


def planned(paths):
    return Reading(["file"], sorted(paths))


def plan_esker(metadata_file, moved=()):
    plan = esker("explain", metadata_file, "--json").json()
    return planned(read["file"] for read in plan["reads"])


def plan_slowly(metadata_file, moved=()):
    table = slow_reader.Table(metadata_file, moved)
    files = slow_reader.live_files(table, table.snapshot(None))
    return planned(f.path for f in files if f.content == slow_reader.DATA)


def plan_pyiceberg(metadata_file, moved=()):
    tasks = open_pyiceberg(metadata_file, moved).scan().plan_files()
    return planned(task.file.file_path for task in tasks)


READERS = {"esker": read_esker, "pyiceberg": read_pyiceberg, "slow reader": read_slowly}
PLANNERS = {"esker": plan_esker, "pyiceberg": plan_pyiceberg, "slow reader": plan_slowly}
REFEREES = ("pyiceberg", "slow reader")
