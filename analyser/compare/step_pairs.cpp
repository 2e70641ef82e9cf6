#include "analyser/compare/step_pairs.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

namespace analyser::compare {

using program::Node;
using program::Program;

namespace {

constexpr std::size_t kMostInside = 4096;   // steps of a function that are compared
constexpr std::size_t kMostTried = 1 << 16; // pairs of functions that are compared
constexpr double kLeastAlike = 0.5;

std::string labelKey(const Node& node) { return node.kind + '\n' + node.label; }

// Positions (base, other) of the keys that occur once in both lists, as their longest common subsequence.
std::vector<std::pair<int, int>> anchorsOf(const std::vector<std::string>& base, const std::vector<std::string>& other) {
  constexpr int kSeveral = -2;
  const auto placesOf = [](const std::vector<std::string>& keys) {
    std::unordered_map<std::string, int> places;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (const auto [it, isNew] = places.emplace(keys[i], int(i)); !isNew) it->second = kSeveral;
    return places;
  };
  const auto inBase = placesOf(base), inOther = placesOf(other);
  std::vector<std::pair<int, int>> both; // in the order of other
  for (std::size_t i = 0; i < other.size(); ++i) {
    const auto found = inBase.find(other[i]);
    if (found != inBase.end() && found->second >= 0 && inOther.at(other[i]) >= 0) both.emplace_back(found->second, int(i));
  }
  // The longest increasing sequence of positions in the base.
  std::vector<int> ends, before(both.size(), -1);
  for (std::size_t i = 0; i < both.size(); ++i) {
    const auto at = std::lower_bound(ends.begin(), ends.end(), both[i].first,
                                     [&](int end, int place) { return both[std::size_t(end)].first < place; });
    if (at != ends.begin()) before[i] = *std::prev(at);
    if (at == ends.end())
      ends.push_back(int(i));
    else
      *at = int(i);
  }
  std::vector<std::pair<int, int>> anchors;
  for (int at = ends.empty() ? -1 : ends.back(); at >= 0; at = before[std::size_t(at)]) anchors.push_back(both[std::size_t(at)]);
  std::reverse(anchors.begin(), anchors.end());
  return anchors;
}

// Pairs equal keys within two ranges of the lists: the n-th unpaired step of a key with the n-th.
void pairEqual(const std::vector<std::string>& base, const std::vector<std::string>& other, std::pair<int, int> inBase,
               std::pair<int, int> inOther, std::vector<int>& pairs, std::vector<bool>& taken) {
  std::unordered_map<std::string, std::pair<std::vector<int>, std::size_t>> free; // positions, and how many of them are taken
  for (int i = inBase.first; i < inBase.second; ++i)
    if (!taken[std::size_t(i)]) free[base[std::size_t(i)]].first.push_back(i);
  if (free.empty()) return;
  for (int i = inOther.first; i < inOther.second; ++i) {
    if (pairs[std::size_t(i)] >= 0) continue;
    const auto found = free.find(other[std::size_t(i)]);
    if (found == free.end() || found->second.second == found->second.first.size()) continue;
    const int place = found->second.first[found->second.second++];
    pairs[std::size_t(i)] = place;
    taken[std::size_t(place)] = true;
  }
}

} // namespace

std::string rootOfNames(const Program& program) {
  const auto firstPart = [](const std::string& path) { return path.substr(0, path.find('/')); };
  std::unordered_map<std::string, Cycles> cycles;
  Cycles all;
  for (const Node& node : program.nodes)
    if (node.children == 0) cycles[firstPart(node.name)] += node.cycles, all += node.cycles;
  for (const auto& [root, own] : cycles)
    if (own + own > all) return root;
  return {};
}

StepPairs::StepPairs(const Program& base, const Program& other)
    : m_base(base), m_other(other), m_rootOfBase(rootOfNames(base)), m_rootOfOther(rootOfNames(other)) {
  if (m_rootOfBase.empty() || m_rootOfOther.empty() || m_rootOfBase == m_rootOfOther) m_rootOfBase.clear(), m_rootOfOther.clear();
}

std::vector<std::string> StepPairs::fullKeys(const Program& program, std::span<const int> nodes, const std::string& root) const {
  std::vector<std::string> keys;
  keys.reserve(nodes.size());
  for (const int n : nodes) {
    const Node& node = program.nodes[std::size_t(n)];
    const bool isBelow = !root.empty() && node.name.starts_with(root + "/");
    std::string name = isBelow ? node.name.substr(root.size()) : node.name;
    if (node.kind == "Call") // drops the callee, e.g. "layer0 (shared by 2 layers)": other layers may share it
      name.erase(std::min(name.size(), name.rfind('/')));
    keys.push_back(node.kind + '\n' + name);
  }
  return keys;
}

std::vector<std::size_t> StepPairs::kindsInside(const Program& program, int node) const {
  std::vector<std::size_t> kinds;
  const int depth = program.nodes[std::size_t(node)].depth;
  for (std::size_t i = std::size_t(node) + 1;
       i < program.nodes.size() && program.nodes[i].depth > depth && kinds.size() < kMostInside; ++i)
    kinds.push_back(std::hash<std::string>()(labelKey(program.nodes[i])));
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

void StepPairs::pairAlike(std::span<const int> inBase, std::span<const int> inOther, std::vector<int>& pairs,
                          std::vector<bool>& taken) const {
  struct Open {
    int place = 0;
    const Node* node = nullptr;
    std::vector<std::size_t> inside;
  };
  const auto openOf = [&](const Program& program, std::span<const int> nodes, const auto& isFree) {
    std::vector<Open> open;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (const Node& node = program.nodes[std::size_t(nodes[i])]; isFree(i) && node.children > 0)
        open.push_back({int(i), &node, kindsInside(program, nodes[i])});
    return open;
  };
  const auto a = openOf(m_base, inBase, [&](std::size_t i) { return !taken[i]; }),
             b = openOf(m_other, inOther, [&](std::size_t i) { return pairs[i] < 0; });
  if (a.empty() || b.empty() || a.size() * b.size() > kMostTried) return;
  struct Alike {
    double share = 0;
    int inBase = 0, inOther = 0;
  };
  std::vector<Alike> alike;
  std::vector<std::size_t> common;
  for (const Open& x : a)
    for (const Open& y : b) {
      if (x.node->kind != y.node->kind) continue;
      common.clear();
      std::set_intersection(x.inside.begin(), x.inside.end(), y.inside.begin(), y.inside.end(), std::back_inserter(common));
      const double share = 2.0 * double(common.size()) / double(std::max<std::size_t>(1, x.inside.size() + y.inside.size()));
      if (share >= kLeastAlike) alike.push_back({share, x.place, y.place});
    }
  std::stable_sort(alike.begin(), alike.end(), [](const Alike& x, const Alike& y) { return x.share > y.share; });
  for (const Alike& pair : alike) {
    if (taken[std::size_t(pair.inBase)] || pairs[std::size_t(pair.inOther)] >= 0) continue;
    pairs[std::size_t(pair.inOther)] = pair.inBase;
    taken[std::size_t(pair.inBase)] = true;
  }
}

std::vector<int> StepPairs::of(std::span<const int> inBase, std::span<const int> inOther) const {
  const auto namesOfBase = fullKeys(m_base, inBase, m_rootOfBase), namesOfOther = fullKeys(m_other, inOther, m_rootOfOther);
  const std::pair all{0, int(inBase.size())}, allOther{0, int(inOther.size())};
  std::vector<int> pairs(inOther.size(), -1);
  std::vector<bool> taken(inBase.size(), false);
  auto anchors = anchorsOf(namesOfBase, namesOfOther);
  for (const auto& [a, b] : anchors) pairs[std::size_t(b)] = a, taken[std::size_t(a)] = true;
  anchors.emplace_back(all.second, allOther.second);
  std::vector<std::string> labelsOfBase, labelsOfOther;
  for (const int n : inBase) labelsOfBase.push_back(labelKey(m_base.nodes[std::size_t(n)]));
  for (const int n : inOther) labelsOfOther.push_back(labelKey(m_other.nodes[std::size_t(n)]));
  const auto betweenAnchors = [&](const auto& base, const auto& other) {
    std::pair from{0, 0};
    for (const auto& [a, b] : anchors) {
      pairEqual(base, other, {from.first, a}, {from.second, b}, pairs, taken);
      from = {a + 1, b + 1};
    }
  };
  betweenAnchors(namesOfBase, namesOfOther);
  pairEqual(namesOfBase, namesOfOther, all, allOther, pairs, taken);
  pairAlike(inBase, inOther, pairs, taken);
  betweenAnchors(labelsOfBase, labelsOfOther);
  pairEqual(labelsOfBase, labelsOfOther, all, allOther, pairs, taken);
  for (int& place : pairs)
    if (place >= 0) place = inBase[std::size_t(place)];
  return pairs;
}

} // namespace analyser::compare
