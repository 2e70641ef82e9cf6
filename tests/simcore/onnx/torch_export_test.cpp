// The exporter of torch 2 stores equal parameters of several modules once; each module gets its own again, and ties stay ties.
#include "simcore/onnx/onnx_notes.h"
#include "simcore/prepare/torch_export.h"
#include "tests/support/test_main.h"

#include <QTest>

using simcore::model::Model;
using simcore::model::Node;
using simcore::numerics::HostTensor;
using simcore::numerics::Shape;

class TorchExportTest : public QObject {
  Q_OBJECT

  static Model model(bool isOfDynamo = true) {
    Model model;
    model.notes = {{"producer", "pytorch 2.8.0"}};
    if (isOfDynamo) model.notes.emplace_back(simcore::model::kModulesOfNodes, "in their metadata");
    return model;
  }
  static void add(Model& model, const std::string& name, const std::string& opType, const std::vector<std::string>& inputs) {
    Node node;
    node.name = name;
    node.opType = opType;
    node.inputs = inputs;
    node.outputs = {"y" + std::to_string(model.graph.nodes.size())};
    model.graph.nodes.push_back(node);
  }
  static void set(Model& model, const std::string& name, const std::vector<float>& values) {
    model.graph.initialisers[name] = HostTensor::of(Shape{std::int64_t(values.size())}, values);
  }
  static const std::string& read(const Model& model, std::size_t node, std::size_t input) {
    return model.graph.nodes[node].inputs[input];
  }

private slots:
  void onesAndZerosOfNormsAreTheirOwn() {
    Model net = model();
    set(net, "blocks.0.ln_1.weight", {1, 1, 1}), set(net, "blocks.0.ln_1.bias", {0, 0, 0});
    for (const char* name : {"/blocks/blocks.0/ln_1/norm_1", "/blocks/blocks.0/ln_2/norm_2", "/blocks/blocks.1/ln_1/norm_3"})
      add(net, name, "LayerNormalization", {"x", "blocks.0.ln_1.weight", "blocks.0.ln_1.bias"});
    add(net, "/head/linear", "Gemm", {"x", "w", "blocks.0.ln_1.bias"});
    const auto separated = separateEqualParameters(net);
    QCOMPARE(separated.count, 5);
    QVERIFY(separated.byModules);
    QCOMPARE(read(net, 0, 1), std::string("blocks.0.ln_1.weight"));
    QCOMPARE(read(net, 1, 1), std::string("blocks.0.ln_2.weight"));
    QCOMPARE(read(net, 2, 2), std::string("blocks.1.ln_1.bias"));
    QCOMPARE(read(net, 3, 2), std::string("head.bias"));
    QVERIFY(net.graph.initialisers.at("head.bias").identicalTo(net.graph.initialisers.at("blocks.0.ln_1.bias")));
    QCOMPARE(exportRemark(net, separated),
             std::string("5 parameters are stored with an equal one of another module, and trained apart"));
  }

  // A batch norm's mean of zeros is not its shift.
  void statisticsAreNotParameters() {
    Model net = model();
    set(net, "bn.weight", {1, 1}), set(net, "bn.bias", {0, 0});
    add(net, "/bn/norm", "BatchNormalization", {"x", "bn.weight", "bn.bias", "bn.bias", "bn.weight"});
    separateEqualParameters(net);
    QCOMPARE(net.graph.nodes[0].inputs,
             (std::vector<std::string>{"x", "bn.weight", "bn.bias", "bn.running_mean", "bn.running_var"}));
  }

  // Copies of a layer begin with equal numbers; an embedding and its head are one table.
  void copiesAreSeparatedAndTiesAreNot() {
    Model net = model();
    set(net, "layers.0.linear.bias", {0.5f, -1, 2}), set(net, "embed.weight", {0.5f, -1, 2, 3});
    add(net, "/layers/layers.0/linear/gemm", "Gemm", {"x", "w", "layers.0.linear.bias"});
    add(net, "/layers/layers.1/linear/gemm_1", "Gemm", {"x", "w", "layers.0.linear.bias"});
    add(net, "/embed/gather", "Gather", {"embed.weight", "x"});
    add(net, "/head/matmul", "MatMul", {"x", "embed.weight"});
    add(net, "/embed/inner/mul", "Mul", {"x", "embed.weight"});
    QCOMPARE(separateEqualParameters(net).count, 1);
    QCOMPARE(read(net, 1, 2), std::string("layers.1.linear.bias"));
    QCOMPARE(read(net, 3, 1), std::string("embed.weight"));
    QCOMPARE(read(net, 4, 1), std::string("embed.weight"));
  }

  void filesWithoutModulesInMetadataAreLeft() {
    Model net = model(false);
    set(net, "a.weight", {1, 1});
    add(net, "/b/norm", "LayerNormalization", {"x", "a.weight"});
    QCOMPARE(separateEqualParameters(net).count, 0);
    QCOMPARE(read(net, 0, 1), std::string("a.weight"));
    QCOMPARE(exportRemark(net, {}), std::string());
  }
};

TILESCOPE_TEST(TorchExportTest)
#include "torch_export_test.moc"
