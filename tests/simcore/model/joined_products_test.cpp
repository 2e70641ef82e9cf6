// Products of one input become one product: equal numbers, fewer cycles; and the products that must stay apart.
#include "simcore/fusion/fusion.h"
#include "simcore/model/graph/evaluate.h"
#include "tests/simcore/model/sketch.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <functional>

using namespace simcore;
using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using tests::Sketch;

namespace {

using Drawing = std::function<void(Sketch&)>;

constexpr std::int64_t kIn = 256, kOut[] = {256, 64, 64};

// Each result becomes an output only through a further node, so that none of them leaves the graph.
void give(Sketch& s, const std::vector<std::string>& results) {
  std::vector<std::string> read;
  for (const std::string& result : results) read.push_back(s.op("Relu", result));
  s.builder.output(s.builder.add("Concat", read, attributes({{"axis", std::int64_t(-1)}})));
}
std::string named(const char* what, std::size_t i) { return what + std::to_string(i); }

void products(Sketch& s, std::int64_t rows) {
  const std::string x = s.input("x", {1, rows, kIn});
  std::vector<std::string> results;
  for (std::size_t i = 0; i < 3; ++i)
    results.push_back(s.builder.add("MatMul", {x, s.weight(named("w", i), {kIn, kOut[i]})}, {}, named("/layer/part", i)));
  give(s, results);
}
// As torch exports a Linear of three dimensions; a projection without bias is in Whisper.
void productsWithSums(Sketch& s, std::size_t sums) {
  const std::string x = s.input("x", {1, 2, kIn});
  std::vector<std::string> results;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string y = s.op("MatMul", x, s.weight(named("w", i), {kIn, kOut[i]}));
    results.push_back(i < sums ? s.op("Add", s.weight(named("b", i), {kOut[i]}), y) : y);
  }
  give(s, results);
}
void gemms(Sketch& s, bool biases) {
  const std::string x = s.input("x", {2, kIn});
  std::vector<std::string> results;
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<std::string> operands{x, s.weight(named("w", i), {kOut[i], kIn})};
    if (biases) operands.push_back(s.weight(named("b", i), i == 1 ? Shape{1, kOut[i]} : Shape{kOut[i]}));
    results.push_back(s.builder.add("Gemm", operands, attributes({{"transB", std::int64_t(1)}, {"alpha", 0.5f}})));
  }
  give(s, results);
}
void transposedWeights(Sketch& s) {
  const std::string x = s.input("x", {1, 1, kIn});
  std::vector<std::string> results;
  for (std::size_t i = 0; i < 3; ++i)
    results.push_back(s.op("MatMul", x, s.builder.transpose(s.weight(named("w", i), {kOut[i], kIn}), {1, 0})));
  give(s, results);
}

int joinedIn(Sketch& s, const std::set<std::string>& named = {}) {
  for (const auto& count : model::fuse(s.model, {}, false, named))
    if (count.pass == "joined-products") return count.fired;
  return -1;
}

} // namespace

Q_DECLARE_METATYPE(Drawing)

class JoinedProductsTest : public QObject {
  Q_OBJECT
private slots:
  void becomeOne_data() {
    QTest::addColumn<Drawing>("draw");
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("sums");
    const auto row = [](const char* name, const Drawing& draw, const char* type, int sums) {
      QTest::newRow(name) << draw << QString(type) << sums;
    };
    row(
        "one row", [](Sketch& s) { products(s, 1); }, "MatMul", 0);
    row(
        "rows", [](Sketch& s) { products(s, 32); }, "MatMul", 0);
    row(
        "sums of biases", [](Sketch& s) { productsWithSums(s, 3); }, "MatMul", 1);
    row(
        "a product without bias", [](Sketch& s) { productsWithSums(s, 2); }, "MatMul", 2);
    row(
        "Gemm", [](Sketch& s) { gemms(s, false); }, "Gemm", 0);
    row(
        "Gemm with biases", [](Sketch& s) { gemms(s, true); }, "Gemm", 0);
    row("transposed weights", transposedWeights, "MatMul", 0);
  }
  void becomeOne() {
    QFETCH(Drawing, draw);
    QFETCH(QString, type);
    QFETCH(int, sums);
    Sketch plain, apart, joined;
    for (Sketch* s : {&plain, &apart, &joined}) draw(*s);
    model::fuse(apart.model, {"joined-products"});
    QCOMPARE(joinedIn(joined), 1);
    QCOMPARE(apart.nodes(type.toStdString()), 3);
    QCOMPARE(joined.nodes(type.toStdString()), 1);
    QCOMPARE(joined.nodes("Add"), sums);
    QCOMPARE(joined.model.graph.initialisers.count("w0"), std::size_t(0)); // the joined weights took its place
    const HostTensor want = model::evaluate(plain.model, plain.values)[0];
    QVERIFY(tests::distance(model::evaluate(joined.model, joined.values)[0], want) < 1e-4);
    const tests::MachineRun before = tests::onMachine(apart), after = tests::onMachine(joined);
    QVERIFY(tests::distance(after.output, want) < 1e-4);
    qInfo("%lld cycles, %lld before", (long long)after.cycles, (long long)before.cycles);
    QVERIFY2(after.cycles < before.cycles, qPrintable(QString("%1 cycles, %2 before").arg(after.cycles).arg(before.cycles)));
  }

