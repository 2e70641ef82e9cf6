#include "gcl/TileAllocation.hpp"
#include "poplar/DeviceManager.hpp"
#include "popnn/Lstm.hpp"
#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "poputil/Broadcast.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/GraphFunction.hpp"
#include "poputil/Util.hpp"
#include "poputil/VarStructure.hpp"
#include "poputil/VertexTemplates.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

#include <iostream>
#include <sstream>

using poplar::Interval;
using poplar::Tensor;
using tests::isNear;
using tests::LibraryBench;

class PoputilTest : public QObject {
  Q_OBJECT
private slots:
  void linearMappingsAreEvenAndWhole() {
    LibraryBench b(8);
    const auto mapping = poputil::calcLinearTileMapping(b.graph, {100}, 10, 5);
    std::size_t all = 0, used = 0;
    for (const auto& tile : mapping)
      for (const Interval& i : tile) {
        QCOMPARE(i.begin(), all);
        all = i.end();
        ++used;
        QVERIFY(i.size() >= 10 && i.size() % 5 == 0);
      }
    QCOMPARE(all, std::size_t(100));
    QCOMPARE(used, std::size_t(8));
    // A tile gets at least 128 bytes, so a small tensor is on one tile: the one given by the offset.
    const auto small = b.graph.addVariable(poplar::FLOAT, {4}, "small");
    poputil::mapTensorLinearlyWithOffset(b.graph, small, 3);
    QCOMPARE(b.graph.getTileMapping(small)[3].size(), std::size_t(1));
  }

  void useDecidesTheMapping() {
    LibraryBench b;
    const auto t = b.graph.addVariable(poplar::FLOAT, {8}, "t");
    poputil::TensorUseTracker tracker(4);
    tracker.add(b.graph, 1, t.slice(0, 4));
    tracker.add(b.graph, 2, t.slice(4, 8));
    tracker.mapTensorsByUse(b.graph, 1, 1);
    const auto mapping = b.graph.getTileMapping(t);
    QVERIFY(mapping[1] == std::vector<Interval>{Interval(0, 4)});
    QVERIFY(mapping[2] == std::vector<Interval>{Interval(4, 8)});
  }

