// Changes the batch size of a model file: the first dimension of its inputs, and constants that hold the old batch size: shapes,
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

// Moves the sizes of symbolic dimensions ("N=16" among the requested shapes) from `shapes` into the declarations of the inputs; a
// name that is also an input stays. Throws Error(InvalidInput) for a symbol with more than one number.
void bindSymbols(Graph& graph, std::map<std::string, numerics::Shape>& shapes);

class Batch {
public:
  // Gives the first dimension of the inputs this size, if it is open or equal to that of the first input. Throws
  // Error(InvalidInput) if there is no such input, or for a batch below 1.
  Batch(Graph& graph, std::int64_t size);

  bool changesFile() const { return m_from != 0; } // false: the file leaves the batch open, or has this size
  // Changes the shapes of the inputs from those of this run to those with the file's batch.
  void restore(std::unordered_map<std::string, numerics::Shape>& shapes) const;
  // Records the shapes of the node's inputs, and its constant shapes, starts and ends, as they are for the batch of the file.
  // adapted() compares them with those of this run to find the batch.
  std::vector<Node> noted(const Node& node, const NodeValues& values);
  void noted(const Graph& graph); // records the shapes of the graph's outputs

  void begin() { m_changed = 0, m_merged.clear(); } // call this when type inference starts anew
  // Returns the nodes that replace a node with the old batch in a constant; empty if it stays. Throws Error(Unsupported) if a
  // constant does not show where the batch is, or selects rows of the batch.
  std::vector<Node> adapted(const Node& node, const NodeValues& values);
  // The error for a model that cannot have this batch: it names the option and explains how to export the model for the batch.
  reports::Error explained(const reports::Error& error) const;
  // Throws Error(Unsupported) if the shape of an output differs from the shape in the file in more than one dimension.
  void requireOneBatch(const Model& model) const;
  // "16 instead of 1; 12 constants change with it"; empty if changesFile() is false.
  std::string text() const;

private:
  // A dimension that is a product with the batch: its size in the file, and the number of elements inside each element of the
  // batch (the heads of [batch * heads, …]).
  struct Merged {
    std::int64_t size = 1, inner = 1;
  };
  // The dimension of a value that holds the batch; `old` is its shape in the file.
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
  // Repeats a constant input of the node along `axis` for this batch.
  void repeat(std::vector<Node>& before, Node& node, std::size_t input, std::size_t axis, const NodeValues& values);

  std::int64_t m_from = 0, m_to = 0; // m_from is 0 if the file leaves the batch open
  int m_changed = 0;
  std::set<std::string> m_inputs;                               // inputs whose first dimension is the batch
  std::unordered_map<std::string, numerics::Shape> m_oldShapes; // shapes with the file's batch
  // Constant inputs of Expand, Reshape and Slice (shapes, starts, ends), with the file's batch.
  std::unordered_map<std::string, numerics::Shape> m_oldNumbers;
  std::unordered_map<std::string, Merged> m_merged;
};

} // namespace simcore::model
