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

using TitlePath = std::vector<std::string>;
struct TitledBytes {
  TitlePath path; // titles from the root down
  Bytes bytes;
};

std::vector<TitledBytes> linesOf(Session& session, std::span<const TileId> selection, const std::stop_token& stop) {
  const std::vector<TileId> tiles = tilesThere(session, selection);
  if (tiles.empty() && !selection.empty()) return {};
  std::vector<TitledBytes> lines;
  TitlePath path;
  for (const auto& row : inReport(session, [&] { return memory::tileDetails(session, tiles, stop); }).rows) {
    path.resize(std::min(path.size(), std::size_t(std::max(0, row.depth))));
    path.push_back(row.title);
    if (row.isText) continue;
    Bytes sum;
    for (const Bytes bytes : row.values) sum += bytes;
    lines.push_back({path, sum});
  }
  return lines;
}

// The position of a line in only one report: after the last line below its parent.
std::size_t placeOf(const std::vector<TitlePath>& order, const TitlePath& path) {
  for (std::size_t i = order.size(); i > 0; --i) {
    const TitlePath& there = order[i - 1];
    if (path.size() == 1 || (there.size() >= path.size() - 1 && std::equal(path.begin(), path.end() - 1, there.begin())))
      return i;
  }
  return order.size();
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

std::vector<DetailsDifferenceRow> detailsDifference(Session& base, Session& other, std::span<const TileId> selection,
                                                    std::stop_token stop) {
  const auto a = linesOf(base, selection, stop), b = linesOf(other, selection, stop);
  std::map<TitlePath, Bytes> inBase, inOther;
  std::vector<TitlePath> order;
  for (const TitledBytes& line : a) {
    inBase[line.path] = line.bytes;
    order.push_back(line.path);
  }
  for (const TitledBytes& line : b) {
    inOther[line.path] = line.bytes;
    if (!inBase.contains(line.path)) order.insert(order.begin() + std::ptrdiff_t(placeOf(order, line.path)), line.path);
  }
  std::vector<DetailsDifferenceRow> rows;
  for (const TitlePath& path : order) {
    const auto x = inBase.find(path), y = inOther.find(path);
    DetailsDifferenceRow row;
    row.depth = int(path.size()) - 1;
    row.title = path.back();
    row.presence = x == inBase.end() ? Presence::OtherOnly : y == inOther.end() ? Presence::BaseOnly : Presence::Both;
    if (x != inBase.end()) row.base = x->second;
    if (y != inOther.end()) row.other = y->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

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

std::vector<Bytes> tileDifferences(const memory::TileSeries& base, const memory::TileSeries& other) {
  std::vector<Bytes> differences(std::max(base.values.size(), other.values.size()));
  for (std::size_t t = 0; t < differences.size(); ++t) {
    if (t < other.values.size()) differences[t] += other.values[t];
    if (t < base.values.size()) differences[t] -= base.values[t];
  }
  return differences;
}

} // namespace analyser::compare
