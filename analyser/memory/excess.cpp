#include "analyser/memory/excess.h"

#include "analyser/memory/verdict.h"
#include "analyser/session/words.h"

namespace analyser::memory {

namespace {
constexpr std::size_t kNamed = 3; // parts in the sentence
} // namespace

Excess excessOf(const TileMemory& memory, TileId tile) {
  Excess e;
  e.tile = tile;
  if (tile.value() >= memory.total.values.size()) return e;
  e.held = memory.total.values[tile.value()];
  e.median = memory.median;
  e.difference = e.held - e.median;
  for (const TileSeries& part : memory.parts) {
    const Bytes difference = part.values[tile.value()] - medianOf(part.values);
    if (difference != Bytes()) e.parts.push_back({part.title, part.category, difference});
  }
  std::stable_sort(e.parts.begin(), e.parts.end(),
                   [](const ExcessPart& a, const ExcessPart& b) { return a.difference > b.difference; });
  return e;
}

Sentence excessSentence(const Excess& e) {
  Sentence words;
  words << "Tile " + std::to_string(e.tile.value()) + " holds " << e.held;
  if (e.difference == Bytes()) return words << ", as much as the median tile.";
  if (e.difference < Bytes()) return words << ", " << Bytes(-e.difference.value()) << " less than the median tile.";
  words << ", " << e.difference << " more than the median tile";
  const char* before = ": ";
  for (std::size_t i = 0; i < std::min(kNamed, e.parts.size()) && e.parts[i].difference > Bytes(); ++i) {
    words << before << Sentence::Change<Bytes>{e.parts[i].difference} << " " + lowerFirst(e.parts[i].title);
    before = ", ";
  }
  return words << ".";
}

} // namespace analyser::memory
