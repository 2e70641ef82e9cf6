"""What ran: runs, their steps in order, what each IPU did in a step, and the Blocks that tiles timed."""

from bisect import bisect_left

from ._errors import NotInReport
from ._objects import Facts, LazyList, lazy
from ._packed import deltas, varints
from ._slices import STEP_BITS, Slices


class Microseconds(Facts):
    """In the time of the device, from its first cycle."""

    _names = ("start", "end")


class TotalCycles(Facts):
    """Cycles of all runs. The parts are of the IPU that takes longest, and sum to the total."""

    _names = ("total", "compute", "exchange", "sync", "host", "idle")


class CyclesBound:
    """When the tiles of an IPU begin or end a step."""

    __slots__ = ("_part",)

    def __init__(self, part):
        self._part = part

    def _require_simulated(self):
        if not self._part.is_simulated:
            raise NotInReport("activeCycles: an imported profile has the first begin and the last end of a step on an IPU, "
                              "not those of each tile")

    def __repr__(self):
        return "%s(max=%s)" % (type(self).__name__, self.max)


class CyclesFrom(CyclesBound):
    """The simulated tiles of a step begin it together."""

    __slots__ = ()

    @property
    def min(self):
        return self._part.start

    @property
    def max(self):
        self._require_simulated()
        return self._part.start


class CyclesTo(CyclesBound):
    __slots__ = ()

    @property
    def min(self):
        """When the first of the tiles that work in the step is done."""
        self._require_simulated()
        return self._part.first_end

    @property
    def max(self):
        return self._part.end


class ActiveCycles:
    __slots__ = ("_part",)

    def __init__(self, part):
        self._part = part

    @property
    def cyclesFrom(self):
        return CyclesFrom(self._part)

    @property
    def cyclesTo(self):
        return CyclesTo(self._part)

    def __repr__(self):
        return "ActiveCycles(%d to %d)" % (self._part.start, self._part.end)


class StepOnIpu:
    """What an IPU did in a step. An IPU without a part in the step has 0 cycles at the start of the step."""

    __slots__ = ("_step", "_ipu", "cycles")

    def __init__(self, step, ipu):
        self._step, self._ipu, self.cycles = step, ipu, step.cycles_of(ipu)

    @property
    def start(self):
        return self._step.start

    @property
    def end(self):
        return self._step.start + self.cycles

    @property
    def is_simulated(self):
        return self._step.execution.is_simulated

    @property
    def first_end(self):
        """The step ends with its slowest tile, so the fastest one is done that much earlier."""
        active = [cycles for cycles in self._step.cycles_by_tile(1, self._ipu) if cycles]
        return self.end - max(active) + min(active) if active else self.end

    @property
    def activeCycles(self):
        return ActiveCycles(self)

    allCycles = activeCycles

    @property
    def cyclesByTile(self):
        """Busy cycles of the tiles of this IPU."""
        return self._step.cycles_by_tile(self._step.executions, self._ipu)

    @property
    def activeTiles(self):
        return sum(1 for cycles in self.cyclesByTile if cycles)

    @property
    def activeTileBalance(self):
        """Mean cycles of the active tiles / cycles of the slowest tile, 0 to 1; 0 without active tiles."""
        active = [cycles for cycles in self.cyclesByTile if cycles]
        return sum(active) / len(active) / max(active) if active else 0.0

    @property
    def dataIn(self):
        """Bytes that its tiles receive in one execution."""
        return self._step.data("bytes_in_by_tile")[self._ipu]

    @property
    def dataOut(self):
        """Bytes that its tiles send in one execution."""
        return self._step.data("bytes_out_by_tile")[self._ipu]

    def __repr__(self):
        return "StepOnIpu(ipu=%d, cycles=%d)" % (self._ipu, self.cycles)


class ExecutedComputeSet:
    """The compute set of a step, and what it cost there."""

    def __init__(self, step, computeset):
        self._step, self._computeset = step, computeset

    @property
    def name(self):
        return self._computeset.name

    @property
    def vertices(self):
        return self._computeset.vertices

    @property
    def cyclesByTile(self):
        return self._step.cyclesByTile

    @property
    def estimatedCyclesByTile(self):
        return self._computeset.estimatedCyclesByTile

    def __repr__(self):
        return "ExecutedComputeSet(%r)" % self.name


