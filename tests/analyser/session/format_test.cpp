#include "analyser/session/format.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace analyser;
using reports::Bytes;
using reports::Cycles;

class FormatTest : public QObject {
  Q_OBJECT
private slots:
  void threeDigits_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << 0.0 << "0";
    QTest::newRow("small") << 0.012345 << "0.0123";
    QTest::newRow("one") << 1.0 << "1.00";
    QTest::newRow("tens") << 12.34 << "12.3";
    QTest::newRow("rounds up a digit") << 99.96 << "100";
    QTest::newRow("hundreds") << 123.4 << "123";
    QTest::newRow("negative") << -4.56789 << "-4.57";
    QTest::newRow("tiny") << 1.234e-9 << "1.23e-09";
    QTest::newRow("nan") << std::nan("") << "n/a";
  }
  void threeDigits() {
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(formatThreeDigits(value)), text);
  }
  void bytes() {
    QCOMPARE(formatBytes(Bytes(0)), std::string("0 B"));
    QCOMPARE(formatBytes(Bytes(1023)), std::string("1,023 B"));
    QCOMPARE(formatBytes(Bytes(1536)), std::string("1.50 KiB"));
    QCOMPARE(formatBytes(Bytes(214016)), std::string("209 KiB"));
    QCOMPARE(formatBytes(Bytes(1'500'000), {ByteUnit::Decimal, ","}), std::string("1.50 MB"));
    QCOMPARE(formatBytes(Bytes(1'500'000), {ByteUnit::Plain, " "}), std::string("1 500 000 B"));
    QCOMPARE(formatBytes(Bytes(1023 * 1024)), std::string("0.999 MiB")); // three digits, not "1,023 KiB"
    QCOMPARE(formatSignedBytes(Bytes(-2048)), std::string("-2.00 KiB"));
    QCOMPARE(formatSignedBytes(Bytes(2048)), std::string("+2.00 KiB"));
  }
  void countsCyclesAndTimes() {
    QCOMPARE(formatCount(1234567), std::string("1,234,567"));
    QCOMPARE(formatCount(std::numeric_limits<int64_t>::min()), std::string("-9,223,372,036,854,775,808"));
    QCOMPARE(formatCycles(Cycles(1)), std::string("1 cycle"));
    QCOMPARE(formatSignedCount(0), std::string("0"));
    QCOMPARE(formatSeconds(1.2345e-5), std::string("12.3 µs"));
    QCOMPARE(formatSeconds(0.9999e-6), std::string("1.00 µs"));
    QCOMPARE(formatSeconds(2), std::string("2.00 s"));
    QCOMPARE(formatPercent(0.3346), std::string("33.5 %"));
    QCOMPARE(formatPercent(0.000012), std::string("<0.01 %"));
    QCOMPARE(formatPercent(0), std::string("0 %"));
    QCOMPARE(formatSignedPercent(0.125), std::string("+12.5 %"));
    QCOMPARE(formatSignedPercent(-0.00001), std::string("~0 %"));
    QCOMPARE(formatSignedPercent(0.00001), std::string("~0 %"));
    QCOMPARE(formatRate(1.23e13, "FLOP/s"), std::string("12.3 TFLOP/s"));
    QCOMPARE(formatSi(12, "Hz"), std::string("12 Hz"));
    QCOMPARE(formatSecondsTo(0.114372418, 1e-6), std::string("114.37242 ms"));
    QCOMPARE(formatSecondsTo(12.5, 100), std::string("12.5 s"));
  }
  void namesCannotBreakALine() {
    QCOMPARE(printable("a\nb\x1b[1m"), std::string("a\\x0ab\\x1b[1m"));
    QCOMPARE(printable("x\xe2\x80\xaey"), std::string("x\\u202ey")); // right-to-left override
    QCOMPARE(printable("caf\xc3\xa9"), std::string("caf\xc3\xa9"));
    QCOMPARE(printable("\xff|\xc3|\xed\xa0\x80"), std::string("\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
  }
  void elidesInTheMiddle() {
    QCOMPARE(elideMiddle("abcdefghij", 10), std::string("abcdefghij"));
    QCOMPARE(elideMiddle("abcdefghij", 5), std::string("ab…ij"));
    QCOMPARE(elideMiddle("äöüäöüäöü", 3), std::string("ä…ü"));
  }
};

TILESCOPE_TEST(FormatTest)
#include "format_test.moc"
