#include "simcore/samples/matvec.h"

#include "reports/core/json.h"
#include "simcore/codelets/code_size.h"
#include "simcore/numerics/matmul.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;
using reports::ceilDiv;

namespace {

// Costs as the tutorial's planner computes them, with integer divisions (graphcore/examples v3.2.0, tut6.cpp).
struct SplitCost {
  int64_t split = 1, compute = 0, exchange = 0, reduceExchange = 0, reduceCompute = 0;
  int64_t total() const { return compute + exchange + reduceExchange + reduceCompute; }
  std::string text() const {
    return fmt::format(
        "colsAxisSplit={}, total cost={} (compute cost={}, exchange cost={}, reduce exchange cost={}, reduce compute cost={})",
        split, total(), compute, exchange, reduceExchange, reduceCompute);
  }
};

SplitCost costOf(const arch::Machine& machine, int64_t rows, int64_t columns, int64_t split) {
  const int64_t tiles = machine.tiles(), workers = machine.tile.workers, rate = int64_t(machine.exchange.bytesPerCycle);
  const int64_t most = std::max<int64_t>(1, ceilDiv(rows * split, tiles)), segment = ceilDiv(columns, split),
                reduces = std::max<int64_t>(1, ceilDiv(rows, tiles));
  SplitCost c;
  c.split = split;
  c.compute = ceilDiv(most, workers) * workers * (5 + (segment + 1) / 2);
  c.exchange = ceilDiv(most, rows) * segment * 4 / rate;
  c.reduceExchange = reduces * split * 4 / rate;
  c.reduceCompute = ceilDiv(reduces, workers) * workers * (5 + (split + 1) / 2);
  return c;
}

struct Table {
  SplitCost best, worst;
  std::vector<std::array<int64_t, 2>> costs; // split and total cost of the first splits
};

constexpr int64_t kTableRows = 4096;

Table planTable(const arch::Machine& machine, int64_t rows, int64_t columns) {
  Table t{costOf(machine, rows, columns, 1), costOf(machine, rows, columns, 1), {}};
  t.costs.push_back({1, t.best.total()});
  for (int64_t split = 2; split < columns; ++split) {
    const SplitCost c = costOf(machine, rows, columns, split);
    if (c.total() < t.best.total()) t.best = c;
    if (c.total() > t.worst.total()) t.worst = c;
    if (split <= kTableRows) t.costs.push_back({split, c.total()});
  }
  return t;
}

void addPlan(MeasuredGraph& g, const SplitCost& c, const char* candidate, const Table* table = nullptr) {
  Plan plan;
  plan.context = g.context();
  plan.method = fmt::format("column split, {}", candidate);
  plan.text = c.text();
  plan.predicted = reports::Cycles(c.total());
  nlohmann::ordered_json details{{"candidate", candidate},
                                 {"split", c.split},
                                 {"compute", c.compute},
                                 {"exchange", c.exchange},
                                 {"reduce_exchange", c.reduceExchange},
                                 {"reduce_compute", c.reduceCompute}};
  if (table) details["table"] = table->costs;
  plan.details = reports::jsonText(details);
  g.graph().addPlan(std::move(plan));
}

// The layout: dot product i * rows + row multiplies row `row` by column segment i.
struct Layout {
  int64_t rows, columns, split, tiles;
  int64_t dots() const { return rows * split; }
  int64_t begin(int64_t segment) const { return segment * columns / split; }
  int64_t length(int64_t segment) const { return begin(segment + 1) - begin(segment); }
  int64_t dotTile(int64_t dot) const { return dot * tiles / dots(); }
  int64_t firstDot(int64_t tile) const { return ceilDiv(tile * dots(), tiles); }
  int64_t firstRow(int64_t tile) const { return ceilDiv(tile * rows, tiles); }
  // Calls f(segment, first row, rows) for the dot products of a tile, segment by segment.
  template<class F> void forEachSegment(int64_t tile, F f) const {
    for (int64_t dot = firstDot(tile), end = firstDot(tile + 1); dot < end;) {
      const int64_t segment = dot / rows, next = std::min(end, (segment + 1) * rows);
      f(segment, dot - segment * rows, next - dot);
      dot = next;
    }
  }
};

class MatvecBuilder {
public:
  MatvecBuilder(MeasuredGraph& g, const Layout& layout) : m_g(g), m_l(layout), m_zero(std::size_t(layout.tiles), 0) {}

