"""Writes Apache Iceberg tables (format versions 1, 2 and 3) with every number under control.

For tests and the demo: unlike an engine, this can claim a sort order the data does not have, give
bounds that are wide, cut short, wrong or missing, and record any location. Only pyarrow and
fastavro are needed.

    builder = TableBuilder(path, [field(1, "ts", "timestamptz"), field(2, "id", "long")],
                           sort_orders=[sort_order(1, (1, "asc", "nulls-first"))],
                           default_sort_order_id=1, location="/warehouse/db/events")
    builder.append_file(pa.table({"ts": ..., "id": ...}), sort_order_id=1)
    builder.commit()

A commit makes one snapshot with one manifest for the data files added since the last one, and
one for the delete files. Ids and times count up from fixed numbers, so equal calls write equal
tables (Parquet and Avro markers aside).
"""

import decimal
import json
import math
import re
import struct
import uuid
from datetime import date, datetime, time, timedelta, timezone
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

EPOCH_MS = 1_767_225_600_000  # 2026-01-01, the time of the first commit
FIRST_SNAPSHOT_ID = 7_000_000_001
FIRST_PARTITION_FIELD_ID = 1000
ADDED = 1
FILE_PATH_ID, POS_ID = 2147483546, 2147483545  # the columns of a position delete file


# --- Iceberg schemas -------------------------------------------------------------------------


def field(field_id, name, type, required=False, **more):
    """An Iceberg struct field; `type` is "long", "decimal(9,2)" ... or a nested type's object."""
    return {"id": field_id, "name": name, "required": required, "type": type, **more}


def sort_order(order_id, *keys):
    """A sort order of (source id, direction, null order[, transform]) tuples."""
    return {"order-id": order_id, "fields": [
        {"transform": key[3] if len(key) > 3 else "identity", "source-id": key[0],
         "direction": key[1], "null-order": key[2]} for key in keys]}


def nested_fields(type):
    """The fields of a nested type as (field, role), none of a primitive one."""
    if isinstance(type, str):
        return []
    if type["type"] == "struct":
        return [(child, "field") for child in type["fields"]]
    if type["type"] == "list":
        return [(field(type["element-id"], "element", type["element"],
                       type["element-required"]), "element")]
    return [(field(type["key-id"], "key", type["key"], True), "key"),
            (field(type["value-id"], "value", type["value"], type["value-required"]), "value")]


def all_fields(fields):
    """Every field of a schema, parents before children, in the order of Parquet's leaves."""
    for f in fields:
        yield f
        yield from all_fields(child for child, _ in nested_fields(f["type"]))


def leaves(fields):
    return [f for f in all_fields(fields) if isinstance(f["type"], str)]


def bounded_leaves(fields, path=()):
    """(field, path of names) of the primitives that can have bounds: not in lists or maps."""
    for f in fields:
        if isinstance(f["type"], str):
            yield f, path + (f["name"],)
        elif f["type"]["type"] == "struct":
            yield from bounded_leaves(f["type"]["fields"], path + (f["name"],))


# --- types in Arrow and Avro -----------------------------------------------------------------

ARROW_TYPES = {
    "unknown": pa.null(), "boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(),
    "float": pa.float32(), "double": pa.float64(), "date": pa.date32(), "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"), "timestamptz": pa.timestamp("us", "UTC"),
    "timestamp_ns": pa.timestamp("ns"), "timestamptz_ns": pa.timestamp("ns", "UTC"),
    "string": pa.string(), "uuid": pa.uuid(), "binary": pa.binary(),
}


def type_numbers(type):
    """[9, 2] of "decimal(9, 2)", [16] of "fixed[16]"."""
    return [int(number) for number in re.findall(r"\d+", type)]


