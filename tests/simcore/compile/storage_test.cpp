// Tile memory of a program besides its variables: packets of host transfers, descriptors of copies, constants of vertices.
#include "simcore/compile/compiler.h"
#include "simcore/compile/exchange_plan.h"
#include "simcore/compile/report_rows.h"
#include "simcore/ops/conv/convolution.h"
#include "tests/support/row_collector.h"
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
  // Long packets of whole 64-byte blocks, one short packet for the rest; the way up ends with an empty read. One of a column of
  // tiles asks first.
  void packetsOfStretches() {
    const auto machine = arch::findMachine("gc200", 2);
    const auto packets = [&](graph::TileRange tiles, int64_t bytes, bool down) {
      return compile::hostTransferCost(machine, graph::PerTile::uniform(tiles, bytes), down).packets.sum();
    };
    const auto one = [&](int64_t bytes, bool down) { return packets({0, 1}, bytes, down) - 1; };
    QCOMPARE(packets({0, 0}, 8, true), 0);
    QCOMPARE(one(4, true), 1);
    QCOMPARE(one(4, false), 2);
    QCOMPARE(one(264, true), 2);
    QCOMPARE(one(264, false), 3);
    QCOMPARE(one(1024, true), 1);
    QCOMPARE(one(1024, false), 5);
    QCOMPARE(one(1028, true), 2);
    QCOMPARE(one(8192, true), 8);
    QCOMPARE(one((int64_t(1) << 50) + 4, true), (int64_t(1) << 40) + 1); // at once
    QCOMPARE(packets({0, 2}, 4096 * 3 + 64, true), 2 * (3 * 4 + 1) + 1); // the second stretch begins within a page
    QCOMPARE(packets({0, 2}, 4, true), 2 + 1);                           // both of a bus are asked for together
    const int64_t columns = packets({0, 1472}, 4, true) - 1472;
    QCOMPARE(columns, int64_t(32)); // as many as there are blocks of 46 tiles
    QCOMPARE(packets({0, 2944}, 4, true), 2 * (1472 + columns));
    // Adjacent stretches of 384 bytes: the eleventh begins 256 bytes before the end of the page.
    QCOMPARE(packets({0, 10}, 384, true), 10 + 1);
    QCOMPARE(packets({0, 11}, 384, true), 12 + 1);
    const auto code = [&](bool down) {
      return compile::hostTransferCost(machine, graph::PerTile::uniform({0, 1}, 1024), down).codeBytes.sum();
    };
    QVERIFY(code(false) > code(true));
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

  // Every convolution's constants are a variable of the report: what one vertex has, how often it is there, and who made it.
  void constantsOfVerticesAreVariablesOfTheirOwn() {
    auto g = std::make_shared<graph::Graph>(arch::tinyMachine(4));
    graph::Sequence body;
    const auto convolve = [&](const char* name, int64_t size) {
      const ops::OpBuilder b(*g, body, g->addContext({}, name, "model", "Conv"));
      const auto x = g->addVariable(ElementType::Float, {1, 16, size, size}, "x"),
                 w = g->addVariable(ElementType::Float, {16, 16, 3, 3}, "w");
      g->mapTensorLinearly(x);
      ops::ConvParams p;
      p.inChannels = p.outChannels = 16;
      p.in = {size, size};
      p.kernel = {3, 3};
      ops::convolution(b, x, w, p);
    };
    convolve("first", 8), convolve("second", 16);
    const auto e = compiled(g, body);
    int64_t made = 0; // by the vertices of all sets
    for (const auto& set : g->computeSets())
      for (const auto& run : set.runs) made += run.tiles.size() * run.perTile * run.constantBytes;
    QVERIFY(made > 0);
    QCOMPARE(bytesOfCategory(e, MemoryCategory::Constant), made);

    tests::RowCollector rows;
    reports::StringPool strings(rows);
    compile::writeExecutable(e, strings, rows);
    std::set<std::string> owners;
    for (const auto& v : rows.rows<reports::VariableRow>()) {
      if (reports::MemoryCategory(v.category) != MemoryCategory::Constant) continue;
      const auto& s = e.storage[std::size_t(v.id)];
      QVERIFY(s.name.ends_with("/worklists"));
      owners.insert(s.name.substr(0, s.name.find('/')));
      QCOMPARE(v.elementType, std::string("uint16"));
      QCOMPARE(v.shape, std::to_string(v.elements));
      QVERIFY(v.elements > 0);
      QCOMPARE(v.totalBytes % (2 * v.elements), int64_t(0)); // whole copies
      QVERIFY(v.tiles >= 1 && v.tiles <= 4 && v.maxTileBytes * v.tiles >= v.totalBytes);
      QVERIFY(v.debugContextId.has_value());
    }
    QCOMPARE(owners, (std::set<std::string>{"first", "second"}));
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
