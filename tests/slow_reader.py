"""A slow, literal reader of Iceberg tables: the format's text in Python, with nothing clever.

The random tables and the public ones are read with it and with esker, and the rows have to be the
same. It is written from the format's specification alone, on pyarrow (Parquet), fastavro and
pyroaring (deletion vectors), and shares no code with Esker or with the tests' table writer. Whatever
it does not know (nested delete columns, nested name mappings, files not in Parquet) it refuses with
an exception.

    fields, rows = read_table(folder)

`fields` are the columns of the schema as Iceberg writes them in JSON, `rows` a list of tuples in no
promised order. Values are Python's plainest: times as integers, a struct as a tuple, a map as a list
of pairs.
"""

import datetime
import decimal
import gzip
import json
import pathlib
import re
import struct
import uuid
import zlib
from typing import NamedTuple

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pyroaring

GZIP_MAGIC = b"\x1f\x8b"
FILE_PATH_ID, POS_ID = 2147483546, 2147483545
DATA, POSITION_DELETES, EQUALITY_DELETES = 0, 1, 2
DELETED = 2
DELETION_VECTOR_MAGIC = b"\xd1\xd3\x39\x64"


class LiveFile(NamedTuple):
    """A manifest entry that is not marked deleted."""

    data_file: dict
    sequence_number: int
    spec_id: int
    partition: tuple  # (partition field id, value) pairs
    constants: dict  # values of identity partition fields, by source id

    @property
    def content(self):
        return self.data_file.get("content") or DATA

    @property
    def path(self):
        return self.data_file["file_path"]

    def same_partition(self, other):
        return (self.spec_id, self.partition) == (other.spec_id, other.partition)


class Table:
    """Metadata of a table folder, or of one metadata file in it, and where its files lie.

    `moved` are (recorded prefix, folder) pairs for files outside of the table's own location.
    """

    def __init__(self, place, moved=()):
        place = pathlib.Path(place)
        if place.is_dir():
            version = (place / "metadata" / "version-hint.text").read_text().strip()
            place = place / "metadata" / f"v{version}.metadata.json"
        self.folder = place.parent.parent
        content = place.read_bytes()
        if content.startswith(GZIP_MAGIC):
            content = gzip.decompress(content)
        self.metadata = json.loads(content)
        self.moved = [*moved, (self.metadata["location"], self.folder)]
        self.specs = {spec["spec-id"]: spec["fields"] for spec in self.partition_specs()}
        mapping = self.metadata.get("properties", {}).get("schema.name-mapping.default")
        self.mapped_ids = {} if mapping is None else mapped_ids(json.loads(mapping))

    def real_path(self, recorded):
        for prefix, folder in self.moved:
            rest = bare(recorded).removeprefix(bare(prefix).rstrip("/") + "/")
            if rest != bare(recorded):
                return pathlib.Path(folder) / rest
        raise ValueError(f"{recorded} lies outside of the table")

    def partition_specs(self):
        """All specs; a version 1 table may have the fields of but one, a careless one none."""
        one = [{"spec-id": 0, "fields": self.metadata.get("partition-spec", [])}]
        return self.metadata.get("partition-specs") or one

    def schemas(self):
        """All schemas; a version 1 table may have but the one."""
        return self.metadata.get("schemas") or [self.metadata["schema"]]

    def snapshot(self, snapshot_id):
        """The snapshot asked for, the current one for None; None of a table without any."""
        wanted = self.metadata.get("current-snapshot-id") if snapshot_id is None else snapshot_id
        return next((s for s in self.metadata.get("snapshots", []) if s["snapshot-id"] == wanted),
                    None)

    def fields(self, snapshot_id):
        """The current schema, or for a snapshot that was asked for the one it was written with."""
        schema_id = self.metadata.get("current-schema-id", 0)
        if snapshot_id is not None:
            schema_id = self.snapshot(snapshot_id)["schema-id"]
        return next(s for s in self.schemas() if s.get("schema-id", 0) == schema_id)["fields"]

    def field(self, field_id, current):
        """A column by id: as the schema in use has it, else as the last one that had it."""
        schemas = sorted(self.schemas(), key=lambda s: s.get("schema-id", 0), reverse=True)
        for fields in [current, *(s["fields"] for s in schemas)]:
            for f in fields:
                if f["id"] == field_id:
                    return f
        raise ValueError(f"no top-level column has the id {field_id}")


def bare(location):
    """A location without the scheme and host that hdfs and local paths are written with or without."""
    return re.sub(r"^(hdfs|file):(//[^/]*)?(?=/)", "", location)


def mapped_ids(mapping):
    """{name: field id} of a name mapping; nested ones are not known here."""
    return {name: entry["field-id"] for entry in mapping if "field-id" in entry
            for name in entry["names"]}


# --- From the snapshot to its live files ---------------------------------------------------------


