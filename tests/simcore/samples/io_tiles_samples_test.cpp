// I/O tiles under whole models: the same numbers as without, transfers beside the work, every cycle counted once, and memory where
// it was asked for.
#include "reports/core/error.h"
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using model::OverlapIo;
using tests::RunOptions;
using tests::Settings;

namespace {

RunOptions ioOptions(int ioTiles, OverlapIo overlap, int batches) {
  RunOptions run;
  run.ioTiles = ioTiles;
  run.parallel.overlapIo = overlap;
  run.parallel.batchesPerStep = batches;
  return run;
}

// The cycles of one more batch, when a loop is in its steady state.
double cyclesOfABatch(const std::string& sample, const Settings& settings, int ioTiles, OverlapIo overlap) {
  const auto cycles = [&](int batches) {
    return double(tests::runSample(sample, settings, ioOptions(ioTiles, overlap, batches))->result.cycles);
  };
  return (cycles(12) - cycles(8)) / 4;
}

// Cycles of a batch: those of the host's transfers alone, and those of everything else.
struct BatchParts {
  double transfers = 0, rest = 0;
};
BatchParts partsOf(const std::string& sample, const Settings& settings, int ioTiles) {
  const auto of = [&](int batches) {
    const auto run = tests::runSample(sample, settings, ioOptions(ioTiles, OverlapIo::Off, batches));
    const auto& row = run->rows.rows<reports::RunRow>().at(0);
    return std::pair(double(row.hostCycles + row.hiddenHostCycles), double(row.cycles - row.hostCycles));
  };
  const auto more = of(12), less = of(8);
  return {(more.first - less.first) / 4, (more.second - less.second) / 4};
}

const Settings kWorkBound{{"training", "0"}, {"layers", "12"}, {"width", "512"}, {"batch", "256"}};
const Settings kTransferBound{{"training", "0"}, {"layers", "1"}, {"batch", "512"}};
const Settings kShortUpdate{{"layers", "6"}, {"width", "512"}, {"batch", "512"}, {"optimiser", "sgd"}, {"momentum", "0"}};
const Settings kSmall{{"layers", "3"}, {"width", "48"}, {"batch", "8"}};

} // namespace

class IoTilesSamplesTest : public QObject {
  Q_OBJECT
private slots:
  void aBatchTakesTheLongerOfBoth_data() {
    QTest::addColumn<bool>("workBound");
    QTest::newRow("work") << true;
    QTest::newRow("transfers") << false;
  }
  void aBatchTakesTheLongerOfBoth() {
    QFETCH(bool, workBound);
    const Settings& settings = workBound ? kWorkBound : kTransferBound;
    const int tiles = workBound ? 32 : 192; // copies between the sets stop both, so they must be fast
    const BatchParts parts = partsOf("mlp", settings, tiles);
    QCOMPARE(parts.rest > parts.transfers, workBound);
    const double beside = cyclesOfABatch("mlp", settings, tiles, OverlapIo::InnerLoop),
                 inTurn = cyclesOfABatch("mlp", settings, tiles, OverlapIo::Off),
                 without = cyclesOfABatch("mlp", settings, 0, OverlapIo::Off), longer = std::max(parts.transfers, parts.rest);
    const auto text = QString("%1 beside, %2 in turn, %3 without; transfers %4, rest %5")
                          .arg(beside)
                          .arg(inTurn)
                          .arg(without)
                          .arg(parts.transfers)
                          .arg(parts.rest);
    QVERIFY2(beside >= longer * 0.999 && beside < longer * 1.04, qPrintable(text));
    const double both = parts.transfers + parts.rest;
    QVERIFY2(inTurn > beside + 0.5 * (both - longer) && inTurn <= both * 1.001, qPrintable(text));
    QVERIFY2(beside < without, qPrintable(text));
  }

