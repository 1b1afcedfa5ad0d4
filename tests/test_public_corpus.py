"""The public tables, made by others: each is read with its rows, or refused with the reason."""

import json

import pytest

from command import DONE, UNSUPPORTED, esker, public_tables, scan

TABLES = public_tables()

# Tables of which no row count is recorded, and what has to come of them instead.
REFUSED = {
    "impala/airports_parquet": "name mapping",  # neither field ids nor a name mapping
    "impala/v3_default_value_avro": "AVRO",
    "impala/v3_trino_variant": "variant",
}
DAMAGED = {
    # The manifest says equality deletes, the files hold positions: never a silent no-op.
    "impala/v2_delete_different_equality_ids": "delete",
    "duckdb-iceberg/table_partition_statistics": "manifest",
}
# No row count is recorded: rows of the live files, counted in their Parquet footers.
COUNTED = {
    "impala/multiple_storage_locations": 9,
    "iceberg-cxx/v_20240913": 1,
}
# Metadata alone: planning has to list that many files.
METADATA_ONLY = {
    "duckdb-iceberg/generated_bounds_5000": 5000,
    "iceberg-cxx/meta_perf_manifest_entries": 10000,
}
# Files beside the location: prefixes that --map replaces by folders here.
MAPS = {
    "impala/v2_delete_different_equality_ids": [
        ("hdfs://localhost:20500/test-warehouse/iceberg_test/hadoop_catalog/ice/"
         "iceberg_v2_delete_different_equality_ids", "impala/v2_delete_different_equality_ids"),
    ],
    "duckdb-iceberg/bigquery_table": [
        ("data/persistent/big_query_error", "duckdb-iceberg/bigquery_table"),
    ],
    "duckdb-iceberg/lineitem_gz": [("lineitem_iceberg_gz", "duckdb-iceberg/lineitem_gz")],
    "iceberg-java/mr_test_table": [
        ("/Users/cmathiesen/projects/opensource/forks/eg-iceberg-fork/incubator-iceberg/"
         "mr/src/test/resources/test-table", "iceberg-java/mr_test_table"),
    ],
    "impala/multiple_storage_locations": [
        ("/test-warehouse/iceberg_test/hadoop_catalog/ice", "impala/multiple_storage_locations"),
    ],
    "iceberg-cxx/v_20240913": [
        ("s3a://dl-test-maintenance/check/tea-partitioned/v_20240913", "iceberg-cxx/v_20240913"),
    ],
}

pytestmark = pytest.mark.skipif(
    TABLES is None, reason="the public tables are not here: set ESKER_TABLES to their folder")


def entries():
    if TABLES is None:
        return []
    index = json.loads((TABLES / "index.json").read_text())
    return [(e["path"], t) for e in index if e["kind"] == "table" for t in e.get("tables", [])]


def metadata_file(path, table):
    return TABLES / path / table["subdir"] / "metadata" / table["metadata_file"]


def maps(path):
    arguments = []
    for prefix, folder in MAPS.get(path, []):
        arguments += ["--map", f"{prefix}={TABLES / folder}"]
    return arguments


def verdict(path, table):
    outcome = scan(metadata_file(path, table), *maps(path))
    if path in REFUSED:
        word = REFUSED[path]
        caught = outcome.code == UNSUPPORTED and word.lower() in outcome.err.lower()
        return ("refused" if caught else "wrong"), outcome.err.strip()
    if path in DAMAGED:
        caught = outcome.code == 1 and DAMAGED[path] in outcome.err
        return ("damaged" if caught else "wrong"), outcome.err.strip()
    if path in METADATA_ONLY:
        plan = esker("explain", metadata_file(path, table), "--json").json()
        right = plan["files"]["planned"] == METADATA_ONLY[path]
        return ("planned" if right else "wrong"), f"{plan['files']['planned']} files"
    if outcome.code == UNSUPPORTED:
        return "refused", outcome.err.strip()
    if outcome.code != DONE:
        return "wrong", f"exit {outcome.code}: {outcome.err.strip()}"
    rows = outcome.table().num_rows
    wanted = table.get("live_rows")
    if wanted is None:
        wanted = COUNTED[path]
    return ("right" if rows == wanted else "wrong"), f"{rows} rows of {wanted}"


@pytest.fixture(scope="module")
def verdicts():
    return {path: verdict(path, table) for path, table in entries()}


