// Memory of the same tiles in two reports: the tree of the Memory view with one value per report, and the variables on these tiles.
#pragma once

#include "analyser/compare/compare.h"

#include <span>

namespace analyser::compare {

struct DetailsDifferenceRow {
  int depth = 0; // rows are in depth-first order
  std::string title;
  Presence presence = Presence::Both;
  Bytes base, other;
  Bytes difference() const { return other - base; }
};
// Sums over the selected tiles; an empty selection means all tiles of each machine. A tile that a machine lacks counts as zero.
std::vector<DetailsDifferenceRow> detailsDifference(Session& base, Session& other, std::span<const TileId> selection,
                                                    std::stop_token stop = {});

// The variables whose bytes on the selected tiles differ, largest absolute difference first. They are aligned by operation and name;
// for an empty selection use compare(), which also follows renamed operations.
std::vector<VariableDifference> variablesDifference(Session& base, Session& other, std::span<const TileId> selection,
                                                    std::stop_token stop = {});

// Other - base of every tile, for a floor plan: as many values as the machine with more tiles has.
std::vector<Bytes> tileDifferences(const memory::TileSeries& base, const memory::TileSeries& other);

} // namespace analyser::compare