class ExecutionStep:
    """One execution of a program, on all IPUs that take part."""

    __slots__ = ("execution", "_index")

    def __init__(self, execution, index):
        self.execution, self._index = execution, index

    @property
    def _members(self):
        slices = self.execution.slices
        return range(slices.firsts[self._index], slices.firsts[self._index + 1])

    @property
    def start(self):
        """The cycle in which it begins."""
        return self.execution.slices.starts[self._members[0]]

    @property
    def program(self):
        slices = self.execution.slices
        return self.execution.programs.by_id(slices.steps[slices.firsts[self._index]])

    @property
    def executions(self):
        """More than 1 if the simulator folded equal iterations of a loop: the cycles are of all of them."""
        slices = self.execution.slices
        return self.execution.profile(slices.profiles[slices.firsts[self._index]])[1]

    @property
    def cycles(self):
        """Of the slowest IPU."""
        return max(self.execution.slices.cycles[i] for i in self._members)

    def cycles_of(self, ipu):
        slices = self.execution.slices
        return max((slices.cycles[i] for i in self._members if slices.ipus[i] == ipu), default=0)

    @property
    def ipus(self):
        """One for each IPU of the machine."""
        return LazyList(self.execution.target.numIPUs, lambda ipu: StepOnIpu(self, ipu))

    @property
    def cyclesByTile(self):
        """Busy cycles of each tile."""
        return self.cycles_by_tile(self.executions, None)

    def cycles_by_tile(self, times, ipu):
        slices, tiles = self.execution.slices, self.execution.target.tilesPerIpu
        first, end = (0, self.execution.target.numTiles) if ipu is None else (ipu * tiles, (ipu + 1) * tiles)
        values = [0] * (end - first)
        for number in sorted({slices.profiles[i] for i in self._members if ipu is None or slices.ipus[i] == ipu}):
            at = 0
            for length, cycles in self.execution.cycles_of_profile(number).pieces(first, end):
                if cycles:
                    values[at:at + length] = [cycles * times] * length
                at += length
        return values

    @property
    def computeSets(self):
        """The compute set of the program in a list, which is empty for exchanges, copies and syncs."""
        program = self.program
        return [ExecutedComputeSet(self, program.computeset)] if hasattr(program, "computeset") else []

    def data(self, column):
        return self.execution.data_of_exchange(self.program._row[6], column)

    def __eq__(self, other):
        return isinstance(other, ExecutionStep) and self.execution is other.execution and self._index == other._index

    def __hash__(self):
        return hash(self._index)

    def __repr__(self):
        return "ExecutionStep(%r, cycles=%d)" % (self.program.name, self.cycles)


class Run:
    """One Engine::run."""

    def __init__(self, execution, row, number):
        self._execution, self._row, self._number = execution, row, number

    @property
    def name(self):
        return self._row[1]

    @property
    def cycles(self):
        return self._row[3]

    @property
    def cyclesFrom(self):
        return self._row[2]

    @property
    def cyclesTo(self):
        return self._row[2] + self._row[3]

    @property
    def microseconds(self):
        hertz = self._execution.target.clockFrequency
        if hertz <= 0:
            raise NotInReport("microseconds: the report does not say the clock of the machine")
        return Microseconds(self.cyclesFrom * 1e6 / hertz, self.cyclesTo * 1e6 / hertz)

    @lazy
    def steps(self):
        first, end = self._execution.steps_of_run(self._number)
        return LazyList(end - first, lambda i: ExecutionStep(self._execution, first + i))

    def __repr__(self):
        return "Run(%r, cycles=%d)" % (self.name, self.cycles)


class Block:
    """An execution of a Block that a tile timed."""

    def __init__(self, execution, tile, name, step, kind, start, cycles, executions):
        self._execution, self._tile, self._name, self._step = execution, tile, name, step
        self._kind, self._start, self._cycles, self._executions = kind, start, cycles, executions

    @property
    def tile(self):
        return self._tile

    @property
    def name(self):
        return self._execution.file.text(self._name)

    @property
    def program(self):
        """The Block or, in an implicit Block, the program; None for a scope of debug contexts, which has only a name."""
        return None if self._step < 0 else self._execution.programs.by_id(self._step)

    @property
    def cyclesFrom(self):
        return self._start

    @property
    def cyclesTo(self):
        return self._start + self._cycles

    @property
    def executions(self):
        return self._executions

    @property
    def isCommon(self):
        """A Block or a program in an implicit Block."""
        return self._kind < 2

    @property
    def isStreamCopy(self):
        return self.program is not None and self.program.type.name.startswith("StreamCopy")

    @property
    def isBlockFlush(self):
        """A copy of the full buffer to the host."""
        return self._kind == 2

    @property
    def isOverflow(self):
        """Executions that were lost because the buffer was full."""
        return self._kind == 3

    def __repr__(self):
        return "Block(%r, %d to %d)" % (self.name, self.cyclesFrom, self.cyclesTo)


