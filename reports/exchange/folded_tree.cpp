#include "reports/exchange/folded_tree.h"

#include "reports/exchange/json_scan.h"

namespace reports::exchange {

bool FoldedTree::add(std::span<const uint32_t> frames, std::array<int64_t, 2> weights) {
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] >= kMostScaled - m_nodes[0].totals[i]) return false;
  const auto weigh = [&](Node& node) {
    for (std::size_t i = 0; i < weights.size(); ++i) node.totals[i] += weights[i];
  };
  std::size_t node = 0;
  weigh(m_nodes[0]);
  for (const uint32_t frame : frames) {
    node = childOf(node, frame);
    weigh(m_nodes[node]);
  }
  return true;
}

std::size_t FoldedTree::childOf(std::size_t parent, uint32_t name) {
  const auto [found, isNew] = m_children.emplace(uint64_t(parent) << 32 | name, m_nodes.size());
  if (isNew) {
    m_nodes[parent].children.push_back(m_nodes.size());
    m_nodes.push_back({name, {}, {}});
  }
  return found->second;
}

void FoldedTree::layOut(std::size_t profile, std::size_t process, const std::string& name, const std::string& channelName,
                        bool onlyWeighted) {
  const std::size_t track = m_assembly.addTrack(process, name);
  m_assembly.tracks()[track].rowKind = "sample";
  const uint8_t channel = m_assembly.channel(channelName);
  auto& slices = m_assembly.tracks()[track].slices;
  struct Visit {
    std::size_t node;
    int64_t start;
  };
  std::vector<Visit> todo{{0, 0}};
  for (uint32_t order = 0; !todo.empty();) {
    const Visit visit = todo.back();
    todo.pop_back();
    const Node& node = m_nodes[visit.node];
    const int64_t total = node.totals[profile];
    if (onlyWeighted && total == 0) continue;
    if (visit.node != 0) slices.push_back({visit.start, visit.start + total, node.name, -1, order++, channel, 0});
    int64_t end = visit.start; // end of the last child; the node's own samples are after it
    for (const std::size_t child : node.children) end += m_nodes[child].totals[profile];
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
      end -= m_nodes[*child].totals[profile];
      todo.push_back({*child, end});
    }
  }
  ImportCounts& counts = m_assembly.counts();
  counts.slices += int64_t(slices.size());
  ++counts.threads;
  m_assembly.source().see(0);
  m_assembly.source().see(total(profile));
  for (const TraceSlice& s : slices) m_assembly.see(s.start, s.name);
}

} // namespace reports::exchange