def arrow_type(type):
    if not isinstance(type, str):
        children = [arrow_field(child) for child, _ in nested_fields(type)]
        if type["type"] == "struct":
            return pa.struct(children)
        return pa.list_(*children) if type["type"] == "list" else pa.map_(*children)
    if type.startswith("decimal"):
        return pa.decimal128(*type_numbers(type))
    if type.startswith("fixed"):
        return pa.binary(*type_numbers(type))
    return ARROW_TYPES[type]


def arrow_field(f):
    return pa.field(f["name"], arrow_type(f["type"]), nullable=not f["required"],
                    metadata={"PARQUET:field_id": str(f["id"])})


def arrow_schema(fields):
    """The Arrow schema of Iceberg fields, with their ids where the Parquet writer looks."""
    return pa.schema([arrow_field(f) for f in fields])


AVRO_TYPES = {
    "unknown": "null", "boolean": "boolean", "int": "int", "long": "long", "float": "float",
    "double": "double", "string": "string", "binary": "bytes",
    "date": {"type": "int", "logicalType": "date"},
    "time": {"type": "long", "logicalType": "time-micros"},
    "timestamp": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": False},
    "timestamptz": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True},
    "timestamp_ns": {"type": "long", "logicalType": "timestamp-nanos", "adjust-to-utc": False},
    "timestamptz_ns": {"type": "long", "logicalType": "timestamp-nanos", "adjust-to-utc": True},
}


def avro_type(type, name):
    """The Avro type of an Iceberg type; `name` makes the names of records and fixed unique."""
    if not isinstance(type, str):
        return avro_nested_type(type, name)
    if type.startswith("decimal"):
        precision, scale = type_numbers(type)
        size = next(n for n in range(1, 17) if 2 ** (8 * n - 1) > 10 ** precision - 1)
        return {"type": "fixed", "name": f"decimal_{name}", "size": size,
                "logicalType": "decimal", "precision": precision, "scale": scale}
    if type.startswith("fixed"):
        return {"type": "fixed", "name": f"fixed_{name}", "size": type_numbers(type)[0]}
    if type == "uuid":
        return {"type": "fixed", "name": f"uuid_{name}", "size": 16, "logicalType": "uuid"}
    return AVRO_TYPES[type]


def avro_nested_type(type, name):
    children = [child for child, _ in nested_fields(type)]
    if type["type"] == "struct":
        return avro_record(f"r{name}", children)
    if type["type"] == "list":
        return {"type": "array", "element-id": type["element-id"],
                "items": avro_optional(children[0])}
    key, value = type["key-id"], type["value-id"]
    return {"type": "array", "logicalType": "map", "items": avro_record(f"k{key}_v{value}", children)}


def avro_optional(f):
    inner = avro_type(f["type"], str(f["id"]))
    return inner if f["required"] or inner == "null" else ["null", inner]


def avro_record(name, fields):
    def avro_field(f):
        optional = {} if f["required"] else {"default": None}
        return {"name": f["name"], "type": avro_optional(f), **optional, "field-id": f["id"]}
    return {"type": "record", "name": name, "fields": [avro_field(f) for f in fields]}


# --- single values as bytes (Appendix D of the specification) ----------------------------------


def physical(type, value):
    """The integer behind a date, time or timestamp given as Python's own kind."""
    if isinstance(value, datetime):
        zero = datetime(1970, 1, 1, tzinfo=timezone.utc if value.tzinfo else None)
        micros = (value - zero) // timedelta(microseconds=1)
        return micros * 1000 if type.endswith("_ns") else micros
    if isinstance(value, date):
        return (value - date(1970, 1, 1)).days
    if isinstance(value, time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    return value


def encode(type, value):
    """One value as Iceberg stores it in bounds. Bytes pass through as they are."""
    if value is None or isinstance(value, bytes):
        return value
    value = physical(type, value)
    if type == "string":
        return value.encode()
    if type == "uuid":
        return uuid.UUID(str(value)).bytes
    if type.startswith("decimal"):
        unscaled = int(decimal.Decimal(value).scaleb(type_numbers(type)[1],
                                                     decimal.Context(prec=60)))
        magnitude = unscaled if unscaled >= 0 else ~unscaled
        return unscaled.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)
    codes = {"boolean": "<?", "int": "<i", "date": "<i", "float": "<f", "double": "<d"}
    return struct.pack(codes.get(type, "<q"), value)


