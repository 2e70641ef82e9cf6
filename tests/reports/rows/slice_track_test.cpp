// The pyramid adds up at every level and agrees with a linear scan; chunks decode to what was added; odd slices are counted.
#include "reports/core/error.h"
#include "reports/rows/slice_decode.h"
#include "reports/rows/slice_track.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>
#include <random>

using namespace reports;
using tests::RowCollector;

namespace {

struct Slice {
  int depth;
  int64_t start, duration, name;
  uint8_t category;
  int64_t ref;
};

TrackRow header() {
  TrackRow track;
  track.id = 3;
  track.kind = "ipu";
  track.name = "IPU 0";
  track.tickUnit = "cycle";
  track.provenance = "simulated";
  return track;
}

RowCollector build(const std::vector<Slice>& slices) {
  RowCollector rows;
  SliceTrackBuilder builder(rows, header());
  for (const auto& s : slices) builder.add(s.depth, s.start, s.duration, s.name, s.category, s.ref);
  builder.finish();
  return rows;
}

// Random valid slices on `depths` depths; `pattern` changes how time is filled.
std::vector<Slice> make(const QByteArray& pattern, int count, int depths) {
  std::mt19937_64 random(42);
  std::vector<int64_t> now(std::size_t(depths), 0);
  std::vector<Slice> slices;
  for (int i = 0; i < count; ++i) {
    const int depth = int(random() % uint64_t(depths));
    auto& at = now[std::size_t(depth)];
    int64_t gap = 0, duration = 1 + int64_t(random() % 1000);
    if (pattern == "bursts" && random() % 500 == 0) gap = int64_t(random() % 50'000'000);
    if (pattern == "long ones" && random() % 1000 == 0) duration *= 1'000'000;
    if (pattern == "instants" && random() % 3 == 0) duration = 0;
    if (pattern == "sparse") gap = int64_t(random() % 1'000'000'000);
    if (pattern == "one long first" && i == 0) duration = int64_t(1) << 50;
    slices.push_back({depth, at + gap, duration, int64_t(random() % 300), uint8_t(random() % 5), int64_t(random() % 2000) - 1});
    at += gap + duration;
  }
  return slices;
}

// One bucket, computed from the slices alone.
struct Expected {
  int64_t slices = 0, widest = -1, widestName = 0;
  std::map<uint8_t, int64_t> busy;
};
std::map<int64_t, Expected> scan(const std::vector<Slice>& slices, int depth, int shift) {
  std::map<int64_t, Expected> buckets;
  for (const auto& s : slices) {
    if (s.depth != depth) continue;
    const int64_t end = s.start + s.duration, first = s.start >> shift;
    ++buckets[first].slices;
    for (int64_t i = first; i == first || (i << shift) < end; ++i) {
      auto& b = buckets[i];
      b.busy[s.category] += std::min(end, (i + 1) << shift) - std::max(s.start, i << shift);
      if (s.duration > b.widest) {
        b.widest = s.duration;
        b.widestName = s.name;
      }
    }
  }
  return buckets;
}

void compareLevel(const SliceLevel& level, const std::map<int64_t, Expected>& expected) {
  QCOMPARE(level.buckets.size(), expected.size());
  auto it = expected.begin();
  for (const auto& bucket : level.buckets) {
    const auto& [index, want] = *it++;
    QCOMPARE(bucket.index, index);
    QCOMPARE(bucket.slices, want.slices);
    QCOMPARE(bucket.widestTicks, want.widest);
    QCOMPARE(int64_t(bucket.widestName), want.widestName);
    std::map<uint8_t, int64_t> busy;
    for (const auto& share : level.sharesOf(bucket)) busy[share.category] = share.busyTicks;
    QVERIFY(busy == want.busy);
  }
}

int64_t issueCount(const RowCollector& rows, const QString& word) {
  int64_t n = 0;
  for (const auto& issue : rows.rows<ReportIssueRow>())
    if (QString::fromStdString(issue.message).contains(word)) n += issue.count;
  return n;
}

} // namespace

class SliceTrackTest : public QObject {
  Q_OBJECT
private slots:
  void pyramid_data() {
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("depths");
    for (const char* pattern : {"dense", "bursts", "long ones", "instants", "sparse", "one long first"})
      for (const int count : {1, 100, 70'000})
        QTest::addRow("%s %d", pattern, count) << QByteArray(pattern) << count << (count == 100 ? 3 : 1);
  }
  void pyramid() {
    QFETCH(QByteArray, pattern);
    QFETCH(int, count);
    QFETCH(int, depths);
    const auto slices = make(pattern, count, depths);
    const auto rows = build(slices);
    for (int depth = 0; depth < depths; ++depth) {
      int64_t level = 0, onDepth = 0;
      for (const auto& s : slices) onDepth += s.depth == depth;
      for (const auto& row : rows.rows<SliceLevelRow>()) {
        if (row.depth != depth) continue;
        QCOMPARE(row.trackId, int64_t(3));
        QCOMPARE(row.level, level++);
        const auto decoded = decodeLevel(row);
        if (row.level == 0) QVERIFY(row.buckets <= std::max<int64_t>(64, onDepth / 64));
        compareLevel(decoded, scan(slices, depth, decoded.shift));
        QVERIFY(encodeLevel(decoded) == row.data);
      }
      QVERIFY(level > 0 || onDepth == 0);
      if (level > 0) QVERIFY(rows.rows<SliceLevelRow>().back().buckets <= 64);
    }
  }

  void chunks() {
    const auto slices = make("bursts", 50'000, 2);
    const auto rows = build(slices);
    int64_t total = 0;
    for (int depth = 0; depth < 2; ++depth) {
      SliceColumns all;
      int64_t chunk = 0;
      for (const auto& row : rows.rows<SliceChunkRow>()) {
        if (row.depth != depth) continue;
        QCOMPARE(row.chunk, chunk++);
        const std::size_t before = all.size();
        appendChunk(row, all);
        QCOMPARE(all.starts[before], row.firstTick);
        QCOMPARE(all.end(all.size() - 1), row.endTick);
        QVERIFY(row.slices == kSlicesPerChunk || all.size() % std::size_t(kSlicesPerChunk) != 0);
      }
      std::size_t i = 0;
      for (const auto& s : slices) {
        if (s.depth != depth) continue;
        QVERIFY(i < all.size());
        QCOMPARE(all.starts[i], s.start);
        QCOMPARE(all.durations[i], s.duration);
        QCOMPARE(int64_t(all.names[i]), s.name);
        QCOMPARE(all.categories[i], s.category);
        QCOMPARE(int64_t(all.refs[i]), s.ref);
        ++i;
      }
      QCOMPARE(i, all.size());
      total += int64_t(i);
    }
    const auto& track = rows.rows<TrackRow>().at(0);
    QCOMPARE(track.slices, total);
    QCOMPARE(track.depths, int64_t(2));
    QVERIFY(rows.rows<ReportIssueRow>().empty());
  }

  void sizeOfAUsualTrace() {
    const auto slices = make("dense", 200'000, 1);
    const auto rows = build(slices);
    std::size_t bytes = 0;
    for (const auto& c : rows.rows<SliceChunkRow>())
      bytes += c.gaps.size() + c.durations.size() + c.names.size() + c.categories.size() + c.refs.size();
    for (const auto& l : rows.rows<SliceLevelRow>()) bytes += l.data.size();
    QVERIFY2(double(bytes) / 200'000 < 8.5, QByteArray::number(double(bytes) / 200'000));
  }

  // Slices that break the rules are clipped and counted, never dropped.
  void F12_overlapIsClipped() {
    const auto rows =
        build({{0, 10, 10, 1, 0, -1}, {0, 15, 10, 2, 1, -1}, {0, 16, 2, 3, 1, -1}, {0, 5, 1, 4, 2, -1}, {0, 30, 5, 5, 0, -1}});
    QCOMPARE(issueCount(rows, "overlap"), int64_t(3));
    const auto slices = decodeChunk(rows.rows<SliceChunkRow>().at(0));
    QCOMPARE(slices.starts, (std::vector<int64_t>{10, 20, 25, 25, 30}));
    QCOMPARE(slices.durations, (std::vector<int64_t>{10, 5, 0, 0, 5}));
    QCOMPARE(rows.rows<TrackRow>().at(0).slices, int64_t(5));
  }
  void F12_oddNumbersAreClipped() {
    const int64_t huge = std::numeric_limits<int64_t>::max();
    const auto rows = build({{0, -20, 30, 1, 0, -1},
                             {0, 50, -5, 1, 0, -1},
                             {0, 60, huge, 1, 0, -1},
                             {1, huge, huge, 1, 0, -1},
                             {2, std::numeric_limits<int64_t>::min(), 5, 1, 0, -1}});
    QCOMPARE(issueCount(rows, "before tick 0"), int64_t(2));
    QCOMPARE(issueCount(rows, "before they start"), int64_t(1));
    QCOMPARE(issueCount(rows, "last tick"), int64_t(2));
    QCOMPARE(rows.rows<TrackRow>().at(0).firstTick, int64_t(0));
    QCOMPARE(rows.rows<TrackRow>().at(0).endTick, kMaxTick);
    for (const auto& row : rows.rows<SliceChunkRow>()) QVERIFY(decodeChunk(row).size() > 0);
    for (const auto& row : rows.rows<SliceLevelRow>()) decodeLevel(row);
  }
  void deepNestingIsBounded() {
    const auto rows = build({{kMaxDepth + 5, 0, 10, 1, 0, -1}, {kMaxDepth - 1, 20, 5, 1, 0, -1}});
    QCOMPARE(issueCount(rows, "deeply"), int64_t(1));
    QCOMPARE(rows.rows<TrackRow>().at(0).depths, int64_t(kMaxDepth));
  }

  void emptyTrack() {
    const auto rows = build({});
    QCOMPARE(rows.rows<TrackRow>().size(), std::size_t(1));
    QVERIFY(rows.rows<SliceChunkRow>().empty());
    QVERIFY(rows.rows<SliceLevelRow>().empty());
  }

  void misuseIsAnError() {
    RowCollector rows;
    SliceTrackBuilder builder(rows, header());
    QVERIFY_EXCEPTION_THROWN(builder.add(-1, 0, 1, 0, 0), Error);
    QVERIFY_EXCEPTION_THROWN(builder.add(0, 0, 1, -1, 0), Error);
    QVERIFY_EXCEPTION_THROWN(builder.add(0, 0, 1, 0, 0, -2), Error);
    builder.finish();
    QVERIFY_EXCEPTION_THROWN(builder.finish(), Error);
    QVERIFY_EXCEPTION_THROWN(builder.add(0, 0, 1, 0, 0), Error);
  }

  // Any change of any byte gives valid slices or an exception, nothing else.
  void F3_damagedChunksNeverEscape() {
    const auto rows = build(make("bursts", 3000, 1));
    std::mt19937 random(1);
    int refused = 0;
    for (int seed = 0; seed < 5000; ++seed) {
      SliceChunkRow row = rows.rows<SliceChunkRow>().at(0);
      Blob* const columns[] = {&row.gaps, &row.durations, &row.names, &row.categories, &row.refs};
      Blob& blob = *columns[random() % 5];
      switch (random() % 4) {
      case 0: blob[random() % blob.size()] ^= uint8_t(1u << random() % 8); break;
      case 1: blob.resize(random() % blob.size()); break;
      case 2: blob.push_back(uint8_t(random())); break;
      default: row.slices = int64_t(random()) - 1000; break;
      }
      SliceColumns out;
      out.starts.push_back(7);
      out.durations.push_back(7);
      out.names.push_back(7);
      out.categories.push_back(7);
      out.refs.push_back(7);
      try {
        appendChunk(row, out);
        for (std::size_t i = 1; i < out.size(); ++i) QVERIFY(out.durations[i] >= 0 && out.end(i) <= row.endTick);
      } catch (const Error& error) {
        ++refused;
        QCOMPARE(int(error.code()), int(ErrorCode::Damaged));
        QCOMPARE(out.size(), std::size_t(1));
        QCOMPARE(out.refs.size(), std::size_t(1));
      }
    }
    QVERIFY(refused > 2000);
  }
  void F3_damagedLevelsNeverEscape() {
    const auto rows = build(make("bursts", 30'000, 1));
    std::mt19937 random(2);
    int refused = 0;
    for (int seed = 0; seed < 5000; ++seed) {
      SliceLevelRow row = rows.rows<SliceLevelRow>().at(0);
      switch (random() % 4) {
      case 0: row.data[random() % row.data.size()] ^= uint8_t(1u << random() % 8); break;
      case 1: row.data.resize(random() % row.data.size()); break;
      case 2: row.buckets = int64_t(random()) - 5; break;
      default: row.bucketShift = int64_t(random() % 200) - 50; break;
      }
      try {
        const auto level = decodeLevel(row);
        for (const auto& b : level.buckets) QVERIFY(level.busyTicks(b) <= level.bucketTicks());
      } catch (const Error& error) {
        ++refused;
        QCOMPARE(int(error.code()), int(ErrorCode::Damaged));
      }
    }
    QVERIFY(refused > 2000);
  }
};

TILESCOPE_TEST(SliceTrackTest)
#include "slice_track_test.moc"