  void numbersStayTheSame_data() {
    QTest::addColumn<bool>("training");
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("accumulation");
    QTest::addColumn<int>("batches");
    for (const bool training : {false, true}) {
      const QByteArray what = training ? "training" : "inference";
      QTest::newRow(what + ", batches") << training << 0 << 0 << 4;
      QTest::newRow(what + ", one batch") << training << 0 << 0 << 1;
      QTest::newRow(what + ", pipeline") << training << 2 << 5 << 1;
      QTest::newRow(what + ", pipeline, just full") << training << 2 << (training ? 3 : 2) << 1;
    }
    QTest::newRow("training, micro-batches") << true << 0 << 3 << 2;
    QTest::newRow("training, pipeline, batches") << true << 2 << 4 << 2;
  }
  void numbersStayTheSame() {
    QFETCH(bool, training);
    QFETCH(int, stages);
    QFETCH(int, accumulation);
    QFETCH(int, batches);
    Settings settings = kSmall;
    settings["training"] = training ? "1" : "0";
    const auto outputs = [&](int ioTiles, OverlapIo overlap) {
      RunOptions run = ioOptions(ioTiles, overlap, batches);
      run.numbers = true;
      run.iterations = 2;
      run.parallel.stages = stages;
      run.parallel.accumulation = accumulation;
      const auto done = tests::runSample("mlp", settings, run);
      const auto& row = done->rows.rows<reports::RunRow>().at(0);
      if (row.computeCycles + row.exchangeCycles + row.syncCycles + row.hostCycles + row.idleCycles != row.cycles)
        throw std::runtime_error("the parts of the run do not sum to its cycles");
      if (!done->rows.rows<reports::ReportIssueRow>().empty()) throw std::runtime_error("the report has an issue");
      std::map<std::string, std::vector<std::vector<double>>> all;
      for (const auto& [stream, values] : done->result.outputs)
        for (const auto& value : values) all[stream].push_back(value.toDoubles());
      all["history"].push_back(done->result.history.at("loss"));
      return all;
    };
    try {
      const auto plain = outputs(0, OverlapIo::Off);
      QVERIFY(plain.at("history")[0].size() > 1);
      for (const OverlapIo overlap : {OverlapIo::Off, OverlapIo::InnerLoop, OverlapIo::Loops})
        QVERIFY2(outputs(24, overlap) == plain, qPrintable(QString::number(int(overlap))));
    } catch (const std::exception& error) {
      QFAIL(error.what());
    }
  }

  // All of N loads except the first, and all of N stores except the last, overlap with work (PopART's OverlapInnerLoop).
  void allButTheEndsAreHidden() {
    const auto run = tests::runSample("mlp", kWorkBound, ioOptions(32, OverlapIo::InnerLoop, 10));
    const auto inTurn = tests::runSample("mlp", kWorkBound, ioOptions(32, OverlapIo::Off, 10));
    const auto& row = run->rows.rows<reports::RunRow>().at(0);
    const auto& other = inTurn->rows.rows<reports::RunRow>().at(0);
    const double transfers = double(other.hostCycles + other.hiddenHostCycles);
    QCOMPARE(row.hostCycles + row.hiddenHostCycles, int64_t(transfers));
    QVERIFY2(std::abs(double(row.hostCycles) / (transfers / 10) - 1) < 0.01, // one load and one store
             qPrintable(QString("%1 of %2").arg(row.hostCycles).arg(transfers)));
  }

  // If all loops are merged into one, nothing waits for the host between two updates.
  void allLoopsHideMore() {
    const auto of = [](OverlapIo overlap) {
      RunOptions run = ioOptions(128, overlap, 5);
      run.parallel.accumulation = 3;
      return tests::runSample("mlp", kShortUpdate, run);
    };
    const auto inner = of(OverlapIo::InnerLoop), loops = of(OverlapIo::Loops);
    const auto &a = inner->rows.rows<reports::RunRow>().at(0), &b = loops->rows.rows<reports::RunRow>().at(0);
    const auto text = QString("%1 and %2 of %3, %4").arg(a.cycles).arg(b.cycles).arg(a.hostCycles).arg(b.hostCycles);
    QVERIFY2(b.cycles < a.cycles && b.hostCycles < a.hostCycles, qPrintable(text));
    QCOMPARE(a.hostCycles + a.hiddenHostCycles, b.hostCycles + b.hiddenHostCycles);
  }

