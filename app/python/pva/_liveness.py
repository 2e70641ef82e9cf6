"""The variables that are live at each step of the program."""

from ._errors import NotInReport
from ._objects import lazy
from ._packed import deltas


class LivenessMemory:
    """The memory of variables that are not always live, at a step: on all tiles, an IPU or a tile."""

    def __init__(self, liveness, scope, step):
        self._liveness, self._scope, self._step = liveness, scope, step

    @property
    def bytes(self):
        return self._liveness.curve(self._scope)[self._step]

    @lazy
    def variables(self):
        """The variables, largest first. `size` counts only the bytes on these tiles."""
        return self._liveness.alive(self._scope, self._step)

    def __repr__(self):
        return "LivenessMemory(bytes=%d)" % self.bytes


class LivenessProgramStep:
    """A step of the program, in depth-first order."""

    def __init__(self, liveness, ordinal, program):
        self._liveness, self._ordinal, self._program = liveness, ordinal, program

    @property
    def program(self):
        return self._liveness.programs.by_id(self._program)

    @property
    def notAlwaysLiveMemory(self):
        return LivenessMemory(self._liveness, "all", self._ordinal)

    def notAlwaysLiveMemoryForTile(self, tile):
        return LivenessMemory(self._liveness, "tile.%d" % tile, self._ordinal)

    def notAlwaysLiveMemoryForIpu(self, ipu):
        return LivenessMemory(self._liveness, "ipu.%d" % ipu, self._ordinal)

    def __repr__(self):
        return "LivenessProgramStep(%d, %r)" % (self._ordinal, self.program.name)


class Liveness:
    def __init__(self, file, target, variables, programs):
        self.file, self.target, self.variables, self.programs = file, target, variables, programs
        self._curves, self._sizes = {}, {}

    def steps(self):
        rows = self.file.rows("liveness_step", "ordinal:int program_step_id:int", "ORDER BY ordinal")
        if any(row[0] != i for i, row in enumerate(rows)):
            raise self.file.damaged("the ordinals of table liveness_step have gaps")
        return [LivenessProgramStep(self, *row) for row in rows]

    def curve(self, scope):
        kept = self._curves.get(scope)
        if kept is None:
            kept = self._curves[scope] = self._read_curve(scope)
        return kept

    def _read_curve(self, scope):
        rows = self.file.rows("liveness_curve", "steps:int not_always_live_bytes:blob", "WHERE scope = ?", (scope,))
        if rows:
            if rows[0][0] != self.variables.step_count:
                raise self.file.damaged("a liveness curve and the program have different numbers of steps")
            return deltas(rows[0][1], rows[0][0], "liveness_curve.not_always_live_bytes")
        if scope.startswith("tile.") and self.variables.lowered_count:
            return self._curve_of_tile(int(scope[5:]))
        if scope.startswith("ipu.") and self.target.numIPUs == 1 and scope == "ipu.0":
            return self.curve("all")
        raise NotInReport("notAlwaysLiveMemory: the report has no liveness of %s" % scope)

    def _curve_of_tile(self, tile):
        self.variables.numbers_of_tile(tile)
        change = [0] * (self.variables.step_count + 1)
        ids, _, sizes, _ = self.variables.tile(tile)
        for number, size in zip(ids, sizes):
            if self.variables.rows[number][4]:
                continue
            flat = self.variables.intervals(number)
            if flat and flat[-1] >= len(change):
                raise self.file.damaged("variable %d is alive after the last step" % number)
            for first, end in zip(flat[::2], flat[1::2]):
                change[first] += size
                change[end] -= size
        curve, alive = [], 0
        for step in change[:-1]:
            alive += step
            curve.append(alive)
        return curve

    def _sizes_in(self, scope):
        """Bytes of each variable in the tiles of a scope; None for all tiles."""
        if scope == "all" or (scope == "ipu.0" and self.target.numIPUs == 1):
            return None
        kept = self._sizes.get(scope)
        if kept is None:
            first = int(scope.split(".")[1])
            tiles = (first,)
            if scope.startswith("ipu."):
                if not 0 <= first < self.target.numIPUs:
                    raise IndexError("IPU %d of %d" % (first, self.target.numIPUs))
                tiles = range(first * self.target.tilesPerIpu, (first + 1) * self.target.tilesPerIpu)
            kept = {}
            for tile in tiles:
                self.variables.numbers_of_tile(tile)
                ids, _, sizes, _ = self.variables.tile(tile)
                for number, size in zip(ids, sizes):
                    kept[number] = kept.get(number, 0) + size
            self._sizes[scope] = kept
        return kept

    def alive(self, scope, step):
        sizes = self._sizes_in(scope)
        numbers = range(len(self.variables.rows)) if sizes is None else sizes
        found = [self.variables.variable(number, None if sizes is None else sizes[number])
                 for number in numbers if self.variables.is_live(number, step)]
        return sorted(found, key=lambda var: -var.size)

    def always_live(self, scope):
        sizes = self._sizes_in(scope)
        numbers = range(len(self.variables.rows)) if sizes is None else sorted(sizes)
        return [self.variables.variable(number, None if sizes is None else sizes[number])
                for number in numbers if self.variables.rows[number][4]]
