// Poplar's public classes: the results of programs that use them, and the errors of wrong programs.
#include "poplar/CycleCount.hpp"
#include "poplar/DeviceManager.hpp"
#include "poplar/Engine.hpp"
#include "poplar/IPUModel.hpp"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fstream>
#include <numeric>
#include <sstream>

namespace {

using namespace poplar;
using namespace poplar::program;

constexpr const char* kVertices = R"code(
#include <poplar/Vertex.hpp>
using namespace poplar;
class AddTo : public Vertex {
public:
  Input<Vector<float>> x;
  InOut<Vector<float>> y;
  const float scale;
  bool compute() {
    for (unsigned i = 0; i < y.size(); ++i) y[i] += scale * x[i];
    return true;
  }
};
)code";

Device smallDevice() {
  IPUModel model;
  model.tilesPerIPU = 4;
  return model.createDevice();
}

// The message of the E that `f` throws, or a text that it threw none.
template<class E, class F> std::string thrownBy(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another class: ") + error.what();
  }
  return "nothing was thrown";
}
bool says(const std::string& text, const char* part) {
  if (text.find(part) != std::string::npos && !text.starts_with("another class")) return true;
  qWarning("%s", text.c_str());
  return false;
}

std::vector<float> runAndRead(Engine& engine, const Device& device, std::size_t elements) {
  std::vector<float> values(elements);
  engine.load(device);
  engine.run();
  engine.readTensor("out", values.data(), values.data() + values.size());
  return values;
}

} // namespace

class PoplarProgramsTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;
  std::string m_codelets;