def truncated_bounds(type, lower, upper, length):
    """Bounds cut to `length` characters or bytes as Iceberg does: the upper one is raised."""
    if type == "string":
        low, high = lower.decode()[:length], upper.decode()
        if len(high) > length:
            high = raise_text(high[:length])
        return low.encode(), None if high is None else high.encode()
    if type == "binary":
        return lower[:length], upper if len(upper) <= length else raise_bytes(upper[:length])
    return lower, upper


def raise_text(text):
    """The shortest text above every one that starts with `text`; None if there is none."""
    for end in range(len(text), 0, -1):
        code = ord(text[end - 1]) + 1
        if 0xD800 <= code <= 0xDFFF:
            code = 0xE000
        if code <= 0x10FFFF:
            return text[:end - 1] + chr(code)
    return None


def raise_bytes(data):
    for end in range(len(data), 0, -1):
        if data[end - 1] < 0xFF:
            return data[:end - 1] + bytes([data[end - 1] + 1])
    return None


# --- statistics of a data file -----------------------------------------------------------------


def column_at(table, path):
    column = table[path[0]]
    for name in path[1:]:
        column = pc.struct_field(column, name)
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    return column


def as_integers(column):
    """A temporal column as its integers: all of them exact, also beyond Python's years."""
    if pa.types.is_date(column.type):
        return column.cast(pa.int32())
    return column.cast(pa.int64()) if pa.types.is_temporal(column.type) else column


def avro_rows(table):
    """The rows of a table as fastavro takes them: integers for times, bytes for UUIDs, and records
    for the entries of top-level maps."""
    columns = {}
    for name in table.column_names:
        column = as_integers(column_at(table, (name,)))
        values = column.to_pylist()
        if pa.types.is_map(column.type):
            values = [value and [{"key": k, "value": v} for k, v in value] for value in values]
        columns[name] = values
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def column_bounds(type, column):
    """Encoded (lower, upper) of the values that are neither null nor NaN, else (None, None)."""
    column = as_integers(column.drop_null())
    if pa.types.is_floating(column.type):
        column = column.filter(pc.invert(pc.is_nan(column)))
    if len(column) == 0 or pa.types.is_null(column.type):
        return None, None
    if pa.types.is_fixed_size_binary(column.type):
        column = column.cast(pa.binary())
    low, high = pc.min_max(column).as_py().values()
    if pa.types.is_floating(column.type):  # minus zero comes before zero
        low, high = low or -0.0, high or 0.0
    return encode(type, low), encode(type, high)


def statistics(table, fields, truncate):
    """Counts and bounds of a table, each a dict by field id."""
    stats = {name: {} for name in ("value_counts", "null_value_counts", "nan_value_counts",
                                   "lower_bounds", "upper_bounds")}
    for f, path in bounded_leaves(fields):
        column = column_at(table, path)
        stats["value_counts"][f["id"]] = len(column)
        stats["null_value_counts"][f["id"]] = column.null_count
        if f["type"] in ("float", "double"):
            stats["nan_value_counts"][f["id"]] = pc.sum(pc.is_nan(column)).as_py() or 0
        lower, upper = column_bounds(f["type"], column)
        if lower is not None and truncate:
            lower, upper = truncated_bounds(f["type"], lower, upper, truncate)
        stats["lower_bounds"][f["id"]], stats["upper_bounds"][f["id"]] = lower, upper
    return stats


