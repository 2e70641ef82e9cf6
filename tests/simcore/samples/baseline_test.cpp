// The saved figures of every sample are those of a fresh run, and each variant is better or worse in the figure its text names.
// To write the files anew, run the test program with TILESCOPE_UPDATE_BASELINES=1 and look at the difference.
#include "reports/core/error.h"
#include "simcore/samples/baseline.h"
#include "simcore/samples/sample.h"
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace simcore;
using samples::Figures;

namespace {

constexpr double kTolerance = 0.003; // the window shows these figures: a plan that changes more writes the file anew

std::filesystem::path fileOf(const std::string& sample) {
  return std::filesystem::path(TILESCOPE_SOURCE_DIR) / "resources/samples" / (sample + ".json");
}

void compareFigures(const Figures& saved, const Figures& fresh, const std::string& what) {
  for (const auto& [name, value] : fresh) {
    const auto found = saved.find(name);
    QVERIFY2(found != saved.end(), (what + " has no " + name).c_str());
    // Small parts of a run may change by more than a share of themselves.
    const double slack = kTolerance * double(value) + (name.ends_with("_cycles") ? kTolerance * double(fresh.at("cycles")) : 0);
    QVERIFY2(std::abs(double(found->second - value)) <= slack,
             (what + ": " + name + " is " + std::to_string(value) + ", saved is " + std::to_string(found->second)).c_str());
  }
}

} // namespace

class BaselineTest : public QObject {
  Q_OBJECT
private slots:
  void figuresAreThoseOfAFreshRun_data() {
    QTest::addColumn<QString>("name");
    for (const auto& sample : samples::catalogue()) QTest::newRow(sample.name.c_str()) << QString::fromStdString(sample.name);
  }
  void figuresAreThoseOfAFreshRun() {
    QFETCH(QString, name);
    const samples::Sample& sample = samples::findSample(name.toStdString());
    samples::Baseline fresh;
    fresh.sample = sample.name;
    fresh.machine = tests::kBaselineMachine;
    try {
      fresh.standard = tests::figuresOf(tests::runSample(sample.name, {}));
      if (!sample.variant.name.empty())
        fresh.variant = tests::figuresOf(tests::runSample(sample.name, {{"variant", sample.variant.name}}));
    } catch (const std::exception& error) {
      QFAIL(error.what());
    }
    if (std::getenv("TILESCOPE_UPDATE_BASELINES")) {
      std::ofstream(fileOf(sample.name)) << samples::baselineText(fresh);
      return;
    }
    const samples::Baseline* saved = samples::baselineOf(sample.name);
    QVERIFY2(saved, "no baseline; run with TILESCOPE_UPDATE_BASELINES=1 and build again");
    QCOMPARE(saved->machine, fresh.machine);
    compareFigures(saved->standard, fresh.standard, sample.name);
    compareFigures(saved->variant, fresh.variant, sample.name + " " + sample.variant.name);
    if (sample.variant.name.empty()) return;
    // The variant's text names a figure; comparing two reports must show it.
    QVERIFY(sample.variant.name == "tuned" || sample.variant.name == "naive");
    const int64_t standard = fresh.standard.at(sample.variant.figure), variant = fresh.variant.at(sample.variant.figure);
    const bool better = sample.variant.name == "tuned" ? variant < standard : variant > standard;
    QVERIFY2(better, (sample.variant.figure + ": " + std::to_string(standard) + " by default, " + std::to_string(variant) + " " +
                      sample.variant.name)
                         .c_str());
    QVERIFY(sample.variant.text.size() > 60);
  }

  // A file without a sample would be built in and never checked.
  void everyFileHasItsSample() {
    for (const auto& entry : std::filesystem::directory_iterator(fileOf("x").parent_path()))
      if (entry.path().extension() == ".json") try {
          (void)samples::findSample(entry.path().stem().string());
        } catch (const reports::Error& error) {
          QFAIL(error.what());
        }
  }
};

TILESCOPE_TEST(BaselineTest)
#include "baseline_test.moc"
