// A recording of tilescope_trace becomes a report: slices with their metadata, instants, counters and heatmaps.
#include "reports/recording/tilescope_trace.h"
#include "reports/rows/host_decode.h"
#include "tests/reports/exchange/imported.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;
using namespace reports::exchange;
using tests::Imported;

class RecordingTraceTest : public QObject {
  Q_OBJECT

  static Imported recorded(const std::function<void(const tilescope_trace::Channel&)>& program, bool stopFirst = true) {
    const tests::TemporaryFolder folder;
    tilescope_trace::Options options;
    options.directory = folder.path().string();
    options.file = "run.tsrec";
    tilescope_trace::start(options);
    const tilescope_trace::Channel channel("work");
    program(channel);
    if (stopFirst) tilescope_trace::stop();
    ImportRequest request;
    request.files = {folder / "run.tsrec"};
    Imported imported = tests::importFiles(request);
    tilescope_trace::stop();
    return imported;
  }

private slots:
  void everythingIsThere() {
    const Imported imported = recorded([](const tilescope_trace::Channel& channel) {
      tilescope_trace::nameThread("trainer");
      for (int i = 0; i < 3; ++i) {
        const tilescope_trace::Scope step(channel, "step", R"({"number": 1})");
        const tilescope_trace::Scope inner(channel, "inner");
        tilescope_trace::instant(channel, "flag");
      }
      const auto loss = tilescope_trace::Graph("Loss", "%").addSeries("training");
      loss.add(2);
      loss.add(1);
      tilescope_trace::Heatmap("weights", {-1, 0, 1}).add({-5, -0.5, 0, 0.5});
    });
    QCOMPARE(imported.result.files[0].format, TraceFormat::Recording);
    QCOMPARE(imported.counts().slices, int64_t(6));
    QCOMPARE(imported.counts().instants, int64_t(3));
    QCOMPARE(imported.counts().counterSamples, int64_t(2));
    QCOMPARE(imported.counts().counterSeries, int64_t(1));
    QCOMPARE(imported.counts().threads, int64_t(1));
    const auto slices = imported.slices();
    QCOMPARE(slices.size(), std::size_t(6));
    QCOMPARE(slices[0].name, std::string("step"));
    QCOMPARE(slices[0].details, std::string(R"({"number": 1})"));
    QCOMPARE(slices[3].name, std::string("inner"));
    QCOMPARE(slices[3].depth, int64_t(1));
    QCOMPARE(imported.rows.rows<HostThreadRow>().at(0).name, std::string("trainer"));
    QVERIFY(imported.rows.rows<HostProcessRow>().at(0).startUnixNanoseconds.value_or(0) > 0);
    const auto& series = imported.rows.rows<CounterSeriesRow>().at(0);
    QCOMPARE(series.graph + "|" + series.unit + "|" + series.name, std::string("Loss|%|training"));
    QCOMPARE(series.samples, int64_t(2));
    const auto& heatmap = imported.rows.rows<HeatmapRow>().at(0);
    QCOMPARE(heatmap.bins, int64_t(3)); // an extra bin below the first edge, none above the last
    QCOMPARE(heatmap.samples, int64_t(1));
    for (const int64_t n : imported.result.total.mended) QCOMPARE(n, int64_t(0));
  }

  // A file that is still written, with a slice open.
  void whileItIsWritten() {
    const Imported imported = recorded(
        [](const tilescope_trace::Channel& channel) {
          tilescope_trace::begin(channel, "open");
          const tilescope_trace::Scope closed(channel, "closed");
        },
        false);
    QCOMPARE(imported.counts().slices, int64_t(1));
    QCOMPARE(imported.mended(Mend::UnclosedBegins), int64_t(1));
    QCOMPARE(imported.slices().size(), std::size_t(2));
  }
};

TILESCOPE_TEST(RecordingTraceTest)
#include "recording_trace_test.moc"
