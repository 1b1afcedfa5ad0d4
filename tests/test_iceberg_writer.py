"""Tests of tools/iceberg_writer.py, the writer behind the demo and the random tables: what it
writes is read back with pyiceberg, with fastavro and byte by byte."""

import decimal
import json
import uuid
from datetime import date, datetime, time, timezone

import fastavro
import pyarrow as pa
import pytest
from iceberg_writer import (TableBuilder, encode, field, raise_bytes, raise_text, sort_order,
                            truncated_bounds)
from pyiceberg.table import StaticTable

SCHEMA = [
    field(1, "ts", "timestamptz"),
    field(2, "id", "long", required=True),
    field(3, "name", "string"),
    field(4, "score", "double"),
    field(5, "place", {"type": "struct", "fields": [field(6, "x", "int")]}),
    field(7, "tags", {"type": "list", "element-id": 8, "element": "string",
                      "element-required": False}),
]
BY_TS = sort_order(1, (1, "asc", "nulls-first"))


def rows(first, count):
    ts = pa.array([first + i for i in range(count)], pa.timestamp("us", "UTC"))
    return pa.table({
        "ts": ts,
        "id": pa.array(range(count), pa.int64()),
        "name": pa.array([f"name-{i}" for i in range(count)]),
        "score": pa.array([float("nan"), None, *map(float, range(count - 2))], pa.float64()),
        "place": pa.array([{"x": i} for i in range(count)], pa.struct([("x", pa.int32())])),
        "tags": pa.array([["a", None]] * count, pa.list_(pa.string())),
    })


def build(path, **options):
    builder = TableBuilder(path, SCHEMA, sort_orders=[BY_TS], default_sort_order_id=1, **options)
    builder.append_file(rows(0, 10), sort_order_id=1)
    builder.append_file(rows(5, 20), sort_order_id=1)
    builder.commit()
    builder.append_file(rows(100, 30))
    builder.commit()
    return builder


def newest(path):
    return StaticTable.from_metadata(str(max(path.glob("metadata/v*.metadata.json"))))


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "zstandard"])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_pyiceberg_reads_it(tmp_path, version, codec):
    build(tmp_path, format_version=version, codec=codec)
    table = newest(tmp_path)
    assert table.format_version == version
    assert table.sort_order().order_id == 1
    files = [task.file for task in table.scan().plan_files()]
    assert sorted((f.record_count, f.sort_order_id) for f in files) == [
        (10, 1), (20, 1), (30, None)]
    assert table.scan().to_arrow().num_rows == 60
    assert len(table.metadata.snapshots) == 2


EVERY_TYPE = {
    "boolean": [True, None], "int": [-1, 2], "long": [1, 2], "float": [1.5, None],
    "double": [0.0, -0.0], "date": [date(1969, 1, 1), None], "time": [time(1, 2, 3), None],
    "timestamp": [datetime(2026, 1, 1), None], "timestamp_ns": [datetime(2026, 1, 1), None],
    "string": ["b", "a"], "uuid": [uuid.UUID(int=5).bytes, None], "binary": [b"\xff", b""],
    "fixed[3]": [b"abc", None], "decimal(9,2)": [decimal.Decimal("-1.10"), None],
    "decimal(30,4)": [decimal.Decimal("1.1000"), None], "unknown": [None, None],
}


@pytest.mark.parametrize("format", ["parquet", "avro"])
def test_every_type(tmp_path, format):
    schema = [field(i + 1, f"c{i}", type) for i, type in enumerate(EVERY_TYPE)]
    schema.append(field(50, "m", {"type": "map", "key-id": 51, "key": "string", "value-id": 52,
                                  "value": "int", "value-required": False}))
    table = pa.table({f"c{i}": pa.array(values) for i, values in enumerate(EVERY_TYPE.values())})
    table = table.append_column("m", pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int32())))
    builder = TableBuilder(tmp_path, schema, format_version=3)
    info = builder.append_file(table, format=format)
    builder.commit()
    assert info["record_count"] == 2
    for number, (type, values) in enumerate(EVERY_TYPE.items(), 1):
        real = [value for value in values if value is not None]
        expected = encode(type, max(real)) if real else None
        assert info["upper_bounds"][number] == expected, type
    assert 51 not in info["upper_bounds"]
    if format == "parquet":
        assert newest(tmp_path).scan(selected_fields=("c1", "c9", "m")).to_arrow().num_rows == 2


def test_statistics(tmp_path):
    builder = TableBuilder(tmp_path, SCHEMA)
    info = builder.append_file(rows(7, 10), row_group_size=4)
    assert info["lower_bounds"][1] == encode("long", 7)
    assert info["upper_bounds"][1] == encode("long", 16)
    assert info["upper_bounds"][6] == encode("int", 9)
    assert (info["null_value_counts"][4], info["nan_value_counts"][4]) == (1, 1)
    assert info["lower_bounds"][4] == encode("double", -0.0)
    assert 8 not in info["lower_bounds"]
    assert len(info["split_offsets"]) == 3
    assert set(info["column_sizes"]) == {1, 2, 3, 4, 6, 8}


