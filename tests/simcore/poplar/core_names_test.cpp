// The smaller names of Poplar's core: constants from memory, estimates, limits, exceptions, options, as programs use them.
#include "poplar/Engine.hpp"
#include "poplar/IPUModel.hpp"
#include "poplar/IeeeHalf.hpp"
#include "poplar/MetadataCreation.hpp"
#include "poplar/PrintTensor.hpp"
#include "poplar/RuntimeOptions.hpp"
#include "poplar/TypeConversion.hpp"
#include "poplar/VectorLayout.hpp"
#include "poplar/exceptions.hpp"
#include "popops/ElementWise.hpp"
#include "tests/simcore/poplar/library_bench.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <memory_resource>
#include <unordered_map>

namespace {
using namespace poplar;
using tests::LibraryBench;
} // namespace

class CoreNamesTest : public QObject {
  Q_OBJECT

private slots:
  void broadcastByZeroIsEmpty() {
    LibraryBench bench;
    QCOMPARE(bench.input({2, 3}, std::vector<float>(6, 1)).broadcast(0, 1).numElements(), std::size_t(0));
  }

  // A callback stops an endless loop; the engine can run again.
  void stopEndsAnEndlessLoop() {
    LibraryBench bench;
    const Tensor x = bench.input({1}, {0}), always = bench.input(BOOL, {}, {1});
    const DataStream stream = bench.graph.addHostToDeviceFIFO("numbers", FLOAT, 1);
    Engine engine(bench.graph, program::RepeatWhileTrue(program::Sequence(), always, program::Copy(stream, x)));
    int calls = 0;
    engine.connectStreamToCallback("numbers", [&](void*) {
      if (++calls % 5 == 0) engine.stop();
    });
    engine.load(bench.device());
    engine.run();
    QCOMPARE(calls, 5);
    engine.stop(); // nothing runs
    engine.run();
    QCOMPARE(calls, 10);
  }

  void optionsThatAreNotSetHaveTheirError() {
    const OptionFlags options{{"target.syncMethod", "hybrid"}};
    QVERIFY(options.at("target.syncMethod") == StringRef("hybrid"));
    QVERIFY_EXCEPTION_THROWN(options.at("target.other"), invalid_option);
  }

  void constantsFromMemory() {
    LibraryBench bench;
    const float floats[] = {1.5F, -2};
    const std::int16_t shorts[] = {-7, 300};
    const IeeeHalf halves[] = {IeeeHalf(0.5F), IeeeHalf(65504.0F)};
    const std::uint64_t one = 9;
    Graph& graph = bench.graph;
    const std::vector<std::pair<const char*, Tensor>> made{
        {"floats", graph.addConstant(FLOAT, {2}, floats, TypeTraits::make<float>(), false)},
        {"shorts", graph.addConstant(INT, {2}, shorts, TypeTraits::make<std::int16_t>(), false)},
        {"halves", graph.addConstant(HALF, {2}, halves, TypeTraits::make<IeeeHalf>(), false)},
        {"all", graph.addConstant(UNSIGNED_INT, {2}, &one, TypeTraits::make<std::uint64_t>(), true)}};
    for (const auto& [name, t] : made) {
      graph.setTileMapping(t, 0);
      const Tensor copy = graph.clone(t);
      bench.prog.add(program::Copy(t, copy));
      bench.keep(name, copy);
    }
    bench.run();
    QCOMPARE(bench.values("floats"), (std::vector<float>{1.5F, -2}));
    QCOMPARE(bench.values("shorts"), (std::vector<float>{-7, 300}));
    QCOMPARE(bench.values("halves"), (std::vector<float>{0.5F, 65504}));
    QCOMPARE(bench.values("all"), (std::vector<float>{9, 9}));
    QVERIFY_THROWS_EXCEPTION(tensor_creation_error, graph.addConstant(INT, {1}, &one, TypeTraits(), false));
    QVERIFY(TypeTraits::isSimpleType<float>() && !TypeTraits::isSimpleType<std::string>());
    struct TwoBytes {
      std::uint16_t bits = 0x3c00;
    } noHalf;
    QVERIFY_THROWS_EXCEPTION(tensor_creation_error, graph.addConstant(HALF, {1}, &noHalf, TypeTraits::make<TwoBytes>(), false));
  }

