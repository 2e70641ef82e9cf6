// Unrolls a Loop whose number of iterations is known. Lists whose elements differ in shape, and values that grow with each
// iteration, have a type in each iteration but none in the loop. So this is only used if the types of the loop cannot be
// inferred.
#pragma once

#include "simcore/model/graph/resolve_types.h"

#include <cstdint>

namespace simcore::model {

class Unroller {
public:
  // The nodes of all iterations, and Identity nodes with the names of the loop's outputs. Empty for other nodes, if the number of
  // iterations or the condition is unknown before the run, for more than 1,024 iterations, and once the unrolled loops of the
  // model have 20,000 nodes.
  std::vector<Node> unrolled(const Node& node, const NodeValues& values);

private:
  std::int64_t m_nodes = 0;
};

} // namespace simcore::model
