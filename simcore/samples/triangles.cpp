#include "simcore/samples/triangles.h"

#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/reduce/reduce.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

// Keeps every edge once, directed from the vertex with fewer neighbours to the one with more. So each triangle is found once, at
// its vertex with the fewest neighbours, and no list is long (Chiba and Nishizeki 1985).
SparseGraph oriented(const SparseGraph& graph) {
  const auto degree = [&](int32_t v) { return graph.offsets[std::size_t(v) + 1] - graph.offsets[std::size_t(v)]; };
  SparseGraph out;
  out.offsets.push_back(0);
  for (int32_t v = 0; v < graph.vertices(); ++v) {
    std::set<int32_t> heads;
    for (int32_t e = graph.offsets[std::size_t(v)]; e < graph.offsets[std::size_t(v) + 1]; ++e)
      if (const int32_t w = graph.neighbours[std::size_t(e)]; std::pair(degree(v), v) < std::pair(degree(w), w)) heads.insert(w);
    out.neighbours.insert(out.neighbours.end(), heads.begin(), heads.end());
    out.offsets.push_back(int32_t(out.neighbours.size()));
  }
  return out;
}

// A worker's share: the vertices [first, last).
struct Part {
  int64_t first = 0, last = 0, tile = 0;
};

class Counting {
public:
  Counting(MeasuredGraph& g, SparseGraph edges, bool onlyNeeded, int64_t tiles)
      : m_g(g), m_edges(std::move(edges)), m_onlyNeeded(onlyNeeded) {
    cut(tiles * g.machine().tile.workers);
  }

  Tensor build() {
    const arch::Machine& machine = m_g.machine();
    const int64_t tiles = m_parts.back().tile + 1, workers = tiles * machine.tile.workers; // the last tile may have idle workers
    const Tensor counts =
        m_g.laid(ElementType::Int32, {workers}, "counts", Distribution({workers}, {tiles}, {}, 0, machine.tiles()));
    const ops::OpBuilder b = m_g.builder(m_g.main());
    ops::zero(b, counts);
    if (!m_edges.neighbours.empty()) count(counts);
    return ops::reduce(b, counts, {0}, codelets::ReduceOp::Add, false).reshape({1});
  }

private:
  void count(const Tensor& counts) {
    std::vector<int32_t> degrees, reach;
    for (int64_t v = 0; v < m_edges.vertices(); ++v) {
      degrees.push_back(int32_t(end(v) - begin(v)));
      reach.push_back(int32_t(reachOf(v)));
    }
    const auto ofVertices = [](const Part& p) { return std::pair(p.first, p.last); };
    m_degrees = parted("degrees", HostTensor::vector(degrees), ofVertices);
    m_reach = parted("reach", HostTensor::vector(reach), ofVertices);
    m_heads = parted("heads", HostTensor::vector(m_edges.neighbours),
                     [this](const Part& p) { return std::pair(begin(p.first), begin(p.last)); });
    if (!m_onlyNeeded) m_begins = parted("begins", HostTensor::vector(begins()), ofVertices);
    addCodelet();
    const ComputeSetId set = m_g.graph().addComputeSet("count", m_g.context());
    for (std::size_t i = 0; i < m_parts.size(); ++i) addVertex(set, i, counts);
    m_g.main().add(program::execute(set, m_g.context()));
  }

  int64_t begin(int64_t v) const { return m_edges.offsets[std::size_t(v)]; }
  int64_t end(int64_t v) const { return begin(v + 1); }
  // Number of look-ups for vertex v: the edges that begin at its neighbours.
  int64_t reachOf(int64_t v) const {
    int64_t sum = 0;
    for (int64_t e = begin(v); e < end(v); ++e) {
      const int64_t head = m_edges.neighbours[std::size_t(e)];
      sum += end(head) - begin(head);
    }
    return sum;
  }
  std::vector<int32_t> begins() const { return {m_edges.offsets.begin(), m_edges.offsets.end() - 1}; }

  // Cuts the vertices into parts of about equal work.
  void cut(int64_t parts) {
    int64_t all = 0, done = 0, first = 0;
    for (int64_t v = 0; v < m_edges.vertices(); ++v) all += 1 + reachOf(v);
    for (int64_t v = 0; v < m_edges.vertices(); ++v) {
      done += 1 + reachOf(v);
      const auto next = int64_t(m_parts.size()) + 1;
      if (v + 1 < m_edges.vertices() && (next >= parts || done * parts < all * next)) continue;
      m_parts.push_back({first, v + 1, int64_t(m_parts.size()) / m_g.machine().tile.workers});
      first = v + 1;
    }
  }

  template<class F> Tensor parted(const std::string& name, HostTensor value, F bounds) {
    const Tensor t = m_g.graph().addVariable(ElementType::Int32, value.shape(), name, m_g.context());
    for (const Part& p : m_parts) {
      const auto [begin, end] = bounds(p);
      if (begin < end) m_g.graph().setTileMapping(t.slice(begin, end), TileId(std::size_t(p.tile)));
    }
    m_g.initialise(t, [value = std::move(value)] { return value; });
    return t;
  }