  Workload build(bool streams, bool io, uint64_t seed) {
    const Shape matrixShape{m_l.rows, m_l.columns};
    m_matrix = variable(matrixShape, "matrix");
    m_vector = variable({m_l.columns}, "vector");
    m_partials = variable({m_l.rows, m_l.split}, "partials");
    m_out = variable({m_l.rows}, "out");
    placeData();
    if (streams) {
      load(m_vector, "inputVector", seed + 1, {});
      load(m_matrix, "inputMatrix", seed + 2, fromHostOrder());
    } else {
      m_g.initialiseUniform(m_vector, seed + 1);
      m_g.initialiseUniform(m_matrix, seed + 2);
    }
    dotProducts();
    reduce();
    m_g.numbers(m_g.main(), "multiply", {m_matrix, m_vector}, {m_out},
                [](const std::vector<HostTensor>& in) { return std::vector<HostTensor>{numerics::matmul(in[0], in[1])}; });
    if (streams) { // the result goes to the host in the same run, as in the published program
      const StreamId out = m_g.graph().addDeviceToHostFifo("result", ElementType::Float, m_l.rows);
      m_g.main().add(program::copy(m_out, out, "result", m_g.context()));
    }
    Workload load = m_g.finish(m_out, io && !streams);
    if (streams) load.outputs = {"result"};
    load.inputs = std::move(m_inputs);
    return load;
  }

private:
  Tensor variable(const Shape& shape, const std::string& name) {
    return m_g.graph().addVariable(ElementType::Float, shape, name, m_g.context());
  }
  void place(const Tensor& t, const std::vector<int64_t>& bytes) {
    m_g.graph().variable(t.wholeVariable()).extraBytes = PerTile::fromDense(bytes);
  }

  void placeData() {
    std::vector<int64_t> matrix = m_zero, vector = m_zero, partials = m_zero, out = m_zero;
    for (int64_t t = 0; t < m_l.tiles; ++t) {
      m_l.forEachSegment(t, [&](int64_t segment, int64_t, int64_t n) {
        matrix[std::size_t(t)] += 4 * n * m_l.length(segment);
        partials[std::size_t(t)] += 4 * n;
      });
      out[std::size_t(t)] = 4 * (m_l.firstRow(t + 1) - m_l.firstRow(t));
      vector[std::size_t(t)] = 4 * (ceilDiv((t + 1) * m_l.columns, m_l.tiles) - ceilDiv(t * m_l.columns, m_l.tiles));
    }
    place(m_matrix, matrix);
    place(m_vector, vector);
    place(m_partials, partials);
    place(m_out, out);
  }

  // A stream delivers rows in order, in equal shares over the tiles. The product has another layout, so the data are exchanged
  // once more.
  void load(const Tensor& to, const std::string& stream, uint64_t seed, const Traffic& traffic) {
    const StreamId in = m_g.graph().addHostToDeviceFifo(stream, ElementType::Float, to.numElements());
    m_g.main().add(program::copy(in, to, stream, m_g.context()));
    m_inputs[stream] = {uniformTensor(to.shape(), seed)};
    if (!traffic.empty())
      m_g.main().add(
          program::rearrange("rearrange " + stream, m_g.context(), {to.wholeVariable()}, {to.wholeVariable()}, traffic));
  }

  Traffic fromHostOrder() const {
    std::vector<int64_t> in = m_zero, out = m_zero, messages = m_zero;
    const int64_t share = ceilDiv(m_l.rows * m_l.columns, m_l.tiles);
    for (int64_t t = 0; t < m_l.tiles; ++t)
      m_l.forEachSegment(t, [&](int64_t segment, int64_t row, int64_t n) {
        int64_t sender = -1;
        for (int64_t r = row; r < row + n; ++r) {
          const int64_t first = r * m_l.columns + m_l.begin(segment), end = first + m_l.length(segment);
          for (int64_t e = first; e < end;) {
            const int64_t from = e / share, next = std::min(end, (from + 1) * share);
            if (from != t) {
              in[std::size_t(t)] += 4 * (next - e);
              out[std::size_t(from)] += 4 * (next - e);
              messages[std::size_t(t)] += from != sender;
            }
            sender = from;
            e = next;
          }
        }
      });
    return trafficOf(in, out, messages, messages);
  }

