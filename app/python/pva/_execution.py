"""The execution: the runs, and the Blocks that tiles timed."""

from ._errors import NotInReport
from ._objects import Facts, lazy
from ._packed import deltas, varints
from ._slices import STEP_BITS, Slices
from ._steps import StepList

_LONG = 400000  # number of slices from which on the first steps are read separately
_WINDOW = 50000  # slices that are read first, if slices are spread evenly


class Microseconds(Facts):
    """Microseconds on the device's clock, from its first cycle."""

    _names = ("start", "end")


class TotalCycles(Facts):
    """Cycles of all runs. The parts are those of the IPU that takes longest, and sum to the total."""

    _names = ("total", "compute", "exchange", "sync", "host", "idle")


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
        return self._execution.steps_of_run(self._number)

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
        self._known, self._until = None, None  # the slices read so far, and the cycle from which on slices are not read yet

    @property
    def is_simulated(self):
        return self.file.metadata.get("provenance") != "imported"

    @lazy
    def _profiles(self):
        """By profile id: the program step, and the executions per slice."""
        folded = self.file.has("step_profile.slice_executions")
        rows = self.file.rows("step_profile", "id:int program_step_id:int" + (" slice_executions:int?" if folded else ""))
        if any(not 0 <= row[1] < 1 << STEP_BITS for row in rows):
            raise self.file.damaged("table step_profile, column program_step_id: an impossible number")
        return {row[0]: (row[1], (row[2] if folded else None) or 1) for row in rows}

    def profile(self, number):
        return self._profiles[number]

    @lazy
    def _step_of_profile(self):
        return {number: step for number, (step, _) in self._profiles.items()}

    @lazy
    def slices(self):
        """All slices."""
        self._known, self._until = Slices(self.file, self.target, self._step_of_profile), None
        return self._known

    @lazy
    def _extent(self):
        """The number of slices and the last cycle, over all IPUs."""
        rows = self.file.rows("track", "slices:int end_tick:int", "WHERE kind IN ('ipu', 'ipu_io')")
        return sum(row[0] for row in rows), max((row[1] for row in rows), default=0)

    def slices_with(self, index):
        """Slices that include the step of this number, perhaps without later ones. All slices if the step does not exist."""
        slices, end = self._extent
        if self._known is None and slices > _LONG:
            self._until = max(1, end * _WINDOW // slices)
            self._known = Slices(self.file, self.target, self._step_of_profile, self._until)
        while self._until is not None and index >= self._known.step_count:
            self._until *= 4
            if self._until * 4 > end:
                return self.slices
            self._known = Slices(self.file, self.target, self._step_of_profile, self._until)
        return self.slices if self._until is None else self._known

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
        """The steps that begin before the next run."""
        starts = [row[2] for row in self._run_rows[1:]] + [1 << 62]
        return StepList(self, self._run_rows[number][2] if number else 0, starts[number])

    @lazy
    def steps(self):
        """The steps of all runs."""
        return StepList(self, 0, 1 << 62)

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