  void constantsAreKnownByTheirViews() {
    LibraryBench bench;
    Graph& graph = bench.graph;
    const Tensor c = graph.addConstant<int>(INT, {2, 2}, {1, 2, 3, 4}), all = graph.addConstant(FLOAT, {8}, 2.5F);
    const Tensor v = graph.addVariable(INT, {2}, "v");
    int whole = 0;
    float real = 0;
    QVERIFY(c.containsConstant() && c.transpose()[1].containsConstant() && !c.isParallelWriteable());
    QVERIFY(c.transpose()[0][1].getConstantValue(&whole));
    QCOMPARE(whole, 3);
    QVERIFY(all.slice(3, 4).reshape({}).getConstantValue(&real));
    QCOMPARE(real, 2.5F);
    QVERIFY(!c.getConstantValue(&whole) && !v[0].getConstantValue(&whole));
    const Tensor both = concat(v, c[1]);
    QVERIFY(both.containsConstant() && both[3].getConstantValue(&whole) && !both.slice(0, 2).containsConstant());
    QCOMPARE(whole, 4);
    QVERIFY(!graph.clone(c).containsConstant() && !v.containsConstant());
    const Tensor replica = graph.addReplicationIndexConstant();
    QVERIFY(replica.containsConstant() && !replica.getConstantValue(&whole));
  }

  void typesAreKeysAndVariables() {
    Type& type = FLOAT; // programs bind references to them
    QVERIFY(type == FLOAT && !type.requiresMetadata() && QUARTER.requiresMetadata());
    std::unordered_map<Type, int> bytes{{HALF, 2}, {FLOAT, 4}};
    QCOMPARE(bytes.at(HALF), 2);
    QCOMPARE(IeeeHalf::fromBits(0x3c00) + 0, 1.0F);
    QCOMPARE(int(IeeeHalf(-2.0F).bit16()), 0xc000);
  }

  void quarterMetadataIsRefusedByName() {
    QCOMPARE(int(QuarterMetadata(QuarterMetadata::Format::F143, -1).getBinary()), 0xbf);
    LibraryBench bench;
    try {
      createConstantMetadataTensor(bench.graph, QuarterMetadata::Format::F152, 0);
      QFAIL("metadata was made");
    } catch (const poplar_error& e) {
      QVERIFY(QString(e.what()).contains("createConstantMetadataTensor"));
    }
  }

  // Programs pass the metadata of any tensor on, which only QUARTER tensors have on the machine.
  void tensorsWithoutMetadataPassItOn() {
    LibraryBench bench;
    const Tensor t = bench.graph.addVariable(FLOAT, {}, {2, 3}, "t");
    const Tensor u = bench.graph.addVariable(HALF, t.getMetadata(), {4}, VariableMappingMethod::LINEAR);
    QVERIFY(t.shape() == std::vector<std::size_t>({2, 3}) && u.elementType() == HALF && !t.hasMetadata());
    QCOMPARE(bench.graph.clone(INT, t.getMetadata(), t).numElements(), std::size_t(6));
    QVERIFY_THROWS_EXCEPTION(poplar_error, bench.graph.addVariable(FLOAT, t, {2}));
    std::unordered_map<VariableRef, int> seen;
    for (const VariableInterval& region : t.getVarRegions()) ++seen[region.var];
    QCOMPARE(seen.size(), std::size_t(1));
    IPUModel model;
    model.globalExchangeConstraints.push_back(GlobalExchangeConstraint(1e9, {GlobalExchangeFlow(0, 1)}));
    QCOMPARE(model.createDevice().getTarget().getNumIPUs(), 1U);
  }

  void arraysOfAnyAllocatorAreReferredTo() {
    const std::pmr::vector<std::size_t> shape{2, 3};
    LibraryBench bench;
    QCOMPARE(bench.graph.addVariable(FLOAT, shape).numElements(), std::size_t(6));
  }

