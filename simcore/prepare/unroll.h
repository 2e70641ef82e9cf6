// A Loop with a known number of rounds, written out round by round. Lists whose elements differ in shape, and values that grow from round to
// round, have a type in each round but none in the loop; so the resolver asks for this only if the types of the loop cannot be inferred.
#pragma once

#include "simcore/model/graph/resolve_types.h"

#include <cstdint>

namespace simcore::model {

class Unroller {
public:
  // The nodes of all rounds, and Identity nodes with the names of the loop's outputs. Empty for any other node, for a number of rounds or a
  // condition that is unknown before the run, for more than 1,024 rounds, and once all loops of the model have 20,000 nodes.
  std::vector<Node> unrolled(const Node& node, const NodeValues& values);

private:
  std::int64_t m_nodes = 0;
};

} // namespace simcore::model
