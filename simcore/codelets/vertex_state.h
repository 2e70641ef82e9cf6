// Builds the field block of a vertex: sizes, alignment and pointers as listed in ipu-reference section 8.
#pragma once

#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

class VertexState {
public:
  VertexState& onePtr(); // 4 B, no length
  VertexState& span();   // 8 B: pointer and count
  VertexState& scalar(int64_t bytes);
  // A list of `rows` regions: base and descriptor pointer in the state; one 4-byte descriptor (offset, length) per row outside
  // it.
  VertexState& vectorList(int64_t rows);
  VertexState& pointers(int64_t rows); // a vector of regions without lengths: a pointer in the state, one per region outside it
  VertexState& numbers(int64_t entries, int64_t bytesEach); // initial values: a pointer in the state, the values outside it
  // An edge to constants made for the vertex, e.g. worklists of convolution and pooling. Worklists of several rows are a
  // VectorList (poplin createConvPartialAmpVertex, popnn PoolVertices: addConstant, then connect).
  VertexState& constantVector(int64_t entries, int64_t bytesEach);
  VertexState& constantList(int64_t rows, int64_t entries, int64_t bytesEach);

  Bytes state() const; // padded to 4 B
  Bytes edgePointers() const { return m_pointers; }
  Bytes fieldData() const { return m_out; }
  Bytes listDescriptors() const { return m_lists; }
  Bytes constants() const { return m_constants; }
  int edges() const { return m_edges; }

private:
  void add(int64_t bytes, int64_t alignment);
  int64_t m_size = 0;
  Bytes m_pointers{0}, m_out{0}, m_lists{0}, m_constants{0};
  int m_edges = 0;
};

// Makes a spec from its parts; code and stack bytes come from code_size.h.
VertexSpec makeSpec(std::string name, VertexKind kind, VertexFamily family, Bytes code, const VertexState& state);

// The element type inside a vertex name: "float", "half", "int", "unsigned int", "bool", "char" …
const char* codeletTypeName(numerics::ElementType type);

} // namespace simcore::codelets
