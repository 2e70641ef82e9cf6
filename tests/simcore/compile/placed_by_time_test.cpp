// The index of placed storage, compared with a linear search of all placements, and the radix sort that orders the storage.
#include "simcore/compile/placed_by_time.h"
#include "simcore/compile/radix_sort.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace simcore;
using compile::Placement;
using compile::Storage;

namespace {

constexpr int64_t kMoments = 700;

bool meet(const compile::Spans& a, const compile::Spans& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& x) {
    return std::any_of(b.begin(), b.end(), [&](const auto& y) { return x.overlaps(y); });
  });
}
bool inTheWay(const Storage& a, const Storage& b) {
  return meet(a.ownLive(), b.ownLive()) || meet(a.ownLive(), b.waiting) || meet(a.waiting, b.ownLive());
}

compile::Spans anySpans(std::mt19937& random, int count, int64_t longest) {
  compile::Spans spans;
  for (int64_t at = int64_t(random() % kMoments); count > 0 && at < kMoments; --count) {
    const int64_t end = std::min(kMoments, at + 1 + int64_t(random() % uint64_t(longest)));
    spans.push_back({at, end});
    at = end + 1 + int64_t(random() % 60);
  }
  return spans;
}

} // namespace

class PlacedByTimeTest : public QObject {
  Q_OBJECT
private slots:
  // All sizes and alignments, short and long lifetimes, storage that waits for calls: the address is always the lowest free one.
  void theAddressFoundIsTheLowest_data() {
    QTest::addColumn<int>("grain"); // of sizes
    QTest::addColumn<int>("alignment");
    QTest::addColumn<int>("longest"); // life
    QTest::addColumn<bool>("waits");
    for (const int grain : {1, 4, 12})
      for (const int alignment : {1, 8, 64})
        for (const int longest : {3, 40, 700})
          for (const bool waits : {false, true})
            QTest::newRow(qPrintable(QString("%1 %2 %3 %4").arg(grain).arg(alignment).arg(longest).arg(waits)))
                << grain << alignment << longest << waits;
  }
  void theAddressFoundIsTheLowest() {
    QFETCH(int, grain);
    QFETCH(int, alignment);
    QFETCH(int, longest);
    QFETCH(bool, waits);
    std::mt19937 random(unsigned(grain * 1000 + alignment * 10 + longest));
    compile::PlacedByTime index; // one for all rounds, as for the tiles of a block
    for (int round = 0; round < 6; ++round) {
      std::vector<Storage> storage(std::size_t(30 + random() % 200));
      std::vector<uint32_t> items;
      for (Storage& s : storage) {
        items.push_back(uint32_t(items.size()));
        s.alwaysLive = false;
        s.alignment = alignment * (1 << random() % 3);
        s.live = anySpans(random, 1 + int(random() % 3), longest);
        if (waits && random() % 2) s.own = s.live, s.waiting = anySpans(random, 1 + int(random() % 4), 20);
      }
      const compile::Lifetimes lifetimes(storage, kMoments);
      index.begin(lifetimes, alignment, grain);
      std::vector<Placement> placed;
      for (const uint32_t i : items) {
        const Storage& s = storage[i];
        const auto bytes = int64_t(grain) * int64_t(1 + random() % 9);
        Placement p{i, 128, bytes, 0};
        index.search(i);
        int64_t endInTheWay = 0;
        index.walk(p.address, bytes, [&](int64_t end, uint32_t other) {
          p.address = reports::roundUp(end, s.alignment);
          p.other = other;
          endInTheWay = end;
        });
        int64_t lowest = 128;
        for (bool isFree = false; !isFree;) {
          isFree = true;
          for (const Placement& q : placed)
            if (q.address < lowest + bytes && lowest < q.address + q.size && inTheWay(s, storage[q.storage])) {
              lowest = reports::roundUp(q.address + q.size, s.alignment);
              isFree = false;
            }
        }
        QCOMPARE(p.address, lowest);
        if (endInTheWay) { // the named storage overlaps and ends there
          const auto named = std::find_if(placed.begin(), placed.end(), [&](const Placement& q) { return q.storage == p.other; });
          QVERIFY(named != placed.end());
          QVERIFY(inTheWay(s, storage[named->storage]));
          QCOMPARE(named->address + named->size, endInTheWay);
        }
        index.add(p);
        placed.push_back(p);
      }
      QCOMPARE(index.placements().size(), placed.size());
    }
  }

  // Keys of every width, many of them equal.
  void aRadixSortIsStable() {
    std::mt19937_64 random(7);
    std::vector<compile::Keyed> buffer;
    for (int bits = 0; bits <= 64; bits += 4)
      for (const int count : {0, 1, 2, 300, 3000}) {
        std::vector<compile::Keyed> items;
        for (int i = 0; i < count; ++i) items.push_back({bits == 0 ? 0 : random() >> (64 - bits), uint32_t(i)});
        auto expected = items;
        std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
        compile::radixSort(items, buffer);
        QVERIFY(std::equal(items.begin(), items.end(), expected.begin(), expected.end(),
                           [](const auto& a, const auto& b) { return a.key == b.key && a.index == b.index; }));
      }
  }
};

TILESCOPE_TEST(PlacedByTimeTest)
#include "placed_by_time_test.moc"
