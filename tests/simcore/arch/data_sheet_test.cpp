// The data sheet of a machine beside what was published for it.
#include "simcore/arch/data_sheet.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <map>

using namespace simcore::arch;

class DataSheetTest : public QObject {
  Q_OBJECT
private slots:
  // GC200: 47.5 TB/s of memory, 7.8 TB/s of exchange (Graphcore's data sheets); 20 GB/s to the host (ipu-reference 6).
  void peaksAreThePublishedOnes() {
    std::map<std::string, double> peaks;
    for (const Peak& p : peaksOf(findMachine("gc200", 1))) peaks[p.key] = p.perSecond;
    const std::pair<const char*, double> published[] = {{"memory_bytes_per_second", 47.5e12},
                                                        {"exchange_bytes_per_second", 7.8e12},
                                                        {"host_bytes_per_second", 20e9},
                                                        {"streaming_memory_bytes_per_second", 20e9}};
    for (const auto& [key, value] : published)
      QVERIFY2(std::abs(peaks.at(key) / value - 1) < 0.02, qPrintable(QString("%1: %2").arg(key).arg(peaks.at(key))));
    QVERIFY(peaks.at("link_bytes_per_second") > peaks.at("host_bytes_per_second"));
  }
  void everyMachineHasAll() {
    for (const Machine& m : machineCatalogue())
      for (const Peak& p : peaksOf(m)) QVERIFY2(p.perSecond > 0, (m.name + " " + p.key).c_str());
  }
};

TILESCOPE_TEST(DataSheetTest)
#include "data_sheet_test.moc"
