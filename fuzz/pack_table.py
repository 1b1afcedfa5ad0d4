"""Packs a table folder into one file, an input of table_fuzz; and makes the seeds in corpus/table.

    pack_table.py FOLDER FILE     packs a table: the newest metadata and all other files
    pack_table.py --seeds         writes the seeds anew
"""

import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from iceberg_writer import TableBuilder, field, sort_order  # noqa: E402

LOCATION = "/warehouse/table"


def pack(folder):
    """Metadata comes first: what is read first is then at the front, where a fuzzer looks most."""
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    newest = max(path for path in files if path.name.endswith(".metadata.json"))
    files = [p for p in files if p == newest or p.suffix in (".avro", ".parquet", ".puffin")]
    files.sort(key=lambda path: (path != newest, path.suffix != ".avro", str(path)))
    return b"\n".join(b"--- " + str(path.relative_to(folder)).encode() + b"\n" + path.read_bytes()
                      for path in files)


def rows(keys, **more):
    columns = {"k": pa.array(keys, pa.int64()),
               "v": pa.array([None if key is None else f"v{key}" for key in keys])}
    return pa.table(columns | more)


def builder(folder, **options):
    return TableBuilder(folder, [field(1, "k", "long"), field(2, "v", "string")], codec="null",
                        location=LOCATION, sort_orders=[sort_order(1, (1, "asc", "nulls-first"))],
                        default_sort_order_id=1, **options)


def overlapping(folder):
    table = builder(folder)
    for first in (0, 3, 5, 20):
        table.append_file(rows([None, *range(first, first + 9, 2)]), sort_order_id=1,
                          compression="none", row_group_size=3)
    table.commit()


def unsorted_with_deletes(folder):
    table = builder(folder)
    first = table.append_file(rows([5, 1, 9, None, 3]), compression="none")
    table.append_file(rows([2, 4, 6, 8]), sort_order_id=1, compression="snappy")
    table.commit()
    table.add_delete_file([(first["file_path"], 0), (first["file_path"], 3)])
    table.add_delete_file(pa.table({"k": pa.array([4], pa.int64())}), equality_ids=[1])
    table.commit("delete")


def lying(folder):
    table = builder(folder, format_version=1)
    table.append_file(rows([1, 2, 9, 4]), sort_order_id=1, compression="none")
    table.append_file(rows([7, 6, 5]), sort_order_id=1, compression="none")
    table.commit()


def partitioned_and_evolved(folder):
    table = builder(folder, partition_spec=[{"name": "v", "transform": "identity",
                                             "source-id": 2}])
    for value in ("v1", "v2"):
        keys = pa.array([1, 4, 6], pa.int64())
        table.append_file(pa.table({"k": keys, "v": [value] * 3}), sort_order_id=1,
                          partition={"v": value}, compression="none")
    table.commit()
    table.set_schema([field(1, "k", "long"), field(2, "v", "string"),
                      field(3, "late", "double")])
    table.append_file(rows([2, 3], late=pa.array([float("nan"), -0.0])).set_column(
        1, "v", pa.array(["v2"] * 2)), sort_order_id=1, partition={"v": "v2"}, compression="none")
    table.commit()


def all_types(folder):
    types = {"i": ("int", pa.int32(), [1, 2]), "f": ("float", pa.float32(), [0.5, float("nan")]),
             "b": ("boolean", pa.bool_(), [False, True]),
             "d": ("decimal(9,2)", pa.decimal128(9, 2), [None, Decimal("1.25")]),
             "day": ("date", pa.date32(), [0, 20000]),
             "ts": ("timestamptz", pa.timestamp("us", "UTC"), [0, 10**15]),
             "x": ("binary", pa.binary(), [b"", b"\xff\x00"])}
    fields = [field(1, "k", "long"), field(2, "v", "string")]
    fields += [field(3 + i, name, types[name][0]) for i, name in enumerate(types)]
    orders = [sort_order(1, (6, "desc", "nulls-last"), (4, "asc", "nulls-first"))]
    table = TableBuilder(folder, fields, codec="null", location=LOCATION, sort_orders=orders,
                         default_sort_order_id=1)
    for turn in (1, -1):
        more = {name: pa.array(values[::-turn], kind)
                for name, (_, kind, values) in types.items()}
        table.append_file(rows([1, 2], **more), sort_order_id=1, compression="none")
    table.commit()


def write_seeds():
    folder = ROOT / "fuzz" / "corpus" / "table"
    folder.mkdir(parents=True, exist_ok=True)
    for make in (overlapping, unsorted_with_deletes, lying, partitioned_and_evolved, all_types):
        with tempfile.TemporaryDirectory() as table:
            make(table)
            (folder / make.__name__).write_bytes(pack(table))


if __name__ == "__main__":
    if sys.argv[1:] == ["--seeds"]:
        write_seeds()
    elif len(sys.argv) == 3:
        Path(sys.argv[2]).write_bytes(pack(sys.argv[1]))
    else:
        sys.exit(__doc__)