def read_avro(path):
    with open(path, "rb") as source:
        reader = fastavro.reader(source)
        return list(reader), json.loads(reader.metadata["avro.schema"])


def live_files(table, snapshot):
    """Every file of the snapshot, data and deletes."""
    if snapshot is None:
        return []
    if "manifest-list" in snapshot:
        manifests, _ = read_avro(table.real_path(snapshot["manifest-list"]))
    else:  # version 1 may name the manifests themselves
        manifests = [{"manifest_path": path} for path in snapshot["manifests"]]
    return [file for manifest in manifests for file in files_of_manifest(table, manifest)]


def files_of_manifest(table, manifest):
    entries, schema = read_avro(table.real_path(manifest["manifest_path"]))
    partition_ids = partition_field_ids(schema)
    spec_id = manifest.get("partition_spec_id", 0)
    spec = table.specs[spec_id]
    for entry in entries:
        if entry["status"] == DELETED:
            continue
        sequence_number = entry.get("sequence_number")
        if sequence_number is None:  # inherited; a version 1 manifest counts as 0
            sequence_number = manifest.get("sequence_number") or 0
        values = {partition_ids[name]: value
                  for name, value in (entry["data_file"].get("partition") or {}).items()}
        yield LiveFile(
            entry["data_file"], sequence_number, spec_id,
            tuple((f["field-id"], plain(values.get(f["field-id"]))) for f in spec),
            {f["source-id"]: values[f["field-id"]] for f in spec
             if f["transform"] == "identity" and f["field-id"] in values})


def partition_field_ids(manifest_schema):
    """{name: partition field id} of the partition struct of a manifest."""
    partition = member(member(manifest_schema, "data_file"), "partition")
    return {f["name"]: f["field-id"] for f in partition.get("fields", [])}


def member(record, name):
    """The type of a field of an Avro record, without its null; an empty one if there is none."""
    kind = next((f["type"] for f in record["fields"] if f["name"] == name), {})
    return next(k for k in kind if k != "null") if isinstance(kind, list) else kind


# --- Rows of a file as dicts by field id ---------------------------------------------------------


def file_rows(table, file):
    """The rows of a data or delete file in file order: {field id: value}, structs likewise."""
    if file.data_file["file_format"].lower() != "parquet":
        raise ValueError(f"no reader for {file.data_file['file_format']}")
    rows = pq.ParquetFile(table.real_path(file.path)).read()
    columns = {number: values_of(rows.column(name))
               for name, number in top_level_ids(table, rows.schema).items()}
    if not columns:
        return [{} for _ in range(rows.num_rows)]
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def values_of(column):
    values = column.to_pylist()
    return [nested(column.type, v) for v in values] if pa.types.is_nested(column.type) else values


def top_level_ids(table, schema):
    """{name: field id} of a file's columns: its own ids, or those that the name mapping gives."""
    own = {f.name: field_id(f) for f in schema}
    if any(number is not None for number in own.values()):
        return {name: number for name, number in own.items() if number is not None}
    if not table.mapped_ids:
        raise ValueError("neither field ids nor a name mapping")
    if any(pa.types.is_nested(f.type) for f in schema):
        raise ValueError("no reader for a nested name mapping")
    return {name: table.mapped_ids[name] for name in own if name in table.mapped_ids}


def field_id(f):
    number = (f.metadata or {}).get(b"PARQUET:field_id")
    return None if number is None else int(number)


def nested(kind, value):
    """A value of an Arrow type, its structs as {field id: value}."""
    if value is None or not pa.types.is_nested(kind):
        return value
    if pa.types.is_struct(kind):
        return {field_id(f): nested(f.type, value[f.name]) for f in kind}
    if pa.types.is_map(kind):
        return [(nested(kind.key_type, key), nested(kind.item_type, item)) for key, item in value]
    return [nested(kind.value_type, element) for element in value]


# --- Column projection ---------------------------------------------------------------------------


def value_of(f, record, constants):
    """The value of column `f` in a row of a file ("Column Projection" of the specification)."""
    if f["id"] in record:
        return converted(f["type"], record[f["id"]], constants)
    if f["id"] in constants:
        return converted(f["type"], constants[f["id"]], constants)
    return default_of(f)


def converted(kind, value, constants):
    """A value of a file as the column's type of today, as plain() would have it."""
    if value is None:
        return None
    if isinstance(kind, dict):
        return converted_nested(kind, value, constants)
    is_date = isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
    if kind == "timestamp" and is_date:
        value = datetime.datetime(value.year, value.month, value.day)
    return plain(value)


def converted_nested(kind, value, constants):
    if kind["type"] == "struct":
        return tuple(value_of(child, value, constants) for child in kind["fields"])
    if kind["type"] == "list":
        return [converted(kind["element"], element, constants) for element in value]
    return [(converted(kind["key"], key, constants), converted(kind["value"], item, constants))
            for key, item in value]


