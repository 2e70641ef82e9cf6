// Library operations in a virtual graph stay on its tiles, for operands from any tiles, and compute the same numbers.
#include "reports/core/error.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/pooling.h"
#include "simcore/ops/ops.h"
#include "simcore/run/engine.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using namespace simcore::ops;
using numerics::HostTensor;

namespace {

using RangeBuild = std::function<Tensor(const OpBuilder&, const std::vector<Tensor>&)>;
struct RangeOp {
  const char* name;
  std::vector<Shape> inputs;
  RangeBuild build;
  bool inPlace = false; // of its first input
  ElementType type = ElementType::Float;
};
constexpr int kTilesOfIpu = 61;

HostTensor rampOf(const Shape& shape, int64_t step) {
  HostTensor t(ElementType::Float, shape);
  int64_t i = 0;
  for (float& v : t.mutableValues<float>()) v = float((++i * step) % 23 - 11) / 8;
  return t;
}

Tensor rowNumbers(const OpBuilder& b, int64_t count, int64_t rows) {
  return generate(b, "rows", {}, ElementType::Int32, {count}, 1, oneResult([rows, count](const std::vector<HostTensor>&) {
                    std::vector<int32_t> values;
                    for (int64_t i = 0; i < count; ++i) values.push_back(int32_t(i * 7919 % rows));
                    return HostTensor::vector(values);
                  }),
                  {});
}

std::vector<RangeOp> rangeOps() {
  using codelets::BinaryOp;
  ConvParams conv;
  conv.inChannels = 5;
  conv.outChannels = 7;
  conv.in = {9, 6};
  conv.kernel = {3, 3};
  PoolParams pools;
  pools.kernel = {2, 2};
  pools.stride = {2, 2};
  pools.out = {4, 3};
  using T = const std::vector<Tensor>&;
  using B = const OpBuilder&;
  return {
      {"unary", {{13, 41}}, [](B b, T t) { return unary(b, codelets::UnaryOp::Exp, t[0]); }},
      {"binary", {{13, 41}, {41}}, [](B b, T t) { return binary(b, BinaryOp::Multiply, t[0], t[1]); }},
      {"cast", {{777}}, [](B b, T t) { return cast(b, t[0], ElementType::Int32); }},
      {"scaledAdd", {{777}, {777}}, [](B b, T t) { return scaledAddTo(b, t[0], t[1], 0.5f), t[0]; }, true},
      {"addBias", {{2, 7, 9, 5}, {7}}, [](B b, T t) { return addBias(b, t[0], t[1]), t[0]; }, true},
      {"relu", {{777}}, [](B b, T t) { return nonLinearityInPlace(b, codelets::NonLinearity::Relu, t[0]), t[0]; }, true},
      {"zero", {{777}}, [](B b, T t) { return zero(b, t[0]), t[0]; }, true},
      {"convolution", {{1, 5, 9, 6}, {7, 5, 3, 3}}, [conv](B b, T t) { return convolution(b, t[0], t[1], conv); }},
      {"convolution in half",
       {{1, 5, 9, 6}, {7, 5, 3, 3}},
       [conv](B b, T t) {
         ConvParams p = conv;
         p.type = ElementType::Half;
         return convolution(b, t[0], t[1], p);
       },
       false,
       ElementType::Half},
      {"matmul", {{19, 67}, {67, 31}}, [](B b, T t) { return matmul(b, t[0], t[1]); }},
      {"pool",
       {{2, 5, 8, 6}},
       [pools](B b, T t) {
         return pool(b, t[0], pools, oneResult([](const std::vector<HostTensor>& in) {
                       return numerics::maxPool(in[0], numerics::makeWindow({2, 2}, {2, 2}, {}, {0, 0, 0, 0}), false);
                     }));
       }},
      {"poolGrad", {{2, 5, 8, 6}, {2, 5, 4, 3}}, [pools](B b, T t) { return poolGrad(b, t[0], {}, t[1], pools); }},
      {"reduce rows", {{37, 53}}, [](B b, T t) { return reduce(b, t[0], {1}, codelets::ReduceOp::Add, false); }},
      {"reduce columns", {{211, 17}}, [](B b, T t) { return reduce(b, t[0], {0}, codelets::ReduceOp::Maximum, false); }},
      {"softmax", {{11, 97}}, [](B b, T t) { return softmax(b, t[0], 1, false); }},
      {"groupNorm", {{2, 6, 67}, {6}, {6}}, [](B b, T t) { return groupNorm(b, t[0], t[1], t[2], 2, 1e-5f); }},
      {"transpose",
       {{31, 47}},
       [](B b, T t) {
         return transpose(b, t[0], {1, 0});
       }},
      {"multiSlice", {{97, 13}}, [](B b, T t) { return multiSlice(b, t[0], rowNumbers(b, 23, 97)); }},
      {"multiUpdate",
       {{97, 13}, {23, 13}},
       [](B b, T t) { return multiUpdate(b, t[0], rowNumbers(b, 23, 97), t[1], numerics::ScatterReduction::Add); }},
      {"dynamicSlice", {{17, 131}}, [](B b, T t) { return dynamicSlice(b, sliceable(b, t[0]), rowNumbers(b, 1, 17)); }},
      {"dynamicUpdate",
       {{17, 131}, {131}},
       [](B b, T t) {
         const Tensor all = sliceable(b, t[0]);
         dynamicUpdate(b, all, t[1], rowNumbers(b, 1, 17));
         return all;
       }},
      {"topK", {{5, 130}}, [](B b, T t) { return topK(b, t[0], 4, 1, true).values; }},
      {"argMax", {{23, 31}}, [](B b, T t) { return cast(b, argReduce(b, t[0], 1, true, false, false), ElementType::Float); }},
      {"cumulativeSum", {{3, 301}}, [](B b, T t) { return cumulativeSum(b, t[0], 1, false, false); }},
      {"sparse",
       {{21, 1, 1}, {13, 11}},
       [](B b, T t) {
         SparseMatmulParams p;
         p.m = 17;
         p.k = 13;
         p.n = 11;
         p.blocks = 21;
         std::vector<int64_t> pattern;
         for (int64_t i = 0; i < 21; ++i) pattern.push_back(i * 10);
         return sparseMatmul(b, t[0], t[1], p, [pattern] { return pattern; });
       }},
  };
}

struct RangeWorld {
  std::shared_ptr<Graph> top;
  std::vector<Tensor> inputs;
  Tensor out;
  Sequence body;
};

RangeWorld worldOf(const RangeOp& op, TileRange tiles, TileRange inputTiles, int ipus = 1) {
  RangeWorld w;
  w.top = std::make_shared<Graph>(arch::tinyMachine(kTilesOfIpu, ipus));
  Graph part = w.top->createVirtualGraph(tiles.begin, tiles.end),
        source = w.top->createVirtualGraph(inputTiles.begin, inputTiles.end);
  for (const Shape& s : op.inputs) {
    w.inputs.push_back(w.top->addVariable(op.type, s, "input"));
    source.mapTensorLinearly(w.inputs.back());
  }
  const OpBuilder b(part, w.body, w.top->addContext({}, "test", "model", "Test"));
  w.out = op.build(b, w.inputs);
  return w;
}

HostTensor runOf(const RangeWorld& w) {
  reports::NoProgress none;
  const auto e = compile::compile(w.top, {{"main", w.body.program()}}, {}, none);
  run::Engine engine(e, {}, nullptr);
  for (std::size_t i = 0; i < w.inputs.size(); ++i)
    engine.writeTensor(w.inputs[i], rampOf(w.inputs[i].shape(), int64_t(5 + 2 * i)));
  engine.run(0, "main", {}, none);
  return engine.readTensor(w.out);
}

void requireWithin(const PerTile& column, TileRange tiles, const std::string& what) {
  if (!(column.within(tiles) == column)) throw std::runtime_error(what + " is on tiles of others");
}

// All variables except the inputs are on `tiles`. Senders may be on the tiles of the inputs.
void requireAllWithin(const RangeWorld& w, TileRange tiles, TileRange inputTiles) {
  const int64_t all = w.top->machine().tiles();
  for (const auto& v : std::as_const(*w.top).variables())
    requireWithin(v.bytesByTile(), v.name == "input" ? inputTiles : tiles, "variable " + v.name);
  for (const auto& set : w.top->computeSets())
    for (const auto& run : set.runs)
      if (run.tiles.clippedTo(tiles) != run.tiles) throw std::runtime_error("a vertex of " + set.name + " is on tiles of others");
  const std::function<void(const graph::Program&)> walk = [&](const graph::Program& p) {
    requireWithin(p->traffic.bytesIn, tiles, p->name + " in");
    requireWithin(p->traffic.localBytes, tiles, p->name + " local");
    requireWithin(p->copyCycles, tiles, p->name + " copies");
    PerTile senders = p->traffic.bytesOut;
    if (!(senders.within(tiles) == senders)) requireWithin(senders, {0, all}, p->name + " out");
    if (!p->traffic.linkBytesIn.empty()) throw std::runtime_error(p->name + " leaves the IPU");
    for (const auto& c : p->children) walk(c);
  };
  walk(w.body.program());
}

} // namespace