private slots:
  void initTestCase() {
    m_codelets = (m_folder / "vertices.cpp").string();
    std::ofstream(m_codelets) << kVertices;
  }

  void aSequenceIsWhatItWasWhenItWasAdded() {
    const Device device = smallDevice();
    Graph graph(device);
    const Tensor one = graph.addConstant<float>(FLOAT, {2}, {1, 2}, "one"), two = graph.addConstant(FLOAT, {2}, 7.0f, "two");
    const Tensor out = graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "out");
    graph.setTileMapping(one, 0);
    graph.setTileMapping(two, 1);
    graph.createHostRead("out", out);
    Sequence inner{Copy(one, out)}, outer;
    outer.add(inner);
    inner.add(Copy(two, out)); // outer has the copy without it
    Sequence other = inner;
    other.add(Copy(one, out)); // inner is another sequence
    Engine first(graph, outer), second(graph, inner);
    QCOMPARE(runAndRead(first, device, 2), (std::vector<float>{1, 2}));
    QCOMPARE(runAndRead(second, device, 2), (std::vector<float>{7, 7}));
  }

  void anEngineKeepsTheGraphAsItWas() {
    const Device device = smallDevice();
    Graph graph(device);
    const Tensor out = graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "out");
    graph.setInitialValue(out, 3.0f);
    graph.createHostRead("out", out);
    Engine engine(graph, Sequence());
    graph.setInitialValue(out, 4.0f);
    graph.addVariable(FLOAT, {2}, "unmapped");
    QCOMPARE(runAndRead(engine, device, 2), (std::vector<float>{3, 3}));
  }

  void loadingAgainPutsTensorsBack() {
    const Device device = smallDevice();
    Graph graph(device);
    const Tensor out = graph.addVariable(FLOAT, {1}, VariableMappingMethod::LINEAR, "out");
    graph.setInitialValue(out, 3.0f);
    graph.createHostRead("out", out);
    const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 1);
    float value = 9;
    Engine engine(graph, {Sequence(), Copy(in, out)});
    engine.connectStream(in, &value, &value + 1);
    engine.load(device);
    engine.run(1);
    QCOMPARE(runAndRead(engine, device, 1), std::vector<float>{3});
    engine.run(1); // the stream is connected still
    engine.readTensor("out", &value, &value + 1);
    QCOMPARE(value, 9.0f);
  }

  void theLastMappingWins() {
    Graph graph(smallDevice());
    const Tensor t = graph.addVariable(FLOAT, {4}, "t");
    for (unsigned tile = 0; tile < 4; ++tile) graph.setTileMapping(t, tile);
    graph.setTileMapping(t.slice(0, 1), 0);
    const auto mapping = graph.getTileMapping(t);
    QCOMPARE(mapping.at(0), (std::vector<Interval>{{0, 1}}));
    QVERIFY(mapping.at(1).empty());
    QCOMPARE(mapping.at(3), (std::vector<Interval>{{1, 4}}));
  }

  void verticesComputeAndAreMeasured() {
    SKIP_WITHOUT_CLANG();
    const Device device = smallDevice();
    Graph graph(device);
    QVERIFY(graph.addCodelets({m_codelets}, "-O2"));
    QVERIFY(!graph.addCodelets({m_codelets}, "-O2"));
    const Tensor x = graph.addConstant<float>(FLOAT, {3}, {1, 2, 3}, "x"), y = graph.addVariable(FLOAT, {3}, "y");
    graph.setTileMapping(x, 1);
    graph.setTileMapping(y, 0);
    graph.setInitialValue(y, 0.5f);
    const ComputeSet set = graph.addComputeSet("set");
    const VertexRef v = graph.addVertex(set, "AddTo", {{"x", x}, {"y", y}});
    graph.setInitialValue(v["scale"], 2);
    graph.setTileMapping(v, 0);
    graph.setPerfEstimate(v, 100);
    graph.createHostRead("out", y);
    Sequence program{Repeat(2, Execute(set))};
    const Tensor cycles = cycleCount(graph, program, 0, "measured");
    graph.createHostRead("cycles", cycles);
    Engine engine(graph, program);
    QCOMPARE(runAndRead(engine, device, 3), (std::vector<float>{4.5f, 8.5f, 12.5f}));
    unsigned measured[2] = {};
    engine.readTensor("cycles", measured, measured + 2);
    QVERIFY(measured[0] >= 1200 && measured[1] == 0); // twice the estimate, in worker cycles
  }

  void wrongCodeletsAndFieldsAreNamed() {
    SKIP_WITHOUT_CLANG();
    Graph graph(smallDevice());
    QVERIFY(says(thrownBy<file_load_error>([&] { graph.addCodelets("missing.cpp"); }), "missing.cpp"));
    std::istringstream broken("class {");
    QVERIFY(says(thrownBy<graph_program_compilation_error>([&] { graph.addCodelets(broken); }), "codelets.cpp"));
    graph.addCodelets(m_codelets);
    std::istringstream again(
        "#include <poplar/Vertex.hpp>\nstruct AddTo : poplar::Vertex {\n  bool compute() { return true; }\n};\n");
    QVERIFY(
        says(thrownBy<graph_program_compilation_error>([&] { graph.addCodelets(again); }), "two codelets are called 'AddTo'"));
    const ComputeSet set = graph.addComputeSet("set");
    QVERIFY(says(thrownBy<unknown_vertex_type>([&] { graph.addVertex(set, "Absent"); }), "Absent"));
    const VertexRef v = graph.addVertex(set, "AddTo");
    const Tensor t = graph.addVariable(FLOAT, {3}, "t"), whole = graph.addVariable(INT, {3}, "whole");
    QVERIFY(says(thrownBy<unknown_field>([&] { graph.connect(v["z"], t); }), "'z'"));
    QVERIFY(says(thrownBy<type_error>([&] { graph.connect(v["x"], whole); }), "whole"));
    graph.connect(v["x"], t);
    QVERIFY(says(thrownBy<graph_connection_error>([&] { graph.connect(v["x"], t); }), "connected already"));
    QVERIFY(says(thrownBy<invalid_tile_mapping>([&] { graph.setTileMapping(v, 4); }), "4"));
    // Poplar's classes are caught by their base.
    QVERIFY(says(thrownBy<poplar_error>([&] { graph.connect(v["z"], t); }), "AddTo"));
    QVERIFY(says(thrownBy<std::runtime_error>([&] { graph.connect(v["z"], t); }), "AddTo"));
  }

  void twoVerticesMustNotWriteOneElement() {
    SKIP_WITHOUT_CLANG();
    Graph graph(smallDevice());
    graph.addCodelets(m_codelets);
    const Tensor x = graph.addConstant(FLOAT, {3}, 1.0f, "x"), y = graph.addVariable(FLOAT, {3}, "shared");
    graph.setTileMapping(x, 0);
    graph.setTileMapping(y, 0);
    const ComputeSet set = graph.addComputeSet("set");
    for (unsigned tile = 0; tile < 2; ++tile) graph.setTileMapping(graph.addVertex(set, "AddTo", {{"x", x}, {"y", y}}), tile);
    QVERIFY(says(thrownBy<control_program_error>([&] { Engine(graph, Execute(set)); }), "shared"));
  }

  void anUnmappedTensorIsNamed() {
    Graph graph(smallDevice());
    const Tensor a = graph.addVariable(FLOAT, {2}, "mapped"), b = graph.addVariable(FLOAT, {2}, "lost");
    graph.setTileMapping(a, 0);
    QVERIFY(says(thrownBy<invalid_tile_mapping>([&] { graph.getTileMapping(b); }), "lost"));
    QVERIFY(says(thrownBy<invalid_tile_mapping>([&] { Engine(graph, Copy(b, a)); }), "lost"));
  }

  void aTileThatIsFullIsNamed() {
    Graph graph(smallDevice());
    const Tensor large = graph.addVariable(FLOAT, {1000000}, "large");
    graph.setTileMapping(large, 2);
    graph.createHostRead("large", large);
    QVERIFY(says(thrownBy<graph_memory_allocation_error>([&] { Engine(graph, WriteUndef(large)); }), "tile 2"));
  }

  void streamsWantToBeConnected() {
    const Device device = smallDevice();
    Graph graph(device);
    const Tensor t = graph.addVariable(INT, {2}, VariableMappingMethod::LINEAR, "t");
    const DataStream in = graph.addHostToDeviceFIFO("in", INT, 2);
    QVERIFY(says(thrownBy<stream_connection_error>([&] { Copy(in, t.slice(0, 1)); }), "'in'"));
    Engine engine(graph, Copy(in, t));
    QVERIFY(says(thrownBy<poplar_error>([&] { engine.run(); }), "load"));
    engine.load(device);
    const std::string open = thrownBy<stream_connection_error>([&] { engine.run(); });
    QVERIFY2(says(open, "(in)") && says(open, "connectStream") && !says(open, "option"), open.c_str());
    int values[3] = {};
    QVERIFY(says(thrownBy<stream_connection_error>([&] { engine.connectStream("in", values, values + 3); }), "in"));
    QVERIFY(says(thrownBy<stream_connection_error>([&] { engine.connectStream("other", values); }), "other"));
    QVERIFY(says(thrownBy<tensor_io_state_error>([&] { engine.readTensor("absent", values, values + 1); }), "absent"));
  }

  // More memory than the tensor takes may be given, less may not.
  void memoryOfTheHostHoldsTheTensor() {
    Graph graph(smallDevice());
    const Tensor t = graph.addVariable(INT, {2}, VariableMappingMethod::LINEAR, "t");
    graph.createHostWrite("t", t);
    graph.createHostRead("t", t);
    Engine engine(graph, Sequence());
    engine.load(smallDevice());
    const int given[3] = {4, 5, 6};
    int values[3] = {1, 2, 3};
    engine.writeTensor("t", given, given + 3);
    engine.readTensor("t", values, values + 3);
    QVERIFY(values[0] == 4 && values[1] == 5 && values[2] == 3);
    QVERIFY_THROWS_EXCEPTION(tensor_io_state_error, engine.writeTensor("t", given, given + 1));
    QVERIFY_THROWS_EXCEPTION(tensor_io_state_error, engine.readTensor("t", values, values + 1));
  }

  void devicesAreFoundAttachedAndFreed() {
    auto manager = DeviceManager::createDeviceManager();
    QCOMPARE(manager.getDevices(TargetType::IPU, 1).size(), std::size_t(16));
    QVERIFY(manager.getDevices(TargetType::IPU, 3).empty());
    Device pair = manager.getDevices(TargetType::IPU, 2).at(0);
    QVERIFY(pair.attach());
    QCOMPARE(pair.getTarget().getNumIPUs(), 2u);
    QVERIFY(!manager.getDevice(0).attach()); // its IPU is taken
    pair.detach();
    QVERIFY(manager.getDevice(0).attach());
    manager.getDevice(0).detach();
    QVERIFY(says(thrownBy<poplar_error>([&] { manager.getDevice(1000); }), "1000"));
    QVERIFY(says(thrownBy<poplar_error>([&] { Device().attach(); }), "declared without a value"));
  }

  void profilesThatProgramsMadeHaveNoText() {
    std::ostringstream out;
    QVERIFY(says(thrownBy<poplar_error>([&] { printGraphSummary(out, ProfileValue::Map()); }), "printGraphSummary"));
    QVERIFY(says(thrownBy<poplar_error>([&] { printProfileSummary(out, 1, 2); }), "printProfileSummary"));
    QVERIFY(says(thrownBy<poplar_error>([&] { printExecutionSummary(out, 1, "x"); }), "printExecutionSummary"));
  }

  void callbacksGiveTheData() {
    const Device device = smallDevice();
    Graph graph(device);
    const Tensor t = graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR, "t");
    const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 2), back = graph.addDeviceToHostFIFO("back", FLOAT, 2);
    Engine engine(graph, Repeat(3, Sequence{Copy(in, t), Copy(t, back)}));
    float next = 0;
    std::vector<float> got;
    engine.connectStreamToCallback("in",
                                   [&](void* data) { static_cast<float*>(data)[0] = static_cast<float*>(data)[1] = next++; });
    engine.connectStreamToCallback("back", [&](void* data) { got.push_back(*static_cast<float*>(data)); });
    engine.load(device);
    engine.run();
    QCOMPARE(got, (std::vector<float>{0, 1, 2}));
  }

  void optionsAreCheckedOrNamedOnce() {
    Graph graph(smallDevice());
    QVERIFY(says(thrownBy<invalid_option>([&] { Engine(graph, Sequence(), {{"debug.instrument", "maybe"}}); }), "maybe"));
    Engine engine(graph, Sequence(), {{"some.thing", "1"}}); // a note on standard error
    QVERIFY(says(thrownBy<profiling_disabled>([&] { engine.getGraphProfile(); }), "reports"));
  }
};

TILESCOPE_TEST(PoplarProgramsTest)
#include "programs_test.moc"
