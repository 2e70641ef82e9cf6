#include "simcore/arch/machine.h"
#include "simcore/compile/allocate.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace simcore;
using compile::Placement;
using compile::Storage;
using compile::TileLayout;

namespace {

constexpr int64_t kOrdinals = 24;

// Storage of one tile: sizes from a word to a third of the tile, so that both regions fill and the low one outgrows its own.
std::vector<Storage> anyStorage(std::mt19937& random) {
  const auto upTo = [&](int64_t n) { return int64_t(random() % uint64_t(n)); };
  std::vector<Storage> list(std::size_t(1 + upTo(40)));
  const int interleavedShare = int(upTo(3)), alwaysShare = int(upTo(10));
  for (Storage& s : list) {
    s.bytes.add({0, 1}, 4 * (1 + upTo(int64_t(4) << upTo(14))));
    s.alignment = 4 << upTo(5);
    s.interleaved = upTo(4) < interleavedShare;
    s.alwaysLive = upTo(10) < alwaysShare;
    for (int64_t at = upTo(kOrdinals); !s.alwaysLive && at < kOrdinals; at += 2 + upTo(8)) s.live.push_back({at, at + 1});
    if (!s.alwaysLive && s.live.empty()) s.live.push_back({0, kOrdinals});
  }
  for (int64_t pairs = upTo(4); pairs > 0 && list.size() > 1; --pairs) {
    const auto a = uint32_t(upTo(int64_t(list.size()))), b = uint32_t(upTo(int64_t(list.size())));
    if (a == b) continue;
    list[a].apart.push_back(b);
    list[b].apart.push_back(a);
  }
  return list;
}

bool aliveTogether(const Storage& a, const Storage& b) {
  if (a.alwaysLive || b.alwaysLive) return true;
  return std::any_of(a.live.begin(), a.live.end(), [&](const auto& x) {
    return std::any_of(b.live.begin(), b.live.end(), [&](const auto& y) { return x.overlaps(y); });
  });
}

// The fault in the layout; empty if it is valid.
QString faultOf(const arch::Machine& machine, const std::vector<Storage>& storage, const TileLayout& layout) {
  const auto name = [](const Placement& p) { return QString("storage %1 at %2+%3").arg(p.storage).arg(p.address).arg(p.size); };
  if (layout.placements.size() != storage.size()) return "not everything is placed";
  for (const Placement& p : layout.placements) {
    const Storage& s = storage[p.storage];
    if (p.address % s.alignment) return name(p) + " is not aligned";
    for (const Placement& q : layout.placements) {
      if (q.storage <= p.storage) continue;
      const bool over = p.address < q.address + q.size && q.address < p.address + p.size;
      if (over && aliveTogether(s, storage[q.storage])) return name(p) + " lies on " + name(q);
      if (std::count(s.apart.begin(), s.apart.end(), q.storage) &&
          compile::shareElement(machine, p.address, p.size, q.address, q.size))
        return name(p) + " shares an element with " + name(q);
    }
  }
  if (layout.totalBytes < layout.liveLowerBound) return "less memory than is alive at once";
  return {};
}

} // namespace

class AllocationTest : public QObject {
  Q_OBJECT
private slots:
  void nothingLiesOnWhatIsAliveAtTheSameTime() {
    const arch::Machine machine = arch::tinyMachine(1);
    std::mt19937 random(20);
    int pastTheLowRegion = 0;
    for (int round = 0; round < 2000; ++round) {
      const auto storage = anyStorage(random);
      const auto made = compile::allocate(machine, storage, kOrdinals, {});
      const QString fault = faultOf(machine, storage, made.layouts[0]);
      QVERIFY2(fault.isEmpty(), qPrintable(QString("round %1: %2").arg(round).arg(fault)));
      pastTheLowRegion += made.layouts[0].extentBytes > machine.tile.interleavedStart.value();
    }
    QVERIFY2(pastTheLowRegion > 200, "too few layouts reached the interleaved region");
  }

  void temporariesOfTheInterleavedRegionStayBehindLowDataThatOutgrewItsOwn() {
    const arch::Machine machine = arch::tinyMachine(1);
    const int64_t start = machine.tile.interleavedStart.value();
    std::vector<Storage> storage(2);
    storage[0].bytes.add({0, 1}, start + 4096);
    storage[1].bytes.add({0, 1}, 1024);
    storage[1].interleaved = true;
    storage[1].alwaysLive = false;
    storage[1].live = {{0, kOrdinals}};
    const auto made = compile::allocate(machine, storage, kOrdinals, {});
    QCOMPARE(made.layouts[0].placements.at(1).address, start + 4096);
    QCOMPARE(made.layouts[0].totalBytes, start + 4096 + 1024);
  }

  void progressRisesWithTheTilesThatArePlaced() {
    const arch::Machine machine = arch::tinyMachine(256);
    std::vector<Storage> storage(1);
    for (int64_t tile = 0; tile < 256; ++tile) storage[0].bytes.add({tile, tile + 1}, 64 + 8 * tile);
    std::vector<double> heard;
    compile::allocate(machine, storage, kOrdinals, {}, [&](double placed) { heard.push_back(placed); });
    QVERIFY(!heard.empty()); // the caller places tiles itself, beside other threads
    QVERIFY(std::is_sorted(heard.begin(), heard.end()));
    QVERIFY(heard.front() > 0 && heard.back() <= 1);
  }
};

TILESCOPE_TEST(AllocationTest)
#include "allocation_test.moc"
