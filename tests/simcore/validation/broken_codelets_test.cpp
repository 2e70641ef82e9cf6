// Codelets with faults: one clear error each, and the program that runs them lives on.
#include "simcore/native/library.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <fstream>

using namespace simcore;
using numerics::HostTensor;

class BrokenCodeletsTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  std::vector<graph::Codelet> compile(const std::string& fields, const std::string& body, const std::string& header = "cstdlib") {
    const auto file = m_folder / "faulty.cpp";
    std::ofstream(file) << "#include <poplar/Vertex.hpp>\n#include <" + header +
                               ">\nusing namespace poplar;\nclass Faulty : public "
                               "Vertex {\npublic:\n" +
                               fields + "\n  bool compute() {\n    " + body + "\n    return true;\n  }\n};\n";
    return native::compileCodelets({{file}, {}, 2, m_folder / "cache"}).codelets;
  }

  // The error of a run with one vertex on tile 2, whose field `zero` holds a zero; empty if it ran.
  std::string fault(const std::string& body, bool connectsAll = true) {
    return tests::errorOf([&] {
      tests::HostWorld w;
      for (const auto& c : compile("  Input<int> zero;\n  InOut<Vector<float>> x;", body)) w.graph->addCodelet(c);
      const auto zero = w.variable(graph::ElementType::Int32, {1}, "zero", 2),
                 x = w.variable(graph::ElementType::Float, {4}, "x", 2);
      const auto set = w.graph->addComputeSet("work");
      const auto v = w.graph->addVertex(set, "Faulty", {{"x", x}});
      if (connectsAll) w.graph->connect(v, "zero", zero[0]);
      w.graph->setTileMapping(v, reports::TileId(2));
      w.main.add(graph::program::execute(set));
      run::EngineOptions options;
      options.vertices.maxInstructions = 100'000;
      run::Engine engine(w.compile(), options, nullptr);
      engine.writeTensor(zero, HostTensor::vector<int32_t>({0}));
      engine.writeTensor(x, HostTensor::vector<float>({1, 2, 3, 4}));
      engine.run();
      QCOMPARE(engine.readTensor(x).at(0), 2.0);
    });
  }

