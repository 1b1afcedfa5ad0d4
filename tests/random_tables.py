"""Random Iceberg tables: the life of a table, step by step, out of one random number generator.

    life = TableLife(folder, random.Random(seed))
    life.live()     # writes the table
    life.story      # the steps in words, for the report of a failure

A life appends files (sorted under a claim that holds, or not sorted and without one), evolves the
schema and the partition spec, and deletes by position, by vector and by value. Everything it does
is allowed by the format, and every claim of order and every statistic is true.
"""

import functools
import json
import struct
import zlib

import pyarrow as pa
import pyroaring

import iceberg_writer
from iceberg_writer import arrow_schema, field, sort_order
from random_values import (DAY_US, cell_at, compare_keys, default_text, leaf_fields, random_cell,
                           random_value, transformed, transforms_of)

KINDS = ("boolean", "int", "long", "float", "double", "decimal(9,2)", "date", "time", "timestamp",
         "timestamptz", "string", "uuid", "fixed[3]", "binary")
PROMOTIONS = {"int": "long", "float": "double", "decimal(9,2)": "decimal(20,2)"}
NAMES = ("a", "b", "c", "d", "Upper", "two words", "dotted.name", 'quo"te', "größe")


class TableLife:
    """One random table; see the top of this file."""

    FILE_ROWS = (0, 1, 5, 20, 40)

    def __init__(self, path, rng):
        self.rng, self.story = rng, []
        self.next_id = 1
        self.fields = []
        for _ in range(rng.randrange(2, 6)):
            self.fields.append(self.new_field(self.free_name(self.fields), first=True))
        version = rng.choice((1, 2, 2, 2, 2, 3, 3))
        self.builder = iceberg_writer.TableBuilder(
            path, self.fields, format_version=version,
            location=rng.choice((None, "/warehouse/db/events")))
        self.data = []  # (entry, rows as {field id: (type, value)}) of all files
        self.orders = []  # see random_order()
        self.with_vector = set()
        self.position_deletes = {}  # {path: positions}
        self.tell(f"version {version}", self.fields)
        if rng.random() < 0.4:
            self.change_spec()

    def tell(self, *words):
        self.story.append(" ".join(map(str, words)))

    def live(self):
        """Random steps, then the metadata file."""
        steps = ((self.append, 6), (self.add_column, 2), (self.drop_column, 2), (self.rename, 2),
                 (self.reorder, 1), (self.promote, 2), (self.evolve_struct, 2),
                 (self.change_spec, 1), (self.upgrade, 1), (self.delete_positions, 2),
                 (self.delete_values, 3), (self.dead_entry, 1))
        names, weights = zip(*steps)
        self.append()
        for _ in range(self.rng.randrange(3, 14)):
            self.rng.choices(names, weights)[0]()
            if self.rng.random() < 0.6:
                self.commit()
        self.commit()
        if self.rng.random() < 0.3:  # a schema newer than the newest snapshot
            self.rng.choice((self.add_column, self.drop_column, self.rename, self.promote))()
        self.builder.write_metadata()

    def commit(self):
        if self.builder.pending or self.builder.pending_deletes:
            self.tell("commit", self.builder.commit(publish=False))

    # Schema.

    def new_id(self):
        self.next_id += 1
        return self.next_id - 1

    def free_name(self, fields):
        return self.rng.choice([n for n in NAMES if n not in [f["name"] for f in fields]])

    def new_field(self, name, first=False, member=False):
        """A column of a new id; one that is added to rows may have an initial default."""
        field_id, rng = self.new_id(), self.rng
        if not member and rng.random() < 0.15:
            members = []
            for _ in range(rng.randrange(1, 4)):
                members.append(self.new_field(self.free_name(members), first, member=True))
            return field(field_id, name, {"type": "struct", "fields": members})
        kind = rng.choice(KINDS)
        while member and kind == "uuid":  # pyarrow makes no structs of such values
            kind = rng.choice(KINDS)
        if first or self.builder.format_version < 3 or rng.random() < 0.4:
            return field(field_id, name, kind, required=first and rng.random() < 0.2)
        value = random_value(rng, kind)
        while kind in ("float", "double") and abs(value) not in range(100):  # JSON has no NaN
            value = random_value(rng, kind)
        text = default_text(value, kind)
        return field(field_id, name, kind, required=rng.random() < 0.3,
                     **{"initial-default": text, "write-default": text})

    def set_fields(self, fields, word):
        self.commit_before_schema_change()
        self.fields = fields
        self.builder.set_schema(fields)
        self.tell(word, json.dumps(fields))

    def commit_before_schema_change(self):
        """Statistics and equality deletes of one commit are of one schema."""
        self.commit()

    def spec_sources(self, every=False):
        specs = self.builder.specs if every else self.builder.specs[-1:]
        return {f["source-id"] for spec in specs for f in spec["fields"]}

    def add_column(self):
        if len(self.fields) < len(NAMES):
            new = self.new_field(self.free_name(self.fields))
            place = self.rng.randrange(len(self.fields) + 1)
            self.set_fields(self.fields[:place] + [new] + self.fields[place:], "add")

    def drop_column(self):
        victim = self.rng.choice(self.fields)
        if len(self.fields) > 1 and victim["id"] not in self.spec_sources():
            self.set_fields([f for f in self.fields if f is not victim], "drop")

    def rename(self):
        victim = self.rng.choice(self.fields)
        if self.rng.random() < 0.3 and len(self.fields) > 1:  # two columns swap their names
            other = self.rng.choice([f for f in self.fields if f is not victim])
            names = {victim["id"]: other["name"], other["id"]: victim["name"]}
        elif len(self.fields) < len(NAMES):
            names = {victim["id"]: self.free_name(self.fields)}
        else:
            return
        self.set_fields([{**f, "name": names.get(f["id"], f["name"])} for f in self.fields],
                        "rename")

    def reorder(self):
        self.set_fields(self.rng.sample(self.fields, len(self.fields)), "reorder")

    def promoted(self, f):
        """The column with a wider type, or as it is."""
        kind = f["type"] if isinstance(f["type"], str) else None
        wider = PROMOTIONS.get(kind, kind)
        # A date default would have to be written anew as a timestamp, which "cannot change" forbids.
        if (kind == "date" and self.builder.format_version >= 3 and "initial-default" not in f
                and f["id"] not in self.spec_sources(every=True)):
            wider = "timestamp"
        return f if wider is None else {**f, "type": wider}

    def promote(self):
        victim = self.rng.choice(self.fields)
        if self.promoted(victim) != victim:
            self.set_fields([self.promoted(f) if f is victim else f for f in self.fields],
                            "promote")

    def evolve_struct(self):
        """Adds, drops, renames, promotes or reorders members of a struct."""
        structs = [f for f in self.fields if isinstance(f["type"], dict)]
        if not structs:
            return
        victim, rng = self.rng.choice(structs), self.rng
        members = list(victim["type"]["fields"])
        at, step = rng.randrange(len(members)), rng.randrange(5)
        if step == 0:
            members.insert(at, self.new_field(self.free_name(members), member=True))
        elif step == 1 and len(members) > 1:
            del members[at]
        elif step == 2:
            members[at] = {**members[at], "name": self.free_name(members)}
        elif step == 3:
            members[at] = self.promoted(members[at])
        else:
            rng.shuffle(members)
        evolved = {**victim, "type": {"type": "struct", "fields": members}}
        self.set_fields([evolved if f is victim else f for f in self.fields], "evolve")

    def change_spec(self):
        sources = [f for f in self.fields if isinstance(f["type"], str)
                   and transforms_of(f["type"])]
        chosen = self.rng.sample(sources, min(len(sources), self.rng.randrange(3)))
        self.commit_before_schema_change()
        spec = []
        for f in chosen:
            transform = self.rng.choice(transforms_of(f["type"]))
            spec.append({"name": f"p{f['id']}_{len(self.builder.specs)}", "transform": transform,
                         "source-id": f["id"]})
        self.builder.set_spec(spec)
        self.tell("spec", spec)

    def upgrade(self):
        if 1 < self.builder.format_version < 3:
            self.commit()
            self.builder.format_version = 3
            self.tell("upgrade to version 3")

    # Data files.

    def append(self):
        rows = [{f["name"]: random_cell(self.rng, f) for f in self.fields}
                for _ in range(self.rng.choice(self.FILE_ROWS))]
        groups = {}
        for row in rows:
            groups.setdefault(self.partition_of(row), []).append(row)
        for partition, members in list(groups.items())[:4] or [(self.partition_of(None), [])]:
            self.append_file(members, partition)

    def partition_of(self, row):
        by_id = {f["id"]: f for f in self.fields}
        return tuple(transformed(row and row[by_id[p["source-id"]]["name"]],
                                 by_id[p["source-id"]]["type"], p["transform"])
                     for p in self.builder.specs[-1]["fields"])

    def append_file(self, rows, partition):
        rng, stored = self.rng, self.stored_fields()
        if not rows and all(f["type"] == "boolean" for f, _ in leaf_fields(stored)):
            return  # nothing in such a file has an offset, and iceberg_writer.py wants one
        order_id, rows = self.sorted_rows(rows)
        names = [p["name"] for p in self.builder.specs[-1]["fields"]]
        options = {"row_group_size": rng.choice((None, 1, 3, 10)),
                   "bounds": rng.choice(("true", "true", None)),
                   "null_counts": rng.choice(("true", "true", None)),
                   "value_counts": rng.choice(("true", None)),
                   "nan_counts": rng.choice(("true", "true", None)),
                   "truncate": rng.choice((None, 1, 3))}
        if self.builder.format_version > 1 and self.builder.snapshots and rng.random() < 0.25:
            # What a rewrite leaves: rows that are older than the commit.
            old = rng.randrange(1, len(self.builder.snapshots) + 1)
            options |= {"sequence_number": old, "file_sequence_number": old, "status": 0}
        table = pa.Table.from_pylist(rows, arrow_schema(stored))
        whole = self.builder.schemas[-1]
        self.builder.schemas[-1] = {**whole, "fields": stored}
        info = self.builder.append_file(table, sort_order_id=order_id,
                                        partition=dict(zip(names, partition)), **options)
        self.builder.schemas[-1] = whole
        self.data.append((info, [{f["id"]: (f["type"], row[f["name"]]) for f in self.fields}
                                 for row in rows]))
        self.tell("append", info["file_path"], f"{len(rows)} rows", "order", order_id, partition,
                  {k: v for k, v in options.items() if v not in ("true", None)},
                  [f["name"] for f in self.fields if f not in stored])

    def stored_fields(self):
        """Columns in the file: one whose value the partition gives may be left out."""
        constant = {p["source-id"] for p in self.builder.specs[-1]["fields"]
                    if p["transform"] == "identity"}
        kept = [f for f in self.fields if f["id"] not in constant or self.rng.random() < 0.7]
        return kept or self.fields

    def sorted_rows(self, rows):
        """(order id, rows): sorted and truly labelled, or in no order and labelled so."""
        if self.rng.random() < 0.35:
            return self.rng.choice((None, 0)), rows
        keys = self.random_order()
        orders = self.builder.sort_orders
        directions = [("int" if transform.startswith(("bucket", "day")) else f["type"],
                       descending, nulls_first)
                      for f, _, transform, descending, nulls_first in keys]

        def key_of(row):
            return [transformed(cell_at(row, path), f["type"], transform)
                    for f, path, transform, _, _ in keys]
        rows = sorted(rows, key=functools.cmp_to_key(
            lambda a, b: compare_keys(key_of(a), key_of(b), directions)))
        order = sort_order(len(orders), *[
            (f["id"], "desc" if descending else "asc",
             "nulls-first" if nulls_first else "nulls-last", transform)
            for f, _, transform, descending, nulls_first in keys])
        same = [o["order-id"] for o in orders if o["fields"] == order["fields"]]
        if not same:
            orders.append(order)
            self.tell("order", order)
        if self.rng.random() < 0.5:
            self.builder.default_sort_order_id = self.rng.randrange(len(orders))
        return (same or [order["order-id"]])[0], rows

    def random_order(self):
        """(field, path, transform, descending, nulls first) keys; often one used before."""
        if self.rng.random() < 0.7:
            usable = [keys for keys in self.orders if self.still_there(keys)]
            if usable:
                return self.still_there(self.rng.choice(usable))
        leaves = leaf_fields(self.fields)
        keys = []
        for f, path in self.rng.sample(leaves, self.rng.randrange(1, min(4, len(leaves) + 1))):
            transforms = transforms_of(f["type"]) if self.rng.random() < 0.15 else ()
            keys.append((f, path, self.rng.choice(transforms or ("identity",)),
                         self.rng.random() < 0.4, self.rng.random() < 0.5))
        self.orders.append(keys)
        return keys

    def still_there(self, keys):
        """The keys with the columns as they are today; None if one is gone."""
        today = {f["id"]: (f, path) for f, path in leaf_fields(self.fields)}
        if any(key[0]["id"] not in today for key in keys):
            return None
        renewed = [(*today[key[0]["id"]], *key[2:]) for key in keys]
        return None if any(key[2] != "identity" and key[2] not in transforms_of(key[0]["type"])
                           for key in renewed) else renewed

    def dead_entry(self):
        """A file that a manifest entry says was deleted, and that is no longer there."""
        number = len(self.builder.snapshots)
        if self.builder.format_version > 1 and number:
            self.builder.append_file(None, record_count=3, status=2, sequence_number=number,
                                     file_sequence_number=number)
            self.tell("dead entry")

    # Deletes.

    def delete_positions(self):
        targets = [(info, rows) for info, rows in self.data if rows]
        if self.builder.format_version == 1 or not targets:
            return
        info, rows = self.rng.choice(targets)
        positions = set(self.rng.sample(range(len(rows)), self.rng.randrange(1, len(rows) + 1)))
        path = info["file_path"]
        self.tell("positions", path, sorted(positions))
        known = self.position_deletes.setdefault(path, set())
        if self.builder.format_version == 2:
            named = {"referenced_data_file": path} if self.rng.random() < 0.5 else {}
            # Always of the file's own partition: esker refuses a delete file that contradicts itself.
            self.builder.add_delete_file([(path, p) for p in positions],
                                         **self.partition_like(info), **named)
        elif path not in self.with_vector:
            self.with_vector.add(path)
            self.add_vector(info, positions | known)
        known |= positions

    def partition_like(self, info):
        return {"spec_id": info["spec_id"], "partition": info["partition"]}

    def add_vector(self, info, positions):
        """A deletion vector in a Puffin file of its own."""
        builder = self.builder
        checked = b"\xd1\xd3\x39\x64" + pyroaring.BitMap64(positions).serialize()
        blob = (struct.pack(">i", len(checked)) + checked
                + struct.pack(">I", zlib.crc32(checked)))
        footer = json.dumps({"blobs": [{
            "type": "deletion-vector-v1", "fields": [iceberg_writer.POS_ID], "snapshot-id": -1,
            "sequence-number": -1, "offset": 4, "length": len(blob),
            "properties": {"referenced-data-file": info["file_path"],
                           "cardinality": str(len(positions))}}]}).encode()
        path = f"{builder.location}/data/{builder.files_written:05d}.puffin"
        builder.files_written += 1
        content = (b"PFA1" + blob + b"PFA1" + footer + struct.pack("<i", len(footer))
                   + b"\0\0\0\0PFA1")
        builder.real_path(path).write_bytes(content)
        builder.pending_deletes.append({
            "content": 1, "file_path": path, "file_format": "PUFFIN", "spec_id": info["spec_id"],
            "partition": info["partition"], "record_count": len(positions),
            "file_size_in_bytes": len(content), "referenced_data_file": info["file_path"],
            "content_offset": 4, "content_size_in_bytes": len(blob)})

    def delete_values(self):
        """Equality deletes on one or two columns; floats may not be delete columns."""
        columns = [f for f in self.fields if isinstance(f["type"], str)
                   and f["type"] not in ("float", "double")]
        if self.builder.format_version == 1 or not columns:
            return
        columns = self.rng.sample(columns, min(len(columns), self.rng.randrange(1, 3)))
        columns.sort(key=self.fields.index)
        info, rows = self.rng.choice(self.data or [(None, [])])
        if info is None:
            return
        values = [{f["name"]: self.delete_cell(f, rows) for f in columns}
                  for _ in range(self.rng.randrange(1, 5))]
        everywhere = [s["spec-id"] for s in self.builder.specs if not s["fields"]]
        scope = self.partition_like(info)
        if everywhere and (self.rng.random() < 0.5 or self.only_void(info["spec_id"])):
            scope = {"spec_id": self.rng.choice(everywhere)}
        elif self.only_void(info["spec_id"]):
            return  # the format does not say whether such a spec counts as unpartitioned
        self.builder.add_delete_file(
            pa.Table.from_pylist(values, arrow_schema(columns)),
            equality_ids=[f["id"] for f in columns], **scope)
        self.tell("equality", [f["id"] for f in columns], values, scope)

    def only_void(self, spec_id):
        fields = self.builder.specs[spec_id]["fields"]
        return bool(fields) and all(f["transform"] == "void" for f in fields)

    def delete_cell(self, f, rows):
        """A value that a row of the chosen file has in this column, or any value."""
        if not rows or self.rng.random() < 0.3:
            return random_cell(self.rng, f)
        kind, cell = self.rng.choice(rows).get(f["id"], (f["type"], None))
        if cell is None:
            return random_cell(self.rng, f) if f["required"] else None
        return cell * DAY_US if (kind, f["type"]) == ("date", "timestamp") else cell
