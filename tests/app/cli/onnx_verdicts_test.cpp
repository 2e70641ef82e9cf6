// Verdicts of `onnx-test` and `run` for models whose shapes depend on a value, that are too large for the machine, or random.
#include "simcore/onnx/tensor_files.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <fstream>

using tests::cli;
using tests::Ran;
namespace fs = std::filesystem;

namespace {

void writeTensor(const fs::path& file, const std::vector<std::int64_t>& dims, float value) {
  onnx::TensorProto tensor;
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    tensor.add_dims(dim);
    count *= dim;
  }
  for (std::int64_t i = 0; i < count; ++i) tensor.add_float_data(value);
  std::ofstream(file, std::ios::binary) << tensor.SerializeAsString();
}

// A branch of If with one node from x and `other` to its output.
void addChoice(onnx::NodeProto* node, const char* name, const std::string& type, const std::string& other) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::GRAPH);
  attribute->mutable_g()->set_name(name);
  attribute->mutable_g()->add_output()->set_name(std::string(name) + "_y");
  tests::addNode(attribute->mutable_g(), type, {"x", other}, {std::string(name) + "_y"});
}

} // namespace

class OnnxVerdictsTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;

  // A folder with the model, one input x of ones and one output of `expected`.
  fs::path caseOf(const char* name, const onnx::ModelProto& model, const std::vector<std::int64_t>& shape, float expected) {
    const fs::path folder = fs::path(m_folder.path().toStdString()) / name, set = folder / "test_data_set_0";
    fs::create_directories(set);
    std::ofstream(folder / "model.onnx", std::ios::binary) << model.SerializeAsString();
    writeTensor(set / "input_0.pb", shape, 1);
    writeTensor(set / "output_0.pb", shape, expected);
    return folder;
  }

