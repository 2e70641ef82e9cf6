// Notes of the compiler of codelets, and long counts.
#include "simcore/graph/codelet_notes.h"
#include "simcore/native/library.h"
#include "simcore/native/vertex_class.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <fstream>
#include <limits>

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

  // The distance of the bound from such a start wraps around to a long way.
  void aLoopThatStartsBehindItsBoundRunsOnce_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<qint64>("start");
    QTest::addColumn<qint64>("bound");
    QTest::addColumn<int>("turns");
    QTest::newRow("64 bits") << "unsigned long long" << qint64(-1) << qint64(10) << 1;
    QTest::newRow("64 bits, signed") << "long long" << (std::numeric_limits<qint64>::max() - 1) << qint64(-10) << 1;
    QTest::newRow("32 bits") << "unsigned" << qint64(-1) << qint64(10) << 1;
    QTest::newRow("32 bits, signed") << "int" << qint64(std::numeric_limits<qint32>::max() - 1) << qint64(-10) << 1;
    QTest::newRow("before its bound") << "long long" << qint64(-7) << qint64(5) << 13;
  }
  void aLoopThatStartsBehindItsBoundRunsOnce() {
    SKIP_WITHOUT_CLANG();
    QFETCH(QString, type);
    QFETCH(qint64, start);
    QFETCH(qint64, bound);
    QFETCH(int, turns);
    const std::string t = type.toStdString();
    const Library library = compile(
        write("behind.cpp",
              "#include <poplar/Vertex.hpp>\nusing namespace poplar;\nstruct Behind : Vertex {\n  InOut<Vector<float>> y;\n"
              "  long long start, bound;\n  bool compute() {\n    " +
                  t + " i = (" + t + ")start, first = i, end = (" + t +
                  ")bound;\n    do {\n      unsigned k = (unsigned)(i - first);\n      if (y[k] > 0) y[k] = -1;\n"
                  "      if (y[k] < -5) y[k] = 3;\n    } while (i++ < end);\n    return true;\n  }\n};\n"));
    const simcore::graph::NativeBody& body = *library.codelets.at(0).native;
    std::vector<float> y(20, 1), expected(20, 1);
    std::fill_n(expected.begin(), turns, -1.0f);
    struct {
      void* data;
      uint64_t size;
      int64_t start, bound;
    } object{y.data(), y.size(), start, bound};
    *body.counters() = {0, 100'000'000, [] { qFatal("the budget is exhausted"); }};
    body.counted(&object, 0);
    QCOMPARE(y, expected);
  }

  // A class can claim to be in any file: only those that the compiler has read are looked at.
  void aLineOfADeviceIsNotRead() {
    SKIP_WITHOUT_CLANG();
    for (const char* file : {"/dev/zero", "/dev/tty", "/no/such/file"}) {
      const Library library =
          compile(write("line.cpp", "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n#line 1 \"" + std::string(file) +
                                        "\"\nstruct V : Vertex {\n  Output<float> y;\n  int n = 4;\n"
                                        "  bool compute() { *y = n; return true; }\n};\n"));
      QCOMPARE(library.codelets.size(), std::size_t(1));
      QVERIFY(simcore::graph::notesOf(library.codelets[0]).withInitialisers.empty());
    }
    write("part.h", "struct V : Vertex {\n  Output<float> y;\n  int n = 4;\n  bool compute() { *y = n; return true; }\n};\n");
    const Library included =
        compile(write("whole.cpp", "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n#include \"part.h\"\n"));
    QCOMPARE(simcore::graph::notesOf(included.codelets.at(0)).withInitialisers, std::set<std::string>{"n"});
  }

  void aComparisonIsNoInitialiser() {
    QVERIFY(hasInitialiser("int n = 4, k;", "n") && hasInitialiser("float t[2][3]{1};", "t") &&
            !hasInitialiser("int n = 4, k;", "k"));
    QVERIFY(!hasInitialiser("int n; bool four() { return n == 4; }", "n"));
    QVERIFY(!hasInitialiser("int n; void set() { n = 4; }", "n"));
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

  void whatIsMissingOrWritesAnInputIsToldWithItsLine() {
    SKIP_WITHOUT_CLANG();
    const std::string missing =
        errorOfSource("missing.cpp", "float helper(float);\nstruct V : Vertex {\n  Output<float> y;\n"
                                     "  bool compute() {\n    *y = helper(2);\n    return true;\n  }\n};\n");
    QVERIFY2(has(missing, "undefined symbol: helper(float)") && has(missing, "missing.cpp:7"), missing.c_str());
    const std::string row = errorOfSource(
        "row.cpp", "struct V : Vertex {\n  Vector<Input<Vector<float>>> x;\n  Vector<Output<Vector<float>>> y;\n"
                   "  bool compute() {\n    for (unsigned i = 0; i < x.size(); ++i) x[i] = y[i];\n    return true;\n  }\n};\n");
    QVERIFY2(has(row, "an Input is not written") && has(row, "row.cpp:7"), row.c_str());
  }
};

TILESCOPE_TEST(CodeletNotesTest)
#include "codelet_notes_test.moc"
