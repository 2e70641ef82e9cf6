// Changes the batch size of a model file: the first dimension of its inputs, and the constants that hold shapes
// of values.
#pragma once

#include "simcore/model/graph/resolve_types.h"

#include <map>

namespace simcore::model {

// Moves sizes of symbolic dimensions ("N=16" among the requested shapes) from `shapes` into the declarations of inputs,
// unless an input has this name. Throws Error(InvalidInput) for a symbol with more than one number.
void bindSymbols(Graph& graph, std::map<std::string, numerics::Shape>& shapes);

class Batch {
public:
  // Gives the first dimension of the inputs this size, if it is open or equal to that of the first input. Throws
  // Error(InvalidInput) for a model without such an input, or a batch below 1.
  Batch(Graph& graph, std::int64_t size);

  void begin() { m_changed = 0; } // types are inferred from the start
  // The nodes that replace a node with the old batch in a constant; empty if it stays. Throws Error(Unsupported) if a constant
  // shape does not show which dimension is the batch.
  std::vector<Node> adapted(const Node& node, const NodeValues& values);
  // "16 instead of 1; 12 constant shapes follow"; empty: the file leaves the batch open.
  std::string text() const;

private:
  std::vector<Node> withShape(const Node& node, const numerics::Shape& shape);
  std::vector<Node> reshape(const Node& node, const NodeValues& values);
  std::vector<Node> expand(const Node& node, const NodeValues& values);
  std::vector<Node> repeatConstants(const Node& node, const NodeValues& values, std::size_t axis);

  std::int64_t m_from = 0, m_to = 0; // m_from is 0 if the file leaves the batch open
  int m_changed = 0;
};

} // namespace simcore::model