def test_overrides(tmp_path):
    builder = TableBuilder(tmp_path, SCHEMA)
    wide = builder.append_file(rows(0, 5), bounds={"ts": (-9, None), "name": (b"\xff", "z")},
                               null_counts={"id": 3}, nan_counts=None, record_count=99)
    assert wide["lower_bounds"][1] == encode("long", -9) and wide["upper_bounds"][1] is None
    assert wide["lower_bounds"][3] == b"\xff" and wide["lower_bounds"][2] == encode("long", 0)
    assert wide["null_value_counts"][2] == 3 and wide["nan_value_counts"] is None
    assert wide["record_count"] == 99
    assert builder.append_file(rows(0, 5), bounds=None)["lower_bounds"] is None
    ghost = builder.append_file(None, record_count=7, bounds={"ts": (1, 2)}, file_path="s3://b/f")
    assert (ghost["file_path"], ghost["lower_bounds"]) == ("s3://b/f", {1: encode("long", 1)})


def test_recorded_location(tmp_path):
    builder = TableBuilder(tmp_path, SCHEMA, location="/warehouse/db/t")
    info = builder.append_file(rows(0, 3))
    builder.commit()
    assert info["file_path"] == "/warehouse/db/t/data/00000.parquet"
    assert (tmp_path / "data/00000.parquet").exists()
    metadata = json.loads((tmp_path / "metadata/v1.metadata.json").read_text())
    assert metadata["snapshots"][0]["manifest-list"].startswith("/warehouse/db/t/metadata/")
    assert (tmp_path / "metadata/version-hint.text").read_text() == "1"


def test_equal_calls_write_equal_tables(tmp_path):
    one, two = (TableBuilder(tmp_path / name, SCHEMA, location="/t") for name in "ab")
    for builder in (one, two):
        builder.append_file(rows(0, 3))
        builder.commit()
    assert one.metadata() == two.metadata()


def test_delete_files(tmp_path):
    builder = TableBuilder(tmp_path, SCHEMA)
    data = builder.append_file(rows(0, 10))
    builder.commit()
    builder.add_delete_file([(data["file_path"], 3), (data["file_path"], 0)])
    builder.commit("delete")
    assert newest(tmp_path).scan().to_arrow()["id"].to_pylist() == [1, 2, 4, 5, 6, 7, 8, 9]
    builder.add_delete_file(pa.table({"id": pa.array([5], pa.int64())}), equality_ids=[2])
    builder.commit("delete")
    with open(tmp_path / "metadata/7000000003-m10.avro", "rb") as manifest:
        entry, = fastavro.reader(manifest)
    assert entry["data_file"]["content"] == 2 and entry["data_file"]["equality_ids"] == [2]


def test_partitions(tmp_path):
    spec = [{"name": "day", "transform": "day", "source-id": 1},
            {"name": "name", "transform": "identity", "source-id": 3}]
    builder = TableBuilder(tmp_path, SCHEMA, partition_spec=spec)
    builder.append_file(rows(0, 2), partition={"day": 0, "name": "name-0"}, bounds=None)
    builder.append_file(rows(0, 2), partition={"day": 1, "name": None}, bounds=None)
    builder.commit()
    tasks = list(newest(tmp_path).scan(row_filter="name == 'name-0'").plan_files())
    assert [task.file.partition[1] for task in tasks] == ["name-0"]


def test_row_ids(tmp_path):
    metadata = build(tmp_path, format_version=3).metadata()
    assert [s["first-row-id"] for s in metadata["snapshots"]] == [0, 30]
    assert [s["added-rows"] for s in metadata["snapshots"]] == [30, 30]
    assert metadata["next-row-id"] == 60


def test_other_data_formats(tmp_path):
    builder = TableBuilder(tmp_path, SCHEMA)
    for format in ("avro", "orc"):
        info = builder.append_file(rows(0, 4), format=format)
        assert info["file_format"] == format.upper()
        assert (tmp_path / f"data/{info['file_path'].rsplit('/')[-1]}").stat().st_size > 0


@pytest.mark.parametrize("type, value, expected", [
    ("boolean", True, "01"), ("int", -2, "feffffff"), ("long", 1, "0100000000000000"),
    ("float", -0.0, "00000080"), ("double", 1.0, "000000000000f03f"),
    ("date", date(1970, 1, 3), "02000000"), ("string", "é", "c3a9"),
    ("timestamptz", datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc), "40420f0000000000"),
    ("timestamp_ns", datetime(1970, 1, 1, 0, 0, 0, 1), "e803000000000000"),
    ("uuid", uuid.UUID(int=1), "00" * 15 + "01"),
    ("decimal(9,2)", decimal.Decimal("14.20"), "058c"), ("decimal(9,2)", "-1.28", "80"),
    ("decimal(9,2)", "1.28", "0080"), ("decimal(38,0)", "9" * 38, "4b3b4ca85a86c47a098a223fffffffff"),
])
def test_single_values(type, value, expected):
    assert encode(type, value).hex() == expected


def test_truncated_bounds():
    assert truncated_bounds("string", b"abcd", b"abcd", 2) == (b"ab", b"ac")
    assert truncated_bounds("string", b"ab", b"ab", 2) == (b"ab", b"ab")
    assert raise_text("a\U0010ffff") == "b" and raise_text("\U0010ffff") is None
    assert raise_text("\ud7ff") == "\ue000"
    assert raise_bytes(b"\x01\xff") == b"\x02" and raise_bytes(b"\xff") is None
