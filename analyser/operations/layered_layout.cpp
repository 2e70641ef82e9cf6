#include "analyser/operations/layered_layout.h"

#include <algorithm>
#include <numeric>

namespace analyser::operations {

namespace {

constexpr std::size_t kMostBends = 60'000; // limit for all edges together; edges beyond it are drawn straight
constexpr int kSweeps = 12;
constexpr int64_t kMostVisits = 6'000'000; // limit of visits of edges, over all sweeps
constexpr int kHeightPasses = 6;

class Layering {
public:
  Layering(std::size_t nodes, const std::vector<LayoutEdge>& edges, const LayoutSizes& sizes)
      : m_nodes(nodes), m_edges(edges), m_sizes(sizes) {
    chooseLayers();
    addBends();
    chooseOrder();
    chooseHeights();
  }

  LayeredLayout layout() const {
    LayeredLayout out;
    out.crossings = m_crossings;
    for (std::size_t v = 0; v < m_layer.size(); ++v) {
      out.width = std::max(out.width, xOf(v) + m_sizes.nodeWidth / 2);
      out.height = std::max(out.height, m_y[v] + m_sizes.nodeHeight / 2);
    }
    for (std::size_t v = 0; v < m_nodes; ++v) out.nodes.push_back({xOf(v), m_y[v]});
    for (std::size_t e = 0; e < m_edges.size(); ++e) {
      const auto from = std::size_t(m_edges[e].from), to = std::size_t(m_edges[e].to);
      const double side = m_layer[from] <= m_layer[to] ? m_sizes.nodeWidth / 2 : -m_sizes.nodeWidth / 2;
      std::vector<LayoutPoint> path{{xOf(from) + side, m_y[from]}};
      for (const std::size_t bend : m_bends[e]) path.push_back({xOf(bend), m_y[bend]});
      path.push_back({xOf(to) - side, m_y[to]});
      out.edges.push_back(std::move(path));
    }
    return out;
  }

private:
  using Indices = std::vector<std::size_t>;

  double xOf(std::size_t v) const { return m_sizes.nodeWidth / 2 + double(m_layer[v]) * (m_sizes.nodeWidth + m_sizes.layerGap); }
  double heightOf(std::size_t v) const { return v < m_nodes ? m_sizes.nodeHeight : m_sizes.rowGap / 2; }

  // A node's layer is its longest path from a source; a source moves close to the first node that it leads to.
  void chooseLayers() {
    m_layer.assign(m_nodes, 0);
    Indices byStart(m_edges.size());
    std::iota(byStart.begin(), byStart.end(), std::size_t(0));
    const auto early = [&](std::size_t e) { return std::min(m_edges[e].from, m_edges[e].to); };
    const auto late = [&](std::size_t e) { return std::max(m_edges[e].from, m_edges[e].to); };
    std::sort(byStart.begin(), byStart.end(), [&](std::size_t a, std::size_t b) { return early(a) < early(b); });
    std::vector<bool> isReached(m_nodes, false);
    for (const std::size_t e : byStart) {
      const auto from = std::size_t(early(e)), to = std::size_t(late(e));
      if (from == to) continue;
      m_layer[to] = std::max(m_layer[to], m_layer[from] + 1);
      isReached[to] = true;
    }
    std::vector<int> nearest(m_nodes, INT32_MAX);
    for (std::size_t e = 0; e < m_edges.size(); ++e)
      if (early(e) != late(e))
        nearest[std::size_t(early(e))] = std::min(nearest[std::size_t(early(e))], m_layer[std::size_t(late(e))]);
    for (std::size_t v = 0; v < m_nodes; ++v)
      if (!isReached[v] && nearest[v] != INT32_MAX) m_layer[v] = nearest[v] - 1;
  }

  // An edge over several layers bends in each, so that it goes around the nodes there.
  void addBends() {
    m_bends.resize(m_edges.size());
    std::size_t bends = 0;
    std::vector<std::pair<std::size_t, std::size_t>> links;
    for (std::size_t e = 0; e < m_edges.size(); ++e) {
      const auto from = std::size_t(m_edges[e].from), to = std::size_t(m_edges[e].to);
      if (m_layer[from] == m_layer[to]) continue;
      const int step = m_layer[from] < m_layer[to] ? 1 : -1;
      const auto span = std::size_t(std::abs(m_layer[to] - m_layer[from]) - 1);
      if (bends + span > kMostBends) continue;
      bends += span;
      std::size_t before = from;
      for (int layer = m_layer[from] + step; layer != m_layer[to]; layer += step) {
        m_layer.push_back(layer);
        m_bends[e].push_back(m_layer.size() - 1);
        links.push_back({before, m_layer.size() - 1});
        before = m_layer.size() - 1;
      }
      links.push_back({before, to});
    }
    m_left.resize(m_layer.size());
    m_right.resize(m_layer.size());
    for (auto [a, b] : links) {
      if (m_layer[a] > m_layer[b]) std::swap(a, b);
      m_right[a].push_back(b);
      m_left[b].push_back(a);
    }
    const int last = m_layer.empty() ? 0 : *std::max_element(m_layer.begin(), m_layer.end());
    m_rows.resize(std::size_t(last) + 1);
    for (std::size_t v = 0; v < m_layer.size(); ++v) m_rows[std::size_t(m_layer[v])].push_back(v);
  }

  void number() {
    m_place.resize(m_layer.size());
    for (const Indices& row : m_rows)
      for (std::size_t i = 0; i < row.size(); ++i) m_place[row[i]] = i;
  }

