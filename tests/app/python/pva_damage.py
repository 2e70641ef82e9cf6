#!/usr/bin/env python3
"""A damaged or foreign file is one clear error of pva, for every call of a script; host traces can be read.

    pva_damage.py TILESCOPE_CLI FOLDER [unittest options]
"""
import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "app", "python"))
sys.dont_write_bytecode = True

import pva  # noqa: E402
import reports_for_pva  # noqa: E402

CLI, FOLDER = sys.argv.pop(1), sys.argv.pop(1)
os.environ["TILESCOPE_CLI"] = CLI
os.makedirs(FOLDER, exist_ok=True)
GOOD = os.path.join(FOLDER, "good.tsr")
reports_for_pva.command(CLI, "run", "hello-tiles", "--engine-option", "profiler.programs.filter=.*", "-o", GOOD)

with open(GOOD, "rb") as _file:
    CONTENT = _file.read()


def read_all(path):
    report = pva.openReport(path)
    compilation, execution = report.compilation, report.execution
    for tile in (0, 1):
        memory = compilation.tiles[tile].memory
        memory.total, memory.category.variable.interleaved, memory.vertices
        list(map(repr, compilation.loweredVariables.forTile(tile)))
    for program in compilation.programs:
        repr(program), program.debugContext, list(program.vars)
    for step in compilation.livenessProgramSteps:
        step.notAlwaysLiveMemory.variables, step.notAlwaysLiveMemory.bytes, step.notAlwaysLiveMemoryForTile(1).bytes
    for context in report.debugContexts:
        context.json, context.location, context.children
    for computeset in compilation.computeSets:
        [vertices.countByTile for vertices in computeset.vertices]
    for step in execution.steps:
        step.cyclesByTile, step.ipus[0].dataIn, step.program
    for tile in execution.tilesWithBlocks:
        [(block.name, block.program) for block in execution.blocks(tile)]
    for operation in pva.OperationAnalysis(report).operations:
        operation.programs(), operation.vars, operation.debugContext.json
    repr(report.compilation.graph), execution.totalCycles, [run.steps for run in execution.runs]
    for process in pva.openTrace(path).processes:
        for thread in process.threads:
            [event.label for event in thread.events]