  void addVertex(ComputeSetId set, std::size_t i, const Tensor& counts) {
    const Part& p = m_parts[i];
    if (begin(p.first) == begin(p.last)) return; // the part has no edges
    std::vector<std::pair<std::string, Tensor>> fields{{"heads", m_heads.slice(begin(p.first), begin(p.last))},
                                                       {"degrees", m_degrees.slice(p.first, p.last)},
                                                       {"reach", m_reach.slice(p.first, p.last)},
                                                       {"count", counts.slice(int64_t(i), int64_t(i) + 1)}};
    if (m_onlyNeeded) {
      std::vector<Tensor> lists;
      for (int64_t e = begin(p.first); e < begin(p.last); ++e)
        if (const int64_t head = m_edges.neighbours[std::size_t(e)]; begin(head) < end(head))
          lists.push_back(m_heads.slice(begin(head), end(head)));
      if (lists.empty()) return;
      fields.emplace_back("lists", concat(lists));
    } else {
      fields.emplace_back("lists", m_heads);
      fields.emplace_back("begins", m_begins);
      fields.emplace_back("allDegrees", m_degrees);
    }
    m_g.graph().setTileMapping(m_g.graph().addVertex(set, name(), fields), TileId(std::size_t(p.tile)));
  }

  std::string name() const { return m_onlyNeeded ? "CountTriangles" : "CountTrianglesOfAll"; }

  // A worker marks the heads of a vertex in a bitmap and looks up the heads of each head, then clears the marks.
  void addCodelet() {
    Codelet codelet;
    codelet.name = name();
    std::vector<std::string> inputs{"heads", "degrees", "reach", "lists"};
    if (!m_onlyNeeded) inputs.insert(inputs.end(), {"begins", "allDegrees"});
    for (const std::string& in : inputs) codelet.fields.push_back({in, FieldDirection::Input});
    codelet.fields.push_back({"count", FieldDirection::Output});
    // A mark: load, word and bit, or, store; the same to clear it. A look-up: load, word and bit, load, shift, add. An estimate
    // depends only on sizes: if a tile has all lists, the number of look-ups is estimated from the mean degree.
    codelet.cycles = [onlyNeeded = m_onlyNeeded](const std::map<std::string, int64_t>& sizes) {
      const int64_t own = sizes.at("heads"),
                    looked = onlyNeeded ? sizes.at("lists") : own * sizes.at("lists") / sizes.at("begins");
      return 40 + 10 * sizes.at("degrees") + own * (onlyNeeded ? 12 : 20) + 6 * looked;
    };
    codelet.compute = [onlyNeeded = m_onlyNeeded](VertexFields& f) {
      const auto values = [&](const char* field) { return f.values<int32_t>(field); };
      const auto heads = values("heads"), degrees = values("degrees"), reach = values("reach"), lists = values("lists");
      std::set<int32_t> marked;
      int32_t count = 0;
      for (std::size_t v = 0, edge = 0, at = 0; v < degrees.size(); ++v) {
        const auto last = edge + std::size_t(degrees[v]);
        marked = {heads.begin() + std::ptrdiff_t(edge), heads.begin() + std::ptrdiff_t(last)};
        if (onlyNeeded) {
          for (const std::size_t after = at + std::size_t(reach[v]); at < after; ++at) count += marked.contains(lists[at]);
        } else {
          for (std::size_t e = edge; e < last; ++e) {
            const auto head = std::size_t(heads[e]);
            const auto first = std::size_t(values("begins")[head]);
            for (std::size_t k = first; k < first + std::size_t(values("allDegrees")[head]); ++k)
              count += marked.contains(lists[k]);
          }
        }
        edge = last;
      }
      f.mutableValues<int32_t>("count")[0] = count;
    };
    m_g.graph().addCodelet(codelet);
  }

  MeasuredGraph& m_g;
  SparseGraph m_edges;
  bool m_onlyNeeded;
  std::vector<Part> m_parts;
  Tensor m_heads, m_degrees, m_reach, m_begins;
};

} // namespace

Sample triangleCount() {
  Sample s;
  s.name = "triangle-count";
  s.title = "Triangles of a sparse graph";
  s.text = "Every edge points from the vertex with fewer neighbours to the one with more, its head. For each of its "
           "vertices, a worker counts the heads of the heads that are also heads of the vertex. The graph is known when the "
           "program is compiled, so every look-up is a planned exchange and not a message: by default all lists go to all "
           "tiles. Look at the exchange before the count, at the buffers that it fills on every tile, and at the tile "
           "balance, which is good because vertices are dealt out by their work. The variant moves so few bytes that adding "
           "up one count for each worker takes longer than counting. kind=ring has one triangle for every vertex, kind=grid "
           "none.";
  s.lesson = {{"tilescope:?view=trace&set.tab=range",
               "Exchange takes more cycles than computing: lists of neighbours are sent to the tiles that count."},
              {"tilescope:?view=memory&set.breakdown=category",
               "Received data (message) takes more than nine tenths of all memory in use."},
              {"tilescope:?view=program&set.list=steps", "Counting is one compute set; the counts are added in three more."}};
  s.parameters = graphParameters(
      {{"lists", "all", "neighbour lists that a tile gets: all, or only those of its own heads (needed)", {"all", "needed"}}});
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const auto [words, graph] = graphOf(p, o);
    MeasuredGraph g("triangle-count", "Triangles of " + words, o.machine);
    const bool onlyNeeded = p.choice("lists") == "needed";
    const Tensor count = Counting(g, oriented(graph), onlyNeeded, tilesOf(p, o.machine)).build();
    return g.finish(count, p.integer("io", 0, 1));
  };
  s.variant = {
      "tuned",
      {{"lists", "needed"}},
      "A tile gets only the lists of its vertices' heads, in the order of their look-ups: 0.4 MB cross the machine instead "
      "of 61. Exchange, its buffers and its code fall, and with them cycles.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
