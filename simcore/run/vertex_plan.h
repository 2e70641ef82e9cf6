// A compute set prepared for running: its vertices by tile, with the positions of their fields in the memory of vertices.
// Vertices with equal type, field sizes and state share all other data, so ten million vertices take little more than one
// position per field.
#pragma once

#include "simcore/run/vertex_memory.h"

#include <set>

namespace simcore::run {

// Fields in several pieces, or with another layout than the body needs, are gathered at run time.
struct VertexPlan {
  struct Edge {
    uint16_t field = 0;
    uint32_t vector = 0; // of a VectorList
    graph::ElementType type = graph::ElementType::Float;
    bool writes = false, asFloat = false; // asFloat: halves, for a body that works on floats
    int64_t count = 0;
    int64_t pointer = 0;   // native: offset in the object
    int64_t alignment = 1; // native: of the elements
    int64_t elementBytes() const { return int64_t(numerics::hostSize(type)); }
    int64_t bytes() const { return count * elementBytes(); }
  };
  // Vertices of one type that have the same field sizes and state.
  struct Form {
    const graph::Codelet* codelet = nullptr;
    std::vector<Edge> edges; // in order of fields
    std::vector<graph::StateValue> state;
    std::vector<std::byte> object; // native: with counts and state, without pointers; then the vectors of its lists
    std::vector<std::pair<int64_t, int64_t>> lists; // native: offsets of pointers in the object, and the offsets they point to
    int64_t vertices = 0;                           // of this form
    bool isCounted = false;                         // cycles are counted from the vertex's code
    int64_t cycles = -1;                            // counted once for all vertices; -1: unknown
    std::set<uint32_t> writtenInputs;               // edges that are Inputs and that the code was seen to write
    bool readsOutside = false;                      // the code was seen to read beside a field
    uint32_t floats = 0;                            // number of edges that are `asFloat` and written
    const graph::NativeBody* native() const { return codelet->native.get(); }
  };
  struct Vertex {
    uint32_t index, form; // index in the compute set; index in `forms`
    uint32_t firstPlace;  // position in `places` of the first edge
  };
  struct Tile {
    int64_t tile = 0;
    uint32_t first = 0, end = 0; // in `vertices`
  };
  struct Piece {
    int64_t place = 0, bytes = 0;
  };

  VertexPlan(const graph::Graph& graph, const graph::ComputeSet& set, const VertexMemory& memory, bool estimatesWin);

  std::vector<Form> forms;
  std::vector<Vertex> vertices; // by tile; within a tile by index
  std::vector<Tile> tiles;
  std::vector<int64_t> places; // positions in the memory of vertices; ~i: gathered from pieces [firstPiece[i], firstPiece[i + 1])
  std::vector<uint32_t> firstPiece{0};
  std::vector<Piece> pieces;
  std::vector<uint32_t> floatsBefore; // by vertex: results of earlier vertices that are rounded to half; empty if floats is 0
  uint32_t floats = 0;
  std::vector<uint32_t> trials; // one vertex per form with compiled code, as positions in `vertices`
  bool anyCounted = false, anyNative = false, anyState = false, anyRun = false;
  int64_t executions = 0; // number so far

private:
  void numberFloats(std::size_t count);
};

} // namespace simcore::run
