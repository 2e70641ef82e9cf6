#include "simcore/samples/sparse_bfs.h"

#include "reports/core/error.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;
using reports::ceilDiv;

namespace {

constexpr int64_t kBits = 32; // vertices per word of the packed frontier

// A worker's share: the vertices [first, last) and the edges that lead to them.
struct Share {
  int64_t first = 0, last = 0, tile = 0;
};

// Every level examines the neighbours of all vertices that are not reached yet; a vertex with a neighbour in the frontier is
// reached. This is a product of the sparse matrix with a Boolean vector.
class Search {
public:
  Search(MeasuredGraph& g, const SparseGraph& graph, int64_t source, bool packed, int64_t tiles)
      : m_g(g), m_graph(graph), m_source(source), m_packed(packed) {
    const int64_t n = graph.vertices(), workers = g.machine().tile.workers;
    // Each word of the packed frontier belongs to one worker.
    const int64_t size = reports::roundUp(ceilDiv(n, tiles * workers), kBits);
    for (int64_t first = 0, i = 0; first < n; first += size, ++i)
      m_shares.push_back({first, std::min(n, first + size), i / workers});
  }

  Tensor build() {
    addVariables();
    addCodelets();
    Sequence condition, body;
    const Tensor go = anyOf(condition);
    execute(body, "nextLevel", {{"CountLevel", {{"depth", m_depth}}, 0}});
    std::vector<Vertex> vertices;
    for (std::size_t i = 0; i < m_shares.size(); ++i) vertices.push_back(expansion(i));
    execute(body, "expand", vertices);
    body.add(program::copy(m_next, m_frontier, "newFrontier", m_g.context()));
    m_g.main().add(program::repeatWhile(true, condition, go, body, "levels", m_g.context()));
    return m_levels;
  }

private:
  struct Vertex {
    std::string codelet;
    std::vector<std::pair<std::string, Tensor>> edges;
    int64_t tile = 0;
  };

  int64_t wordsBefore(int64_t vertex) const { return m_packed ? vertex / kBits : vertex; }
  int64_t words() const { return m_packed ? ceilDiv(m_graph.vertices(), kBits) : m_graph.vertices(); }

  // Parts of a vector on the tiles of the shares; `bounds(share)` returns the range of a share.
  template<class F> Tensor shared(const std::string& name, int64_t size, F bounds, HostTensor first) {
    const Tensor t = m_g.graph().addVariable(ElementType::Int32, {size}, name, m_g.context());
    for (const Share& s : m_shares) {
      const auto [begin, end] = bounds(s);
      if (begin < end) m_g.graph().setTileMapping(t.slice(begin, end), TileId(std::size_t(s.tile)));
    }
    m_g.initialise(t, [first = std::move(first)] { return first; });
    return t;
  }

  void addVariables() {
    const int64_t n = m_graph.vertices();
    const auto ofVertices = [](const Share& s) { return std::pair(s.first, s.last); };
    const auto ofWords = [this](const Share& s) {
      return std::pair(wordsBefore(s.first), m_packed ? ceilDiv(s.last, kBits) : s.last);
    };
    HostTensor levels = HostTensor::full(ElementType::Int32, {n}, -1), frontier(ElementType::Int32, {words()});
    levels.mutableValues<int32_t>()[std::size_t(m_source)] = 0;
    frontier.mutableValues<int32_t>()[std::size_t(wordsBefore(m_source))] = m_packed ? int32_t(1u << (m_source % kBits)) : 1;
    m_levels = shared("levels", n, ofVertices, levels);
    m_frontier = shared("frontier", words(), ofWords, frontier);
    m_next = shared("nextFrontier", words(), ofWords, HostTensor(ElementType::Int32, {words()}));
    m_neighbours = shared(
        "neighbours", int64_t(m_graph.neighbours.size()),
        [this](const Share& s) {
          return std::pair<int64_t, int64_t>(m_graph.offsets[std::size_t(s.first)], m_graph.offsets[std::size_t(s.last)]);
        },
        HostTensor::vector(m_graph.neighbours));
    addDegrees();
    m_found = m_g.graph().addVariable(ElementType::Int32, {int64_t(m_shares.size())}, "found", m_g.context());
    for (std::size_t i = 0; i < m_shares.size(); ++i)
      m_g.graph().setTileMapping(m_found.slice(int64_t(i), int64_t(i) + 1), TileId(std::size_t(m_shares[i].tile)));
    m_g.initialise(m_found, [count = int64_t(m_shares.size())] { return HostTensor::full(ElementType::Int32, {count}, 1); });
    m_depth = m_g.graph().addVariable(ElementType::Int32, {1}, "depth", m_g.context());
    m_g.graph().setTileMapping(m_depth, TileId(0));
    m_g.initialise(m_depth, [] { return HostTensor(ElementType::Int32, {1}); });
  }

