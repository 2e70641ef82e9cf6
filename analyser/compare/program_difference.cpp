#include "analyser/compare/program_difference.h"

#include "analyser/compare/step_pairs.h"
#include "reports/core/progress.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace analyser::compare {

namespace {

constexpr int kDeepest = 256; // limit of levels, because a damaged report may nest without end

using program::Node;
using program::Program;

class TreeAligner {
public:
  TreeAligner(const Program& base, const Program& other, const std::stop_token& stop)
      : m_base(base), m_other(other), m_pairs(base, other), m_stop(stop) {}

  ProgramDifference run() {
    m_result.base = m_base.total, m_result.other = m_other.total;
    align(m_base.roots, m_other.roots, -1, 0);
    return std::move(m_result);
  }

private:
  void align(std::span<const int> inBase, std::span<const int> inOther, int parent, int depth) {
    reports::throwIfStopped(m_stop);
    if (depth >= kDeepest) return;
    const std::vector<int> partners = m_pairs.of(inBase, inOther);
    for (std::size_t i = 0; i < inOther.size(); ++i) add(partners[i], inOther[i], parent, depth);
    const std::unordered_set<int> paired(partners.begin(), partners.end());
    for (const int i : inBase)
      if (!paired.contains(i)) add(i, -1, parent, depth);
  }

  void add(int inBase, int inOther, int parent, int depth) {
    const Node* a = inBase < 0 ? nullptr : &m_base.nodes[std::size_t(inBase)];
    const Node* b = inOther < 0 ? nullptr : &m_other.nodes[std::size_t(inOther)];
    const Node& shown = a ? *a : *b;
    ProgramDifferenceNode node;
    node.parent = parent, node.depth = depth;
    node.kind = shown.kind, node.label = shown.label, node.name = shown.name, node.activity = shown.activity;
    node.presence = a && b ? Presence::Both : a ? Presence::BaseOnly : Presence::OtherOnly;
    if (a) node.base = a->inclusive;
    if (b) node.other = b->inclusive;
    node.inBase = inBase, node.inOther = inOther;
    const int index = static_cast<int>(m_result.nodes.size());
    m_result.nodes.push_back(std::move(node));
    align(a ? m_base.childrenOf(inBase) : std::span<const int>(), b ? m_other.childrenOf(inOther) : std::span<const int>(), index,
          depth + 1);
  }

  const Program &m_base, &m_other;
  const StepPairs m_pairs;
  const std::stop_token& m_stop;
  ProgramDifference m_result;
};

// Cycles by path: a node for each part of a name, in the order of their first step.
class PathTree {
public:
  // Paths that begin with `root` are counted as if they began with `shownAs`.
  void add(const Program& program, bool isBase, const std::string& root, const std::string& shownAs) {
    for (const Node& node : program.nodes) {
      if (node.children > 0 || node.cycles == Cycles()) continue;
      int at = 0;
      count(at, node.cycles, isBase);
      std::size_t begin = 0;
      for (int depth = 0; begin <= node.name.size() && depth < kDeepest; ++depth) {
        const std::size_t end = std::min(node.name.find('/', begin), node.name.size());
        const std::string part = node.name.substr(begin, end - begin);
        if (end > begin)
          count(at = childOf(at, begin == 0 && !root.empty() && part == root ? shownAs : part), node.cycles, isBase);
        begin = end + 1;
      }
    }
  }

  ProgramDifference result() const {
    ProgramDifference d;
    d.base = m_nodes[0].base, d.other = m_nodes[0].other;
    for (const int child : m_nodes[0].children) emit(child, -1, {}, d);
    return d;
  }

private:
  struct Part {
    std::string label;
    Cycles base, other;
    bool inBase = false, inOther = false;
    std::vector<int> children;
    std::unordered_map<std::string, int> byLabel;
  };

  void count(int at, Cycles cycles, bool isBase) {
    Part& part = m_nodes[std::size_t(at)];
    (isBase ? part.base : part.other) += cycles;
    (isBase ? part.inBase : part.inOther) = true;
  }

  int childOf(int at, const std::string& label) {
    const auto [it, isNew] = m_nodes[std::size_t(at)].byLabel.emplace(label, static_cast<int>(m_nodes.size()));
    const int child = it->second;
    if (isNew) {
      m_nodes[std::size_t(at)].children.push_back(child);
      m_nodes.emplace_back().label = label;
    }
    return child;
  }

  void emit(int at, int parent, const std::string& path, ProgramDifference& d) const {
    const Part& part = m_nodes[std::size_t(at)];
    ProgramDifferenceNode node;
    node.parent = parent;
    node.depth = parent < 0 ? 0 : d.nodes[std::size_t(parent)].depth + 1;
    node.label = part.label;
    node.name = path.empty() ? part.label : path + "/" + part.label;
    node.presence = part.inBase && part.inOther ? Presence::Both : part.inBase ? Presence::BaseOnly : Presence::OtherOnly;
    node.base = part.base, node.other = part.other;
    const int index = static_cast<int>(d.nodes.size());
    const std::string name = node.name;
    d.nodes.push_back(std::move(node));
    for (const int child : part.children) emit(child, index, name, d);
  }

  std::vector<Part> m_nodes{1};
};

} // namespace

ProgramDifference pathDifference(const Program& base, const Program& other) {
  PathTree tree;
  // Steps of two models are compared below the models' names.
  const std::string rootA = rootOfNames(base), rootB = rootOfNames(other);
  const bool areTwo = !rootA.empty() && !rootB.empty() && rootA != rootB;
  const std::string both = rootB + " (A: " + rootA + ")";
  tree.add(other, false, areTwo ? rootB : "", both);
  tree.add(base, true, areTwo ? rootA : "", both);
  return tree.result();
}

ProgramDifference programDifference(const Program& base, const Program& other, std::stop_token stop) {
  return TreeAligner(base, other, stop).run();
}

Sentence timeVerdict(Cycles base, Cycles other, bool isSum) {
  Sentence verdict;
  if (isSum) verdict << "Added up, ";
  if (base == other) return verdict << (isSum ? "the steps of both take " : "Both take ") << base;
  verdict << (isSum ? "the steps of B take " : "B takes ") << other << (isSum ? ", those of A " : ", A ") << base << ": ";
  if (base == Cycles()) return verdict << Sentence::Change<Cycles>{other - base};
  return verdict << Sentence::Percent{std::abs(ratio(other, base) - 1)} << (other > base ? " more" : " fewer");
}

Sentence programVerdict(const ProgramDifference& steps, bool isSum) {
  const auto only = [&](Presence presence) {
    return std::count_if(steps.nodes.begin(), steps.nodes.end(), [&](const auto& node) { return node.presence == presence; });
  };
  const int64_t onlyBase = only(Presence::BaseOnly), onlyOther = only(Presence::OtherOnly);
  Sentence verdict = timeVerdict(steps.base, steps.other, isSum);
  if (onlyBase + onlyOther == 0) return verdict << "; both have the same steps.";
  return verdict << "; " << onlyBase << " steps are only in A, " << onlyOther << " only in B.";
}

} // namespace analyser::compare
