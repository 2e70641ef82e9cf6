#include "ui/theme/format.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace ui::theme;
using reports::Bytes;
using reports::Cycles;

class FormatTest : public QObject {
  Q_OBJECT

  // Plain spaces, so that the tables below can be read.
  static QString plain(QString text) {
    return text.replace(QChar(0x202F), ' ').replace(QChar(0xA0), ' ').replace(QChar(0x2212), '-');
  }

private slots:
  void bytes_data() {
    QTest::addColumn<qlonglong>("value");
    QTest::addColumn<QString>("binary");
    QTest::addColumn<QString>("decimal");
    QTest::newRow("zero") << 0LL << "0 B"
                          << "0 B";
    QTest::newRow("below a unit") << 1023LL << "1 023 B"
                                  << "1.02 kB";
    QTest::newRow("unit") << 1024LL << "1.00 KiB"
                          << "1.02 kB";
    QTest::newRow("tile") << 638976LL << "624 KiB"
                          << "639 kB";
    QTest::newRow("IPU") << 940572672LL << "897 MiB"
                         << "941 MB";
    QTest::newRow("negative") << -2048LL << "-2.00 KiB"
                              << "-2.05 kB";
    QTest::newRow("almost") << 1048575LL << "1.00 MiB"
                            << "1.05 MB";
    QTest::newRow("rounds up") << 999999LL << "977 KiB"
                               << "1.00 MB";
  }
  void bytes() {
    QFETCH(qlonglong, value);
    QTEST(plain(Format({{}, MemoryUnit::Binary}).bytes(Bytes(value))), "binary");
    QTEST(plain(Format({{}, MemoryUnit::Decimal}).bytes(Bytes(value))), "decimal");
    QVERIFY(plain(Format({{}, MemoryUnit::Bytes}).bytes(Bytes(value))).endsWith(" B"));
  }

  void cyclesAndTime() {
    const Format cycles({TimeUnit::Cycles, {}}, 1.85e9), time({TimeUnit::Seconds, {}}, 1.85e9),
        noClock({TimeUnit::Seconds, {}}, 0);
    QCOMPARE(plain(cycles.cycles(Cycles(1))), QString("1 cycle"));
    QCOMPARE(plain(cycles.cycles(Cycles(999))), QString("999 cycles"));
    QCOMPARE(plain(cycles.cycles(Cycles(1240117))), QString("1.24 M cycles"));
    QCOMPARE(plain(time.cycles(Cycles(1850000))), QString("1.00 ms"));
    QCOMPARE(plain(time.cycles(Cycles(1))), QString("0.541 ns"));
    QCOMPARE(plain(noClock.cycles(Cycles(5))), QString("5 cycles"));
    QCOMPARE(plain(cycles.cyclesExact(Cycles(1850000))), QString("1 850 000 cycles (1.00 ms)"));
  }

  void deltasCarryTheirSign() {
    const Format format;
    QCOMPARE(plain(format.bytesDelta(Bytes(12288))), QString("+12.0 KiB"));
    QCOMPARE(plain(format.bytesDelta(Bytes(-3))), QString("-3 B"));
    QCOMPARE(plain(format.bytesDelta(Bytes(0))), QString("0 B"));
    QCOMPARE(plain(percentDelta(0.125)), QString("+12.5 %"));
    QCOMPARE(plain(percentDelta(-0.5)), QString("-50.0 %"));
    QCOMPARE(plain(percentDelta(0)), QString("0 %"));
    QVERIFY(!format.bytesDelta(Bytes(INT64_MIN)).isEmpty());
  }

  void countsAndShares() {
    QCOMPARE(plain(count(94208)), QString("94 208"));
    QCOMPARE(plain(count(-1234567)), QString("-1 234 567"));
    QCOMPARE(plain(count(999)), QString("999"));
    QCOMPARE(plain(percent(0.334)), QString("33.4 %"));
    QCOMPARE(plain(percent(0.00001)), QString("<0.01 %"));
    QCOMPARE(plain(percent(0)), QString("0 %"));
    QCOMPARE(plain(percent(1)), QString("100 %"));
    QCOMPARE(plain(percent(0.0523)), QString("5.23 %"));
    QCOMPARE(percent(std::nan("")), QString("–"));
    QCOMPARE(plain(plural(1, "tile", "tiles")), QString("1 tile"));
    QCOMPARE(plain(plural(1472, "tile", "tiles")), QString("1 472 tiles"));
    QCOMPARE(plain(flopsRate(62.1e12)), QString("62.1 TFLOP/s"));
    QCOMPARE(plain(seconds(0.000932)), QString("932 µs"));
    QCOMPARE(plain(seconds(12.34)), QString("12.3 s"));
    // Begin and end of a range of one microsecond late in a run are shown as different numbers.
    using reports::Nanoseconds;
    QCOMPARE(plain(Format::moment(Nanoseconds(114'372'418), Nanoseconds(1000))), QString("114.372 42 ms"));
    QVERIFY(Format::moment(Nanoseconds(114'372'418), Nanoseconds(217'000)) !=
            Format::moment(Nanoseconds(114'589'418), Nanoseconds(217'000)));
    QCOMPARE(plain(Format::moment(Nanoseconds(12'500'000'000), Nanoseconds(100'000'000'000))), QString("12.5 s"));
    QCOMPARE(plain(Format({TimeUnit::Cycles, MemoryUnit::Binary}, 1e9).moment(reports::Cycles(1240117), reports::Cycles(3))),
             QString("1 240 117 cycles"));
    QVERIFY(Format({TimeUnit::Seconds, MemoryUnit::Binary}, 1e9).moment(reports::Cycles(1240117), reports::Cycles(3)) !=
            Format({TimeUnit::Seconds, MemoryUnit::Binary}, 1e9).moment(reports::Cycles(1240120), reports::Cycles(3)));
  }

  void axesLeaveOutWhatIsZero() {
    QCOMPARE(withoutZeros("1.50 MiB"), QString("1.5 MiB"));
    QCOMPARE(withoutZeros("8.00 k"), QString("8 k"));
    QCOMPARE(withoutZeros("64.0 KiB"), QString("64 KiB"));
    QCOMPARE(withoutZeros("100 KiB"), QString("100 KiB"));
    QCOMPARE(withoutZeros("1.05 s"), QString("1.05 s"));
  }
};

TILESCOPE_TEST(FormatTest)
#include "format_test.moc"