class VirtualGraphOpsTest : public QObject {
  Q_OBJECT
private slots:
  void everythingStaysInRangeAndComputesTheSame() {
    for (const RangeOp& op : rangeOps()) {
      const HostTensor expected = runOf(worldOf(op, {0, kTilesOfIpu}, {0, kTilesOfIpu}));
      for (const auto& [tiles, inputs] : std::vector<std::pair<TileRange, TileRange>>{
               {{3, 10}, {3, 10}}, {{5, 6}, {5, 6}}, {{7, 60}, {7, 60}}, {{3, 10}, {11, 40}}, {{8, 61}, {0, 7}}}) {
        if (op.inPlace && !(tiles == inputs)) continue;
        try {
          const RangeWorld w = worldOf(op, tiles, inputs);
          requireAllWithin(w, tiles, inputs);
          const HostTensor got = runOf(w);
          QCOMPARE(got.shape(), expected.shape());
          for (int64_t i = 0; i < got.count(); ++i)
            if (std::abs(got.at(i) - expected.at(i)) >
                (op.type == ElementType::Half ? 1e-2 : 1e-5) * (1 + std::abs(expected.at(i))))
              throw std::runtime_error("element " + std::to_string(i) + " is " + std::to_string(got.at(i)));
        } catch (const std::exception& e) {
          QFAIL(qPrintable(QString("%1 on tiles %2..%3, inputs on %4..%5: %6")
                               .arg(op.name)
                               .arg(tiles.begin)
                               .arg(tiles.end)
                               .arg(inputs.begin)
                               .arg(inputs.end)
                               .arg(e.what())));
        }
      }
    }
  }

