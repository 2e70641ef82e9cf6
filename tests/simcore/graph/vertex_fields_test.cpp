#include "reports/core/error.h"
#include "simcore/graph/graph.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::graph;
using tests::errorOf;
using tests::has;

namespace {
struct World {
  Graph g{arch::tinyMachine(4)};
  ComputeSetId set = g.addComputeSet("cs");
  Tensor matrix = g.addVariable(ElementType::Float, {3, 4}, "matrix"), half = g.addVariable(ElementType::Half, {4}, "half"),
         one = g.addVariable(ElementType::Int32, {1}, "one");
  VertexRef vertex;

  World() {
    Codelet c;
    c.name = "Rows";
    c.fields = {{"rows", FieldDirection::Input, ElementType::Float, FieldShape::VectorList, VectorLayout::DeltaN},
                {"n", FieldDirection::Input, ElementType::Int32, FieldShape::Scalar},
                {"out", FieldDirection::Output, std::nullopt, FieldShape::Vector, VectorLayout::OnePtr, 8}};
    c.state = {"limit"};
    c.constraints = {"elem(*rows) != elem(*out)"};
    g.addCodelet(c);
    vertex = g.addVertex(set, "Rows");
  }
  const UserVertex& made() const { return g.computeSet(set).vertices[0]; }
};
} // namespace

class VertexFieldsTest : public QObject {
  Q_OBJECT
private slots:
  void listsAreConnectedWholeOrOneByOne() {
    World w;
    w.g.connect(w.vertex["rows"], w.matrix); // a matrix is its rows
    QCOMPARE(w.made().edges.size(), std::size_t(3));
    QCOMPARE(w.made().edges[2].second.contiguousRegions(), w.matrix[2].contiguousRegions());
    World v;
    v.g.setFieldSize(v.vertex["rows"], 2);
    v.g.connect(v.vertex["rows"][1], v.matrix[2].slice(1, 3));
    v.g.connect(v.vertex["rows"][0], v.matrix[0]);
    QCOMPARE(v.made().edges[0].second.numElements(), int64_t(4));
    QCOMPARE(v.made().edges[1].second.numElements(), int64_t(2));
    QCOMPARE(v.g.descriptorBytes(v.made()), int64_t(8)); // delta-n: one word a vector
    World u;
    u.g.connect(u.vertex["rows"], std::vector<Tensor>{u.matrix[0], u.matrix[1]});
    QCOMPARE(u.made().edges.size(), std::size_t(2));
  }

  void stateIsAsLargeAsItsLayouts() {
    World w;
    const VertexType& t = w.g.vertexTypes()[w.made().type];
    QCOMPARE(t.edgePointerBytes, int64_t(8 + 4 + 4)); // delta-n list, scalar, one pointer
    QCOMPARE(t.stateBytes, int64_t(20));
  }

  void aNumberBecomesAConstantOnTheTileOfTheVertex() {
    World w;
    w.g.connect(w.vertex["n"], 7);
    w.g.setTileMapping(w.vertex, TileId(3));
    const Tensor constant = w.made().edges[0].second;
    const Variable& v = std::as_const(w.g).variable(constant.wholeVariable());
    QCOMPARE(v.type, ElementType::Int32);
    QCOMPARE(v.initial->integerAt(0), int64_t(7));
    QCOMPARE(v.mapping[0].tile.value(), std::size_t(3));
    w.g.setInitialValue(w.vertex["limit"], 2.5);
    QCOMPARE(w.made().state.at(0).number(), 2.5);
  }

  void wholeNumbersFitIntoTheirMember() {
    World w;
    Codelet c;
    c.name = "Members";
    c.state = {{"word", ElementType::Int32}, {"byte", ElementType::UInt8}, {"real", ElementType::Float}};
    w.g.addCodelet(c);
    const VertexRef v = w.g.addVertex(w.set, "Members");
    const auto error = [&](const char* member, auto value) { return errorOf([&] { w.g.setInitialValue(v[member], value); }); };
    QVERIFY2(has(error("word", int64_t(1) << 40), "1099511627776 does not fit into 'word'"), "2^40");
    QVERIFY(has(error("word", int64_t(-2147483649)), "Members"));
    QVERIFY(has(error("byte", uint64_t(256)), "'byte'"));
    for (const int64_t fits : {int64_t(-1), int64_t(4294967295), int64_t(-2147483648)})
      QCOMPARE(error("word", fits), std::string());
    QCOMPARE(error("byte", int64_t(-1)) + error("byte", uint64_t(255)) + error("real", int64_t(1) << 40), std::string());
  }

  void mistakesNameCodeletAndField() {
    World w;
    const auto named = [&](const std::string& text, const std::string& field) { return has(text, "Rows") && has(text, field); };
    QVERIFY(named(errorOf([&] { w.g.connect(w.vertex["out2"], w.half); }), "out2"));
    QVERIFY(named(errorOf([&] { w.g.connect(w.vertex["n"], w.matrix[0].slice(0, 1)); }), "int32")); // type mismatch
    QVERIFY(named(errorOf([&] { w.g.connect(w.vertex["n"], concat(w.one, w.one)); }), "one value"));
    QVERIFY(named(errorOf([&] { w.g.connect(w.vertex["rows"], w.matrix[0]); }), "rows"));
    QVERIFY(named(errorOf([&] { w.g.connect(w.vertex["rows"][0], w.matrix[0]); }), "setFieldSize"));
    w.g.connect(w.vertex["out"], w.half);
    QVERIFY(named(errorOf([&] { w.g.connect(w.vertex["out"], w.half); }), "already"));
    QVERIFY(named(errorOf([&] { w.g.setFieldSize(w.vertex["out"], 2); }), "list"));
    Codelet bad;
    bad.name = "Bad";
    bad.fields = {{"a", FieldDirection::Input}};
    bad.constraints = {"elem(*a)!=elem(*b)"};
    QVERIFY(has(errorOf([&] { w.g.addCodelet(bad); }), "'b'"));
    bad.constraints = {"a != b"};
    QVERIFY(has(errorOf([&] { w.g.addCodelet(bad); }), "elem(*a)!=elem(*b)"));
    bad.constraints = {};
    bad.fields[0].minAlign = 12;
    QVERIFY(has(errorOf([&] { w.g.addCodelet(bad); }), "Bad.a"));
  }
};

TILESCOPE_TEST(VertexFieldsTest)
#include "vertex_fields_test.moc"
