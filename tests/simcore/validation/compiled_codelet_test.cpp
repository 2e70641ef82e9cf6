// From a source file to numbers and time: a codelet without a known price is compiled, runs in the engine and takes its cycles.
#include "simcore/native/library.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <fstream>

using namespace simcore;
using numerics::HostTensor;

namespace {

// A world whose one vertex, on tile 1, is of a class that was compiled from `source`.
struct CompiledWorld : tests::HostWorld {
  graph::Tensor turns = variable(graph::ElementType::Int32, {1}, "turns", 1);
  graph::Tensor x = variable(graph::ElementType::Float, {3}, "x", 1);

  explicit CompiledWorld(const std::string& body) {
    const tests::TemporaryFolder folder;
    const auto file = folder / "turns.cpp";
    std::ofstream(file)
        << "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
           "class Turns : public Vertex {\npublic:\n  Input<int> turns;\n  InOut<Vector<float>> x;\n  float step;\n"
           "  bool compute() {\n"
        << body << "\n    return true;\n  }\n};\n";
    for (const auto& codelet : native::compileCodelets({{file}, {}, 2, folder / "cache"}).codelets) graph->addCodelet(codelet);
    const auto set = graph->addComputeSet("turn");
    const auto v = graph->addVertex(set, "Turns", {{"x", x}, {"turns", turns[0]}});
    graph->setInitialValue(v["step"], 2);
    graph->setTileMapping(v, reports::TileId(1));
    main.add(graph::program::execute(set));
  }
};

} // namespace

class CompiledCodeletTest : public QObject {
  Q_OBJECT

private slots:
  void computesAndTakesTheTimeOfItsData() {
    SKIP_WITHOUT_CLANG();
    CompiledWorld w("    for (int t = 0; t < *turns; ++t)\n      for (unsigned i = 0; i < x.size(); ++i) x[i] += step;");
    run::Engine engine(w.compile(), {}, nullptr);
    engine.writeTensor(w.x, HostTensor::vector<float>({1, 2, 3}));
    std::vector<int64_t> durations;
    for (int32_t n = 100; n <= 500; n += 100) {
      engine.writeTensor(w.turns, HostTensor::vector<int32_t>({n}));
      const int64_t before = engine.cycle();
      engine.run();
      durations.push_back(engine.cycle() - before);
    }
    QCOMPARE(engine.readTensor(w.x).at(2), 3 + 2 * 1500.0);
    const int64_t slope = durations[1] - durations[0];
    QVERIFY2(slope >= 100 * 3 * 6, std::to_string(slope).c_str()); // an element takes at least a slot of its worker
    for (std::size_t i = 1; i < durations.size(); ++i) QCOMPARE(durations[i] - durations[i - 1], slope);
  }

  void anAccessOutsideIsNamed() {
    SKIP_WITHOUT_CLANG();
    CompiledWorld w("    x[*turns] = 1;");
    run::Engine engine(w.compile(), {}, nullptr);
    engine.writeTensor(w.x, HostTensor::vector<float>({1, 2, 3}));
    engine.writeTensor(w.turns, HostTensor::vector<int32_t>({3}));
    const std::string text = tests::errorOf([&] { engine.run(); });
    QVERIFY2(tests::has(text, "Turns.x") && tests::has(text, "tile 1"), text.c_str());
  }
};

TILESCOPE_TEST(CompiledCodeletTest)
#include "compiled_codelet_test.moc"
