"""The lowered program: a tree of programs, and visitors for their kinds."""

import enum

from ._errors import NotInReport
from ._objects import LazyList, lazy
from ._packed import Runs

_KINDS = ("Sequence Repeat RepeatWhile If Switch Call Block OnTileExecute OnTileCopy DoExchange GlobalExchange StreamCopyBegin"
          " StreamCopyMid StreamCopyEnd Sync Sans SyncAns WriteUndef PrintTensor Abort AbortOnCondition ErrorProgram OnEveryTileSwitch"
          " SetLocalConsensusFromVar GetGlobalConsensus CrossReplicaCopy AssumeEqualAcrossReplicas AbstractSwitch Unknown").split()
_OTHER_NAMES = {"ControlProgram": "Sequence", "Function": "Sequence"}  # as the chip's tools name them

ProgramType = enum.Enum("Type", _KINDS, start=0, module=__name__, qualname="Program.Type")


class Program:
    """A step of the lowered program. `kind` is its kind in the report, `type` is as the chip's tools name it.

    A copy within tiles is an OnTileCopy; on the chip it is an OnTileExecute.
    """

    Type = ProgramType

    def __init__(self, programs, row):
        self._programs, self._row = programs, row

    @property
    def _id(self):
        return self._row[0]

    @property
    def type(self):
        return type_of(self._row[2])

    @property
    def kind(self):
        return self._row[2]

    @property
    def name(self):
        return self._programs.file.text(self._row[3])

    @property
    def debugContext(self):
        """The context that made the program; None for control programs."""
        return None if self._row[4] is None else self._programs.contexts.by_id(self._row[4])

    @lazy
    def children(self):
        ids = self._programs.children.get(self._id, ())
        return LazyList(len(ids), lambda i: self._programs.by_id(ids[i]))

    @property
    def parent(self):
        return None if self._row[1] is None else self._programs.by_id(self._row[1])

    @lazy
    def vars(self):
        """The lowered variables, on all tiles, of the variables that the program reads or writes."""
        return self._programs.variables.lowered_of_program(self._id)

    @property
    def controlCodeBytes(self):
        """Control code of the program over all tiles."""
        return self._row[10]

    @property
    def controlCodeByTile(self):
        """Bytes of control code of the program on each tile of the machine."""
        return self._programs.control_code(self._row[12] if len(self._row) > 12 else None, self._row[10])

    def accept(self, visitor):
        """Calls the visitor's function for this kind of program; children are not visited."""
        getattr(visitor, "visit" + self.type.name)(self)

    def __eq__(self, other):
        return isinstance(other, Program) and self._programs is other._programs and self._row[0] == other._row[0]

    def __hash__(self):
        return hash(self._row[0])

    def __repr__(self):
        return "%s(%r)" % (type(self).__name__, self.name)


class OnTileExecuteProgram(Program):
    @property
    def computeset(self):
        if self._row[5] is None:
            raise NotInReport("computeset: the report has no compute set for %r" % self.name)
        return self._programs.graph.compute_sets[self._row[5]]

    computeSet = computeset


class OnTileCopyProgram(OnTileExecuteProgram):
    """Some copies have no compute set in the report."""


class ExchangeProgram(Program):
    """A program with an exchange."""

    def _column(self, column, what):
        if self._row[6] is None:
            raise NotInReport("%s: the report has no exchange for %r" % (what, self.name))
        return self._programs.graph.exchange_column(self._row[6], column, what).expanded()

    @property
    def codeBytesByTile(self):
        """Bytes of exchange code."""
        return self._column("code_by_tile", "codeBytesByTile")

    @property
    def bytesReceivedByTile(self):
        return self._column("bytes_in_by_tile", "bytesReceivedByTile")

    @property
    def bytesSentByTile(self):
        return self._column("bytes_out_by_tile", "bytesSentByTile")

    @property
    def estimatedCyclesByTile(self):
        return self._programs.graph.cycles_by_tile(self._id, "estimatedCyclesByTile")


class RepeatProgram(Program):
    @property
    def count(self):
        """Iterations."""
        return self._row[7]


class CallProgram(Program):
    @property
    def target(self):
        """The function that is called."""
        return self._programs.by_id(self._row[8])


_CLASSES = {"OnTileExecute": OnTileExecuteProgram, "OnTileCopy": OnTileCopyProgram, "Repeat": RepeatProgram, "Call": CallProgram}
for _kind in _KINDS:
    setattr(Program, _kind, ProgramType[_kind])
    if _kind in ("DoExchange", "GlobalExchange", "StreamCopyBegin", "StreamCopyMid", "StreamCopyEnd"):
        _CLASSES[_kind] = type(_kind + "Program", (ExchangeProgram,), {"__module__": __name__})
    elif _kind not in _CLASSES:
        _CLASSES[_kind] = type(_kind + "Program", (Program,), {"__module__": __name__})
CLASSES = {cls.__name__: cls for cls in _CLASSES.values()}


def type_of(kind):
    return ProgramType.__members__.get(_OTHER_NAMES.get(kind, kind), ProgramType.Unknown)


class ProgramVisitor:
    """Derive from it and define the functions of the kinds of programs to look at: visitOnTileExecute(self, program) and so on."""


for _kind in _KINDS:
    setattr(ProgramVisitor, "visit" + _kind, lambda self, program: None)


class Programs:
    """All programs of a report, by id."""

    def __init__(self, file, graph, contexts, variables):
        self.file, self.graph, self.contexts, self.variables = file, graph, contexts, variables
        self._made = {}

    @lazy
    def rows(self):
        rows = self.file.by_id("program_step", "id:int parent_id:int? kind:text name_id:int debug_context_id:int?"
                               " compute_set_id:int? exchange_id:int? repeat_count:int? callee_id:int? liveness_step:int? code_bytes:int position:int"
                               + (" control_code_id:int?" if self.file.has("program_step.control_code_id") else ""))
        sets = len(self.graph.compute_sets)
        for row in rows:
            if row[1] is not None and not 0 <= row[1] < row[0]:
                raise self.file.damaged("program step %d has a parent that is not before it" % row[0])
            if row[5] is not None and not 0 <= row[5] < sets:
                raise self.file.damaged("program step %d has a compute set that is missing" % row[0])
        return rows

    @lazy
    def _control_codes(self):
        """By id; runs, because many programs share them."""
        tiles = self.graph.target.numTiles
        return [Runs(blob, tiles, "control_code.by_tile") for _, blob in self.file.by_id("control_code", "id:int by_tile:blob")]

    def control_code(self, number, total):
        if number is None:
            if total:
                raise NotInReport("controlCodeByTile: the report has the control code of a program over all tiles (controlCodeBytes) "
                                  "only: it is of an older version of Tilescope, or imported")
            return [0] * self.graph.target.numTiles
        if not 0 <= number < len(self._control_codes):
            raise self.file.damaged("control code %d is missing" % number)
        return self._control_codes[number].expanded()

    @lazy
    def children(self):
        found = {}
        for row in self.rows:
            if row[1] is not None:
                found.setdefault(row[1], []).append((row[11], row[0]))
        return {parent: [number for _, number in sorted(pairs)] for parent, pairs in found.items()}

    def by_id(self, number):
        made = self._made.get(number)
        if made is None:
            if number is None or not 0 <= number < len(self.rows):
                raise self.file.damaged("program step %r is missing" % number)
            row = self.rows[number]
            made = self._made[number] = _CLASSES[type_of(row[2]).name](self, row)
        return made

    @lazy
    def all(self):
        return LazyList(len(self.rows), self.by_id)