  void addDegrees() {
    std::vector<int32_t> degrees;
    for (std::size_t v = 0; v + 1 < m_graph.offsets.size(); ++v) degrees.push_back(m_graph.offsets[v + 1] - m_graph.offsets[v]);
    m_degrees = shared(
        "degrees", m_graph.vertices(), [](const Share& s) { return std::pair(s.first, s.last); }, HostTensor::vector(degrees));
  }

  void addCodelets() {
    Codelet count;
    count.name = "CountLevel";
    count.fields = {{"depth", FieldDirection::InOut}};
    count.cycles = [](const auto&) { return int64_t(10); };
    count.compute = [](VertexFields& f) { ++f.mutableValues<int32_t>("depth")[0]; };
    m_g.graph().addCodelet(count);
    Codelet any;
    any.name = "Any";
    any.fields = {{"in", FieldDirection::Input}, {"out", FieldDirection::Output}};
    any.cycles = [](const std::map<std::string, int64_t>& sizes) { return 12 + 2 * sizes.at("in"); }; // a load and an or each
    any.compute = [](VertexFields& f) {
      const auto in = f.values<int32_t>("in");
      f.mutableValues<int32_t>("out")[0] = std::any_of(in.begin(), in.end(), [](int32_t v) { return v != 0; });
    };
    m_g.graph().addCodelet(any);
    Codelet expand;
    expand.name = m_packed ? "ExpandPacked" : "Expand";
    for (const char* in : {"frontier", "neighbours", "degrees", "depth"}) expand.fields.push_back({in, FieldDirection::Input});
    expand.fields.push_back({"levels", FieldDirection::InOut});
    for (const char* out : {"next", "found"}) expand.fields.push_back({out, FieldDirection::Output});
    // Per neighbour: load it, load its word, test it; in the packed form its bit is shifted out first. An estimate depends only
    // on sizes, so vertices reached long ago cost as much as others.
    expand.cycles = [perEdge = m_packed ? 7 : 5](const std::map<std::string, int64_t>& sizes) {
      return 30 + 8 * sizes.at("levels") + perEdge * sizes.at("neighbours");
    };
    expand.compute = [packed = m_packed](VertexFields& f) { expandShare(f, packed); };
    m_g.graph().addCodelet(expand);
  }

  static void expandShare(VertexFields& f, bool packed) {
    const auto frontier = f.values<int32_t>("frontier"), neighbours = f.values<int32_t>("neighbours"),
               degrees = f.values<int32_t>("degrees");
    const int32_t depth = f.values<int32_t>("depth")[0];
    auto levels = f.mutableValues<int32_t>("levels"), next = f.mutableValues<int32_t>("next");
    std::fill(next.begin(), next.end(), 0);
    int32_t found = 0;
    for (std::size_t v = 0, edge = 0; v < levels.size(); edge += std::size_t(degrees[v]), ++v) {
      if (levels[v] >= 0) continue;
      for (std::size_t e = edge; e < edge + std::size_t(degrees[v]) && levels[v] < 0; ++e) {
        const auto from = std::size_t(neighbours[e]);
        if (packed ? (uint32_t(frontier[from / kBits]) >> (from % kBits)) & 1u : uint32_t(frontier[from])) levels[v] = depth;
      }
      if (levels[v] < 0) continue;
      found = 1;
      if (packed)
        next[v / kBits] = int32_t(uint32_t(next[v / kBits]) | 1u << (v % kBits));
      else
        next[v] = 1;
    }
    f.mutableValues<int32_t>("found")[0] = found;
  }