  void elementsOfSeveralUsersAreDividedAmongThem() {
    using Tracker = poputil::TensorUseTracker;
    LibraryBench b(4);
    const auto mapped = [&](Tracker::MappingMethod method, bool extends, unsigned grain, unsigned least) {
      const auto t = b.graph.addVariable(poplar::FLOAT, {16}, "t");
      Tracker tracker(4), behind(4);
      tracker.add(b.graph, 0, t.slice(0, 8));
      tracker.add(b.graph, 1, t.slice(6, 12));
      behind.add(b.graph, 1, t.slice(10, 12)); // again
      tracker.add(behind);
      tracker.mapTensorsByUse(b.graph, grain, least, extends, method);
      std::vector<int> tiles(16, -1);
      const auto mapping = b.graph.getTileMapping(t, false);
      for (unsigned tile = 0; tile < 4; ++tile)
        for (const Interval& i : mapping[tile])
          for (std::size_t e = i.begin(); e < i.end(); ++e) tiles[e] = int(tile);
      return tiles;
    };
    const int no = -1;
    QCOMPARE(mapped(Tracker::MappingMethod::None, false, 1, 1),
             (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, no, no, no, no}));
    QCOMPARE(mapped(Tracker::MappingMethod::None, true, 4, 1), // whole grains, also for elements without users
             (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
    QCOMPARE(mapped(Tracker::MappingMethod::OptimizeHaloRegions, false, 1, 1),
             (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, no, no, no, no}));
    QCOMPARE(
        mapped(Tracker::MappingMethod::ConstrainMappingToUsedTiles, false, 4, 1), // three grains, as splitRegions divides them
        (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, no, no, no, no}));
    QCOMPARE(mapped(Tracker::MappingMethod::None, false, 1, 8), // two elements are too few for two tiles
             (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, no, no, no, no}));
    const auto t = b.graph.addVariable(poplar::FLOAT, {4}, "t");
    Tracker last(4, 0, false), other(3);
    last.add(b.graph, 0, t);
    last.mapTensorsByUse(b.graph, 1, 1);
    QVERIFY(b.graph.getTileMapping(t)[3].size() == 1);
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, other.add(b.graph, 3, t));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, other.add(last));
    Tracker constants(4);
    constants.add(b.graph, 0, b.graph.addConstant(poplar::FLOAT, {2}, 1.0F));
    QVERIFY(constants.empty());
  }

  void copiesLieOnTheOtherIpu() {
    LibraryBench b(4, 2);
    const auto x = b.input({64}, LibraryBench::numbers(64));
    const auto copy = poputil::copyToIpu(b.graph, x, b.prog, 1, "copy");
    for (unsigned tile = 0; tile < 4; ++tile) QVERIFY(b.graph.getTileMapping(copy)[tile].empty());
    b.keep("copy", copy);
    b.run();
    QVERIFY(isNear(b.values("copy"), LibraryBench::numbers(64)));
  }

  void broadcastsAreViews() {
    LibraryBench b;
    poplar::Tensor a = b.input({3}, {1, 2, 3}), c = b.input({2, 1}, {1, 2}), d = b.input({4}, {1, 2, 3, 4});
    QVERIFY(!poputil::canBroadcastToMatch(a, d));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, poputil::broadcastToMatch(a, d));
    poputil::broadcastToMatch(a, c);
    QVERIFY(a.shape() == std::vector<std::size_t>({2, 3}) && c.shape() == a.shape());
  }

  void namesOfTemplatesAreSpelled() {
    QCOMPARE(poputil::templateVertex("ns::Sum", poplar::FLOAT, true, 3, "Mode::A"), std::string("ns::Sum<float,true,3,Mode::A>"));
    QCOMPARE(poputil::templateVertex("Sum", poplar::HALF), std::string("Sum<half>"));
  }

  void regionsSplitInGrains() {
    const auto parts = poputil::splitRegions({Interval(0, 10), Interval(20, 30)}, 4, 3);
    QCOMPARE(parts.size(), std::size_t(3));
    QCOMPARE(poputil::intervalSequenceNumElements(parts), std::size_t(20));
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      QCOMPARE(poputil::intervalSequenceNumElements({parts[i]}) % 4, std::size_t(0));
    // Sequences stay sequences: 12 elements in 3 parts of whole grains, a sequence cut where a part ends.
    const std::vector<std::vector<Interval>> sequences{{Interval(0, 2), Interval(8, 12)}, {Interval(20, 26)}};
    const auto bySequence = poputil::splitRegions(sequences, 2, 3);
    QCOMPARE(bySequence.size(), std::size_t(3));
    QVERIFY((bySequence[0] == std::vector<std::vector<Interval>>{{Interval(0, 2), Interval(8, 10)}}));
    QVERIFY((bySequence[1] == std::vector<std::vector<Interval>>{{Interval(10, 12)}, {Interval(20, 22)}}));
    QVERIFY((bySequence[2] == std::vector<std::vector<Interval>>{{Interval(22, 26)}}));
    QVERIFY((poputil::splitRegions({Interval(0, 10)}, 1, 1, 0, UINT_MAX, 4) ==
             std::vector<std::vector<Interval>>{{Interval(0, 4), Interval(4, 8), Interval(8, 10)}}));
    QVERIFY((poputil::splitRegions({Interval(0, 10)}, 1, 1, 0, UINT_MAX, 0) == // 0: no limit
             std::vector<std::vector<Interval>>{{Interval(0, 10)}}));
    std::vector<Interval> regions{Interval(4, 8), Interval(0, 4), Interval(9, 10)};
    poputil::mergeAdjacentRegions(regions);
    QVERIFY(regions == std::vector<Interval>({Interval(0, 8), Interval(9, 10)}));
    QCOMPARE(poputil::flattenIndex<std::size_t>({2, 3}, poputil::unflattenIndex<std::size_t>({2, 3}, 4)), std::size_t(4));
  }

  void shuffledSlicesAreFoundAgain() {
    LibraryBench b(8);
    const auto t = b.graph.addVariable(poplar::FLOAT, {10}, poplar::VariableMappingMethod::LINEAR, "t");
    const std::vector<Interval> order{Interval(6, 10), Interval(0, 1), Interval(1, 6)};
    const auto shuffled = poplar::concat(t.slices(order));
    QVERIFY(poplar::concat(shuffled.slices(poputil::calculateUnshufflingIntervals(order))) == t);
  }

  void clonesLieOnTheSameTilesOfAnotherGraph() {
    LibraryBench b(8);
    poplar::Graph first = b.graph.createVirtualGraph(0, 4), second = b.graph.createVirtualGraph(4, 8),
                  small = b.graph.createVirtualGraph(0, 1);
    const auto t = first.addVariable(poplar::FLOAT, {4}, "t");
    first.setTileMapping(t.slice(0, 3), 1);
    first.setTileMapping(t.slice(3, 4), 3);
    const auto copy = poputil::cloneToGraph(first, second, t, "copy");
    QVERIFY(b.graph.getTileMapping(copy)[5] == std::vector<Interval>{Interval(0, 3)});
    QVERIFY(b.graph.getTileMapping(copy)[7] == std::vector<Interval>{Interval(3, 4)});
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, poputil::cloneToGraph(first, small, t));
  }

  void groupingsAreThoseOfMemory() {
    LibraryBench b;
    const auto t = b.graph.addVariable(poplar::FLOAT, {2, 3, 4, 8}, poplar::VariableMappingMethod::LINEAR, "t");
    QCOMPARE(poputil::detectInnermostGrouping(b.graph, t), 8U);
    const auto moved = t.dimShuffle({0, 3, 1, 2}); // the last is 4 apart by 8
    QCOMPARE(poputil::detectInnermostGrouping(b.graph, moved), 1U);
    const auto groups = poputil::detectDimGroupings(b.graph, moved);
    QVERIFY(!groups.empty());
    QCOMPARE(groups[0].first, 1U);
    QCOMPARE(groups[0].second, 8U);
    const auto factored = poputil::factorDims(t, {2}, 3);
    QVERIFY(factored.shape() == std::vector<std::size_t>({2, 3, 4, 4, 2}));
    QVERIFY(poputil::unfactorDims(factored, 1, 3) == t);
    const auto parts = poputil::createPartitionableTensor(b.graph, poplar::FLOAT, {4, 6}, {2, 3}, "parts");
    poputil::iterateTensorPartitions(parts, {2, 3}, [&](const std::vector<std::size_t>&, const poplar::Tensor& part) {
      QVERIFY(part.shape() == std::vector<std::size_t>({2, 2}) && part.flatten().isContiguous());
    });
  }

  void functionsTakeArguments() {
    LibraryBench b;
    using namespace poputil::graphfn;
    const auto x = b.input({2}, {1, 2}), y = b.input({2}, {5, 6});
    TensorFunction twice(b.graph, {input(x, "x")}, [&](std::vector<poplar::Tensor>& arguments, poplar::program::Sequence& prog) {
      return popops::mul(b.graph, arguments[0], 2.0F, prog);
    });
    std::vector<poplar::Tensor> first{x}, second{y};
    b.keep("first", twice(first, b.prog)); // each call has a result of its own
    b.keep("second", twice(second, b.prog));
    b.run();
    QVERIFY(isNear(b.values("first"), {2, 4}));
    QVERIFY(isNear(b.values("second"), {10, 12}));
  }

  void tilesForInputAndOutputAreNeighbours() {
    LibraryBench b(64);
    QVERIFY(gcl::getMinIoTiles(b.graph) > 0);
    QVERIFY(gcl::perIPUTiles(b.graph, 2, 3) == std::vector<unsigned>({2, 3, 4}));
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, gcl::perIPUTiles(b.graph, 60, 5));
  }

  void operationsOfUsersAreNamed() {
    LibraryBench b;
    const Tensor x = b.input({2}, {1, 2});
    const std::vector<unsigned> sizes{3, 4};
    const std::string text = "t";
    const poputil::PoplibsOpDebugInfo info({"outer"}, DI_ARGS(x, sizes, text), "mine");
    const Tensor made = b.graph.addVariable(poplar::FLOAT, {1}, poplar::VariableMappingMethod::LINEAR, {info, "inner"});
    QCOMPARE(made.getVarName().substr(0, 11), std::string("outer/inner"));
    QCOMPARE(poputil::toProfileValue(x)["shape"][0].asInt(), 2);
    QCOMPARE(poputil::toProfileValue(sizes)["1"].asInt(), 4);
    QCOMPARE(poputil::toProfileValue(poplar::FLOAT).asString(), std::string("float"));
  }

  // Every call that takes options names those without effect once, on standard error.
  void optionsWithoutEffectAreNamed() {
    LibraryBench b;
    std::ostringstream said;
    std::streambuf* const before = std::cerr.rdbuf(said.rdbuf());
    const popnn::lstm::LstmParams p(poplar::FLOAT, 1, 2, {2, 2});
    for (int i = 0; i < 2; ++i) popnn::lstm::createInput(b.graph, p, "in", {{"nobody.reads", "1"}});
    popops::createIndicesTensor(b.graph, {0}, 2, popops::SlicePlan(), {{"nobody.either", "1"}});
    poplar::DeviceManager::createDeviceManager().getDevices(poplar::TargetType::IPU, 1, {{"nor.this", "1"}});
    std::cerr.rdbuf(before);
    for (const char* name : {"nobody.reads", "nobody.either", "nor.this"}) {
      const auto at = said.str().find(name);
      QVERIFY2(at != std::string::npos, name);
      QVERIFY2(said.str().find(name, at + 1) == std::string::npos, name);
    }
  }
};

TILESCOPE_TEST(PoputilTest)
#include "poputil_test.moc"
