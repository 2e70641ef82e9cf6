"""The steps of an execution, in order, and what each IPU did in them."""

from collections.abc import Sequence
from itertools import count

from ._errors import NotInReport
from ._objects import LazyList


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
    """When the simulated tiles of a step begin it: all at once."""

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
        """When the first tile that works in the step finishes."""
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
    """The part of one IPU in a step. An IPU without a part in the step has 0 cycles at the start of the step."""

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
        """When the fastest tile finishes: the step ends with its slowest tile, the fastest one is earlier by the difference."""
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
        """Bytes that the IPU's tiles receive in one execution."""
        return self._step.data("bytes_in_by_tile")[self._ipu]

    @property
    def dataOut(self):
        """Bytes that the IPU's tiles send in one execution."""
        return self._step.data("bytes_out_by_tile")[self._ipu]

    def __repr__(self):
        return "StepOnIpu(ipu=%d, cycles=%d)" % (self._ipu, self.cycles)


class ExecutedComputeSet:
    """The compute set of a step, and its cost there."""

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

    __slots__ = ("execution", "_slices", "_index")

    def __init__(self, execution, slices, index):
        self.execution, self._slices, self._index = execution, slices, index

    @property
    def _members(self):
        return range(self._slices.firsts[self._index], self._slices.firsts[self._index + 1])

    @property
    def start(self):
        """The cycle in which it begins."""
        return self._slices.start_of_step(self._index)

    @property
    def program(self):
        return self.execution.programs.by_id(self._slices.steps[self._slices.firsts[self._index]])

    @property
    def executions(self):
        """More than 1 if the simulator folded equal iterations of a loop; `cycles` then counts all of them."""
        return self.execution.profile(self._slices.profiles[self._slices.firsts[self._index]])[1]

    @property
    def cycles(self):
        """Cycles of the slowest IPU."""
        return max(self._slices.cycles[i] for i in self._members)

    def cycles_of(self, ipu):
        return max((self._slices.cycles[i] for i in self._members if self._slices.ipus[i] == ipu), default=0)

    @property
    def ipus(self):
        """One for each IPU of the machine."""
        return LazyList(self.execution.target.numIPUs, lambda ipu: StepOnIpu(self, ipu))

    @property
    def cyclesByTile(self):
        """Busy cycles of each tile."""
        return self.cycles_by_tile(self.executions, None)

    def cycles_by_tile(self, times, ipu):
        slices, tiles = self._slices, self.execution.target.tilesPerIpu
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


class StepList(Sequence):
    """The steps of all runs, or of one run. The first steps of a long execution are read without the others."""

    def __init__(self, execution, from_cycle, to_cycle):
        self._execution, self._from, self._to, self._bounds = execution, from_cycle, to_cycle, None

    def _all(self):
        if self._bounds is None:
            slices = self._execution.slices
            self._bounds = slices.first_step_from(self._from), slices.first_step_from(self._to)
        return self._bounds

    def __len__(self):
        first, end = self._all()
        return end - first

    def _early(self, index):
        """A step of the first run, if it exists."""
        slices = self._execution.slices_with(index)
        if index < slices.step_count and slices.start_of_step(index) < self._to:
            return ExecutionStep(self._execution, slices, index)
        return None

    def __getitem__(self, index):
        if isinstance(index, slice):
            start, stop, step = index.start or 0, index.stop, index.step or 1
            if not self._from and start >= 0 and step > 0 and stop is not None and stop > start and self._early(stop - 1):
                return [self._early(i) for i in range(start, stop, step)]
            return [self[i] for i in range(*index.indices(len(self)))]
        early = self._early(index) if index >= 0 and not self._from else None
        if early:
            return early
        size = len(self)
        if not -size <= index < size:
            raise IndexError("step %d of %d" % (index, size))
        return ExecutionStep(self._execution, self._execution.slices, self._all()[0] + index % size)

    def __iter__(self):
        if self._from:
            for i in range(*self._all()):
                yield ExecutionStep(self._execution, self._execution.slices, i)
            return
        for i in count():
            step = self._early(i)
            if step is None:
                return
            yield step

    def __repr__(self):
        return "StepList(%d steps)" % len(self)
