// What the compiler of codelets tells besides their code, and long counts.
#include "simcore/graph/codelet_notes.h"
#include "simcore/native/library.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <fstream>

using namespace simcore::native;
using tests::errorOf;
using tests::has;

class CodeletNotesTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (m_folder / name).string();
    std::ofstream(path) << text;
    return path;
  }
  Library compile(const std::string& source) { return compileCodelets({{source}, {}, 2, m_folder / "cache"}); }
  std::string errorOfSource(const std::string& name, const std::string& text) {
    return errorOf([&] { compile(write(name, "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n" + text)); });
  }

private slots:
  // A vectorised loop counts in 32 bits, which it adds to the count after every 2^20 iterations.
  void longLoopsAreCountedWhole() {
    SKIP_WITHOUT_CLANG();
    const Library library = compile(write("long.cpp", "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                                                      "struct Clamp : Vertex {\n  InOut<Vector<float>> y;\n  bool compute() {\n"
                                                      "    for (unsigned i = 0; i + 3 < y.size(); ++i) {\n"
                                                      "      if (y[i] < 0) y[i] = 0;\n      if (y[i] > 2) y[i] = 2;\n    }\n"
                                                      "    return true;\n  }\n};\n"));
    const simcore::graph::NativeBody& clamp = *library.codelets.at(0).native;
    constexpr std::size_t kTurns = std::size_t(1) << 20;
    for (const std::size_t size : {std::size_t(100), kTurns + 3, 3 * kTurns + 40}) {
      std::vector<float> y(size, 1);
      const auto count = [&] {
        struct {
          void* data;
          uint64_t size;
        } object{y.data(), size};
        simcore::graph::Counters& counters = *clamp.counters();
        counters = {0, 100'000'000, [] { qFatal("the budget is exhausted"); }};
        clamp.counted(&object, 0);
        return counters.cycles;
      };
      const int64_t none = count();
      y[5] = 3;
      const int64_t each = count() - none;
      QVERIFY(each > 0);
      std::fill(y.begin(), y.end(), 5.0f);
      QCOMPARE(count() - none, each * int64_t(size - 3));
      QVERIFY(std::all_of(y.begin(), y.end() - 3, [](float v) { return v == 2; }));
      QCOMPARE(std::count(y.end() - 3, y.end(), 5.0f), 3); // behind the end of the loop
    }
  }

  void initialisersThatNoConstructorRunsAreKept() {
    SKIP_WITHOUT_CLANG();
    const std::string text = "#include <poplar/Vertex.hpp>\nusing namespace poplar;\nstruct V : Vertex {\n  Output<float> y;\n"
                             "  int n = 4, k;\n  float table[2]{1, 2};\n  static constexpr int m = 3;\n"
                             "  bool compute() { *y = n + k + m + table[1] + __builtin_erff(*y); return true; }\n};\n";
    for (int i = 0; i < 2; ++i) { // compiled, then from the cache
      const Library library = compile(write("initialised.cpp", text));
      const auto& notes = simcore::graph::notesOf(library.codelets.at(0));
      QCOMPARE(notes.withInitialisers, (std::set<std::string>{"n", "table"}));
    }
    const Library unpriced = compile(write("unpriced.cpp", "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                                                           "struct V : Vertex {\n  Output<float> y;\n"
                                                           "  bool compute() { *y = lgammaf(*y); return true; }\n};\n"));
    QCOMPARE(simcore::graph::notesOf(unpriced.codelets.at(0)).unpriced, std::vector<std::string>{"lgammaf"});
  }

  void whatIsMissingOrMovesAPointerIsToldWithItsLine() {
    SKIP_WITHOUT_CLANG();
    const std::string missing =
        errorOfSource("missing.cpp", "float helper(float);\nstruct V : Vertex {\n  Output<float> y;\n"
                                     "  bool compute() {\n    *y = helper(2);\n    return true;\n  }\n};\n");
    QVERIFY2(has(missing, "undefined symbol: helper(float)") && has(missing, "missing.cpp:7"), missing.c_str());
    const std::string row = errorOfSource(
        "row.cpp", "struct V : Vertex {\n  Vector<Input<Vector<float>>> x;\n  Vector<Output<Vector<float>>> y;\n"
                   "  bool compute() {\n    for (unsigned i = 0; i < x.size(); ++i) y[i] = x[i];\n    return true;\n  }\n};\n");
    QVERIFY2(has(row, "cannot be assigned") && has(row, "copy its elements") && has(row, "row.cpp:7"), row.c_str());
  }
};

TILESCOPE_TEST(CodeletNotesTest)
#include "codelet_notes_test.moc"
