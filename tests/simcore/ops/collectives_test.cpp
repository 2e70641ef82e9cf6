#include "reports/core/error.h"
#include "simcore/ops/collective/collectives.h"
#include "simcore/ops/collective/inter_ipu.h"
#include "simcore/run/engine.h"
#include "tests/support/pair_map.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::ops;
using numerics::HostTensor;

namespace {

struct World {
  std::shared_ptr<Graph> graph;
  Sequence main;
  compile::Executable executable;

  World(int ipus, int replicas = 1, bool vertexByVertex = false, bool torus = false) {
    arch::Machine machine = arch::tinyMachine(4, ipus);
    machine.replicas = replicas;
    machine.link.torus = torus;
    machine.vertexByVertex = vertexByVertex;
    graph = std::make_shared<Graph>(machine);
  }
  OpBuilder builder() { return OpBuilder(*graph, main, graph->addContext({}, "test", "library", "test")); }
  std::vector<Tensor> members(int64_t n, int count) {
    std::vector<Tensor> list;
    for (int ipu = 0; ipu < count; ++ipu) {
      list.push_back(graph->addVariable(ElementType::Float, {n}, "x" + std::to_string(ipu)));
      builder().onIpu(ipu).mapLinearly(list.back());
    }
    return list;
  }
  run::Engine engine() {
    reports::NoProgress none;
    executable = compile::compile(graph, {{"main", main.program()}}, {}, none);
    return run::Engine(executable, {}, nullptr);
  }
  // Bytes that an IPU sends or receives over links in one run.
  int64_t linkBytes(int ipu, bool out) const {
    int64_t bytes = 0;
    for (const auto& s : executable.program.steps) {
      if (s.activity != reports::Activity::GlobalExchange) continue;
      const auto& e = executable.program.exchanges[std::size_t(s.exchange)];
      const auto& parent = executable.program.steps[std::size_t(s.parent)];
      bytes += (out ? e.bytesOut : e.bytesIn).within({ipu * 4, ipu * 4 + 4}).sum() *
               (parent.kind == compile::StepKind::Repeat ? parent.repeat : 1);
    }
    return bytes;
  }
  // One round of an all-reduce: pairs of (shares per step, number of such steps), in order.
  std::vector<std::pair<int64_t, int64_t>> ringSteps(int64_t shareBytes) const {
    std::vector<std::pair<int64_t, int64_t>> list;
    for (const auto& s : executable.program.steps) {
      if (s.activity != reports::Activity::GlobalExchange) continue;
      const auto& e = executable.program.exchanges[std::size_t(s.exchange)];
      const auto& parent = executable.program.steps[std::size_t(s.parent)];
      list.emplace_back(e.bytesOut.within({0, 4}).sum() / shareBytes,
                        parent.kind == compile::StepKind::Repeat ? parent.repeat : 1);
    }
    return list;
  }
  std::vector<graph::LinkFlow> firstFlows() const {
    for (const auto& s : executable.program.steps)
      if (s.activity == reports::Activity::GlobalExchange) return executable.program.exchanges[std::size_t(s.exchange)].linkFlows;
    return {};
  }
};

void go(run::Engine& e) {
  reports::NoProgress none;
  e.run(0, "main", {}, none);
}

HostTensor ramp(int64_t n, float from) {
  std::vector<float> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(from + float(i % 17));
  return HostTensor::vector(values);
}

} // namespace

class CollectivesTest : public QObject {
  Q_OBJECT
private slots:
  // Moving shares round the ring step by step gives the same numbers as one sum.
  void ringStepsAgreeWithTheWhole() {
    for (const int64_t n : {1, 2, 7, 101})
      for (const auto& [ipus, replicas] : std::vector<std::pair<int, int>>{{2, 1}, {4, 1}, {1, 4}})
        for (const auto op : {CollectiveOp::Add, CollectiveOp::Mean, CollectiveOp::Multiply, CollectiveOp::Maximum}) {
          std::vector<std::vector<double>> results[2];
          for (const bool steps : {false, true}) {
            World w(ipus, replicas, steps);
            const auto x = w.members(n, ipus), y = w.members(n, ipus);
            allReduce(w.builder(), op, x);
            const auto shares = reduceScatter(w.builder(), op, y);
            const auto all = allGather(w.builder(), shares);
            const auto z = w.members(n, 1);
            if (replicas > 1) sumOverNeighbours(w.builder(), z[0], 2);
            auto e = w.engine();
            e.writeTensor(z[0], ramp(n, 2));
            for (int m = 0; m < ipus; ++m) {
              e.writeTensor(x[std::size_t(m)], ramp(n, float(3 * m) + 0.25f));
              e.writeTensor(y[std::size_t(m)], ramp(n, float(5 * m) - 0.5f));
            }
            go(e);
            for (const auto& list : {x, shares, all, z})
              for (const Tensor& t : list) results[steps].push_back(e.readTensor(t).toDoubles());
          }
          QCOMPARE(results[1].size(), results[0].size());
          for (std::size_t i = 0; i < results[0].size(); ++i) {
            QCOMPARE(results[1][i].size(), results[0][i].size());
            for (std::size_t k = 0; k < results[0][i].size(); ++k)
              QVERIFY(std::abs(results[1][i][k] - results[0][i][k]) <= 1e-5 * (1 + std::abs(results[0][i][k])));
          }
        }
  }

