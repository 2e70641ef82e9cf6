#include "reports/core/error.h"
#include "simcore/compile/compiler.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace simcore;
using namespace simcore::graph;
using compile::Placement;
using reports::PlacementReason;
using tests::has;

namespace {

// Vertices with two fields on tile 0 of a small machine; each test sets the requirements of the fields.
struct PlacedWorld {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>(arch::tinyMachine(2));
  Codelet codelet;
  Sequence main;
  compile::Executable made;
  bool added = false;

  PlacedWorld() {
    codelet.name = "Dot";
    codelet.fields = {{"a", FieldDirection::Input}, {"b", FieldDirection::InOut}};
    codelet.cycles = [](const auto&) { return int64_t(10); };
  }
  Tensor variable(const std::string& name, int64_t n, int tile = 0) {
    const Tensor t = graph->addVariable(ElementType::Float, {n}, name);
    graph->setTileMapping(t, TileId(std::size_t(tile)));
    return t;
  }
  void dot(const Tensor& a, const Tensor& b) {
    if (!added) graph->addCodelet(codelet);
    added = true;
    const auto set = graph->addComputeSet("dots");
    graph->setTileMapping(graph->addVertex(set, "Dot", {{"a", a}, {"b", b}}), TileId(0));
    main.add(program::execute(set));
  }
  void build() {
    reports::NoProgress none;
    made = compile::compile(graph, {{"main", main.program()}}, {}, none);
  }
  const Placement& at(const std::string& name, std::size_t tile = 0) const {
    for (const auto& p : made.allocation.layouts[made.allocation.layoutOfTile[tile]].placements)
      if (made.storage[p.storage].name == name) return p;
    throw reports::Error(reports::ErrorCode::NotFound, "not placed", name);
  }
  const std::string& nameOf(uint32_t storage) const { return made.storage.at(storage).name; }
  std::string error() {
    return tests::errorOf([&] { build(); });
  }
};

} // namespace

class PlacementTest : public QObject {
  Q_OBJECT
private slots:
  void alignmentIsThatOfTheBytesAVertexReads() {
    PlacedWorld w;
    w.codelet.fields[0].minAlign = 64;
    const Tensor a = w.variable("a", 40), b = w.variable("b", 3);
    w.dot(a.slice(3, 35), b); // byte 12 of `a`
    w.build();
    QCOMPARE((w.at("a").address + 12) % 64, int64_t(0));
    const auto& storage = w.made.storage[w.at("a").storage];
    QCOMPARE(storage.alignment, 64);
    QVERIFY2(has(storage.demands, "aligned to 64 for Dot.a"), storage.demands.c_str());
  }

  void demandsThatContradictAreOneErrorWithBothVertices() {
    PlacedWorld w;
    w.codelet.fields[0].minAlign = 16;
    const Tensor a = w.variable("a", 40), b = w.variable("b", 3);
    w.dot(a.slice(0, 8), b);
    w.dot(a.slice(4, 12), b); // 16 bytes further: both can be
    QCOMPARE(w.error(), std::string());
    w.dot(a.slice(6, 12), b);
    const std::string text = w.error();
    for (const char* part : {"'a'", "tile 0", "Dot.a", "byte 24", "byte 0", "dots"}) QVERIFY2(has(text, part), text.c_str());
  }

