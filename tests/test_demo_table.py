"""Tests of tools/make_demo_table.py: the table of the demo is what the demo says of it."""

import make_demo_table
import pyarrow.compute as pc
from pyiceberg.table import StaticTable


def test_a_commit_is_sorted_and_reaches_into_the_next_two():
    for commit in (0, 7):
        ts = pc.cast(make_demo_table.events(commit)["ts"], "int64")
        start = make_demo_table.START_US + commit * make_demo_table.MINUTE_US
        assert pc.all(pc.less_equal(ts[:-1], ts[1:])).as_py()
        assert start <= ts[0].as_py() < start + make_demo_table.MINUTE_US
        last = ts[-1].as_py() - start
        assert 2 * make_demo_table.MINUTE_US < last < 3 * make_demo_table.MINUTE_US


def test_equal_on_every_run():
    assert make_demo_table.events(3).equals(make_demo_table.events(3))
    assert not make_demo_table.events(3).equals(make_demo_table.events(4))


def test_the_table(tmp_path):
    make_demo_table.make_table(tmp_path, str(tmp_path), files=5)
    table = StaticTable.from_metadata(str(tmp_path / "metadata/v1.metadata.json"))
    files = [task.file for task in table.scan().plan_files()]
    assert [file.sort_order_id for file in files] == [1] * 5
    assert len(table.metadata.snapshots) == 5
    assert table.scan(selected_fields=("id",)).to_arrow().num_rows == 5 * make_demo_table.ROWS
