// Codelets from their source to a call of their code.
#include "simcore/native/embedded_files.h"
#include "simcore/native/library.h"
#include "simcore/native/unit.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

#include <cstring>
#include <fstream>

using namespace simcore::native;
using simcore::graph::Codelet;
using simcore::graph::ElementType;
using simcore::graph::FieldDirection;
using simcore::graph::FieldShape;
using simcore::graph::MachineHooks;
using simcore::graph::NativeBody;
using tests::errorOf;
using tests::has;

namespace {

constexpr const char* kCodelets = R"code(#define SCALE "scale.inc"
#include <poplar/Vertex.hpp>
#include <print.h>
#include SCALE
using namespace poplar;

namespace math {
template <typename T> class [[poplar::constraint("elem(*x)!=elem(*y)")]] Axpy : public Vertex {
  Axpy(); // defined nowhere: no constructor runs
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> x;
  InOut<Vector<T>> y;
  const float a;

public:
  bool compute() {
    for (unsigned i = 0; i < y->size(); ++i) y[i] += T(scale(a)) * x[i];
    return true;
  }
};
template class Axpy<float>;
template class Axpy<half>;
}

static unsigned runs = 0;

struct Lists : public MultiVertex {
  Vector<Input<Vector<int>>> rows;
  Output<Vector<int>> sums;
  Input<unsigned> shift;
  int table[2][3];
  void compute(unsigned workerId) {
    for (auto i = workerId; i < rows.size(); i += numWorkers()) {
      int sum = table[1][2];
      for (int value : rows[i]) sum += value;
      sums[i] = sum << shift;
    }
  }
};

class Counter : public SupervisorVertex {
  InOut<unsigned> count;

public:
  __attribute__((target("supervisor"))) bool compute() {
    count += 1;
    *count += ++runs;
    if (__builtin_ipu_get_tile_id() == 7) printf("tile %u of version %d%3000d\n", __builtin_ipu_get_tile_id(), __IPU_ARCH_VERSION__, 1);
  }
};
)code";

struct Span {
  void* data;
  uint64_t size;
};

const Codelet& named(const Library& library, const std::string& name) {
  for (const Codelet& codelet : library.codelets)
    if (codelet.name == name) return codelet;
  throw reports::Error(reports::ErrorCode::NotFound, "no codelet of this name", name);
}

// A vertex as the engine builds it.
class Block {
public:
  explicit Block(const Codelet& codelet) : m_codelet(codelet), m_bytes(std::size_t(codelet.native->objectBytes)) {}
  template<class T> void set(const std::string& field, const T& value) {
    for (std::size_t i = 0; i < m_codelet.fields.size(); ++i)
      if (m_codelet.fields[i].name == field)
        std::memcpy(&m_bytes[std::size_t(m_codelet.native->fields[i].offset)], &value, sizeof value);
    for (const auto& place : m_codelet.native->state)
      if (place.name == field) std::memcpy(&m_bytes[std::size_t(place.offset)], &value, sizeof value);
  }
  bool run(unsigned worker = 0) { return m_codelet.native->compute(m_bytes.data(), worker); }
  int64_t count(unsigned worker = 0) { // cycles
    simcore::graph::Counters* counters = m_codelet.native->counters();
    *counters = {0, 1'000'000, [] { qFatal("the budget is exhausted"); }};
    m_codelet.native->counted(m_bytes.data(), worker);
    return counters->cycles;
  }

private:
  const Codelet& m_codelet;
  std::vector<char> m_bytes;
};

} // namespace

class LibraryTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder; // one cache, so that the precompiled header is made once

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (m_folder / name).string();
    std::ofstream(path) << text;
    return path;
  }
  Library compile(const std::string& source, std::vector<std::string> flags = {}) {
    return compileCodelets({{source}, std::move(flags), 2, m_folder / "cache"});
  }
  std::string errorOfSource(const std::string& name, const std::string& text) {
    return errorOf([&] { compile(write(name, "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n" + text)); });
  }

