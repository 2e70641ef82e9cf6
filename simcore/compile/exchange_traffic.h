// Counts the words that an exchange moves so that copies and vertices have their elements on their own tile. A word that several
// tiles need leaves its tile once; a word that several vertices of a tile need arrives there once. So touches are collected first
// and counted at the end.
#pragma once

#include "simcore/compile/lowered_program.h"

#include <vector>

namespace simcore::compile {

class RemoteTouches {
public:
  enum class Direction { ToUser, FromUser }; // elements move to the tile that uses them, or from it
  RemoteTouches(const graph::Graph& graph, Direction direction) : m_graph(graph), m_direction(direction) {}

  // Adds the elements of `view` that a vertex on `tile` reads or writes; local elements cost nothing. Returns whether any are
  // remote.
  bool add(const graph::EdgeView& view, int64_t tile);
  bool empty() const { return m_touches.empty(); }
  // Returns the traffic of all touches. Sorts the touches.
  graph::Traffic traffic();

private:
  friend struct CopyParts copyParts(const graph::Graph& graph, const graph::Tensor& source, const graph::Tensor& destination);
  struct Touch {
    VariableId variable;
    uint32_t home, user; // tiles
    int64_t begin, end;  // elements of the variable
  };
  class Columns; // columns per tile while they are filled
  void sortByUser();
  int64_t bytesOf(const Touch& touch, int64_t elements) const;
  void addShared(Columns& columns) const;
  void addBroadcasts(Columns& columns);

  const graph::Graph& m_graph;
  Direction m_direction;
  std::vector<Touch> m_touches;
};

// Contiguous pieces that are moved within a tile.
struct Pieces {
  PerTile bytes, count;
};

// The parts of a copy between two views of the same shape. The exchange moves whole words, so pieces that begin or end inside a
// word are gathered on the source tile and scattered on the destination tile (ipu-reference 2).
struct CopyParts {
  graph::Traffic traffic;
  Pieces local, gather, scatter;
};
CopyParts copyParts(const graph::Graph& graph, const graph::Tensor& source, const graph::Tensor& destination);

} // namespace simcore::compile
