// Wasted tile-cycles of real runs: the profiles of all steps and the slices of the trace must give the same number, to the cycle.
#include "analyser/trace/tile_cycles.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

using namespace analyser;
using trace::TileTime;

class TileCyclesOfSamplesTest : public QObject {
  Q_OBJECT
private slots:
  void stepsAndTraceAgree_data() {
    QTest::addColumn<QString>("options");
    QTest::newRow("one IPU") << "mnist-train";
    QTest::newRow("halo") << "halo-exchange";
    QTest::newRow("sharded") << "mlp --ipus 2";
    QTest::newRow("pipeline") << "bert-pipeline --set layers=4 --set hidden=64";
    QTest::newRow("I/O tiles") << "mnist-train --io-tiles 32 --batches-per-step 3";
  }
  void stepsAndTraceAgree() {
    QFETCH(QString, options);
    const tests::TemporaryFolder folder;
    std::vector<std::string> words{"run"};
    for (const QString& word : options.split(' ')) words.push_back(word.toStdString());
    const std::string file = (folder / "report.tsr").string();
    for (const std::string& word : {std::string("--no-numbers"), std::string("-o"), file}) words.push_back(word);
    const auto ran = tests::cli(words);
    QVERIFY2(ran.code == 0, ran.err.c_str());

    const auto session = Session::open(file);
    trace::ExecutionTrace execution(*session);
    trace::TileCycles fromTrace, fromSteps;
    for (const trace::IpuTileCycles& ipu : trace::tileCyclesOfRange(execution, execution.range())) {
      QCOMPARE(ipu.cost.total(), ipu.tiles * execution.range().size());
      fromTrace += ipu.cost;
    }
    for (const auto& [step, cost] : trace::tileCyclesBySteps(*session)) fromSteps += cost.cost;
    for (const TileTime kind :
         {TileTime::Busy, TileTime::Unused, TileTime::Imbalance, TileTime::Exchange, TileTime::Sync, TileTime::Host})
      QVERIFY2(fromSteps[kind] == fromTrace[kind], trace::tileTimeName(kind).data());
    QVERIFY(fromSteps[TileTime::Busy] > 0);
    QCOMPARE(trace::tileCyclesOfRuns(*session), fromTrace);

    const auto json = nlohmann::json::parse(tests::cli({"summary", file, "--json"}).out);
    int64_t sum = 0;
    for (const auto& [name, value] : json["tile_cycles"].items())
      if (name != "total" && name != "wasted") sum += value.get<int64_t>();
    QCOMPARE(sum, json["tile_cycles"]["total"].get<int64_t>());
    QCOMPARE(sum, int64_t(session->machine().tiles()) * json["total_cycles"].get<int64_t>());
  }
};

TILESCOPE_TEST(TileCyclesOfSamplesTest)
#include "tile_cycles_of_samples_test.moc"