private slots:
  void classesBecomeCodeletsThatRun() {
    SKIP_WITHOUT_CLANG();
    write("scale.inc", "inline float scale(float a) { return 2 * a; }\n");
    const Library library = compile(write("codelets.cpp", kCodelets));
    QCOMPARE(library.codelets.size(), std::size_t(4));

    const Codelet& axpy = named(library, "math::Axpy<float>");
    QCOMPARE(axpy.kind, Codelet::Kind::Worker);
    QCOMPARE(axpy.constraints, std::vector<std::string>{"elem(*x)!=elem(*y)"});
    QCOMPARE(axpy.state.size(), std::size_t(1));
    QCOMPARE(axpy.state[0].name, std::string("a"));
    QVERIFY(has(axpy.native->sourceFile, "codelets.cpp"));
    QCOMPARE(axpy.native->sourceLine, 15);
    float x[] = {1, 2, 3}, y[] = {10, 20, 30};
    Block block(axpy);
    block.set("x", Span{x, 3});
    block.set("y", Span{y, 3});
    block.set("a", 0.5f);
    QVERIFY(block.run());
    QCOMPARE(y[2], 33.0f);

    const Codelet& half = named(library, "math::Axpy<half>");
    QVERIFY(half.fields[0].type == ElementType::Half);
    uint16_t hx[] = {0x3c00}, hy[] = {0x3c00}; // 1
    Block halves(half);
    halves.set("x", Span{hx, 1});
    halves.set("y", Span{hy, 1});
    halves.set("a", 1.0f);
    QVERIFY(halves.run());
    QCOMPARE(hy[0], uint16_t(0x4200)); // 3
  }

  void listsStateAndWorkersReachTheCode() {
    SKIP_WITHOUT_CLANG();
    const Library library = compile(write("codelets.cpp", kCodelets));
    const Codelet& lists = named(library, "Lists");
    QCOMPARE(lists.kind, Codelet::Kind::Multi);
    QCOMPARE(lists.fields[0].shape, FieldShape::VectorList);
    QCOMPARE(lists.fields[0].direction, FieldDirection::Input);
    QCOMPARE(lists.fields[2].shape, FieldShape::Scalar);
    int first[] = {1, 2}, second[] = {5};
    Span rows[] = {{first, 2}, {second, 1}};
    int sums[2] = {};
    unsigned shift = 1;
    const int table[] = {0, 0, 0, 0, 0, 100};
    Block block(lists);
    block.set("rows", Span{rows, 2});
    block.set("sums", Span{sums, 2});
    block.set("shift", &shift);
    block.set("table", table);
    QVERIFY(block.run(0));
    QCOMPARE(sums[0], 206);
    QCOMPARE(sums[1], 0);
    QVERIFY(block.run(1));
    QCOMPARE(sums[1], 210);
  }

  void twinsCountAndDoTheSame() {
    SKIP_WITHOUT_CLANG();
    const Library library = compile(write("codelets.cpp", kCodelets));
    const Codelet& axpy = named(library, "math::Axpy<float>");
    QVERIFY(axpy.native->counted);
    QVERIFY(!axpy.native->dependsOnData);
    std::vector<float> x(1000, 2), y(1000, 1);
    Block block(axpy);
    block.set("x", Span{x.data(), 500});
    block.set("y", Span{y.data(), 500});
    block.set("a", 1.0f);
    const int64_t half = block.count();
    QCOMPARE(y[499], 5.0f);
    block.set("y", Span{y.data(), 1000});
    const int64_t whole = block.count();
    QCOMPARE(y[999], 5.0f);
    QVERIFY2(half > 500 && whole > 1.9 * double(half) && whole < 2.1 * double(half),
             (std::to_string(half) + ", " + std::to_string(whole)).c_str());
  }

  void loopsTakeWhatTheMachineTakes() {
    SKIP_WITHOUT_CLANG();
    const Library library =
        compile(write("loops.cpp", "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                                   "struct Relu : Vertex {\n  InOut<Vector<float>> y;\n  bool compute() {\n"
                                   "    for (auto& v : y) if (v < 0) v = 0;\n    return true;\n  }\n};\n"
                                   "struct Reverse : Vertex {\n  InOut<Vector<float>> y;\n  bool compute() {\n"
                                   "    float* __restrict to = &y[0];\n    const float* __restrict from = &y[600];\n"
                                   "    for (int i = 0; i < 600; ++i) to[i] = from[599 - i];\n"
                                   "    return true;\n  }\n};\n"));
    std::vector<float> y(1200, 1);
    Block relu(named(library, "Relu")), reverse(named(library, "Reverse"));
    for (Block* block : {&relu, &reverse}) block->set("y", Span{y.data(), 1200});
    QVERIFY(named(library, "Relu").native->dependsOnData); // it was vectorised with masks, which the machine does not have
    const int64_t none = relu.count();
    y.assign(1200, -1);
    const int64_t all = relu.count();
    QVERIFY2(none < 1200 * 6 && all >= none + 1200, (std::to_string(none) + ", " + std::to_string(all)).c_str());
    const int64_t turned = reverse.count(); // load, store, in a hardware loop: no pairs, which would have to be turned
    QVERIFY2(turned >= 600 * 2 && turned < 600 * 2 + 40, std::to_string(turned).c_str());
  }

  void eachLibraryHasItsOwnCode() {
    SKIP_WITHOUT_CLANG();
    const auto sourceOf = [](const char* name, int gives) {
      return std::string("#include <poplar/Vertex.hpp>\nclass ") + name +
             " : public poplar::Vertex {\npublic:\n  poplar::Output<int> out;\n  bool compute() { *out = " +
             std::to_string(gives) + "; return true; }\n};\n";
    };
    const Library first = compile(write("first.cpp", sourceOf("First", 1))),
                  second = compile(write("second.cpp", sourceOf("Second", 2)));
    for (const auto& [library, name, wanted] : {std::tuple(&first, "First", 1), std::tuple(&second, "Second", 2)}) {
      int out = 0;
      Block block(named(*library, name));
      block.set("out", &out);
      block.run();
      QCOMPARE(out, wanted);
    }
  }

  void globalsAreNamedForTheEngine() {
    SKIP_WITHOUT_CLANG();
    const Library library = compile(write("codelets.cpp", kCodelets));
    const auto& globals = named(library, "Counter").native->globals;
    QVERIFY(globals && globals->size() == 1);
    QCOMPARE((*globals)[0].bytes, int64_t(sizeof(unsigned)));
    auto* runs = static_cast<unsigned*>((*globals)[0].address());
    *runs = 41;
    unsigned count = 0;
    Block block(named(library, "Counter"));
    block.set("count", &count);
    block.count(); // the counting copy shares them
    QCOMPARE(*runs, 42u);
    QCOMPARE(count, 43u);
    *runs = 0;
  }

  void hooksAreThoseOfTheThread() {
    SKIP_WITHOUT_CLANG();
    const Library library = compile(write("codelets.cpp", kCodelets));
    const Codelet& counter = named(library, "Counter");
    QCOMPARE(counter.kind, Codelet::Kind::Supervisor);
    std::string printed;
    MachineHooks* hooks = counter.native->hooks();
    hooks->context = &printed;
    hooks->print = [](void* context, const char* text, uint64_t bytes) {
      static_cast<std::string*>(context)->append(text, bytes);
    };
    hooks->tile = 7;
    unsigned count = 5;
    Block block(counter);
    block.set("count", &count);
    block.run(); // without a return statement: whatever it gives
    QCOMPARE(count, 7u);
    QCOMPARE(printed, "tile 7 of version 2" + std::string(2999, ' ') + "1\n");
    *hooks = {};
  }

  void cacheIsUsedUntilAnIncludedFileChanges() {
    SKIP_WITHOUT_CLANG();
    const std::string source = write("codelets.cpp", kCodelets);
    compile(source);
    QElapsedTimer timer;
    timer.start();
    compile(source);
    const auto warm = timer.elapsed();
    QVERIFY2(warm < 2000, std::to_string(warm).c_str()); // 10 ms on a quiet machine; a compilation takes longer
    write("scale.inc", "inline float scale(float a) { return 3 * a; }\n");
    const Library changed = compile(source);
    float x[] = {1}, y[] = {0};
    Block block(named(changed, "math::Axpy<float>"));
    block.set("x", Span{x, 1});
    block.set("y", Span{y, 1});
    block.set("a", 1.0f);
    block.run();
    QCOMPARE(y[0], 3.0f);
    write("scale.inc", "inline float scale(float a) { return 2 * a; }\n");
    QCOMPARE(std::filesystem::status(m_folder / "cache").permissions(), std::filesystem::perms::owner_all);
  }

  void sourcesOfOneCallShareFunctions() {
    SKIP_WITHOUT_CLANG();
    const std::string caller = write("caller.cpp", "#include <poplar/Vertex.hpp>\nfloat thrice(float x);\n"
                                                   "struct Caller : poplar::Vertex {\n  poplar::InOut<float> x;\n"
                                                   "  bool compute() {\n    x = thrice(x);\n    return true;\n  }\n};\n");
    const std::string owner = write("owner.cpp", "#include <poplar/Vertex.hpp>\nfloat thrice(float x) { return 3 * x; }\n"
                                                 "struct Owner : poplar::Vertex {\n  poplar::InOut<float> x;\n"
                                                 "  bool compute() {\n    x = thrice(x) + 1;\n    return true;\n  }\n};\n");
    CompileRequest request{{caller, owner}, {}, 2, m_folder / "cache"};
    std::string diagnostics;
    std::ofstream(m_folder / "both.gp", std::ios::binary) << compileGp(request, {2}, diagnostics);
    for (const Library& library : {compileCodelets(request), loadGp(m_folder / "both.gp")}) {
      QCOMPARE(library.codelets.size(), 2u);
      float x = 2;
      for (const auto& [name, expected] : {std::pair("Caller", 6.0f), std::pair("Owner", 19.0f)}) {
        Block block(named(library, name));
        block.set("x", &x);
        block.run();
        QCOMPARE(x, expected);
      }
      const NativeBody& body = *named(library, "Owner").native;
      QVERIFY2(body.sourceFile == owner && body.sourceLine == 5, body.sourceFile.c_str());
      QVERIFY(body.counted);
    }
    QCOMPARE(diagnostics, std::string());
    const std::string alone = errorOf([&] { compile(caller); });
    QVERIFY2(has(alone, "thrice") && has(alone, "in the same call"), alone.c_str());
  }

  void filesAreLinkedWithTheirGraph() {
    SKIP_WITHOUT_CLANG();
    // A count that both files see, functions of C, and names that each file has for itself.
    const std::string counter =
        write("counter.c", "#include \"counter.h\"\nint count = 40;\nstatic int step = 1;\n"
                           "int add(int n) {\n  int class = step;\n  count += class * n;\n  return count;\n}\n");
    write("counter.h",
          "#ifdef __cplusplus\nextern \"C\" {\n#endif\nextern int count;\nint add(int n);\n#ifdef __cplusplus\n}\n#endif\n");
    const auto user = [](const char* name, const char* body) {
      return std::string("#include <poplar/Vertex.hpp>\n#include \"counter.h\"\nstatic int step = 2;\nstruct ") + name +
             " : poplar::Vertex {\n  poplar::Output<int> out;\n  bool compute() {\n    *out = " + body +
             ";\n    return true;\n  }\n};\n";
    };
    const std::string adds = write("adds.cpp", user("Adds", "add(step)")), reads = write("reads.cpp", user("Reads", "count"));
    CompileRequest request{{adds}, {}, 2, m_folder / "cache"};
    const auto missing = linkCodelets({request}).missing;
    QVERIFY2(missing.size() == 1 && missing[0].starts_with("add, used at ") && has(missing[0], ".c"), missing.at(0).c_str());
    std::string diagnostics;
    std::vector<CompileRequest> files; // each compiled by itself
    for (const std::string& source : {adds, counter, reads}) {
      request.sources = {source};
      const std::string file = source + ".gp";
      std::ofstream(file, std::ios::binary) << compileGp(request, {2}, diagnostics);
      files.push_back({{file}, {}, 2, m_folder / "cache"});
    }
    QVERIFY2(has(errorOf([&] { loadGp(adds + ".gp"); }), "undefined symbol: add"), "adds.gp");
    request.sources = {adds + ".gp", counter + ".gp", reads + ".gp"};
    std::ofstream(m_folder / "all.gp", std::ios::binary) << compileGp(request, {2}, diagnostics);
    QCOMPARE(diagnostics, std::string());
    for (const Library& library : {linkCodelets(files), loadGp(m_folder / "all.gp")}) {
      QVERIFY(library.missing.empty());
      QCOMPARE(library.codelets.size(), 2u);
      int out = 0;
      for (const auto& [name, expected] : {std::pair("Reads", 40), std::pair("Adds", 42), std::pair("Reads", 42)}) {
        Block block(named(library, name));
        block.set("out", &out);
        block.run();
        QCOMPARE(out, expected);
      }
      const NativeBody& body = *named(library, "Adds").native;
      QVERIFY(body.counted && body.sourceFile == adds);
      QCOMPARE(body.globals->size(), 3u); // count, and the step of each file that has one and uses it
    }
    request.sources = {counter, write("twice.cpp", "extern \"C\" int other();\nint count = 0;\nint f() { return other(); }\n")};
    QVERIFY2(has(errorOf([&] { linkCodelets({request}); }), "duplicate symbol: count"), "twice");
  }

  void systemFoldersKeepTheirPlace() {
    SKIP_WITHOUT_CLANG();
    const std::string source =
        write("system.cpp", "#include <cstdlib>\n#include <cmath>\n#include <poplar/Vertex.hpp>\n"
                            "struct S : poplar::Vertex {\n  poplar::Output<int> out;\n  bool compute() {\n"
                            "    *out = TMEM_BASE_ADDR + TEXCH_SYNCZONE_LOCAL;\n    return true;\n  }\n};\n");
    QCOMPARE(compile(source, {"-isystem", "/usr/include"}).codelets.size(), 1u);
    QCOMPARE(compile(source, {"-isystem/usr/include/"}).codelets.size(), 1u);
  }

  void flagsOfTheLanguageCompile_data() {
    QTest::addColumn<QString>("flags");
    for (const char* flags : {"", "-std=c++20", "-std=gnu++2b", "-ffast-math -frtti -fexceptions", "-funsigned-char -fno-inline"})
      QTest::newRow(flags) << flags;
  }
  void flagsOfTheLanguageCompile() { // a precompiled header would be refused, or read wrongly
    SKIP_WITHOUT_CLANG();
    QFETCH(QString, flags);
    const std::string source = write("mathematics.cpp", "#include <StackSizeDefs.hpp>\n#include <TileConstants.hpp>\n"
                                                        "#include <poplar/InOutTypes.hpp>\n#include <print.h>\n"
                                                        "#include <cmath>\n#include <complex>\n#include <string>\n"
                                                        "struct M : poplar::Vertex {\n"
                                                        "  poplar::Input<poplar::Vector<float>> x;\n"
                                                        "  poplar::Output<poplar::Vector<float>> y;\n"
                                                        "  bool compute() {\n    int exponent;\n    float whole;\n"
                                                        "    y[0] = std::ldexp(x[0], 3);\n"
                                                        "    y[1] = std::frexp(x[1], &exponent) + exponent;\n"
                                                        "    y[2] = std::modf(x[2], &whole) + 10 * whole;\n"
                                                        "    y[3] = std::scalbn(x[3], 2) + (char(-1) > 0 ? 1 : 0);\n"
                                                        "    y[4] = (std::complex<float>(x[0], x[1]) *\n"
                                                        "            std::complex<float>(x[2], x[3])).real();\n"
                                                        "    printf(\"\");\n    return true;\n  }\n};\n");
    std::vector<std::string> words;
    for (const QString& word : flags.split(' ', Qt::SkipEmptyParts)) words.push_back(word.toStdString());
    const Library library = compile(source, words);
    float x[] = {1, 6, 2.5f, 3}, y[5] = {};
    Block block(named(library, "M"));
    block.set("x", Span{x, 4});
    block.set("y", Span{y, 5});
    MachineHooks* hooks = named(library, "M").native->hooks();
    hooks->print = [](void*, const char*, uint64_t) {};
    block.run();
    *hooks = {};
    QCOMPARE(y[0], 8.0f);
    QCOMPARE(y[1], 3.75f);
    QCOMPARE(y[2], 20.5f);
    QCOMPARE(y[3], flags.contains("unsigned-char") ? 13.0f : 12.0f);
    QCOMPARE(y[4], 2.5f - 18);
  }

  void brokenSourcesAreOneErrorWithItsLine() {
    SKIP_WITHOUT_CLANG();
    const std::string syntax =
        errorOfSource("broken.cpp", "class A : public Vertex {\npublic:\n  bool compute() { return tru; }\n};\n");
    QVERIFY2(has(syntax, "does not compile") && has(syntax, "tru") && has(syntax, "broken.cpp:5"), syntax.c_str());
    const std::string element = errorOfSource(
        "field.cpp",
        "struct P { float x; };\nstruct A : Vertex {\n  Input<Vector<P>> points;\n  bool compute() { return true; }\n};\n");
    QVERIFY2(has(element, "points") && has(element, "field.cpp:5"), element.c_str());
    const std::string assembly = errorOfSource(
        "asm.cpp", "struct A : Vertex {\n  bool compute() {\n    asm volatile(\"f32v4acc $a0:3\");\n    return true;\n  }\n};\n");
    QVERIFY2(has(assembly, "assembly") && has(assembly, "asm.cpp:5"), assembly.c_str());
    const std::string missing = errorOfSource("link.cpp", "struct A : Vertex {\n  bool compute();\n};\n");
    QVERIFY2(has(missing, "compute"), missing.c_str());
    QVERIFY(has(errorOf([&] { compile((m_folder / "none.cpp").string()); }), "missing"));
    QVERIFY(has(errorOf([&] { compile(write("a.S", "nop\n")); }), "assembly"));
  }

  void compilerIsNamedWhenItIsMissing() {
    qputenv("TILESCOPE_CLANG", "/none/clang++");
    const std::string error = errorOf([] { findClang(); });
    qunsetenv("TILESCOPE_CLANG");
    QVERIFY2(has(error, "TILESCOPE_CLANG") && has(error, "/none/clang++"), error.c_str());
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", (m_folder / "empty").c_str());
    const std::string none = errorOf([] { findClang(); });
    qputenv("PATH", path);
    QVERIFY2(has(none, "clang") && has(none, "apt-get install"), none.c_str());
  }

  void headersHaveNoWarnings_data() {
    QTest::addColumn<QString>("standard");
    for (const char* standard : {"c++11", "c++14", "c++17", "c++20"}) QTest::newRow(standard) << standard;
  }
  void headersHaveNoWarnings() {
    SKIP_WITHOUT_CLANG();
    QFETCH(QString, standard);
    std::string source;
    for (const EmbeddedFile& file : embeddedFiles()) {
      const std::filesystem::path path = m_folder / "include" / file.path;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << file.text;
      // Codelets see neither the runtime nor the hooks.
      if (!std::string_view(file.path).ends_with(".inc") && std::string_view(file.path) != "machine_hooks.h")
        source += "#include <" + std::string(file.path) + ">\n";
    }
    const std::string path = write("all.cpp", source);
    const ClangTool clang = findClang();
    const ChildResult result = runChild({clang.path, "-std=" + standard.toStdString(), "-fsyntax-only", "-Wall", "-Wextra",
                                         "-Werror", "-Xclang", "-fnative-half-type", "-Xclang",
                                         "-fnative-half-arguments-and-returns", "-I", (m_folder / "include").string(), path},
                                        std::chrono::seconds(60), (m_folder / "errors").string());
    QVERIFY2(result.exitCode == 0, result.errors.c_str());
  }
};

TILESCOPE_TEST(LibraryTest)
#include "library_test.moc"
