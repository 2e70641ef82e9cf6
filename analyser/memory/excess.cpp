#include "analyser/memory/excess.h"

#include "analyser/memory/exchange_uses.h"
#include "analyser/memory/tile_details.h"
#include "analyser/memory/verdict.h"
#include "analyser/session/words.h"
#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <span>
#include <tuple>
#include <unordered_map>

namespace analyser::memory {

namespace {
constexpr std::size_t kNamed = 3;       // parts in the sentence
constexpr double kLeastPartNamed = 0.1; // share of the difference: a variable with less is not named

// The values on the tiles of one IPU.
std::span<const Bytes> valuesOn(const TileMemory& memory, const std::vector<Bytes>& values, std::size_t ipu) {
  if (memory.tilesPerIpu <= 0) return values;
  const std::size_t first = std::min(values.size(), ipu * std::size_t(memory.tilesPerIpu));
  return std::span(values).subspan(first, std::min(values.size() - first, std::size_t(memory.tilesPerIpu)));
}

Bytes medianOn(const TileMemory& memory, const std::vector<Bytes>& values, std::size_t ipu) {
  const auto own = valuesOn(memory, values, ipu);
  return medianOf({own.begin(), own.end()});
}

// The bytes that each variable adds to the tile. A variable may have several pieces. Code is left out: its category names it.
std::unordered_map<reports::VariableId, PlacedVariable> ownBytes(Session& session, TileId tile) {
  std::unordered_map<reports::VariableId, PlacedVariable> own;
  for (PlacedVariable& placed : tileLayout(session, tile).variables) {
    if (!placed.variable.valid() || placed.isGap || reports::isCode(placed.category)) continue;
    const Bytes bytes = placed.own;
    const auto [known, isNew] = own.emplace(placed.variable, std::move(placed));
    if (!isNew) known->second.own += bytes;
  }
  return own;
}

bool larger(const ExcessVariable& a, const ExcessVariable& b) {
  return std::tie(b.difference, a.variable) < std::tie(a.difference, b.variable);
}

// Whether the tile is about as full as the median tile; then the difference does not show what fills it.
bool isLikeTheMedian(const Excess& e) { return e.difference * 10 < e.held; }

const char* kindOfExchange(reports::MemoryCategory code) {
  return code == reports::MemoryCategory::GlobalExchangeCode ? "global"
         : code == reports::MemoryCategory::HostExchangeCode ? "host"
                                                             : "internal";
}

// Sets the exchange of this category with the largest excess: its code on the tile minus its median over the IPU's tiles.
void nameExchange(Session& session, const TileMemory& memory, Excess& e, reports::MemoryCategory category,
                  const std::stop_token& stop) {
  const auto tiles = std::size_t(session.machine().tiles());
  const auto own = valuesOn(memory, memory.total.values, memory.ipuOf(e.tile.value()));
  const auto begin = std::ptrdiff_t(own.data() - memory.total.values.data()), end = begin + std::ptrdiff_t(own.size());
  std::optional<int64_t> most;
  session.reader().forEach<reports::ExchangeRow>(
      "kind = ?", {std::string(kindOfExchange(category))},
      [&](const reports::ExchangeRow& row) {
        if (!row.codeByTile) return;
        const reports::AmountRuns stored(*row.codeByTile, tiles, "exchange.code_by_tile");
        const Bytes here(stored.at(e.tile.value()));
        if (here <= e.exchange.difference) return;
        const std::vector<int64_t> code = stored.values();
        const Bytes median = medianOf(std::vector<Bytes>(code.begin() + begin, code.begin() + end));
        if (here - median > e.exchange.difference) e.exchange.difference = here - median, most = row.id;
      },
      stop);
  if (!most) return;
  if (const auto step = session.reader().first<reports::ProgramStepRow>("exchange_id = ?", {*most}))
    e.exchange.step = reports::ProgramStepId(std::size_t(step->id)), e.exchange.name = session.text(step->nameId);
}

// "; the largest variables there: net/weights (119 KiB), net/moment (119 KiB)".
void addLargest(Sentence& words, const Excess& e) {
  const char* before = "; the largest variables there: ";
  for (const ExcessVariable& v : e.largest) {
    words << before << Sentence::Name{v.name} << " (" << v.difference << ")";
    before = ", ";
  }
}

} // namespace

std::vector<Bytes> mediansByIpu(const TileMemory& memory) {
  std::vector<Bytes> medians;
  const std::size_t tiles = memory.total.values.size();
  for (std::size_t ipu = 0; tiles > 0 && ipu <= memory.ipuOf(tiles - 1); ++ipu)
    medians.push_back(medianOn(memory, memory.total.values, ipu));
  return medians;
}

Excess excessOf(const TileMemory& memory, TileId tile) {
  Excess e;
  e.tile = tile;
  if (tile.value() >= memory.total.values.size()) return e;
  const std::size_t ipu = memory.ipuOf(tile.value());
  if (memory.ipus > 1) e.ipu = IpuId(ipu);
  e.held = memory.total.values[tile.value()];
  e.median = medianOn(memory, memory.total.values, ipu);
  e.difference = e.held - e.median;
  for (const TileSeries& part : memory.parts) {
    const Bytes difference = part.values[tile.value()] - medianOn(memory, part.values, ipu);
    if (difference != Bytes()) e.parts.push_back({part.title, part.category, difference});
  }
  std::stable_sort(e.parts.begin(), e.parts.end(),
                   [](const ExcessPart& a, const ExcessPart& b) { return a.difference > b.difference; });
  return e;
}

Excess excessOf(Session& session, const TileMemory& memory, TileId tile, std::stop_token stop) {
  Excess e = excessOf(memory, tile);
  if (tile.value() >= memory.total.values.size()) return e;
  const auto own = ownBytes(session, tile);
  for (const auto& [id, placed] : own) e.largest.push_back({id, placed.name, placed.own});
  std::sort(e.largest.begin(), e.largest.end(), larger);
  if (e.largest.size() > kNamed) e.largest.resize(kNamed);
  if (e.difference <= Bytes()) return e;
  const auto values = valuesOn(memory, memory.total.values, memory.ipuOf(tile.value()));
  const auto middle = std::find(values.begin(), values.end(), e.median); // exists, because it is an upper median
  const auto first = std::size_t(values.data() - memory.total.values.data());
  const TileId usualTile(first + std::size_t(middle - values.begin()));
  const auto usual = ownBytes(session, usualTile);
  for (const auto& [id, placed] : own) {
    if (placed.category != reports::MemoryCategory::Variable && placed.category != reports::MemoryCategory::Constant) continue;
    const auto there = usual.find(id);
    const Bytes more = placed.own - (there == usual.end() ? Bytes() : there->second.own);
    if (more > Bytes()) e.variables.push_back({id, placed.name, more});
  }
  std::sort(e.variables.begin(), e.variables.end(), larger);
  for (std::size_t i = 0; i < std::min(kNamed, e.parts.size()) && e.parts[i].difference > Bytes(); ++i)
    if (e.parts[i].category && isExchangeCode(*e.parts[i].category)) {
      nameExchange(session, memory, e, *e.parts[i].category, stop);
      e.exchange.part = i;
      break;
    }
  return e;
}

Sentence excessSentence(const Excess& e) {
  Sentence words;
  const std::string median = e.ipu ? " the median tile of IPU " + std::to_string(e.ipu->value()) : " the median tile";
  words << "Tile " + std::to_string(e.tile.value()) + " holds " << e.held;
  if (e.difference <= Bytes()) {
    if (e.difference == Bytes())
      words << ", as much as" + median;
    else
      words << ", " << Bytes(-e.difference.value()) << " less than" + median;
    addLargest(words, e);
    return words << ".";
  }
  words << ", " << e.difference << " more than" + median;
  const char* before = ": ";
  for (std::size_t i = 0; i < std::min(kNamed, e.parts.size()) && e.parts[i].difference > Bytes(); ++i) {
    words << before << Sentence::Change<Bytes>{e.parts[i].difference} << " " + lowerFirst(e.parts[i].title);
    if (i == e.exchange.part && e.exchange.step.valid()) { // one exchange may exceed its category
      words << (e.exchange.difference <= e.parts[i].difference ? " (of it " : " (");
      words << Sentence::Change<Bytes>{e.exchange.difference} << " " << Sentence::Name{e.exchange.name};
      words << (e.exchange.difference <= e.parts[i].difference ? ")" : ", less of others)");
    }
    before = ", ";
  }
  if (isLikeTheMedian(e)) {
    addLargest(words, e);
  } else if (!e.variables.empty() && ratio(e.variables.front().difference, e.difference) >= kLeastPartNamed) {
    const ExcessVariable& largest = e.variables.front();
    // One variable may add more than the whole excess, if the tile holds less of other variables.
    const bool isMost = largest.difference <= e.difference && largest.difference + largest.difference >= e.difference;
    words << (isMost ? "; most of it " : "; among its variables ") << Sentence::Name{largest.name}
          << (isMost ? " (" : " adds most (") << Sentence::Change<Bytes>{largest.difference} << ")";
  }
  return words << ".";
}

} // namespace analyser::memory
