#!/usr/bin/env python3
"""The figures of pva on five reports are those of `tilescope-cli summary --json` and `query`.

    pva_figures.py TILESCOPE_CLI FOLDER [unittest options]
"""
import enum
import itertools
import os
import subprocess
import sys
import time
import unittest
import unittest.mock
from collections import Counter, defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "app", "python"))
sys.dont_write_bytecode = True

import pva  # noqa: E402
import reports_for_pva  # noqa: E402

CLI, FOLDER = sys.argv.pop(1), sys.argv.pop(1)
PATHS = reports_for_pva.make(CLI, FOLDER)


class OnEachReport(unittest.TestCase):
    def shortDescription(self):
        """Failures name the report."""
        return getattr(self, "kind", None)

    def each(self):
        for self.kind, path in PATHS.items():
            yield pva.openReport(path), lambda sql, path=path: reports_for_pva.query(CLI, path, sql), path


class Figures(OnEachReport):
    def test_target_and_graph(self):
        for report, query, path in self.each():
            said, target, graph = reports_for_pva.summary(CLI, path), report.compilation.target, report.compilation.graph
            self.assertEqual((target.numIPUs, target.tilesPerIpu), (said["ipus"], said["tiles_per_ipu"]))
            self.assertEqual(target.numTiles, said["ipus"] * said["tiles_per_ipu"])
            self.assertEqual(target.clockFrequency, said["clock_hz"])
            self.assertEqual(target.bytesPerTile, said["memory"]["bytes_per_tile"])
            self.assertEqual(target.totalMemory, said["memory"]["available_bytes"])
            self.assertEqual(target.architecture.name, {"gc200": "Ipu2", "gc2": "Ipu1"}[said["machine"]])
            counts = said["graph"]
            self.assertEqual((graph.numVertices, graph.numEdges, graph.numVars, graph.numComputeSets),
                             (counts["vertices"], counts["edges"], counts["variables"], counts["compute_sets"]))
            self.assertEqual(len(report.compilation.computeSets), counts["compute_sets"])
            self.assertEqual(len(report.compilation.programs), counts["program_steps"])
            self.assertEqual(len(pva.OperationAnalysis(report).operations), counts["operations"])
            self.assertEqual(report.poplarVersion.string, "%(tool_version)s (%(tool)s)" % said["metadata"])
            self.assertEqual(report.compilation.engineOptions, said["options"])

    def test_memory(self):
        for report, query, path in self.each():
            said = reports_for_pva.summary(CLI, path)["memory"]
            memories = [tile.memory for tile in report.compilation.tiles]
            self.assertEqual(sum(m.total.excludingGaps for m in memories), said["total_bytes"])
            self.assertEqual(sum(m.total.includingGaps for m in memories), said["total_with_gaps_bytes"])
            self.assertEqual(max(m.total.excludingGaps for m in memories), said["max_tile_bytes"])
            self.assertEqual(sum(m.gaps for m in memories), said["total_with_gaps_bytes"] - said["total_bytes"])
            self.assertEqual(sum(m.alwaysLiveBytes for m in memories), said["always_live_bytes"])
            self.assertEqual(sum(m.nonInterleaved for m in memories), said["by_region"]["non_interleaved"])
            self.assertEqual(sum(m.interleaved for m in memories), said["by_region"]["interleaved"])
            self.assertEqual(sum(m.overflowed for m in memories), said["overflow_bytes"])
            for name in dir(pva.MemoryByCategory):
                if not name.startswith("_"):
                    self.assertEqual(sum(getattr(m.category, name).total for m in memories), said["by_category"].get(name, 0))
            sums = [sum(tile.memory.total.excludingGaps for tile in ipu.tiles) for ipu in report.compilation.ipus]
            self.assertEqual(sum(sums), said["total_bytes"])

    def test_fullest_tiles_and_counts(self):
        for report, query, path in self.each():
            said, tiles = reports_for_pva.summary(CLI, path), report.compilation.tiles
            memory = said["memory"]
            for key, property_ in (("max_tile", "excludingGaps"), ("max_tile_with_gaps", "includingGaps")):
                sizes = [getattr(tile.memory.total, property_) for tile in tiles]
                self.assertEqual((max(sizes), sizes.index(max(sizes))), (memory[key + "_bytes"], memory[key]))
            self.assertEqual(sum(tile.memory.overflowed > 0 for tile in tiles), memory["overflow_tiles"])
            types = {vertices.type.name for computeset in report.compilation.computeSets for vertices in computeset.vertices}
            self.assertEqual(len(types), said["graph"]["vertex_types"])
            seconds = report.execution.totalCycles.total / report.compilation.target.clockFrequency
            self.assertAlmostEqual(seconds, said["seconds"], 9)

    def test_regions_of_categories_sum_to_both(self):
        for report, query, path in self.each():
            tiles = report.compilation.tiles
            for tile in (tiles[0], tiles[len(tiles) // 2], tiles[-1]):
                sums = Counter()
                for name in (name for name in dir(pva.MemoryByCategory) if not name.startswith("_")):
                    category = getattr(tile.memory.category, name)
                    parts = [category.nonInterleaved, category.interleaved, category.overflowed]
                    self.assertEqual(sum(part.nonOverlapped for part in parts), category.total, name)
                    for region, part in zip(("nonInterleaved", "interleaved", "overflowed"), parts):
                        sums[region] += part.nonOverlapped
                self.assertEqual([sums[r] for r in ("nonInterleaved", "interleaved", "overflowed")],
                                 [tile.memory.nonInterleaved, tile.memory.interleaved, tile.memory.overflowed])

    def test_vertices(self):
        for report, query, path in self.each():
            expected = query("SELECT compute_set_id, text(t.name_id), c.vertices, c.state_bytes FROM compute_set_vertices c"
                             " JOIN vertex_type t ON t.id = c.vertex_type_id ORDER BY 1, c.vertex_type_id")
            found = [(s._id, v.type.name, v.count, v.count * v.type.size)
                     for s in report.compilation.computeSets for v in s.vertices]
            self.assertEqual(found, expected)
            by_tile = defaultdict(int)
            for s in report.compilation.computeSets:
                self.assertEqual(sum(v.count for v in s.vertices), s.numVertices)
                for vertices in s.vertices:
                    self.assertEqual(sum(vertices.countByTile), vertices.count)
                    for tile in (0, 7):
                        by_tile[tile, vertices.type.name] += vertices.countByTile[tile]
            for tile in (0, 7):
                self.assertEqual({v.type.name: v.count for v in report.compilation.tiles[tile].memory.vertices},
                                 {name: n for (t, name), n in by_tile.items() if t == tile and n})

    def test_programs(self):
        for report, query, path in self.each():
            programs = report.compilation.programs
            expected = query("SELECT id, parent_id, kind, text(name_id), code_bytes FROM program_step ORDER BY id")
            self.assertEqual([(p._id, p.parent and p.parent._id, p.kind, p.name, p.controlCodeBytes) for p in programs], expected)
            for program in programs:
                self.assertEqual([child.parent for child in program.children], [program] * len(program.children))
                expected = {"ControlProgram": "Sequence", "Function": "Sequence"}.get(program.kind, program.kind)
                self.assertEqual(program.type.name, expected)
            sets = dict(query("SELECT id, compute_set_id FROM program_step WHERE compute_set_id IS NOT NULL"))
            self.assertEqual({p._id: p.computeset._id for p in programs if hasattr(p, "computeset")}, sets)
            exchanges = dict(query("SELECT p.id, e.code_bytes FROM program_step p JOIN exchange e ON e.id = p.exchange_id"
                                   " WHERE p.kind = 'DoExchange'"))
            found = {p._id: sum(p.codeBytesByTile) for p in programs if p.type == pva.Program.Type.DoExchange}
            self.assertEqual(found, exchanges)

    def test_control_code_by_tile(self):
        for report, query, path in self.each():
            programs, sums = report.compilation.programs, [0] * report.compilation.target.numTiles
            said = defaultdict(list)
            for number, tile, size in query("SELECT control_code_id, tile, bytes FROM control_code_tile ORDER BY 1, 2"):
                said[number].append(size)
            for number, first, steps in query("SELECT control_code_id, min(id), count(*) FROM program_step GROUP BY 1"):
                found = programs[first].controlCodeByTile
                self.assertEqual((found, sum(found)), (said.get(number, [0] * len(sums)), programs[first].controlCodeBytes))
                sums = [a + steps * b for a, b in zip(sums, found)]
            self.assertEqual(sum(sums), sum(program.controlCodeBytes for program in programs))
            # What is left of a tile's control code is the same on all tiles: the program's own begin and end.
            rest = {t.memory.category.controlCode.total - b for t, b in zip(report.compilation.tiles, sums)}
            self.assertEqual(len(rest), 1, path)
            self.assertGreater(min(rest), 0)

    def test_visitor_sees_each_program_once(self):
        for report, query, path in self.each():
            seen = Counter()

            class Visitor(pva.ProgramVisitor):
                def visitOnTileExecute(self, program):
                    seen["OnTileExecute"] += 1

                def visitStreamCopyMid(self, program):
                    seen["StreamCopyMid"] += 1

            for program in report.compilation.programs:
                program.accept(Visitor())
            expected = query("SELECT kind, count(*) FROM program_step WHERE kind IN ('OnTileExecute', 'StreamCopyMid') GROUP BY 1")
            self.assertEqual(seen, Counter(dict(expected)))

    def test_liveness(self):
        for report, query, path in self.each():
            compilation = report.compilation
            steps, said = compilation.livenessProgramSteps, reports_for_pva.summary(CLI, path)["memory"]
            peak = max(steps, key=lambda step: step.notAlwaysLiveMemory.bytes)
            self.assertEqual(peak.notAlwaysLiveMemory.bytes, said["peak_not_always_live_bytes"])
            self.assertEqual(steps.index(peak), said["peak_step"])
            self.assertEqual(sum(v.size for v in peak.notAlwaysLiveMemory.variables), peak.notAlwaysLiveMemory.bytes)
            self.assertEqual(sum(v.size for v in compilation.alwaysLiveVariables), said["always_live_bytes"])
            curves = defaultdict(list)
            for scope, _, value in query("SELECT scope, ordinal, not_always_live_bytes FROM liveness_point ORDER BY 1, 2"):
                curves[scope].append(value)
            for scope, curve in curves.items():
                if scope.startswith("ipu."):
                    self.assertEqual([s.notAlwaysLiveMemoryForIpu(int(scope[4:])).bytes for s in steps], curve)
                elif scope.startswith("tile."):
                    tile = int(scope[5:])
                    self.assertEqual([s.notAlwaysLiveMemoryForTile(tile).bytes for s in steps], curve)
                    self.assertEqual(compilation._liveness._curve_of_tile(tile), curve)  # as tiles without a stored curve
            for tile in (0, 5):
                memory = compilation.tiles[tile].memory
                self.assertEqual(max(s.notAlwaysLiveMemoryForTile(tile).bytes for s in steps), memory.notAlwaysLiveBytes)
                self.assertEqual(sum(v.size for v in compilation.alwaysLiveVariablesForTile(tile)), memory.alwaysLiveBytes)
                top = max(steps, key=lambda step: step.notAlwaysLiveMemoryForTile(tile).bytes).notAlwaysLiveMemoryForTile(tile)
                self.assertEqual(sum(v.size for v in top.variables), top.bytes)

    def test_lowered_variables(self):
        for report, query, path in self.each():
            lowered = report.compilation.loweredVariables
            expected = query("SELECT variable_id, name, category, address, size_bytes, own_bytes FROM lowered_variable"
                             " WHERE tile = 3")
            found = [(v.unloweredVar._id, v.name, v.category, v.offset, v.bytes, v.ownBytes) for v in lowered.forTile(3)]
            self.assertEqual(found, expected)
            brief = lowered.allBriefVars
            self.assertEqual(len(brief), query("SELECT sum(lowered) FROM tile_variables")[0][0])
            self.assertEqual([v.id for v in brief[:50]], list(range(50)))
            self.assertEqual([v for v in brief[:3000] if v.tileId == 0], list(lowered.forTile(0)))
            for variable in lowered.forTile(0):
                for interval in variable.equivalenceClass.steps:
                    self.assertLess(interval.start, interval.end)

    def test_variables_of_a_program_are_those_of_the_report(self):
        for report, query, path in self.each():
            program = next(p for p in report.compilation.programs if p.type == pva.Program.Type.DoExchange)
            row, = query("SELECT read_count, written_count FROM step_variables WHERE program_step_id = %d" % program._id)
            variables = {v.unloweredVar for v in program.vars}
            self.assertTrue(max(row) <= len(variables) <= sum(row))
            self.assertEqual(sum(v.bytes for v in program.vars), sum(v.size for v in variables))

    def test_execution(self):
        for report, query, path in self.each():
            said, execution = reports_for_pva.summary(CLI, path), report.execution
            self.assertEqual(execution.totalCycles.total, said["total_cycles"])
            self.assertEqual({part: getattr(execution.totalCycles, part) for part in said["cycles"] if part != "hidden_host"},
                             {part: value for part, value in said["cycles"].items() if part != "hidden_host"})
            self.assertEqual([(run.name, run.cyclesFrom, run.cycles) for run in execution.runs],
                             [(run["name"], run["start_cycle"], run["total_cycles"]) for run in said["runs"]])
            self.assertEqual(sum(len(run.steps) for run in execution.runs), len(execution.steps))
            rows = query("SELECT ipu, start_cycle, cycles, program_step_id FROM execution_step")
            expected = Counter(rows)
            found = Counter()
            for step in execution.steps:
                for member in step._members:
                    slices = step._slices
                    found[slices.ipus[member], step.start, slices.cycles[member], step.program._id] += 1
            self.assertEqual(found, expected)
            self.assertEqual(len(execution.steps), len({(start, number, cycles > 0) for _, start, cycles, number in rows}))

    def test_first_steps_of_a_long_execution_are_those_of_the_whole(self):
        def facts(steps):
            return [(s.start, s.program._id, [part.cycles for part in s.ipus], s.executions) for s in steps]

        for report, query, path in self.each():
            whole = pva.openReport(path).execution
            with unittest.mock.patch.multiple("pva._execution", _LONG=0, _WINDOW=16), unittest.mock.patch("pva._slices._FIRST_READ", 4):
                cut = report.execution
                found = facts(itertools.islice(cut.runs[0].steps, 9)), facts(cut.steps[2:7]), facts([cut.steps[3]])
                if path == PATHS["mnist-train"]:
                    self.assertNotIn("_slices_kept", vars(cut))  # the rest was not read
                self.assertEqual(facts(cut.steps[:150]), facts(whole.steps[:150]))
                self.assertEqual(found, (facts(whole.runs[0].steps[:9]), facts(whole.steps[2:7]), facts([whole.steps[3]])))
                self.assertEqual(facts(cut.steps), facts(whole.steps))
                self.assertEqual(facts(cut.runs[-1].steps[-3:]), facts(whole.runs[-1].steps[-3:]))
                self.assertEqual([len(run.steps) for run in cut.runs], [len(run.steps) for run in whole.runs])
                with self.assertRaises(IndexError):
                    cut.steps[len(cut.steps)]

    def test_steps_on_ipus(self):
        for report, query, path in self.each():
            execution, per_ipu = report.execution, Counter()
            profiles = dict(query("SELECT id, cycles FROM step_profile"))
            for step in execution.steps:
                self.assertEqual(step.cycles, max(part.cycles for part in step.ipus))
                for i, part in enumerate(step.ipus):
                    per_ipu[i] += part.cycles
                    active = part.activeCycles
                    self.assertTrue(active.cyclesFrom.min <= active.cyclesFrom.max <= active.cyclesTo.max)
                    self.assertEqual(active.cyclesTo.max - active.cyclesFrom.max, part.cycles)
            for i, expected in query("SELECT ipu, sum(cycles) FROM execution_step WHERE io_tiles = 0 GROUP BY 1"):
                if path != PATHS["overlapped-io"]:
                    self.assertEqual(per_ipu[i], expected)
            steps = [step for step in list(execution.steps)[:40] if len(step._members) == 1]
            numbers = {step._slices.profiles[step._members[0]] for step in steps}
            by_tile = defaultdict(dict)
            for profile, tile, cycles in query("SELECT step_profile_id, tile, cycles FROM step_tile WHERE step_profile_id IN (%s)"
                                               % ", ".join(map(str, numbers or {-1}))):
                by_tile[profile][tile] = cycles
            for step in steps:
                profile, found = step._slices.profiles[step._members[0]], step.cyclesByTile
                expected = [by_tile[profile].get(tile, 0) * step.executions for tile in range(len(found))]
                self.assertEqual(found, expected)
                self.assertLessEqual(max(found), profiles[profile] * step.executions)

    def test_data_of_exchanges(self):
        for report, query, path in self.each():
            tiles = report.compilation.target.tilesPerIpu
            step = next(s for s in report.execution.steps if s.program.type == pva.Program.Type.DoExchange)
            expected = query("SELECT tile / %d, sum(bytes_in), sum(bytes_out) FROM exchange_tile WHERE exchange_id ="
                             " (SELECT exchange_id FROM program_step WHERE id = %d) GROUP BY 1 ORDER BY 1" % (tiles, step.program._id))
            self.assertEqual([(i, part.dataIn, part.dataOut) for i, part in enumerate(step.ipus)], expected)

    def test_blocks(self):
        for report, query, path in self.each():
            expected = query("SELECT tile, name, cycles_from, cycles_to, kind IN ('block', 'program') FROM block_record")
            found = [(b.tile, b.name, b.cyclesFrom, b.cyclesTo, int(b.isCommon))
                     for tile in report.execution.tilesWithBlocks for b in report.execution.blocks(tile)]
            self.assertEqual(sorted(found), sorted(expected))
            if path == PATHS["hello-tiles"]:
                self.assertTrue(any(b.program.name == "hello/spread" for b in report.execution.blocks(0)))

    def test_debug_contexts_and_operations(self):
        for report, query, path in self.each():
            expected = query("SELECT id, parent_id, text(name_id) FROM debug_context ORDER BY id")
            found = [(c.id, c.parents[0].id if c.parents else None, c.name) for c in report.debugContexts]
            self.assertEqual(found, expected)
            operations = pva.OperationAnalysis(report).operations
            self.assertEqual([(o.name, o.debugContext.id) for o in operations],
                             query("SELECT name, debug_context_id FROM operation ORDER BY id"))
            vertices = dict(query("SELECT name, vertices FROM operation"))
            shared = query("SELECT count(*) FROM call_context")[0][0]
            for operation in operations if not shared else ():
                sets = {p.computeset._id: p.computeset for p in operation.programs() if hasattr(p, "computeset")}
                self.assertEqual(sum(s.numVertices for s in sets.values()), vertices[operation.name], operation.name)

    def test_what_a_report_does_not_have_is_named(self):
        for report, query, path in self.each():
            for thing, name in ((report.compilation.target, "minSyncDelay"),
                                (report.compilation, "optimizationInfo")):
                self.assertIn(name, dir(thing))
                with self.assertRaisesRegex(pva.NotInReport, name):
                    getattr(thing, name)

    def test_names_before_sdk_2_2(self):
        for report, query, path in self.each():
            self.assertEqual([step.cycles for step in report.executionProfile.steps], [s.cycles for s in report.execution.steps])
            self.assertIs(report.graphProfile, report.compilation)

    def test_all_properties_of_all_objects_can_be_read(self):
        for report, query, path in self.each():
            seen, missing = set(), set()
            walk(report, seen, missing, 0)
            self.assertLessEqual(missing, {"relativeSyncDelayByTile", "minSyncDelay", "optimizationInfo",
                                           "descriptorBytes", "codeBytesByTile", "estimatedCyclesByTile", "bytesReceivedByTile",
                                           "bytesSentByTile", "computeset", "computeSet"})
            self.assertGreater(len(seen), 15)


def walk(thing, seen, missing, depth):
    """Reads every public name of dir(), as users' scripts do."""
    if type(thing) in seen or depth > 8:
        return
    if isinstance(thing, enum.Enum):  # in Python 3.11.2 each member lists all others
        seen.add(type(thing))
        return
    if not hasattr(type(thing), "__len__"):
        seen.add(type(thing))
    for name in dir(thing):
        if name.startswith("_"):
            continue
        try:
            value = getattr(thing, name)
        except pva.NotInReport:
            missing.add(name)
            continue
        if isinstance(value, (list, tuple)) or hasattr(value, "_make"):
            for element in value[:2]:
                repr(element)
                if type(element).__module__.startswith("pva"):
                    walk(element, seen, missing, depth + 1)
        elif type(value).__module__.startswith("pva") and not callable(value):
            repr(value)
            walk(value, seen, missing, depth + 1)


class HelpPage(unittest.TestCase):
    def test_first_script_runs(self):
        with open(os.path.join(HERE, "..", "..", "..", "resources", "docs", "help", "python-pva.md"), encoding="utf-8") as file:
            script = file.read().split("```python\n")[1].split("```")[0]
        environment = dict(os.environ, PYTHONPATH=sys.path[0])
        ran = subprocess.run([sys.executable, "-B", "-c", script], cwd=os.path.dirname(PATHS["mnist-train"]), env=environment,
                             stdout=subprocess.PIPE, check=True)
        said = reports_for_pva.summary(CLI, PATHS["mnist-train"])
        self.assertEqual(ran.stdout.decode().split()[:3], [str(said["graph"]["compute_sets"]), "1472",
                                                           str(said["memory"]["total_with_gaps_bytes"])])
        self.assertEqual(ran.stdout.decode().split()[-1], str(said["total_cycles"]))


class Speed(unittest.TestCase):
    """Generous limits, in processor time, so that a busy computer does not fail them; figures are in the help page."""

    def test_ten_thousand_steps(self):
        begin, steps = time.process_time(), 0
        while steps < 10000:
            for step in pva.openReport(PATHS["bert-pipeline"]).execution.steps:
                steps += step.ipus[0].cycles >= 0
                step.program.accept(pva.ProgramVisitor())
        self.assertLess(time.process_time() - begin, 2 * 5)

    def test_open_reads_little(self):
        begin = time.process_time()
        pva.openReport(PATHS["bert-pipeline"]).compilation.target.numTiles
        self.assertLess(time.process_time() - begin, 1)


if __name__ == "__main__":
    unittest.main()
