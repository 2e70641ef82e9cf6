// Executables on disk: a file that is written and read runs the same, and any other file is an error.
#include "gcl/Collectives.hpp"
#include "poplar/CycleCount.hpp"
#include "poplar/Engine.hpp"
#include "poplar/IPUModel.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "poputil/exceptions.hpp"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

using namespace poplar;
using namespace poplar::program;

constexpr const char* kTimes = R"code(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Times : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<float>> y;
  const float factor;
  bool compute() {
    for (unsigned i = 0; i < y.size(); ++i) y[i] = factor * x[i];
    return true;
  }
};
)code";

Device device(unsigned tiles = 4, unsigned ipus = 1) {
  IPUModel model;
  model.tilesPerIPU = tiles;
  model.numIPUs = ipus;
  return model.createDevice();
}

std::string textOf(const Graph& graph, ArrayRef<Program> programs, const OptionFlags& options = {}) {
  std::ostringstream out;
  compileGraph(graph, programs, options).serialize(out);
  return out.str();
}
Engine engineOf(const std::string& text) {
  std::istringstream in(text);
  return Engine(Executable::deserialize(in));
}
// The error of reading this text; empty if it loads.
std::string fault(const std::string& text) {
  try {
    std::istringstream in(text);
    Executable::deserialize(in);
  } catch (const file_load_error& error) {
    return error.what();
  }
  return {};
}

} // namespace

class ExecutableTest : public QObject {
  Q_OBJECT

private slots:
  // Streams are found by handle, programs by number; functions and loops are preserved.
  void programsRunFromTheFile() {
    Graph graph(device());
    const Tensor x = graph.addVariable(FLOAT, {8}, VariableMappingMethod::LINEAR, "x");
    const Tensor sum = graph.addVariable(FLOAT, {}, VariableMappingMethod::LINEAR, "sum");
    const Function twice = graph.addFunction([&] {
      Sequence body;
      popops::mulInPlace(graph, x, 2.0F, body, "twice");
      return body;
    }());
    Sequence main{Copy(graph.addHostToDeviceFIFO("in", FLOAT, 8), x), Repeat(3, Call(twice))};
    popops::reduceWithOutput(graph, x, sum, {0}, popops::Operation::ADD, main);
    const Tensor cycles = cycleCount(graph, main, 0), stamp = cycleStamp(graph, main, 1);
    const Sequence out{Copy(sum, graph.addDeviceToHostFIFO("out", FLOAT, 1))};
    graph.createHostRead("cycles", cycles);
    graph.createHostRead("stamp", stamp);
    const std::string text = textOf(graph, {main, out}, {{"debug.instrument", "true"}});
    QVERIFY(textOf(graph, {main, out}, {{"debug.instrument", "true"}}) == text); // the same bytes for the same program

    std::ostringstream ofEngine;
    Engine(graph, {main, out}, {{"debug.instrument", "true"}}).serializeExecutable(ofEngine);
    QVERIFY(ofEngine.str() == text);

    Engine engine = engineOf(text);
    std::vector<float> in{1, 2, 3, 4, 5, 6, 7, 8};
    float result = 0;
    engine.connectStream("in", in.data(), in.data() + in.size());
    engine.connectStream("out", &result);
    engine.load(device());
    engine.run(0);
    engine.run(1);
    QCOMPARE(result, 8.0F * 36);
    unsigned counted[2] = {}, stamped[2] = {};
    engine.readTensor("cycles", counted, counted + 2);
    engine.readTensor("stamp", stamped, stamped + 2);
    QVERIFY(counted[0] > 0 && stamped[0] > counted[0]);
  }

  void virtualGraphsAndSeveralIpusAreKept() {
    Graph graph(device(4, 2));
    Graph second = graph.createVirtualGraph(4, 8);
    const Tensor x = second.addVariable(INT, {6}, VariableMappingMethod::LINEAR, "x");
    graph.setInitialValue(x, ArrayRef<int>({1, 2, 3, 4, 5, 6}));
    Sequence prog;
    const Tensor y = popops::mul(second, x, x, prog, "squares");
    graph.createHostRead("y", y);
    Engine engine = engineOf(textOf(graph, {prog}));
    engine.load(device(4, 2));
    engine.run(0);
    std::vector<int> values(6);
    engine.readTensor("y", values.data(), values.data() + 6);
    QCOMPARE(values, (std::vector<int>{1, 4, 9, 16, 25, 36}));
  }