  // The report shows the name of the first product, and names all that were joined.
  void hasTheNameOfTheFirst() {
    Sketch s;
    products(s, 1);
    QCOMPARE(joinedIn(s), 1);
    const auto& nodes = s.model.graph.nodes;
    QCOMPARE(nodes[0].name, std::string("/layer/part0"));
    QStringList names;
    for (const auto& origin : nodes[0].fused) names << QString::fromStdString(origin.name);
    QCOMPARE(names, (QStringList{"/layer/part0", "/layer/part1", "/layer/part2"}));
    QCOMPARE(nodes[1].opType, std::string("Split"));
  }

  void stayApart_data() {
    QTest::addColumn<Drawing>("draw");
    QTest::addColumn<int>("joined");
    const auto row = [](const char* name, const Drawing& draw, int joined = 0) { QTest::newRow(name) << draw << joined; };
    const auto two = [](Sketch& s, const std::string& x, const std::string& first, const std::string& second) {
      give(s, {s.op("MatMul", x, first), s.op("MatMul", x, second)});
    };
    row("many rows", [](Sketch& s) { products(s, 33); });
    row("a result that is an output", [](Sketch& s) {
      const std::string x = s.input("x", {1, kIn}), y = s.op("MatMul", x, s.weight("w0", {kIn, 64}));
      give(s, {y, s.op("MatMul", x, s.weight("w1", {kIn, 64}))});
      s.builder.output(y);
    });
    row("weights of another product", [=](Sketch& s) {
      const std::string shared = s.weight("w0", {kIn, 64});
      two(s, s.input("x", {1, kIn}), shared, s.weight("w1", {kIn, 64}));
      s.builder.output(s.op("MatMul", s.input("z", {1, kIn}), shared));
    });
    row("weights that are computed", [=](Sketch& s) {
      two(s, s.input("x", {1, kIn}), s.op("Relu", s.input("v", {kIn, 64})), s.weight("w1", {kIn, 64}));
    });
    row("an input that is a weight", [=](Sketch& s) {
      const std::string x = s.weight("x", {8, 8});
      two(s, x, s.weight("w0", {8, 64}), s.weight("w1", {8, 64}));
    });
    row("a weight that is the input of another product", [=](Sketch& s) {
      const std::string w = s.weight("w0", {kIn, 64});
      two(s, s.input("x", {1, kIn}), w, s.weight("w1", {kIn, 64}));
      s.builder.output(s.op("MatMul", w, s.input("z", {64, 2})));
    });
    row("matrices of a batch", [=](Sketch& s) {
      two(s, s.input("x", {2, 1, kIn}), s.weight("w0", {2, kIn, 64}), s.weight("w1", {2, kIn, 64}));
    });
    row("other factors", [](Sketch& s) {
      const std::string x = s.input("x", {1, kIn});
      const auto product = [&](const char* name, float alpha) {
        return s.builder.add("Gemm", {x, s.weight(name, {kIn, 64})}, attributes({{"alpha", alpha}}));
      };
      give(s, {product("w0", 1), product("w1", 2)});
    });
    row("a transposed input", [](Sketch& s) {
      const std::string x = s.input("x", {kIn, 1});
      const auto product = [&](const char* name) {
        return s.builder.add("Gemm", {x, s.weight(name, {kIn, 64})}, attributes({{"transA", std::int64_t(1)}}));
      };
      give(s, {product("w0"), product("w1")});
    });
    // Those of the same form are joined.
    row(
        "a Gemm without bias",
        [](Sketch& s) {
          const std::string x = s.input("x", {1, kIn});
          const auto product = [&](const char* name, const std::string& bias) {
            std::vector<std::string> operands{x, s.weight(name, {kIn, 64})};
            if (!bias.empty()) operands.push_back(bias);
            return s.builder.add("Gemm", operands);
          };
          give(s, {product("w0", s.weight("b0", {64})), product("w1", ""), product("w2", s.weight("b2", {64}))});
        },
        1);
    row(
        "transposed and plain weights",
        [](Sketch& s) {
          const std::string x = s.input("x", {1, kIn});
          const auto product = [&](const char* name, bool turned) {
            return s.builder.add("Gemm", {x, s.weight(name, turned ? Shape{64, kIn} : Shape{kIn, 64})},
                                 attributes({{"transB", std::int64_t(turned)}}));
          };
          give(s, {product("w0", true), product("w1", false), product("w2", false)});
        },
        1);
  }
  void stayApart() {
    QFETCH(Drawing, draw);
    QFETCH(int, joined);
    Sketch plain, s;
    for (Sketch* each : {&plain, &s}) draw(*each);
    const int before = s.nodes("MatMul") + s.nodes("Gemm");
    QCOMPARE(joinedIn(s), joined);
    QCOMPARE(s.nodes("MatMul") + s.nodes("Gemm"), before - joined);
    const auto want = model::evaluate(plain.model, plain.values), got = model::evaluate(s.model, s.values);
    for (std::size_t i = 0; i < want.size(); ++i) QVERIFY(tests::distance(got[i], want[i]) < 1e-4);
  }

  // A node that a run names, as the first of a part, stays a node of its own.
  void namedNodesStay() {
    Sketch s;
    products(s, 1);
    QCOMPARE(joinedIn(s, {"/layer/part1"}), 1);
    QCOMPARE(s.nodes("MatMul"), 2);
  }

  // In training each parameter keeps its name, its gradient and the states of its optimiser.
  void trainingKeepsEachProduct() {
    Sketch s;
    products(s, 1);
    for (const auto& count : model::fuse(s.model, {}, true)) QVERIFY(count.pass != "joined-products");
    QCOMPARE(s.nodes("MatMul"), 3);
  }
};

TILESCOPE_TEST(JoinedProductsTest)
#include "joined_products_test.moc"