  // As on the machine, which does not check reads.
  void aCodeletMayReadBehindAField() {
    SKIP_WITHOUT_CLANG();
    const tests::TemporaryFolder folder;
    const std::string file = (folder / "v.cpp").string();
    std::ofstream(file) << "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                           "class Ahead : public Vertex {\npublic:\n  Input<Vector<float, VectorLayout::ONE_PTR>> in;\n"
                           "  Output<float> out;\n  unsigned n;\n  bool compute() {\n    float sum = 0;\n"
                           "    for (unsigned i = 0; i < n; ++i) sum += in[i];\n    *out = sum;\n    return true;\n  }\n};\n";
    LibraryBench bench;
    Graph& graph = bench.graph;
    graph.addCodelets(file);
    const ComputeSet set = graph.addComputeSet("set");
    const Tensor in = bench.input({4}, {1, 2, 3, 4}), out = graph.addVariable(FLOAT, {}, "out");
    graph.setTileMapping(in, 1);
    graph.setTileMapping(out, 1);
    const VertexRef v = graph.addVertex(set, "Ahead", {{"in", in}, {"out", out}});
    graph.setTileMapping(v, 1);
    graph.setInitialValue(v["n"], 2000);
    bench.prog.add(program::Execute(set));
    bench.keep("out", out);
    bench.run();
    QCOMPARE(bench.values("out"), (std::vector<float>{10}));
    Engine strict(graph, bench.prog, {{"tilescope.readsBeside", "false"}});
    strict.load(bench.device());
    try {
      strict.run();
      QFAIL("the program was not stopped");
    } catch (const application_runtime_error& e) {
      QVERIFY2(QString(e.what()).contains("reads element 4 of field 'in', which has 4"), e.what());
    }
  }

  void estimatesOfVertices() {
    SKIP_WITHOUT_CLANG();
    const tests::TemporaryFolder folder;
    const std::string file = (folder / "v.cpp").string();
    std::ofstream(file) << "#include <poplar/Vertex.hpp>\n"
                           "class One : public poplar::Vertex {\npublic:\n  poplar::Output<float> out;\n"
                           "  unsigned short n;\n  bool compute() { *out = n; return true; }\n};\n";
    LibraryBench bench;
    Graph& graph = bench.graph;
    graph.addCodelets(file);
    const ComputeSet set = graph.addComputeSet("set");
    const VertexRef v = graph.addVertex(set, "One");
    QCOMPARE(graph.getNumVertices(), std::size_t(1));
    QVERIFY_THROWS_EXCEPTION(missing_perf_estimate, graph.getPerfEstimate(v));
    graph.setPerfEstimate(v, VertexPerfEstimate(12, 34));
    QCOMPARE(graph.getPerfEstimate(v).cycles, std::uint64_t(12));
    QCOMPARE(graph.getPerfEstimate(v).flops, std::uint64_t(34));
    QCOMPARE(graph.getMaxVertexFieldValue("One", "n"), std::size_t(65535));
    QVERIFY(graph.getMaxFieldDim("One", "out", 0) > 65535);
    QVERIFY_THROWS_EXCEPTION(unknown_field, graph.getMaxVertexFieldValue("One", "m"));
    QVERIFY_THROWS_EXCEPTION(unknown_vertex_type, graph.getMaxFieldDim("Two", "out", 0));
    const Tensor t = graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR);
    std::vector<std::size_t> aliases;
    QCOMPARE(graph.getSortedContiguousRegions(t, {{0, 4}}, true, &aliases).size(), std::size_t(1));
    QVERIFY_THROWS_EXCEPTION(poplar_error, graph.getSortedContiguousRegions(t.broadcast(2, 0), {{0, 8}}, true, &aliases));
    graph.registerPerfEstimator("One", [](const VertexIntrospector&, const Target&) { return VertexPerfEstimate(1); });
  }

  void handlesAndFunctionBuffers() {
    LibraryBench bench;
    const Tensor t = bench.input({2}, {1, 2});
    bench.graph.createHostRead("t", t);
    bench.graph.createHostWrite("t", t);
    QVERIFY_THROWS_EXCEPTION(poplar_error, bench.graph.createHostRead("t", t));
    QVERIFY_THROWS_EXCEPTION(poplar_error, bench.graph.createHostWrite("t", t));
    const Function function = bench.graph.addFunction(program::Copy(t[0], t[1]));
    const FunctionBuffer buffer = bench.graph.addFunctionBuffer(function, FunctionBufferMappingType::REMOTE);
    QVERIFY(buffer.function() == function);
    bench.prog.add(program::Copy(buffer, function));
    bench.prog.add(program::Call(function));
    bench.keep("after", t);
    bench.run();
    QCOMPARE(bench.values("after"), (std::vector<float>{1, 1}));
    QVERIFY_THROWS_EXCEPTION(poplar_error, program::Copy(buffer, bench.graph.addFunction(program::Sequence())));
    QVERIFY_THROWS_EXCEPTION(poplar_error, bench.graph.addFunctionBuffer(Function(), FunctionBufferMappingType::REMOTE));
    QCOMPARE(layout::to_string(layout::Vector::ShortSpan), std::string("Vector::ShortSpan"));
    QCOMPARE(layout::to_string(layout::VectorList::CompactDeltaN), std::string("VectorList::CompactDeltaN"));
  }

