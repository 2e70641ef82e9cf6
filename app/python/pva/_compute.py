"""Compute sets, vertex types and exchanges: what steps of the program consist of."""

from ._errors import NotInReport
from ._objects import LazyList, lazy
from ._packed import Runs


class _NamedRow:
    """A row of the report that begins with its id and its name."""

    def __init__(self, graph, row):
        self._graph, self._row = graph, row

    @property
    def _id(self):
        return self._row[0]

    @property
    def name(self):
        return self._graph.file.text(self._row[1])


class VertexType(_NamedRow):
    """A codelet."""

    @property
    def kind(self):
        """Vertex, MultiVertex or Supervisor."""
        return self._row[2]

    @property
    def codeBytes(self):
        """Bytes of code on a tile that has such a vertex."""
        return self._row[3]

    @lazy
    def size(self):
        """Bytes of state of one vertex."""
        sizes = {state / count for state, count in self._graph.states_of(self._id) if count}
        if len(sizes) != 1:
            raise NotInReport("VertexType.size: the vertices of %s differ in size, or have no rows in the report" % self.name)
        size = sizes.pop()
        return int(size) if size == int(size) else size

    def __repr__(self):
        return "VertexType(%r)" % self.name


class VertexInstances:
    """The vertices of one type in a compute set."""

    def __init__(self, graph, row):
        self._graph, self._row = graph, row

    @property
    def type(self):
        return self._graph.vertex_type(self._row[1])

    @property
    def count(self):
        return self._row[2]

    @property
    def cycles(self):
        """Tile cycles of these vertices, summed over tiles."""
        return self._row[3]

    @lazy
    def countByTile(self):
        return self._graph.counts(self._row).expanded()

    def __repr__(self):
        return "VertexInstances(%r, count=%d)" % (self.type.name, self.count)


class ComputeSet(_NamedRow):
    """Vertices that run at once."""

    @property
    def debugContext(self):
        return None if self._row[2] is None else self._graph.contexts.by_id(self._row[2])

    @property
    def numVertices(self):
        return self._row[3]

    @property
    def numEdges(self):
        return self._row[4]

    @lazy
    def vertices(self):
        rows = self._graph.instances.get(self._id, ())
        return LazyList(len(rows), lambda i: VertexInstances(self._graph, rows[i]))

    @lazy
    def estimatedCyclesByTile(self):
        """Cycles of each tile, as the simulator gives them."""
        program = self._graph.program_of_compute_set.get(self._id)
        return self._graph.cycles_by_tile(program, "ComputeSet.estimatedCyclesByTile")

    def __repr__(self):
        return "ComputeSet(%r, numVertices=%d)" % (self.name, self.numVertices)


class GraphParts:
    """Reads these tables, each once, when the first object asks for it."""

    def __init__(self, file, target, contexts):
        self.file, self.target, self.contexts = file, target, contexts
        self._types = {}

    @lazy
    def compute_sets(self):
        rows = self.file.by_id("compute_set", "id:int name_id:int debug_context_id:int? vertices:int edges:int")
        return LazyList(len(rows), lambda i: ComputeSet(self, rows[i]))

    @lazy
    def _type_rows(self):
        return self.file.by_id("vertex_type", "id:int name_id:int kind:text code_bytes:int")

    def vertex_type(self, number):
        kept = self._types.get(number)
        if kept is None:
            if not 0 <= number < len(self._type_rows):
                raise self.file.damaged("vertex type %d is missing" % number)
            kept = self._types[number] = VertexType(self, self._type_rows[number])
        return kept

    @lazy
    def _all_instances(self):
        """Without the blobs, which counts() reads."""
        return self.file.rows("compute_set_vertices", "compute_set_id:int vertex_type_id:int vertices:int cycles:int"
                              " state_bytes:int", "ORDER BY compute_set_id, vertex_type_id")

    @lazy
    def instances(self):
        found = {}
        for row in self._all_instances:
            found.setdefault(row[0], []).append(row)
        return found

    def states_of(self, vertex_type):
        return [(row[4], row[2]) for row in self._all_instances if row[1] == vertex_type]

    def counts(self, row):
        rows = self.file.rows("compute_set_vertices", "vertices_by_tile:blob", "WHERE compute_set_id = ? AND vertex_type_id = ?",
                              row[:2])
        found = Runs(rows[0][0], self.target.numTiles, "compute_set_vertices.vertices_by_tile")
        if row[2] and not any(found.values):
            raise NotInReport("countByTile: the imported profile does not say on which tiles the vertices are")
        return found

    @lazy
    def tiles_of_types(self):
        """For each vertex type, the counts of its vertices in each compute set."""
        found = {}
        for number, blob in self.file.rows("compute_set_vertices", "vertex_type_id:int vertices_by_tile:blob"):
            counts = Runs(blob, self.target.numTiles, "compute_set_vertices.vertices_by_tile")
            found.setdefault(number, []).append(counts)
        return found

    @lazy
    def program_of_compute_set(self):
        rows = self.file.rows("program_step", "compute_set_id:int id:int", "WHERE compute_set_id IS NOT NULL ORDER BY id DESC")
        return dict(rows)

    @lazy
    def _profile_of_step(self):
        return dict(self.file.rows("step_profile", "program_step_id:int id:int", "ORDER BY executions > 0, id DESC"))

    def cycles_by_tile(self, program, what):
        profile = self._profile_of_step.get(program)
        if profile is None:
            raise NotInReport("%s: the step never ran, and the report has cycles by tile only for executed steps" % what)
        return self.profile_cycles(profile).expanded()

    def profile_cycles(self, profile):
        """Busy cycles of all tiles in one execution."""
        (first, tiles, blob), = self.file.rows("step_profile", "first_tile:int tiles:int cycles_by_tile:blob", "WHERE id = ?",
                                               (profile,))
        found = Runs(blob, tiles, "step_profile.cycles_by_tile")
        if first < 0 or first + tiles > self.target.numTiles:
            raise self.file.damaged("step profile %d names tiles that the machine does not have" % profile)
        found.ends, found.values = [end + first for end in found.ends], found.values
        if first:
            found.ends.insert(0, first), found.values.insert(0, 0)
        if first + tiles < self.target.numTiles:
            found.ends.append(self.target.numTiles), found.values.append(0)
        return found

    def exchange_column(self, exchange, column, what):
        known = self.file.has("exchange." + column)
        rows = self.file.rows("exchange", column + ":blob?", "WHERE id = ?", (exchange,)) if known else []
        if not rows or rows[0][0] is None:
            raise NotInReport("%s: the report does not say this for the exchange" % what)
        return Runs(rows[0][0], self.target.numTiles, "exchange." + column)
