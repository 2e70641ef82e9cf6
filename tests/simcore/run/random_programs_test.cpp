// Random programs (copies between views, vertices, loops, branches, calls, several programs in any order) run three times: by a plain
// interpreter on arrays, by the engine, and on memory where every element is at the address the compiler gave it. In that memory
// exchange buffers overwrite the bytes under them, and bytes have no value before they are written, so a value that liveness or
// allocation wrongly took for dead gives a wrong number.
#include "tests/simcore/run/random_graph.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstring>

using namespace simcore;
using namespace simcore::graph;
using compile::StepKind;
using numerics::HostTensor;
using tests::Numbers;
using tests::RandomGraph;

namespace {

// Executes the vertices of a compute set on any storage: `State` reads and writes views.
template<class State> void executeVertices(const Graph& graph, ComputeSetId id, State& state) {
  std::vector<std::pair<Tensor, typename State::Values>> results;
  for (const auto& v : graph.computeSet(id).vertices) {
    const auto& codelet = graph.codeletOf(v);
    results.emplace_back(v.edges[0].second, state.computed(codelet, v.edges[0].second, v.edges[1].second));
  }
  for (const auto& [view, values] : results) state.write(view, values);
}

// Plain arrays that know which elements have a value.
class PlainState {
public:
  struct Element {
    int64_t value = 0;
    bool defined = false;
  };
  using Values = std::vector<Element>;
  bool readUndefined = false;

  explicit PlainState(const Graph& graph) : m_graph(graph) {
    for (const auto& v : graph.variables()) {
      m_elements.emplace_back(std::size_t(v.elements()));
      if (v.initial)
        for (int64_t i = 0; i < v.elements(); ++i) m_elements.back()[std::size_t(i)] = {v.initial->integerAt(i), true};
    }
  }
  Values read(const Tensor& view) {
    Values values;
    for (const Region& r : view.contiguousRegions())
      for (int64_t e = r.begin; e < r.end; ++e) values.push_back(m_elements[r.variable.value()][std::size_t(e)]);
    for (const Element& e : values) readUndefined |= !e.defined;
    return values;
  }
  void write(const Tensor& view, const Values& values) {
    std::size_t i = 0;
    for (const Region& r : view.contiguousRegions())
      for (int64_t e = r.begin; e < r.end; ++e) m_elements[r.variable.value()][std::size_t(e)] = values[i++];
  }
  Values computed(const Codelet& codelet, const Tensor& x, const Tensor& y) {
    const bool inOut = codelet.fields[0].direction == FieldDirection::InOut;
    const Values b = read(y);
    Values a(std::size_t(x.numElements()));
    if (inOut) a = read(x);
    Numbers numbersA, numbersB;
    for (const Element& e : a) numbersA.push_back(e.value);
    for (const Element& e : b) numbersB.push_back(e.value);
    const Numbers result = tests::computedBy(codelet, numbersA, numbersB);
    Values out;
    for (std::size_t i = 0; i < result.size(); ++i)
      out.push_back({result[i], b[i % b.size()].defined && (!inOut || a[i].defined)});
    return out;
  }
  const std::vector<Values>& elements() const { return m_elements; }

  void run(const ProgramNode& n) {
    using Kind = ProgramNode::Kind;
    switch (n.kind) {
    case Kind::Copy: return write(n.destination, read(n.source));
    case Kind::Execute: return executeVertices(m_graph, n.computeSet, *this);
    case Kind::WriteUndef: return write(n.destination, Values(std::size_t(n.destination.numElements())));
    case Kind::Call: return run(*m_graph.functions()[n.function.value].body);
    case Kind::If: return run(*n.children[read(n.source)[0].value ? 0 : 1]);
    case Kind::Switch: {
      const auto at = std::find(n.cases.begin(), n.cases.end(), read(n.source)[0].value) - n.cases.begin();
      return run(*n.children[std::size_t(at)]);
    }
    case Kind::RepeatWhileTrue:
      for (run(*n.children[0]); read(n.source)[0].value; run(*n.children[0])) run(*n.children[1]);
      return;
    default:
      for (int64_t i = 0; i < (n.kind == Kind::Repeat ? n.count : 1); ++i)
        for (const Program& c : n.children) run(*c);
    }
  }

private:
  const Graph& m_graph;
  std::vector<Values> m_elements;
};

// The bytes of the tiles, and plain arrays with which values read from the bytes are compared.
class TileMemory {
public:
  using Values = Numbers;
  std::string lost; // the first element with a value other than the one written

