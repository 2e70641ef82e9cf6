#include "analyser/insights/largest.h"

#include "analyser/memory/exchange_uses.h"
#include "analyser/memory/tile_details.h"
#include "analyser/trace/saturating.h"

#include <algorithm>
#include <limits>

namespace analyser::insights {

namespace {

using LargestKind = LargestPart::Kind;

Sentence countOf(int64_t n, const std::string& one, const std::string& many) {
  Sentence words;
  return words << n << " " + (n == 1 ? one : many);
}

Evidence inMemory(std::string_view tab, std::span<const TileId> tiles) {
  Evidence evidence{.view = "memory", .words = "the list in Memory", .tab = std::string(tab)};
  if (tiles.size() == 1) evidence.tiles.assign(tiles.begin(), tiles.end());
  return evidence;
}

void addVertices(std::vector<LargestPart>& parts, Session& session, std::span<const TileId> tiles, std::size_t each,
                 const std::stop_token& stop) {
  auto types = memory::verticesByType(session, tiles, stop);
  const auto add = [&](LargestKind kind, auto bytes, auto what) {
    std::stable_sort(types.begin(), types.end(), [&](const auto& a, const auto& b) { return bytes(a) > bytes(b); });
    for (std::size_t i = 0; i < std::min(each, types.size()) && bytes(types[i]) > Bytes(); ++i)
      parts.push_back({kind, types[i].type, what(types[i]), bytes(types[i]), inMemory("vertices", tiles)});
  };
  add(
      LargestKind::VertexState, [](const memory::VertexUse& use) { return use.stateBytes; },
      [](const memory::VertexUse& use) {
        Sentence what = countOf(use.vertices, "vertex", "vertices");
        return (what << " in ").append(countOf(use.computeSets, "compute set", "compute sets"));
      });
  add(
      LargestKind::VertexCode,
      [](const memory::VertexUse& use) { return Bytes(trace::product(use.codeBytes.value(), use.tiles.value_or(1))); },
      [](const memory::VertexUse& use) {
        Sentence what;
        what << use.codeBytes << " ";
        if (!use.tiles)
          what << "on an unknown number of tiles, counted once";
        else if (*use.tiles == 1)
          what << "on one tile";
        else
          (what << "on each of ").append(countOf(*use.tiles, "tile", "tiles"));
        return (what << "; ").append(countOf(use.computeSets, "compute set uses it", "compute sets use it"));
      });
}

void addVariables(std::vector<LargestPart>& parts, Session& session, std::span<const TileId> tiles, std::size_t each,
                  const std::stop_token& stop) {
  std::size_t found = 0;
  for (auto& use : memory::topVariables(session, std::numeric_limits<std::size_t>::max(), tiles, stop)) {
    if (!use.alwaysLive || use.category != reports::MemoryCategory::Variable || use.total <= Bytes()) continue;
    Evidence evidence = inMemory("variables", tiles);
    evidence.variable = use.variable;
    evidence.words = "the variable in Memory";
    Sentence what;
    (what << use.elementType + " " + use.shape + " on ").append(countOf(use.tiles, "tile", "tiles"));
    parts.push_back({LargestKind::Variable, std::move(use.name), std::move(what), use.total, std::move(evidence)});
    if (++found == each) break;
  }
}

void addExchanges(std::vector<LargestPart>& parts, Session& session, std::span<const TileId> tiles, std::size_t each,
                  const std::stop_token& stop) {
  auto exchanges = memory::exchangesOn(session, tiles, stop).uses;
  const auto codeOf = [&](const memory::ExchangeUse& use) { return tiles.empty() ? use.code : use.codeHere.value_or(Bytes()); };
  std::stable_sort(exchanges.begin(), exchanges.end(), [&](const auto& a, const auto& b) { return codeOf(a) > codeOf(b); });
  for (std::size_t i = 0; i < std::min(each, exchanges.size()) && codeOf(exchanges[i]) > Bytes(); ++i) {
    memory::ExchangeUse& use = exchanges[i];
    Evidence evidence{.view = "program", .step = use.step, .words = "the step in Program"};
    Sentence what;
    what << use.kind + " exchange of ";
    if (use.messages > 0)
      what.append(countOf(use.messages, "message", "messages"));
    else
      what << use.total;
    parts.push_back({LargestKind::ExchangeCode, std::move(use.name), std::move(what), codeOf(use), std::move(evidence)});
  }
}

} // namespace

std::string_view kindTitle(LargestKind kind) {
  switch (kind) {
  case LargestKind::VertexState: return "Vertex state";
  case LargestKind::VertexCode: return "Vertex code";
  case LargestKind::Variable: return "Always-live variable";
  case LargestKind::ExchangeCode: return "Exchange code";
  }
  return "";
}

std::vector<LargestPart> largestParts(Session& session, std::span<const TileId> tiles, std::size_t each, std::stop_token stop) {
  std::vector<LargestPart> parts;
  addVertices(parts, session, tiles, each, stop);
  addVariables(parts, session, tiles, each, stop);
  addExchanges(parts, session, tiles, each, stop);
  return parts;
}

const columns::Columns<LargestPart>& largestColumns() {
  using columns::Kind;
  static const columns::Columns<LargestPart> columns = {
      {"kind", "Kind", Kind::Text, "", [](const LargestPart& part) { return kindTitle(part.kind); }},
      {"name", "Name", Kind::Name, "", &LargestPart::name},
      {"bytes", "Bytes", Kind::Bytes,
       "Bytes on the tiles chosen above; vertex code counts once, although every tile with such a vertex has a copy",
       &LargestPart::bytes},
      {"whatItIs", "What it is", Kind::Text, "", [](const LargestPart& part) { return part.what.text(); }}};
  return columns;
}

columns::Subjects subjectsOf(const LargestPart& part) {
  if (part.kind == LargestKind::VertexState || part.kind == LargestKind::VertexCode)
    return {{columns::Thing::VertexType, -1, part.name}};
  if (part.evidence.variable.valid()) return columns::about(columns::Thing::Variable, part.evidence.variable);
  return columns::about(columns::Thing::Step, part.evidence.step);
}

} // namespace analyser::insights
