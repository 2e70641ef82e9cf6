// Collectives of gcl between replicas: every operation, for groups of neighbours and of replicas at equal distances, against plain loops.
// Each program is run as compiled and as read from a file.
#include "gcl/Collectives.hpp"
#include "poplar/Engine.hpp"
#include "poplar/Graph.hpp"
#include "poplar/IPUModel.hpp"
#include "poputil/exceptions.hpp"

#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <sstream>

namespace {

using namespace poplar;
using namespace poplar::program;
using gcl::CollectiveOperator;
using gcl::CommGroup;
using gcl::CommGroupType;

constexpr unsigned kReplicas = 4;

Device ipus(unsigned count) {
  IPUModel model;
  model.numIPUs = count;
  model.tilesPerIPU = 4;
  return model.createDevice();
}

// x of each replica before the program, and of the result after it.
using Values = std::vector<std::vector<float>>;
using Build = std::function<Tensor(Graph&, Tensor&, Sequence&)>;

Values inputs(std::size_t elements) {
  Values all(kReplicas);
  for (unsigned r = 0; r < kReplicas; ++r)
    for (std::size_t i = 0; i < elements; ++i) all[r].push_back(float(100 * r + i));
  return all;
}

Values after(std::size_t elements, const Build& build) {
  Graph graph(ipus(kReplicas), replication_factor(kReplicas));
  Tensor x = graph.addVariable(FLOAT, {elements}, VariableMappingMethod::LINEAR, "x");
  Sequence prog;
  const Tensor y = build(graph, x, prog);
  graph.createHostWrite("x", x);
  graph.createHostRead("y", y);
  std::stringstream file;
  compileGraph(graph, prog).serialize(file);
  Engine compiled(graph, prog), read(Executable::deserialize(file));
  Values results[2];
  for (int i = 0; i < 2; ++i) {
    Engine& engine = i == 0 ? compiled : read;
    engine.load(ipus(kReplicas));
    const Values in = inputs(elements);
    for (unsigned r = 0; r < kReplicas; ++r) engine.writeTensor("x", r, in[r].data(), in[r].data() + elements);
    engine.run(0);
    for (unsigned r = 0; r < kReplicas; ++r) {
      std::vector<float> out(y.numElements());
      engine.readTensor("y", r, out.data(), out.data() + out.size());
      results[i].push_back(out);
    }
  }
  return results[0] == results[1] ? results[0] : Values();
}

const CommGroup kAll, kNeighbours(CommGroupType::CONSECUTIVE, 2), kApart(CommGroupType::ORTHOGONAL, 2);

// The replicas of r's group, in order.
std::vector<unsigned> groupOf(const CommGroup& group, unsigned r) {
  if (group.type == CommGroupType::ALL) return {0, 1, 2, 3};
  if (group.type == CommGroupType::CONSECUTIVE) return {r / 2 * 2, r / 2 * 2 + 1};
  return {r % 2, r % 2 + 2};
}

template<class F> Values expected(const CommGroup& group, F f) {
  Values all;
  for (unsigned r = 0; r < kReplicas; ++r) {
    const std::vector<unsigned> members = groupOf(group, r);
    all.push_back(f(members, std::size_t(std::find(members.begin(), members.end(), r) - members.begin())));
  }
  return all;
}

} // namespace

class CollectivesTest : public QObject {
  Q_OBJECT

private slots:
  void everyOperationWorksInGroups_data() {
    QTest::addColumn<int>("which");
    QTest::newRow("all") << 0;
    QTest::newRow("neighbours") << 1;
    QTest::newRow("apart") << 2;
  }
  void everyOperationWorksInGroups() {
    QFETCH(int, which);
    const CommGroup group = which == 0 ? kAll : which == 1 ? kNeighbours : kApart;
    const std::size_t n = 6, size = groupOf(group, 0).size();
    const Values in = inputs(n);
    const auto reduced = [&](const std::vector<unsigned>& members, std::size_t i, float start, auto combine) {
      float value = start;
      for (unsigned r : members) value = combine(value, in[r][i]);
      return value;
    };
    const auto most = [](float a, float b) { return std::max(a, b); };
    const auto sum = [](float a, float b) { return a + b; };
    QCOMPARE(after(n, [&](Graph& g, Tensor& x,
                          Sequence& p) { return gcl::allReduceCrossReplica(g, x, CollectiveOperator::MAX, p, group); }),
             expected(group, [&](const auto& members, std::size_t) {
               std::vector<float> all;
               for (std::size_t i = 0; i < n; ++i) all.push_back(reduced(members, i, -1, most));
               return all;
             }));
    QCOMPARE(after(n, [&](Graph& g, Tensor& x,
                          Sequence& p) { return gcl::allReduceCrossReplica(g, x, CollectiveOperator::MEAN, p, group); }),
             expected(group, [&](const auto& members, std::size_t) {
               std::vector<float> all;
               for (std::size_t i = 0; i < n; ++i) all.push_back(reduced(members, i, 0, sum) / float(size));
               return all;
             }));
    const std::size_t share = (n + size - 1) / size;
    QCOMPARE(after(n, [&](Graph& g, Tensor& x,
                          Sequence& p) { return gcl::reduceScatterCrossReplica(g, x, CollectiveOperator::ADD, p, group); }),
             expected(group, [&](const auto& members, std::size_t place) {
               std::vector<float> mine(share);
               for (std::size_t i = 0; i < share && place * share + i < n; ++i)
                 mine[i] = reduced(members, place * share + i, 0, sum);
               return mine;
             }));
    QCOMPARE(after(n, [&](Graph& g, Tensor& x,
                          Sequence& p) { return gcl::reduceScatterCrossReplica(g, x, CollectiveOperator::LOCAL, p, group); }),
             expected(group, [&](const auto& members, std::size_t place) {
               std::vector<float> mine(share);
               for (std::size_t i = 0; i < share && place * share + i < n; ++i) mine[i] = in[members[place]][place * share + i];
               return mine;
             }));
    QCOMPARE(after(n, [&](Graph& g, Tensor& x, Sequence& p) { return gcl::allGatherCrossReplica(g, x, p, group); }),
             expected(group, [&](const auto& members, std::size_t) {
               std::vector<float> all;
               for (unsigned r : members) all.insert(all.end(), in[r].begin(), in[r].end());
               return all;
             }));
    QCOMPARE(after(4,
                   [&](Graph& g, Tensor& x, Sequence& p) {
                     return gcl::allToAllCrossReplica(g, x.reshape({size, 4 / size}), p, group);
                   }),
             expected(group, [&](const auto& members, std::size_t place) {
               std::vector<float> all;
               for (unsigned r : members)
                 for (std::size_t i = 0; i < 4 / size; ++i) all.push_back(in[r][place * (4 / size) + i]);
               return all;
             }));
    QCOMPARE(after(n, [&](Graph& g, Tensor& x, Sequence& p) { return gcl::broadcastCrossReplica(g, x, p, group, 1); }),
             expected(group, [&](const auto& members, std::size_t) { return in[members[1]]; }));
  }