  // Stages of a pipeline wait for the host once, when it fills, and the cut no longer makes room for transfers.
  void aPipelineHidesTransfersToo() {
    const auto cycles = [&](int ioTiles, OverlapIo overlap) {
      RunOptions run = ioOptions(ioTiles, overlap, 1);
      run.parallel.stages = 2;
      run.parallel.accumulation = 16;
      return tests::runSample("mlp", kWorkBound, run)->result.cycles;
    };
    const auto beside = cycles(32, OverlapIo::InnerLoop), inTurn = cycles(32, OverlapIo::Off);
    QVERIFY2(double(beside) < 0.95 * double(inTurn), qPrintable(QString("%1 against %2").arg(beside).arg(inTurn)));
  }

  void replicasHaveThemToo() {
    RunOptions run = ioOptions(16, OverlapIo::InnerLoop, 4);
    run.replicas = 2;
    const auto done = tests::runSample("mlp", kSmall, run);
    QVERIFY(done->rows.rows<reports::RunRow>().at(0).hiddenHostCycles > 0);
    QCOMPARE(done->rows.rows<reports::MachineRow>().at(0).ioTiles, int64_t(16));
  }

  void nothingOfTheModelIsOnIoTiles() {
    const auto run = tests::runSample("mlp", kSmall, ioOptions(16, OverlapIo::InnerLoop, 4));
    const auto& machine = run->rows.rows<reports::MachineRow>().at(0);
    const int64_t first = machine.tilesPerIpu - machine.ioTiles;
    for (const auto& series : run->rows.rows<reports::TileSeriesRow>()) {
      if (series.name != "memory.total") continue;
      const auto bytes = reports::unpackRuns(series.byTile, std::size_t(series.tiles), "memory.total");
      int64_t held = 0, most = 0;
      for (int64_t t = 0; t < series.tiles; ++t)
        (t < first ? most : held) = std::max(t < first ? most : held, bytes[std::size_t(t)]);
      QVERIFY(held > 0 && held < most); // buffers and their code, no weights
    }
    for (const auto& p : run->rows.rows<reports::StepProfileRow>()) {
      const auto cycles = reports::unpackRuns(p.cyclesByTile, std::size_t(p.tiles), "cycles");
      for (const auto& step : run->rows.rows<reports::ProgramStepRow>())
        if (step.id == p.programStepId && step.kind == "OnTileExecute")
          for (int64_t t = first; t < p.tiles; ++t) QCOMPARE(cycles[std::size_t(t)], int64_t(0));
    }
  }

  void theSameEveryTime() {
    const auto a = tests::runSample("mlp", kSmall, ioOptions(16, OverlapIo::InnerLoop, 5)),
               b = tests::runSample("mlp", kSmall, ioOptions(16, OverlapIo::InnerLoop, 5));
    QVERIFY(tests::figuresOf(a) == tests::figuresOf(b));
  }

  void tilesMustBeLeftThatCompute() {
    const auto machine = arch::findMachine("gc200", 1);
    for (const int64_t wrong : {int64_t(-1), int64_t(machine.tilesPerIpu), int64_t(1) << 40})
      QVERIFY_THROWS_EXCEPTION(reports::Error, arch::withIoTiles(machine, wrong));
    QCOMPARE(arch::withIoTiles(machine, 0).ioTiles, 0);
    QCOMPARE(arch::withIoTiles(machine, machine.tilesPerIpu - 1).computeTiles(), 1);
  }
};

TILESCOPE_TEST(IoTilesSamplesTest)
#include "io_tiles_samples_test.moc"
