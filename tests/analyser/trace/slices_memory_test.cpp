// The reader's memory does not grow with the report: walking over every slice keeps as many decoded chunks as the budget of
// SliceStore allows, 4 Mi slices of 25 bytes. TILESCOPE_READER_SLICES=100000000 walks over 10^8.
#include "analyser/trace/slices.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTest>

#include <unistd.h>

using namespace analyser;
using namespace analyser::trace;

class SlicesMemoryTest : public QObject {
  Q_OBJECT

  static int64_t residentBytes() {
    QFile file("/proc/self/statm");
    if (!file.open(QFile::ReadOnly)) return -1;
    return file.readAll().split(' ').value(1).toLongLong() * sysconf(_SC_PAGESIZE);
  }

private slots:
  void walkingOverAllSlicesStaysWithinTheBudget() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitizer keeps memory of its own");
#endif
    bool given = false;
    const int64_t asked = qEnvironmentVariable("TILESCOPE_READER_SLICES").toLongLong(&given);
    const tests::TinyReport report({.ipus = 2, .tilesPerIpu = 8, .operations = 20, .slices = given ? asked : 12'000'000});
    const auto session = Session::open(report.path().string());
    Slices slices(*session, "ipu");
    const int64_t before = residentBytes();
    if (before < 0) QSKIP("/proc/self/statm cannot be read here");
    int64_t seen = 0;
    for (const Track& track : slices.tracks())
      for (int depth = 0; depth < track.depths; ++depth)
        slices.forEach(track.id, depth, slices.range(), {}, [&](const Slice&) { ++seen; });
    const int64_t grown = residentBytes() - before;
    QVERIFY2(seen >= 10'000'000, qPrintable(QString::number(seen)));
    // All of them decoded would be 25 bytes each; the budget is 100 MiB, and chunks in hand and the allocator's gaps come on top.
    const int64_t most = int64_t(180) << 20;
    QVERIFY2(seen * 25 > most, "the report is too small to show anything");
    QVERIFY2(grown < most, qPrintable(QString("%1 slices, %2 MiB").arg(seen).arg(grown >> 20)));
    qInfo("%lld slices, %lld MiB", static_cast<long long>(seen), static_cast<long long>(grown >> 20));
  }
};

TILESCOPE_TEST(SlicesMemoryTest)
#include "slices_memory_test.moc"