def parquet_layout(path, fields):
    """Bytes by column id, and where the row groups start."""
    metadata = pq.read_metadata(path)
    sizes, offsets = {}, []
    for group in (metadata.row_group(i) for i in range(metadata.num_row_groups)):
        columns = [group.column(i) for i in range(group.num_columns)]
        for leaf, column in zip(leaves(fields), columns):
            sizes[leaf["id"]] = sizes.get(leaf["id"], 0) + column.total_compressed_size
        if columns:
            starts = (offset for column in columns for offset in
                      (column.data_page_offset, column.dictionary_page_offset) if offset)
            offsets.append(min(starts, default=4))  # no page at all: right behind the magic bytes
    return sizes, offsets


# --- schemas of manifests and manifest lists ---------------------------------------------------


def plain(field_id, name, type, required=False):
    return {"name": name, "field-id": field_id,
            **({"type": type} if required else {"type": ["null", type], "default": None})}


def id_map(field_id, name, key_id, value_id, value_type):
    record = {"type": "record", "name": f"k{key_id}_v{value_id}", "fields": [
        plain(key_id, "key", "int", True), plain(value_id, "value", value_type, True)]}
    return plain(field_id, name, {"type": "array", "logicalType": "map", "items": record})


def id_list(field_id, name, element_id, type):
    return plain(field_id, name, {"type": "array", "items": type, "element-id": element_id})


def manifest_schema(version, partition_type):
    data_file = [
        plain(100, "file_path", "string", True),
        plain(101, "file_format", "string", True),
        {"name": "partition", "field-id": 102, "type": partition_type},
        plain(103, "record_count", "long", True),
        plain(104, "file_size_in_bytes", "long", True),
        id_map(108, "column_sizes", 117, 118, "long"),
        id_map(109, "value_counts", 119, 120, "long"),
        id_map(110, "null_value_counts", 121, 122, "long"),
        id_map(137, "nan_value_counts", 138, 139, "long"),
        id_map(125, "lower_bounds", 126, 127, "bytes"),
        id_map(128, "upper_bounds", 129, 130, "bytes"),
        plain(131, "key_metadata", "bytes"),
        id_list(132, "split_offsets", 133, "long"),
        plain(140, "sort_order_id", "int"),
    ]
    if version == 1:
        data_file.insert(5, plain(105, "block_size_in_bytes", "long", True))
    else:
        data_file.insert(0, plain(134, "content", "int", True))
        data_file.insert(-1, id_list(135, "equality_ids", 136, "int"))
        data_file.append(plain(143, "referenced_data_file", "string"))
    if version >= 3:
        data_file += [plain(142, "first_row_id", "long"), plain(144, "content_offset", "long"),
                      plain(145, "content_size_in_bytes", "long")]
    entry = [plain(0, "status", "int", True), plain(1, "snapshot_id", "long", version == 1)]
    if version >= 2:
        entry += [plain(3, "sequence_number", "long"), plain(4, "file_sequence_number", "long")]
    entry.append({"name": "data_file", "field-id": 2,
                  "type": {"type": "record", "name": "r2", "fields": data_file}})
    return {"type": "record", "name": "manifest_entry", "fields": entry}


def manifest_list_schema(version):
    summary = {"type": "record", "name": "r508", "fields": [
        plain(509, "contains_null", "boolean", True), plain(518, "contains_nan", "boolean"),
        plain(510, "lower_bound", "bytes"), plain(511, "upper_bound", "bytes")]}
    v2 = version >= 2
    fields = [plain(500, "manifest_path", "string", True),
              plain(501, "manifest_length", "long", True),
              plain(502, "partition_spec_id", "int", True)]
    if v2:
        fields += [plain(517, "content", "int", True), plain(515, "sequence_number", "long", True),
                   plain(516, "min_sequence_number", "long", True)]
    fields += [plain(503, "added_snapshot_id", "long", True),
               plain(504, "added_files_count", "int", v2),
               plain(505, "existing_files_count", "int", v2),
               plain(506, "deleted_files_count", "int", v2),
               plain(512, "added_rows_count", "long", v2),
               plain(513, "existing_rows_count", "long", v2),
               plain(514, "deleted_rows_count", "long", v2),
               id_list(507, "partitions", 508, summary), plain(519, "key_metadata", "bytes")]
    if version >= 3:
        fields.append(plain(520, "first_row_id", "long"))
    return {"type": "record", "name": "manifest_file", "fields": fields}