  // Whether any share found a vertex: combines the flags in a tree; each node of the tree is on the tile of its first flag.
  Tensor anyOf(Sequence& program) {
    constexpr int64_t kFanIn = 16;
    Tensor flags = m_found;
    std::vector<int64_t> tiles;
    for (const Share& s : m_shares) tiles.push_back(s.tile);
    do {
      const int64_t n = flags.numElements(), knots = ceilDiv(n, kFanIn);
      const Tensor next = m_g.graph().addVariable(ElementType::Int32, {knots}, "any", m_g.context());
      std::vector<Vertex> vertices;
      std::vector<int64_t> places;
      for (int64_t k = 0; k < knots; ++k) {
        places.push_back(tiles[std::size_t(k * kFanIn)]);
        m_g.graph().setTileMapping(next.slice(k, k + 1), TileId(std::size_t(places.back())));
        vertices.push_back({"Any",
                            {{"in", flags.slice(k * kFanIn, std::min(n, (k + 1) * kFanIn))}, {"out", next.slice(k, k + 1)}},
                            places.back()});
      }
      execute(program, "any", vertices);
      flags = next;
      tiles = places;
    } while (flags.numElements() > 1);
    return flags;
  }

  Vertex expansion(std::size_t i) const {
    const Share& s = m_shares[i];
    const int64_t firstEdge = m_graph.offsets[std::size_t(s.first)], lastEdge = m_graph.offsets[std::size_t(s.last)];
    return {m_packed ? "ExpandPacked" : "Expand",
            {{"frontier", m_frontier},
             {"neighbours", m_neighbours.slice(firstEdge, lastEdge)},
             {"degrees", m_degrees.slice(s.first, s.last)},
             {"depth", m_depth},
             {"levels", m_levels.slice(s.first, s.last)},
             {"next", m_next.slice(wordsBefore(s.first), m_packed ? ceilDiv(s.last, kBits) : s.last)},
             {"found", m_found.slice(int64_t(i), int64_t(i) + 1)}},
            s.tile};
  }

  void execute(Sequence& program, const std::string& name, const std::vector<Vertex>& vertices) {
    const ComputeSetId set = m_g.graph().addComputeSet(name, m_g.context());
    for (const Vertex& v : vertices)
      m_g.graph().setTileMapping(m_g.graph().addVertex(set, v.codelet, v.edges), TileId(std::size_t(v.tile)));
    program.add(program::execute(set, m_g.context()));
  }

  MeasuredGraph& m_g;
  const SparseGraph& m_graph;
  int64_t m_source;
  bool m_packed;
  std::vector<Share> m_shares;
  Tensor m_levels, m_frontier, m_next, m_neighbours, m_degrees, m_found, m_depth;
};

SparseGraph fromLists(const std::vector<std::vector<int32_t>>& lists) {
  SparseGraph g;
  g.offsets.push_back(0);
  for (const auto& list : lists) {
    g.neighbours.insert(g.neighbours.end(), list.begin(), list.end());
    g.offsets.push_back(int32_t(g.neighbours.size()));
  }
  return g;
}

} // namespace

