"""docs/support.md against what the command does: what is read is read, what is refused says so.

What proves a row stands in support_proofs.txt. Tables that are refused are made here, each good but
for the one feature.
"""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cited_tests import listed_rows, skips, written_tests
from command import DONE, ROOT, SPARK, UNSUPPORTED, esker, scan
from iceberg_writer import TableBuilder, field, sort_order
from test_public_corpus import TABLES, entries, maps, metadata_file

PROOFS = {feature: proofs.split() for feature, proofs in listed_rows(ROOT / "tests" / "support_proofs.txt")}


def features():
    """{feature: verdict} of the table on the page."""
    lines = (ROOT / "docs" / "support.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"]
    return {feature: verdict for feature, verdict in cells[2:]}


# --- Tables that are refused ---------------------------------------------------------------------


def plain_table(folder, kind="long", format="parquet", delete_format=None, change=lambda data: None,
                key=None):
    """A table of one file with a column `k`, and what is to be changed of it. With a key, the
    metadata says that all its files are encrypted."""
    builder = TableBuilder(folder, [field(1, "k", "long")], format_version=3,
                           sort_orders=[sort_order(1, (1, "asc", "nulls-first"))],
                           default_sort_order_id=1)
    data_file = builder.append_file(pa.table({"k": [1, 2, 3]}), format=format, key_metadata=key)
    if delete_format:
        builder.add_delete_file([(data_file["file_path"], 1)], file_format=delete_format,
                                key_metadata=key)
    write_list = builder.write_manifest_list

    def with_key(snapshot):
        for manifest in builder.manifests:
            manifest["key_metadata"] = key
        return write_list(snapshot)

    builder.write_manifest_list = with_key
    builder.commit(publish=False)
    data = json.loads(json.dumps(builder.metadata()))
    data["schemas"][0]["fields"][0]["type"] = kind
    change(data)
    builder.write_metadata(data)
    return folder


def changed(path, value):
    """A change of metadata: the value at a path of keys."""
    def change(data):
        *parents, last = path
        for key in parents:
            data = data[key]
        data[last] = value
    return change


def table_without_ids(folder):
    plain_table(folder)
    (file,) = (folder / "data").iterdir()
    rows = pq.read_table(file)
    pq.write_table(rows.cast(pa.schema([pa.field("k", pa.int64())])), file)
    return folder


def encrypted(folder, files):
    """A table of which files are encrypted, by what they begin with."""
    plain_table(folder, delete_format="PARQUET", key=b"k")
    for file in folder.glob(files):
        file.write_bytes(b"AGS1" + file.read_bytes()[4:-4] + b"....")
    return folder