  void codeletsAreTheProgramsOwn() {
    SKIP_WITHOUT_CLANG();
    const tests::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "times.cpp";
    std::ofstream(file) << kTimes;
    Graph graph(device());
    graph.addCodelets(file.string());
    const Tensor x = graph.addConstant<float>(FLOAT, {3}, {1, 2, 3}, "x"), y = graph.addVariable(FLOAT, {3}, "y");
    const ComputeSet set = graph.addComputeSet("set");
    const VertexRef v = graph.addVertex(set, "Times", {{"x", x}, {"y", y}});
    graph.setInitialValue(v["factor"], 2.5F);
    for (const Tensor& t : {x, y}) graph.setTileMapping(t, 1);
    graph.setTileMapping(v, 1);
    graph.createHostRead("y", y);
    const std::string text = textOf(graph, {Execute(set)});
    QVERIFY(text.find("factor * x") == std::string::npos); // no code is in the file
    Engine engine = engineOf(text);
    engine.load(device());
    engine.run(0);
    std::vector<float> values(3);
    engine.readTensor("y", values.data(), values.data() + 3);
    QCOMPARE(values, (std::vector<float>{2.5F, 5, 7.5F}));
    std::ofstream(file) << kTimes << "// another one\n";
    QVERIFY2(fault(text).find("changed") != std::string::npos, fault(text).c_str());
    std::filesystem::remove(file);
    QVERIFY2(fault(text).find("times.cpp") != std::string::npos, fault(text).c_str());
  }

  // Codelet files may use what a file brings that is added later; the executable has the files linked again.
  void filesOfOneGraphAreLinked() {
    SKIP_WITHOUT_CLANG();
    const tests::TemporaryFolder folder;
    const std::string user = folder / "user.cpp", owner = folder / "owner.cpp";
    std::ofstream(user) << "#include <poplar/Vertex.hpp>\nextern int calls;\nint next(int step);\n"
                           "class User : public poplar::Vertex {\npublic:\n  poplar::Output<int> y;\n"
                           "  bool compute() {\n    *y = next(2) + 100 * calls;\n    return true;\n  }\n};\n";
    std::ofstream(owner) << "#include <poplar/Vertex.hpp>\nint calls = 0;\nint next(int step) { return calls += step; }\n"
                            "class Owner : public poplar::Vertex {\npublic:\n  poplar::Output<int> y;\n"
                            "  bool compute() {\n    *y = calls;\n    return true;\n  }\n};\n";
    Graph graph(device());
    graph.addCodelets(user);
    const Tensor y = graph.addVariable(INT, {2}, "y");
    graph.setTileMapping(y, 1);
    graph.createHostRead("y", y);
    const auto executes = [&](const char* name, const Tensor& out) {
      const ComputeSet set = graph.addComputeSet(name);
      const VertexRef v = graph.addVertex(set, name, {{"y", out}});
      graph.setTileMapping(v, 1);
      return Execute(set);
    };
    const Program first = executes("User", y[0]);
    try {
      Engine(graph, first);
      QFAIL("a symbol is missing");
    } catch (const link_error& error) {
      QVERIFY2(std::string(error.what()).find("next(int)") != std::string::npos, error.what());
    }
    graph.addCodelets(owner);
    const std::string text = textOf(graph, {Sequence({first, first, executes("Owner", y[1])})});
    Engine engine = engineOf(text);
    engine.load(device());
    engine.run(0);
    std::vector<int> values(2);
    engine.readTensor("y", values.data(), values.data() + 2);
    QCOMPARE(values, (std::vector<int>{404, 4})); // one variable of the tile for both files
  }

  void codeletsOfAStreamAreRefused() {
    SKIP_WITHOUT_CLANG();
    Graph graph(device());
    std::istringstream source(kTimes);
    graph.addCodelets(source);
    QVERIFY_THROWS_EXCEPTION(poplar_error, textOf(graph, {Sequence()}));
  }

