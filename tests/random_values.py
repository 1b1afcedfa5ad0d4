"""Values, transforms and orders of the random tables, in plain Python: times are integers."""

import decimal
import struct
import uuid

import pyarrow as pa

import iceberg_writer
from value_text import mmh3_32, rank

DAY_US = 86_400_000_000
TEXTS = ("", "a", "ab", "abc", "abd", "b", "same prefix 1", "same prefix 2", "ä", "\U0001F600",
         "\uFFFD")
WIDE_TEXTS = ("", "a", "A", "a ", "ab", "ä", "a\u0308", "\ud7ff", "\uffff", "\U00010000",
              "\U0010FFFF", "x" * 16, "x" * 17, "x" * 15 + "\U0001F600", "'", "%", "a_b", "\\", "\n")
ENDS = {"int": 2**31, "long": 2**63, "timestamp_ns": 2**63, "timestamptz_ns": 2**63}
FLOATS = (*map(float, ("nan", "inf", "-inf", "0", "-0", "0.5", "-2.5")), 2.0**-149)


def random_value(rng, kind):
    """A value from a small domain, so that rows meet; times as integers."""
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in ("int", "date"):
        return rng.choice((rng.randrange(-4, 8), rng.randrange(-100, 1000)))
    if kind == "long":
        return rng.choice((rng.randrange(-4, 8), rng.randrange(-2**40, 2**40)))
    if kind in ("float", "double"):
        special = (float("nan"), 0.0, -0.0, float("inf"), float("-inf"))
        return rng.choice(special) if rng.random() < 0.2 else rng.randrange(-20, 20) / 4
    if kind.startswith("decimal"):
        return decimal.Decimal(rng.randrange(-500, 500)).scaleb(-2)
    if kind.startswith("timestamp"):
        return rng.randrange(-3, 4) * DAY_US + rng.choice((0, 0, rng.randrange(DAY_US)))
    if kind == "time":
        return rng.choice((0, DAY_US - 1, rng.randrange(DAY_US)))
    if kind == "string":
        return rng.choice(TEXTS)
    if kind == "uuid":
        return bytes(rng.choices((0, 127, 128, 255), k=2)) + bytes(14)
    if kind == "fixed[3]":
        return bytes(rng.choices((0, 127, 128, 255), k=3))
    return bytes(rng.choices((0, 1, 127, 128, 255), k=rng.randrange(3)))


def wide_value(rng, kind):
    """A value of a type, often one that others have, now and then one at its ends."""
    near = rng.randrange(-3, 4)
    if kind == "boolean":
        return near > 0
    if kind in ENDS:
        return rng.choice((near, near, ENDS[kind] - 1, 1 - ENDS[kind], near * DAY_US % 2**31))
    if kind in ("float", "double"):
        return rng.choice(FLOATS)
    if kind.startswith("decimal"):
        precision, scale = iceberg_writer.type_numbers(kind)
        end = 10**precision - 1
        unscaled = rng.choice((near, near, end, -end, rng.randrange(-end, end)))
        return decimal.Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))
    if kind == "date":
        return rng.choice((near, near * 400, -719_162, 2_932_896))
    if kind == "time":
        return rng.choice((abs(near), DAY_US - 1, rng.randrange(DAY_US)))
    if kind.startswith("timestamp"):
        return rng.choice((near, near * DAY_US, -62_135_596_800_000_000, 253_402_300_799_999_999))
    if kind == "string":
        return rng.choice(WIDE_TEXTS)
    fixed = sum(iceberg_writer.type_numbers(kind))  # 0 of the others
    size = {"uuid": 16, "binary": rng.choice((0, 1, 16, 17))}.get(kind, fixed)
    return bytes([rng.choice((0, 127, 128, 255))] * 16 + [rng.choice((0, 1, 255))])[-size or 17:]


def random_cell(rng, f):
    """A value of a column, null now and then; a struct as a dict by names."""
    if not f["required"] and rng.random() < 0.15:
        return None
    if isinstance(f["type"], dict):
        return {child["name"]: random_cell(rng, child) for child in f["type"]["fields"]}
    return random_value(rng, f["type"])


def transformed(value, kind, transform):
    """A partition or sort value, for the transforms that a life uses."""
    if value is None or transform == "identity":
        return value
    name, _, width = transform.rstrip("]").partition("[")
    if name == "void":
        return None
    if name == "day":
        return value if kind == "date" else value // DAY_US
    if name == "bucket":
        data = value.encode() if kind == "string" else struct.pack("<q", value)
        return (mmh3_32(data) & 0x7FFFFFFF) % int(width)
    return value[:int(width)] if kind == "string" else value - value % int(width)


def transforms_of(kind):
    if kind in ("int", "long", "string"):
        return ("identity", "bucket[3]", "truncate[2]", "void")
    if kind in ("date", "timestamp", "timestamptz"):
        return ("identity", "day")
    return ("identity",) if kind in ("boolean", "decimal(9,2)", "decimal(20,2)") else ()


def compare_keys(a, b, directions):
    """Order of two key tuples; directions are (kind, descending, nulls first)."""
    for x, y, (kind, descending, nulls_first) in zip(a, b, directions):
        if x is None or y is None:
            if (x is None) != (y is None):
                return -1 if (x is None) == nulls_first else 1
            continue
        p, q = rank(x, kind), rank(y, kind)
        if p != q:
            return -1 if (p < q) != descending else 1
    return 0


def leaf_fields(fields):
    """(field, path of names) of the primitive columns and of members of structs."""
    return list(iceberg_writer.bounded_leaves(fields))


def cell_at(row, path):
    for name in path:
        if row is None:
            return None
        row = row[name]
    return row


def default_text(value, kind):
    """A value as JSON has it in `initial-default`."""
    if kind == "date":
        return str(pa.scalar(value, pa.date32()).as_py())
    if kind.startswith("timestamp"):
        zone = "+00:00" if kind == "timestamptz" else ""
        return pa.scalar(value, pa.timestamp("us")).as_py().isoformat(timespec="microseconds") + zone
    if kind == "time":
        return pa.scalar(value, pa.time64("us")).as_py().isoformat(timespec="microseconds")
    if kind == "uuid":
        return str(uuid.UUID(bytes=value))
    if kind in ("fixed[3]", "binary"):
        return value.hex()
    return str(value) if kind.startswith("decimal") else value