SORT_FIELD = ("sort-orders", 1, "fields", 0)
# {name: (how to make it, arguments of the scan, what the error has to name)}
REFUSED = {
    "version-4": (lambda at: plain_table(at, change=changed(["format-version"], 4)), (), "version"),
    "orc-data": (lambda at: plain_table(at, format="orc"), (), "ORC"),
    "avro-data": (lambda at: plain_table(at, format="avro"), (), "AVRO"),
    "orc-deletes": (lambda at: plain_table(at, delete_format="ORC"), (), "ORC"),
    "avro-deletes": (lambda at: plain_table(at, delete_format="AVRO"), (), "AVRO"),
    "encrypted-table": (lambda at: plain_table(at, change=changed(
        ["encryption-keys"], [{"key-id": "a", "encrypted-key-metadata": ""}])), (), "encrypted"),
    "encrypted-snapshot": (lambda at: plain_table(at, change=changed(
        ["snapshots", 0, "key-id"], "a")), (), "encrypted"),
    "encrypted-file": (lambda at: encrypted(at, "data/00000.parquet"), (), "00000.parquet"),
    "encrypted-deletes": (lambda at: encrypted(at, "data/00001.parquet"), (), "00001.parquet"),
    "encrypted-manifest": (lambda at: encrypted(at, "metadata/*-m*.avro"), (), "encrypted"),
    "encrypted-list": (lambda at: encrypted(at, "metadata/snap-*.avro"), (), "encrypted"),
    "variant": (lambda at: plain_table(at, "variant"), (), "variant"),
    "geometry": (lambda at: plain_table(at, "geometry"), (), "geometry"),
    "geography": (lambda at: plain_table(at, "geography"), (), "geography"),
    "long-fixed-key": (lambda at: plain_table(at, "fixed[4097]"), ("--order-by", "k"), "4096"),
    "no-ids": (table_without_ids, (), "name mapping"),
    "unknown-transform": (lambda at: plain_table(at, change=changed(
        [*SORT_FIELD, "transform"], "zorder")), ("--order", "table"), "zorder"),
    "dropped-sort-column": (lambda at: plain_table(at, change=changed(
        [*SORT_FIELD, "source-id"], 99)), ("--order", "table"), "no longer exists"),
    "object-store": (lambda at: "s3://bucket/db/events", (), "storage 's3'"),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_refused_says_so(name, tmp_path):
    make, arguments, word = REFUSED[name]
    outcome = esker("scan", make(tmp_path / "table"), *arguments)
    assert outcome.code == UNSUPPORTED, f"exit {outcome.code}: {outcome.err}"
    assert word in outcome.err and outcome.out == b""


def test_the_tables_are_good_but_for_that(tmp_path):
    assert esker("scan", plain_table(tmp_path / "plain")).text == "k\n1\n2\n3\n"
    with_deletes = plain_table(tmp_path / "deletes", delete_format="PARQUET")
    assert esker("scan", with_deletes).text == "k\n1\n3\n"
    of_table_order = esker("scan", tmp_path / "plain", "--order", "table")
    assert of_table_order.text == "k\n1\n2\n3\n"


def test_an_encrypted_file_that_is_pruned_is_no_matter(tmp_path):
    fields = [field(1, "k", "long")]
    builder = TableBuilder(tmp_path / "t", fields, format_version=3, partition_spec=[
        {"name": "p", "transform": "identity", "source-id": 1}])
    files = [builder.append_file(pa.table({"k": [k]}), partition={"p": k}) for k in (1, 2)]
    builder.commit()
    assert esker("scan", builder.path).text == "k\n1\n2\n"
    Path(files[1]["file_path"].removeprefix("file://")).write_bytes(b"AGS1 and what follows")
    assert esker("scan", builder.path, "--where", "k = 1").text == "k\n1\n"
    assert esker("scan", builder.path).code == UNSUPPORTED


def test_key_metadata_of_files_that_are_not_encrypted_does_not_matter(tmp_path):
    table = plain_table(tmp_path / "t", delete_format="PARQUET", key=b"k")
    assert esker("scan", table).text == "k\n1\n3\n"


# --- Tables that are read ------------------------------------------------------------------------


def is_table(proof):
    return "/" in proof and "::" not in proof


READ = sorted({proof for proofs in PROOFS.values() for proof in proofs if is_table(proof)})


@pytest.mark.parametrize("name", READ)
def test_what_is_read_is_read(name):
    if name.startswith("spark/"):
        outcome = scan(SPARK / name.removeprefix("spark/"))
    elif TABLES is None:
        pytest.skip("the public tables are not here: set ESKER_TABLES to their folder")
    else:
        (table,) = [table for path, table in entries() if path == name]
        outcome = scan(metadata_file(name, table), *maps(name))
    assert outcome.table().num_rows > 0


# --- The page ------------------------------------------------------------------------------------


def test_every_feature_of_the_page_has_proofs_and_no_other():
    assert list(PROOFS) == list(features())


@pytest.mark.parametrize("feature,verdict", features().items(), ids=list(features()))
def test_the_proofs_fit_the_verdict(feature, verdict):
    proofs = PROOFS[feature]
    refused = {proof.removeprefix("refused:") for proof in proofs if proof.startswith("refused:")}
    tests = {proof for proof in proofs if not proof.startswith("refused:") and not is_table(proof)}
    assert tests and tests - set(written_tests()) == set()
    assert [place for name in tests for place in skips(name)] == []
    assert refused - set(REFUSED) == set()
    assert bool(refused) == ("refused" in verdict)
    assert any(map(is_table, proofs)) == verdict.startswith("read")


def test_every_refusal_belongs_to_a_feature():
    named = {proof.removeprefix("refused:") for proofs in PROOFS.values() for proof in proofs
             if proof.startswith("refused:")}
    assert named == set(REFUSED)