  void numbersAsBytesOfElements() {
    const std::vector<double> values{0, 1.5, -3, 200};
    const auto thereAndBack = [&](const Type& type, const QuarterMetadata& metadata) {
      std::vector<std::uint64_t> bytes(values.size());
      std::vector<double> back(values.size());
      convertToDeviceType(type, metadata, ArrayRef<double>(values), bytes.data());
      convertFromDeviceType(type, metadata, bytes.data(), ArrayRef<double>(back));
      return back;
    };
    QCOMPARE(thereAndBack(FLOAT, {}), values);
    QCOMPARE(thereAndBack(HALF, {}), values);
    QCOMPARE(thereAndBack(SHORT, {}), (std::vector<double>{0, 1, -3, 200}));
    QCOMPARE(thereAndBack(BOOL, {}), (std::vector<double>{0, 1, 1, 1}));
    QCOMPARE(thereAndBack(QUARTER, QuarterMetadata(QuarterMetadata::Format::F143, 1)), (std::vector<double>{0, 1.5, -3, 192}));
    QCOMPARE(thereAndBack(QUARTER, QuarterMetadata(QuarterMetadata::Format::F152, 0)), (std::vector<double>{0, 1.5, -3, 192}));
    const std::vector<long long> large{(1LL << 53) + 1, std::numeric_limits<long long>::min()};
    std::vector<long long> same(2);
    convertToDeviceType(LONGLONG, ArrayRef<long long>(large), same.data());
    QCOMPARE(same, large);
    convertFromDeviceType(LONGLONG, large.data(), ArrayRef<long long>(same));
    QCOMPARE(same, large);
    QVERIFY_THROWS_EXCEPTION(type_error, convertToDeviceType(Type(), ArrayRef<long long>(large), same.data()));
  }

  void limitsOfAMachine() {
    const LibraryBench bench;
    const Target& target = bench.graph.getTarget();
    QCOMPARE(target.getTypeLimitsMaxAs<double>(HALF), 65504.0);
    QCOMPARE(target.getTypeLimitsLowestAs<double>(SHORT), -32768.0);
    QCOMPARE(target.getTypeLimitsMaxAs<double>(UNSIGNED_CHAR), 255.0);
    QCOMPARE(target.getTypeLimitsMaxAs<long long>(LONGLONG), std::numeric_limits<long long>::max());
    QCOMPARE(target.getTypeLimitsLowestAs<long long>(LONGLONG), std::numeric_limits<long long>::min());
    QCOMPARE(target.getTypeLimitsMaxAs<unsigned long long>(UNSIGNED_LONGLONG), std::numeric_limits<unsigned long long>::max());
    QCOMPARE(target.getTypeLimitsLowestAs<int>(SHORT), -32768);
    QCOMPARE(target.getTypeLimitsMaxAs<int>(HALF), 65504);
    QCOMPARE(target.getMemoryBytes(), std::size_t(target.getNumTiles()) * target.getBytesPerTile());
    QCOMPARE(target.getHalfVectorWidth(), 2 * target.getFloatVectorWidth());
    QCOMPARE(target.getConvUnitMaxPipelineDepth(HALF), target.getFp16ConvUnitMaxPipelineDepth());
    QVERIFY(target.getMemoryElementOffsets().back() < target.getBytesPerTile());
    QCOMPARE(target.hash(), Target(target).hash());
  }

  void oneExecutableHasManyEngines() {
    LibraryBench bench;
    const Tensor x = bench.input({1}, {1}), one = bench.graph.addConstant(FLOAT, {1}, 1.0F);
    bench.graph.setTileMapping(one, 0);
    bench.graph.createHostRead("x", x);
    program::Sequence prog;
    popops::addInPlace(bench.graph, x, one, prog);
    const Executable executable = compileGraph(bench.graph, prog, {{"debug.instrument", "true"}});
    const Device device = bench.device();
    const auto valueAfter = [&](Engine& engine, int runs) {
      engine.load(device);
      for (int i = 0; i < runs; ++i) engine.run(0, "again", RuntimeOptions());
      float value = 0;
      engine.readTensor("x", &value, &value + 1);
      return value;
    };
    {
      Engine first(executable), second(executable); // at the same time
      QCOMPARE(valueAfter(first, 1), 2.0F);
      QCOMPARE(valueAfter(second, 3), 4.0F);
      QCOMPARE(valueAfter(first, 2), 3.0F);
      QCOMPARE(first.getEngineOptions().at("debug.instrument").cloneAsString(), std::string("true"));
    }
    Engine third(executable); // after them
    QCOMPARE(valueAfter(third, 1), 2.0F);
    std::ostringstream out;
    executable.serialize(out);
    QVERIFY(!out.str().empty());
  }

