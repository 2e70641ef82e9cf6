// Finds repeated layers: ranges of nodes that are lowered and connected in the same way, so that all of them can share one
// function (programming-model 3.9). The layers differ only in the names of inputs and outputs.
#pragma once

#include "simcore/model/graph/graph.h"

namespace simcore::model {

// A text that is equal for nodes with the same lowering: operator, attributes bit by bit, types, which inputs are constants. Names and the
// contents of constants are left out. Empty for nodes that cannot share a lowering (subgraphs, tensors among the attributes,
// random numbers without seed).
std::string nodeSignature(const Graph& graph, const Node& node);

// Whether a constant affects how a node is lowered. Large floating-point constants do not: they are weights, operands that differ
// between layers.
bool isPartOfNode(const numerics::HostTensor& constant);
// Whether the node adds to a persistent value.
bool addsUp(const Node& node);

struct Layer {
  std::vector<std::size_t> nodes;
  std::vector<std::string> inputs;  // values from outside, except constants that are equal in all layers
  std::vector<std::string> outputs; // values read outside the layer, or graph outputs; in all layers if so in one
};
// Adjacent layers; their lists have equal lengths and correspond.
struct RepeatedLayers {
  std::size_t begin = 0, end = 0; // positions in the given list of nodes
  std::vector<Layer> layers;
};

// Finds repeated layers among these nodes of the graph, in their order. Runs do not overlap. If a run can be cut into layers in
// several ways, the cut with the fewest bytes in and out is taken. Runs below `least` are left out.
struct LeastLayers {
  // `nodes`: per layer. `saved`: nodes that need no code of their own, because a layer before has it (gradients of norms count as
  // 6). A shorter run is not worth a call.
  std::size_t nodes = 4, saved = 18;
};
std::vector<RepeatedLayers> repeatedLayers(const Graph& graph, const std::vector<std::size_t>& nodes, LeastLayers least = {});

} // namespace simcore::model