  // The nodes of a layer go to the medians of their neighbours, sweep after sweep; the best order is kept.
  void chooseOrder() {
    number();
    m_crossings = crossings();
    std::vector<Indices> best = m_rows;
    int64_t visits = 0, each = 1;
    for (const Indices& neighbours : m_right) each += int64_t(neighbours.size());
    for (int sweep = 0; sweep < kSweeps && m_crossings > 0 && visits < kMostVisits; ++sweep, visits += 2 * each) {
      const bool rightwards = sweep % 2 == 0;
      for (std::size_t i = 0; i < m_rows.size(); ++i)
        orderRow(m_rows[rightwards ? i : m_rows.size() - 1 - i], rightwards ? m_left : m_right);
      if (const int64_t now = crossings(); now < m_crossings) m_crossings = now, best = m_rows;
    }
    m_rows = std::move(best);
    number();
  }

  void orderRow(Indices& row, const std::vector<Indices>& neighbours) {
    std::vector<std::pair<double, std::size_t>> wanted;
    for (const std::size_t v : row) {
      std::vector<double> places;
      for (const std::size_t n : neighbours[v]) places.push_back(double(m_place[n]));
      wanted.push_back({places.empty() ? double(m_place[v]) : median(places), v});
    }
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = wanted[i].second, m_place[row[i]] = i;
  }

  static double median(std::vector<double>& values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
  }

  // Pairs of edges between neighbouring layers that cross: inversions, counted in a Fenwick tree.
  int64_t crossings() const {
    int64_t total = 0;
    for (std::size_t layer = 0; layer + 1 < m_rows.size(); ++layer) {
      const std::size_t size = m_rows[layer + 1].size();
      std::vector<int64_t> tree(size + 1, 0);
      int64_t seen = 0;
      for (const std::size_t v : m_rows[layer]) {
        for (const std::size_t n : m_right[v]) {
          int64_t atMost = 0;
          for (std::size_t i = m_place[n] + 1; i > 0; i &= i - 1) atMost += tree[i];
          total += seen - atMost;
        }
        for (const std::size_t n : m_right[v]) {
          for (std::size_t i = m_place[n] + 1; i <= size; i += i & (~i + 1)) ++tree[i];
          ++seen;
        }
      }
    }
    return total;
  }

  // Each layer in turn moves as close to the middles of its neighbours as its order and the gaps allow.
  void chooseHeights() {
    m_y.assign(m_layer.size(), 0);
    for (const Indices& row : m_rows) {
      double at = 0;
      for (const std::size_t v : row) {
        m_y[v] = at + heightOf(v) / 2;
        at += heightOf(v) + m_sizes.rowGap;
      }
    }
    for (int pass = 0; pass < kHeightPasses; ++pass) {
      const bool rightwards = pass % 2 == 0;
      for (std::size_t i = 0; i < m_rows.size(); ++i)
        placeRow(m_rows[rightwards ? i : m_rows.size() - 1 - i], rightwards ? m_left : m_right);
    }
    double top = 0;
    for (std::size_t v = 0; v < m_y.size(); ++v)
      top = v == 0 ? m_y[v] - heightOf(v) / 2 : std::min(top, m_y[v] - heightOf(v) / 2);
    for (double& y : m_y) y -= top;
  }

  // Least squares in a fixed order: a node that would pass its neighbour joins the neighbour's block, which is placed at the mean
  // of the positions that its nodes want.
  void placeRow(const Indices& row, const std::vector<Indices>& neighbours) {
    struct Block {
      double sum = 0;
      double count = 0;
      std::size_t size = 0;
      double mean() const { return sum / count; }
    };
    std::vector<Block> blocks;
    std::vector<double> offset(row.size()); // from the first node of the row, all as close as allowed
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t v = row[i];
      if (i) offset[i] = offset[i - 1] + (heightOf(row[i - 1]) + heightOf(v)) / 2 + m_sizes.rowGap;
      double wanted = m_y[v], weight = 0.01; // a node without neighbours has little weight
      if (!neighbours[v].empty()) {
        wanted = 0;
        for (const std::size_t n : neighbours[v]) wanted += m_y[n] / double(neighbours[v].size());
        weight = v < m_nodes ? 1 : 4; // so that bends form straight lines
      }
      blocks.push_back({(wanted - offset[i]) * weight, weight, 1});
      while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
        const Block last = blocks.back();
        blocks.pop_back();
        blocks.back().sum += last.sum, blocks.back().count += last.count, blocks.back().size += last.size;
      }
    }
    std::size_t i = 0;
    for (const Block& block : blocks)
      for (std::size_t k = 0; k < block.size; ++k, ++i) m_y[row[i]] = block.mean() + offset[i];
  }

  std::size_t m_nodes; // bends are numbered after them
  const std::vector<LayoutEdge>& m_edges;
  LayoutSizes m_sizes;
  std::vector<int> m_layer;
  std::vector<Indices> m_bends; // by edge, from its start on
  std::vector<Indices> m_left, m_right, m_rows;
  std::vector<std::size_t> m_place; // within its layer
  std::vector<double> m_y;
  int64_t m_crossings = 0;
};

} // namespace

LayeredLayout layeredLayout(std::size_t nodes, const std::vector<LayoutEdge>& edges, const LayoutSizes& sizes) {
  return Layering(nodes, edges, sizes).layout();
}

} // namespace analyser::operations
