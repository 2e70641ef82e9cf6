// Models written as ONNX: read again they are the same, except replaced constants, and have the fields that other tools need.
#include "simcore/onnx/onnx_file.h"

#include "reports/core/error.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/model/training/training.h"
#include "simcore/run/simulate.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace simcore;
namespace fs = std::filesystem;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;

namespace {

HostTensor ramp(const Shape& shape, float from) {
  std::vector<float> values(std::size_t(numerics::elementCount(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = from + 0.37f * float(i % 7) - 0.11f * float(i % 3);
  return HostTensor::of(shape, values);
}

// x [N, 4] -> two layers, the second weight made by a Constant node, and an attribute of every kind that is common.
model::Model network() {
  onnx::ModelProto proto = tests::emptyModel(13);
  auto* graph = proto.mutable_graph();
  tests::addValue(graph->add_input(), "x", {-1, 4});
  tests::addValue(graph->add_output(), "y", {-1, 3});
  const auto put = [](onnx::TensorProto* t, const std::string& name, const HostTensor& value) {
    t->set_name(name);
    t->set_data_type(onnx::TensorProto::FLOAT);
    for (const auto dim : value.shape()) t->add_dims(dim);
    t->set_raw_data(value.raw().data(), value.byteCount());
  };
  put(graph->add_initializer(), "w1", ramp({4, 5}, -0.5f));
  put(graph->add_initializer(), "b1", ramp({5}, 0.1f));
  auto* gemm = tests::addNode(graph, "Gemm", {"x", "w1", "b1"}, {"h"});
  auto* alpha = gemm->add_attribute();
  alpha->set_name("alpha");
  alpha->set_type(onnx::AttributeProto::FLOAT);
  alpha->set_f(0.5f);
  auto* leaky = tests::addNode(graph, "LeakyRelu", {"h"}, {"a"});
  auto* slope = leaky->add_attribute();
  slope->set_name("alpha");
  slope->set_type(onnx::AttributeProto::FLOAT);
  slope->set_f(0.2f);
  auto* constant = tests::addNode(graph, "Constant", {}, {"w2"})->add_attribute();
  constant->set_name("value");
  constant->set_type(onnx::AttributeProto::TENSOR);
  put(constant->mutable_t(), "", ramp({5, 3}, 0.2f));
  tests::addNode(graph, "MatMul", {"a", "w2"}, {"y"});
  return model::parseOnnx(proto.SerializeAsString(), "network.onnx", {});
}

model::Tensors outputsOf(const model::Model& model) { return model::evaluate(model, {{"x", ramp({2, 4}, -1)}}); }

} // namespace

class OnnxWriterTest : public QObject {
  Q_OBJECT
private slots:
  void writtenModelsAreReadAgain() {
    const model::Model original = network();
    const std::string bytes = model::onnxBytes(original, {});
    const model::Model again = model::parseOnnx(bytes, "again.onnx", {});
    QCOMPARE(again.graph.nodes.size(), original.graph.nodes.size());
    QCOMPARE(again.opset, 13);
    QCOMPARE(again.notes.at(0), (std::pair<std::string, std::string>{"producer", "tilescope"}));
    QVERIFY(again.graph.inputs.at(0).dims->at(0).symbol == "N");
    QVERIFY(outputsOf(again)[0].identicalTo(outputsOf(original)[0]));
    QVERIFY(model::onnxBytes(again, {}) == bytes); // nothing depends on the order of a hash table
  }

  void everyStoredModelSurvives() {
    if (!fs::exists(tests::modelsFolder())) QSKIP("the folder of models is not there (TILESCOPE_MODELS)");
    for (const auto& entry : fs::directory_iterator(tests::modelsFolder())) {
      const fs::path file = entry.path() / "model.onnx";
      if (!fs::exists(file) || fs::file_size(file) > 20'000'000) continue;
      const model::Model original = model::readOnnx(file);
      const model::Model again = model::parseOnnx(model::onnxBytes(original, {}), "again.onnx", {});
      QCOMPARE(again.graph.nodes.size(), original.graph.nodes.size());
      for (const auto& [name, value] : original.graph.initialisers) QVERIFY(again.graph.initialisers.at(name).identicalTo(value));
      for (std::size_t i = 0; i < again.graph.nodes.size(); ++i) {
        QCOMPARE(again.graph.nodes[i].inputs, original.graph.nodes[i].inputs);
        QCOMPARE(again.graph.nodes[i].attributes.all().size(), original.graph.nodes[i].attributes.all().size());
      }
    }
  }

  // An initialiser can be replaced, and so can a node's output; then the node is removed.
  void constantsAreReplaced() {
    const model::Model original = network();
    const HostTensor w1 = ramp({4, 5}, 3), w2 = ramp({5, 3}, -2);
    const model::Model changed = model::parseOnnx(model::onnxBytes(original, {{"w1", w1}, {"w2", w2}}), "changed.onnx", {});
    QVERIFY(changed.graph.initialisers.at("w1").identicalTo(w1));
    QVERIFY(changed.graph.initialisers.at("w2").identicalTo(w2));
    QCOMPARE(changed.graph.nodes.size(), original.graph.nodes.size() - 1);
    QVERIFY(!outputsOf(changed)[0].identicalTo(outputsOf(original)[0]));
  }

  void refusals() {
    const model::Model original = network();
    QVERIFY_EXCEPTION_THROWN(model::onnxBytes(original, {{"nothing", ramp({1}, 0)}}), reports::Error);
    QVERIFY_EXCEPTION_THROWN(model::onnxBytes(original, {{"w1", ramp({5, 4}, 0)}}), reports::Error);
    QVERIFY_EXCEPTION_THROWN(model::writeOnnx(original, {}, "/nowhere/at/all.onnx"), reports::Error);
    model::Model own = original;
    own.graph.nodes[0].domain = model::kOwnDomain;
    QVERIFY_EXCEPTION_THROWN(model::onnxBytes(own, {}), reports::Error);
  }

  // Train a little, write, read: the file contains the machine's weights.
  void trainedWeightsComeBack() {
    try {
      const model::Model original = network();
      model::Model typed = original;
      model::bindShapes(typed, {{"x", {2, 4}}});
      model::resolveTypes(typed);
      model::GraphBuilder builder(typed.graph);
      const std::string loss = builder.reduce("ReduceSumSquare", "y", {0, 1}, false);
      model::TrainingOptions options;
      options.optimiser.learningRate = 0.01;
      graph::Workload load = model::lowerTraining(model::makeTraining(typed, loss, options), arch::findMachine("gc200", 1));
      load.inputs["x"] = {ramp({2, 4}, -1)};
      QCOMPARE(load.variables.size(), std::size_t(3));
      tests::RowCollector rows;
      run::HostTimeline timeline("test");
      reports::NoProgress quiet;
      run::SimulateOptions often;
      often.iterations = 5;
      const auto result = run::simulate(load, often, rows, timeline, {}, quiet);
      QCOMPARE(result.variables.size(), std::size_t(3));
      QVERIFY(!result.variables.at("w2").identicalTo(ramp({5, 3}, 0.2f)));
      std::map<std::string, HostTensor> trained(result.variables.begin(), result.variables.end());
      const model::Model again = model::parseOnnx(model::onnxBytes(original, trained), "trained.onnx", {});
      const auto squares = [](const HostTensor& y) {
        double sum = 0;
        for (const double v : y.toDoubles()) sum += v * v;
        return sum;
      };
      const auto& history = result.history.begin()->second;
      QVERIFY(squares(outputsOf(again)[0]) < history.back() && history.back() < history.front());
    } catch (const reports::Error& e) {
      QFAIL(e.what());
    }
  }
};

TILESCOPE_TEST(OnnxWriterTest)
#include "onnx_writer_test.moc"
