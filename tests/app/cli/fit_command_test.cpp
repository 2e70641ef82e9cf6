// The batch of a model: by its own option, by the name of a dimension, through constant shapes; and the largest that fits.
#include "tests/app/cli/cli_runner.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using tests::cli;
using tests::Ran;

class FitCommandTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  std::string saved(const char* name, const onnx::ModelProto& model) {
    const std::string file = (m_folder / name).string();
    std::ofstream(file, std::ios::binary) << model.SerializeAsString();
    return file;
  }
  nlohmann::json dryRun(const std::vector<std::string>& words) {
    std::vector<std::string> all{"run"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--dry-run", "--json"});
    const Ran ran = cli(all);
    if (ran.code != 0) qWarning("%s", ran.err.c_str());
    return ran.code == 0 ? nlohmann::json::parse(ran.out) : nlohmann::json();
  }

  // Attention over one image as torch exports it: every constant shape contains the batch, and one token is a constant.
  static onnx::ModelProto tokens() {
    onnx::ModelProto model = tests::emptyModel(17);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {1, 12, 2, 3});
    graph->add_output()->set_name("y");
    tests::addIntegers(graph, "flat", {1, 12, 6}, false);
    tests::addNode(graph, "Reshape", {"x", "flat"}, {"rows"});
    auto* token = graph->add_initializer();
    token->set_name("token"), token->set_data_type(onnx::TensorProto::FLOAT);
    for (const int dim : {1, 1, 6}) token->add_dims(dim);
    for (int i = 0; i < 6; ++i) token->add_float_data(float(i));
    auto* axis = tests::addNode(graph, "Concat", {"token", "rows"}, {"all"})->add_attribute();
    axis->set_name("axis"), axis->set_type(onnx::AttributeProto::INT), axis->set_i(1);
    tests::addIntegers(graph, "heads", {1, 13, 2, -1}, false);
    tests::addNode(graph, "Reshape", {"all", "heads"}, {"split"});
    tests::addIntegers(graph, "merged", {13, 6}, false);
    tests::addNode(graph, "Reshape", {"split", "merged"}, {"two"});
    tests::addNode(graph, "Relu", {"two"}, {"y"});
    return model;
  }

