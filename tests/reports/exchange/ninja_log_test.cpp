// Logs of ninja: what ran when, on lanes; several builds of a log; damaged lines.
#include "tests/reports/exchange/exported.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;
using namespace reports::exchange;

class NinjaLogTest : public QObject {
  Q_OBJECT

  static constexpr int64_t kMillisecond = 1'000'000;

  static tests::Imported imported(const std::string& lines) {
    return tests::importText("# ninja log v5\n" + lines, "a.ninja_log");
  }
  static std::vector<std::string> lanes(const tests::Imported& trace) {
    std::vector<std::string> names;
    for (const auto& row : trace.rows.rows<HostThreadRow>()) names.push_back(row.name);
    return names;
  }
  static std::vector<std::string> notices(const tests::Imported& trace) {
    std::vector<std::string> texts;
    for (const auto& row : trace.rows.rows<ReportIssueRow>()) texts.push_back(row.message);
    return texts;
  }

private slots:
  // Two ran at once, and the third on the lane that was free first. Each command ends no earlier than the one above it.
  void commandsRunOnLanes() {
    const auto trace = imported("3\t900\t17\tobj/b.o\t2b\n0\t1200\t17\tobj/a.o\t1a\n900\t1500\t18\tbin/app\t3c\n");
    QCOMPARE(trace.counts().slices, int64_t(3));
    QCOMPARE(lanes(trace), (std::vector<std::string>{"commands 1", "commands 2"}));
    QCOMPARE(trace.counts().threads, int64_t(2));
    std::map<std::string, std::pair<int64_t, int64_t>> times;
    for (const auto& slice : trace.slices()) times[slice.name] = {slice.start, slice.end};
    QCOMPARE(times.at("obj/a.o"), (std::pair<int64_t, int64_t>(0, 1200 * kMillisecond)));
    QCOMPARE(times.at("obj/b.o"), (std::pair<int64_t, int64_t>(3 * kMillisecond, 900 * kMillisecond)));
    QCOMPARE(times.at("bin/app"), (std::pair<int64_t, int64_t>(900 * kMillisecond, 1500 * kMillisecond)));
    QVERIFY(notices(trace).empty());
  }
  void outputsOfOneCommandAreOneSlice() {
    const auto trace = imported("0\t10\t17\tlib/a.so\t1a\n0\t10\t17\tlib/a.map\t1a\n0\t10\t17\tobj/b.o\t2b\n");
    QCOMPARE(trace.counts().slices, int64_t(2));
    std::set<std::string> names;
    for (const auto& slice : trace.slices()) names.insert(slice.name);
    QCOMPARE(names, (std::set<std::string>{"lib/a.so and 1 other", "obj/b.o"}));
  }
  // An earlier end is of the next build. Its times count from its own start, so it is drawn behind the first one.
  void buildsAreDrawnOneAfterAnother() {
    const auto trace = imported("0\t1000\t17\tobj/a.o\t1a\n1000\t1500\t18\tbin/app\t3c\n0\t400\t19\tobj/a.o\t1a\n");
    QCOMPARE(trace.counts().slices, int64_t(5));
    std::map<std::string, std::pair<int64_t, int64_t>> times;
    for (const auto& slice : trace.slices()) times[slice.name] = {slice.start, slice.end};
    QCOMPARE(times.at("build 1"), (std::pair<int64_t, int64_t>(0, 1500 * kMillisecond)));
    QCOMPARE(times.at("build 2"), (std::pair<int64_t, int64_t>(1500 * kMillisecond, 1900 * kMillisecond)));
    QCOMPARE(times.at("obj/a.o"), (std::pair<int64_t, int64_t>(1500 * kMillisecond, 1900 * kMillisecond)));
    QCOMPARE(notices(trace).size(), std::size_t(1));
    QVERIFY(notices(trace)[0].find("one after another") != std::string::npos);
  }
  void damagedLinesAreCounted() {
    const auto trace =
        imported("0\t10\t17\tobj/a.o\t1a\nnot a line\n5\t2\t0\tends/before.it\t1\n-1\t2\t0\tnegative\t1\n0\t12\t0\t\t1\n"
                 "0\t99999999999999999999\t0\tlong\t1\n0\t20\t17\tobj/b.o\t2b");
    QCOMPARE(trace.counts().slices, int64_t(2));
    QCOMPARE(trace.counts().mended[std::size_t(Mend::LinesNotRead)], int64_t(5));
  }
  void aCompactedLogIsRefused() {
    std::string lines;
    for (int i = 0; i < 20; ++i)
      lines += "0\t" + std::to_string(1000 - i) + "\t17\tobj/" + std::to_string(i) + ".o\t" + std::to_string(i) + "\n";
    QVERIFY_THROWS_EXCEPTION(Error, imported(lines));
  }
  void anotherVersionIsRefused() {
    QVERIFY_THROWS_EXCEPTION(Error, tests::importText("# ninja log v4\n0\t1\t2\ta.o\tcc\n", "old.ninja_log"));
    QVERIFY_THROWS_EXCEPTION(Error, tests::importText("# ninja log v99\n0\t1\t2\ta.o\tcc\n", "new.ninja_log"));
  }
};

TILESCOPE_TEST(NinjaLogTest)
#include "ninja_log_test.moc"
