// The output files of a run: no file of the user is lost, and each new file is complete or absent.
#include "app/cli/output_files.h"
#include "reports/core/error.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

using simcore::numerics::HostTensor;
using tests::bytesOf;
using tests::cli;
using tests::Ran;
using tests::verifyFails;
namespace fs = std::filesystem;

namespace {

// y = Relu(x), x [2, 3].
std::string reluModel(const fs::path& file) {
  onnx::ModelProto model = tests::emptyModel(13);
  auto* graph = model.mutable_graph();
  tests::addValue(graph->add_input(), "x", {2, 3});
  tests::addValue(graph->add_output(), "y", {2, 3});
  tests::addNode(graph, "Relu", {"x"}, {"y"});
  std::ofstream(file, std::ios::binary) << model.SerializeAsString();
  return file.string();
}

std::size_t countIn(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

} // namespace

class OutputFilesTest : public QObject {
  Q_OBJECT
private slots:
  void theModelIsNeverWrittenOver() {
    const tests::TemporaryFolder folder;
    const std::string model = reluModel(folder / "m.onnx"), bytes = bytesOf(model);
    verifyFails(cli({"run", model, "-o", model}), "which this run reads");
    fs::create_symlink("m.onnx", folder / "link.tsr");
    verifyFails(cli({"run", model, "-o", (folder / "link.tsr").string()}), "which this run reads");
    fs::create_directory(folder / "deep");
    fs::copy_file(model, folder / "deep/model.onnx");
    verifyFails(cli({"run", (folder / "deep").string(), "-o", (folder / "deep/model.onnx").string()}), "which this run reads");
    verifyFails(cli({"run", "hello-tiles", "-o", model}), "not a report");
    QVERIFY(bytesOf(model) == bytes && bytesOf(folder / "deep/model.onnx") == bytes);
  }
  void inputsAreNotWrittenOver() {
    const tests::TemporaryFolder folder;
    const std::string model = reluModel(folder / "m.onnx"), report = (folder / "r.tsr").string();
    const std::string outputs = (folder / "o").string(), input = (folder / "o/y.npy").string();
    QCOMPARE(cli({"run", model, "-o", report, "--outputs", outputs}).code, 0);
    const std::string bytes = bytesOf(input);
    QVERIFY(!bytes.empty());
    verifyFails(cli({"run", model, "-o", report, "--input", "x=" + input, "--outputs", outputs}), "which this run reads");
    verifyFails(cli({"run", model, "-o", input, "--input", "x=" + input}), "which this run reads");
    QVERIFY(bytesOf(input) == bytes);
    QCOMPARE(cli({"run", model, "-o", report, "--input", "x=" + input, "--outputs", (folder / "p").string()}).code, 0);
  }
  void onlyReportsAreReplacedByReports() {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "notes.txt") << "keep";
    verifyFails(cli({"run", "hello-tiles", "-o", (folder / "notes.txt").string()}), "not a report");
    QCOMPARE(bytesOf(folder / "notes.txt"), std::string("keep"));
    QCOMPARE(mkfifo((folder / "fifo").c_str(), 0600), 0);
    verifyFails(cli({"run", "hello-tiles", "-o", (folder / "fifo").string()}), "not a regular file");
    QVERIFY(fs::is_fifo(folder / "fifo"));
    const std::string report = (folder / "r.tsr").string();
    QCOMPARE(cli({"run", "hello-tiles", "-o", report}).code, 0);
    QCOMPARE(cli({"run", "hello-tiles", "-o", report}).code, 0); // a report is replaced
    fs::create_symlink("r.tsr", folder / "link");
    QCOMPARE(cli({"run", "hello-tiles", "--set", "elements=64", "-o", (folder / "link").string()}).code, 0);
    QVERIFY(fs::is_symlink(folder / "link"));
    QVERIFY(cli({"query", report, "SELECT value FROM metadata WHERE key = 'parameter.elements'"}).out.find("64") !=
            std::string::npos);
  }
  void aTrainedModelReplacesModelsOnly() {
    const tests::TemporaryFolder folder;
    const std::string model = reluModel(folder / "m.onnx"), report = (folder / "r.tsr").string();
    std::ofstream(folder / "notes.txt") << "keep";
    const auto save = [&](const std::string& target) {
      return cli({"run", model, "-o", report, "--train", "--loss", "mse", "--save-model", target});
    };
    verifyFails(save(model), "which this run reads");
    verifyFails(save((folder / "notes.txt").string()), "not an ONNX model");
    verifyFails(save(report), "is the report's file");
    QCOMPARE(bytesOf(folder / "notes.txt"), std::string("keep"));
    QVERIFY(!fs::exists(report));
    const std::string other = reluModel(folder / "other.onnx");
    requireSafe({.report = {}, .outputs = {}, .savedModel = other, .read = {}}, {}); // a model may be replaced
  }
  void namesThatMakeOneFileNameAreNumbered() {
    const tests::TemporaryFolder folder;
    simcore::run::SimulateResult result;
    for (const char* name : {"a/b", "a_b", "a_b_2"})
      result.outputs[name] = {HostTensor::vector(std::vector<float>{float(name[1]), float(name[3])})};
    const auto files = app::cli::writeOutputs(folder.path(), result);
    QCOMPARE(files.size(), std::size_t(3));
    QCOMPARE(countIn(folder.path()), std::size_t(3 + 1)); // and their list
    QVERIFY(bytesOf(files[0]) != bytesOf(files[1]));
  }
  void aCutOutputIsNotLeft() {
    const tests::TemporaryFolder folder;
    simcore::run::SimulateResult result;
    result.outputs["y"] = {HostTensor(simcore::numerics::ElementType::Float, {1 << 20})};
    auto* const before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit small{1 << 16, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    bool failed = false;
    try {
      app::cli::writeOutputs(folder.path(), result);
    } catch (const reports::Error& error) {
      const std::string text = error.what();
      failed =
          error.code() == reports::ErrorCode::Io && text == (folder / "y.npy").string() + ": cannot be written: File too large";
    }
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, before);
    QVERIFY(failed);
    QCOMPARE(countIn(folder.path()), std::size_t(0));
  }
  // The output folder is checked before the run, so that hours of work are not lost.
  void whatCannotBeWrittenIsSaidBeforeTheRun() {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "notes.txt") << "keep";
    const std::string report = (folder / "r.tsr").string(), notes = (folder / "notes.txt").string();
    for (const std::string& outputs : {notes, notes + "/deeper", std::string("/dev/null")}) {
      const Ran ran = cli({"run", "hello-tiles", "-o", report, "--outputs", outputs});
      verifyFails(ran, "is not a folder"); // a run prints what its tiles print
    }
    const Ran missing = cli({"run", "hello-tiles", "-o", (folder / "no/r.tsr").string()});
    verifyFails(missing, "no/r.tsr: cannot write here: No such file or directory (make the folder first)");
    QVERIFY(!fs::exists(report));
  }
  // The report is in place before the tensors are written.
  void aCutOutputLeavesTheReport() {
    const tests::TemporaryFolder folder;
    const std::string model = reluModel(folder / "m.onnx"), report = (folder / "r.tsr").string();
    fs::create_directories(folder / "o/y.npy"); // where the tensor should go
    const Ran ran = cli({"run", model, "-o", report, "--outputs", (folder / "o").string(), "--force"});
    verifyFails(ran, "y.npy: is a directory (the report is complete: " + report + ")");
    QCOMPARE(cli({"summary", report}).code, 0);
  }

private:
  using RunFiles = app::cli::RunFiles;
  static void requireSafe(const RunFiles& files, const std::vector<std::string>& streams) {
    app::cli::requireSafe(files, streams);
  }
};

TILESCOPE_TEST(OutputFilesTest)
#include "output_files_test.moc"