def test_every_table_is_right_or_refused(verdicts, capsys):
    with capsys.disabled():
        print()
        for path, (word, detail) in verdicts.items():
            print(f"  {word:8} {path:44} {detail.splitlines()[0] if detail else ''}"[:170])
        for word in ("right", "planned", "refused", "damaged", "wrong"):
            print(f"  {word}: {sum(1 for w, _ in verdicts.values() if w == word)}")
    assert len(verdicts) >= 101
    assert {path: v for path, v in verdicts.items() if v[0] == "wrong"} == {}


def outcome_of_variant(folder, name, column):
    outcome = scan(TABLES / folder / "metadata" / name, "--order", "none")
    if outcome.code != DONE:
        return "error"
    return sorted(outcome.table().column(column).to_pylist())


# Facts stated by the repository that the variants come from (README of the tables).
DELETE_VARIANTS = {
    "apply": [1, 3, 5], "noapply": [1, 2, 3, 4, 5], "inherit": [1, 3, 5],
    "wrongpath": [1, 2, 3, 4, 5], "nullpos": "error", "negpos": "error", "zeropos": [2, 3, 4, 5],
    "v1seq": [1, 2, 3, 4, 5], "badseq": "error", "eqapply": [1, 3, 5],
    "eqboundary": [1, 2, 3, 4, 5], "eqmulti": [1, 2, 3, 5], "eqextra": [1, 3, 4, 5],
    "eqnull": [1, 2, 3, 4, 5, 7], "eqtwo": [3, 4], "eqmixed": [1, 3], "eqnoids": "error",
    "equality": [1, 2, 3, 4, 5], "eqpart_apply": [3, 4, 5], "eqpart_nomatch": [1, 2, 3, 4, 5],
    "eqpart_crossspec": [1, 2, 3, 4, 5], "eqpart_datanospec": "error",
    "eqpart_incomparable": "error", "eqtype": "error", "eqescape": "error",
    "eqdotdot": "error", "eqbigid": "error", "eqnospec": "error", "eqnofields": "error",
    "eqstaletype": [1, 2, 3, 4, 5], "eqpart": [1, 2, 3, 4, 5], "dvapply": [1, 3, 5],
    "dvnoapply": [1, 2, 3, 4, 5], "dvsupersede": [1, 3, 4, 5], "dvother": [1, 3, 4, 5, 7],
    "dvwide": [1, 3, 4, 5], "dvrun": [1, 2], "dvbitset": [2, 4], "dvtwo": [1, 3, 4, 5, 7],
    "dvdup": "error", "dvbadcrc": "error", "dvbadmagic": "error", "dvoffmismatch": "error",
    "dvnoref": "error", "dvbadcount": "error", "dvcompressed": "error", "dvflags": "error",
    "dvv2": "error", "dvescape": "error", "dvbigoff": "error", "dvrunoverflow": "error",
    "dvdupscheme": "error",
    # An error there; the specification reads a column that a file lacks as null, and null equals
    # no value of these rows.
    "eqmissing": [1, 2, 3, 4, 5],
}


@pytest.mark.parametrize("variant", sorted(DELETE_VARIANTS))
def test_delete_variants(variant):
    folder = "pgcolumnar/deletes_54_variants"
    got = outcome_of_variant(folder, f"{variant}.metadata.json", "id")
    assert got == DELETE_VARIANTS[variant]


MAPPING_VARIANTS = {
    "nmapply": [1, 2, 3, 4, 5], "nmrename": [1, 2, 3, 4, 5], "nmalias": [1, 2, 3, 4, 5],
    "nmsubset": [1, 2, 3, 4, 5], "nmnomap": "error", "nmdup": "error", "nmbigid": "error",
    "nmmissing": [1, 2, 3, 4, 5], "nmevolve": [1, 2, 3, 4, 5],
}


@pytest.mark.parametrize("variant", sorted(MAPPING_VARIANTS))
def test_name_mapping_variants(variant):
    folder = "pgcolumnar/name_mapping_variants"
    table = TABLES / folder / "metadata" / f"{variant}.metadata.json"
    outcome = scan(table, "--order", "none")
    wanted = MAPPING_VARIANTS[variant]
    if wanted == "error":
        assert outcome.code in (1, UNSUPPORTED), outcome.err
    else:
        assert outcome.table().num_rows == len(wanted)
