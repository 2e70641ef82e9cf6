#include "poputil/TileMapping.hpp"
#include "poputil/Util.hpp"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace poputil {

using namespace simcore::poplar::names;
using poplar::Interval;

namespace {
using Tiles = std::set<unsigned>;
using Intervals = std::vector<Interval>;

// Elements, or grains, that the same tiles use.
struct Piece {
  std::size_t begin = 0, end = 0;
  Tiles tiles;
};
} // namespace

class TensorUseTrackerState {
public:
  struct Variable {
    std::size_t elements = 0;
    simcore::numerics::ElementType type = {};
    std::map<unsigned, Intervals> uses; // by tile
  };
  unsigned tiles = 0, startTile = 0;
  bool ascending = true;
  std::map<uint32_t, Variable> variables;
};

namespace {
// Cuts the variable where its users change; each piece has at least one.
std::vector<Piece> piecesOf(const TensorUseTrackerState::Variable& variable) {
  std::map<std::size_t, std::pair<Tiles, Tiles>> changes; // tiles whose use begins or ends there
  for (const auto& [tile, intervals] : variable.uses) {
    Intervals sorted = intervals;
    std::sort(sorted.begin(), sorted.end(), [](const Interval& a, const Interval& b) { return a.begin() < b.begin(); });
    for (std::size_t i = 0; i < sorted.size();) {
      const std::size_t begin = sorted[i].begin();
      std::size_t end = sorted[i].end();
      while (++i < sorted.size() && sorted[i].begin() <= end) end = std::max(end, sorted[i].end());
      if (begin == end) continue;
      changes[begin].first.insert(tile);
      changes[end].second.insert(tile);
    }
  }
  std::vector<Piece> pieces;
  Tiles users;
  for (auto at = changes.begin(); at != changes.end(); ++at) {
    for (const unsigned tile : at->second.second) users.erase(tile);
    users.insert(at->second.first.begin(), at->second.first.end());
    if (!users.empty()) pieces.push_back({at->first, std::next(at)->first, users});
  }
  return pieces;
}

// The same in grains; a grain belongs to the first piece that has elements of it.
std::vector<Piece> inGrains(const std::vector<Piece>& pieces, std::size_t grain) {
  std::vector<Piece> all;
  for (const Piece& p : pieces) {
    const std::size_t begin = std::max(p.begin / grain, all.empty() ? 0 : all.back().end), end = (p.end - 1) / grain + 1;
    if (begin >= end) continue;
    if (!all.empty() && all.back().end == begin && all.back().tiles == p.tiles)
      all.back().end = end;
    else
      all.push_back({begin, end, p.tiles});
  }
  return all;
}

// Each piece grows up to the next, so that all grains have users.
void fillGaps(std::vector<Piece>& pieces, std::size_t grains) {
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].end = i + 1 < pieces.size() ? pieces[i + 1].begin : grains;
  if (!pieces.empty()) pieces.front().begin = 0;
}

// A piece that is used by exactly the users of its two neighbours gets only the users of the piece before it.
void joinHalos(std::vector<Piece>& pieces) {
  const std::vector<Piece> before = pieces;
  for (std::size_t i = 1; i + 1 < before.size(); ++i) {
    const Tiles &front = before[i - 1].tiles, &here = before[i].tiles, &behind = before[i + 1].tiles;
    const auto has = [&](const Tiles& part) { return std::includes(here.begin(), here.end(), part.begin(), part.end()); };
    if (front.size() + behind.size() == here.size() && has(front) && has(behind)) pieces[i].tiles = front;
  }
}

// Neighbouring pieces with a common user become one piece, which has all of their users.
void joinSharing(std::vector<Piece>& pieces) {
  std::vector<Piece> all;
  for (const Piece& p : pieces) {
    const auto isUser = [&](unsigned tile) { return p.tiles.count(tile) > 0; };
    if (!all.empty() && std::any_of(all.back().tiles.begin(), all.back().tiles.end(), isUser)) {
      all.back().end = p.end;
      all.back().tiles.insert(p.tiles.begin(), p.tiles.end());
    } else
      all.push_back(p);
  }
  pieces = std::move(all);
}
} // namespace

TensorUseTracker::TensorUseTracker(unsigned numTiles, unsigned startTile, bool ascendingMappingOrder)
    : m_state(new TensorUseTrackerState) {
  m_state->tiles = numTiles;
  m_state->startTile = startTile;
  m_state->ascending = ascendingMappingOrder;
}
TensorUseTracker::TensorUseTracker(const TensorUseTracker& other) : m_state(new TensorUseTrackerState(*other.m_state)) {}
TensorUseTracker::TensorUseTracker(TensorUseTracker&&) noexcept = default;
TensorUseTracker& TensorUseTracker::operator=(const TensorUseTracker& other) {
  *m_state = *other.m_state;
  return *this;
}
TensorUseTracker& TensorUseTracker::operator=(TensorUseTracker&&) noexcept = default;
TensorUseTracker::~TensorUseTracker() = default;

