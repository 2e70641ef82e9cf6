// The cost of one vertex. Worker vertices return worker cycles (a worker issues once in six tile cycles); MultiVertex and
// supervisor vertices occupy the whole tile while they run and return tile cycles (ipu-reference section 3).
#pragma once

#include "reports/core/units.h"

#include <string>

namespace simcore::codelets {

using reports::Bytes;
using reports::Cycles;
using reports::Flops;

// n, but at least 0: for counts in formulas of the reference that hold only above a minimum size.
constexpr int64_t atLeastZero(int64_t n) { return n > 0 ? n : 0; }

enum class VertexKind { Worker, Multi, Supervisor };

// The library part of a codelet. It determines launch overhead and code size unless the codelet sets them.
enum class VertexFamily {
  Elementwise,
  Nonlinearity,
  Reduce,
  Convolution, // compute-bound loops with the accumulating matrix unit and similar vertices
  Pooling,
  Copy, // belongs to the runtime, always linked
  Slice,
  Random,
  Sparse,
  Sort,
  User,
};

// A codelet for the linker. Equal names mean the same code, which is stored once per tile that uses it.
struct VertexSpec {
  std::string name; // e.g. "popops::BinaryOp1D<ADD,float>"
  VertexKind kind = VertexKind::Worker;
  Bytes code{0};         // estimated code size
  Bytes state{0};        // fields of one vertex, including edge pointers
  Bytes edgePointers{0}; // the pointers' part of `state`
  int edges = 0;         // edges of one vertex
  VertexFamily family = VertexFamily::User;
  // Bytes outside the state of one vertex, in the storage categories of Poplar.
  Bytes fieldData{0};       // vectors of pointers and of numbers
  Bytes listDescriptors{0}; // descriptors of the vectors in its VectorLists
  Bytes constants{0};       // constant tensors made for this vertex, e.g. worklists
  Bytes workerStack{0};     // stack of one worker that runs it; a tile needs six times the largest
};

struct VertexCost {
  Cycles cycles{0}; // worker cycles for Worker, tile cycles otherwise
  Flops flops{0};
};

} // namespace simcore::codelets
