"""Every public table, and every one of Spark's, read twice more: by PyIceberg and the slow reader.

Two readers agree if both give the same columns and rows, in whatever order, or both fail. All else
is a difference, and has to stand in second_reader_differences.txt with the section of the format's
specification that decides it. An entry that is no longer true fails too.
"""

import json
import warnings

import pytest

from cited_tests import listed_rows
from command import ROOT, SPARK
from second_readers import PLANNERS, READERS, REFEREES
from test_public_corpus import MAPS, METADATA_ONLY, TABLES, entries, metadata_file

DIFFERENCES = ROOT / "tests" / "second_reader_differences.txt"

public = pytest.mark.skipif(
    TABLES is None, reason="the public tables are not here: set ESKER_TABLES to their folder")


def known_differences():
    """{(table, reader): (what differs, who is right, section of the spec)}."""
    rows = listed_rows(DIFFERENCES)
    known = {(table, reader): (what, right, section)
             for table, reader, what, right, section in rows}
    assert len(known) == len(rows), "an entry is there twice"
    return known


# --- Reading and comparing -----------------------------------------------------------------------


def attempt(read, *arguments):
    """A Reading, or the exception that came instead."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(*arguments)
    except Exception as error:  # whatever another program throws is a finding, not a fault here
        return error


def failed(reading):
    return isinstance(reading, Exception)


def words(error):
    return f"fails: {type(error).__name__}: {' '.join(str(error).split())}"


def difference(esker, other):
    """In words; empty if the two agree."""
    if failed(esker):
        return "" if failed(other) else f"reads {other.count} rows, esker none"
    if failed(other):
        return words(other)
    if other.count != esker.count:
        return f"reads {other.count} rows instead of {esker.count}"
    return "" if other.sha256 == esker.sha256 else "reads other values"


def readings_of_table(path, table):
    moved = [(prefix, TABLES / folder) for prefix, folder in MAPS.get(path, [])]
    where = metadata_file(path, table)
    readers = PLANNERS if path in METADATA_ONLY else READERS  # no data files: the plans
    return {name: attempt(read, where, moved) for name, read in readers.items()}


def shown(reading):
    return "fails" if failed(reading) else f"{reading.count} {reading.sha256[:8]}"


def verdict(name, found, known):
    """(word, difference in words) of one other reader."""
    if not found:
        return "same", ""
    if name in known and known[name][0] in found:
        return "known", found
    return "NEW", found


@pytest.fixture(scope="module")
def readings():
    return {path: readings_of_table(path, table) for path, table in entries()}


def test_every_known_difference_says_who_is_right():
    for (_, reader), (what, right, section) in known_differences().items():
        assert reader in REFEREES and what and section
        assert right in ("esker", reader, "both", "neither")


@public
def test_every_table_is_read_the_same_or_the_difference_is_known(readings, capsys):
    known, new = known_differences(), {}
    with capsys.disabled():
        print(f"\n  {'table':42} {'esker':16} " + " ".join(f"{r:16} {'':5}" for r in REFEREES))
        for path, got in readings.items():
            line = f"  {path:42} {shown(got['esker']):16} "
            for reader in REFEREES:
                of_table = {r: d for (t, r), d in known.items() if t == path}
                word, found = verdict(reader, difference(got["esker"], got[reader]), of_table)
                line += f"{shown(got[reader]):16} {word:5} "
                if word == "NEW":
                    new[path, reader] = found
            print(line.rstrip())
    assert len(readings) >= 101
    assert new == {}


@public
def test_known_differences_are_still_there(readings):
    assert gone_differences(readings) == []


def gone_differences(readings):
    """The known differences between these readings that were not found."""
    return [(table, reader) for (table, reader), (what, _, _) in known_differences().items()
            if table in readings
            and what not in difference(readings[table]["esker"], readings[table][reader])]


@public
def test_hardly_a_table_is_without_a_second_reader(readings):
    """What esker reads, at least one other reader reads too, and gives the same rows."""
    alone = [path for path, got in readings.items() if not failed(got["esker"])
             and all(difference(got["esker"], got[reader]) for reader in REFEREES)]
    assert alone == []


# --- The tables of Spark -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spark_readings():
    """Of the tables that are what they say: what esker does with a liar is told elsewhere."""
    honest = [folder for folder in sorted(SPARK.iterdir()) if (folder / "expected.json").exists()
              and json.loads((folder / "expected.json").read_text())["honest"]]
    return {f"spark/{folder.name}": {name: attempt(read, newest_metadata(folder))
                                     for name, read in READERS.items()} for folder in honest}


def test_the_tables_of_spark_are_read_the_same_or_the_difference_is_known(spark_readings):
    known, new = known_differences(), {}
    for table, got in spark_readings.items():
        for reader in REFEREES:
            found = difference(got["esker"], got[reader])
            if found and known.get((table, reader), ("\n",))[0] not in found:
                new[table, reader] = found
    assert new == {}
    assert gone_differences(spark_readings) == []
    assert sum(not failed(got["esker"]) for got in spark_readings.values()) >= 115


def newest_metadata(folder):
    version = (folder / "metadata" / "version-hint.text").read_text().strip()
    (found,) = (folder / "metadata").glob(f"v{version}.*metadata.json")
    return found
