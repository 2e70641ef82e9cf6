// Another batch than the one that a file was written for: the first dimension of its inputs changes, and so do the constants that say
// what shape a value takes.
#pragma once

#include "simcore/model/graph/resolve_types.h"

#include <map>

namespace simcore::model {

// Sizes for symbolic dimensions of inputs ("N=16" among the shapes that were asked for) are put into the declarations and taken out of
// `shapes`, unless an input is called so. Throws Error(InvalidInput) for a symbol that is given more than one number.
void bindSymbols(Graph& graph, std::map<std::string, numerics::Shape>& shapes);

class Batch {
public:
  // Gives the first dimension of the inputs this size, if it is open or equal to that of the first input. Throws
  // Error(InvalidInput) for a model without such an input, or a batch below 1.
  Batch(Graph& graph, std::int64_t size);

  void begin() { m_changed = 0; } // types are inferred from the start
  // Changes a node that has the old batch in a constant; nothing where it stays as it is. Throws Error(Unsupported) where a constant
  // shape does not tell which dimension the batch is.
  std::vector<Node> adapted(const Node& node, const NodeValues& values);
  // "16 instead of 1; 12 constant shapes follow"; empty: the file leaves the batch open.
  std::string text() const;

private:
  std::vector<Node> withShape(const Node& node, const numerics::Shape& shape);
  std::vector<Node> reshape(const Node& node, const NodeValues& values);
  std::vector<Node> expand(const Node& node, const NodeValues& values);
  std::vector<Node> repeatConstants(const Node& node, const NodeValues& values, std::size_t axis);

  std::int64_t m_from = 0, m_to = 0; // m_from of 0: it was open
  int m_changed = 0;
};

} // namespace simcore::model