def map_entries(values):
    """A dict by field id as the records of an Avro map; unknown values are left out."""
    if values is None:
        return None
    return [{"key": key, "value": value} for key, value in values.items() if value is not None]


def compact(value):
    return json.dumps(value, separators=(",", ":"))


# --- the table ---------------------------------------------------------------------------------


class TableBuilder:
    """A table being written at `path`, whose metadata says that it lies at `location`.

    schema          Iceberg fields: see field()
    partition_spec  partition fields: {"name", "transform", "source-id"[, "field-id"]}
    sort_orders     see sort_order(); order 0, unsorted, is always there
    location        the recorded location; the path itself if not given
    codec           of manifests: "null", "deflate", "snappy" or "zstandard"
    """

    def __init__(self, path, schema, format_version=2, partition_spec=(), sort_orders=(),
                 default_sort_order_id=0, properties=None, location=None, codec="deflate"):
        self.path = Path(path)
        self.location = str(location if location is not None else self.path.resolve())
        self.format_version = format_version
        self.codec = codec
        self.properties = {key: str(value) for key, value in (properties or {}).items()}
        self.schemas, self.specs = [], []
        self.sort_orders = [{"order-id": 0, "fields": []}, *sort_orders]
        self.default_sort_order_id = default_sort_order_id
        self.snapshots, self.manifests = [], []
        self.pending, self.pending_deletes = [], []
        self.files_written = self.versions_written = self.next_row_id = 0
        self.set_schema(schema)
        self.set_spec(partition_spec)
        (self.path / "metadata").mkdir(parents=True, exist_ok=True)
        (self.path / "data").mkdir(exist_ok=True)

    # Schema and specs: the last one set is the current one. Earlier ones stay on record.

    def set_schema(self, fields):
        self.schemas.append({"type": "struct", "schema-id": len(self.schemas),
                             "fields": list(fields)})

    def set_spec(self, fields):
        taken = sum(len(spec["fields"]) for spec in self.specs)
        self.specs.append({"spec-id": len(self.specs), "fields": [
            {"field-id": FIRST_PARTITION_FIELD_ID + taken + i, **f} for i, f in enumerate(fields)]})

    @property
    def fields(self):
        return self.schemas[-1]["fields"]

    # Files: written at once, part of the table from the next commit on.

    def append_file(self, table, *, sort_order_id=None, bounds="true", value_counts="true",
                    null_counts="true", nan_counts="true", record_count=None, partition=None,
                    row_group_size=None, file_path=None, file_size=None, spec_id=None,
                    format="parquet", compression="zstd", truncate=None, **entry):
        """Adds a data file and returns what its manifest entry will say.

        table         the rows, cast to the current schema; None writes no file at all, for tables
                      that are only planned (then give `record_count`)
        bounds        "true" ones from the data, a dict {column: (lower, upper)} that replaces some
                      of them (None leaves one out, bytes are stored as given), None for no bounds
        value_counts, null_counts, nan_counts
                      "true", a dict {column: count} that replaces some, or None
        partition     {partition field: value}, days and hours as integers
        file_path     the recorded path; the file itself lies at the same place below `path`
        truncate      length to which bounds of text and binary are cut, as Iceberg does with 16
        entry         further fields of the entry, such as sequence_number or first_row_id
        """
        info = self.new_file(table, self.fields, format, file_path, row_group_size, compression)
        true = statistics(table.cast(arrow_schema(self.fields)), self.fields, truncate) \
            if table is not None else {}
        info.update(
            content=0, sort_order_id=sort_order_id,
            value_counts=self.override(true.get("value_counts"), value_counts),
            null_value_counts=self.override(true.get("null_value_counts"), null_counts),
            nan_value_counts=self.override(true.get("nan_value_counts"), nan_counts))
        info.update(self.override_bounds(true, bounds))
        self.finish_entry(info, record_count, file_size, partition, spec_id, entry)
        self.pending.append(info)
        return info

    def add_delete_file(self, rows, *, equality_ids=None, partition=None, spec_id=None,
                        file_path=None, record_count=None, sort_order_id=None, **entry):
        """Adds a delete file. With `equality_ids`, rows is a table of the columns with these ids;
        else a list of (file path, position) pairs."""
        if equality_ids:
            fields = [f for f in self.fields if f["id"] in equality_ids]
            content = 2
        else:
            fields = [field(FILE_PATH_ID, "file_path", "string", True),
                      field(POS_ID, "pos", "long", True)]
            rows = pa.table(list(zip(*sorted(rows))), names=["file_path", "pos"])
            content = 1
        info = self.new_file(rows, fields, "parquet", file_path, None, "zstd")
        info.update(statistics(rows.cast(arrow_schema(fields)), fields, None))
        info.update(content=content, sort_order_id=sort_order_id, equality_ids=equality_ids)
        self.finish_entry(info, record_count, None, partition, spec_id, entry)
        self.pending_deletes.append(info)
        return info

    def new_file(self, table, fields, format, file_path, row_group_size, compression):
        """Writes the rows, if any, and returns the part of the entry that the file itself gives."""
        name = f"{self.files_written:05d}.{format}"
        self.files_written += 1
        file_path = file_path or f"{self.location}/data/{name}"
        info = {"file_path": file_path, "file_format": format.upper()}
        if table is None:
            return info | {"record_count": 0, "file_size_in_bytes": 0}
        target = self.real_path(file_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        table = table.cast(arrow_schema(fields))
        if format == "parquet":
            pq.write_table(table, target, row_group_size=row_group_size, compression=compression,
                           store_schema=False)
            info["column_sizes"], info["split_offsets"] = parquet_layout(target, fields)
        elif format == "avro":
            with open(target, "wb") as out:
                fastavro.writer(out, avro_record("table", fields), avro_rows(table), "deflate")
        else:
            import pyarrow.orc as orc
            orc.write_table(table, target)
        return info | {"record_count": table.num_rows, "file_size_in_bytes": target.stat().st_size}

    def finish_entry(self, info, record_count, file_size, partition, spec_id, entry):
        info["spec_id"] = len(self.specs) - 1 if spec_id is None else spec_id
        info["partition"] = {f["name"]: (partition or {}).get(f["name"])
                             for f in self.specs[info["spec_id"]]["fields"]}
        if record_count is not None:
            info["record_count"] = record_count
        if file_size is not None:
            info["file_size_in_bytes"] = file_size
        info.update(entry)

    def real_path(self, recorded):
        """Where a recorded path lies on this machine."""
        prefix = self.location + "/"
        if recorded.startswith(prefix):
            return self.path / recorded.removeprefix(prefix)
        return self.path / "data" / recorded.rsplit("/", 1)[-1]

    def by_id(self, values):
        """{column name or id: value} as {field id: value}; nested names are joined by dots."""
        ids = {".".join(path): f["id"] for f, path in bounded_leaves(self.fields)}
        return {ids.get(key, key): value for key, value in values.items()}

    def override(self, true, wanted):
        if wanted is None or wanted == "true":
            return true if wanted else None
        return {**(true or {}), **self.by_id(wanted)}

    def override_bounds(self, true, wanted):
        lower, upper = dict(true.get("lower_bounds", {})), dict(true.get("upper_bounds", {}))
        if wanted is None:
            return {"lower_bounds": None, "upper_bounds": None}
        if wanted != "true":
            types = {f["id"]: f["type"] for f in all_fields(self.fields)}
            for key, (low, high) in self.by_id(wanted).items():
                lower[key], upper[key] = (encode(types.get(key, "binary"), v) for v in (low, high))
        return {"lower_bounds": lower, "upper_bounds": upper}

    # Commits.

    def commit(self, operation="append", snapshot_id=None, timestamp_ms=None, publish=True):
        """Makes a snapshot of all files so far and returns its id. With `publish` a metadata file
        is written too; a table of many commits needs only the last one."""
        number = len(self.snapshots) + 1
        snapshot = {"snapshot-id": snapshot_id or FIRST_SNAPSHOT_ID + number - 1,
                    "sequence-number": number,
                    "timestamp-ms": timestamp_ms or EPOCH_MS + 1000 * (number - 1),
                    "schema-id": self.schemas[-1]["schema-id"]}
        if self.snapshots:
            snapshot["parent-snapshot-id"] = self.snapshots[-1]["snapshot-id"]
        first_row_id = self.next_row_id
        added = self.pending + self.pending_deletes
        for content, files in ((0, self.pending), (1, self.pending_deletes)):
            for spec_id in sorted({info["spec_id"] for info in files}):
                self.write_manifest(snapshot, content, spec_id,
                                    [info for info in files if info["spec_id"] == spec_id])
        self.pending, self.pending_deletes = [], []
        snapshot["manifest-list"] = self.write_manifest_list(snapshot)
        snapshot["summary"] = {"operation": operation, "added-data-files": str(
            sum(info["content"] == 0 for info in added))}
        if self.format_version == 1:
            del snapshot["sequence-number"]
        if self.format_version >= 3:
            snapshot |= {"first-row-id": first_row_id, "added-rows": self.next_row_id - first_row_id}
        self.snapshots.append(snapshot)
        if publish:
            self.write_metadata()
        return snapshot["snapshot-id"]

    def result_type(self, partition_field):
        """The type that a partition field's transform gives."""
        source = next((f for schema in reversed(self.schemas) for f in all_fields(schema["fields"])
                       if f["id"] == partition_field["source-id"]), {"type": "string"})
        transform = partition_field["transform"].split("[")[0]
        named = {"bucket": "int", "year": "int", "month": "int", "day": "date", "hour": "int"}
        return named.get(transform, source["type"])

    def partition_fields(self, spec_id):
        return [field(f["field-id"], f["name"], self.result_type(f))
                for f in self.specs[spec_id]["fields"]]

    def write_avro(self, name, schema, records, metadata):
        """Writes a file into metadata/; returns its recorded path and its length."""
        path = self.path / "metadata" / name
        with open(path, "wb") as out:
            fastavro.writer(out, schema, records, self.codec, metadata=metadata)
        return f"{self.location}/metadata/{name}", path.stat().st_size

    def write_manifest(self, snapshot, content, spec_id, files):
        spec_fields = self.partition_fields(spec_id)
        schema = manifest_schema(self.format_version, avro_record("r102", spec_fields))
        metadata = {"schema": compact(self.schemas[-1]),
                    "schema-id": str(self.schemas[-1]["schema-id"]),
                    "partition-spec": compact(self.specs[spec_id]["fields"]),
                    "partition-spec-id": str(spec_id),
                    "format-version": str(self.format_version)}
        if self.format_version >= 2:
            metadata["content"] = ("data", "deletes")[content]
        path, length = self.write_avro(
            f"{snapshot['snapshot-id']}-m{content}{spec_id}.avro", schema,
            [self.manifest_entry(info, snapshot) for info in files], metadata)
        rows = sum(info["record_count"] for info in files)
        self.manifests.append({
            "manifest_path": path, "manifest_length": length, "partition_spec_id": spec_id,
            "content": content, "sequence_number": snapshot["sequence-number"],
            "min_sequence_number": min(info.get("sequence_number") or snapshot["sequence-number"]
                                       for info in files),
            "added_snapshot_id": snapshot["snapshot-id"],
            "added_files_count": len(files), "existing_files_count": 0, "deleted_files_count": 0,
            "added_rows_count": rows, "existing_rows_count": 0, "deleted_rows_count": 0,
            "partitions": [self.field_summary(f, files) for f in spec_fields],
            "first_row_id": self.next_row_id if content == 0 else None})
        if content == 0:
            self.next_row_id += rows

    def manifest_entry(self, info, snapshot):
        data_file = dict(info)
        for name in ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts",
                     "lower_bounds", "upper_bounds"):
            data_file[name] = map_entries(info.get(name))
        data_file.setdefault("block_size_in_bytes", 64 << 20)
        return {"status": info.get("status", ADDED),
                "snapshot_id": info.get("snapshot_id", snapshot["snapshot-id"]),
                "sequence_number": info.get("sequence_number"),
                "file_sequence_number": info.get("file_sequence_number"), "data_file": data_file}

    def field_summary(self, f, files):
        values = [physical(f["type"], info["partition"][f["name"]]) for info in files]
        real = [v for v in values
                if v is not None and not (isinstance(v, float) and math.isnan(v))]
        return {"contains_null": None in values,
                "contains_nan": any(isinstance(v, float) and math.isnan(v) for v in values),
                "lower_bound": encode(f["type"], min(real)) if real else None,
                "upper_bound": encode(f["type"], max(real)) if real else None}

    def write_manifest_list(self, snapshot):
        metadata = {"snapshot-id": str(snapshot["snapshot-id"]),
                    "parent-snapshot-id": str(snapshot.get("parent-snapshot-id", "null")),
                    "sequence-number": str(snapshot["sequence-number"]),
                    "format-version": str(self.format_version)}
        return self.write_avro(f"snap-{snapshot['snapshot-id']}.avro",
                               manifest_list_schema(self.format_version), self.manifests,
                               metadata)[0]

    # Metadata.

    def metadata(self):
        """The table metadata as an object; change it before write_metadata() if a test wants to."""
        ids = [f["id"] for schema in self.schemas for f in all_fields(schema["fields"])]
        partition_ids = [f["field-id"] for spec in self.specs for f in spec["fields"]]
        last_ms = self.snapshots[-1]["timestamp-ms"] if self.snapshots else EPOCH_MS
        data = {
            "format-version": self.format_version,
            "table-uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, self.location)),
            "location": self.location,
            "last-sequence-number": len(self.snapshots),
            "last-updated-ms": last_ms,
            "last-column-id": max(ids, default=0),
            "current-schema-id": self.schemas[-1]["schema-id"], "schemas": self.schemas,
            "default-spec-id": self.specs[-1]["spec-id"], "partition-specs": self.specs,
            "last-partition-id": max(partition_ids, default=FIRST_PARTITION_FIELD_ID - 1),
            "default-sort-order-id": self.default_sort_order_id, "sort-orders": self.sort_orders,
            "properties": self.properties,
            "snapshots": self.snapshots,
            "snapshot-log": [{"snapshot-id": s["snapshot-id"], "timestamp-ms": s["timestamp-ms"]}
                             for s in self.snapshots],
            "metadata-log": []}
        if self.snapshots:
            current = self.snapshots[-1]["snapshot-id"]
            data["current-snapshot-id"] = current
            data["refs"] = {"main": {"snapshot-id": current, "type": "branch"}}
        if self.format_version == 1:
            data |= {"schema": self.schemas[-1], "partition-spec": self.specs[-1]["fields"]}
            del data["last-sequence-number"]
        if self.format_version >= 3:
            data["next-row-id"] = self.next_row_id
        return data

    def write_metadata(self, data=None):
        """Writes the next metadata/vN.metadata.json and points version-hint.text to it."""
        self.versions_written += 1
        folder = self.path / "metadata"
        target = folder / f"v{self.versions_written}.metadata.json"
        target.write_text(json.dumps(data or self.metadata(), indent=1))
        (folder / "version-hint.text").write_text(str(self.versions_written))
        return target