  void rearrangersPutElementsInTheirOrderInMemory() {
    LibraryBench bench;
    const Tensor t = bench.input({6}, {0, 1, 2, 3, 4, 5});
    const Tensor mixed = concat({t.slice(4, 6), t.slice(0, 2), t.slice(2, 4)}).reshape({3, 2});
    const TensorRearranger rearranger = bench.graph.getSimplifyingRearranger(mixed);
    QVERIFY(rearranger.valid() && !TensorRearranger().valid());
    QVERIFY(rearranger.rearrange(mixed) == t);
    QVERIFY(rearranger.undoRearrangement(t).reshape({3, 2}) == mixed);
    QCOMPARE(rearranger.rearrange(ArrayRef<Interval>({Interval(1, 3)})), (std::vector<Interval>{{0, 1}, {5, 6}}));
    QCOMPARE(rearranger.undoRearrangement(ArrayRef<Interval>({Interval(0, 4)})), (std::vector<Interval>{{2, 6}}));
    QVERIFY_THROWS_EXCEPTION(poplar_error, rearranger.rearrange(t.slice(0, 5)));
    Tensor first = mixed, other = mixed;
    bench.graph.reorderToSimplify(&first, {&other});
    QVERIFY(first == t && other == t);
    QVERIFY(bench.graph.getVariable(t.getVarRegions()[0].var) == t);
    QVERIFY_THROWS_EXCEPTION(poplar_error, bench.graph.getVariable(VariableRef(999)));
  }

  void printedInAFormat() {
    LibraryBench bench;
    const Tensor t = bench.input({4}, {0.5F, 1.5F, 2.5F, -3.5F});
    bench.prog.add(program::PrintTensor("whole", t));
    bench.prog.add(
        program::PrintTensor("short", t, PrintTensorFmt(2, 1, 0, 2, PrintTensorFmt::FloatFormat::Fixed, ',', '(', ')')));
    const Tensor no = bench.graph.addConstant(BOOL, {}, false);
    bench.graph.setTileMapping(no, 0);
    bench.prog.add(program::AbortOnCondition(no, "never"));
    bench.prog.add(program::AbortOnCondition(no, DebugContext("nor this")));
    std::stringstream file, out;
    compileGraph(bench.graph, bench.prog).serialize(file);
    Engine engine(Executable::deserialize(file)); // the format is in the file
    engine.setPrintTensorStream(out);
    engine.load(bench.device());
    engine.run();
    QCOMPARE(out.str(), std::string("whole: [0.5000000 1.5000000 2.5000000 -3.5000000]\nshort: ( 0.5,...,-3.5)\n"));
  }

  void emptyExecutables() {
    Executable executable;
    std::ostringstream out;
    QVERIFY_THROWS_EXCEPTION(poplar_error, executable.serialize(out));
    QVERIFY_THROWS_EXCEPTION(poplar_error, executable.getGraphProfile());
    const LibraryBench bench;
    executable = compileGraph(bench.graph, {program::Sequence()});
    executable.serialize(out);
    QVERIFY(!out.str().empty());
  }

  void optionsAndFiles() {
    ::setenv("TILESCOPE_TEST_OPTIONS", "{\"a\": \"1\", \"b\": \"2\"}", 1);
    OptionFlags options;
    readJSONFromEnv("TILESCOPE_TEST_OPTIONS", options);
    readJSONFromEnv("TILESCOPE_TEST_NOTHING", options);
    QCOMPARE(options.size(), std::size_t(2));
    QVERIFY(options.find("b") != options.end() && options.find("c") == options.end());
    QCOMPARE(getExtensionFromFileType(CodeletFileType::CppSource), std::string(".cpp"));
    QVERIFY(isHostToDevice(DataStreamType::HostToDeviceFIFO) && !isDeviceToHost(DataStreamType::HostToDeviceFIFO));
    QCOMPARE(ProfileValue(ProfileValue::Vector{1U, 2U}).sumUint(), std::uint64_t(3));
    QCOMPARE(recoverable_runtime_error(RecoveryAction::LINK_RESET, "x").getRecoveryAction(), RecoveryAction::LINK_RESET);
    QCOMPARE(PrintTensorFmt::disableFormatting().summariseThreshold, 0U);
  }
};

TILESCOPE_TEST(CoreNamesTest)
#include "core_names_test.moc"
