// The parameters of an ONNX model that `run --train` trains, compared with the same arithmetic in plain loops.
#include "tests/app/cli/cli_runner.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/test_main.h"

#include "simcore/onnx/onnx_file.h"

#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

using tests::cli;
using tests::Ran;
using tests::verifyFails;
namespace fs = std::filesystem;

namespace {

void putFloats(onnx::GraphProto* graph, const std::string& name, const std::vector<int64_t>& dims,
               const std::vector<float>& values) {
  onnx::TensorProto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (const int64_t dim : dims) tensor->add_dims(dim);
  for (const float v : values) tensor->add_float_data(v);
}
void setInteger(onnx::NodeProto* node, const std::string& name, int64_t value) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}

onnx::ModelProto torchModel() {
  onnx::ModelProto model = tests::emptyModel(14);
  model.set_producer_name("pytorch");
  model.set_producer_version("1.13.0");
  return model;
}

} // namespace

class TrainParametersTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  fs::path folder() const { return m_folder.path().toStdString(); }
  std::string fileOf(const onnx::ModelProto& model) const {
    const std::string file = (folder() / "model.onnx").string();
    std::ofstream(file, std::ios::binary) << model.SerializeAsString();
    return file;
  }
  struct Trained {
    nlohmann::json json;
    std::string notes;
    simcore::model::Model saved;
    double value(const std::string& name, int64_t at = 0) const { return saved.graph.initialisers.at(name).at(at); }
  };
  // With the mean as the loss, so that gradients are known.
  Trained train(const onnx::ModelProto& model, std::vector<std::string> more = {}, int iterations = 1) const {
    const std::string saved = (folder() / "saved.onnx").string();
    std::vector<std::string> words{"run",
                                   fileOf(model),
                                   "-o",
                                   (folder() / "r.tsr").string(),
                                   "--train",
                                   "--force",
                                   "--learning-rate",
                                   "0.5",
                                   "--json",
                                   "--save-model",
                                   saved,
                                   "--iterations",
                                   std::to_string(iterations)};
    if (std::find(more.begin(), more.end(), "--loss") == more.end()) more.insert(more.end(), {"--loss", "output"});
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = cli(words);
    if (ran.code != 0) throw std::runtime_error(ran.err);
    return {nlohmann::json::parse(ran.out), ran.err, simcore::model::readOnnx(saved)};
  }

  // mean(x * scale + table), of which `scale` has no dimension and `mask` is infinite.
  static onnx::ModelProto scaled() {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {4});
    tests::addValue(graph->add_output(), "y", {});
    putFloats(graph, "scale", {}, {2});
    putFloats(graph, "table", {4}, {1, 2, 3, 4});
    putFloats(graph, "attn.bound", {4}, {std::numeric_limits<float>::infinity(), 9, 9, 9});
    putFloats(graph, "onnx::Mul_7", {}, {3});
    tests::addNode(graph, "Mul", {"x", "scale"}, {"a"});
    tests::addNode(graph, "Add", {"a", "table"}, {"b"});
    tests::addNode(graph, "Min", {"b", "attn.bound"}, {"c"});
    tests::addNode(graph, "Mul", {"c", "onnx::Mul_7"}, {"d"});
    setInteger(tests::addNode(graph, "ReduceMean", {"d"}, {"y"}), "keepdims", 0);
    return model;
  }