  void wideLoadsWantTheInterleavedRegion() {
    PlacedWorld w;
    w.codelet.fields[0].interleaved = true;
    const Tensor a = w.variable("a", 64), b = w.variable("b", 64);
    w.graph->setInitialValue(b, numerics::HostTensor(ElementType::Float, {64})); // always alive
    w.dot(a, b);
    w.build();
    const int64_t start = w.graph->machine().tile.interleavedStart.value();
    QVERIFY(w.at("a").address >= start && w.at("a").address % 16 == 0);
    QVERIFY(w.at("b").address < start);
    QVERIFY(w.at("a").why == PlacementReason::Region);
    PlacedWorld v; // and do not go elsewhere when it is full: that is out of memory
    v.codelet.fields[0].interleaved = true;
    v.dot(v.variable("a", 120'000), v.variable("b", 1));
    v.build();
    QVERIFY(!v.made.allocation.fits());
    QVERIFY(v.at("a").address >= start);
  }

  void separatedFieldsLieInDifferentElements() {
    for (const bool always : {false, true}) {
      PlacedWorld w;
      w.codelet.constraints = {"elem(*a)!=elem(*b)"};
      const Tensor a = w.variable("a", 16), b = w.variable("b", 12);
      if (always)
        for (const Tensor& t : {a, b}) w.graph->setInitialValue(t, numerics::HostTensor(ElementType::Float, t.shape()));
      w.dot(a, b);
      w.build();
      const Placement &pa = w.at("a"), &pb = w.at("b");
      const int64_t element = w.graph->machine().tile.elementSize.value();
      QVERIFY(pa.address / element != pb.address / element);
      QVERIFY(pb.why == PlacementReason::Apart);
      QCOMPARE(w.nameOf(pb.other), std::string("a"));
      QVERIFY(has(w.made.storage[pa.storage].demands, "memory elements apart for Dot.a and .b"));
      const auto& layout = w.made.allocation.layouts[w.made.allocation.layoutOfTile[0]];
      QVERIFY(layout.extentBytes > layout.totalBytes); // the gap that this costs
    }
  }

  void oneVariableCannotBeApartFromItself() {
    PlacedWorld w;
    w.codelet.constraints = {"elem(*a)!=elem(*b)"};
    const Tensor a = w.variable("weights", 16);
    w.dot(a.slice(0, 8), a.slice(8, 16));
    const std::string text = w.error();
    for (const char* part : {"'a'", "'b'", "weights", "vertex 0", "dots", "tile 0"}) QVERIFY2(has(text, part), text.c_str());
  }

  void whatComesFromAnotherTileArrivesWhereTheFieldWantsIt() {
    PlacedWorld w;
    w.codelet.fields[0].interleaved = true;
    w.codelet.fields[0].minAlign = 32;
    w.dot(w.variable("a", 64, 1), w.variable("b", 64));
    w.build();
    const Placement& received = w.at("dots/received");
    QVERIFY(received.address >= w.graph->machine().tile.interleavedStart.value());
    QCOMPARE(received.address % 32, int64_t(0));
  }

  void gapsAreFilledBySmallerData() {
    PlacedWorld w;
    w.codelet.constraints = {"elem(*a)!=elem(*b)"};
    const Tensor a = w.variable("a", 64), b = w.variable("b", 64), small = w.variable("small", 8);
    for (const Tensor& t : {a, b, small}) w.graph->setInitialValue(t, numerics::HostTensor(ElementType::Float, t.shape()));
    w.dot(a, b);
    w.build();
    QVERIFY(w.at("small").why == PlacementReason::FillsGap);
    QVERIFY(w.at("small").address < w.at("b").address);
  }

  void sharingNamesTheOneThatIsNeverAliveAtTheSameTime() {
    PlacedWorld w;
    const Tensor in = w.variable("in", 4), first = w.variable("first", 100), second = w.variable("second", 80);
    w.codelet.fields[1].direction = FieldDirection::Output;
    w.dot(in, first);
    w.dot(first, in);
    w.dot(in, second);
    w.dot(second, in);
    w.build();
    QCOMPARE(w.at("first").address, w.at("second").address);
    QVERIFY(w.at("second").why == PlacementReason::Shares);
    QCOMPARE(w.nameOf(w.at("second").other), std::string("first"));
    QCOMPARE(reports::placementText(int64_t(PlacementReason::Shares), "first", ""),
             std::string("shares memory with 'first', which is never alive at the same time"));
  }

  void elementsAreCountedInPairsAboveTheInterleavedStart() {
    const auto m = arch::tinyMachine(1);
    const int64_t element = m.tile.elementSize.value(), start = m.tile.interleavedStart.value();
    QVERIFY(compile::shareElement(m, 0, 8, element - 8, 8));
    QVERIFY(!compile::shareElement(m, 0, 8, element, 8));
    QVERIFY(compile::shareElement(m, 0, element + 1, element, 8));
    QVERIFY(compile::shareElement(m, start, 8, start + element, 8));
    QVERIFY(!compile::shareElement(m, start, 8, start + 2 * element, 8));
    QVERIFY(!compile::shareElement(m, start - 8, 8, start, 8));
  }
};

TILESCOPE_TEST(PlacementTest)
#include "placement_test.moc"
