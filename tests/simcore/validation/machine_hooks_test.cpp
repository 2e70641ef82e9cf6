// The machine functions that a codelet from source can call: tile, worker, cycle counter, random numbers, printing, assertions.
#include "simcore/native/library.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <tbb/global_control.h>

#include <fstream>
#include <set>
#include <sstream>

using namespace simcore;

namespace {

constexpr int kVertices = 14; // seven on tile 1, seven on tile 2

constexpr const char* kSource = R"code(
#include <poplar/Vertex.hpp>
#include <print.h>
#include <cassert>
class Asks : public poplar::Vertex {
public:
  poplar::Output<poplar::Vector<unsigned>> answers;
  unsigned number, most;
  bool compute() {
    assert(number < most);
    answers[0] = __builtin_ipu_get_tile_id();
    answers[1] = __builtin_ipu_get_worker_id();
    answers[2] = __builtin_ipu_get_scount_l();
    answers[3] = __builtin_ipu_urand32();
    printf("vertex %u on tile %u\n", number, answers[0]);
    answers[4] = __builtin_ipu_get_scount_l();
    return true;
  }
};
)code";

struct World : tests::HostWorld {
  graph::Tensor answers;
  std::ostringstream printed;

  explicit World(int most = 100) : HostWorld(4) {
    const tests::TemporaryFolder folder;
    const auto file = folder / "asks.cpp";
    std::ofstream(file) << kSource;
    for (const auto& codelet : native::compileCodelets({{file}, {}, 2, folder / "cache"}).codelets) graph->addCodelet(codelet);
    answers = graph->addVariable(graph::ElementType::UInt32, {kVertices, 5}, "answers");
    const auto set = graph->addComputeSet("ask");
    for (int i = 0; i < kVertices; ++i) {
      const reports::TileId tile(std::size_t(1 + i % 2));
      graph->setTileMapping(answers[i], tile);
      const auto v = graph->addVertex(set, "Asks", {{"answers", answers[i]}});
      graph->setInitialValue(v["number"], i);
      graph->setInitialValue(v["most"], most);
      graph->setTileMapping(v, tile);
    }
    main.add(graph::program::execute(set));
  }
  // Values of two consecutive runs.
  std::vector<int64_t> run(std::size_t threads, uint64_t seed) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    run::EngineOptions options;
    options.seed = seed;
    options.printStream = &printed;
    run::Engine engine(compile(), options, nullptr);
    std::vector<int64_t> all;
    for (int i = 0; i < 2; ++i) {
      engine.run();
      for (const int64_t value : engine.readTensor(answers).toIntegers()) all.push_back(value);
    }
    return all;
  }
};

struct Answer {
  int64_t tile, worker, begin, random, end;
};
Answer answerOf(const std::vector<int64_t>& all, int vertex, int run = 0) {
  const int64_t* const a = all.data() + (run * kVertices + vertex) * 5;
  return {a[0], a[1], a[2], a[3], a[4]};
}

} // namespace

class MachineHooksTest : public QObject {
  Q_OBJECT

private slots:
  void verticesKnowTheirTileAndWorker() {
    SKIP_WITHOUT_CLANG();
    const auto all = World().run(2, 0);
    for (int i = 0; i < kVertices; ++i) {
      QCOMPARE(answerOf(all, i).tile, 1 + i % 2);
      QCOMPARE(answerOf(all, i).worker, i / 2 % 6); // a tile's vertices in turn
    }
  }

  void theCounterGoesOnWhileTheyRun() {
    SKIP_WITHOUT_CLANG();
    const auto all = World().run(2, 0);
    const Answer first = answerOf(all, 0), seventh = answerOf(all, 12), again = answerOf(all, 0, 1);
    QVERIFY2(first.end - first.begin >= 6, "an instruction takes six cycles of the tile");
    QCOMPARE(answerOf(all, 2).begin, first.begin); // workers begin together
    QVERIFY2(seventh.begin >= first.end, "the seventh waits for a worker");
    QVERIFY2(again.begin > seventh.end, "the next run is later");
  }

  void randomNumbersAreOfTheSeedAlone() {
    SKIP_WITHOUT_CLANG();
    World w;
    const auto all = w.run(1, 7);
    std::set<int64_t> numbers;
    for (int run = 0; run < 2; ++run)
      for (int i = 0; i < kVertices; ++i) numbers.insert(answerOf(all, i, run).random);
    QCOMPARE(numbers.size(), std::size_t(2 * kVertices));
    QCOMPARE(World().run(2, 7), all);
    QVERIFY(answerOf(World().run(2, 8), 3).random != answerOf(all, 3).random);
  }

  void theyPrintInTheirOrder() {
    SKIP_WITHOUT_CLANG();
    World w;
    w.run(2, 0);
    std::string expected;
    for (int run = 0; run < 2; ++run)
      for (int i = 0; i < kVertices; ++i)
        expected += "vertex " + std::to_string(i) + " on tile " + std::to_string(1 + i % 2) + "\n";
    QCOMPARE(w.printed.str(), expected);
  }

  void anAssertionEndsTheRun() {
    SKIP_WITHOUT_CLANG();
    World w(5);
    const std::string text = tests::errorOf([&] { w.run(2, 0); });
    QVERIFY2(tests::has(text, "number < most") && tests::has(text, "vertex 5"), text.c_str());
    QVERIFY(tests::has(w.printed.str(), "vertex 4 on tile"));
  }
};

TILESCOPE_TEST(MachineHooksTest)
#include "machine_hooks_test.moc"