def default_of(f):
    """What rows have that were written before the column was: `initial-default`, else null."""
    value, kind = f.get("initial-default"), f["type"]
    if value is None:
        return None
    if isinstance(kind, dict):
        return tuple(default_of(child) for child in kind["fields"])
    if kind == "date":
        return plain(datetime.date.fromisoformat(value))
    if kind in ("timestamp", "timestamptz"):
        return plain(datetime.datetime.fromisoformat(value))
    if kind.startswith("decimal"):
        return decimal.Decimal(value)
    if kind == "time":
        return plain(datetime.time.fromisoformat(value))
    if kind == "uuid":
        return uuid.UUID(value).bytes
    if kind == "binary" or kind.startswith("fixed"):
        return bytes.fromhex(value)
    if kind == "float":
        return struct.unpack("<f", struct.pack("<f", value))[0]
    return float(value) if kind == "double" else value


def plain(value):
    """Dates as days, times as microseconds, uuids as bytes, all else as it is."""
    if isinstance(value, datetime.datetime):
        zone = datetime.timezone.utc if value.tzinfo else None
        zero = datetime.datetime(1970, 1, 1, tzinfo=zone)
        return (value - zero) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).days
    if isinstance(value, datetime.time):
        midnight = datetime.datetime(1970, 1, 1)
        return plain(datetime.datetime.combine(midnight, value))
    return value.bytes if isinstance(value, uuid.UUID) else value


# --- Deletes -------------------------------------------------------------------------------------


def is_deletion_vector(file):
    return file.content == POSITION_DELETES and file.data_file["file_format"].lower() == "puffin"


def deletion_vector(table, file):
    """The positions in a `deletion-vector-v1` blob."""
    start, size = file.data_file["content_offset"], file.data_file["content_size_in_bytes"]
    blob = table.real_path(file.path).read_bytes()[start:start + size]
    (length,) = struct.unpack(">i", blob[:4])
    checked, (checksum,) = blob[4:4 + length], struct.unpack(">I", blob[4 + length:])
    if checked[:4] != DELETION_VECTOR_MAGIC or zlib.crc32(checked) != checksum:
        raise ValueError("damaged deletion vector")
    return set(pyroaring.BitMap64.deserialize(checked[4:]))


def deleted_positions(table, data, deletes):
    """Positions that vectors and position delete files take from a data file."""
    older = [d for d in deletes if d.content == POSITION_DELETES
             and data.sequence_number <= d.sequence_number and data.same_partition(d)
             and d.data_file.get("referenced_data_file") in (None, data.path)]
    vectors = [d for d in older if is_deletion_vector(d)]
    if vectors:  # it holds what position delete files held
        return deletion_vector(table, vectors[0])
    return {row[POS_ID] for d in older for row in file_rows(table, d)
            if row[FILE_PATH_ID] == data.path}


def equality_predicates(table, data, deletes, current):
    """(delete columns, set of deleted tuples) of each equality delete file for a data file.

    The set compares null as equal to null, which is what the specification asks for.
    """
    for d in deletes:
        everywhere = not table.specs[d.spec_id]
        if (d.content == EQUALITY_DELETES and data.sequence_number < d.sequence_number
                and (everywhere or data.same_partition(d))):
            columns = [table.field(i, current) for i in d.data_file["equality_ids"]]
            rows = file_rows(table, d)
            if any(f["id"] not in row for row in rows for f in columns):
                raise ValueError("an equality delete file without a column of its equality_ids")
            yield columns, {tuple(value_of(f, row, d.constants) for f in columns) for row in rows}


# --- The table -----------------------------------------------------------------------------------


def rows_of_file(table, data, deletes, fields):
    positions = deleted_positions(table, data, deletes)
    predicates = list(equality_predicates(table, data, deletes, fields))
    for position, record in enumerate(file_rows(table, data)):
        if position in positions:
            continue
        if any(tuple(value_of(f, record, data.constants) for f in columns) in tuples
               for columns, tuples in predicates):
            continue
        yield tuple(value_of(f, record, data.constants) for f in fields)


def refuse_unknown_types(fields):
    for f in fields:
        kind = f["type"]
        if isinstance(kind, str) and kind.startswith(("variant", "geometry", "geography")):
            raise ValueError(f"no reader for {kind}")
        if isinstance(kind, dict) and kind["type"] == "struct":
            refuse_unknown_types(kind["fields"])


def read_table(place, snapshot_id=None, moved=()):
    """(fields, rows) of the current state, or of one snapshot with its own schema."""
    table = Table(place, moved)
    fields = table.fields(snapshot_id)
    refuse_unknown_types(fields)
    files = live_files(table, table.snapshot(snapshot_id))
    deletes = [file for file in files if file.content != DATA]
    return fields, [row for data in files if data.content == DATA
                    for row in rows_of_file(table, data, deletes, fields)]