private slots:
  // The saved model is still one of torch, whose scalars are parameters.
  void aSavedModelIsTrainedFurther() {
    (void)train(scaled(), {"--input", "x=1,1,1,1"});
    onnx::ModelProto saved;
    std::ifstream file(folder() / "saved.onnx", std::ios::binary);
    QVERIFY(saved.ParseFromIstream(&file));
    QCOMPARE(saved.producer_name() + " " + saved.producer_version(), std::string("pytorch 1.13.0"));
    const Trained again = train(saved, {"--input", "x=1,1,1,1"});
    QCOMPARE(again.value("scale"), 2 - 2 * 0.5 * 3);
    QCOMPARE(again.value("onnx::Mul_7"), 3.0);
  }
  // Names that torch's newer exporter gives to constants of the program.
  void constantsOfTheProgramAreNotTrained() {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {4});
    tests::addValue(graph->add_output(), "y", {});
    std::string last = "x";
    const std::vector<std::string> constants{"val_3", "scalar_tensor_default_1", "_tensor_constant0", "c_lifted_tensor_0",
                                             "lifted_tensor_12"};
    for (const std::string& name : constants) {
      putFloats(graph, name, {4}, {1, 5, 2, 4});
      tests::addNode(graph, "Mul", {last, name}, {name + "_x"});
      last = name + "_x";
    }
    for (const char* name : {"val_scale", "lifted.weight"}) {
      putFloats(graph, name, {4}, {1, 1, 1, 1});
      tests::addNode(graph, "Add", {last, name}, {std::string(name) + "_x"});
      last = std::string(name) + "_x";
    }
    setInteger(tests::addNode(graph, "ReduceMean", {last}, {"y"}), "keepdims", 0);
    const Trained t = train(model, {"--input", "x=1,1,1,1"});
    for (const std::string& name : constants) QVERIFY2(t.value(name) == 1, name.c_str());
    for (const char* name : {"val_scale", "lifted.weight"}) QCOMPARE(t.value(name), 1 - 0.5 / 4);
  }
  // As torch's: the mean of squares is 0.01 of the first one.
  void theFirstStepOfRmsProp() {
    const Trained t = train(scaled(), {"--input", "x=1,1,1,1", "--optimiser", "rmsprop"});
    QVERIFY2(std::abs(t.value("scale") - (2 - 0.5 * 3 / (0.1 * 3))) < 1e-5, std::to_string(t.value("scale")).c_str());
  }
  // A mask of any size stays a number in fp16; a warning names a scale that leaves the range.
  void masksOfAnySizeAreClamped() {
    for (const float mask : {-7e4F, -1e6F, -9.9e8F, -3e38F}) {
      onnx::ModelProto model = torchModel();
      auto* graph = model.mutable_graph();
      tests::addValue(graph->add_input(), "x", {4});
      tests::addValue(graph->add_output(), "y", {4});
      putFloats(graph, "large", {}, {mask});
      putFloats(graph, "zero", {4}, {0, 0, 1, 0});
      tests::addNode(graph, "Mul", {"zero", "large"}, {"m"});
      tests::addNode(graph, "Add", {"x", "m"}, {"y"});
      const std::string out = (folder() / "out").string();
      const Ran ran = cli({"run", fileOf(model), "-o", (folder() / "r.tsr").string(), "--precision", "fp16", "--input",
                           "x=1,2,3,4", "--outputs", out, "--force"});
      QVERIFY2(ran.code == 0 && ran.err.find("large") != std::string::npos, ran.err.c_str());
      QVERIFY2((ran.out + ran.err).find("not finite") == std::string::npos, (ran.out + ran.err).c_str());
    }
  }
  void scalarsAreTrainedAndMasksAreNot() {
    const Trained t = train(scaled(), {"--input", "x=1,1,1,1"});
    QCOMPARE(t.value("scale"), 2 - 0.5 * 3); // d mean(3 (x scale + table)) / d scale = 3
    QCOMPARE(t.value("table", 1), 2 - 0.5 * 3.0 / 4);
    QCOMPARE(t.value("onnx::Mul_7"), 3.0);
    QCOMPARE(t.value("attn.bound", 1), 9.0);
    const std::string trained = t.json["trained"];
    QVERIFY2(trained.find("2 tensors, 5 values") == 0 && trained.find("attn.bound (not finite)") != std::string::npos &&
                 trained.find("onnx::Mul_7 (a number)") != std::string::npos,
             trained.c_str());
  }

  void namesChooseWhatIsTrained() {
    const Trained frozen = train(scaled(), {"--input", "x=1,1,1,1", "--freeze", "tab*"});
    QCOMPARE(frozen.value("table", 1), 2.0);
    QCOMPARE(frozen.value("scale"), 0.5);
    const Trained chosen = train(scaled(), {"--input", "x=1,1,1,1", "--parameters", "table", "--parameters", "onnx::*"});
    QCOMPARE(chosen.value("scale"), 2.0);
    QVERIFY(chosen.value("onnx::Mul_7") != 3.0);
    const Trained state = train(scaled(), {"--input", "x=1,1,1,1", "--buffers", "scale"});
    QVERIFY(std::string(state.json["trained"]).find("scale (a buffer)") != std::string::npos);
    const std::string file = fileOf(scaled());
    verifyFails(cli({"run", file, "--train", "--loss", "output", "--freeze", "embed.*"}),
                "no constant of the model has this name");
    verifyFails(cli({"run", file, "--train", "--loss", "output", "--freeze", "*"}),
                "not trained are attn.bound (frozen), onnx::Mul_7 (frozen), scale (frozen), table (frozen)");
    verifyFails(cli({"run", file, "--freeze", "table"}), "--train");
  }

  void aDryRunSaysWhatWouldBeTrained() {
    const std::string file = fileOf(scaled());
    const Ran text = cli({"run", file, "--train", "--loss", "output", "--dry-run"});
    QVERIFY2(text.out.find("trained  2 tensors, 5 values; not trained: attn.bound") != std::string::npos,
             (text.out + text.err).c_str());
    const auto json = nlohmann::json::parse(cli({"run", file, "--train", "--loss", "output", "--dry-run", "--json"}).out);
    QCOMPARE(json["not_trained"].get<std::string>(), std::string("attn.bound (not finite), onnx::Mul_7 (a number)"));
    const Trained t = train(scaled(), {"--input", "x=1,1,1,1"});
    QVERIFY(t.json["not_trained"] == json["not_trained"]);
  }

  // Grids, biases of distances, and means and deviations of the data are buffers in torch.
  void tablesOfPositionsAreNotTrained() {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {6, 6});
    tests::addValue(graph->add_output(), "y", {});
    std::vector<float> distances, identity;
    for (int i = 0; i < 36; ++i)
      distances.push_back(-0.5F * std::abs(float(i / 6) - float(i % 6))), identity.push_back(i % 7 == 0 ? 1 : 0);
    putFloats(graph, "average", {6}, {1, 5, 2, 3, 1, 1});
    putFloats(graph, "deviation", {6}, {2, 1, 4, 3, 1, 1});
    putFloats(graph, "grid", {6}, {-2, -1, 0, 1, 2, 3});
    std::vector<float> basis; // 1, t, t * t, cos, sin, 0
    for (int i = 0; i < 36; ++i) {
      const double t = double(i % 6) / 6, of[] = {1, t, t * t, std::cos(6 * t), std::sin(6 * t), 0};
      basis.push_back(float(of[i / 6]));
    }
    putFloats(graph, "basis", {6, 6}, basis);
    putFloats(graph, "distances", {6, 6}, distances);
    putFloats(graph, "weight", {6, 6}, identity); // a usual start of a weight
    putFloats(graph, "temperature", {6}, {1, 2, 3, 5, 1, 1});
    tests::addNode(graph, "Sub", {"x", "average"}, {"a"});
    tests::addNode(graph, "Div", {"a", "deviation"}, {"b"});
    tests::addNode(graph, "Add", {"b", "grid"}, {"c"});
    tests::addNode(graph, "Add", {"c", "distances"}, {"c2"});
    tests::addNode(graph, "Add", {"c2", "basis"}, {"d"});
    tests::addNode(graph, "MatMul", {"d", "weight"}, {"e"});
    tests::addNode(graph, "Div", {"e", "temperature"}, {"f"});
    setInteger(tests::addNode(graph, "ReduceMean", {"f"}, {"y"}), "keepdims", 0);
    const Trained t = train(model);
    const std::string trained = t.json["trained"];
    QCOMPARE(trained,
             std::string("2 tensors, 42 values; not trained: average (scales an input), basis (basis functions), deviation "
                         "(scales an input), distances (a table of distances), grid (evenly spaced)"));
    QVERIFY(train(model, {"--parameters", "grid"}).value("grid") != -2.0);
  }

  // torch's export for inference writes equal parameters once; a tied one has one name.
  void equalParametersAreTrainedApart() {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {1});
    tests::addValue(graph->add_output(), "y", {});
    putFloats(graph, "first.weight", {1}, {1});
    tests::addNode(graph, "Identity", {"first.weight"}, {"second.weight"});
    tests::addNode(graph, "Mul", {"x", "first.weight"}, {"a"});
    tests::addNode(graph, "Mul", {"a", "second.weight"}, {"b"});
    setInteger(tests::addNode(graph, "ReduceSum", {"b"}, {"y"}), "keepdims", 0);
    const Trained t = train(model, {"--input", "x=0.5"});
    QCOMPARE(t.value("first.weight"), 0.75); // as one weight it were 1 - 0.5 (0.5 + 0.5)
    QCOMPARE(t.value("second.weight"), 0.75);
    QVERIFY2(t.notes.find("1 parameter is stored with an equal one") != std::string::npos, t.notes.c_str());
    QVERIFY(t.saved.graph.nodes.size() == 3);
  }

  void foldedNormsAreSaid() {
    onnx::ModelProto model = scaled();
    auto* graph = model.mutable_graph();
    putFloats(graph, "onnx::Conv_8", {4}, {1, 2, 3, 5});
    tests::addNode(graph, "Mul", {"x", "onnx::Conv_8"}, {"z"});
    graph->mutable_node(0)->set_input(0, "z");
    graph->mutable_node()->SwapElements(0, graph->node_size() - 1);
    for (int i = graph->node_size() - 1; i > 1; --i) graph->mutable_node()->SwapElements(i, i - 1);
    QVERIFY(train(model).notes.find("batch norms are folded") != std::string::npos);
    QVERIFY(train(scaled()).notes.find("exported for inference") == std::string::npos);
  }

  // Tables of sines and cosines are buffers in torch, which a file does not say: of rotary embeddings two, of positions one.
  void tablesOfAnglesAreNotTrained() {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {2, 4});
    tests::addValue(graph->add_output(), "y", {});
    std::vector<float> sines, cosines, positions;
    for (int i = 0; i < 8; ++i) {
      const float angle = float(i) * 0.3f;
      sines.push_back(std::sin(angle)), cosines.push_back(std::cos(angle));
      positions.push_back(i % 2 ? std::cos(float(i / 2)) : std::sin(float(i / 2)));
    }
    putFloats(graph, "rope.sin", {2, 4}, sines);
    putFloats(graph, "rope.cos", {2, 4}, cosines);
    putFloats(graph, "pe", {2, 4}, positions);
    putFloats(graph, "norm.weight", {2, 4}, std::vector<float>(8, 1)); // 1 and 0: not angles
    putFloats(graph, "norm.bias", {2, 4}, std::vector<float>(8, 0));
    std::string last = "x";
    for (const auto& [op, name] :
         {std::pair("Mul", "rope.sin"), {"Add", "rope.cos"}, {"Add", "pe"}, {"Mul", "norm.weight"}, {"Add", "norm.bias"}}) {
      tests::addNode(graph, op, {last, name}, {std::string(name) + "_out"});
      last = std::string(name) + "_out";
    }
    setInteger(tests::addNode(graph, "ReduceMean", {last}, {"y"}), "keepdims", 0);
    const std::string trained = train(model, {"--input", "x=1,1,1,1,1,1,1,1"}).json["trained"];
    QVERIFY2(trained.find("2 tensors, 16 values") == 0, trained.c_str());
    for (const char* name : {"rope.sin", "rope.cos", "pe"})
      QVERIFY2(trained.find(std::string(name) + " (sines and cosines)") != std::string::npos, trained.c_str());
  }

