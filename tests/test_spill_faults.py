"""A spill disk that is full, and signals while spilling, through the command.

Spilling goes to files without a name, so what is left behind would be seen in the folder while it
is written only if their names stayed.
"""

import hashlib
import os
import resource
import signal
import subprocess
import time

import pyarrow as pa
import pytest

import iceberg_writer
from command import DONE, ESKER, FAILURE

def make_unsorted(path, rows):
    """One file in no order, whose rows do not compress; and its keys in order."""
    builder = iceberg_writer.TableBuilder(
        path, [iceberg_writer.field(1, "k", "long"), iceberg_writer.field(2, "v", "string")])
    keys = [number * 2654435761 % rows for number in range(rows)]
    values = [hashlib.sha256(str(key).encode()).hexdigest() for key in keys]
    # Small row groups take little memory, so that the sorter is what the budget is for.
    builder.append_file(pa.table({"k": pa.array(keys, pa.int64()), "v": pa.array(values)}),
                        row_group_size=200)
    builder.commit()
    return builder.path, sorted(keys)


@pytest.fixture(scope="module")
def unsorted_table(tmp_path_factory):
    return make_unsorted(tmp_path_factory.mktemp("tables") / "unsorted", 4000)


@pytest.fixture(scope="module")
def large_unsorted_table(tmp_path_factory):
    """More rows than are merged at once: spill files are still open when the first rows go out."""
    return make_unsorted(tmp_path_factory.mktemp("tables") / "large", 200_000)


def command(table, folder, *arguments):
    return [ESKER, "scan", str(table), "--order-by", "k", "--format", "csv", "--memory", "512KB",
            "--spill-dir", str(folder), *map(str, arguments)]


def scan_with_disk(table, folder, disk_bytes):
    """Runs a scan that may write files of no more than so many bytes."""
    def limit():
        # Beyond the limit a write fails with EFBIG, once the signal is not deadly.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (disk_bytes, disk_bytes))

    return subprocess.run(command(table, folder), capture_output=True, timeout=120,
                          preexec_fn=limit, restore_signals=False)


def keys_of(output):
    """The first column. A run that failed may have ended within a line."""
    lines = output.decode().split("\n")[1:-1]
    return [int(line.split(",")[0]) for line in lines]


def test_a_full_spill_disk(unsorted_table, tmp_path):
    """The limit goes up until the scan gets through; before that every run fails in words."""
    table, expected = unsorted_table
    failures = 0
    disk_bytes = 0
    while True:
        process = scan_with_disk(table, tmp_path, disk_bytes)
        assert list(tmp_path.iterdir()) == [], disk_bytes
        if process.returncode == DONE:
            break
        failures += 1
        error = process.stderr.decode()
        assert process.returncode == FAILURE, (disk_bytes, error)
        assert str(tmp_path) in error and "File too large" in error, (disk_bytes, error)
        # What came out before the disk was full is the beginning of what is right.
        keys = keys_of(process.stdout)
        assert keys == expected[:len(keys)], disk_bytes
        disk_bytes = disk_bytes * 5 // 4 + 100
        assert disk_bytes < 10_000_000
    assert failures >= 10
    assert keys_of(process.stdout) == expected


def test_a_spill_folder_that_cannot_be_written_is_named(unsorted_table, tmp_path):
    table, _ = unsorted_table
    missing = tmp_path / "missing"
    process = subprocess.run(command(table, missing), capture_output=True, timeout=120)
    assert process.returncode == FAILURE and str(missing) in process.stderr.decode()


def spilling_process(table, folder, out):
    """A scan that has spilled; its rows are more than the pipe `out` holds, and nobody reads it."""
    process = subprocess.Popen([*command(table, folder), "-o", str(out)], stderr=subprocess.PIPE)
    for _ in range(10_000):
        assert process.poll() is None, process.stderr.read()
        if spill_files(process.pid, folder):
            return process
        time.sleep(0.005)
    raise AssertionError("it does not spill")


def spill_files(pid, folder):
    """The open files of a process that lie in the folder and hold something, with or without a
    name. On a file system that must give new files a name, they have lost it before they do."""
    found = []
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{descriptor}"
        try:
            target = os.readlink(path)
            holds = os.stat(path).st_size > 0
        except OSError:  # closed meanwhile
            continue
        if holds and target.startswith(str(folder)):
            found.append(target)
    return found


@pytest.mark.parametrize("number,code", [(signal.SIGINT, 130), (signal.SIGTERM, 143),
                                         (signal.SIGHUP, 129)])
def test_a_signal_while_spilling_leaves_no_file(large_unsorted_table, tmp_path, number, code):
    table, _ = large_unsorted_table
    out = tmp_path / "fifo"
    os.mkfifo(out)
    reader = os.open(out, os.O_RDONLY | os.O_NONBLOCK)
    folder = tmp_path / "spill"
    folder.mkdir()
    process = spilling_process(table, folder, out)
    assert list(folder.iterdir()) == [], "the spill files have names"
    process.send_signal(number)
    assert process.wait(timeout=30) == code
    assert list(folder.iterdir()) == []
    os.close(reader)
