// Steps of two programs are paired by name: those of an added layer have no partner, and functions pair by what is inside them.
#include "analyser/compare/step_pairs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>

using namespace analyser;
using namespace analyser::compare;
using program::Node;
using program::Program;

class StepPairsTest : public QObject {
  Q_OBJECT

  static int add(Program& program, int parent, const std::string& kind, const std::string& name) {
    Node node;
    node.id = reports::ProgramStepId(program.nodes.size());
    node.parent = parent;
    node.depth = parent < 0 ? 0 : program.nodes[std::size_t(parent)].depth + 1;
    node.kind = kind, node.name = name, node.label = name.substr(name.rfind('/') + 1);
    node.cycles = Cycles(10);
    if (parent >= 0) ++program.nodes[std::size_t(parent)].children;
    program.nodes.push_back(node);
    return int(program.nodes.size()) - 1;
  }
  static std::vector<int> allOf(const Program& program) {
    std::vector<int> all(program.nodes.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  static Program layers(const std::string& model, int count) {
    Program program;
    const auto layer = [&](const std::string& name) {
      add(program, -1, "DoExchange", model + "/" + name + "/transform");
      add(program, -1, "Sync", "");
      add(program, -1, "OnTileExecute", model + "/" + name + "/Convolve");
    };
    for (int i = 0; i < count; ++i) layer("layer" + std::to_string(i));
    layer("head");
    return program;
  }

private slots:
  void anAddedLayerIsAlone_data() {
    QTest::addColumn<QByteArray>("other");
    QTest::addRow("same name") << QByteArray("net");
    QTest::addRow("another name") << QByteArray("net2");
  }
  void anAddedLayerIsAlone() {
    QFETCH(QByteArray, other);
    const Program a = layers("net", 2), b = layers(other.toStdString(), 3);
    const auto pairs = StepPairs(a, b).of(allOf(a), allOf(b));
    for (std::size_t i = 0; i < b.nodes.size(); ++i) {
      const bool isAdded = b.nodes[i].name.find("layer2") != std::string::npos || (i > 6 && i < 9 && b.nodes[i].kind == "Sync");
      if (b.nodes[i].kind == "Sync") continue; // nameless: one of them is left
      QCOMPARE(pairs[i] < 0, isAdded);
      if (!isAdded) QCOMPARE(a.nodes[std::size_t(pairs[i])].name.substr(3), b.nodes[i].name.substr(other.size()));
    }
    QCOMPARE(std::count(pairs.begin(), pairs.end(), -1), std::ptrdiff_t(3));
    // The other way round the same steps are alone.
    const auto back = StepPairs(b, a).of(allOf(b), allOf(a));
    QCOMPARE(std::count(back.begin(), back.end(), -1), std::ptrdiff_t(0));
  }

  void functionsPairByTheirSteps() {
    const auto make = [](const std::vector<std::vector<std::string>>& functions) {
      Program program;
      int number = 0;
      for (const auto& steps : functions) {
        const int function = add(program, -1, "Function", "function" + std::to_string(number++));
        for (const std::string& step : steps) add(program, function, "OnTileExecute", step);
      }
      return program;
    };
    const Program a = make({{"a", "b", "c"}, {"x", "y", "z"}}), b = make({{"p", "q"}, {"x", "y", "w"}, {"a", "b", "c"}});
    const auto rootsOf = [](const Program& program) {
      std::vector<int> roots;
      for (std::size_t i = 0; i < program.nodes.size(); ++i)
        if (program.nodes[i].parent < 0) roots.push_back(int(i));
      return roots;
    };
    // By name alone, function0 and function1 would be pairs of others.
    Program renamed = b;
    for (Node& node : renamed.nodes)
      if (node.kind == "Function") node.name = node.label = "other/" + node.name;
    const auto pairs = StepPairs(a, renamed).of(rootsOf(a), rootsOf(renamed));
    QCOMPARE(pairs, (std::vector<int>{-1, 4, 0}));
  }
};

TILESCOPE_TEST(StepPairsTest)
#include "step_pairs_test.moc"
