// Finds repeated layers: ranges of nodes that are lowered alike and connected alike, so that all of them can share one function
// (programming-model 3.9). The layers differ only in the names of inputs and outputs.
#pragma once

#include "simcore/model/graph/graph.h"

namespace simcore::model {

// A text that is equal for nodes that are lowered alike: operator, attributes bit by bit, types, which inputs are constants. Names
// and the contents of constants are left out. Empty for nodes that cannot share a lowering (subgraphs, tensors among the
// attributes, random numbers without a given seed).
std::string nodeSignature(const Graph& graph, const Node& node);

// Whether a constant decides how a node is lowered. Floating-point constants with more than a few elements do not: they are
// weights, which are operands and differ from layer to layer.
bool isPartOfNode(const numerics::HostTensor& constant);
// Whether the node adds to a persistent value.
bool addsUp(const Node& node);

struct Layer {
  std::vector<std::size_t> nodes;
  std::vector<std::string> inputs;  // values from elsewhere that are not the same constant in all layers
  std::vector<std::string> outputs; // values that other nodes read, in any of the layers
};
// Layers one after the other; the lists of all of them are of one length and correspond.
struct RepeatedLayers {
  std::size_t begin = 0, end = 0; // positions in the given list of nodes
  std::vector<Layer> layers;
};

// Finds repeated layers among these nodes of the graph, in their order. The runs do not overlap and come in order. Of all ways
// to cut a run into layers, the one with the fewest bytes in and out is taken. Runs below `least` are left out.
struct LeastLayers {
  // `nodes`: of a layer. `saved`: nodes that need no code of their own (gradients of norms count as 6). Less is not worth a call.
  std::size_t nodes = 4, saved = 18;
};
std::vector<RepeatedLayers> repeatedLayers(const Graph& graph, const std::vector<std::size_t>& nodes, LeastLayers least = {});

} // namespace simcore::model
