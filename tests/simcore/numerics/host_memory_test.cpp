// Memory of tensors: blocks that were given back are used again, and count as free until then.
#include "simcore/numerics/host_memory.h"

#include "reports/core/sanitizers.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstring>
#include <vector>

using namespace simcore::numerics;

class HostMemoryTest : public QObject {
  Q_OBJECT
  static constexpr std::size_t kMega = 1 << 20;
private slots:
  void aBlockIsUsedAgain() {
    auto first = countedMemory(3 * kMega);
    const std::byte* const place = first.get();
    std::memset(first.get(), 7, 3 * kMega);
    first.reset();
    const auto other = countedMemory(2 * kMega); // of another size
    QVERIFY(other.get() != place);
    const auto again = countedMemory(3 * kMega);
    const bool isKept = !TILESCOPE_ADDRESS_SANITIZER && !TILESCOPE_THREAD_SANITIZER && !TILESCOPE_MEMORY_SANITIZER;
    if (isKept) QCOMPARE(again.get(), place);
  }
  void keptBlocksCountAsFree() {
    const std::int64_t before = freeHostMemory();
    for (int i = 0; i < 300; ++i) { // more and more sizes than are kept
      std::vector<std::shared_ptr<std::byte>> blocks;
      for (std::size_t k = 0; k < 5; ++k) blocks.push_back(countedMemory((1 + (std::size_t(i) + k) % 40) * kMega));
      QVERIFY(freeHostMemory() < before);
      blocks.clear();
      QCOMPARE(freeHostMemory(), before);
    }
  }
  void anAllowanceHoldsBesideKeptBlocks() {
    countedMemory(5 * kMega).reset();
    const MemoryAllowance allowance(6 * kMega);
    QCOMPARE(freeHostMemory(), std::int64_t(6 * kMega));
    const auto large = countedMemory(4 * kMega); // frees the kept block
    QVERIFY(large);
    QVERIFY(!countedMemory(3 * kMega));
    QVERIFY(countedMemory(2 * kMega));
  }
  void largeZerosAreZeros() {
    auto dirty = countedMemory(4 * kMega);
    std::memset(dirty.get(), 1, 4 * kMega);
    dirty.reset();
    const auto zeros = zeroedMemory(4 * kMega);
    for (std::size_t i = 0; i < 4 * kMega; i += 1000) QCOMPARE(zeros.get()[i], std::byte(0));
  }
};

TILESCOPE_TEST(HostMemoryTest)
#include "host_memory_test.moc"