private:
  // The mean of x with each of these constants added, in torch's names; tells what is trained.
  std::string trainedOf(const std::vector<std::pair<std::string, std::vector<float>>>& constants) const {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {6});
    tests::addValue(graph->add_output(), "y", {});
    std::string last = "x";
    for (const auto& [name, values] : constants) {
      putFloats(graph, name, {int64_t(values.size())}, values);
      tests::addNode(graph, "Add", {last, name}, {name + "_out"});
      last = name + "_out";
    }
    setInteger(tests::addNode(graph, "ReduceMean", {last}, {"y"}), "keepdims", 0);
    return train(model).json["trained"];
  }

private slots:
  void whatOnlyNamesAMaskIsTrained() {
    QCOMPARE(trainedOf({{"mask_token", {0, 0, 0, 0, 0, 0}},
                        {"masked_spec_embed", {0.1F, 0.9F, 0.3F, 0, 0.2F, 0.5F}},
                        {"unmasked_bias", {0, 0, 0, 0, 0, 0}},
                        {"mask_scale", {1, 1, 1, 1, 1, 1}},
                        {"attn.mask", {0, 0, 0, 0, 0, 0}},
                        {"causal_mask", {3, 0, 5, 0, 1, 2}},
                        {"mask_2d", {1, 0, 1, 0, 1, 1}},
                        {"masked_bias", {-10000}}}),
             std::string("4 tensors, 24 values; not trained: attn.mask (a mask), causal_mask (a mask), mask_2d (a mask), "
                         "masked_bias (a mask)"));
  }

  // torchvision's FrozenBatchNorm2d has buffers alone and is written as arithmetic.
  void normsWithFixedStatisticsAreNotTrained() {
    const std::vector<float> some{1, 5, 2, 4, 3, 9};
    QCOMPARE(
        trainedOf(
            {{"bn.weight", some}, {"bn.bias", some}, {"bn.running_mean", some}, {"bn.running_var", some}, {"fc.bias", some}}),
        std::string("1 tensor, 6 values; not trained: bn.bias (of a norm with fixed statistics), bn.running_mean (a statistic), "
                    "bn.running_var (a statistic), bn.weight (of a norm with fixed statistics)"));
  }

  void frequenciesAreNotTrained() {
    std::vector<float> frequencies, slopes, other;
    for (int i = 0; i < 6; ++i) {
      frequencies.push_back(float(std::pow(10000, -i / 6.0))), slopes.push_back(float(std::pow(2, -(i + 1) / 2.0)));
      other.push_back(3 * frequencies.back());
    }
    QCOMPARE(
        trainedOf({{"rotary.freqs", frequencies}, {"slopes", slopes}, {"inv_freq", {0.01F}}, {"decay", other}}),
        std::string("1 tensor, 6 values; not trained: inv_freq (frequencies), rotary.freqs (frequencies), slopes (frequencies)"));
  }

  // One token that is expanded over the batch gets the gradients of all samples, and stays one.
  void whatIsExpandedIsOneParameter() {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {4, 2});
    tests::addValue(graph->add_output(), "y", {});
    putFloats(graph, "cls", {1, 2}, {1, 2});
    tests::addIntegers(graph, "shape", {4, 2});
    tests::addNode(graph, "Expand", {"cls", "shape"}, {"tokens"});
    tests::addNode(graph, "Mul", {"tokens", "x"}, {"a"});
    setInteger(tests::addNode(graph, "ReduceSum", {"a"}, {"y"}), "keepdims", 0);
    const Trained t = train(model, {"--input", "x=1,0,2,0,3,0,4,1"});
    QCOMPARE(t.saved.graph.initialisers.at("cls").count(), int64_t(2));
    QCOMPARE(t.value("cls", 0), 1 - 0.5 * 10);
    QCOMPARE(t.value("cls", 1), 2 - 0.5 * 1);
  }

  // A table that is read twice, once transposed, is one weight.
  void tiedWeightsStayTied() {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {1, 2});
    tests::addValue(graph->add_output(), "y", {});
    putFloats(graph, "w", {2, 2}, {1, 2, 3, 4});
    tests::addNode(graph, "MatMul", {"x", "w"}, {"a"});
    tests::addNode(graph, "Transpose", {"w"}, {"wt"});
    tests::addNode(graph, "MatMul", {"a", "wt"}, {"b"});
    setInteger(tests::addNode(graph, "ReduceSum", {"b"}, {"y"}), "keepdims", 0);
    const Trained t = train(model, {"--input", "x=1,1"});
    // y = sum over i, j, k of x_i w_ij w_kj: d/dw_pq = x_p c_q + (x w)_q, c the sums of columns.
    const double columns[] = {4, 6}, start[] = {1, 2, 3, 4};
    for (int p = 0; p < 2; ++p)
      for (int q = 0; q < 2; ++q) QCOMPARE(t.value("w", 2 * p + q), start[2 * p + q] - 0.5 * 2 * columns[q]);
  }

  // mean + variance of the running kind, as torch updates them.
  void runningStatisticsAreSaved() {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {4, 1});
    tests::addValue(graph->add_output(), "y", {});
    for (const char* name : {"n.weight", "n.running_var"}) putFloats(graph, name, {1}, {1});
    for (const char* name : {"n.bias", "n.running_mean"}) putFloats(graph, name, {1}, {0});
    auto* norm = tests::addNode(graph, "BatchNormalization", {"x", "n.weight", "n.bias", "n.running_mean", "n.running_var"},
                                {"a", "m", "v"});
    setInteger(norm, "training_mode", 1);
    setInteger(tests::addNode(graph, "ReduceMean", {"a"}, {"y"}), "keepdims", 0);
    const Trained t = train(model, {"--input", "x=1,2,3,6"}, 2);
    const double mean = 3, variance = 14.0 / 3; // of a sample
    QVERIFY(std::abs(t.value("n.running_mean") - mean * (1 - 0.81)) < 1e-5);
    QVERIFY(std::abs(t.value("n.running_var") - (0.81 + variance * (1 - 0.81))) < 1e-5);
    QVERIFY(std::string(t.json["trained"]).find("2 tensors") == 0);
  }

  void classesAreAlongTheAxisOfTheLabels() {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {2, 3, 5});
    tests::addValue(graph->add_output(), "y", {2, 3, 5});
    putFloats(graph, "shift", {5}, {0, 0, 0, 0, 0});
    tests::addNode(graph, "Add", {"x", "shift"}, {"y"});
    std::string zeros = "x=0";
    for (int i = 1; i < 30; ++i) zeros += ",0";
    const auto loss = [&](std::vector<std::string> more) {
      more.insert(more.end(), {"--loss", "cross-entropy", "--input", zeros});
      return train(model, more);
    };
    const Trained guessed = loss({});
    QVERIFY2(guessed.notes.find("classes are along dimension 2 of the scores") != std::string::npos, guessed.notes.c_str());
    const Ran twice =
        cli({"query", (folder() / "r.tsr").string(),
             "SELECT name FROM operation WHERE name LIKE '%fwd/fwd%' OR name LIKE '%/fwd/loss'", "--format", "csv"});
    QVERIFY2(twice.out.find("/fwd/loss") != std::string::npos && twice.out.find("fwd/fwd") == std::string::npos,
             (twice.out + twice.err).c_str());
    QVERIFY(loss({"--class-axis", "2"}).notes.find("classes are") == std::string::npos);
    QVERIFY(loss({"--class-axis", "-1"}).notes.find("classes are") == std::string::npos);
    const std::string file = fileOf(model);
    verifyFails(cli({"run", file, "--train", "--class-axis", "3"}), "3 dimensions");
    const Trained numbers = train(model, {"--loss", "cross-entropy", "--input", zeros, "--input", "labels=0,1,2,3,4,0"});
    QCOMPARE(numbers.json["values"]["loss"][0].get<double>(), loss({}).json["values"]["loss"][0].get<double>()); // log 5
    verifyFails(cli({"run", file, "--train", "--input", "labels=0,1,-100,3,4,0"}), "--ignore-index -100 leaves such labels out");
    const auto ignored = train(model, {"--loss", "cross-entropy", "--input", "labels=0,1,-100,3,4,0", "--ignore-index", "-100"});
    QVERIFY(ignored.json["values"]["loss"][0].get<double>() > 0);
    QVERIFY(train(model, {"--loss", "l1"}).json["values"]["loss"][0].get<double>() ==
            train(model, {"--loss", "mae"}).json["values"]["loss"][0].get<double>());
  }

  void aLossThatIsNoNumberIsSaid() {
    onnx::ModelProto model = torchModel();
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {1});
    tests::addValue(graph->add_output(), "y", {});
    putFloats(graph, "w", {1}, {1});
    tests::addNode(graph, "Mul", {"x", "w"}, {"a"});
    tests::addNode(graph, "Log", {"a"}, {"b"});
    setInteger(tests::addNode(graph, "ReduceSum", {"b"}, {"y"}), "keepdims", 0);
    const Trained t = train(model, {"--input", "x=-1"}, 3);
    const std::string report = (folder() / "r.tsr").string(), finite = (folder() / "finite.tsr").string();
    const Ran text = cli(
        {"run", fileOf(model), "-o", report, "--force", "--train", "--loss", "output", "--iterations", "2", "--input", "x=-1"});
    QVERIFY2(text.out.find(": NaN at first, NaN after 2 values") != std::string::npos, text.out.c_str());
    const Ran one =
        cli({"run", fileOf(model), "-o", finite, "--train", "--loss", "output", "--iterations", "2", "--input", "x=1"});
    QVERIFY2(one.code == 0, one.err.c_str());
    QCOMPARE(cli({"compare", finite, report, "--fail-if", "values_not_finite>0"}).code, 1);
    QCOMPARE(cli({"compare", finite, finite, "--fail-if", "values_not_finite>0"}).code, 0);
    verifyFails(cli({"run", fileOf(model), "--train"}), "--loss output takes the output itself as the loss");
    QVERIFY2(t.notes.find("NaN or infinite in 2 of 3 values, first in value 1") != std::string::npos, t.notes.c_str());
  }
};

TILESCOPE_TEST(TrainParametersTest)
#include "train_parameters_test.moc"