private slots:
  void filesAreComparedWithAModel() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {4});
    tests::addValue(graph->add_output(), "y", {4});
    tests::addNode(graph, "Neg", {"x"}, {"y"});
    const auto path = [&](const char* name) { return m_folder.filePath(name).toStdString(); };
    std::ofstream(path("neg.onnx"), std::ios::binary) << model.SerializeAsString();
    simcore::model::writeNpy(path("x.npy"), simcore::numerics::HostTensor::of({4}, std::vector<float>{1, 2, 3, 4}));
    simcore::model::writeNpy(path("y.npy"), simcore::numerics::HostTensor::of({4}, std::vector<float>{-1, -2, -3, -4}));
    const auto ran = tests::cli({"onnx-test", path("neg.onnx"), "--input", path("x.npy"), "--expect", path("y.npy")});
    QVERIFY2(ran.code == 0 && ran.out.starts_with("pass neg.onnx (max error 0)"), (ran.out + ran.err).c_str());
    const auto wrong = tests::cli({"onnx-test", path("neg.onnx"), "--input", path("x.npy"), "--expect", path("x.npy")});
    QVERIFY2(wrong.code == 1 && wrong.out.starts_with("FAIL"), (wrong.out + wrong.err).c_str());
    for (const auto& words :
         {std::vector<std::string>{"onnx-test", path("neg.onnx"), "--input", path("x.npy")},
          std::vector<std::string>{"onnx-test", path("neg.onnx"), "--input", path("none.npy"), "--expect", path("y.npy")},
          std::vector<std::string>{"onnx-test", path("neg.onnx"), "--input", path("neg.onnx"), "--expect", path("y.npy")}})
      QCOMPARE(tests::cli(words).code, 2);
    QCOMPARE(tests::cli({"onnx-test", path("neg.onnx"), "--input", "x=" + path("x.npy"), "--expect", "y=" + path("y.npy")}).code,
             0);
    tests::verifyFails(tests::cli({"onnx-test", path("neg.onnx")}), "give them with --input x.npy --expect y.npy");
    const auto more = tests::cli(
        {"onnx-test", path("neg.onnx"), "--input", path("x.npy"), "--input", path("y.npy"), "--expect", path("y.npy")});
    tests::verifyFails(more, "--input " + path("y.npy"));
    tests::verifyFails(more, "the model has only x");
    tests::verifyFails(tests::cli({"onnx-test", path("neg.onnx"), "--input", "z=" + path("x.npy"), "--expect", path("y.npy")}),
                       "it has x");
  }
  // Offsets that are made up give empty parts, which a note says; values do not need one.
  void sizesThatAreMadeUpAreSaid() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {4});
    for (const char* name : {"limits", "tokens"}) {
      tests::addValue(graph->add_input(), name, {1});
      graph->mutable_input(graph->input_size() - 1)
          ->mutable_type()
          ->mutable_tensor_type()
          ->set_elem_type(onnx::TensorProto::INT64);
    }
    tests::addValue(graph->add_output(), "y", {});
    graph->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
    tests::addIntegers(graph, "start", {0}), tests::addIntegers(graph, "one", {1});
    tests::addNode(graph, "Add", {"limits", "one"}, {"end"});
    tests::addNode(graph, "Slice", {"x", "start", "end"}, {"part"});
    tests::addNode(graph, "Gather", {"part", "tokens"}, {"y"});
    const std::string file = m_folder.filePath("sliced.onnx").toStdString(),
                      report = m_folder.filePath("sliced.tsr").toStdString();
    std::ofstream(file, std::ios::binary) << model.SerializeAsString();
    const auto made = tests::cli({"run", file, "-o", report});
    QVERIFY2(made.err.find("made up as zeros, on which sizes or offsets depend: limits; give values as --input limits=0,3,4") !=
                 std::string::npos,
             made.err.c_str());
    const auto given = tests::cli({"run", file, "-o", report, "--force", "--input", "limits=2"});
    QVERIFY2(given.err.find("made up") == std::string::npos, given.err.c_str());
  }
  // Voice detectors choose their network by the sample rate like this: the other branch does not match the shapes of this run.
  void aBranchThatIsNotTakenNeedNotFit() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {-1, 4});
    tests::addValue(graph->add_input(), "rate", {});
    graph->mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT64);
    tests::addValue(graph->add_output(), "y", {});
    tests::addIntegers(graph, "high", {16000}, true);
    auto* wrong = graph->add_initializer();
    wrong->set_name("wide");
    wrong->set_data_type(onnx::TensorProto::FLOAT);
    wrong->add_dims(5);
    for (int i = 0; i < 5; ++i) wrong->add_float_data(1);
    tests::addNode(graph, "Equal", {"rate", "high"}, {"isHigh"});
    auto* choice = tests::addNode(graph, "If", {"isHigh"}, {"y"});
    addChoice(choice, "then_branch", "Add", "x");
    addChoice(choice, "else_branch", "Add", "wide");
    const fs::path folder = caseOf("branch", model, {2, 4}, 2);
    onnx::TensorProto rate;
    rate.set_data_type(onnx::TensorProto::INT64);
    rate.add_int64_data(16000);
    std::ofstream(folder / "test_data_set_0" / "input_1.pb", std::ios::binary) << rate.SerializeAsString();
    const Ran right = cli({"onnx-test", folder.string()});
    QVERIFY2(right.code == 0 && right.out.starts_with("pass branch"), right.out.c_str());
    rate.set_int64_data(0, 8000);
    std::ofstream(folder / "test_data_set_0" / "input_1.pb", std::ios::binary) << rate.SerializeAsString();
    const Ran other = cli({"onnx-test", folder.string()});
    QVERIFY2(other.code == 1 && other.out.find("node 'node_else_branch_y'") != std::string::npos, other.out.c_str());
    // The same choice, made on the command line.
    const std::string file = (folder / "model.onnx").string(), report = (folder / "r.tsr").string();
    const Ran said = cli({"run", file, "-o", report, "--shape", "x=2x4", "--input", "rate=16000"});
    QVERIFY2(said.code == 0, said.err.c_str());
    tests::verifyFails(cli({"run", file, "-o", report, "--shape", "x=2x4", "--input", "rate=8000"}), "node_else_branch_y");
    tests::verifyFails(cli({"run", file, "-o", report, "--shape", "x=2x4", "--input", "rate=1,2"}), "input 'rate'");
    tests::verifyFails(cli({"run", file, "-o", report, "--shape", "x=2x4", "--input", "rate=fast"}), "fast");
  }

  void whatDoesNotFitIsComparedOnTheHost() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    const std::vector<std::int64_t> shape{8, 1024, 1024}; // 32 MiB each; a GC2 has 304 MiB
    tests::addValue(graph->add_input(), "x", shape);
    tests::addValue(graph->add_output(), "y", {});
    // All the sums are alive until the last has been read.
    std::string sum = "x";
    std::vector<std::string> kept{"x"};
    for (int i = 0; i < 10; ++i) {
      const std::string next = "s" + std::to_string(i);
      tests::addNode(graph, "Add", {sum, "x"}, {next});
      kept.push_back(sum = next);
    }
    tests::addNode(graph, "Max", kept, {"y"});
    const Ran ran = cli({"onnx-test", caseOf("large", model, shape, 11).string(), "--machine", "gc2"});
    QVERIFY2(ran.code == 0 && ran.out.starts_with("DOES NOT FIT large") && ran.out.find("as expected") != std::string::npos,
             ran.out.c_str());
    QCOMPARE(cli({"onnx-test", caseOf("large", model, shape, 11).string(), "--machine", "gc2", "--strict"}).code, 1);
    const Ran wrong = cli({"onnx-test", caseOf("large", model, shape, 12).string(), "--machine", "gc2"});
    QVERIFY2(wrong.code == 1 && wrong.out.starts_with("FAIL large"), wrong.out.c_str());
  }

  // As `run` does: over the machine's IPUs.
  void aModelIsCutOverTheIpus() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    const std::vector<std::int64_t> shape{4, 4096};
    tests::addValue(graph->add_input(), "x", shape);
    tests::addValue(graph->add_output(), "y3", {});
    tests::addIntegers(graph, "square", {4096, 4096});
    std::string last = "x";
    for (int i = 0; i < 4; ++i) { // 64 MiB of weights each, whose products are 1
      const std::string number = std::to_string(i);
      auto* value = tests::addNode(graph, "ConstantOfShape", {"square"}, {"w" + number})->add_attribute();
      value->set_name("value"), value->set_type(onnx::AttributeProto::TENSOR);
      value->mutable_t()->set_data_type(onnx::TensorProto::FLOAT), value->mutable_t()->add_dims(1);
      value->mutable_t()->add_float_data(std::ldexp(1.0F, (i % 2 ? -i : i + 1) - 12));
      tests::addNode(graph, "MatMul", {last, "w" + number}, {"y" + number});
      last = "y" + number;
    }
    const std::string folder = caseOf("chain", model, shape, 1).string();
    const Ran one = cli({"onnx-test", folder, "--machine", "gc2"});
    QVERIFY2(one.out.starts_with("DOES NOT FIT chain"), one.out.c_str());
    const Ran two = cli({"onnx-test", folder, "--machine", "gc2", "--ipus", "2"});
    QVERIFY2(two.out.starts_with("pass chain"), two.out.c_str());
  }

  // An output that is wrong in fp32 as well is wrong; one that only rounding moves is sensitive.
  void wrongOutputsAreNotCalledSensitive() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {2});
    tests::addValue(graph->add_output(), "y", {2});
    tests::addValue(graph->add_output(), "z", {2});
    auto* number = graph->add_initializer();
    number->set_name("near"), number->set_data_type(onnx::TensorProto::FLOAT), number->add_float_data(1 - 0x1p-12F);
    auto* large = graph->add_initializer();
    large->set_name("large"), large->set_data_type(onnx::TensorProto::FLOAT), large->add_float_data(4096);
    tests::addNode(graph, "Sub", {"x", "near"}, {"difference"});
    tests::addNode(graph, "Mul", {"difference", "large"}, {"y"});
    tests::addNode(graph, "Neg", {"x"}, {"z"});
    const auto test = [&](const char* name, float y, std::vector<std::int64_t> shapeOfZ, float z) {
      const fs::path folder = caseOf(name, model, {2}, y);
      writeTensor(folder / "test_data_set_0" / "output_1.pb", shapeOfZ, z);
      return cli({"onnx-test", folder.string(), "--precision", "fp16"});
    };
    const Ran sensitive = test("sensitive", 1, {2}, -1);
    QVERIFY2(sensitive.code == 0 && sensitive.out.find("TOO SENSITIVE") == 0 &&
                 sensitive.out.find("alone move output 'y' by 1") != std::string::npos,
             sensitive.out.c_str());
    for (const Ran& wrong : {test("wrong", 9, {2}, -1), test("wrong z", 1, {2}, 9), test("shape", 1, {1, 2}, -1)})
      QVERIFY2(wrong.code == 1 && wrong.out.starts_with("FAIL"), wrong.out.c_str());
    const Ran both = test("both", 9, {2}, 9);
    QVERIFY2(both.out.find("'y'") != std::string::npos && both.out.find("'z'") != std::string::npos, both.out.c_str());
  }

  // The tolerance of values near zero is a share of the largest value of their output.
  void theToleranceFollowsTheScaleOfTheOutput() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {2});
    tests::addValue(graph->add_output(), "y", {2});
    tests::addValue(graph->add_output(), "z", {2});
    for (const char* output : {"y", "z"}) tests::addNode(graph, "Identity", {"x"}, {output});
    const auto test = [&](const char* name, double got, double large, double expected) {
      const fs::path folder = caseOf(name, model, {2}, 0), set = folder / "test_data_set_0";
      const auto write = [&](const char* file, double near) {
        onnx::TensorProto tensor;
        tensor.set_data_type(onnx::TensorProto::FLOAT);
        tensor.add_dims(2);
        tensor.add_float_data(float(near)), tensor.add_float_data(float(large));
        std::ofstream(set / file, std::ios::binary) << tensor.SerializeAsString();
      };
      write("input_0.pb", got), write("output_0.pb", expected), write("output_1.pb", expected);
      return cli({"onnx-test", folder.string()});
    };
    QVERIFY(test("sum", 1e-3, 1000, 2e-3).out.starts_with("pass"));
    const Ran tiny = test("tiny", 4e-7, 1e-6, 6e-7); // well below 1e-5, and wrong
    QVERIFY2(tiny.code == 1 && tiny.out.find("'y'") != std::string::npos && tiny.out.find("'z'") != std::string::npos,
             tiny.out.c_str());
  }

  // Voice detectors scale their spectrum by 2^20 in a branch like this.
  void aConstantBeyondFp16IsNamed() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {4});
    tests::addValue(graph->add_output(), "y", {});
    for (const auto& [name, value] : {std::pair{"large", 1048576.0F}, {"small", 1 / 1048576.0F}, {"zero", 0.0F}}) {
      auto* number = graph->add_initializer();
      number->set_name(name);
      number->set_data_type(onnx::TensorProto::FLOAT);
      number->add_float_data(value);
    }
    tests::addNode(graph, "ReduceSum", {"x"}, {"sum"})->add_attribute()->CopyFrom([] {
      onnx::AttributeProto keep;
      keep.set_name("keepdims");
      keep.set_type(onnx::AttributeProto::INT);
      keep.set_i(0);
      return keep;
    }());
    tests::addNode(graph, "Greater", {"sum", "zero"}, {"isPositive"});
    auto* choice = tests::addNode(graph, "If", {"isPositive"}, {"scaled"});
    addChoice(choice, "then_branch", "Mul", "large");
    addChoice(choice, "else_branch", "Add", "large");
    tests::addNode(graph, "Mul", {"scaled", "small"}, {"y"});
    const std::string folder = caseOf("scaled", model, {4}, 1).string();
    const Ran single = cli({"onnx-test", folder}), half = cli({"onnx-test", folder, "--precision", "fp16"});
    QVERIFY2(single.code == 0 && single.out.starts_with("pass scaled"), single.out.c_str());
    QVERIFY2(half.code == 0 && half.out.starts_with("OUT OF RANGE scaled") &&
                 half.out.find("node 'node_then_branch_y' (Mul) gives no finite number") != std::string::npos,
             half.out.c_str());
  }

  // Streams have names of their own: an input that is an output, too, and an output that is listed again.
  void anInputMayBeGivenBack() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {2, 4});
    for (const char* output : {"y", "x", "y"}) tests::addValue(graph->add_output(), output, {2, 4});
    tests::addNode(graph, "Add", {"x", "x"}, {"y"});
    const fs::path folder = caseOf("back", model, {2, 4}, 2), set = folder / "test_data_set_0";
    writeTensor(set / "output_1.pb", {2, 4}, 1);
    writeTensor(set / "output_2.pb", {2, 4}, 2);
    const Ran tested = cli({"onnx-test", folder.string()});
    QVERIFY2(tested.code == 0 && tested.out.find("1 passed") != std::string::npos, (tested.out + tested.err).c_str());
    const Ran ran = cli({"run", folder.string(), "-o", (folder / "r.tsr").string(), "--outputs", (folder / "out").string()});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    for (const char* name : {"y.npy", "x (output 2).npy", "y (output 3).npy"}) QVERIFY2(fs::exists(folder / "out" / name), name);
  }

  void randomNumbersAreNotCompared() {
    onnx::ModelProto model = tests::emptyModel(15);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {3, 3});
    tests::addValue(graph->add_output(), "y", {});
    tests::addNode(graph, "RandomUniformLike", {"x"}, {"y"});
    const fs::path folder = caseOf("random", model, {3, 3}, 0);
    const Ran tested = cli({"onnx-test", folder.string()});
    QVERIFY2(tested.code == 0 && tested.out.find("RandomUniformLike") != std::string::npos, tested.out.c_str());
    const Ran ran = cli({"run", folder.string(), "-o", (folder / "r.tsr").string()});
    QVERIFY2(ran.code == 0, ran.err.c_str());
  }
};

TILESCOPE_TEST(OnnxVerdictsTest)
#include "onnx_verdicts_test.moc"