class Damage(unittest.TestCase):
    def changed(self, *statements):
        path = os.path.join(FOLDER, "changed.tsr")
        shutil.copy(GOOD, path)
        os.chmod(path, 0o600)
        db = sqlite3.connect(path)
        db.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.close()
        return path

    def refuse(self, path, words):
        with self.assertRaisesRegex(pva.ReportError, words):
            read_all(path)

    def test_good_file_is_read(self):
        read_all(GOOD)

    def test_files_that_are_no_reports(self):
        for content, words in ((b"", "empty"), (b"hello" * 200, "not a report"), (CONTENT[:5000], "cut short")):
            path = os.path.join(FOLDER, "other.tsr")
            with open(path, "wb") as file:
                file.write(content)
            self.refuse(path, words)
        self.refuse(os.path.join(FOLDER, "absent.tsr"), "no such file")
        self.refuse(FOLDER, "not a regular file")
        fifo = os.path.join(FOLDER, "fifo")
        if not os.path.exists(fifo):
            os.mkfifo(fifo)
        self.refuse(fifo, "not a regular file")

    def test_other_databases_and_unfinished_reports(self):
        self.refuse(self.changed("PRAGMA application_id = 7"), "SQLite file of another program")
        self.refuse(self.changed("PRAGMA user_version = 99"), "newer Tilescope")
        self.refuse(self.changed("DELETE FROM metadata WHERE key = 'complete'"), "unfinished")
        path = self.changed()
        open(path + "-journal", "w").close()
        try:
            self.refuse(path, "unfinished")
        finally:
            os.remove(path + "-journal")

    def test_schema(self):
        for statement, words in (("DROP TABLE program_step", "no table program_step"),
                                 ("ALTER TABLE variable RENAME COLUMN total_bytes TO bytes", "no column total_bytes"),
                                 ("ALTER TABLE tile_series RENAME TO elsewhere", "no table tile_series"),
                                 ("ALTER TABLE slice_chunk DROP COLUMN refs", "no column refs")):
            self.refuse(self.changed(statement), words)
        view = self.changed("ALTER TABLE run RENAME TO other", "CREATE VIEW run AS SELECT * FROM other")
        self.refuse(view, "no table run")

    def test_rows(self):
        for statement, words in (("DELETE FROM machine", "without a machine"),
                                 ("DELETE FROM string WHERE id > 3", "string .* is missing"),
                                 ("UPDATE machine SET ipus = 1000000000", "table machine"),
                                 ("UPDATE program_step SET parent_id = id", "parent"),
                                 ("UPDATE program_step SET debug_context_id = 9999 WHERE id = 2", "debug context 9999"),
                                 ("UPDATE debug_context SET details_json = '{'", "not JSON"),
                                 ("UPDATE program_step SET id = id + 1000 WHERE id = (SELECT max(id) FROM program_step)", "gaps"),
                                 ("UPDATE step_profile SET id = id + 1000", "step profile .* is missing"),
                                 ("UPDATE step_profile SET first_tile = 100000", "tiles that the machine does not have"),
                                 ("UPDATE slice_chunk SET slices = slices + 1", "slice"),
                                 ("UPDATE slice_chunk SET end_tick = end_tick + 1", "last slice of a chunk"),
                                 ("UPDATE tile_series SET tiles = 1 << 40", "number of tiles"),
                                 ("UPDATE tile_variables SET lowered = lowered + 1", "tile_variables"),
                                 ("UPDATE liveness_curve SET steps = steps + 1", "numbers of steps"),
                                 ("UPDATE variable SET live_interval_count = 77 WHERE always_live = 0", "live_intervals"),
                                 ("UPDATE block_chunk SET records = records + 1", "Blocks")):
            with self.subTest(statement):
                self.refuse(self.changed(statement), words)

    def test_any_changed_blob_is_an_error_or_other_numbers(self):
        db = sqlite3.connect(GOOD)
        columns = [(table, row[1]) for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
                   for row in db.execute("PRAGMA table_info(%s)" % table).fetchall() if row[2] == "BLOB"]
        db.close()
        for table, column in columns:
            for value in ("x''", "x'ff'", "x'ffffffffffffffffffffffff01'", "zeroblob(20)", "randomblob(40)"):
                path = self.changed('UPDATE "%s" SET "%s" = %s' % (table, column, value))
                try:
                    read_all(path)
                except (pva.ReportError, pva.NotInReport):
                    pass  # anything else fails the test

    def test_bytes_changed_at_random(self):
        import random
        for seed in range(60):
            numbers, changed = random.Random(seed), bytearray(CONTENT)
            for _ in range(20):
                changed[numbers.randrange(100, len(changed))] = numbers.randrange(256)
            path = os.path.join(FOLDER, "random.tsr")
            with open(path, "wb") as file:
                file.write(changed)
            try:
                read_all(path)
            except (pva.ReportError, pva.NotInReport):
                pass

    def test_nothing_can_be_written_attached_or_loaded(self):
        db = pva.openReport(GOOD)._file._db
        for sql in ("ATTACH 'x.db' AS x", "CREATE TEMP TABLE t (a)", "DELETE FROM run", "PRAGMA query_only = OFF",
                    "SELECT load_extension('x')", "SELECT randomblob(10)", "PRAGMA journal_mode = WAL"):
            with self.assertRaises(sqlite3.Error, msg=sql):
                db.execute(sql).fetchall()


