#include "app/cli/preview_memory.h"

#include "analyser/insights/insights.h"
#include "analyser/memory/excess.h"
#include "analyser/memory/tile_details.h"
#include "analyser/memory/verdict.h"
#include "reports/core/categories.h"

#include <algorithm>
#include <numeric>

namespace app::cli {

namespace memory = analyser::memory;
using reports::Bytes;
using reports::TileId;

namespace {

constexpr std::size_t kTiles = 5, kVariables = 12;

// The fullest tiles, with gaps if the program does not fit, as in fullestTile().
std::vector<PreviewMemory::Tile> fullestOf(const memory::TileMemory& m) {
  const std::vector<Bytes>& deciding = (m.fits ? m.total : m.totalWithGaps).values;
  std::vector<std::size_t> order(deciding.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const std::size_t few = std::min(kTiles, order.size());
  std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(few), order.end(),
                    [&](std::size_t a, std::size_t b) { return deciding[a] != deciding[b] ? deciding[a] > deciding[b] : a < b; });
  std::vector<PreviewMemory::Tile> tiles;
  for (std::size_t i = 0; i < few; ++i)
    tiles.push_back({TileId(order[i]), m.total.values[order[i]], m.totalWithGaps.values[order[i]]});
  return tiles;
}

std::vector<PreviewMemory::Part> partsOf(const memory::TileMemory& m, const memory::Excess& excess,
                                         const PreviewMemory::Tile& at) {
  std::vector<PreviewMemory::Part> parts;
  for (const memory::TileSeries& part : m.parts) {
    const Bytes bytes = part.values[at.tile.value()];
    const auto known =
        std::find_if(excess.parts.begin(), excess.parts.end(), [&](const auto& p) { return p.category == part.category; });
    if (bytes > Bytes()) parts.push_back({part.title, bytes, known == excess.parts.end() ? bytes : bytes - known->difference});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::vector<Bytes> gaps;
  for (std::size_t t = 0; t < m.total.values.size(); ++t)
    if (m.ipuOf(t) == m.ipuOf(at.tile.value())) gaps.push_back(m.totalWithGaps.values[t] - m.total.values[t]);
  if (!m.fits && at.withGaps > at.bytes) // if a program fits, its gaps do not matter
    parts.push_back({"Gaps", at.withGaps - at.bytes, memory::medianOf(std::move(gaps))});
  return parts;
}

std::vector<PreviewMemory::Variable> variablesOn(analyser::Session& session, TileId tile) {
  std::vector<PreviewMemory::Variable> variables;
  for (const memory::PlacedVariable& v : memory::tileLayout(session, tile).variables)
    if (!v.isGap && v.own > Bytes()) variables.push_back({v.name, std::string(reports::memoryCategoryTitle(v.category)), v.own});
  std::stable_sort(variables.begin(), variables.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  variables.resize(std::min(variables.size(), kVariables));
  return variables;
}

} // namespace

PreviewMemory previewMemory(analyser::Session& session, const std::stop_token& stop) {
  PreviewMemory p;
  const memory::TileMemory m = memory::tileMemory(session, memory::Breakdown::ByCategory, stop);
  p.fullest = fullestOf(m);
  if (p.fullest.empty()) return p;
  const memory::Excess excess = memory::excessOf(session, m, p.fullest.front().tile, stop);
  p.parts = partsOf(m, excess, p.fullest.front());
  p.variables = variablesOn(session, p.fullest.front().tile);
  p.why = memory::excessSentence(excess).text();
  if (m.fits) return p;
  for (const analyser::insights::Insight& finding : analyser::insights::insights(session, stop).list)
    if (finding.lacks) p.changes.insert(p.changes.end(), finding.trials.begin(), finding.trials.end());
  return p;
}

} // namespace app::cli
