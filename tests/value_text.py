"""Texts, hashes and the naive order of rows, as testdata/spark/README.md defines them.

This is the tests' own reading of that page and of docs on order: it shares nothing with the code
under test but the Arrow rows that come out of it.
"""

import datetime
import functools
import hashlib
import math
import struct
import uuid

import pyarrow as pa

EPOCH_DATE = datetime.date(1970, 1, 1)


def mmh3_32(data):
    """Murmur3, 32 bits, seed 0, as an unsigned number (spec, appendix B)."""
    c1, c2, mask = 0xCC9E2D51, 0x1B873593, 0xFFFFFFFF
    h = 0
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i:i + 4], "little") * c1 & mask
        k = ((k << 15 | k >> 17) & mask) * c2 & mask
        h ^= k
        h = ((h << 13 | h >> 19) & mask) * 5 + 0xE6546B64 & mask
    k = int.from_bytes(data[whole:], "little")
    if k:
        k = k * c1 & mask
        h ^= ((k << 15 | k >> 17) & mask) * c2 & mask
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & mask
    h = (h ^ h >> 13) * 0xC2B2AE35 & mask
    return h ^ h >> 16


def raw(array):
    """Python values of an Arrow array: times as integers, all else as Arrow gives it."""
    kind = array.type
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return array.cast(pa.int64()).to_pylist()
    if pa.types.is_date32(kind):
        return array.cast(pa.int32()).to_pylist()
    if isinstance(kind, pa.ExtensionType) or kind.__class__.__name__ == "UuidType":
        return array.cast(kind.storage_type).to_pylist()
    return array.to_pylist()


def column(table, name):
    """A leaf column by its dotted name, values as in raw(); a null struct gives null members."""
    if name in table.column_names:
        return raw(table.column(name))
    outer, _, inner = name.partition(".")
    members = table.column(outer).combine_chunks()
    if isinstance(members, pa.ChunkedArray):
        members = pa.concat_arrays(members.chunks) if members.num_chunks else pa.array([], members.type)
    flat = pa.table({f.name: a for f, a in zip(members.type, members.flatten())})
    return column(flat, inner)


def text(value, kind):
    """The text of one value of an Iceberg type."""
    if value is None:
        return "\\N"
    if kind == "boolean":
        return "true" if value else "false"
    if kind in ("float", "double"):
        if math.isnan(value):
            return "7ff8000000000000"
        return struct.pack(">d", 0.0 if value == 0 else value).hex()
    if kind == "string":
        for sign, escape in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
            value = value.replace(sign, escape)
        return value
    if kind == "uuid":
        return str(value if isinstance(value, uuid.UUID) else uuid.UUID(bytes=value))
    if kind == "binary" or kind.startswith("fixed"):
        return value.hex()
    if kind.startswith("decimal"):
        return format(value, "f")
    return str(value)


def rank(value, kind):
    """A key that orders values of one column: NaN above all, zeros equal, strings as bytes."""
    if kind in ("float", "double"):
        return (1, 0.0) if math.isnan(value) else (0, value)
    if kind == "string":
        return value.encode("utf-8")
    if kind == "uuid" and isinstance(value, uuid.UUID):
        return value.bytes
    return value


def transformed(value, kind, transform):
    """T(value) and the type of it, for the transforms that the corpus sorts by."""
    if transform == "identity" or value is None:
        return value
    name, _, width = transform.partition("[")
    width = int(width.rstrip("]") or 0)
    if name == "day":
        return value // 86_400_000_000
    if name == "truncate":
        return value[:width]
    if name == "bucket":
        return (mmh3_32(struct.pack("<q", value)) & 0x7FFFFFFF) % width
    raise ValueError(transform)


def leaf_columns(columns):
    """Leaf columns of expected.json that rows are hashed by."""
    return [c for c in columns if not c["type"].startswith(("list", "map", "struct"))]


def rows_sha256(table, columns):
    """Hash of the rows without regard to their order."""
    texts = [[text(v, c["type"]) for v in column(table, c["name"])] for c in leaf_columns(columns)]
    lines = sorted(("\t".join(row) + "\n").encode("utf-8", "surrogatepass") for row in zip(*texts))
    return hashlib.sha256(b"".join(lines)).hexdigest()


def key_lines(table, key, columns):
    """Key tuples of the rows, as lines, in the order of the rows."""
    kinds = {c["id"]: c for c in columns}
    texts = []
    for part in key:
        of = kinds[part["source_id"]]
        values = [transformed(v, of["type"], part["transform"]) for v in column(table, of["name"])]
        kind = "int" if part["transform"].startswith(("bucket", "day")) else of["type"]
        texts.append([text(v, kind) for v in values])
    return ["\t".join(line) for line in zip(*texts)]


def keys_sha256(lines):
    return hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()


def naive_order(table, key, columns):
    """Positions of the rows in the order of `key`, by a plain stable sort: the slow twin."""
    kinds = {c["id"]: c for c in columns}
    values = []
    for part in key:
        of = kinds[part["source_id"]]
        values.append([transformed(v, of["type"], part["transform"])
                       for v in column(table, of["name"])])

    def compare(a, b):
        for part, of in zip(key, values):
            x, y, kind = of[a], of[b], kinds[part["source_id"]]["type"]
            if x is None or y is None:
                if x is None and y is None:
                    continue
                return -1 if (x is None) == (part["null_order"] == "nulls-first") else 1
            if part["transform"].startswith(("bucket", "day")):
                kind = "int"
            p, q = rank(x, kind), rank(y, kind)
            if p != q:
                return -1 if (p < q) == (part["direction"] == "asc") else 1
        return 0

    return sorted(range(table.num_rows), key=functools.cmp_to_key(compare))
