#include "simcore/graph/variable_moves.h"

#include <set>

namespace simcore::graph {

std::vector<VariableMove> everyMove(const std::vector<VariableId>& from, const std::vector<VariableId>& to) {
  std::vector<VariableMove> moves;
  for (const VariableId a : from)
    for (const VariableId b : to) moves.push_back({a, b});
  return moves;
}

std::vector<VariableMove> movesOf(const Tensor& source, const Tensor& destination) {
  const std::vector<VariableId> from = source.variables(), to = destination.variables();
  if (from.size() <= 1 || to.size() <= 1) return everyMove(from, to);
  const auto sources = source.contiguousRegions(), destinations = destination.contiguousRegions();
  std::set<VariableMove> moves;
  int64_t sourceEnd = 0, destinationEnd = 0; // elements up to the end of the current regions
  for (std::size_t a = 0, b = 0; a < sources.size() && b < destinations.size();) {
    moves.insert({sources[a].variable, destinations[b].variable});
    const int64_t nextSource = sourceEnd + sources[a].size(), nextDestination = destinationEnd + destinations[b].size();
    if (nextSource <= nextDestination) sourceEnd = nextSource, ++a;
    if (nextDestination <= nextSource) destinationEnd = nextDestination, ++b;
  }
  return {moves.begin(), moves.end()};
}

} // namespace simcore::graph