  // Every member gets a part from each member, over links except for its own.
  void anAllToAllExchangesParts() {
    for (const int members : {2, 4})
      for (const bool cells : {false, true}) {
        constexpr int64_t kPart = 12;
        World w(members, 1, cells);
        std::vector<Tensor> x = w.members(members * kPart, members);
        for (Tensor& t : x) t = t.reshape({members, kPart});
        const auto parts = allToAll(w.builder(), x);
        auto e = w.engine();
        for (int i = 0; i < members; ++i) {
          std::vector<float> values;
          for (int j = 0; j < members; ++j) values.insert(values.end(), kPart, float(10 * i + j)); // from i to j
          e.writeTensor(x[std::size_t(i)], HostTensor::vector(values));
        }
        go(e);
        for (int j = 0; j < members; ++j)
          for (int64_t at = 0; at < members * kPart; ++at)
            QCOMPARE(e.readTensor(parts[std::size_t(j)]).at(at), double(10 * (at / kPart) + j));
        for (int i = 0; i < members; ++i) QCOMPARE(w.linkBytes(i, true), (members - 1) * kPart * 4);
      }
    World w(2);
    const auto x = w.members(6, 2);
    QVERIFY_EXCEPTION_THROWN(allToAll(w.builder(), x), reports::Error);
  }

  void anAllReduceAddsAndMovesItsShare() {
    for (const int members : {2, 4, 8}) {
      const int64_t n = 4096;
      World w(members);
      const auto x = w.members(n, members);
      allReduce(w.builder(), CollectiveOp::Add, x);
      auto e = w.engine();
      for (int i = 0; i < members; ++i) e.writeTensor(x[std::size_t(i)], ramp(n, float(i)));
      go(e);
      double offsets = 0;
      for (int i = 0; i < members; ++i) offsets += i;
      for (const Tensor& t : x)
        for (const int64_t at : {int64_t(0), int64_t(5), n - 1})
          QCOMPARE(e.readTensor(t).at(at), offsets + double(members) * double(at % 17));
      const int64_t bytes = n * 4;
      for (int i = 0; i < members; ++i) {
        QCOMPARE(w.linkBytes(i, true), 2 * (members - 1) * bytes / members);
        QCOMPARE(w.linkBytes(i, false), 2 * (members - 1) * bytes / members);
      }
    }
  }

  void oneReplicaStandsForAll() {
    const int64_t n = 4096;
    World all(4), one(1, 4);
    allReduce(all.builder(), CollectiveOp::Add, all.members(n, 4));
    const auto x = one.members(n, 1);
    allReduce(one.builder(), CollectiveOp::Add, x);
    auto a = all.engine(), b = one.engine();
    b.writeTensor(x[0], ramp(n, 1));
    go(a);
    go(b);
    QCOMPARE(one.linkBytes(0, true), 2 * 3 * n * 4 / 4);
    QCOMPARE(b.cycle(), a.cycle()); // the twins' traffic counts
    QCOMPARE(b.readTensor(x[0]).at(3), 16.0);
  }

  // poplibs lib/popops/Collectives.cpp: replicas of one IPU send both ways to the middle, larger ones on a ladder one way.
  void sharesMeetInTheMiddleOrGoOneWay() {
    using Steps = std::vector<std::pair<int64_t, int64_t>>;
    const auto stepsOf = [](int ipus, int replicas, bool torus) {
      World w(ipus, replicas, false, torus);
      allReduce(w.builder(), CollectiveOp::Add, w.members(1024, 1));
      w.engine();
      return w.ringSteps(1024 * 4 / replicas);
    };
    const Steps middle{{2, 3}, {1, 1}, {2, 3}, {1, 1}};
    QCOMPARE(stepsOf(1, 8, false), middle);
    QCOMPARE(stepsOf(1, 2, false), (Steps{{1, 1}, {1, 1}}));
    QCOMPARE(stepsOf(4, 8, false), (Steps{{1, 7}, {1, 7}}));
    QCOMPARE(stepsOf(4, 8, true), (Steps{{1, 7}, {1, 7}})); // half of the torus' IPUs are a ladder
    QCOMPARE(stepsOf(8, 8, true), middle);
  }

  // Groups of two: with equal replicas the sum is twice the value, from one step that moves both shares.
  void neighboursAddTheirs() {
    World w(1, 4);
    const auto x = w.members(64, 1);
    sumOverNeighbours(w.builder(), x[0], 2);
    auto e = w.engine();
    e.writeTensor(x[0], ramp(64, 1));
    go(e);
    QCOMPARE(e.readTensor(x[0]).at(3), 8.0);
    QCOMPARE(w.ringSteps(32 * 4), (std::vector<std::pair<int64_t, int64_t>>{{2, 1}}));
  }

