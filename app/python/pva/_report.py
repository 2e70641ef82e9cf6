"""openReport() and the two halves of a report."""

from ._compute import GraphParts
from ._debug import DebugContexts
from ._errors import NotInReport
from ._execution import ExecutionReport
from ._file import ReportFile
from ._liveness import Liveness
from ._memory import IPU, Memories, Tile
from ._objects import LazyList, lazy, set_print_length
from ._programs import Programs
from ._target import Graph, InstrumentationSettings, PoplarVersion, ProfileReportVersion, Target
from ._variables import LoweredVariables, Variables


class CompilationReport:
    """The facts that are known before the first run."""

    def __init__(self, file):
        self._file = file
        self._target = Target(file)
        self._contexts = DebugContexts(file)
        self._parts = GraphParts(file, self._target, self._contexts)
        self._variables = Variables(file, self._target, self._contexts)
        self._programs = Programs(file, self._parts, self._contexts, self._variables)
        self._contexts.programs = self._programs
        self._memories = Memories(file, self._target, self._parts, self._variables)
        self._liveness = Liveness(file, self._target, self._variables, self._programs)

    @property
    def target(self):
        return self._target

    @lazy
    def graph(self):
        return Graph(self._file)

    @lazy
    def tiles(self):
        return LazyList(self._target.numTiles, lambda i: Tile(self._memories, i))

    @lazy
    def ipus(self):
        return [IPU(self._memories, i) for i in range(self._target.numIPUs)]

    @property
    def computeSets(self):
        return self._parts.compute_sets

    @property
    def programs(self):
        """All programs in depth-first order, not only the roots."""
        return self._programs.all

    @lazy
    def controlPrograms(self):
        """The programs that the engine can run."""
        return [program for program in self.programs if program.kind == "ControlProgram"]

    @lazy
    def functionPrograms(self):
        return [program for program in self.programs if program.kind == "Function"]

    @lazy
    def livenessProgramSteps(self):
        """The steps of the program in depth-first order."""
        return self._liveness.steps()

    @lazy
    def tilesWithLivenessInfo(self):
        return list(range(self._target.numTiles)) if self._variables.lowered_count else []

    @lazy
    def variables(self):
        return LazyList(len(self._variables.rows), self._variables.variable)

    @lazy
    def alwaysLiveVariables(self):
        return self._liveness.always_live("all")

    def alwaysLiveVariablesForTile(self, tile):
        return self._liveness.always_live("tile.%d" % tile)

    @lazy
    def loweredVariables(self):
        return LoweredVariables(self._variables)

    @property
    def debugContexts(self):
        return self._contexts.all

    @lazy
    def engineOptions(self):
        return dict(self._file.rows("engine_option", "key:text value:text", "ORDER BY key"))

    @property
    def optimizationInfo(self):
        raise NotInReport("optimizationInfo: a report of Tilescope does not say what the passes of the compiler did")

    def __repr__(self):
        return "CompilationReport(%r)" % self._target


class Report:
    """A report of Tilescope under the names of libpva. Tables are read when a property asks for them."""

    def __init__(self, path):
        self._file = ReportFile(path)
        self._compilation = CompilationReport(self._file)
        self._contexts, self._programs = self._compilation._contexts, self._compilation._programs

    @property
    def compilation(self):
        return self._compilation

    @lazy
    def execution(self):
        return ExecutionReport(self._file, self._compilation.target, self._compilation._parts, self._programs)

    # The names before SDK 2.2.
    graphProfile = compilation
    executionProfile = execution

    @property
    def debugContexts(self):
        return self._contexts.all

    @lazy
    def instrumentationSettings(self):
        ran = bool(self._file.rows("step_profile", "id:int", "LIMIT 1"))
        level = "Tile" if ran else "Off"
        return InstrumentationSettings(InstrumentationSettings.ComputeInstrumentationLevel[level],
                                       InstrumentationSettings.ExternalExchangeInstrumentationLevel[level])

    @lazy
    def poplarVersion(self):
        return PoplarVersion(self._file.metadata)

    @lazy
    def version(self):
        return ProfileReportVersion(self._file.version, 0, 0, False)

    @property
    def metadata(self):
        """Facts about the report: title, command line, state, provenance and so on."""
        return dict(self._file.metadata)

    def listPrintLength(self, newLength):
        """Number of list elements that repr() shows."""
        set_print_length(newLength)

    def __repr__(self):
        return "Report(%r)" % self._file.path


def openReport(profileFilename, debugInfoFilename=None):
    """Opens a report. The debug file of the chip's tools is part of a report here, so the second name is not read."""
    return Report(profileFilename)