  uint32_t vertexType(const char* name, int edges) {
    VertexType type;
    type.name = name;
    type.codeBytes = codelets::codeBytes(codelets::CodeClass::Compiled).value();
    type.stateBytes = 4 * (2 * edges - 1); // pointers, and the sizes of the inputs
    type.edgePointerBytes = 4 * edges;
    type.edges = edges;
    return m_g.graph().vertexType(type); // no launch cost: the tutorial's estimates include the start of a vertex
  }

  void dotProducts() {
    std::vector<int64_t> in = m_zero, messages = m_zero;
    const ComputeSetId set = m_g.graph().addComputeSet("mulCS", m_g.context());
    const uint32_t type = vertexType("DotProductVertex", 3);
    for (int64_t t = 0; t < m_l.tiles; ++t)
      m_l.forEachSegment(t, [&](int64_t segment, int64_t, int64_t n) {
        const int64_t length = m_l.length(segment);
        VertexRun run;
        run.type = type;
        run.tiles = {t, t + 1};
        run.perTile = n;
        run.cycles = 5 + (length + 1) / 2;
        run.flops = 2 * length;
        m_g.graph().addRun(set, run);
        // A tile holds at most its own share of the elements of a segment.
        const int64_t ownFirst = std::max(m_l.begin(segment), ceilDiv(t * m_l.columns, m_l.tiles)),
                      ownEnd = std::min(m_l.begin(segment + 1), ceilDiv((t + 1) * m_l.columns, m_l.tiles));
        const int64_t remote = length - std::max<int64_t>(0, ownEnd - ownFirst);
        in[std::size_t(t)] += 4 * remote;
        messages[std::size_t(t)] += std::min(remote, ceilDiv(remote * m_l.tiles, m_l.columns));
      });
    std::vector<int64_t> out = m_zero, sends = m_zero;
    for (int64_t c = 0; c < m_l.columns; ++c) { // a broadcast: each element leaves its tile once
      out[std::size_t(c * m_l.tiles / m_l.columns)] += 4;
      sends[std::size_t(c * m_l.tiles / m_l.columns)] = 1;
    }
    const Tensor segments = received("segments", in);
    exchange("segments", m_vector, segments, in, out, messages, sends);
    m_g.graph().addUses(set, {m_matrix, segments}, {m_partials});
    m_g.main().add(program::execute(set, m_g.context()));
  }

  void reduce() {
    std::vector<int64_t> in = m_zero, out = m_zero, messages = m_zero, sends = m_zero;
    const ComputeSetId set = m_g.graph().addComputeSet("reduceCS", m_g.context());
    const uint32_t type = vertexType("ReduceVertex", 2);
    for (int64_t t = 0; t < m_l.tiles; ++t) {
      const int64_t first = m_l.firstRow(t), end = m_l.firstRow(t + 1);
      if (first == end) continue;
      VertexRun run;
      run.type = type;
      run.tiles = {t, t + 1};
      run.perTile = end - first;
      run.cycles = 5 + (m_l.split + 1) / 2;
      run.flops = m_l.split - 1;
      m_g.graph().addRun(set, run);
      std::set<int64_t> senders;
      for (int64_t segment = 0; segment < m_l.split; ++segment)
        for (int64_t row = first; row < end; ++row) {
          const int64_t from = m_l.dotTile(segment * m_l.rows + row);
          if (from == t) continue;
          in[std::size_t(t)] += 4;
          out[std::size_t(from)] += 4;
          senders.insert(from);
        }
      messages[std::size_t(t)] = int64_t(senders.size());
      for (int64_t from : senders) ++sends[std::size_t(from)];
    }
    const Tensor gathered = received("gathered", in);
    exchange("partials", m_partials, gathered, in, out, messages, sends);
    m_g.graph().addUses(set, {m_partials, gathered}, {m_out});
    m_g.main().add(program::execute(set, m_g.context()));
  }