  explicit TileMemory(const compile::Executable& e) : m_e(e), m_plain(*e.graph) {
    const Graph& graph = *e.graph;
    for (int64_t t = 0; t < graph.tiles(); ++t) m_bytes.emplace_back(std::size_t(layoutOf(t).extentBytes));
    for (const auto& bytes : m_bytes) m_writers.emplace_back(bytes.size(), 0);
    for (std::size_t t = 0; t < m_bytes.size(); ++t) spoil(int64_t(t), 0, int64_t(m_bytes[t].size()));
    placeVariables();
    for (std::size_t v = 0; v < graph.variables().size(); ++v)
      if (const auto& variable = graph.variables()[v]; variable.initial && !m_addresses[v].empty())
        write(Tensor(VariableId(v), variable.type, variable.shape), variable.initial->toIntegers());
  }
  Numbers read(const Tensor& view) {
    compare(view);
    return peek(view);
  }
  Numbers peek(const Tensor& view) const {
    const int64_t size = int64_t(numerics::deviceSize(view.elementType()));
    Numbers values;
    for (const Region& r : view.contiguousRegions())
      for (int64_t e = r.begin; e < r.end; ++e) {
        const auto [tile, address] = m_addresses[r.variable.value()][std::size_t(e)];
        int32_t value = 0;
        std::memcpy(&value, &m_bytes[std::size_t(tile)][std::size_t(address)], std::size_t(size));
        values.push_back(size == 1 ? int8_t(value) : size == 2 ? int16_t(value) : value);
      }
    return values;
  }
  void write(const Tensor& view, const Numbers& values) {
    const auto size = std::size_t(numerics::deviceSize(view.elementType()));
    std::size_t i = 0;
    for (const Region& r : view.contiguousRegions())
      for (int64_t e = r.begin; e < r.end; ++e) {
        const auto [tile, address] = m_addresses[r.variable.value()][std::size_t(e)];
        const auto value = int32_t(values[i++]);
        std::memcpy(&m_bytes[std::size_t(tile)][std::size_t(address)], &value, size);
        m_writers[std::size_t(tile)][std::size_t(address)] = m_step;
      }
  }
  Numbers computed(const Codelet& codelet, const Tensor& x, const Tensor& y) {
    const Numbers a = codelet.fields[0].direction == FieldDirection::InOut ? read(x) : peek(x);
    return tests::computedBy(codelet, a, read(y));
  }

