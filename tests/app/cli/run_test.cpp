#include "app/cli/onnx_case.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;
using tests::cli;
using tests::Ran;
using tests::verifyFails;
namespace fs = std::filesystem;

namespace {

std::size_t filesIn(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

nlohmann::json summaryOf(const std::string& report) { return nlohmann::json::parse(cli({"summary", report, "--json"}).out); }

fs::path models() {
  const char* folder = std::getenv("TILESCOPE_MODELS");
  return folder ? fs::path(folder) : fs::path(TILESCOPE_SOURCE_DIR) / "../shared/models";
}

} // namespace

class RunTest : public QObject {
  Q_OBJECT
private slots:
  void aSampleBecomesAReport() {
    const tests::TemporaryFolder folder;
    const auto report = (folder / "out.tsr").string();
    const Ran ran = cli({"run", "hello-tiles", "--machine", "bow", "-o", report, "--outputs", (folder / "out").string()});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    QVERIFY2(ran.out.find("Fits: ") != std::string::npos, ran.out.c_str());
    QVERIFY(fs::exists(folder / "out" / "output.npy"));
    QCOMPARE(filesIn(folder.path()), std::size_t(2)); // no temporary file is left
    const auto json = summaryOf(report);
    QVERIFY(json["machine"] == "bow");
    QVERIFY(json["metadata"]["command_line"].get<std::string>().starts_with("tilescope-cli run hello-tiles"));
    int64_t parts = 0;
    for (const auto& [name, cycles] : json["cycles"].items()) parts += cycles.get<int64_t>();
    QCOMPARE(parts, json["total_cycles"].get<int64_t>());
    QVERIFY(parts > 0);
  }
  void theSameRunTwiceDoesNotDiffer() {
    const tests::TemporaryFolder folder;
    const auto a = (folder / "a.tsr").string(), b = (folder / "b.tsr").string(), c = (folder / "c.tsr").string();
    for (const auto& report : {a, b}) QCOMPARE(cli({"run", "mnist-train", "--set", "batch=4", "-o", report}).code, 0);
    QCOMPARE(cli({"run", "mnist-train", "--set", "batch=8", "-o", c}).code, 0);
    QCOMPARE(cli({"compare", a, b}).out, std::string("No difference: both reports say the same.\n"));
    const Ran different = cli({"compare", a, c});
    QVERIFY2(different.out.find("Total cycles") != std::string::npos, different.out.c_str());
  }
  void everyStepFitsItsRunAndEveryByteIsCounted() {
    const tests::TemporaryFolder folder;
    const auto report = (folder / "r.tsr").string();
    QCOMPARE(cli({"run", "mnist-train", "-o", report, "--iterations", "2"}).code, 0);
    const auto query = [&](const std::string& sql) { return nlohmann::json::parse(cli({"query", report, sql, "--json"}).out); };
    // Steps of an IPU are disjoint and inside its runs.
    QVERIFY(query("SELECT max(end_tick) AS e FROM track WHERE kind = 'ipu'")[0]["e"].get<int64_t>() <=
            query("SELECT max(start_cycle + cycles) AS e FROM run")[0]["e"].get<int64_t>());
    QCOMPARE(query("SELECT * FROM run").size(), std::size_t(2));
    QVERIFY(query("SELECT count(*) AS n FROM run WHERE cycles <> compute_cycles + exchange_cycles + sync_cycles + host_cycles + "
                  "idle_cycles")[0]["n"] == 0);
    QCOMPARE(query("SELECT sum(sum) AS n FROM tile_series WHERE name LIKE 'memory.category.%'")[0]["n"].get<int64_t>(),
             query("SELECT sum AS n FROM tile_series WHERE name = 'memory.total'")[0]["n"].get<int64_t>());
  }
  void transfersOnIoTilesAreToldApart() {
    const tests::TemporaryFolder folder;
    const auto report = (folder / "io.tsr").string(), plain = (folder / "plain.tsr").string();
    const std::vector<std::string> run{"run", "mlp", "--set", "batch=256", "--no-numbers", "--batches-per-step", "6", "-o"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), run.begin(), run.end());
      return cli(more);
    };
    QCOMPARE(with({plain}).code, 0);
    const Ran ran = with({report, "--io-tiles", "32"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    QVERIFY2(ran.out.find("host streams are hidden for another") != std::string::npos, ran.out.c_str());
    const auto query = [&](const std::string& sql) { return nlohmann::json::parse(cli({"query", report, sql, "--json"}).out); };
    QVERIFY(query("SELECT count(*) AS n FROM run WHERE cycles <> compute_cycles + exchange_cycles + sync_cycles + host_cycles + "
                  "idle_cycles OR hidden_host_cycles = 0")[0]["n"] == 0);
    QVERIFY(query("SELECT io_tiles AS n FROM machine")[0]["n"] == 32);
    QVERIFY(query("SELECT count(*) AS n FROM track WHERE kind = 'ipu_io' AND slices > 0")[0]["n"] == 1);
    // Both lanes end within the run, and host streams are on the lane of the I/O tiles only.
    QVERIFY(query("SELECT max(end_tick) - (SELECT sum(cycles) FROM run) AS n FROM track WHERE kind LIKE 'ipu%'")[0]["n"] <= 0);
    QVERIFY(query("SELECT count(*) AS n FROM slice JOIN track ON track.id = track_id WHERE kind = 'ipu' AND category = "
                  "'host stream'")[0]["n"] == 0);
    const auto a = summaryOf(plain), b = summaryOf(report);
    QVERIFY(b["total_cycles"].get<int64_t>() < a["total_cycles"].get<int64_t>());
    QVERIFY(b["hidden_host_cycles"].get<int64_t>() > 0 && !a.contains("hidden_host_cycles"));
    QVERIFY(b["metadata"]["overlap_io"] == "inner loop");
    const Ran compared = cli({"compare", plain, report});
    QVERIFY2(compared.out.find("Hidden host stream cycles") != std::string::npos, compared.out.c_str());
    // With one batch nothing can overlap, and a note says so.
    const Ran one = cli({"run", "mlp", "--no-numbers", "--io-tiles", "8", "-o", (folder / "one.tsr").string()});
    QCOMPARE(one.code, 0);
    QVERIFY2(one.err.find("--batches-per-step") != std::string::npos, one.err.c_str());
  }
  void whatDoesNotFitIsReported() {
    const tests::TemporaryFolder folder;
    const auto report = (folder / "big.tsr").string();
    // The product alone is 268 MB; a GC2 has 311 MB for it, its operands and its code.
    const Ran ran =
        cli({"run", "matmul", "--machine", "gc2", "--set", "m=8192", "--set", "n=8192", "--set", "k=2048", "-o", report});
    QVERIFY2(ran.code == 1, ran.err.c_str());
    QVERIFY2(ran.out.find("Does not fit: ") != std::string::npos, ran.out.c_str());
    const auto json = summaryOf(report);
    QVERIFY(json["state"] == "out_of_memory");
    QVERIFY(json["memory"]["overflow_tiles"].get<int64_t>() > 0);
    QVERIFY(json["issues"][0]["severity"] == "error");
    const Ran text = cli({"summary", report});
    QCOMPARE(text.code, 0); // summary succeeds, although the run did not fit
    QVERIFY(text.out.find("error: tile ") != std::string::npos);
  }
  void progressAsJsonLines() {
    const tests::TemporaryFolder folder;
    const Ran ran =
        cli({"run", "hello-tiles", "-o", (folder / "p.tsr").string(), "--progress", "json", "--set", "elements=1024"});
    QCOMPARE(ran.code, 0);
    std::istringstream lines(ran.err);
    std::string line;
    int count = 0;
    while (std::getline(lines, line)) {
      const auto json = nlohmann::json::parse(line);
      QVERIFY(!json["phase"].get<std::string>().empty());
      QVERIFY(json["fraction"].get<double>() >= 0 && json["fraction"].get<double>() <= 1);
      ++count;
    }
    QVERIFY(count >= 3);
  }
  void wrongRequestsLeaveNothing_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("part");
    QTest::newRow("unknown graph") << QStringList{"no-such-graph"} << "`samples` lists the samples";
    QTest::newRow("unknown machine") << QStringList{"hello-tiles", "--machine", "gc9000"} << "gc200";
    QTest::newRow("too many IPUs") << QStringList{"hello-tiles", "--ipus", "63"} << "63";
    QTest::newRow("unknown parameter") << QStringList{"hello-tiles", "--set", "size=3"} << "elements";
    QTest::newRow("parameter without value") << QStringList{"hello-tiles", "--set", "elements"} << "NAME=VALUE";
    QTest::newRow("parameter twice") << QStringList{"hello-tiles", "--set", "elements=4", "--set", "elements=8"} << "twice";
    QTest::newRow("unknown input") << QStringList{"hello-tiles", "--input", "x=y.npy"} << "input";
    QTest::newRow("missing input file") << QStringList{"hello-tiles", "--input", "input=y.npy"} << "y.npy";
    QTest::newRow("outputs without numbers") << QStringList{"hello-tiles", "--no-numbers", "--outputs", "o"} << "--no-numbers";
    QTest::newRow("I/O tiles, none left") << QStringList{"mlp", "--io-tiles", "1472"} << "1472 tiles";
    QTest::newRow("I/O tiles, negative") << QStringList{"mlp", "--io-tiles", "-1"} << "--io-tiles";
    QTest::newRow("I/O tiles of a graph") << QStringList{"hello-tiles", "--io-tiles", "4"} << "--io-tiles";
    QTest::newRow("what overlaps") << QStringList{"mlp", "--overlap-io", "step"} << "--overlap-io";
    QTest::newRow("batches of a graph") << QStringList{"hello-tiles", "--batches-per-step", "4"} << "--batches-per-step";
    QTest::newRow("precision") << QStringList{"hello-tiles", "--precision", "fp4"} << "--precision";
    QTest::newRow("fp8 of a graph") << QStringList{"hello-tiles", "--precision", "fp8"} << "--precision fp8";
    QTest::newRow("fp8 elsewhere") << QStringList{"mlp", "--set", "training=0", "--precision", "fp8"} << "c600";
    QTest::newRow("fp8 options alone") << QStringList{"mlp", "--fp8-scale", "2"} << "--precision fp8";
    QTest::newRow("nothing to skip") << QStringList{"mlp",       "--set", "training=0", "--precision", "fp8",
                                                    "--machine", "c600",  "--fp8-skip", "nobody"}
                                     << "nobody";
  }
  void wrongRequestsLeaveNothing() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, part);
    const tests::TemporaryFolder folder;
    std::vector<std::string> list{"run", "-o", (folder / "x.tsr").string()};
    for (const QString& a : arguments) list.push_back(a.toStdString());
    verifyFails(cli(list), part.toStdString());
    QCOMPARE(filesIn(folder.path()), std::size_t(0));
  }
  void foreignModelsLeaveNothing() {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "text.onnx") << "this is not a model";
    std::ofstream(folder / "empty.onnx").close();
    for (const char* name : {"text.onnx", "empty.onnx"}) {
      verifyFails(cli({"run", (folder / name).string(), "-o", (folder / "x.tsr").string()}), name);
      QCOMPARE(filesIn(folder.path()), std::size_t(2));
    }
  }
  void anUnwritableReportIsAnError() {
    verifyFails(cli({"run", "hello-tiles", "-o", "/no/such/folder/x.tsr"}), "/no/such/folder");
  }
  void cancelledRunsLeaveNothing() {
    const tests::TemporaryFolder folder;
    std::stop_source stop;
    stop.request_stop();
    verifyFails(cli({"run", "mnist-train", "-o", (folder / "x.tsr").string()}, stop.get_token()), "cancelled");
    QCOMPARE(filesIn(folder.path()), std::size_t(0));
  }
  // Numbers are compared as numpy.allclose does.
  void closeness() {
    const auto tensor = [](std::vector<float> v) { return HostTensor::vector(v); };
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const app::cli::Tolerance tolerance{1e-3, 1e-5};
    double error = 0;
    std::string reason;
    QVERIFY(app::cli::allClose(tensor({1, nan, inf, 0}), tensor({1.0005f, nan, inf, 5e-6f}), tolerance, error, reason));
    QVERIFY(std::abs(error - 5e-4) < 1e-6);
    QVERIFY(!app::cli::allClose(tensor({1, 2}), tensor({1, 2.1f}), tolerance, error, reason));
    QCOMPARE(reason, std::string("1 of 2 values are too far off"));
    QVERIFY(!app::cli::allClose(tensor({inf}), tensor({-inf}), tolerance, error, reason));
    QVERIFY(std::isinf(error));
    QVERIFY(!app::cli::allClose(tensor({nan}), tensor({1}), tolerance, error, reason));
    QVERIFY(!app::cli::allClose(tensor({1, 2}), tensor({1}), tolerance, error, reason));
    QVERIFY(!app::cli::allClose(tensor({1}), HostTensor::vector(std::vector<int32_t>{1}), tolerance, error, reason));
  }
  void onnxTestOfNothing() {
    const tests::TemporaryFolder folder;
    verifyFails(cli({"onnx-test", (folder / "missing").string()}), "no such folder");
    verifyFails(cli({"onnx-test", folder.path().string()}), "model.onnx");
    fs::create_directories(folder / "m");
    std::ofstream(folder / "m" / "model.onnx") << "x";
    verifyFails(cli({"onnx-test", folder.path().string()}), "nothing is tested");
    fs::create_directories(folder / "m" / "test_data_set_0");
    const Ran failed = cli({"onnx-test", (folder / "m").string()});
    QCOMPARE(failed.code, 1);
    QVERIFY2(failed.out.starts_with("FAIL m/test_data_set_0: "), failed.out.c_str());
    QVERIFY(failed.out.ends_with("0 passed, 1 failed, 0 skipped\n"));
  }
  void realModels() {
    const fs::path folder = models() / "blazeface-front-128";
    if (!fs::exists(folder)) QSKIP("the folder of models is absent (TILESCOPE_MODELS)");
    const Ran passed = cli({"onnx-test", folder.string()});
    QVERIFY2(passed.code == 0, passed.out.c_str());
    QVERIFY(passed.out.ends_with("1 passed, 0 failed, 0 skipped\n"));
    const auto json = nlohmann::json::parse(cli({"onnx-test", folder.string(), "--rtol", "0", "--atol", "0", "--json"}).out);
    QVERIFY(json["failed"] == 1); // no two libraries add in the same order

    const tests::TemporaryFolder out;
    const auto report = (out / "face.tsr").string();
    const Ran ran = cli({"run", folder.string(), "-o", report, "--outputs", (out / "values").string()});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    QCOMPARE(filesIn(out / "values"), std::size_t(4 + 1));              // and the list of the files that are its own
    QVERIFY(summaryOf(report)["graph"]["operations"].get<int>() >= 37); // convolutions; most of the rest is fused into them
  }
};

TILESCOPE_TEST(RunTest)
#include "run_test.moc"
