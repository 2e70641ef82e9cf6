// Estimates of vertices, for Graph::setPerfEstimate and registerPerfEstimator.
#pragma once

#include <cstdint>
#include <functional>

namespace poplar {

class Target;
class VertexIntrospector; // gives information on the connections of a vertex

struct VertexPerfEstimate {
  VertexPerfEstimate() = default;
  VertexPerfEstimate(std::uint64_t vertexCycles, std::uint64_t vertexFlops = 0) : cycles(vertexCycles), flops(vertexFlops) {}
  std::uint64_t cycles = 0, flops = 0;
};
using PerfEstimateFunc = std::function<VertexPerfEstimate(const VertexIntrospector&, const Target&)>;

} // namespace poplar
