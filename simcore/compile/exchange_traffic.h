// What must cross the exchange so that copies and vertices find their elements on their own tile. A word that several tiles want
// leaves its tile once and one that several vertices of a tile want arrives there once, so touches are gathered first and counted
// when all are known.
#pragma once

#include "simcore/compile/lowered.h"

#include <vector>

namespace simcore::compile {

class RemoteTouches {
public:
  enum class Direction { ToUser, FromUser }; // elements go to the tile that uses them, or come from it
  RemoteTouches(const graph::Graph& graph, Direction direction) : m_graph(graph), m_direction(direction) {}

  // Elements of `view` that a vertex on `tile` reads or writes; those on the tile itself cost nothing.
  void add(const graph::EdgeView& view, int64_t tile);
  bool empty() const { return m_touches.empty(); }
  // Sorts what was gathered.
  graph::Traffic traffic();

private:
  friend graph::Traffic copyTraffic(const graph::Graph& graph, const graph::Tensor& source, const graph::Tensor& destination);
  struct Touch {
    VariableId variable;
    uint32_t home, user; // tiles
    int64_t begin, end;  // elements of the variable
  };

  const graph::Graph& m_graph;
  Direction m_direction;
  std::vector<Touch> m_touches;
};

// A copy between two views of the same shape moves every element of `destination` that is not on the tile of its source.
graph::Traffic copyTraffic(const graph::Graph& graph, const graph::Tensor& source, const graph::Tensor& destination);

} // namespace simcore::compile
