"""Makes the table that ./demo.sh shows: events in 300 commits, each sorted, all overlapping.

    make_demo_table.py OUT

Every commit is one file of 20,000 rows in order of `ts`, as a stream job writes them: a commit
holds what arrived in one minute, and events arrive up to two minutes late. So each file reaches
into the next two, and at any time three files overlap, out of 300. Equal on every run.
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from iceberg_writer import EPOCH_MS, TableBuilder, field, sort_order

FILES = 300
ROWS = 20_000
MINUTE_US = 60_000_000
SPAN_US = 3 * MINUTE_US  # from the oldest to the newest event of one commit
START_US = EPOCH_MS * 1000

SCHEMA = [
    field(1, "ts", "timestamptz"),
    field(2, "id", "long"),
    field(3, "host", "string"),
    field(4, "level", "int"),
    field(5, "message", "string"),
]
HOSTS = pa.array([f"web-{n:02d}.{zone}" for zone in ("north", "south") for n in range(1, 21)])
MESSAGES = pa.array([
    "request served", "cache miss, read from disk", "session opened", "session closed",
    "slow query: 1.2 s", "retrying upstream", "upstream timed out", "certificate expires soon",
])


def random_numbers(count, below, seed):
    """`count` integers in [0, below), the same on every machine."""
    numbers = pc.random(count, initializer=seed)
    return pc.cast(pc.floor(pc.multiply(numbers, float(below))), pa.int64())


def events(commit):
    """The rows of one commit, in order of ts."""
    seed = 10 * commit
    late = random_numbers(ROWS, SPAN_US - 1, seed)
    ts = pc.add(late, START_US + commit * MINUTE_US)
    ts = ts.take(pc.sort_indices(ts)).cast(pa.timestamp("us", "UTC"))
    level = pc.cast(pc.floor(pc.sqrt(pc.cast(random_numbers(ROWS, 25, seed + 1), pa.float64()))),
                    pa.int32())
    return pa.table({
        "ts": ts,
        "id": pa.array(range(commit * ROWS, (commit + 1) * ROWS), pa.int64()),
        "host": HOSTS.take(random_numbers(ROWS, len(HOSTS), seed + 2)),
        "level": pc.subtract(pa.scalar(5, pa.int32()), level),
        "message": MESSAGES.take(random_numbers(ROWS, len(MESSAGES), seed + 3)),
    })


def make_table(folder, location, files=FILES):
    builder = TableBuilder(folder, SCHEMA, location=location, default_sort_order_id=1,
                           sort_orders=[sort_order(1, (1, "asc", "nulls-first"))],
                           properties={"comment": "made by tools/make_demo_table.py"})
    for commit in range(files):
        builder.append_file(events(commit), sort_order_id=1, compression="snappy", truncate=16)
        builder.commit(timestamp_ms=EPOCH_MS + (commit + 3) * 60_000, publish=False)
    builder.write_metadata()


def main(arguments):
    out = Path(arguments[0]).resolve()
    if out.exists():
        sys.exit(f"{out} is there already")
    out.parent.mkdir(parents=True, exist_ok=True)
    # Made beside its place and moved there when whole.
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        table = Path(scratch) / out.name
        make_table(table, "/warehouse/demo/events")
        table.rename(out)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
