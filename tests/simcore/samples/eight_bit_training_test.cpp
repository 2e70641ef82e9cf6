// Transformers that train in 8-bit floats, with scales that follow the largest values and with unit scaling: their losses are
// those of fp32, and the figures of the help page are those of these runs.
#include "reports/core/error.h"
#include "reports/rows/host_decode.h"
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTest>

#include <cmath>

using namespace tests;
using simcore::numerics::ElementType;

namespace {

constexpr int kUpdates = 21;

// Two small layers, without dropout: masks depend on the layout of a tensor, which is another one in fp8.
Settings smallTransformer(const std::string& sample, const char* rate) {
  Settings settings{{"layers", "2"}, {"hidden", "64"},      {"heads", "2"},   {"sequence", "32"},
                    {"batch", "2"},  {"vocabulary", "200"}, {"dropout", "0"}, {"lr", rate}};
  if (sample == "gpt2") settings["attention-dropout"] = "0";
  return settings;
}

struct Kind {
  bool fp8 = false, unit = false;
  int64_t history = 0;
};

std::unique_ptr<SampleRun> trainedIn8Bits(const std::string& sample, const Kind& kind, int updates = kUpdates) {
  RunOptions run;
  run.machine = "c600";
  run.numbers = true;
  run.half = kind.fp8;
  run.iterations = updates;
  run.parallel.unitScaling = kind.unit;
  if (kind.fp8) {
    run.parallel.quarter.emplace();
    run.parallel.quarter->history = kind.history;
  }
  return runSample(sample, smallTransformer(sample, kind.unit ? "0.03" : "0.003"), run);
}
std::vector<double> lossHistory(const std::string& sample, const Kind& kind) {
  return trainedIn8Bits(sample, kind)->result.history.at("loss");
}

// "| `gpt2` | 5.32 | 3.01 | …", the row of the help page.
QString rowOfHelp(const std::string& sample, const std::vector<std::vector<double>>& losses) {
  QString row = QStringLiteral("| `%1` |").arg(sample.c_str());
  for (const auto& history : losses) row += QStringLiteral(" %1 |").arg(history.back(), 0, 'f', 2);
  return row;
}

} // namespace

class EightBitTrainingTest : public QObject {
  Q_OBJECT
private slots:
  void lossesTrackThoseOfFp32_data() {
    QTest::addColumn<QString>("sample");
    QTest::newRow("gpt2") << "gpt2";
    QTest::newRow("bert") << "bert";
  }
  void lossesTrackThoseOfFp32() {
    QFETCH(QString, sample);
    const std::string name = sample.toStdString();
    const auto plain = lossHistory(name, {}), follows = lossHistory(name, {.fp8 = true, .history = 16}),
               unit = lossHistory(name, {.unit = true}), unitFp8 = lossHistory(name, {.fp8 = true, .unit = true});
    const auto verifyNear = [&](const std::vector<double>& fp8, const std::vector<double>& fp32) {
      QCOMPARE(fp8.size(), fp32.size());
      for (std::size_t i = 0; i < fp8.size(); ++i)
        QVERIFY2(std::abs(fp8[i] - fp32[i]) < 0.05 * fp32[i],
                 qPrintable(QStringLiteral("update %1: %2 in fp8, %3 in fp32").arg(i).arg(fp8[i]).arg(fp32[i])));
      QVERIFY(fp8 != fp32);
    };
    QVERIFY2(plain.back() < 0.85 * plain.front(), qPrintable(QString::number(plain.back())));
    QVERIFY2(unit.back() < 0.85 * unit.front(), qPrintable(QString::number(unit.back())));
    QVERIFY2(unit.back() < 1.05 * plain.back(), qPrintable(QString::number(unit.back())));
    verifyNear(follows, plain);
    verifyNear(unitFp8, unit);
    QFile page(QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/docs/help/training.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QString row = rowOfHelp(name, {plain, follows, unit, unitFp8});
    QVERIFY2(QString::fromUtf8(page.readAll()).contains(row), qPrintable("training.md should say: " + row));
  }

  // A histogram of each kind of tensor for each update.
  void theReportHasTheScalesOfEachUpdate() {
    constexpr int kFew = 6;
    const auto run = trainedIn8Bits("bert", {.fp8 = true, .unit = true, .history = 2}, kFew);
    std::map<std::string, int64_t> tensors;
    for (const auto& [stream, values] : run->result.outputs)
      if (stream.starts_with("fp8-scales/")) tensors["fp8 scales of " + stream.substr(11)] = values.at(0).count();
    QCOMPARE(tensors.size(), std::size_t(3));
    const auto heatmaps = run->rows.rows<reports::HeatmapRow>();
    QCOMPARE(heatmaps.size(), std::size_t(3));
    for (const auto& heatmap : heatmaps) {
      QCOMPARE(heatmap.samples, int64_t(kFew));
      QCOMPARE(heatmap.unit, std::string("power of two"));
      QVERIFY2(tensors.at(heatmap.name) > 4, heatmap.name.c_str());
    }
    // In the first update weights already have the scale of their values, gradients not yet.
    const auto first = trainedIn8Bits("bert", {.fp8 = true, .unit = true, .history = 2}, 1);
    for (const double scale : first->result.outputs.at("fp8-scales/weights").at(0).toDoubles()) QVERIFY(scale < 0);
    for (const double scale : first->result.outputs.at("fp8-scales/gradients").at(0).toDoubles()) QCOMPARE(scale, 0.0);
    QVERIFY(!first->result.history.count("fp8-scales/weights"));
    // Those of the last update: gradients are small, so their scales have left 0.
    const auto scales = run->result.outputs.at("fp8-scales/gradients").at(0).toDoubles();
    for (const double scale : scales) QVERIFY2(scale < 0 && scale > -30, qPrintable(QString::number(scale)));
  }

  void severalMicroBatchesAreRefused() {
    RunOptions run;
    run.machine = "c600", run.half = true;
    run.parallel.quarter.emplace();
    run.parallel.quarter->history = 4;
    run.parallel.accumulation = 2;
    QVERIFY(has(errorOf([&] { buildSample("gpt2", smallTransformer("gpt2", "0.003"), run); }), "fp8-history"));
  }
};

TILESCOPE_TEST(EightBitTrainingTest)
#include "eight_bit_training_test.moc"
