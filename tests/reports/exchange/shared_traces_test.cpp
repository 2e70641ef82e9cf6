// Real trace files, compared with counts made by a program that shares no code with ours. The files are outside of this repository;
// without them the test is skipped.
#include "tests/reports/exchange/imported.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace reports;
using namespace reports::exchange;
using nlohmann::json;

namespace {

const std::filesystem::path kTraces = TILESCOPE_SOURCE_DIR "/../shared/traces";

json oracle() {
  std::ifstream in(kTraces / "counts.json");
  return in ? json::parse(in) : json();
}

// Nanoseconds of a decimal number of microseconds, or of another unit.
int64_t nanoseconds(const json& decimal, long double unit = 1000.0L) {
  if (!decimal.is_string()) return 0;
  return int64_t(std::llround(std::stold(decimal.get<std::string>()) * unit));
}

void compareChrome(const tests::Imported& trace, const json& wanted) {
  const ImportCounts& c = trace.counts();
  QCOMPARE(c.slices, wanted["slices"].get<int64_t>());
  QCOMPARE(c.instants, wanted["instants"]["i"].get<int64_t>() + wanted["instants"]["I"].get<int64_t>() +
                           wanted["instants"]["R"].get<int64_t>());
  QCOMPARE(c.counterSamples, wanted["counter_events"].get<int64_t>());
  QCOMPARE(c.counterSeries, wanted["counter_series_numeric"].get<int64_t>());
  QCOMPARE(c.processes, wanted["pids"].get<int64_t>());
  QCOMPARE(c.threads, wanted["slice_tracks"].get<int64_t>());
  QCOMPARE(c.metadataEvents, wanted["metadata"].get<int64_t>());
  QCOMPARE(c.durationNanoseconds, nanoseconds(wanted["max_end"]) - nanoseconds(wanted["min_ts"]));
  QCOMPARE(trace.mended(Mend::UnclosedBegins), wanted["BE_in_time_order"]["unmatched_B"].get<int64_t>());
  QCOMPARE(trace.mended(Mend::UnmatchedEnds), wanted["BE_in_time_order"]["unmatched_E"].get<int64_t>());
  QCOMPARE(trace.mended(Mend::NegativeDurations), wanted["X_negative_dur"].get<int64_t>());
  QCOMPARE(trace.mended(Mend::EventsWithoutTime), wanted["events_without_ts"].get<int64_t>());
  QCOMPARE(trace.mended(Mend::TornFile) > 0, wanted.contains("unterminated"));
  // If each flow id is used once, a flow is an id with a start and an end.
  const int64_t starts = wanted["flow"]["s"], keys = wanted["flow_keys_with_start_and_end"];
  if (wanted["flow_bound_out"] == 0 &&
      wanted["flow_keys"] == wanted["flow_keys_start_only"].get<int64_t>() + keys + wanted["flow_keys_end_only"].get<int64_t>() &&
      starts == keys + wanted["flow_keys_start_only"].get<int64_t>())
    QCOMPARE(c.flows, keys);
  // Every slice is in the report, also those that were mended.
  int64_t stored = 0;
  for (const auto& row : trace.rows.rows<SliceChunkRow>()) stored += row.slices;
  QVERIFY(stored >= c.slices + c.asyncSlices);
  int64_t flows = 0;
  for (const auto& row : trace.rows.rows<FlowChunkRow>()) flows += row.flows;
  QCOMPARE(flows, c.flowArrows);
}

} // namespace

class SharedTracesTest : public QObject {
  Q_OBJECT
private slots:
  void countsAgree_data() {
    QTest::addColumn<QString>("file");
    const json all = oracle();
    if (all.is_null()) QTest::newRow("absent") << QString();
    for (const auto& [file, counts] : all.items()) QTest::newRow(file.c_str()) << QString::fromStdString(file);
  }
  void countsAgree() {
    QFETCH(QString, file);
    if (file.isEmpty()) QSKIP("../shared/traces is not here");
    const json wanted = oracle()[file.toStdString()];
    ImportRequest request;
    request.files = {kTraces / file.toStdString()};
    const auto trace = tests::importFiles(request);
    const std::string kind = wanted["kind"];
    const ImportCounts& c = trace.counts();
    if (kind == "chrome-json") {
      compareChrome(trace, wanted);
    } else if (kind == "perf-script") {
      QCOMPARE(c.samples, wanted["samples"].get<int64_t>());
      QCOMPARE(c.threads, wanted["threads"].get<int64_t>());
      QCOMPARE(c.durationNanoseconds, nanoseconds(wanted["max_time"], 1e9L) - nanoseconds(wanted["min_time"], 1e9L));
      QCOMPARE(trace.mended(Mend::LinesNotRead), wanted["unread_lines"].get<int64_t>());
      QCOMPARE(trace.mended(Mend::SamplesWithoutStack), wanted["samples_without_stack"].get<int64_t>());
    } else if (kind == "folded") {
      QCOMPARE(c.samples, std::stoll(wanted["total"].get<std::string>()));
      QCOMPARE(trace.mended(Mend::LinesNotRead), wanted["unread_lines"].get<int64_t>());
    } else if (kind == "speedscope") {
      int64_t samples = 0, events = 0;
      for (const auto& profile : wanted["profiles"]) {
        samples += profile.value("samples", 0);
        if (profile.contains("by_type")) events += profile["by_type"].value("C", 0);
      }
      QCOMPARE(c.samples, samples);
      if (samples == 0) QCOMPARE(c.slices, events);
    } else if (kind == "perfetto") {
      QCOMPARE(c.slices, wanted["atrace_pairs"].get<int64_t>() + wanted["track_events_by_type"].value("slice_end", int64_t(0)));
      QCOMPARE(trace.mended(Mend::UnclosedBegins), wanted["atrace_unmatched_B"].get<int64_t>());
      QCOMPARE(c.threads, wanted["atrace_slice_threads"].get<int64_t>());
    } else {
      QFAIL(("no comparison for the kind " + kind).c_str());
    }
  }
};

TILESCOPE_TEST(SharedTracesTest)
#include "shared_traces_test.moc"
