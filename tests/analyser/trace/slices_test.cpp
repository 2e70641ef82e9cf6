#include "analyser/trace/slices.h"
#include "reports/rows/slice_decode.h"
#include "reports/rows/slice_track.h"
#include "reports/sqlite/reader.h"
#include "reports/sqlite/writer.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace analyser;
using namespace analyser::trace;

namespace {

// All slices of a lane, read without any of the code under test.
std::vector<Slice> scan(Session& session, TrackId track, int depth) {
  std::vector<Slice> all;
  session.reader().forEach<reports::SliceChunkRow>(
      "track_id = ? AND depth = ? ORDER BY chunk", {int64_t(track.value()), int64_t(depth)},
      [&](const reports::SliceChunkRow& row) {
        const auto c = reports::decodeChunk(row);
        for (std::size_t i = 0; i < c.size(); ++i)
          all.push_back({{c.starts[i], c.end(i)}, StringId(c.names[i]), c.categories[i], depth, c.refs[i]});
      });
  return all;
}

bool touches(const Slice& s, TickRange r) { return s.ticks.begin < r.end && (s.ticks.end > r.begin || s.ticks.begin >= r.begin); }

std::vector<TickRange> zooms(TickRange whole) {
  std::vector<TickRange> ranges{whole, {whole.begin - 1000, whole.end + 1000}};
  std::mt19937 random(7);
  for (int64_t width = whole.size(); width >= 1; width /= 3)
    for (int i = 0; i < 3; ++i) {
      const int64_t begin = whole.begin + int64_t(random() % uint64_t(whole.size()));
      ranges.push_back({begin, begin + width});
    }
  return ranges;
}

} // namespace

class SlicesTest : public QObject {
  Q_OBJECT
  static reports::TrackRow probeTrack() {
    reports::TrackRow header;
    header.id = 50;
    header.kind = "probe";
    header.tickUnit = "cycle";
    return header;
  }

private slots:
  void initTestCase() { m_session = Session::open(m_report.path().string()); }