  // With fewer tiles each has more work: planners use the number of tiles that they are given.
  void planersSeeTheTilesOfTheGraph() {
    const auto cyclesOf = [](TileRange tiles) {
      RangeOp op{"matmul", {{64, 64}, {64, 64}}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
                   if (b.machine().tilesPerIpu != b.tiles()) throw std::runtime_error("the planner sees other tiles");
                   return matmul(b, t[0], t[1]);
                 }};
      const RangeWorld w = worldOf(op, tiles, tiles);
      int64_t most = 0;
      for (const auto& plan : w.top->plans()) most = std::max(most, plan.predicted.value());
      return most;
    };
    QVERIFY(cyclesOf({0, 60}) * 3 < cyclesOf({20, 25}));
  }

  // The IPU of a virtual graph is that of its tiles, and onIpu() names IPUs of the machine.
  void secondIpu() {
    Graph g(arch::tinyMachine(16, 2));
    Graph io = g.createVirtualGraph(std::vector<int64_t>{4, 5, 6}), other = g.createVirtualGraph(20, 28);
    Sequence s;
    const auto context = g.addContext({}, "test", "model", "Test");
    QCOMPARE(OpBuilder(io, s, context, true, 1).tileRange(), (TileRange{20, 23}));
    QCOMPARE(OpBuilder(io, s, context).onIpu(1).tileRange(), (TileRange{20, 23}));
    QCOMPARE(OpBuilder(other, s, context).tileRange(), (TileRange{20, 28}));
    QCOMPARE(OpBuilder(other, s, context).ipu(), 1);
    QCOMPARE(OpBuilder(g, s, context, true, 1).tileRange(), (TileRange{16, 32}));
    QVERIFY_THROWS_EXCEPTION(reports::Error, OpBuilder(other, s, context).onIpu(0));
    Graph gaps = g.createVirtualGraph(std::vector<int64_t>{1, 3});
    QVERIFY_THROWS_EXCEPTION(reports::Error, OpBuilder(gaps, s, context));
  }

  void writingInPlaceElsewhereNamesTheTensor() {
    Graph g(arch::tinyMachine(16));
    Graph half = g.createVirtualGraph(8, 16);
    const Tensor t = g.addVariable(ElementType::Float, {40}, "weights");
    g.setTileMapping(t, graph::TileId(2));
    Sequence s;
    const OpBuilder b(half, s, g.addContext({}, "net", "model", "Test"));
    try {
      zero(b, t);
      QFAIL("accepted");
    } catch (const reports::Error& e) {
      QVERIFY(QString(e.what()).contains("weights"));
      QVERIFY(QString(e.what()).contains("net/zero"));
    }
  }
};

TILESCOPE_TEST(VirtualGraphOpsTest)
#include "virtual_graph_ops_test.moc"
