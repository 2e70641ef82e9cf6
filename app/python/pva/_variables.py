"""Variables, their addresses on tiles, and when they are alive."""

from array import array
from bisect import bisect_right
from itertools import accumulate

from ._errors import NotInReport
from ._objects import Facts, LazyList, lazy
from ._packed import deltas, varints

CATEGORIES = ("variable constant vertexCode internalExchangeCode controlCode vertexInstanceState stack message vertexFieldData"
              " copyDescriptor vectorListDescriptor controlTable controlId hostExchangeCode hostExchangePacketHeader hostMessage"
              " globalExchangeCode globalExchangePacketHeader globalMessage instrumentationResults rearrangement sharedCodeStorage"
              " sharedDataStorage").split()


class Interval(Facts):
    """Liveness steps [start, end)."""

    _names = ("start", "end")


class EquivalenceClass:
    """Variables that are alive at the same steps."""

    def __init__(self, variables, number, variable):
        self._variables, self._number, self._variable = variables, number, variable

    @property
    def id(self):
        return self._number

    @property
    def steps(self):
        flat = self._variables.intervals(self._variable)
        return [Interval(*pair) for pair in zip(flat[::2], flat[1::2])]

    def __repr__(self):
        return "EquivalenceClass(%d)" % self._number


class Var:
    """A variable of the graph. `size` is in bytes: over all tiles, or over the tiles of the list that it comes from."""

    def __init__(self, variables, number, size=None):
        self._variables, self._number, self._size = variables, number, size

    @property
    def _row(self):
        return self._variables.rows[self._number]

    @property
    def _id(self):
        return self._number

    @property
    def name(self):
        return self._variables.file.text(self._row[1])

    @property
    def size(self):
        return self._row[3] if self._size is None else self._size

    bytes = size

    @property
    def category(self):
        """A storage category of Poplar such as vertexCode."""
        return category_name(self._row[2])

    @property
    def alwaysLive(self):
        return bool(self._row[4])

    @property
    def elementType(self):
        return self._row[7]

    @property
    def shape(self):
        return [int(part) for part in self._row[8].split("x") if part.isdigit()]

    @property
    def tiles(self):
        """Number of tiles that hold a part of the variable."""
        return self._row[9]

    @property
    def debugContext(self):
        return None if self._row[10] is None else self._variables.contexts.by_id(self._row[10])

    @property
    def equivalenceClass(self):
        return self._variables.class_of(self._number)

    def __eq__(self, other):
        return isinstance(other, Var) and self._variables is other._variables and self._number == other._number

    def __hash__(self):
        return hash(self._number)

    def __repr__(self):
        return "Var(%r, size=%d)" % (self.name, self.size)


class LoweredVariable:
    """The part of a variable on one tile."""

    def __init__(self, variables, number):
        self._variables, self._number = variables, number

    @lazy
    def _place(self):
        return self._variables.place(self._number)

    @property
    def _id(self):
        return self._number

    id = _id

    @property
    def tileId(self):
        return self._variables.tile_of(self._number)

    tile = tileId

    @property
    def name(self):
        return self.unloweredVar.name

    @property
    def bytes(self):
        return self._place[2]

    size = bytes

    @property
    def offset(self):
        """The address in the tile."""
        return self._place[1]

    @property
    def ownBytes(self):
        """Bytes that the variable adds to the tile: without those shared with variables at lower addresses, which are never alive at the same
        time."""
        return self._place[3]

    @property
    def category(self):
        return self.unloweredVar.category

    @property
    def alwaysLive(self):
        return self.unloweredVar.alwaysLive

    @property
    def hasUnloweredVar(self):
        return True

    @property
    def unloweredVar(self):
        return self._variables.variable(self._place[0])

    @property
    def equivalenceClass(self):
        return self._variables.class_of(self._place[0])

    def __eq__(self, other):
        return isinstance(other, LoweredVariable) and self._variables is other._variables and self._number == other._number

    def __hash__(self):
        return hash(self._number)

    def __repr__(self):
        return "LoweredVariable(%r, tileId=%d, offset=%d, bytes=%d)" % (self.name, self.tileId, self.offset, self.bytes)


class LoweredVariables:
    def __init__(self, variables):
        self._variables = variables

    @lazy
    def allBriefVars(self):
        return LazyList(self._variables.lowered_count, lambda i: LoweredVariable(self._variables, i))

    def forTile(self, tile):
        """The lowered variables of a tile, in the order of their addresses."""
        first, end = self._variables.numbers_of_tile(tile)
        return LazyList(end - first, lambda i: LoweredVariable(self._variables, first + i))

    def __repr__(self):
        return "LoweredVariables(%d)" % self._variables.lowered_count


def category_name(number):
    return CATEGORIES[number] if 0 <= number < len(CATEGORIES) else "unknown"


