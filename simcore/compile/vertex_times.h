// Cycles of user vertices: the estimates of their codelets, and how vertices share the workers of a tile.
#pragma once

#include "simcore/codelets/workers.h"
#include "simcore/graph/graph.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace simcore::compile {

// The vertices of one tile in table order.
struct TileLoad {
  std::vector<codelets::WorkerRun> workers;
  int64_t serial = 0; // MultiVertices and supervisors
  int64_t launch = 0;

  void add(const graph::VertexType& type, int64_t count, int64_t cycles) {
    launch = std::max(launch, type.launchCycles);
    if (type.kind != graph::Codelet::Kind::Worker)
      serial += count * cycles;
    else if (!workers.empty() && workers.back().workerCycles.value() == cycles)
      workers.back().count += count;
    else
      workers.push_back({count, reports::Cycles(cycles)});
  }
  int64_t cycles(int workerContexts) const {
    return serial + launch + (workers.empty() ? 0 : codelets::scheduleWorkers(workers, workerContexts).value());
  }
};

// Estimates of vertices; vertices with equal field sizes and state are estimated once.
class VertexEstimates {
public:
  struct Estimate {
    int64_t cycles = 0, flops = 0;
  };
  explicit VertexEstimates(const graph::Graph& graph) : m_graph(graph) {}
  // Throws Error(InvalidInput) for a negative estimate.
  Estimate of(const graph::UserVertex& v);

private:
  struct Hash {
    std::size_t operator()(const std::vector<int64_t>& key) const {
      std::size_t h = 0x9e3779b97f4a7c15ull;
      for (const int64_t k : key) h = (h ^ std::size_t(k)) * 0x100000001b3ull;
      return h;
    }
  };
  Estimate ask(const graph::UserVertex& v) const;

  const graph::Graph& m_graph;
  std::vector<int64_t> m_key;
  std::unordered_map<std::vector<int64_t>, Estimate, Hash> m_known;
};

} // namespace simcore::compile
