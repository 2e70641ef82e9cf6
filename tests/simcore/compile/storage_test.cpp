// What a program needs on tiles beside its variables: packets of host transfers, descriptors of copies, constants of vertices.
#include "simcore/compile/compiler.h"
#include "simcore/compile/exchange_plan.h"
#include "simcore/ops/convolution.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace simcore;
using graph::ElementType;
using reports::MemoryCategory;

namespace {

int64_t bytesOfCategory(const compile::Executable& e, MemoryCategory category) {
  int64_t bytes = 0;
  for (const auto& s : e.storage)
    if (s.category == category) bytes += s.bytes.sum();
  return bytes;
}

compile::Executable compiled(const std::shared_ptr<graph::Graph>& g, const graph::Sequence& body) {
  reports::NoProgress none;
  return compile::compile(g->snapshot(), {{"main", body.program()}}, {}, none);
}

} // namespace

class StorageTest : public QObject {
  Q_OBJECT
private slots:
  // Long packets of whole 64-byte blocks, one short packet for the rest; the way up ends with an empty read.
  void packetsOfAStretch() {
    const auto packets = [](int64_t bytes, bool down) { return compile::hostTransferCost(bytes, down).packets; };
    QCOMPARE(packets(0, true), 0);
    QCOMPARE(packets(0, false), 0);
    QCOMPARE(packets(4, true), 1);
    QCOMPARE(packets(4, false), 2);
    QCOMPARE(packets(264, true), 2);
    QCOMPARE(packets(264, false), 3);
    QCOMPARE(packets(1024, true), 1);
    QCOMPARE(packets(1024, false), 5);
    QCOMPARE(packets(1028, true), 2);
    QVERIFY(compile::hostTransferCost(1024, false).codeBytes > compile::hostTransferCost(1024, true).codeBytes);
  }

  // Tiles of a column are asked for together, those of the two lanes of its bus apart.
  void requestsGoByColumnAndLane() {
    const auto machine = arch::findMachine("gc200", 2);
    const auto requests = [&](graph::TileRange tiles) {
      return compile::hostRequests(machine, graph::PerTile::uniform(tiles, 100)).sum();
    };
    QCOMPARE(requests({0, 1}), int64_t(1));
    QCOMPARE(requests({0, 2}), int64_t(2));
    QCOMPARE(requests({0, 1472}), int64_t(2 * std::set<int>(machine.tileColumns.begin(), machine.tileColumns.end()).size()));
    QCOMPARE(requests({0, 2944}), 2 * requests({0, 1472}));
    QCOMPARE(compile::hostRequests(machine, {}).sum(), int64_t(0));
  }

  void variablesOfOneStreamArePacketsOfTheirOwn() {
    const auto headers = [](bool together) {
      auto g = std::make_shared<graph::Graph>(arch::tinyMachine(2));
      graph::Sequence body;
      std::vector<graph::Tensor> parts;
      for (int i = 0; i < 3; ++i) {
        parts.push_back(g->addVariable(ElementType::Float, {together ? 48 : 16}, "v"));
        g->setTileMapping(parts.back(), graph::TileId(1));
        if (together) break;
      }
      const graph::Tensor all = together ? parts[0] : graph::concat(parts);
      body.add(graph::program::copy(g->addHostToDeviceFifo("in", ElementType::Float, 48), all));
      return bytesOfCategory(compiled(g, body), MemoryCategory::HostExchangePacketHeader);
    };
    QCOMPARE(headers(true) - headers(false), -2 * (8 + 8)); // each with a request of its own
  }

  // Worklists are constants of the vertex, its pointer lists are field data.
  void worklistsAreConstants() {
    auto g = std::make_shared<graph::Graph>(arch::tinyMachine(1));
    graph::Sequence body;
    const ops::OpBuilder b(*g, body, g->addContext({}, "t", "model", "Conv"));
    const auto x = g->addVariable(ElementType::Float, {1, 16, 8, 8}, "x"),
               w = g->addVariable(ElementType::Float, {16, 16, 3, 3}, "w");
    g->mapTensorLinearly(x);
    ops::ConvParams p;
    p.inChannels = p.outChannels = 16;
    p.in = {8, 8};
    p.kernel = {3, 3};
    ops::convolution(b, x, w, p);
    const auto e = compiled(g, body);
    QVERIFY(bytesOfCategory(e, MemoryCategory::Constant) > 0);
    QVERIFY(bytesOfCategory(e, MemoryCategory::VectorListDescriptor) > 0);
    QVERIFY(bytesOfCategory(e, MemoryCategory::VertexFieldData) >= 3 * 4);
    QVERIFY(bytesOfCategory(e, MemoryCategory::VertexFieldData) < bytesOfCategory(e, MemoryCategory::Constant));
  }

  // A copy of rows has a descriptor for each.
  void descriptorsFollowRows() {
    const auto descriptors = [](int64_t rows) {
      auto g = std::make_shared<graph::Graph>(arch::tinyMachine(1));
      graph::Sequence body;
      const auto from = g->addVariable(ElementType::Float, {rows, 8}, "from"),
                 to = g->addVariable(ElementType::Float, {rows, 4}, "to");
      g->setTileMapping(from, graph::TileId(0));
      g->setTileMapping(to, graph::TileId(0));
      body.add(graph::program::copy(from.slice(0, 4, 1), to));
      return bytesOfCategory(compiled(g, body), MemoryCategory::CopyDescriptor);
    };
    QCOMPARE(descriptors(1), 12);
    QCOMPARE(descriptors(10), 120);
  }
};

TILESCOPE_TEST(StorageTest)
#include "storage_test.moc"