class ExecutionReport:
    def __init__(self, file, target, graph, programs):
        self.file, self.target, self.graph, self.programs = file, target, graph, programs
        self._cycles_of_profile, self._data = {}, {}

    @property
    def is_simulated(self):
        return self.file.metadata.get("provenance") != "imported"

    @lazy
    def _profiles(self):
        """By id: program step, and executions that a slice stands for."""
        folded = self.file.has("step_profile.slice_executions")
        rows = self.file.rows("step_profile", "id:int program_step_id:int" + (" slice_executions:int?" if folded else ""))
        if any(not 0 <= row[1] < 1 << STEP_BITS for row in rows):
            raise self.file.damaged("table step_profile, column program_step_id: an impossible number")
        return {row[0]: (row[1], (row[2] if folded else None) or 1) for row in rows}

    def profile(self, number):
        return self._profiles[number]

    @lazy
    def slices(self):
        return Slices(self.file, self.target, {number: step for number, (step, _) in self._profiles.items()})

    def cycles_of_profile(self, number):
        kept = self._cycles_of_profile.get(number)
        if kept is None:
            kept = self._cycles_of_profile[number] = self.graph.profile_cycles(number)
        return kept

    def data_of_exchange(self, exchange, column):
        """Bytes of each IPU; 0 for steps without an exchange."""
        if exchange is None:
            return [0] * self.target.numIPUs
        kept = self._data.get((exchange, column))
        if kept is None:
            runs, tiles = self.graph.exchange_column(exchange, column, column), self.target.tilesPerIpu
            kept = [runs.sum(ipu * tiles, (ipu + 1) * tiles) for ipu in range(self.target.numIPUs)]
            self._data[exchange, column] = kept
        return kept

    @lazy
    def _run_rows(self):
        return self.file.by_id("run", "id:int name:text start_cycle:int cycles:int compute_cycles:int exchange_cycles:int"
                               " sync_cycles:int host_cycles:int idle_cycles:int")

    @lazy
    def runs(self):
        return [Run(self, row, i) for i, row in enumerate(self._run_rows)]

    def steps_of_run(self, number):
        starts = [row[2] for row in self._run_rows] + [1 << 63]
        firsts, begins = self.slices.firsts, self.slices.starts
        steps = _StartsOfSteps(firsts, begins)
        return bisect_left(steps, starts[number]), bisect_left(steps, starts[number + 1])

    @lazy
    def steps(self):
        """The steps of all runs."""
        return LazyList(len(self.slices.firsts) - 1, lambda i: ExecutionStep(self, i))

    @lazy
    def totalCycles(self):
        sums = [sum(column) for column in zip(*(row[3:] for row in self._run_rows))] or [0] * 6
        return TotalCycles(*sums)

    @lazy
    def _blocks(self):
        found = {}
        for tile, count, names, steps, kinds, starts, durations, executions in self.file.rows(
                "block_chunk", "tile:int records:int names:blob steps:blob kinds:blob starts:blob durations:blob executions:blob",
                "ORDER BY chunk"):
            if len(kinds) != count:
                raise self.file.damaged("a chunk of Blocks has an impossible size")
            found.setdefault(tile, []).extend(
                Block(self, tile, *record)
                for record in zip(varints(names, count, "block_chunk.names"), deltas(steps, count, "block_chunk.steps"), kinds,
                                  deltas(starts, count, "block_chunk.starts"), varints(durations, count, "block_chunk.durations"),
                                  varints(executions, count, "block_chunk.executions")))
        return found

    def blocks(self, tile):
        """The Blocks that this tile timed, in the order in which they ended."""
        return list(self._blocks.get(tile, ()))

    @property
    def tilesWithBlocks(self):
        return sorted(self._blocks)

    def __repr__(self):
        return "ExecutionReport(%d runs)" % len(self.runs)


class _StartsOfSteps:
    """The start of each step, to search in."""

    def __init__(self, firsts, starts):
        self._firsts, self._starts = firsts, starts

    def __len__(self):
        return len(self._firsts) - 1

    def __getitem__(self, index):
        return self._starts[self._firsts[index]]