  void tensorsOfAllReplicasAreOneBuffer() {
    Graph graph(ipus(2), replication_factor(2));
    const Tensor x = graph.addVariable(FLOAT, {3}, VariableMappingMethod::LINEAR, "x");
    graph.createHostWrite("x", x);
    graph.createHostRead("x", x);
    Engine engine(graph, Sequence());
    engine.load(ipus(2));
    const std::vector<float> both{1, 2, 3, 4, 5, 6};
    engine.writeTensor("x", both.data(), both.data() + 6);
    std::vector<float> all(6), second(3), first(3);
    engine.readTensor("x", all.data(), all.data() + 6);
    engine.readTensor("x", 1, second.data(), second.data() + 3);
    engine.readTensor("x", first.data(), first.data() + 3);
    QCOMPARE(all, both);
    QCOMPARE(second, (std::vector<float>{4, 5, 6}));
    QCOMPARE(first, (std::vector<float>{1, 2, 3}));
    QVERIFY_THROWS_EXCEPTION(tensor_io_state_error, engine.readTensor("x", all.data(), all.data() + 5));
  }

  void aDeviceOfTheHostHasSeveralIpus() {
    const Device device = Device::createCPUDevice(2);
    QCOMPARE(device.getTarget().getNumIPUs(), 2U);
    QVERIFY(device.getTarget().getTargetType() == TargetType::CPU);
    Graph graph(device, replication_factor(2));
    QCOMPARE(graph.getReplicationFactor(), 2U);
  }

  // The rows of one variable, each on its own IPU.
  void rowsOnTheIpusOfAReplicaAreCombined() {
    Graph graph(ipus(4));
    const Tensor x = graph.addVariable(FLOAT, {4, 8}, "x");
    for (unsigned ipu = 0; ipu < 4; ++ipu) graph.setTileMapping(x[ipu], ipu * 4);
    std::vector<float> in(32), sums(8, 0), rows;
    for (std::size_t i = 0; i < in.size(); ++i) sums[i % 8] += in[i] = float(i * i % 7);
    for (unsigned ipu = 0; ipu < 4; ++ipu) rows.insert(rows.end(), sums.begin(), sums.end());
    graph.setInitialValue(x, ArrayRef<float>(in));
    Sequence prog;
    const Tensor reduced = gcl::allReduceWithinReplica(graph, x, CollectiveOperator::ADD, prog);
    const gcl::Chunks parts = gcl::reduceScatterWithinReplica(graph, x, CollectiveOperator::ADD, prog);
    const Tensor gathered = gcl::allGatherWithinReplica(graph, parts, prog);
    QCOMPARE(parts.chunks.size(), std::size_t(4));
    for (unsigned ipu = 0; ipu < 4; ++ipu) {
      const auto mapping = graph.getTileMapping(parts.chunks[ipu].tensor);
      for (unsigned tile = 0; tile < mapping.size(); ++tile) QVERIFY(mapping[tile].empty() || tile / 4 == ipu);
    }
    graph.createHostRead("reduced", reduced);
    graph.createHostRead("gathered", gathered);
    Engine engine(graph, prog);
    engine.load(ipus(4));
    engine.run();
    std::vector<float> values(32);
    for (const char* name : {"reduced", "gathered"}) {
      engine.readTensor(name, values.data(), values.data() + values.size());
      QCOMPARE(values, rows);
    }
  }

  void groupsThatDoNotFitAreRefused() {
    Graph graph(ipus(kReplicas), replication_factor(kReplicas));
    Tensor x = graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR, "x");
    Sequence prog;
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, gcl::allReduceInPlaceCrossReplica(graph, x, CollectiveOperator::ADD, prog,
                                                                                       CommGroup(CommGroupType::CONSECUTIVE, 3)));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error,
                             gcl::allGatherCrossReplica(graph, x, prog, CommGroup(CommGroupType::CONSECUTIVE, 2, 4)));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, gcl::broadcastCrossReplica(graph, x, prog, kNeighbours, 2));
  }
};

TILESCOPE_TEST(CollectivesTest)
#include "collectives_test.moc"