  void damageIsTold() {
    Graph graph(device());
    const Tensor x = graph.addVariable(FLOAT, {8}, VariableMappingMethod::LINEAR, "x");
    Sequence prog;
    popops::mulInPlace(graph, x, 2.0F, prog);
    const std::string text = textOf(graph, {prog});
    QVERIFY(fault(text).empty());
    QVERIFY(fault("").find("missing") != std::string::npos);
    QVERIFY(fault("ELF and so on\n").find("not an executable") != std::string::npos);
    for (std::size_t size = 1; size < text.size(); size += 1 + text.size() / 40)
      QVERIFY2(!fault(text.substr(0, size)).empty(), qPrintable(QString::number(size)));
    for (std::size_t at = 0; at < text.size(); at += 1 + text.size() / 60) {
      std::string other = text;
      other[at] = char(other[at] ^ 0x15);
      QVERIFY2(!fault(other).empty(), qPrintable(QString::number(at)));
    }
    std::istringstream two(text + text); // one after the other
    Executable::deserialize(two);
    Executable::deserialize(two);
  }

  void replicasAreReadAndWrittenOneByOne() {
    Graph graph(device(4, 2), replication_factor(2));
    const Tensor x = graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "x");
    const RemoteBuffer rows = graph.addRemoteBuffer("rows", FLOAT, 2, 1);
    Sequence prog;
    popops::addInPlace(graph, x, 1.0F, prog);
    prog.add(Copy(x, rows));
    graph.createHostWrite("x", x);
    graph.createHostRead("x", x);
    Engine engine = engineOf(textOf(graph, {prog}));
    engine.load(device(4, 2));
    for (unsigned r = 0; r < 2; ++r) {
      const float values[2] = {float(10 * r), float(10 * r + 1)};
      engine.writeTensor("x", r, values, values + 2);
    }
    engine.run(0);
    for (unsigned r = 0; r < 2; ++r) {
      float values[2] = {}, row[2] = {};
      engine.readTensor("x", r, values, values + 2);
      engine.copyFromRemoteBuffer(rows, row, 0, r);
      QCOMPARE(values[0], float(10 * r + 1));
      QCOMPARE(row[1], float(10 * r + 2));
    }
    float values[2] = {};
    QVERIFY_THROWS_EXCEPTION(tensor_io_state_error, engine.readTensor("x", 2, values, values + 2));
  }

  void neighboursAmongReplicasShareSums() {
    Graph graph(device(4, 4), replication_factor(4));
    Tensor x = graph.addVariable(FLOAT, {5}, VariableMappingMethod::LINEAR, "x");
    Tensor y = graph.addVariable(FLOAT, {5}, VariableMappingMethod::LINEAR, "y");
    Sequence prog{Copy(x, y)};
    const gcl::CommGroup pairs(gcl::CommGroupType::CONSECUTIVE, 2);
    gcl::allReduceInPlaceCrossReplica(graph, x, gcl::CollectiveOperator::ADD, prog, pairs, "sums");
    gcl::allReduceInPlaceCrossReplica(graph, y, gcl::CollectiveOperator::MEAN, prog, pairs, "means");
    graph.createHostWrite("x", x);
    graph.createHostRead("sums", x);
    graph.createHostRead("means", y);
    Engine engine = engineOf(textOf(graph, {prog}));
    engine.load(device(4, 4));
    for (unsigned r = 0; r < 4; ++r) {
      const std::vector<float> values(5, float(r));
      engine.writeTensor("x", r, values.data(), values.data() + 5);
    }
    engine.run(0);
    for (unsigned r = 0; r < 4; ++r) {
      std::vector<float> sums(5), means(5);
      engine.readTensor("sums", r, sums.data(), sums.data() + 5);
      engine.readTensor("means", r, means.data(), means.data() + 5);
      QCOMPARE(sums, std::vector<float>(5, r < 2 ? 1.0F : 5.0F));
      QCOMPARE(means, std::vector<float>(5, r < 2 ? 0.5F : 2.5F));
    }
  }
};

TILESCOPE_TEST(ExecutableTest)
#include "executable_test.moc"
