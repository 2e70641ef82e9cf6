#include "reports/core/error.h"
#include "simcore/arch/machine.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace simcore::arch;

class MachineTest : public QObject {
  Q_OBJECT
private slots:
  void peaksFollowFromUnitsAndClock() {
    // tiles x flops a cycle x clock is the datasheet's peak (ipu-reference 1.1), within 1 %.
    for (const Machine& m : machineCatalogue()) {
      const double half = m.tilesPerIpu * double(m.tile.convUnitsHalf * m.tile.convInputsHalf * 2) * m.clockHz;
      QVERIFY2(std::abs(half / m.peakHalfFlops - 1) < 0.01, m.name.c_str());
      const double quarter = m.tilesPerIpu * double(m.tile.convUnitsQuarter * m.tile.convInputsQuarter * 2) * m.clockHz;
      QCOMPARE(m.tile.hasQuarter(), m.name == "c600");
      QVERIFY(m.tile.hasQuarter() ? std::abs(quarter / m.peakQuarterFlops - 1) < 0.01 : m.peakQuarterFlops == 0);
    }
  }
  void everyTileHasAPlaceOfItsOwn() {
    for (const Machine& m : machineCatalogue()) {
      std::set<std::pair<int, int>> places;
      for (int t = 0; t < m.tilesPerIpu; ++t) {
        QVERIFY(m.tileColumns[std::size_t(t)] < m.gridColumns && m.tileRows[std::size_t(t)] < m.gridRows);
        places.insert({m.tileColumns[std::size_t(t)], m.tileRows[std::size_t(t)]});
      }
      QCOMPARE(int(places.size()), m.tilesPerIpu);
    }
  }
  void distanceIsSymmetricAndBounded() {
    const Machine m = findMachine("gc200", 1);
    int64_t longest = 0;
    for (int a = 0; a < m.tilesPerIpu; a += 37)
      for (int b = 0; b < m.tilesPerIpu; b += 41) {
        QCOMPARE(m.distance(a, b).value(), m.distance(b, a).value());
        longest = std::max(longest, m.distance(a, b).value());
      }
    QVERIFY(longest > 50 && longest <= 61); // about 61 cycles over the chip (ipu-reference 5.2)
    QCOMPARE(m.distance(5, 5).value(), int64_t(0));
  }
  void unknownNamesAndCountsSayWhatThereIs() {
    QVERIFY_THROWS_EXCEPTION(reports::Error, findMachine("gc9", 0));
    for (const Machine& m : machineCatalogue()) QCOMPARE(findMachine(m.title, 0).name, m.name);
    QCOMPARE(findMachine("Mk1", 0).name, std::string("gc2"));
    QCOMPARE(findMachine("ipu2", 0).name, std::string("gc200"));
    QCOMPARE(findMachine("IPU-POD4", 0).ipus, 4);
    try {
      findMachine("m2000", 3);
      QFAIL("three IPUs were accepted");
    } catch (const reports::Error& e) {
      QVERIFY(std::string(e.what()).find("1, 2, 4") != std::string::npos);
    }
    QCOMPARE(findMachine("bow-pod64", 0).tiles(), 64 * 1472);
  }
};

TILESCOPE_TEST(MachineTest)
#include "machine_test.moc"
