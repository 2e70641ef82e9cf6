"""Tile memory: totals, categories, regions and the vertices of a tile."""

from ._errors import NotInReport
from ._objects import Facts, LazyList, lazy
from ._packed import runs
from ._target import Architecture
from ._variables import CATEGORIES, category_name

_REGIONS = ("nonInterleaved", "interleaved", "overflowed")


class MemoryTotal(Facts):
    """Bytes of a tile."""

    _names = ("excludingGaps", "includingGaps")


class MemoryRegion(Facts):
    """Bytes in a region of tile memory. `overlapped` bytes share memory with variables that are never alive at the same time."""

    _names = ("nonOverlapped", "overlapped")

    @property
    def total(self):
        return self.nonOverlapped


class MemoryCategory:
    """Bytes of a storage category on a tile."""

    def __init__(self, memory, name):
        self._memory, self._name = memory, name

    @property
    def total(self):
        return self._memory.value("memory.category." + self._name)

    @property
    def nonInterleaved(self):
        return self._memory.region(self._name, 0)

    @property
    def interleaved(self):
        return self._memory.region(self._name, 1)

    @property
    def overflowed(self):
        """Bytes beyond the end of tile memory."""
        return self._memory.region(self._name, 2)

    def __repr__(self):
        return "MemoryCategory(total=%d)" % self.total


class MemoryByCategory:
    """One MemoryCategory for each storage category of Poplar."""

    def __init__(self, memory):
        self._memory = memory

    def __repr__(self):
        return "MemoryByCategory(%s)" % ", ".join("%s=%d" % (name, getattr(self, name).total) for name in CATEGORIES)


for _name in CATEGORIES:
    setattr(MemoryByCategory, _name, property(lambda self, name=_name: MemoryCategory(self._memory, name)))


class TileVertex:
    """The vertices of one type on a tile."""

    def __init__(self, vertex_type, count):
        self._type, self._count = vertex_type, count

    @property
    def type(self):
        return self._type

    @property
    def count(self):
        return self._count

    @property
    def codeBytes(self):
        """Bytes of the type's code, which is on the tile once."""
        return self._type.codeBytes

    @property
    def vertexDataBytes(self):
        return self._count * self._type.size

    @property
    def descriptorBytes(self):
        raise NotInReport("descriptorBytes: the report has descriptors by compute set, not by tile and vertex type")

    def __repr__(self):
        return "TileVertex(%r, count=%d)" % (self._type.name, self._count)


class TileMemory:
    def __init__(self, memories, tile):
        self._memories, self._tile = memories, tile

    def value(self, series):
        return self._memories.series(series)[self._tile]

    def region(self, category, index):
        return self._memories.regions(self._tile)[category][index]

    @property
    def total(self):
        return MemoryTotal(self.value("memory.total"), self.value("memory.total_with_gaps"))

    @property
    def gaps(self):
        """Bytes of gaps between variables."""
        return self.value("memory.total_with_gaps") - self.value("memory.total")

    @property
    def alwaysLiveBytes(self):
        return self.value("memory.always_live")

    @property
    def notAlwaysLiveBytes(self):
        """The maximum over all steps."""
        return self.value("memory.peak_not_always_live")

    @property
    def nonInterleaved(self):
        return self.value("memory.region.non_interleaved")

    @property
    def interleaved(self):
        return self.value("memory.region.interleaved")

    @property
    def overflowed(self):
        return self.value("memory.overflow")

    @property
    def category(self):
        return MemoryByCategory(self)

    @property
    def vertices(self):
        """The vertex types on the tile."""
        return self._memories.vertices(self._tile)

    def __repr__(self):
        return "TileMemory(%d bytes)" % self.total.includingGaps


class Tile:
    def __init__(self, memories, tile):
        self._memories, self._tile = memories, tile

    @property
    def id(self):
        return self._tile

    @property
    def memory(self):
        return TileMemory(self._memories, self._tile)

    def __repr__(self):
        return "Tile(%d)" % self._tile


class IPU:
    Architecture = Architecture

    def __init__(self, memories, ipu):
        self._memories, self._ipu = memories, ipu

    @property
    def id(self):
        return self._ipu

    @lazy
    def tiles(self):
        tiles = self._memories.target.tilesPerIpu
        return LazyList(tiles, lambda i: Tile(self._memories, self._ipu * tiles + i))

    def __repr__(self):
        return "IPU(%d)" % self._ipu


class Memories:
    """Reads the numbers of tiles."""

    def __init__(self, file, target, graph, variables):
        self.file, self.target, self.graph, self.variables = file, target, graph, variables
        self._series, self._regions = {}, {}

    def series(self, name):
        kept = self._series.get(name)
        if kept is None:
            rows = self.file.rows("tile_series", "tiles:int by_tile:blob", "WHERE name = ?", (name,))
            if not rows:
                raise NotInReport("the report has no %s of tiles" % name)
            if rows[0][0] != self.target.numTiles:
                raise self.file.damaged("table tile_series, %s: the number of tiles is not that of the machine" % name)
            kept = self._series[name] = runs(rows[0][1], rows[0][0], "tile_series.by_tile")
        return kept

    def regions(self, tile):
        """Of a tile, for each category its three MemoryRegions."""
        if tile not in self._regions:
            if not self.variables.lowered_count:
                raise NotInReport("regions of a category: the report does not say where variables are on the tiles")
            self._regions.clear()
            self._regions[tile] = self._count_regions(tile)
        return self._regions[tile]

    def _count_regions(self, tile):
        bounds = (0, self.target.interleavedMemoryStart, self.target.bytesPerTile, 1 << 62)
        sums = {name: [[0, 0] for _ in _REGIONS] for name in CATEGORIES + ["unknown"]}
        for number, address, size, own in zip(*self.variables.tile(tile)):
            parts = sums[category_name(self.variables.rows[number][2])]
            for i in range(3):
                inside = min(address + size, bounds[i + 1]) - max(address, bounds[i])
                if inside > 0:
                    fresh = min(own, inside)
                    own -= fresh
                    parts[i][0] += fresh
                    parts[i][1] += inside - fresh
        return {name: [MemoryRegion(*part) for part in parts] for name, parts in sums.items()}

    def vertices(self, tile):
        if self.file.metadata.get("provenance") == "imported":
            raise NotInReport("vertices of a tile: the imported profile does not say on which tiles the vertices are")
        found = []
        for number, columns in sorted(self.graph.tiles_of_types.items()):
            count = sum(column[tile] for column in columns)
            if count:
                found.append(TileVertex(self.graph.vertex_type(number), count))
        return found