private slots:
  void constantShapesFollowTheBatch() {
    const std::string file = saved("tokens.onnx", tokens());
    const auto inputs = dryRun({file, "--batch", "5"});
    QCOMPARE(inputs["inputs"][0]["shape"].get<std::string>(), std::string("5x12x2x3"));
    QCOMPARE(inputs["outputs"][0]["elements"].get<int>(), 5 * 13 * 6);
    const std::string folder = (m_folder / "out").string();
    const Ran ran = cli({"run", file, "--batch", "5", "-o", (m_folder / "five.tsr").string(), "--outputs", folder});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    QVERIFY2(ran.err.find("the batch is 5 instead of 1; 4 constants change with it") != std::string::npos, ran.err.c_str());
    const Ran same = cli({"run", file, "--batch", "1", "-o", (m_folder / "one.tsr").string()});
    QVERIFY2(same.code == 0 && same.err.find("the batch is") == std::string::npos, same.err.c_str());
  }

  // Each of these two rows has its own constant, so another batch is refused, and not for lack of memory.
  void aFileForItsBatchAloneIsRefused() {
    onnx::ModelProto model = tests::emptyModel(17);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {2, 3});
    graph->add_output()->set_name("y");
    tests::addNode(graph, "Add", {"x", "rows"}, {"y"});
    auto* rows = graph->add_initializer();
    rows->set_name("rows"), rows->set_data_type(onnx::TensorProto::FLOAT);
    for (const int dim : {2, 3}) rows->add_dims(dim);
    for (int i = 0; i < 6; ++i) rows->add_float_data(float(i));
    const std::string file = saved("rows.onnx", model);
    for (const Ran& ran : {cli({"run", file, "--batch", "3", "--dry-run"}), cli({"fit", file, "--from", "2", "--most", "3"}),
                           cli({"fit", file, "--over", "batch"})}) {
      QCOMPARE(ran.code, 2);
      for (const char* word : {"--batch ", "node 'node_y'", "dynamic_axes"})
        QVERIFY2(ran.err.find(word) != std::string::npos, ran.err.c_str());
    }
  }

  void dimensionsHaveNames() {
    onnx::ModelProto model = tests::emptyModel(17);
    auto* graph = model.mutable_graph();
    for (const char* name : {"x", "z"}) {
      tests::addValue(graph->add_input(), name, {1, 8});
      auto* dims = graph->mutable_input(graph->input_size() - 1)->mutable_type()->mutable_tensor_type()->mutable_shape();
      dims->mutable_dim(0)->set_dim_param("N"), dims->mutable_dim(1)->set_dim_param("length");
    }
    graph->add_output()->set_name("y");
    tests::addNode(graph, "Add", {"x", "z"}, {"y"});
    const std::string file = saved("named.onnx", model);
    const auto inputs = dryRun({file, "--shape", "N=3", "--shape", "length=20"})["inputs"];
    for (const auto& input : inputs) QCOMPARE(input["shape"].get<std::string>(), std::string("3x20"));
    QCOMPARE(dryRun({file, "--batch", "4", "--shape", "length=2"})["inputs"][1]["shape"].get<std::string>(), std::string("4x2"));
    const Ran two = cli({"run", file, "--shape", "N=3x4", "--dry-run"});
    QVERIFY2(two.code == 2 && two.err.find("one number") != std::string::npos, two.err.c_str());
    const Ran none = cli({"run", file, "--shape", "M=3", "--dry-run"});
    QVERIFY2(none.code == 2 && none.err.find("no input 'M' and no such dimension") != std::string::npos &&
                 none.err.find("it has x, z, and the dimensions N, length") != std::string::npos,
             none.err.c_str());
    const Ran open = cli({"run", file, "--dry-run"});
    QVERIFY2(open.code == 2 &&
                 open.err.find("--shape N=1 --shape length=16, or all of this input: --shape x=1x16") != std::string::npos,
             open.err.c_str());
    model.mutable_graph()
        ->mutable_input(1)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_value(2);
    model.mutable_graph()
        ->mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_value(2);
    const Ran given = cli({"run", saved("two.onnx", model), "--shape", "z=3x8", "--shape", "x=2x8", "--dry-run"});
    QVERIFY2(given.code == 2 && given.err.find("--batch 3 runs the file with another batch") != std::string::npos,
             given.err.c_str());
  }

  void integersThatAreMadeUpAreNamed() {
    onnx::ModelProto model = tests::emptyModel(17);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {4});
    tests::addValue(graph->add_input(), "sizes", {2});
    graph->mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT64);
    graph->add_output()->set_name("y");
    tests::addNode(graph, "Reshape", {"x", "sizes"}, {"y"});
    const std::string file = saved("sizes.onnx", model);
    const Ran ran = cli({"run", file, "--dry-run"});
    QVERIFY2(ran.code == 2 && ran.err.find("sizes is not given and is made up (0)") != std::string::npos &&
                 ran.err.find("--input sizes=") != std::string::npos,
             ran.err.c_str());
    QCOMPARE(cli({"run", file, "--dry-run", "--input", "sizes=2,2"}).code, 0);

    onnx::ModelProto cut = tests::emptyModel(17); // whose gradient needs the size
    graph = cut.mutable_graph();
    tests::addValue(graph->add_input(), "x", {4});
    tests::addValue(graph->add_input(), "n", {1});
    graph->mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT64);
    graph->add_output()->set_name("y");
    auto* weight = graph->add_initializer();
    weight->set_name("w"), weight->set_data_type(onnx::TensorProto::FLOAT), weight->add_dims(4);
    for (int i = 0; i < 4; ++i) weight->add_float_data(float(i));
    tests::addIntegers(graph, "zero", {0});
    tests::addNode(graph, "Mul", {"x", "w"}, {"all"});
    tests::addNode(graph, "Slice", {"all", "zero", "n"}, {"y"});
    const Ran trained = cli({"run", saved("cut.onnx", cut), "--train", "--loss", "mse", "--dry-run"});
    QVERIFY2(trained.code == 2 && trained.err.find("n is not given and is made up (0)") != std::string::npos,
             trained.err.c_str());
  }

  void theLargestThatFits() {
    const Ran ran = cli({"fit", "custom-vertex", "--over", "tiles", "--most", "6", "--json"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const auto all = nlohmann::json::parse(ran.out);
    QCOMPARE(all["largest"]["value"].get<int>(), 6);
    QVERIFY(all["beyond"].is_null());
    QCOMPARE(all["trials"].size(), 4u); // 1, 2, 4, 6
  }

  void whatBreaksIsSaid() {
    // Weights of 2,048 x 2,048 fill half of the machine; activations fill the rest at some batch.
    const Ran ran =
        cli({"fit", "matmul", "--over", "m", "--from", "4096", "--set", "k=4096", "--set", "n=4096", "--memory-retries", "0"});
    QVERIFY2(ran.code == 0, (ran.out + ran.err).c_str());
    QVERIFY2(ran.out.find(" fits: ") != std::string::npos && ran.out.find(" does not fit: ") != std::string::npos,
             ran.out.c_str());
    QVERIFY2(ran.out.find("oes not fit: Does not fit") == std::string::npos, ran.out.c_str()); // said once
    QVERIFY2(ran.out.find("tile") != std::string::npos, ran.out.c_str());
  }

  void whatCannotBeTriedIsRefused() {
    const Ran kept = cli({"fit", "matmul", "-o", "x.tsr"});
    QVERIFY2(kept.code == 2 && kept.err.find("--report") != std::string::npos, kept.err.c_str());
    const Ran name = cli({"fit", "matmul", "--over", "rows"});
    QVERIFY2(name.code == 2 && name.err.find("rows") != std::string::npos, name.err.c_str());
    const Ran order = cli({"fit", "matmul", "--over", "m", "--from", "8", "--most", "4"});
    QVERIFY2(order.code == 2 && order.err.find("--most") != std::string::npos, order.err.c_str());
  }
};

TILESCOPE_TEST(FitCommandTest)
#include "fit_command_test.moc"
