// Slices that are kept packed in memory are unpacked unchanged and in order.
#include "reports/exchange/packed_slices.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace reports::exchange;

class PackedSlicesTest : public QObject {
  Q_OBJECT
private slots:
  void slicesComeOutAsTheyWentIn() {
    std::mt19937_64 random(7);
    TraceTrack track;
    std::vector<TraceSlice> wanted;
    for (std::size_t i = 0; i < 3 * kSlicesToPack + 100; ++i) {
      const int64_t start = int64_t(random() % 1'000'000'000'000) - 5000; // a trace may begin before 0
      const int64_t duration = i % 5 == 0 ? 0 : int64_t(random() % (int64_t(1) << (i % 50)));
      wanted.push_back(
          {start, start + duration, uint32_t(random()), int32_t(random() % 100) - 1, uint32_t(random()), uint8_t(random()), 0});
      track.slices.push_back(wanted.back());
      packSlices(track);
      QVERIFY(track.slices.size() < kSlicesToPack);
    }
    QCOMPARE(track.packed.size(), std::size_t(3));
    QCOMPARE(track.slices.size(), std::size_t(100));
    unpackSlices(track);
    QVERIFY(track.packed.empty());
    QCOMPARE(track.slices.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const TraceSlice &a = track.slices[i], &b = wanted[i];
      QVERIFY(std::tie(a.start, a.end, a.name, a.details, a.order, a.channel, a.level) ==
              std::tie(b.start, b.end, b.name, b.details, b.order, b.channel, b.level));
    }
  }
  // Real slices of a thread lie close together.
  void theyAreSmall() {
    TraceTrack track;
    for (std::size_t i = 0; i < kSlicesToPack; ++i) {
      track.slices.push_back({int64_t(i) * 900, int64_t(i) * 900 + 850, uint32_t(i % 90), -1, uint32_t(i * 3), 2, 0});
      packSlices(track);
    }
    const PackedSlices& block = track.packed.at(0);
    std::size_t bytes = 0;
    for (const auto* column : {&block.starts, &block.durations, &block.names, &block.details, &block.orders, &block.channels})
      bytes += column->capacity();
    QVERIFY2(bytes < 11 * kSlicesToPack, std::to_string(bytes).c_str());
  }
};

TILESCOPE_TEST(PackedSlicesTest)
#include "packed_slices_test.moc"