  Tensor received(const char* name, const std::vector<int64_t>& bytes) {
    return m_g.builder(m_g.main()).buffer(ElementType::Float, name, PerTile::fromDense(bytes), reports::MemoryCategory::Message);
  }

  void exchange(const char* name, const Tensor& from, const Tensor& to, const std::vector<int64_t>& in,
                const std::vector<int64_t>& out, const std::vector<int64_t>& messages, const std::vector<int64_t>& sends) {
    m_g.main().add(program::rearrange(name, m_g.context(), {from.wholeVariable()}, {to.wholeVariable()},
                                      trafficOf(in, out, messages, sends)));
  }

  static Traffic trafficOf(const std::vector<int64_t>& in, const std::vector<int64_t>& out, const std::vector<int64_t>& messages,
                           const std::vector<int64_t>& sends) {
    Traffic traffic;
    traffic.bytesIn = PerTile::fromDense(in);
    traffic.bytesOut = PerTile::fromDense(out);
    traffic.messagesIn = PerTile::fromDense(messages);
    traffic.messagesOut = PerTile::fromDense(sends);
    return traffic;
  }

  MeasuredGraph& m_g;
  Layout m_l;
  std::vector<int64_t> m_zero;
  Tensor m_matrix, m_vector, m_partials, m_out;
  std::map<std::string, std::vector<HostTensor>> m_inputs;
};

} // namespace

Sample matvec() {
  Sample s;
  s.name = "matvec";
  s.title = "Matrix times vector";
  s.text = "Rows are cut into column segments, one dot product each, and a second compute set adds the partial sums. The "
           "plans of the report have the best and the worst split of the planner's cost table: few segments leave workers "
           "idle, many make the reduction long.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "Two compute sets: mulCS multiplies segments of rows, reduceCS adds their partial sums."},
              {"tilescope:?view=trace&set.tab=range",
               "Exchange takes more than half as many cycles as computing: a vector is little work per byte."},
              {"tilescope:?view=memory&set.breakdown=category",
               "Nearly all memory in use is variables: the matrix stays on its tiles, and only vectors move."},
              {"tilescope:?view=insights&set.list=findings",
               "The only finding is small messages: each costs an instruction on both sides."}};
  s.parameters = {{"rows", "10000", "rows of the matrix"},
                  {"cols", "1000", "columns of the matrix"},
                  {"split", "0", "column segments; 0: the planner's choice"},
                  {"streams", "0", "on: matrix and vector come from the host, and the result goes to the host", {"0", "1"}},
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t rows = p.integer("rows", 1, 1 << 22), columns = p.integer("cols", 1, 1 << 20);
    if (rows * columns > int64_t(1) << 28) p.integer("cols", 1, (int64_t(1) << 28) / rows);
    const Table table = planTable(o.machine, rows, columns);
    MeasuredGraph g("matvec",
                    fmt::format("Matrix {} x {} times vector, best split {} of cost {}, worst {} of cost {}", rows, columns,
                                table.best.split, table.best.total(), table.worst.split, table.worst.total()),
                    o.machine);
    addPlan(g, table.best, "best", &table);
    addPlan(g, table.worst, "worst");
    const int64_t asked = p.integer("split", 0, columns), split = asked ? asked : table.best.split;
    p.means("split", split);
    const Layout layout{rows, columns, split,
                        std::min(o.machine.tiles(), int(std::min<int64_t>(rows * split, o.machine.tiles())))};
    return MatvecBuilder(g, layout).build(p.integer("streams", 0, 1), p.integer("io", 0, 1), uint64_t(o.seed));
  };
  s.variant = {"naive",
               {{"split", "1"}},
               "Columns are not cut: a vertex has a whole row and the whole vector. The default is the planner's choice, "
               "which takes fewer compute cycles; its cost table shows why.",
               "compute_cycles"};
  return s;
}

} // namespace simcore::samples
