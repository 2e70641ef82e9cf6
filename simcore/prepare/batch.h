// Changes the batch size of a model file: the first dimension of its inputs, and the constants that hold the old batch: shapes,
// and values that are repeated for each image or sentence.
#pragma once

#include "reports/core/error.h"
#include "simcore/model/graph/resolve_types.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace simcore::model {

// Moves sizes of symbolic dimensions ("N=16" among the requested shapes) from `shapes` into the declarations of inputs,
// unless an input has this name. Throws Error(InvalidInput) for a symbol with more than one number.
void bindSymbols(Graph& graph, std::map<std::string, numerics::Shape>& shapes);

class Batch {
public:
  // Gives the first dimension of the inputs this size, if it is open or equal to that of the first input. Throws
  // Error(InvalidInput) for a model without such an input, or a batch below 1.
  Batch(Graph& graph, std::int64_t size);

  bool changesFile() const { return m_from != 0; } // false: the file leaves the batch open, or has this size
  // Shapes of the inputs with the batch of the file, from those of this run.
  void restore(std::unordered_map<std::string, numerics::Shape>& shapes) const;
  // Notes the types of a node's inputs in the file as it is; adapted() finds the batch by the difference.
  std::vector<Node> noted(const Node& node, const NodeValues& values);
  void noted(const Graph& graph); // the outputs

  void begin() { m_changed = 0, m_merged.clear(); } // types are inferred from the start
  // The nodes that replace a node with the old batch in a constant; empty if it stays. Throws Error(Unsupported) if a constant does
  // not show where the batch is, or means rows of it.
  std::vector<Node> adapted(const Node& node, const NodeValues& values);
  // The error of a model that cannot have this batch: names the option and the way to export it.
  reports::Error explained(const reports::Error& error) const;
  // Throws Error(Unsupported) if an output differs from that of the file in more than one dimension.
  void requireOneBatch(const Model& model) const;
  // "16 instead of 1; 12 constants change with it"; empty: the file leaves the batch open.
  std::string text() const;

private:
  // A dimension that is a product with the batch: its size in the file, and the factor inside the batch (heads of [batch * heads, …]).
  struct Merged {
    std::int64_t size = 1, inner = 1;
  };
  // Where a value of this run holds the batch; `old` is its shape in the file.
  struct Place {
    numerics::Shape old;
    std::size_t axis = 0;
    std::int64_t inner = 1;
  };

  std::optional<Place> placeOf(const std::string& name, const NodeValues& values) const;
  bool isFixed(const std::string& name, const NodeValues& values) const;
  void inherit(const Node& node);
  bool isWritten(const Node& node, std::size_t input) const;
  std::vector<Node> withConstant(const Node& node, std::size_t input, const numerics::HostTensor& value);
  std::vector<Node> reshape(const Node& node, const NodeValues& values);
  std::vector<Node> expand(const Node& node, const NodeValues& values);
  std::vector<Node> broadcast(const Node& node, const NodeValues& values);
  std::vector<Node> concat(const Node& node, const NodeValues& values);
  std::vector<Node> recurrent(const Node& node, const NodeValues& values);
  void requireNoPart(const Node& node, const NodeValues& values) const;
  void requireNoRows(const Node& node, const NodeValues& values) const;
  // Makes a constant input of the node as long as this batch along `axis`.
  void repeat(std::vector<Node>& before, Node& node, std::size_t input, std::size_t axis, const NodeValues& values);

  std::int64_t m_from = 0, m_to = 0; // m_from is 0 if the file leaves the batch open
  int m_changed = 0;
  std::set<std::string> m_inputs;                                // whose first dimension is the batch
  std::unordered_map<std::string, numerics::Shape> m_oldShapes;  // of the file as it is
  std::unordered_map<std::string, numerics::Shape> m_oldNumbers; // of its shapes and limits: targets, starts, ends
  std::unordered_map<std::string, Merged> m_merged;
};

} // namespace simcore::model
