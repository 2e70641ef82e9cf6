"""The names of Graphcore's libpva, so that scripts written for it read Tilescope's reports unchanged.

    import pva

    report = pva.openReport("profile.pop")  # a report of Tilescope under any name
    print(report.compilation.graph.numComputeSets, report.execution.totalCycles.total)

Only names and their documented meaning are shared. A number that the report does not have raises pva.NotInReport, which names it.
Needs nothing but Python 3.9. The page python-pva.md of the help lists what is there.
"""

from ._compute import ComputeSet, VertexInstances, VertexType  # noqa: F401
from ._debug import DebugContext, Operation, OperationAnalysis, SourceLocation  # noqa: F401
from ._errors import NotInReport, ReportError  # noqa: F401
from ._execution import Block, ExecutionReport, Run, TotalCycles  # noqa: F401
from ._liveness import LivenessMemory, LivenessProgramStep  # noqa: F401
from ._memory import IPU, MemoryByCategory, MemoryCategory, MemoryRegion, MemoryTotal, Tile, TileMemory, TileVertex  # noqa: F401
from ._programs import CLASSES as _PROGRAM_CLASSES
from ._programs import Program, ProgramVisitor  # noqa: F401
from ._report import CompilationReport, Report, openReport  # noqa: F401
from ._steps import ActiveCycles, ExecutionStep, StepList, StepOnIpu  # noqa: F401
from ._target import Graph, InstrumentationSettings, PoplarVersion, ProfileReportVersion, Target  # noqa: F401
from ._trace import Event, Process, Thread, Trace, openTrace  # noqa: F401
from ._variables import EquivalenceClass, Interval, LoweredVariable, LoweredVariables, Var  # noqa: F401

globals().update(_PROGRAM_CLASSES)

from . import pva_core  # noqa: E402,F401
