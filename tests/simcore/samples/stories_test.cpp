// Stories are true: each figure that the text of a sample names is computed from a run of it. The words are looked for in the text, so
// that a claim leaves with its sentence. Those of graph networks and of llm are in their own tests.
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <functional>

using namespace simcore;
using tests::RunOptions;
using tests::SampleRun;
using tests::Settings;

namespace {

struct Claim {
  const char *sample, *words;
  std::function<double()> value;
  double low, high;
};

using Picks = std::function<bool(const std::string& name, const std::string& kind)>;

Picks named(std::string part) {
  return [part = std::move(part)](const std::string& name, const std::string&) { return name.find(part) != std::string::npos; };
}
Picks ofKind(std::string wanted) {
  return [wanted = std::move(wanted)](const std::string&, const std::string& kind) { return kind == wanted; };
}

std::unique_ptr<SampleRun> run(const char* sample, const Settings& settings = {}, RunOptions options = {}) {
  return tests::runSample(sample, settings, options);
}
double figure(const char* sample, const char* name, const Settings& settings = {}) {
  return double(tests::figuresOf(run(sample, settings)).at(name));
}
template<class F> double sumOver(const SampleRun& run, const Picks& picks, F valueOf) {
  double sum = 0;
  for (const auto& row : run.rows.rows<reports::OperationRow>())
    if (picks(row.name, row.kind)) sum += double(valueOf(row));
  return sum;
}
double cyclesOfRow(const reports::OperationRow& row) {
  return double(row.computeCycles + row.exchangeCycles + row.syncCycles + row.hostCycles);
}
const Picks kAll = [](const std::string&, const std::string&) { return true; };
double cycles(const SampleRun& run, const Picks& picks) { return sumOver(run, picks, cyclesOfRow); }
double flops(const SampleRun& run, const Picks& picks) {
  return sumOver(run, picks, [](const auto& row) { return row.flops; });
}
double count(const SampleRun& run, const Picks& picks) {
  return sumOver(run, picks, [](const auto&) { return 1; });
}
double shareOfCycles(const char* sample, const Picks& picks, const Settings& settings = {}) {
  const auto done = run(sample, settings);
  return cycles(*done, picks) / double(tests::figuresOf(done).at("cycles"));
}
double shareOfPeak(const char* sample) {
  const auto f = tests::figuresOf(run(sample));
  const auto machine = arch::findMachine(tests::kBaselineMachine, 1);
  const double seconds = double(f.at("cycles")) / machine.clockHz;
  return double(f.at("flops")) / (seconds * 62.5e12); // fp32 on a GC200
}
// Cycles of the steps whose names contain `part`; a sample of one operation has several such steps.
double stepCycles(const SampleRun& run, const std::string& part) {
  std::map<int64_t, std::string> texts;
  for (const auto& row : run.rows.rows<reports::StringRow>()) texts[row.id] = row.text;
  std::map<int64_t, std::string> steps;
  for (const auto& row : run.rows.rows<reports::ProgramStepRow>()) steps[row.id] = texts[row.nameId];
  double sum = 0;
  for (const auto& row : run.rows.rows<reports::StepProfileRow>())
    if (steps[row.programStepId].find(part) != std::string::npos) sum += double(row.cycles) * double(row.executions);
  return sum;
}
double exchanged(const SampleRun& run) {
  return sumOver(run, kAll, [](const auto& row) { return row.exchangeBytes; });
}
double ratio(const char* sample, const char* name, const Settings& with, const Settings& without = {}) {
  return figure(sample, name, with) / figure(sample, name, without);
}
// Bytes of a stream in a transfer; 0 without this stream.
double streamed(const char* sample, const std::string& stream, const Settings& settings = {}) {
  const auto done = run(sample, settings);
  double bytes = 0;
  for (const auto& row : done->rows.rows<reports::StreamRow>())
    if (row.name == stream) bytes += double(row.hostBytes);
  return bytes;
}
// Bytes of the always-live variables whose names contain `part`, on all tiles.
double alwaysLiveBytes(const char* sample, const std::string& part, const Settings& settings = {}) {
  const auto done = run(sample, settings);
  std::map<int64_t, std::string> texts;
  for (const auto& row : done->rows.rows<reports::StringRow>()) texts[row.id] = row.text;
  double bytes = 0;
  for (const auto& row : done->rows.rows<reports::VariableRow>())
    if (row.alwaysLive && texts[row.nameId].find(part) != std::string::npos) bytes += double(row.totalBytes);
  return bytes;
}
const Settings kTuned{{"variant", "tuned"}};

std::vector<Claim> claims() {
  return {
      {"resnet50", "53 steps over all activations disappear",
       [] {
         return count(*run("resnet50"), ofKind("BatchNormalization")) -
                count(*run("resnet50", kTuned), ofKind("BatchNormalization"));
       },
       53, 53},
      {"resnet50", "and cycles fall", [] { return ratio("resnet50", "cycles", kTuned); }, 0, 0.999},
      {"vit", "takes 2 % of the cycles", [] { return shareOfCycles("vit", ofKind("Conv")); }, 0.015, 0.025},
      {"efficientnet", "takes more cycles than those convolutions",
       [] {
         const auto done = run("efficientnet");
         return cycles(*done, named("/excite/")) / cycles(*done, named("spatial/conv"));
       },
       1.0, 10},
      {"autoencoder", "are most of the flops",
       [] {
         const auto done = run("autoencoder");
         return flops(*done, named("decoder/layer6")) / flops(*done, kAll);
       },
       0.5, 1},
      {"autoencoder", "4.5 MB of input", [] { return streamed("autoencoder", "allRatings") / 1e6; }, 4.45, 4.55},
      {"autoencoder", "4.5 MB of input", [] { return streamed("autoencoder", "allRatings", kTuned); }, 0, 0},
      {"autoencoder", "Cycles fall", [] { return ratio("autoencoder", "cycles", kTuned); }, 0, 0.9},
      {"vae", "chain/ is three fifths of the cycles", [] { return shareOfCycles("vae", named("chain/")); }, 0.55, 0.65},
      {"sales-forecast", "a third of the time is host streams",
       [] { return figure("sales-forecast", "host_cycles") / figure("sales-forecast", "cycles"); }, 0.28, 0.39},
      {"sales-forecast", "a fifth is exchange",
       [] { return figure("sales-forecast", "exchange_cycles") / figure("sales-forecast", "cycles"); }, 0.16, 0.24},
      {"sales-forecast", "reaches 5 % of its peak", [] { return shareOfPeak("sales-forecast"); }, 0.045, 0.055},
      {"rl-policy", "takes nearly half of a step", [] { return shareOfCycles("rl-policy", ofKind("AllReduce")); }, 0.42, 0.5},
      {"bert", "costs more than half of what both layers cost",
       [] {
         const auto done = run("bert");
         return (cycles(*done, named("words")) + cycles(*done, named("head/decoder"))) / cycles(*done, named("/layer"));
       },
       0.5, 1},
      {"gpt2", "the head and the loss are half of the cycles",
       [] {
         const auto done = run("gpt2");
         return (cycles(*done, named("/head")) + cycles(*done, named("/loss")) + cycles(*done, named("/logSoftmax"))) /
                cycles(*done, kAll);
       },
       0.45, 0.55},
      {"data-parallel", "the state on a tile falls to a quarter",
       [] { return alwaysLiveBytes("data-parallel", "Moment", kTuned) / alwaysLiveBytes("data-parallel", "Moment"); }, 0.24,
       0.26},
      {"offload", "needs less memory", [] { return ratio("offload", "max_tile_bytes", kTuned); }, 0, 0.99},
      {"offload", "many times as long as this small step", [] { return ratio("offload", "cycles", kTuned); }, 5, 50},
      {"triangle-count", "0.4 MB cross the machine", [] { return exchanged(*run("triangle-count", kTuned)) / 1e6; }, 0.35, 0.45},
      {"triangle-count", "instead of 61", [] { return exchanged(*run("triangle-count")) / 1e6; }, 60.5, 61.5},
      {"triangle-count", "adding up one count for each worker takes longer than counting",
       [] {
         const auto done = run("triangle-count", kTuned);
         return stepCycles(*done, "/reduce/") / stepCycles(*done, "/count");
       },
       1, 100},
      {"belief-propagation", "the exchange falls by two fifths",
       [] {
         return 1 - ratio("belief-propagation", "exchange_cycles", {{"layout", "blocks"}});
       },
       0.35, 0.45},
      {"belief-propagation", "compute falls to less than half",
       [] { return ratio("belief-propagation", "compute_cycles", kTuned); }, 0, 0.5},
      {"hmc", "reaches a third of a percent of its peak", [] { return shareOfPeak("hmc"); }, 0.0028, 0.0039},
      {"spiking", "the product with all weights is half of the cycles",
       [] {
         const auto done = run("spiking");
         return stepCycles(*done, "/matmul/") / double(tests::figuresOf(done).at("cycles"));
       },
       0.4, 0.6},
      {"spiking", "serve 64 networks in three times as many cycles",
       [] {
         return ratio("spiking", "cycles", {{"batch", "64"}});
       },
       2.7, 3.3},
      {"matmul", "Cycles and memory fall", [] { return ratio("matmul", "cycles", kTuned); }, 0, 0.95},
      {"matmul", "Cycles and memory fall", [] { return ratio("matmul", "max_tile_bytes", kTuned); }, 0, 0.95},
      {"lstm", "half the steps, syncs and exchanges", [] { return ratio("lstm", "sync_cycles", kTuned); }, 0.4, 0.6},
  };
}

} // namespace

class StoriesTest : public QObject {
  Q_OBJECT
private slots:
  void figuresAreTrue_data() {
    QTest::addColumn<int>("claim");
    const auto all = claims();
    for (std::size_t i = 0; i < all.size(); ++i) QTest::addRow("%s, %s", all[i].sample, all[i].words) << int(i);
  }
  void figuresAreTrue() {
    QFETCH(int, claim);
    const Claim c = claims()[std::size_t(claim)];
    const auto& sample = samples::findSample(c.sample);
    const std::string text = sample.text + " " + sample.variant.text;
    QVERIFY2(text.find(c.words) != std::string::npos, "the story no longer says so");
    const double value = c.value();
    QVERIFY2(value >= c.low && value <= c.high, qPrintable(QString("%1, not %2 to %3").arg(value).arg(c.low).arg(c.high)));
  }
};

TILESCOPE_TEST(StoriesTest)
#include "stories_test.moc"
