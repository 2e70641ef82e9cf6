// A user's own vertex type: named fields, a body that runs on host copies of them, and a cycle estimate.
#pragma once

#include "simcore/graph/tensor.h"
#include "simcore/numerics/host_tensor.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simcore::graph {

enum class FieldDirection { Input, Output, InOut };
// Scalar: Input<T>; Vector: Input<Vector<T>>; VectorList: Vector<Input<Vector<T>>> and VectorList<T>, many edges in one field.
enum class FieldShape { Vector, Scalar, VectorList };
// How a vertex keeps where its elements are; the bytes are those of ipu-reference 8.
enum class VectorLayout { Span, ShortSpan, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128, CompactPtr, DeltaN, DeltaNElements };
int64_t layoutBytes(VectorLayout layout); // in the vertex's state
// Of the descriptors outside the state, for each vector of a VectorList.
int64_t listEntryBytes(VectorLayout layout);

struct CodeletField {
  std::string name;
  FieldDirection direction = FieldDirection::Input;
  std::optional<ElementType> type = std::nullopt; // what may be connected; anything if not said
  FieldShape shape = FieldShape::Vector;
  VectorLayout layout = VectorLayout::Span;
  int minAlign = 0;         // bytes, a power of two; 0: whatever the element type needs
  bool interleaved = false; // wide loads: only in the interleaved region
  int64_t size = 0;         // elements it must have (of each vector, for a VectorList); 0: as many as are connected
};

// The fields of one vertex while it runs: edges as flat tensors, plain state as numbers.
struct VertexFields {
  std::map<std::string, numerics::HostTensor> edges;
  std::map<std::string, double> state;
  std::map<std::string, std::vector<numerics::HostTensor>> lists = {}; // VectorList fields
  int64_t size(const std::string& field) const { return edges.at(field).count(); }
};

struct Codelet {
  enum class Kind { Worker, Multi, Supervisor };
  std::string name;
  Kind kind = Kind::Worker;
  std::vector<CodeletField> fields;
  std::vector<std::string> state;
  // Writes outputs in `fields`; may be empty for a codelet that is only timed. Called once per vertex.
  std::function<void(VertexFields&)> compute;
  // Worker cycles (tile cycles for Multi and Supervisor) from field sizes; no launch overhead is added to it.
  std::function<int64_t(const std::map<std::string, int64_t>& sizes)> cycles;
  std::function<int64_t(const std::map<std::string, int64_t>& sizes)> flops;
  int64_t codeBytes = 400;
  // Fields whose data must not share a memory element, as Poplar writes it: "elem(*a)!=elem(*b)". Such a pair can be loaded
  // in one cycle, so the allocator keeps them apart.
  std::vector<std::string> constraints = {};
};

// The pairs of field indices that `constraints` names. Throws Error(InvalidInput) for text of another form or an unknown field.
std::vector<std::pair<uint16_t, uint16_t>> separatedFields(const Codelet& codelet);

} // namespace simcore::graph
