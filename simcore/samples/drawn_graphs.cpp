#include "simcore/samples/drawn_graphs.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace simcore::samples {

namespace {

class GraphDrawing {
public:
  GraphDrawing(int64_t nodes, int64_t edges, uint64_t seed)
      : m_nodes(nodes), m_edges(edges), m_random(seed * 0x9e3779b97f4a7c15ull + 7) {
    graph.nodes = nodes;
  }
  int64_t below(int64_t limit) { return int64_t(m_random() % uint64_t(limit)); }
  double real() { return double(m_random() >> 11) * 0x1p-53; }
  // Whether this many more nodes and edges fit; the last node is padding.
  bool hasRoom(int64_t nodes, int64_t edges) const {
    return int64_t(graph.part.size()) + nodes < m_nodes && int64_t(graph.from.size()) + edges <= m_edges;
  }
  void edge(int64_t a, int64_t b) {
    graph.from.push_back(int32_t(a));
    graph.to.push_back(int32_t(b));
  }
  DrawnGraph finish(int64_t lastPart) {
    while (int64_t(graph.part.size()) < m_nodes) graph.part.push_back(int32_t(lastPart));
    while (int64_t(graph.from.size()) < m_edges) edge(m_nodes - 1, m_nodes - 1);
    if (!graph.positions.empty()) graph.positions.resize(std::size_t(3 * m_nodes), 0.0f);
    return std::move(graph);
  }
  DrawnGraph graph;

private:
  int64_t m_nodes, m_edges;
  std::mt19937_64 m_random;
};

constexpr int64_t kLeastAtoms = 8, kMostAtoms = 24;
constexpr double kBond = 1.5; // angstrom

} // namespace

DrawnGraph drawnCommunities(int64_t nodes, int64_t edges, int64_t classes, uint64_t seed) {
  GraphDrawing d(nodes, edges, seed);
  for (int64_t i = 0; i + 1 < nodes; ++i) d.graph.part.push_back(int32_t(i % classes));
  while (nodes > 1 && int64_t(d.graph.from.size()) < edges) {
    const int64_t a = d.below(nodes - 1), same = a % classes + classes * d.below((nodes - 2 - a % classes) / classes + 1);
    d.edge(a, d.below(4) ? same : d.below(nodes - 1));
  }
  return d.finish(-1);
}

DrawnGraph packedMolecules(int64_t nodes, int64_t edges, int64_t molecules, uint64_t seed) {
  GraphDrawing d(nodes, edges, seed);
  for (int64_t m = 0; m + 1 < molecules; ++m) {
    const int64_t atoms = kLeastAtoms + d.below(kMostAtoms - kLeastAtoms + 1), ring = std::min<int64_t>(atoms, 5 + d.below(2)),
                  first = int64_t(d.graph.part.size());
    if (!d.hasRoom(atoms, 2 * atoms)) break;
    const auto bond = [&](int64_t a, int64_t b) { d.edge(first + a, first + b), d.edge(first + b, first + a); };
    for (int64_t i = 0; i < atoms; ++i) {
      d.graph.part.push_back(int32_t(m));
      if (i < ring)
        bond(i, (i + 1) % ring);
      else
        bond(i, d.below(i));
    }
  }
  return d.finish(molecules - 1);
}

DrawnGraph packedAtoms(int64_t nodes, int64_t edges, int64_t molecules, double cutoff, uint64_t seed) {
  GraphDrawing d(nodes, edges, seed);
  for (int64_t m = 0; m + 1 < molecules; ++m) {
    const int64_t atoms = kLeastAtoms + d.below(kMostAtoms - kLeastAtoms + 1), first = int64_t(d.graph.part.size());
    std::vector<float> at{0, 0, 0}; // each atom is one bond length from an earlier one
    for (int64_t i = 1; i < atoms; ++i) {
      const int64_t near = d.below(i);
      const double z = 2 * d.real() - 1, turn = 2 * M_PI * d.real(), flat = std::sqrt(1 - z * z);
      const double way[3] = {flat * std::cos(turn), flat * std::sin(turn), z};
      for (std::size_t c = 0; c < 3; ++c) at.push_back(at[std::size_t(3 * near) + c] + float(kBond * way[c]));
    }
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t a = 0; a < atoms; ++a)
      for (int64_t b = 0; b < atoms; ++b) {
        double square = 0;
        for (std::size_t c = 0; c < 3; ++c) square += std::pow(at[std::size_t(3 * a) + c] - at[std::size_t(3 * b) + c], 2);
        if (a != b && square < cutoff * cutoff) pairs.emplace_back(a, b);
      }
    if (!d.hasRoom(atoms, int64_t(pairs.size()))) break;
    for (int64_t i = 0; i < atoms; ++i) d.graph.part.push_back(int32_t(m));
    d.graph.positions.insert(d.graph.positions.end(), at.begin(), at.end());
    for (const auto& [a, b] : pairs) d.edge(first + a, first + b);
  }
  if (d.graph.positions.empty()) d.graph.positions.resize(3, 0.0f);
  return d.finish(molecules - 1);
}

} // namespace simcore::samples