SparseGraph makeSparseGraph(const std::string& kind, int64_t n, int64_t degree, uint64_t seed) {
  std::vector<std::vector<int32_t>> lists(static_cast<std::size_t>(n));
  const auto join = [&](int64_t a, int64_t b) {
    if (a == b) return;
    lists[std::size_t(a)].push_back(int32_t(b));
    lists[std::size_t(b)].push_back(int32_t(a));
  };
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 13);
  const auto side = int64_t(std::ceil(std::sqrt(double(n))));
  for (int64_t v = 0; v < n; ++v) {
    if (kind == "random") {
      for (int64_t i = 0; i < std::max<int64_t>(1, degree / 2); ++i) join(v, int64_t(random() % uint64_t(n)));
    } else if (kind == "grid") {
      if ((v + 1) % side && v + 1 < n) join(v, v + 1);
      if (v + side < n) join(v, v + side);
    } else {
      for (int64_t i = 1; i <= std::max<int64_t>(1, degree / 2); ++i) join(v, (v + i) % n);
    }
  }
  return fromLists(lists);
}

std::vector<Parameter> graphParameters(const std::vector<Parameter>& own) {
  std::vector<Parameter> all{{"vertices", "10000", "vertices of the graph"},
                             {"degree", "8", "neighbours of a vertex, on average"},
                             {"kind", "random", "random, grid (four neighbours) or ring", {"random", "grid", "ring"}}};
  all.insert(all.end(), own.begin(), own.end());
  all.push_back({"tiles", "256", "tiles the vertices are spread over; 0: all"});
  all.push_back(ioParameter());
  return all;
}

GivenGraph graphOf(const Parameters& p, const BuildOptions& o) {
  const int64_t n = p.integer("vertices", 2, 10'000'000), degree = p.integer("degree", 0, 10'000);
  const std::string kind = p.choice("kind");
  return {fmt::format("{} {} vertices", n, kind), makeSparseGraph(kind, n, degree, uint64_t(o.seed) + 1)};
}

std::vector<int32_t> searchOnHost(const SparseGraph& graph, int64_t source) {
  std::vector<int32_t> levels(static_cast<std::size_t>(graph.vertices()), -1);
  std::vector<int32_t> queue{int32_t(source)};
  levels[std::size_t(source)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto v = std::size_t(queue[i]);
    for (int32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const auto other = std::size_t(graph.neighbours[std::size_t(e)]);
      if (levels[other] >= 0) continue;
      levels[other] = levels[v] + 1;
      queue.push_back(int32_t(other));
    }
  }
  return levels;
}

Sample sparseBfs() {
  Sample s;
  s.name = "sparse-bfs";
  s.title = "Breadth-first search";
  s.text = "From one vertex of a sparse graph, level by level, until a level finds nothing new. The number of iterations depends "
           "on the graph, so the trace has one iteration for every level (without numbers, one iteration is assumed). Every "
           "level sends the frontier to all tiles, which look up the neighbours of their own vertices. Look at the exchange of "
           "the frontier, at the imbalance of vertices with different numbers of neighbours, and compare kind=random (few "
           "levels) with kind=grid (many).";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "A loop with a condition: each level tests whether the frontier is empty, then expands it."},
              {"tilescope:?view=trace&set.tab=range",
               "Exchange takes nearly as many cycles as computing: the frontier is sent again at every level."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The received frontier is the largest variable at the peak; it takes more memory than the lists of neighbours."}};
  s.parameters = graphParameters({{"source", "0", "the vertex to start from"},
                                  {"frontier", "words", "a word for each vertex (words) or a bit (bits)", {"words", "bits"}}});
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const auto [words, graph] = graphOf(p, o);
    const int64_t source = p.integer("source", 0, graph.vertices() - 1);
    MeasuredGraph g("sparse-bfs", "Breadth-first search, " + words, o.machine);
    const bool packed = p.choice("frontier") == "bits";
    const Tensor levels = Search(g, graph, source, packed, tilesOf(p, o.machine)).build();
    return g.finish(levels, p.integer("io", 0, 1));
  };
  s.variant = {
      "tuned",
      {{"frontier", "bits"}},
      "The frontier is one bit per vertex instead of a word: every tile receives a thirty-second of the bytes, and spends two "
      "instructions per neighbour to pick the bit. Exchange falls, and so do cycles.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