void TensorUseTracker::add(const Graph& graph, unsigned tile, const Tensor& tensor) {
  if (tile >= m_state->tiles)
    throw poplibs_error("poputil::TensorUseTracker::add: tile " + std::to_string(tile) + " is not one of its " +
                        std::to_string(m_state->tiles) + " tiles");
  const sg::Tensor t = sp::inner(tensor);
  for (const sg::Region& r : t.contiguousRegions()) {
    const sg::Variable& variable = sp::inner(graph).variable(r.variable);
    if (variable.category == reports::MemoryCategory::Constant) continue;
    TensorUseTrackerState::Variable& kept = m_state->variables[uint32_t(r.variable.value())];
    kept.elements = std::size_t(variable.elements());
    kept.type = variable.type;
    kept.uses[tile].emplace_back(std::size_t(r.begin), std::size_t(r.end));
  }
}
void TensorUseTracker::add(TensorUseTracker other) {
  if (other.m_state->tiles != m_state->tiles)
    throw poplibs_error("poputil::TensorUseTracker::add: a tracker of " + std::to_string(other.m_state->tiles) +
                        " tiles was added to one of " + std::to_string(m_state->tiles));
  for (const auto& [id, variable] : other.m_state->variables) {
    TensorUseTrackerState::Variable& kept = m_state->variables[id];
    kept.elements = variable.elements;
    kept.type = variable.type;
    for (const auto& [tile, intervals] : variable.uses)
      kept.uses[tile].insert(kept.uses[tile].end(), intervals.begin(), intervals.end());
  }
}
bool TensorUseTracker::empty() const { return m_state->variables.empty(); }

void TensorUseTracker::resolve(const Graph&, unsigned grainSize, unsigned minElementsPerTile, bool extendPartialUsage,
                               MappingMethod mappingMethod) {
  const bool onlyUsers = mappingMethod == MappingMethod::ConstrainMappingToUsedTiles;
  grainSize = std::max(1U, grainSize);
  // If only users may hold elements, grains are cut from elements with equal users. Otherwise all users of a grain share it.
  const std::size_t shared = onlyUsers ? 1 : grainSize;
  for (auto& each : m_state->variables) {
    TensorUseTrackerState::Variable& variable = each.second;
    std::vector<Piece> pieces = inGrains(piecesOf(variable), shared);
    if (extendPartialUsage) fillGaps(pieces, (variable.elements + shared - 1) / shared);
    if (mappingMethod == MappingMethod::OptimizeHaloRegions) joinHalos(pieces);
    if (onlyUsers) joinSharing(pieces);
    std::map<Tiles, Intervals> byUsers;
    for (const Piece& p : pieces) byUsers[p.tiles].emplace_back(p.begin, p.end);
    variable.uses.clear();
    for (const auto& [tiles, intervals] : byUsers) {
      const auto parts = splitRegions(intervals, onlyUsers ? grainSize : 1, unsigned(tiles.size()),
                                      unsigned((minElementsPerTile + shared - 1) / shared));
      auto tile = tiles.begin();
      for (const Intervals& part : parts) {
        for (const Interval& i : part)
          variable.uses[*tile].emplace_back(i.begin() * shared, std::min(i.end() * shared, variable.elements));
        ++tile;
      }
    }
  }
}

void TensorUseTracker::mapTensorsByUse(Graph& graph, unsigned grainSize, unsigned minElementsPerTile, bool extendPartialUsage,
                                       MappingMethod mappingMethod) {
  resolve(graph, grainSize, minElementsPerTile, extendPartialUsage, mappingMethod);
  const unsigned tiles = graph.getTarget().getNumTiles();
  sp::inLibrary([&] {
    for (const auto& [id, variable] : m_state->variables)
      for (const auto& [tile, intervals] : variable.uses) {
        const sg::TileId mapped(invTransformTileIndex(tile, tiles, m_state->startTile, m_state->ascending));
        for (const Interval& i : intervals) {
          const sg::Region region{reports::VariableId(id), int64_t(i.begin()), int64_t(i.end())};
          sp::inner(graph).setTileMapping(sg::Tensor({region, int64_t(variable.elements)}, variable.type), mapped);
        }
      }
  });
}

} // namespace poputil