  void run(int index) {
    const compile::Step& s = m_e.program.steps[std::size_t(index)];
    m_step = index;
    if (s.ordinal >= 0) useBuffers(s.ordinal);
    switch (s.kind) {
    case StepKind::Repeat:
      for (int64_t i = 0; i < s.repeat; ++i) children(s);
      return;
    case StepKind::RepeatWhile:
      run(s.children[0]);
      for (int round = 0; read(s.action->source)[0]; ++round) {
        if (round > 10) throw reports::Error(reports::ErrorCode::Internal, "the counter of a loop was lost");
        run(s.children[1]);
        run(s.children[0]);
      }
      return;
    case StepKind::If: return run(s.children[read(s.action->source)[0] ? 0 : 1]);
    case StepKind::Switch: {
      const auto& cases = s.action->cases;
      return run(s.children[std::size_t(std::find(cases.begin(), cases.end(), read(s.action->source)[0]) - cases.begin())]);
    }
    case StepKind::Call: return children(m_e.program.steps[std::size_t(s.callee)]);
    default: break;
    }
    if (compile::isControl(s.kind)) return children(s);
    if (!s.action) return;
    if (s.action->kind == ProgramNode::Kind::Copy) write(s.action->destination, read(s.action->source));
    if (s.action->kind == ProgramNode::Kind::Execute) executeVertices(*m_e.graph, s.action->computeSet, *this);
    m_plain.run(*s.action);
  }
  // Compares all variables that the next program may read.
  void compareLasting() {
    for (std::size_t v = 0; v < m_addresses.size(); ++v)
      if (const auto& variable = m_e.graph->variables()[v]; variable.alwaysLive && !m_addresses[v].empty())
        compare(Tensor(VariableId(v), variable.type, variable.shape));
  }

private:
  std::string nameOf(int step) const { return "step " + std::to_string(step) + " " + m_e.program.steps[std::size_t(step)].name; }
  std::string writerOf(const Tensor& view, std::size_t element) const {
    const Region r = view.slice(int64_t(element), int64_t(element) + 1).contiguousRegions()[0];
    const auto [tile, address] = m_addresses[r.variable.value()][std::size_t(r.begin)];
    return nameOf(m_writers[std::size_t(tile)][std::size_t(address)]);
  }
  void compare(const Tensor& view) {
    const Numbers found = peek(view);
    const auto expected = m_plain.read(view);
    for (std::size_t i = 0; i < found.size() && lost.empty(); ++i)
      if (expected[i].defined && expected[i].value != found[i])
        lost = nameOf(m_step) + ": element " + std::to_string(i) + " of " + m_e.graph->variable(view.variables()[0]).name +
               ", last written by " + writerOf(view, i);
  }
  const compile::TileLayout& layoutOf(int64_t tile) const {
    return m_e.allocation.layouts[m_e.allocation.layoutOfTile[std::size_t(tile)]];
  }
  void children(const compile::Step& s) {
    for (const int c : s.children) run(c);
  }
  void spoil(int64_t tile, int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      m_bytes[std::size_t(tile)][std::size_t(b)] ^= uint8_t(0x5a + b);
      m_writers[std::size_t(tile)][std::size_t(b)] = m_step;
    }
  }
  void useBuffers(int64_t ordinal) {
    for (int64_t t = 0; t < int64_t(m_bytes.size()); ++t)
      for (const auto& p : layoutOf(t).placements) {
        const auto& s = m_e.storage[p.storage];
        if (s.variable.valid() || s.alwaysLive) continue;
        for (const auto& span : s.live)
          if (span.contains(ordinal)) spoil(t, p.address, p.address + p.size);
      }
  }
  void placeVariables() {
    const Graph& graph = *m_e.graph;
    std::map<VariableId, std::map<int64_t, int64_t>> begins; // by variable and tile
    for (int64_t t = 0; t < graph.tiles(); ++t)
      for (const auto& p : layoutOf(t).placements)
        if (const VariableId v = m_e.storage[p.storage].variable; v.valid()) begins[v][t] = p.address;
    m_addresses.resize(graph.variables().size());
    for (auto& [id, next] : begins) {
      const auto& v = graph.variable(id);
      const int64_t size = int64_t(numerics::deviceSize(v.type));
      auto& list = m_addresses[id.value()];
      for (std::size_t r = 0; r < v.mapping.size(); ++r) {
        const int64_t end = r + 1 < v.mapping.size() ? v.mapping[r + 1].begin : v.elements(),
                      tile = int64_t(v.mapping[r].tile.value());
        for (int64_t e = v.mapping[r].begin; e < end; ++e, next.at(tile) += size) list.emplace_back(tile, next.at(tile));
      }
    }
  }

  const compile::Executable& m_e;
  PlainState m_plain;
  int m_step = 0;
  std::vector<std::vector<uint8_t>> m_bytes;
  std::vector<std::vector<int>> m_writers;                           // the step that wrote a byte last
  std::vector<std::vector<std::pair<int64_t, int64_t>>> m_addresses; // tile and address of each element
};

} // namespace

