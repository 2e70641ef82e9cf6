// The tree of all call stacks of a file without times: stacks are side by side as in a flame graph, one microsecond per sample.
#pragma once

#include "reports/exchange/trace_assembly.h"

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

namespace reports::exchange {

inline constexpr int64_t kNanosecondsPerFoldedSample = 1000;

class FoldedTree {
public:
  explicit FoldedTree(TraceAssembly& assembly) : m_assembly(assembly), m_nodes(1) {}
  // Adds a stack; frames start with the outermost. Weights are in nanoseconds; the second one belongs to a second profile. Adds
  // nothing and returns false if the sum of all weights would exceed the largest time.
  bool add(std::span<const uint32_t> frames, std::array<int64_t, 2> weights);
  std::size_t nodes() const { return m_nodes.size() - 1; }
  bool isEmpty() const { return m_nodes.size() == 1; }
  int64_t total(std::size_t profile) const { return m_nodes[0].totals[profile]; }
  // Adds a track with the stacks of a profile. `onlyWeighted` leaves out frames without weight.
  void layOut(std::size_t profile, std::size_t process, const std::string& name, const std::string& channel, bool onlyWeighted);

private:
  // Children in the order of their first stack.
  struct Node {
    uint32_t name = 0;
    std::array<int64_t, 2> totals{};
    std::vector<std::size_t> children;
  };
  std::size_t childOf(std::size_t parent, uint32_t name);
  TraceAssembly& m_assembly;
  std::vector<Node> m_nodes; // the first is the root of all stacks
  std::unordered_map<uint64_t, std::size_t> m_children;
};

} // namespace reports::exchange