  void tracksAndTheirRange() {
    Slices slices(*m_session, "ipu");
    QCOMPARE(slices.tracks().size(), std::size_t(2));
    QCOMPARE(slices.tracks()[1].ipu, std::optional(IpuId(1)));
    QCOMPARE(slices.range().end, std::max(slices.tracks()[0].range.end, slices.tracks()[1].range.end));
    QVERIFY(!slices.track(TrackId(99)));
  }
  // exactSlices 0 always takes the pyramid where a bucket is narrow enough; the default always reads slices here.
  void cellsAgreeWithALinearScan_data() {
    QTest::addColumn<qint64>("exactSlices");
    QTest::newRow("pyramid") << qint64(0);
    QTest::newRow("mixed") << qint64(16384);
    QTest::newRow("slices") << qint64(Slices::kExactSlices);
  }
  void cellsAgreeWithALinearScan() {
    QFETCH(qint64, exactSlices);
    Slices slices(*m_session, "ipu", exactSlices);
    int fromPyramid = 0;
    for (const Track& track : slices.tracks())
      for (int depth = 0; depth < track.depths; ++depth) {
        const auto all = scan(*m_session, track.id, depth);
        for (const TickRange range : zooms(slices.range()))
          for (const int pixels : {1, 7, 300}) {
            const Cells cells = slices.cells(track.id, depth, range, pixels);
            fromPyramid += cells.fromPyramid;
            compareWithScan(cells, all, range, pixels);
            if (QTest::currentTestFailed()) return;
          }
      }
    QCOMPARE(fromPyramid > 0, exactSlices < Slices::kExactSlices);
  }
  void slicesAgreeWithALinearScan() {
    Slices slices(*m_session, "ipu");
    const auto all = scan(*m_session, TrackId(0), 2);
    for (const TickRange range : zooms(slices.range())) {
      std::vector<int64_t> expected, found;
      for (const Slice& s : all)
        if (touches(s, range)) expected.push_back(s.ticks.begin);
      for (const Slice& s : slices.slices(TrackId(0), 2, range, 1'000'000)) found.push_back(s.ticks.begin);
      QCOMPARE(found, expected);
    }
    QCOMPARE(slices.slices(TrackId(0), 2, slices.range(), 5).size(), std::size_t(5));
    QVERIFY(slices.slices(TrackId(0), 2, slices.range(), 0).empty());
  }
  void busyTicksAreExact() {
    for (const int64_t exact : {int64_t(0), Slices::kExactSlices}) {
      Slices slices(*m_session, "ipu", exact);
      const auto all = scan(*m_session, TrackId(1), 2);
      for (const TickRange range : zooms(slices.range())) {
        CategoryTicks expected;
        for (const Slice& s : all) expected.ticks[s.category] += s.ticks.clippedTo(range).size();
        const CategoryTicks found = slices.busyTicks(TrackId(1), 2, range);
        QCOMPARE(found.ticks, expected.ticks);
        QCOMPARE(found.total(), expected.total());
      }
    }
  }
  void hitsTheSliceUnderATick() {
    Slices slices(*m_session, "ipu");
    const auto all = scan(*m_session, TrackId(0), 2);
    for (std::size_t i = 0; i < all.size(); i += 97) {
      const Slice& s = all[i];
      QCOMPARE(slices.sliceAt(TrackId(0), 2, s.ticks.begin)->ticks, s.ticks);
      QCOMPARE(slices.sliceAt(TrackId(0), 2, s.ticks.end - 1)->ticks, s.ticks);
      QCOMPARE(slices.deepestAt(TrackId(0), s.ticks.begin)->ticks, s.ticks);
      if (i + 1 < all.size()) QCOMPARE(slices.next(TrackId(0), 2, s.ticks.begin)->ticks, all[i + 1].ticks);
      if (i > 0) QCOMPARE(slices.previous(TrackId(0), 2, s.ticks.begin)->ticks, all[i - 1].ticks);
    }
    QVERIFY(!slices.sliceAt(TrackId(0), 2, -5));
    QVERIFY(!slices.next(TrackId(0), 2, all.back().ticks.begin));
    QVERIFY(!slices.previous(TrackId(0), 2, all.front().ticks.begin));
    QVERIFY(!slices.deepestAt(TrackId(77), 0));
  }
  void statisticsAgreeWithALinearScan() {
    Slices slices(*m_session, "ipu");
    const auto all = statisticsByName(slices, {}, slices.range());
    int64_t count = 0;
    for (const auto& s : all) count += s.count;
    QCOMPARE(count, slices.tracks()[0].slices + slices.tracks()[1].slices);
    const auto conv = statisticsByName(slices, {TrackId(0)}, slices.range(), "CONV0/COMPUTE");
    QCOMPARE(conv.size(), std::size_t(1));
    int64_t total = 0, times = 0;
    for (const Slice& s : scan(*m_session, TrackId(0), 2))
      if (m_session->text(s.name) == "model/conv0/compute") {
        total += s.duration();
        ++times;
      }
    QCOMPARE(conv[0].total, total);
    QCOMPARE(conv[0].count, times);
    QCOMPARE(conv[0].mean(), double(total) / double(times));
  }
  // Only ticks inside the range count, even if slices extend beyond it; the self times of scopes and steps add up to
  // the time that the outermost cover.
  void statisticsOfARangeCountItsTicksOnly() {
    Slices slices(*m_session, "ipu");
    const auto all = slices.range();
    for (const auto& [from, to] : {std::pair{0, 100}, {0, 37}, {21, 22}, {55, 90}, {99, 100}}) {
      const TickRange range{all.begin + all.size() * from / 100, all.begin + all.size() * to / 100};
      std::map<std::string, int64_t> expected;
      int64_t outermost = 0;
      for (int depth = 0; depth < slices.tracks()[0].depths; ++depth)
        for (const Slice& s : scan(*m_session, TrackId(0), depth)) {
          const int64_t ticks = std::max<int64_t>(0, s.ticks.clippedTo(range).size());
          expected[m_session->text(s.name)] += ticks;
          if (depth == 0) outermost += ticks;
        }
      int64_t self = 0;
      for (const auto& s : statisticsByName(slices, {TrackId(0)}, range)) {
        QCOMPARE(s.total, expected[s.text]);
        QVERIFY2(s.max <= range.size(), s.text.c_str());
        self += s.self;
      }
      QCOMPARE(self, outermost);
    }
  }
  void aNameInsideItselfCountsOnce() {
    const tests::TemporaryFolder folder;
    const auto path = folder / "nested.tsr";
    reports::Writer writer(path);
    tests::writeSyntheticReport(writer, {1, 4, 1});
    const reports::TrackRow header = probeTrack();
    reports::SliceTrackBuilder track(writer, header);
    // name 3 [0, 100) > name 4 [10, 90) > name 3 [20, 60)
    track.add(0, 0, 100, 3, 0);
    track.add(1, 10, 80, 4, 0);
    track.add(2, 20, 40, 3, 0);
    track.finish();
    writer.commit();
    const auto session = Session::open(path.string());
    Slices slices(*session, "probe");
    const auto list = statisticsByName(slices, {}, {0, 1000});
    QCOMPARE(list.size(), std::size_t(2));
    QCOMPARE(list[0].name, StringId(3));
    QCOMPARE(list[0].count, int64_t(2));
    QCOMPARE(list[0].total, int64_t(100)); // not 140
    QCOMPARE(list[0].mean(), 70.0);
    QCOMPARE(list[0].self, int64_t(100 - 80 + 40));
    QCOMPARE(list[1].total, int64_t(80));
  }
  // Traces of other tools hold overlapping slices; these are drawn below one another, but neither contains the other.
  void anOverlapIsNotInside() {
    const tests::TemporaryFolder folder;
    const auto path = folder / "overlap.tsr";
    reports::Writer writer(path);
    tests::writeSyntheticReport(writer, {1, 4, 1});
    const reports::TrackRow header = probeTrack();
    reports::SliceTrackBuilder track(writer, header);
    track.add(0, 0, 100, 3, 0);
    track.add(1, 10, 40, 4, 0);   // inside
    track.add(1, 60, 1000, 3, 0); // overlaps one of its own name
    track.finish();
    writer.commit();
    const auto session = Session::open(path.string());
    Slices slices(*session, "probe");
    for (const auto& s : statisticsByName(slices, {}, {0, 2000})) {
      QCOMPARE(s.total, s.name == StringId(3) ? int64_t(1100) : int64_t(40));
      QCOMPARE(s.self, s.name == StringId(3) ? int64_t(1060) : int64_t(40));
    }
  }
  void oneTickIsNeverLost() {
    // A million ticks of nothing, one tick of something, a million ticks of nothing.
    const tests::TemporaryFolder folder;
    const auto path = folder / "one.tsr";
    reports::Writer writer(path);
    tests::writeSyntheticReport(writer, {1, 4, 1});
    const reports::TrackRow header = probeTrack();
    reports::SliceTrackBuilder track(writer, header);
    track.add(0, 1'000'000, 1, 0, 3, -1);
    track.add(0, 2'000'000, 0, 0, 4, -1); // and one without duration
    track.finish();
    writer.commit();
    const auto session = Session::open(path.string());
    for (const int64_t exact : {int64_t(0), Slices::kExactSlices}) {
      Slices slices(*session, "probe", exact);
      for (const int pixels : {1, 2, 100, 5000}) {
        int64_t found = 0, busy = 0;
        for (const Cell& c : slices.cells(TrackId(50), 0, {0, 3'000'000}, pixels).cells) {
          found += c.slices;
          busy += c.busy;
        }
        QCOMPARE(found, int64_t(2));
        QCOMPARE(busy, int64_t(1));
      }
    }
  }
  void cancels() {
    Slices slices(*m_session, "ipu");
    std::stop_source stop;
    stop.request_stop();
    QVERIFY_EXCEPTION_THROWN(slices.cells(TrackId(0), 2, slices.range(), 100, stop.get_token()), reports::Cancelled);
  }

private:
  static void compareWithScan(const Cells& cells, const std::vector<Slice>& all, TickRange range, int pixels) {
    QVERIFY(cells.cells.size() <= std::size_t(2 * pixels + 3) || !cells.fromPyramid);
    QVERIFY(cells.cells.size() <= std::size_t(3 * pixels + 3));
    int64_t end = std::numeric_limits<int64_t>::min();
    std::size_t i = 0; // cells ascend, so one pass over the slices serves all
    for (const Cell& c : cells.cells) {
      QVERIFY(c.ticks.begin >= end);
      end = c.ticks.end;
      while (i < all.size() && all[i].ticks.end <= c.ticks.begin && all[i].ticks.begin < c.ticks.begin) ++i;
      int64_t starts = 0, busy = 0, widest = 0;
      for (std::size_t k = i; k < all.size() && all[k].ticks.begin < std::max(c.ticks.end, c.ticks.begin + 1); ++k) {
        starts += all[k].ticks.begin >= c.ticks.begin;
        busy += all[k].ticks.clippedTo(c.ticks).size();
        widest = std::max(widest, all[k].duration());
      }
      QCOMPARE(c.slices, starts);
      QCOMPARE(c.busy, busy);
      QCOMPARE(c.widest, widest);
      if (c.exact) QCOMPARE(c.slices, int64_t(1));
    }
    // Every slice in the range is in some cell.
    std::size_t cell = 0;
    for (const Slice& s : all) {
      if (!touches(s, range)) continue;
      while (cell < cells.cells.size() && cells.cells[cell].ticks.end <= s.ticks.begin && !s.ticks.empty()) ++cell;
      QVERIFY(cell < cells.cells.size());
      QVERIFY(cells.cells[cell].ticks.begin <= std::max(s.ticks.begin, range.begin));
    }
  }

  tests::TinyReport m_report{tests::ReportShape{2, 8, 3, 200'000}};
  std::shared_ptr<Session> m_session;
};

TILESCOPE_TEST(SlicesTest)
#include "slices_test.moc"