private slots:
  void faultsOfARunNameTheVertex_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("error");
    QTest::newRow("endless loop") << "for (;;) x[0] += 1;"
                                  << "did not end after 100000 instructions";
    QTest::newRow("endless loop without work") << "for (volatile int i = 0;;) i = i;"
                                               << "did not end";
    QTest::newRow("write behind the end") << "x[4] = 1;"
                                          << "writes element 4";
    QTest::newRow("write far behind the end") << "x[150000] = 1;"
                                              << "writes element 150000";
    // So far that the process has no memory there; nearer ones may meet memory of its own, and are not seen.
    QTest::newRow("write gigabytes before the beginning") << "x[-2000000000L + *zero] = 1;"
                                                          << "not its own";
    QTest::newRow("read behind the end") << "x[0] = x[4];"
                                         << "reads element 4";
    QTest::newRow("division by zero") << "x[0] = 7 / *zero;"
                                      << "divides";
    QTest::newRow("null pointer") << "*reinterpret_cast<volatile float*>(long(*zero)) = 1;"
                                  << "null pointer";
    QTest::newRow("a megabyte of stack") << "volatile char room[1 << 20]; for (int i = (1 << 20) - 1; i >= 0; i -= 512) "
                                            "room[i] = char(i); x[0] = room[77];"
                                         << "stack";
    QTest::newRow("trap, behind numbers for a debugger")
        << R"(if (*zero == 0) asm volatile("setzi $m0, 0xa110c\n" "setzi $m1, 0xa110c\n" "trap 0\n");)"
        << "trap";
    QTest::newRow("end of the process") << "if (*zero == 0) exit(3);"
                                        << "calls exit()";
    QTest::newRow("recursion without end")
        << "struct { int operator()(int n) { volatile char room[4096]; room[n & 1] = char(n); return "
           "(*this)(n + 1) + room[0]; } } f; x[0] = f(0);"
        << "Faulty";
  }
  void faultsOfARunNameTheVertex() {
    SKIP_WITHOUT_CLANG();
    QFETCH(QString, body);
    QFETCH(QString, error);
    const std::string text = fault(body.toStdString());
    QVERIFY2(tests::has(text, error.toStdString()) && tests::has(text, "Faulty") && tests::has(text, "vertex 0 of work") &&
                 tests::has(text, "tile 2"),
             text.c_str());
    QCOMPARE(fault("x[0] += 1;"), std::string()); // the process lives, and another vertex runs
  }

  // An Input is a pointer, as on the machine: to its tensor, or to the copy of a tensor on another tile.
  void aWrittenInputStaysInATensorOfTheSameTile_data() {
    QTest::addColumn<QString>("body");
    QTest::newRow("the same each time") << "const_cast<int&>(*zero) = 3; x[0] += 1;";
    QTest::newRow("depends on data") << "if (*zero < 2) const_cast<int&>(*zero) += 3; x[0] += 1;";
  }
  void aWrittenInputStaysInATensorOfTheSameTile() {
    SKIP_WITHOUT_CLANG();
    QFETCH(QString, body);
    for (const std::size_t firstTile : {1, 2}) { // the vertex that runs first has a copy, or the tensor
      tests::HostWorld w;
      for (const auto& c : compile("  Input<int> zero;\n  InOut<Vector<float>> x;", body.toStdString())) w.graph->addCodelet(c);
      const auto zero = w.variable(graph::ElementType::Int32, {4}, "zero", 2),
                 x = w.variable(graph::ElementType::Float, {4, 4}, "x", 2);
      const auto set = w.graph->addComputeSet("work");
      for (std::size_t i = 0; i < 4; ++i) {
        w.graph->setTileMapping(zero[int64_t(i)], reports::TileId(i % 2 ? 3 - firstTile : firstTile));
        const auto v = w.graph->addVertex(set, "Faulty", {{"x", x[int64_t(i)]}});
        w.graph->connect(v, "zero", zero[int64_t(i)]);
        w.graph->setTileMapping(v, reports::TileId(2));
      }
      w.main.add(graph::program::execute(set));
      run::Engine engine(w.compile(), {}, nullptr);
      engine.writeTensor(zero, HostTensor::vector<int32_t>({0, 0, 0, 0}));
      engine.writeTensor(x, HostTensor::vector<float>(std::vector<float>(16, 1)).reshaped({4, 4}));
      for (int run = 0; run < 4; ++run) {
        engine.writeTensor(zero, HostTensor::vector<int32_t>({0, 0, 0, 0}));
        engine.run();
        for (std::size_t i = 0; i < 4; ++i) {
          QCOMPARE(engine.readTensor(zero).at(int64_t(i)), (i % 2 == 0) == (firstTile == 2) ? 3.0 : 0.0);
          QCOMPARE(engine.readTensor(x).at(int64_t(4 * i)), 2.0 + run);
        }
      }
      QCOMPARE(engine.writtenInputs().size(), std::size_t(1));
      QCOMPARE(engine.writtenInputs().begin()->first.second, std::string("zero"));
    }
  }

  // Vertex 0 of compute set and reads of the same element beside it; -1: no reader.
  void aWrittenInputIsSeenOnItsTileAlone_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("home");
    QTest::addColumn<int>("reader");
    QTest::addColumn<double>("seen");
    const char *always = "const_cast<int&>(*zero) = 3; x[0] += 1;",
               *byData = "if (*zero < 2) const_cast<int&>(*zero) += 3; x[0] += 1;";
    for (const char* body : {always, byData}) {
      const std::string kind = body == always ? "always" : "by data";
      QTest::addRow("%s, reader on a later tile", kind.c_str()) << body << 2 << 3 << 0.0;
      QTest::addRow("%s, reader on an earlier tile", kind.c_str()) << body << 2 << 1 << 0.0;
      QTest::addRow("%s, reader on the same tile", kind.c_str()) << body << 2 << 2 << 3.0;
      QTest::addRow("%s, both have a copy", kind.c_str()) << body << 0 << 3 << 0.0;
      QTest::addRow("%s, the copy of one tile", kind.c_str()) << body << 0 << 2 << 0.0;
      QTest::addRow("%s, nobody", kind.c_str()) << body << 2 << -1 << 0.0;
    }
  }
  void aWrittenInputIsSeenOnItsTileAlone() {
    SKIP_WITHOUT_CLANG();
    QFETCH(QString, body);
    QFETCH(int, home);
    QFETCH(int, reader);
    QFETCH(double, seen);
    tests::HostWorld w;
    for (const auto& c : compile("  Input<int> zero;\n  InOut<Vector<float>> x;", body.toStdString())) w.graph->addCodelet(c);
    graph::Codelet copies;
    copies.name = "Reader";
    copies.fields.resize(2);
    copies.fields[0].name = "a";
    copies.fields[1].name = "y";
    copies.fields[1].direction = graph::FieldDirection::Output;
    copies.compute = [](graph::VertexFields& f) { f.mutableValues<int32_t>("y")[0] = f.values<int32_t>("a")[0]; };
    w.graph->addCodelet(copies);
    const auto zero = w.variable(graph::ElementType::Int32, {1}, "zero", home),
               x = w.variable(graph::ElementType::Float, {4}, "x", 2),
               y = w.variable(graph::ElementType::Int32, {1}, "y", reader < 0 ? 2 : reader);
    const auto set = w.graph->addComputeSet("work");
    const auto v = w.graph->addVertex(set, "Faulty", {{"x", x}});
    w.graph->connect(v, "zero", zero[0]);
    w.graph->setTileMapping(v, reports::TileId(2));
    if (reader >= 0)
      w.graph->setTileMapping(w.graph->addVertex(set, "Reader", {{"a", zero}, {"y", y}}), reports::TileId(std::size_t(reader)));
    w.main.add(graph::program::execute(set));
    run::Engine engine(w.compile(), {}, nullptr);
    engine.writeTensor(x, HostTensor::vector<float>({1, 1, 1, 1}));
    for (int run = 0; run < 4; ++run) {
      engine.writeTensor(zero, HostTensor::vector<int32_t>({0}));
      engine.run();
      if (reader >= 0) QCOMPARE(engine.readTensor(y).at(0), seen);
      QCOMPARE(engine.readTensor(zero).at(0), home == 2 ? 3.0 : 0.0);
      QVERIFY(!engine.writtenInputs().empty());
    }
  }

  // The first two executions find the value that is stored, so nothing seems to be written.
  void aStoreOfTheSameValueIsKeptFromOtherTiles() {
    SKIP_WITHOUT_CLANG();
    tests::HostWorld w;
    for (const auto& c : compile("  Input<int> zero;\n  InOut<Vector<float>> x;", "x[0] = *zero; const_cast<int&>(*zero) = 0;"))
      w.graph->addCodelet(c);
    const auto zero = w.variable(graph::ElementType::Int32, {1}, "zero", 0),
               x = w.variable(graph::ElementType::Float, {2, 2}, "x", 2);
    const auto set = w.graph->addComputeSet("work");
    for (const int i : {0, 1}) {
      const auto v = w.graph->addVertex(set, "Faulty", {{"x", x[i]}});
      w.graph->connect(v, "zero", zero[0]);
      w.graph->setTileMapping(v, reports::TileId(std::size_t(1 + i)));
    }
    w.main.add(graph::program::execute(set));
    run::Engine engine(w.compile(), {}, nullptr);
    engine.writeTensor(x, HostTensor::vector<float>({1, 1, 1, 1}).reshaped({2, 2}));
    for (int run = 0; run < 5; ++run) {
      const int32_t value = run < 2 ? 0 : 5;
      engine.writeTensor(zero, HostTensor::vector<int32_t>({value}));
      engine.run();
      QCOMPARE(engine.readTensor(zero).at(0), double(value));
      QCOMPARE(engine.readTensor(x).at(0), double(value));
      QCOMPARE(engine.readTensor(x).at(2), double(value));
      QCOMPARE(engine.writtenInputs().size(), std::size_t(run < 2 ? 0 : 1));
    }
  }

  void aFieldThatIsNotConnectedIsNamed() {
    SKIP_WITHOUT_CLANG();
    const std::string text = fault("x[0] += 1;", false);
    QVERIFY2(tests::has(text, "zero") && tests::has(text, "Faulty") && tests::has(text, "connected"), text.c_str());
  }

  void whatDoesNotCompileIsOneErrorWithItsLine() {
    SKIP_WITHOUT_CLANG();
    const auto error = [&](const std::string& fields, const std::string& body) {
      return tests::errorOf([&] { compile(fields, body); });
    };
    const std::string syntax = error("  Output<int> x;", "*x = ;");
    QVERIFY2(tests::has(syntax, "does not compile") && tests::has(syntax, "faulty.cpp:8"), syntax.c_str());
    const std::string type = error("  Input<Vector<Missing>> x;", "");
    QVERIFY2(tests::has(type, "Missing") && tests::has(type, "faulty.cpp:6"), type.c_str());
    const std::string isVirtual = error("  Output<int> x;\n  virtual void run() { *x = 1; }", "run();");
    QVERIFY2(tests::has(isVirtual, "virtual functions") && tests::has(isVirtual, "Faulty") && tests::has(isVirtual, "faulty.cpp"),
             isVirtual.c_str());
    for (const std::string& text : {syntax, type, isVirtual}) QVERIFY2(text.find('\n') == std::string::npos, text.c_str());
  }

  // A tile has no files, threads, clock or heap: what would run on the host is refused by name, with its line.
  void whatOnlyTheHostHasIsRefused_data() {
    QTest::addColumn<QString>("header");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("name");
    QTest::newRow("cout") << "iostream"
                          << "std::cout << *x;"
                          << "'std::cout'";
    QTest::newRow("stderr") << "cstdio"
                            << "fprintf(stderr, \"%f\", *x);"
                            << "'stderr'";
    QTest::newRow("fopen") << "cstdio"
                           << "fclose(fopen(\"x\", \"w\"));"
                           << "'fopen'";
    QTest::newRow("system") << "cstdlib"
                            << "*x = system(\"id\");"
                            << "'system'";
    QTest::newRow("malloc") << "cstdlib"
                            << "float* p = (float*)malloc(int(*x)); p[0] = *x; *x = p[int(*x)]; free(p);"
                            << "'malloc'";
    QTest::newRow("new") << "cstdlib"
                         << "float* p = new float[int(*x)]; p[0] = *x; *x = p[int(*x)]; delete[] p;"
                         << "'operator new[]'";
    QTest::newRow("vector") << "vector"
                            << "std::vector<float> v; for (int i = 0; i < *x; ++i) v.push_back(*x); *x = v.back();"
                            << "'operator new'";
    QTest::newRow("thread") << "thread"
                            << "std::thread([] {}).join();"
                            << "'std::thread::";
    QTest::newRow("mutex") << "mutex"
                           << "static std::mutex m; std::lock_guard l(m); *x = 1;"
                           << "'pthread_mutex_lock'";
    QTest::newRow("clock") << "chrono"
                           << "*x = float(std::chrono::steady_clock::now().time_since_epoch().count());"
                           << "'std::chrono::_V2::steady_clock::now'";
    QTest::newRow("rand") << "cstdlib"
                          << "*x = rand();"
                          << "'rand'";
  }
  void whatOnlyTheHostHasIsRefused() {
    SKIP_WITHOUT_CLANG();
    QFETCH(QString, header);
    QFETCH(QString, body);
    QFETCH(QString, name);
    const std::string text = tests::errorOf([&] { compile("  InOut<float> x;", body.toStdString(), header.toStdString()); });
    QVERIFY2(tests::has(text, "cannot use " + name.toStdString()) && tests::has(text, "faulty.cpp:8"), text.c_str());
  }

  // Functions that read only their arguments, that the optimiser removes, or that no vertex reaches are allowed, as on the machine.
  void whatATileHasIsUsed() {
    SKIP_WITHOUT_CLANG();
    const std::string headers =
        "algorithm>\n#include <array>\n#include <cmath>\n#include <complex>\n#include <cstdio>\n#include "
        "<cstring>\n#include <functional>\n#include <iostream>\n#include <limits>\n#include <random>\n#include "
        "<vector>\ninline void ofHost() { std::cout << 1; }\n#include <numeric";
    const std::string body = R"(
    std::array<float, 4> a{};
    a.at(unsigned(*x)) = std::pow(*x, 2.5f) + std::erf(*x) + std::numeric_limits<float>::max();
    std::sort(a.begin(), a.end());
    float b[4];
    std::memcpy(b, &a, sizeof b);
    std::mt19937 generator(3);
    const std::function<float(float)> f = [&](float y) { return y + std::uniform_real_distribution<float>()(generator); };
    float* p = new float[4];
    p[1] = std::abs(std::exp(std::complex<float>(b[3], f(b[0]))));
    *x = p[1] + std::accumulate(a.begin(), a.end(), 0.0f);
    delete[] p;
    printf("%f\n", *x);)";
    const std::string text = tests::errorOf([&] { compile("  InOut<float> x;", body, headers); });
    QCOMPARE(text, std::string());
  }

  void anInstantiationThatIsNotThereIsNamed() {
    SKIP_WITHOUT_CLANG();
    tests::HostWorld w;
    for (const auto& c : compile("  Output<float> x;", "*x = 1;")) w.graph->addCodelet(c);
    const auto set = w.graph->addComputeSet("work");
    const std::string text = tests::errorOf([&] { w.graph->addVertex(set, "Faulty<double>", {}); });
    QVERIFY2(tests::has(text, "Faulty<double>"), text.c_str());
  }
};

TILESCOPE_TEST(BrokenCodeletsTest)
#include "broken_codelets_test.moc"
