// Decision trees: nodes with gaps in their numbers, missing values, votes of two classes.
#include "tests/simcore/model/expanded_models.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace tests::expanded;

namespace {

template<class Values> void setList(onnx::NodeProto* node, const std::string& name, const Values& values) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  for (const auto& value : values)
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, float>) {
      attribute->set_type(onnx::AttributeProto::FLOATS);
      attribute->add_floats(value);
    } else if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) {
      attribute->set_type(onnx::AttributeProto::INTS);
      attribute->add_ints(value);
    } else {
      attribute->set_type(onnx::AttributeProto::STRINGS);
      attribute->add_strings(value);
    }
}
using Words = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;
using Floats = std::vector<float>;

// Tree 4: x0 <= 0.5 ? a : (x1 <= 2 ? b : c), and a missing x0 takes the branch a. Tree 7: the leaf d alone.
onnx::ModelProto modelOf(const std::string& type, const std::vector<std::string>& outputs,
                         const std::string& mode = "BRANCH_LEQ") {
  onnx::ModelProto model = contribModel({3, 2}, outputs);
  auto* import = model.add_opset_import();
  import->set_domain("ai.onnx.ml");
  import->set_version(1);
  auto* node = tests::addNode(model.mutable_graph(), type, {"x"}, outputs);
  node->set_domain("ai.onnx.ml");
  setList(node, "nodes_treeids", Integers{4, 4, 4, 4, 4, 7});
  setList(node, "nodes_nodeids", Integers{0, 5, 6, 8, 9, 0});
  setList(node, "nodes_featureids", Integers{0, 0, 1, 0, 0, 0});
  setList(node, "nodes_values", Floats{0.5f, 0, 2, 0, 0, 0});
  setList(node, "nodes_modes", Words{mode, "LEAF", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF"});
  setList(node, "nodes_truenodeids", Integers{5, 0, 8, 0, 0, 0});
  setList(node, "nodes_falsenodeids", Integers{6, 0, 9, 0, 0, 0});
  setList(node, "nodes_missing_value_tracks_true", Integers{1, 0, 0, 0, 0, 0});
  const std::string kind = type.ends_with("Classifier") ? "class" : "target";
  setList(node, kind + "_treeids", Integers{4, 4, 4, 7});
  setList(node, kind + "_nodeids", Integers{5, 8, 9, 0});
  return model;
}
onnx::NodeProto* nodeOf(onnx::ModelProto& model) { return model.mutable_graph()->mutable_node(0); }

// To a, to b and to c.
const HostTensor kSamples = HostTensor::of<float>({3, 2}, {NAN, 9, 1, 2, 1, 3});

} // namespace

class TreeEnsemblesTest : public QObject {
  Q_OBJECT
private slots:
  void valuesOfTreesAreAdded() {
    auto model = modelOf("TreeEnsembleRegressor", {"y"});
    setList(nodeOf(model), "target_ids", Integers{0, 0, 0, 0});
    setList(nodeOf(model), "target_weights", Floats{1, 2, 4, 16});
    setList(nodeOf(model), "base_values", Floats{100});
    const HostTensor y = runExpanded(model, kSamples).at(0);
    QCOMPARE(y.shape(), (Shape{3, 1}));
    QCOMPARE(y.toDoubles(), (std::vector<double>{117, 118, 120}));
  }
  // Only one class has weights: below a half the other class wins.
  void theLargerVoteIsTheLabel() {
    auto model = modelOf("TreeEnsembleClassifier", {"label", "scores"});
    setList(nodeOf(model), "class_ids", Integers{0, 0, 0, 0});
    setList(nodeOf(model), "class_weights", Floats{0.125f, 0.25f, 0.5f, 0.125f});
    setList(nodeOf(model), "classlabels_int64s", Integers{30, 70});
    const auto y = runExpanded(model, kSamples);
    QCOMPARE(y.at(0).toDoubles(), (std::vector<double>{30, 30, 70}));
    QCOMPARE(y.at(1).toDoubles(), (std::vector<double>{0.75, 0.25, 0.625, 0.375, 0.375, 0.625}));
  }
  void whatIsWrongIsNamed() {
    const auto refused = [](auto change) {
      auto model = modelOf("TreeEnsembleRegressor", {"y"});
      setList(nodeOf(model), "target_weights", Floats{1, 2, 4, 16});
      change(model);
      return whyNotExpanded(model, kSamples);
    };
    const Integers ids{0, 0, 0, 0};
    QVERIFY(tests::has(refused([&](auto& m) {
                         setList(nodeOf(m), "target_ids", Integers{0, 0, 0, 3});
                       }),
                       "result 3 does not exist"));
    QVERIFY(tests::has(refused([&](auto& m) {
                         setList(nodeOf(m), "target_ids", ids);
                         for (auto& a : *nodeOf(m)->mutable_attribute())
                           if (a.name() == "nodes_truenodeids") a.set_ints(2, 0); // back to the root
                       }),
                       "a node has no parent or several"));
    QVERIFY(tests::has(refused([&](auto& m) {
                         m = modelOf("TreeEnsembleRegressor", {"y"}, "BRANCH_GT");
                         setList(nodeOf(m), "target_weights", Floats{1, 2, 4, 16});
                         setList(nodeOf(m), "target_ids", ids);
                       }),
                       "modes BRANCH_GT and BRANCH_LEQ"));
  }
};

TILESCOPE_TEST(TreeEnsemblesTest)
#include "tree_ensembles_test.moc"
