"""The machine of a report, versions, and options."""

import enum
import re

from ._errors import NotInReport, ReportError
from ._objects import Facts, lazy


class Architecture(enum.Enum):
    Ipu1 = 0
    Ipu2 = 1
    Ipu21 = 2
    Unknown = 3


class TargetType(enum.Enum):
    Unknown = 0
    Cpu = 1
    Ipu = 2
    IpuModel = 3


_ARCHITECTURES = {"gc2": Architecture.Ipu1, "gc200": Architecture.Ipu2, "bow": Architecture.Ipu21, "c600": Architecture.Ipu21}


class PoplarVersion:
    """The version of the program that made the report, instead of a version of Poplar."""

    def __init__(self, metadata):
        self._tool = metadata.get("tool", "")
        self._version = metadata.get("tool_version", "")

    def _part(self, i):
        parts = re.findall(r"\d+", self._version)
        return int(parts[i]) if i < len(parts) else 0

    @property
    def string(self):
        return "%s (%s)" % (self._version, self._tool)

    @property
    def major(self):
        return self._part(0)

    @property
    def minor(self):
        return self._part(1)

    @property
    def point(self):
        return self._part(2)

    @property
    def packageHash(self):
        """Empty: reports do not say from which commit the program was built."""
        return ""

    def __repr__(self):
        return "PoplarVersion(%r)" % self.string


class ProfileReportVersion(Facts):
    """The version of the report's schema."""

    _names = ("major", "minor", "point", "isUnstableFormat")


class InstrumentationSettings(Facts):
    class ComputeInstrumentationLevel(enum.Enum):
        Off = 0
        Vertex = 1
        Tile = 2
        Ipu = 3
        Device = 4
        Unknown = 5

    class ExternalExchangeInstrumentationLevel(enum.Enum):
        Off = 0
        Tile = 1
        Unknown = 2

    _names = ("compute", "externalExchange")


for _level in InstrumentationSettings.ComputeInstrumentationLevel:
    setattr(InstrumentationSettings, _level.name, _level)


class Graph:
    """Counts of the graph."""

    def __init__(self, file):
        self._file = file

    def _count(self, key, table, column):
        if self._file.metadata.get("provenance") == "imported":
            said = self._file.metadata.get("graph." + key)
            if said is not None and said.isdigit():
                return int(said)
            if key in ("edges", "variables") and not self._counted(table, column):
                raise NotInReport("the imported profile does not say the number of %s" % key)
        return self._counted(table, column)

    def _counted(self, table, column):
        return sum(row[0] for row in self._file.rows(table, column + ":int"))

    @lazy
    def numVertices(self):
        return self._count("vertices", "compute_set", "vertices")

    @lazy
    def numEdges(self):
        return self._count("edges", "compute_set", "edges")

    @lazy
    def numVars(self):
        if self._file.metadata.get("provenance") == "imported" and "graph.variables" in self._file.metadata:
            return int(self._file.metadata["graph.variables"])
        return len(self._file.rows("variable", "id:int"))

    @lazy
    def numComputeSets(self):
        said = self._file.metadata.get("graph.compute_sets", "")
        return int(said) if said.isdigit() else len(self._file.rows("compute_set", "id:int"))

    def __repr__(self):
        return "Graph(numVertices=%d, numComputeSets=%d)" % (self.numVertices, self.numComputeSets)


class Target:
    """The machine."""

    Type = TargetType

    def __init__(self, file):
        rows = file.rows("machine", "architecture:text ipus:int tiles_per_ipu:int memory_per_tile_bytes:int"
                                    " interleaved_start_bytes:int clock_hz:int name:text io_tiles:int")
        if not rows:
            raise ReportError("%s: a trace of a host, without a machine: open it with pva.openTrace()" % file.path)
        if len(rows) != 1 or rows[0][1] < 0 or rows[0][2] < 0 or rows[0][1] * rows[0][2] > 1 << 22:
            raise file.damaged("table machine does not describe one machine")
        self._row = rows[0]
        self._imported = file.metadata.get("provenance") == "imported"
        replicas = file.metadata.get("replicas", "1")
        self._replicas = int(replicas) if replicas.isdigit() else 1

    @property
    def architecture(self):
        return _ARCHITECTURES.get(self._row[0], Architecture.Unknown)

    @property
    def type(self):
        return TargetType.Unknown if self._imported else TargetType.IpuModel

    @property
    def numIPUs(self):
        return self._row[1]

    @property
    def numReplicas(self):
        return self._replicas

    @property
    def tilesPerIpu(self):
        return self._row[2]

    @property
    def numTiles(self):
        return self._row[1] * self._row[2]

    @property
    def bytesPerTile(self):
        return self._row[3]

    @property
    def bytesPerIPU(self):
        return self._row[3] * self._row[2]

    @property
    def totalMemory(self):
        return self.bytesPerIPU * self.numIPUs

    @property
    def interleavedMemoryStart(self):
        """The offset in a tile at which interleaved memory begins."""
        return self._row[4]

    @property
    def clockFrequency(self):
        """Hertz of the tile clock."""
        return self._row[5]

    @property
    def numIOTiles(self):
        return self._row[7]

    @property
    def machine(self):
        """The name that tilescope-cli gives the machine."""
        return self._row[6]

    @property
    def relativeSyncDelayByTile(self):
        raise NotInReport("relativeSyncDelayByTile: a report of Tilescope has no sync delays by tile")

    @property
    def minSyncDelay(self):
        raise NotInReport("minSyncDelay: a report of Tilescope has no sync delays by tile")

    def __repr__(self):
        return "Target(%s, %d IPUs of %d tiles)" % (self.machine, self.numIPUs, self.tilesPerIpu)