class Traces(unittest.TestCase):
    EVENTS = [  # name, start and duration in microseconds, thread
        ("epoch 1", 0, 100, 11), ("load", 10, 20, 11), ("read", 12, 5, 11), ("step", 40, 50, 11),
        ("epoch 2", 200, 70, 11), ("other", 5, 500, 12)]

    @classmethod
    def setUpClass(cls):
        cls.report, cls.pvti = os.path.join(FOLDER, "trace.tsr"), os.path.join(FOLDER, "trace.pvti")
        source = os.path.join(FOLDER, "trace.json")
        with open(source, "w") as file:
            json.dump([{"ph": "X", "pid": 7, "tid": tid, "cat": "python", "name": name, "ts": ts, "dur": dur}
                       for name, ts, dur, tid in cls.EVENTS] +
                      [{"ph": "i", "s": "t", "pid": 7, "tid": 11, "cat": "python", "name": "mark", "ts": 13}], file)
        for path in (cls.report, cls.pvti):
            if os.path.exists(path):
                os.remove(path)
        reports_for_pva.command(CLI, "import", source, "-o", cls.report)
        reports_for_pva.command(CLI, "export", cls.report, "--format", "pvti", "-o", cls.pvti)

    def tree(self, events):
        return [(event.label, event.duration, event.channel, self.tree(event.children())) for event in events]

    def test_both_files_have_the_same_tree(self):
        for path in (self.report, self.pvti):
            process, = pva.openTrace(path).processes
            self.assertEqual((process.pid, len(process.threads)), (7, 2))
            self.assertEqual(self.tree(process.thread(11).events), [
                ("epoch 1", 100, "python", [("load", 20, "python", [("read", 5, "python", [("mark", 0, "python", [])])]),
                                            ("step", 50, "python", [])]),
                ("epoch 2", 70, "python", [])])
            self.assertEqual(self.tree(process.thread(12).events), [("other", 500, "python", [])])
            first = process.thread(11).events[0]
            self.assertEqual(first.children()[1].timestamp - first.timestamp, 40)

    def test_threads_and_processes_by_number(self):
        trace = pva.openTrace(self.report)
        self.assertIs(trace.process(7).thread(12), trace.processes[0].threads[1])
        with self.assertRaisesRegex(KeyError, "no process 8"):
            trace.process(8)

    def test_files_that_are_imported(self):
        trace = pva.openTrace(os.path.join(FOLDER, "trace.json"))
        self.assertEqual(self.tree(trace.process(7).thread(12).events), [("other", 500, "python", [])])
        sys.path.append(os.path.join(HERE, "..", "..", "..", "reports", "recording", "python"))
        import libpvti
        import tilescope_trace
        recording = os.path.join(FOLDER, "recorded.pvti")  # the content decides, not the name
        tilescope_trace.start({"directory": FOLDER, "file": "recorded.pvti"})
        with libpvti.Tracepoint(libpvti.createTraceChannel("epochs"), "Epoch 1"):
            pass
        libpvti.closeTrace()
        events = pva.openTrace(recording).processes[0].threads[0].events
        self.assertEqual([(event.label, event.channel) for event in events], [("Epoch 1", "epochs")])

    def test_what_libpvti_records_is_where_scripts_look(self):
        folder = os.path.join(FOLDER, "program")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        script = "import libpvti as p\nwith p.Tracepoint(p.createTraceChannel('m'), 'Epoch 1'): pass"
        environment = dict(os.environ, PVTI_OPTIONS='{"enable": "true", "directory": "reports"}',
                           PYTHONPATH=os.path.join(HERE, "..", "..", "..", "reports", "recording", "python"))
        environment.pop("TILESCOPE_TRACE", None)
        subprocess.run([sys.executable, "-B", "-c", script], cwd=folder, env=environment, check=True)
        path, = glob.glob(os.path.join(folder, "reports", "*.pvti"))
        self.assertEqual([event.label for event in pva.openTrace(path).processes[0].threads[0].events], ["Epoch 1"])

    def test_a_trace_is_no_profile(self):
        with self.assertRaisesRegex(pva.ReportError, "openTrace"):
            pva.openReport(self.report)

    def test_what_is_no_trace(self):
        path = os.path.join(FOLDER, "no.trace")
        with open(path, "w") as file:
            file.write("hello")
        with self.assertRaisesRegex(pva.ReportError, "no.trace: cannot be imported"):
            pva.openTrace(path)


if __name__ == "__main__":
    unittest.main()
