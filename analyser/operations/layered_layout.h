// Places the nodes of a directed graph in layers from left to right, so that edges lead onwards, cross rarely and bend little:
// the method of Sugiyama, Tagawa and Toda (1981), with medians for the order and isotonic regression for the heights.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace analyser::operations {

struct LayoutEdge {
  int from = 0, to = 0; // indices of nodes; an edge to an earlier node is drawn backwards
};
struct LayoutPoint {
  double x = 0, y = 0;
};
struct LayoutSizes {
  double nodeWidth = 168, nodeHeight = 44, layerGap = 72, rowGap = 16;
};
struct LayeredLayout {
  std::vector<LayoutPoint> nodes; // centres
  std::vector<std::vector<LayoutPoint>>
      edges;                    // points of each edge: the side of its first node, its bends, the side of its second node
  double width = 0, height = 0; // everything is within [0, width] x [0, height]
  int64_t crossings = 0;
};
// Lays out a graph of this number of nodes. Most edges should lead from a node to a later one. The work is bounded, even for
// graphs with many circles: 10,000 nodes with 30,000 edges take well below a second.
LayeredLayout layeredLayout(std::size_t nodes, const std::vector<LayoutEdge>& edges, const LayoutSizes& sizes = {});

} // namespace analyser::operations
