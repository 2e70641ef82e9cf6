// A model as a graph of named values, in memory. It is independent of the file format; values are referred to by name as in
// ONNX, and a subgraph (a branch of If, the body of Loop) may use the names of the graphs around it.
#pragma once

#include "simcore/model/attribute.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace simcore::model {

// What is known of a value before anything runs.
struct TensorType {
  numerics::ElementType type = numerics::ElementType::Float;
  numerics::Shape shape;
  bool operator==(const TensorType&) const = default;
};

struct Node {
  std::string opType, domain, name; // the domain "" is the standard one
  std::vector<std::string> inputs;  // "" = absent optional input
  std::vector<std::string> outputs; // "" = not wanted
  Attributes attributes;
  int opset = 0; // of the node's domain
  // Debug contexts the node is lowered in, outermost first, e.g. {"bwd", "conv1"}.
  std::vector<std::string> path;
  // The nodes that a fusion pass made this one of, in their order; empty for a node as the file has it.
  struct Origin {
    std::string name, opType;
  };
  std::vector<Origin> fused;

  // "node 'conv_3'", or the first output's name where the node has none.
  std::string label() const;
};

// A declared input or output. A dimension is a number, a symbol ("batch") or unknown (neither).
struct Dimension {
  std::optional<std::int64_t> size;
  std::string symbol;
};
struct ValueDeclaration {
  std::string name;
  std::optional<numerics::ElementType> type;  // none: not a tensor of a numeric type
  std::optional<std::vector<Dimension>> dims; // none: unknown rank
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<ValueDeclaration> inputs; // without those that are only initialisers
  std::vector<ValueDeclaration> outputs;
  std::unordered_map<std::string, numerics::HostTensor> initialisers;
  // Filled by resolveTypes(): the type of every value of the graph.
  std::unordered_map<std::string, TensorType> types;
};

// A graph with what surrounds it in a file.
struct Model {
  Graph graph;
  std::string file;     // as the user named it, for messages
  std::string producer; // name and version, may be empty
  int opset = 0;        // of the standard domain
  // The static shape of each input after bindShapes(); inputs with a static shape in the file are always there.
  std::unordered_map<std::string, TensorType> inputTypes;
};

// Sorts nodes so that each comes after the nodes it reads from, keeping the order of the file where that already holds, in
// this graph and in its subgraphs. Throws reports::Error(InvalidInput) naming a node for a cycle, an input that nothing
// defines, or a value defined twice.
void sortNodes(Graph& graph);

// Names a graph's nodes (and their subgraphs) read that the graph itself does not define.
std::set<std::string> outerNames(const Graph& graph);

// Gives every input of the model a static shape: sizes in the file are kept, `shapes` supplies the others by input name.
// Throws reports::Error(InvalidInput) naming the input if a size stays unknown, contradicts the file, or `shapes` names
// no input.
void bindShapes(Model& model, const std::unordered_map<std::string, numerics::Shape>& shapes);

// Makes inputs constants of the model: they leave the inputs and become initialisers. For values that shapes depend on,
// such as the target of a Reshape. Throws reports::Error(InvalidInput) for a name or type that does not fit.
void bindConstants(Model& model, const std::unordered_map<std::string, numerics::HostTensor>& values);

} // namespace simcore::model
