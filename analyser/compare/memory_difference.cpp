#include "analyser/compare/memory_difference.h"

#include "analyser/memory/tile_details.h"
#include "analyser/session/in_report.h"

#include <cstdlib>
#include <limits>
#include <tuple>

namespace analyser::compare {

namespace {

std::vector<TileId> tilesThere(const Session& session, std::span<const TileId> selection) {
  std::vector<TileId> there;
  for (const TileId tile : selection)
    if (int64_t(tile.value()) < session.machine().tiles()) there.push_back(tile);
  return there;
}

using VariableKey = std::tuple<std::string, std::string, int>; // operation, name, number of that name

std::map<VariableKey, memory::VariableUse> usesOf(Session& session, std::span<const TileId> selection,
                                                  const std::stop_token& stop) {
  const std::vector<TileId> tiles = tilesThere(session, selection);
  if (tiles.empty()) return {};
  auto all = inReport(session, [&] { return memory::topVariables(session, std::numeric_limits<int32_t>::max(), tiles, stop); });
  // Equal names are numbered in the order of the report, not by size, which may differ between the two.
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.variable < y.variable; });
  std::map<VariableKey, memory::VariableUse> uses;
  std::map<std::pair<std::string, std::string>, int> seen;
  for (auto& use : all) {
    const int number = ++seen[{use.operation, use.name}];
    uses.emplace(VariableKey(use.operation, use.name, number), std::move(use));
  }
  return uses;
}

} // namespace

std::vector<VariableDifference> variablesDifference(Session& base, Session& other, std::span<const TileId> selection,
                                                    std::stop_token stop) {
  if (selection.empty()) return compare(base, other, stop).variables;
  const auto a = usesOf(base, selection, stop), b = usesOf(other, selection, stop);
  std::vector<VariableDifference> list;
  const auto add = [&](const memory::VariableUse* x, const memory::VariableUse* y) {
    const memory::VariableUse& shown = x ? *x : *y;
    VariableDifference d{
        shown.name,     shown.operation,        x && y ? Presence::Both : x ? Presence::BaseOnly : Presence::OtherOnly,
        shown.category, x ? x->total : Bytes(), y ? y->total : Bytes()};
    if (x) d.baseId = x->variable;
    if (y) d.otherId = y->variable;
    if (d.presence != Presence::Both || d.bytes() != Bytes()) list.push_back(std::move(d));
  };
  for (const auto& [key, use] : a) {
    const auto it = b.find(key);
    add(&use, it == b.end() ? nullptr : &it->second);
  }
  for (const auto& [key, use] : b)
    if (!a.contains(key)) add(nullptr, &use);
  std::stable_sort(list.begin(), list.end(), [](const VariableDifference& x, const VariableDifference& y) {
    return std::abs(x.bytes().value()) > std::abs(y.bytes().value());
  });
  return list;
}

} // namespace analyser::compare
