// The same run gives the same report with any number of threads: all tables, columns and rows except wall-clock values.
#include "simcore/run/simulate.h"
#include "simcore/samples/sample.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace simcore;
using reports::Blob;
using tests::RowCollector;

namespace {

void text(std::string& out, int64_t v) { out += std::to_string(v) + ' '; }
void text(std::string& out, double v) {
  char exact[40];
  std::snprintf(exact, sizeof exact, "%a ", v);
  out += exact;
}
void text(std::string& out, const std::string& v) { out += v + ' '; }
void text(std::string& out, const Blob& v) { out.append(reinterpret_cast<const char*>(v.data()), v.size()); }
template<class T> void text(std::string& out, const std::optional<T>& v) {
  if (v)
    text(out, *v);
  else
    out += "NULL ";
}

// Tracks of host threads hold wall-clock time, and so do the tables about them.
std::set<int64_t> hostTracks(const RowCollector& rows) {
  std::set<int64_t> ids;
  for (const auto& t : rows.rows<reports::TrackRow>())
    if (t.kind == "host_thread") ids.insert(t.id);
  return ids;
}

template<class Row> std::string contents(const RowCollector& rows) {
  const std::set<int64_t> measured = hostTracks(rows);
  std::string out;
  for (const Row& row : rows.rows<Row>()) {
    if constexpr (requires { row.trackId; })
      if (measured.count(row.trackId)) continue;
    if constexpr (std::is_same_v<Row, reports::TrackRow>)
      if (measured.count(row.id)) continue;
    if constexpr (std::is_same_v<Row, reports::MetadataRow>)
      if (row.key == "created_utc") continue;
    if constexpr (std::is_same_v<Row, reports::HostProcessRow>) continue; // pid and start
    std::apply([&](const auto&... c) { (text(out, row.*(c.member)), ...); }, Row::columns());
    out += '\n';
  }
  return out;
}

struct Outcome {
  RowCollector rows;
  run::SimulateResult result;
};

void simulate(const std::string& sample, const std::map<std::string, std::string>& settings, int threads, bool half, Outcome& out,
              int64_t seed = 3) {
  const auto& s = samples::findSample(sample);
  samples::BuildOptions build;
  build.machine = arch::findMachine("gc200", 1);
  build.type = half ? numerics::ElementType::Half : numerics::ElementType::Float;
  build.seed = seed;
  const auto load = s.build(samples::Parameters(s.name, s.parameters, settings), build);
  run::SimulateOptions options;
  options.seed = seed;
  options.engineOptions.set("opt.maxCompilationThreads", std::to_string(threads), "test");
  if (half) options.engineOptions.set("prng.enableStochasticRounding", "true", "test");
  run::HostTimeline timeline("test");
  reports::NoProgress none;
  out.result = run::simulate(load, options, out.rows, timeline, {}, none);
}

// Names of tables that differ.
QStringList differences(const RowCollector& a, const RowCollector& b) {
  QStringList names;
  reports::forEachTable([&]<class Row>() {
    if (contents<Row>(a) != contents<Row>(b)) names << QString::fromUtf8(Row::kTable.data(), int(Row::kTable.size()));
  });
  return names;
}

} // namespace

class DeterminismTest : public QObject {
  Q_OBJECT
private slots:
  void theSameReportWithOneThreadAndTwo_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<bool>("half");
    QTest::newRow("matmul") << "matmul" << false;
    QTest::newRow("training") << "mlp" << false;
    QTest::newRow("training in fp16, rounded by chance") << "mlp" << true;
    QTest::newRow("custom vertices") << "custom-vertex" << false;
  }
  void theSameReportWithOneThreadAndTwo() {
    QFETCH(QString, sample);
    QFETCH(bool, half);
    const std::map<std::string, std::string> settings =
        sample == "matmul" ? std::map<std::string, std::string>{{"m", "257"}, {"k", "190"}, {"n", "311"}}
                           : std::map<std::string, std::string>{};
    Outcome first, again, threads;
    simulate(sample.toStdString(), settings, 1, half, first);
    simulate(sample.toStdString(), settings, 1, half, again);
    simulate(sample.toStdString(), settings, 2, half, threads);
    QVERIFY(first.rows.rows<reports::StepProfileRow>().size() > 1);
    QCOMPARE(differences(first.rows, again.rows), QStringList());
    // The report contains the option for the number of threads, which is the only difference.
    QCOMPARE(differences(first.rows, threads.rows), QStringList{"engine_option"});
    for (const auto& [stream, values] : first.result.outputs) {
      const auto& other = threads.result.outputs.at(stream);
      QCOMPARE(values.size(), other.size());
      for (std::size_t i = 0; i < values.size(); ++i) QVERIFY(values[i].identicalTo(other[i]));
    }
  }

  void anotherSeedIsAnotherRun() {
    Outcome one, other;
    simulate("mlp", {}, 1, true, one, 3);
    simulate("mlp", {}, 1, true, other, 4);
    bool same = true;
    for (const auto& [stream, values] : one.result.outputs)
      for (std::size_t i = 0; i < values.size(); ++i) same &= values[i].identicalTo(other.result.outputs.at(stream).at(i));
    QVERIFY(!same);
  }
};

TILESCOPE_TEST(DeterminismTest)
#include "determinism_test.moc"