class Variables:
    """Reads the tables of variables. A tile is decoded when it is first needed."""

    _most_kept = 512  # decoded tiles

    def __init__(self, file, target, contexts):
        self.file, self.target, self.contexts = file, target, contexts
        self._tiles, self._intervals, self._classes = {}, {}, {}

    @lazy
    def rows(self):
        return self.file.by_id("variable", "id:int name_id:int category:int total_bytes:int always_live:int live_intervals:blob"
                               " live_interval_count:int element_type:text shape:text tiles:int debug_context_id:int?")

    def variable(self, number, size=None):
        if not 0 <= number < len(self.rows):
            raise self.file.damaged("variable %d is missing" % number)
        return Var(self, number, size)

    def intervals(self, number):
        """Flat: first, end, first, end ... of liveness steps."""
        flat = self._intervals.get(number)
        if flat is None:
            row = self.rows[number]
            flat = [0, self.step_count] if row[4] else deltas(row[5], 2 * row[6], "variable.live_intervals")
            if any(a > b for a, b in zip(flat, flat[1:])):
                raise self.file.damaged("the live intervals of variable %d are not in order" % number)
            self._intervals[number] = flat
        return flat

    @lazy
    def step_count(self):
        return len(self.file.rows("liveness_step", "ordinal:int"))

    def class_of(self, number):
        row = self.rows[number]
        key = None if row[4] else row[5]
        return EquivalenceClass(self, self._classes.setdefault(key, len(self._classes)), number)

    def is_live(self, number, step):
        return not self.rows[number][4] and bisect_right(self.intervals(number), step) % 2 == 1

    # Lowered variables are numbered by tile and, within it, by address.

    @lazy
    def _ends(self):
        counts = [0] * self.target.numTiles
        for tile, lowered in self.file.rows("tile_variables", "tile:int lowered:int"):
            if not 0 <= tile < len(counts) or lowered < 0:
                raise self.file.damaged("table tile_variables names a tile that the machine does not have")
            counts[tile] = lowered
        return list(accumulate(counts))

    @property
    def lowered_count(self):
        return self._ends[-1] if self._ends else 0

    def numbers_of_tile(self, tile):
        if not 0 <= tile < self.target.numTiles:
            raise IndexError("tile %d of %d" % (tile, self.target.numTiles))
        return self._ends[tile - 1] if tile else 0, self._ends[tile]

    def tile_of(self, lowered):
        return bisect_right(self._ends, lowered)

    def place(self, lowered):
        """Variable, address, size and own bytes of a lowered variable."""
        tile = self.tile_of(lowered)
        at = lowered - self.numbers_of_tile(tile)[0]
        return tuple(column[at] for column in self.tile(tile))

    def tile(self, tile):
        """Columns of a tile in address order: variables, addresses, sizes, own bytes."""
        kept = self._tiles.get(tile)
        if kept is None:
            rows = self.file.rows("tile_variables", "lowered:int variables:blob addresses:blob sizes:blob own_bytes:blob",
                                  "WHERE tile = ?", (tile,))
            kept = self._decoded(rows[0]) if rows else ([], [], [], [])
            if len(self._tiles) >= self._most_kept:
                self._tiles.clear()
            self._tiles[tile] = kept
        return kept

    def _decoded(self, row):
        count = row[0]
        columns = (deltas(row[1], count, "tile_variables.variables"), deltas(row[2], count, "tile_variables.addresses"),
                   varints(row[3], count, "tile_variables.sizes"), varints(row[4], count, "tile_variables.own_bytes"))
        if columns[0] and not (0 <= min(columns[0]) and max(columns[0]) < len(self.rows)):
            raise self.file.damaged("table tile_variables names a variable that is missing")
        return columns

    @lazy
    def _lowered_of_variable(self):
        found, at = {}, 0
        for tile, lowered, blob in self.file.rows("tile_variables", "tile:int lowered:int variables:blob", "ORDER BY tile"):
            at = self.numbers_of_tile(tile)[0]
            for number in deltas(blob, lowered, "tile_variables.variables"):
                if number not in found:
                    found[number] = array("q")
                found[number].append(at)
                at += 1
        return found

    @lazy
    def _variables_of_step(self):
        found = {}
        for step, reads, read, writes, written in self.file.rows(
                "step_variables", "program_step_id:int read_count:int reads:blob written_count:int writes:blob"):
            numbers = set(deltas(read, reads, "step_variables.reads")) | set(deltas(written, writes, "step_variables.writes"))
            found[step] = sorted(numbers)
        return found

    def variables_of_program(self, step):
        if not self.file.has("step_variables"):
            raise NotInReport("vars: reports of schema version 2 and older do not say which variables a program uses")
        return self._variables_of_step.get(step, [])

    def lowered_of_program(self, step):
        return self.lowered_of(self.variables_of_program(step))

    def lowered_of(self, numbers):
        lowered = [i for number in numbers for i in self._lowered_of_variable.get(number, ())]
        return LazyList(len(lowered), lambda i: LoweredVariable(self, lowered[i]))