  // The other IPUs of a replica use the same links for their own shares.
  void ipusOfAReplicaShareTheRails() {
    const auto flowsOf = [](int ipus) {
      World w(ipus, 4);
      allReduce(w.builder(), CollectiveOp::Add, w.members(1024, 1));
      w.engine();
      return w.firstFlows();
    };
    const auto flows = flowsOf(4);
    QCOMPARE(flows.size(), std::size_t(16)); // four rings of four
    for (int ipu = 0; ipu < 4; ++ipu)
      for (const auto& [from, to] : std::vector<std::pair<int, int>>{{0, 2}, {2, 3}, {3, 1}, {1, 0}})
        QCOMPARE(std::count(flows.begin(), flows.end(), graph::LinkFlow{4 * from + ipu, 4 * to + ipu, 1024}), 1);
    QCOMPARE(flowsOf(1).size(), std::size_t(8)); // one ring, both ways round
  }

  void sharesPutTogetherAreTheWhole() {
    World w(4);
    const auto x = w.members(10, 4); // shares of 3: the last has padding
    const auto shares = reduceScatter(w.builder(), CollectiveOp::Mean, x);
    const auto whole = allGather(w.builder(), shares);
    auto e = w.engine();
    for (const Tensor& t : x) e.writeTensor(t, ramp(10, 2));
    go(e);
    QCOMPARE(e.readTensor(shares[3]).toDoubles(), (std::vector<double>{11, 0, 0}));
    for (const Tensor& t : whole) {
      const auto values = e.readTensor(t).toDoubles();
      QCOMPARE(values.size(), std::size_t(12));
      for (std::size_t i = 0; i < 10; ++i) QCOMPARE(values[i], 2.0 + double(i));
    }
    QVERIFY(isElsewhere(*w.graph, whole[2], 0) && !isElsewhere(*w.graph, whole[2], 2));
  }

  void membersMustBeAlikeAndApart() {
    World w(2);
    auto x = w.members(8, 2);
    QVERIFY_THROWS_EXCEPTION(reports::Error, allReduce(w.builder(), CollectiveOp::Add, {x[0], x[0]}));
    QVERIFY_THROWS_EXCEPTION(reports::Error, allReduce(w.builder(), CollectiveOp::Add, {x[0], x[1].slice(0, 4)}));
  }

  void aRingGoesUpOneSideOfTheLadderAndDownTheOther() {
    QCOMPARE(ladderRing({0, 1, 2, 3, 4, 5}), (std::vector<int>{0, 2, 4, 5, 3, 1}));
    QCOMPARE(ladderRing({0, 4, 8, 12}), (std::vector<int>{0, 4, 8, 12}));
  }

  void aCopyLiesAsTheOriginal() {
    World w(4);
    const Tensor x =
        w.builder().output(ElementType::Float, {8, 32}, "x", Distribution({8, 32}, {2, 2}, {1, 2}, 1, TileRange{0, 4}));
    const Tensor y = interIpuCopy(w.builder(), x, 3);
    const Tensor part = interIpuCopy(w.builder(), x.slice(1, 3, 0), 1); // a view: linear there
    // The destination belongs to the copying operation, so that the report can attribute it.
    const auto contexts = {w.graph->variable(y.wholeVariable()).context, w.graph->variable(part.wholeVariable()).context};
    for (const auto context : contexts) QCOMPARE(w.graph->contexts().at(context.value()).kind, std::string("IpuCopy"));
    auto e = w.engine();
    e.writeTensor(x, ramp(256, 0).reshaped({8, 32}));
    go(e);
    QVERIFY(w.builder().onIpu(3).layoutOf(y).sameAs(w.builder().layoutOf(x).movedTo({12, 16})));
    QCOMPARE(e.readTensor(y).toDoubles(), ramp(256, 0).toDoubles());
    QCOMPARE(e.readTensor(part).at(0), double(32 % 17));
    QCOMPARE(w.linkBytes(3, false), int64_t(1024));
    QCOMPARE(w.linkBytes(1, false), int64_t(256));
    // Each tile sends to the tile at the same position; for the view the tiles are unknown.
    std::vector<tests::PairMap> pairs;
    for (const auto& s : w.executable.program.steps)
      if (s.activity == reports::Activity::GlobalExchange)
        pairs.push_back(tests::pairMapOf(w.executable.program.exchanges[std::size_t(s.exchange)].pairs.runs()));
    QCOMPARE(pairs.size(), std::size_t(2));
    tests::PairMap wanted;
    for (int64_t tile = 0; tile < 4; ++tile) wanted[{12 + tile, tile}] = 256; // a quarter of 8 x 32 floats
    QVERIFY(pairs[0] == wanted);
    QVERIFY(pairs[1].empty());
    QCOMPARE(w.linkBytes(0, true), int64_t(1280));
  }
};

TILESCOPE_TEST(CollectivesTest)
#include "collectives_test.moc"