class RandomProgramsTest : public QObject {
  Q_OBJECT
private slots:
  void numbersFollowTheProgramWhereverTheyLie() {
    int64_t compared = 0, undefined = 0;
    for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
      RandomGraph world(seed);
      const Graph& graph = world.graph();
      PlainState plain(graph);
      TileMemory memory(*world.executable);
      run::Engine engine(*world.executable, {}, nullptr);
      for (const std::size_t p : world.order) {
        plain.run(*world.programs[p].program);
        engine.run(p);
        memory.run(world.executable->program.roots[p]);
      }
      memory.compareLasting();
      QVERIFY2(memory.lost.empty(), qPrintable(QString("seed %1: ").arg(seed) + QString::fromStdString(memory.lost)));
      for (std::size_t v = 0; v < graph.variables().size(); ++v) {
        const auto& variable = graph.variables()[v];
        const Numbers ofEngine = engine.readTensor(Tensor(VariableId(v), variable.type, variable.shape)).toIntegers();
        for (std::size_t e = 0; e < ofEngine.size(); ++e) {
          const auto& expected = plain.elements()[v][e];
          if (!expected.defined) continue;
          QVERIFY2(ofEngine[e] == expected.value,
                   qPrintable(QString("seed %1: %2[%3]").arg(seed).arg(QString::fromStdString(variable.name)).arg(e)));
          ++compared;
        }
      }
      undefined += plain.readUndefined;
    }
    QVERIFY2(compared > 3'000 && undefined > 0 && undefined < kSeeds, qPrintable(QString("%1 %2").arg(compared).arg(undefined)));
  }

  // With checked reads a program stops if and only if it reads an element that has no value.
  void readsOfNothingAreFound() {
    for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
      RandomGraph world(seed);
      PlainState plain(world.graph());
      for (const std::size_t p : world.order) plain.run(*world.programs[p].program);
      run::EngineOptions options;
      options.checkReads = true;
      run::Engine engine(*world.executable, options, nullptr);
      const std::string error = tests::errorOf([&] {
        for (const std::size_t p : world.order) engine.run(p);
      });
      QVERIFY2(plain.readUndefined == !error.empty(), qPrintable(QString("seed %1: ").arg(seed) + QString::fromStdString(error)));
    }
  }

  // The bytes of every tile are the sum of its placements, at least the live bytes at any time, at most the extent of addresses.
  void memoryAddsUp() {
    for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
      RandomGraph world(seed);
      const auto& e = *world.executable;
      for (const auto& layout : e.allocation.layouts) {
        int64_t own = 0;
        for (const auto& p : layout.placements) own += p.ownBytes;
        QCOMPARE(own, layout.totalBytes);
        QVERIFY(layout.totalBytes >= layout.liveLowerBound && layout.extentBytes >= layout.totalBytes);
        QCOMPARE(layout.liveLowerBound, layout.alwaysLiveBytes + layout.peakNotAlwaysLiveBytes);
      }
    }
  }

  // The cycles of a run are the sum of its steps and of its activities, and the next run begins at their end.
  void timeAddsUp() {
    for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
      RandomGraph world(seed);
      const auto& e = *world.executable;
      tests::RowCollector rows;
      reports::StringPool strings(rows);
      run::ExecutionRecorder recorder(e, strings, rows, 100'000);
      run::Engine engine(e, {}, &recorder);
      for (const std::size_t p : world.order) engine.run(p);
      recorder.finish();
      int64_t clock = 0;
      for (const auto& r : rows.rows<reports::RunRow>()) {
        QCOMPARE(r.startCycle, clock);
        QCOMPARE(r.computeCycles + r.exchangeCycles + r.syncCycles + r.hostCycles + r.idleCycles, r.cycles);
        clock += r.cycles;
      }
      QCOMPARE(clock, engine.cycle());
      if (world.graph().machine().ipus > 1) continue; // which wait for each other
      int64_t steps = 0;
      for (const auto& s : rows.rows<reports::StepProfileRow>()) steps += s.cycles * s.executions;
      QVERIFY2(steps == clock, qPrintable(QString("seed %1: %2 of %3").arg(seed).arg(steps).arg(clock)));
    }
  }

private:
  static constexpr int kSeeds = 60;
};

TILESCOPE_TEST(RandomProgramsTest)
#include "random_programs_test.moc"
