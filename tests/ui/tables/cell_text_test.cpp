#include "ui/tables/cell_text.h"

#include "tests/support/test_main.h"
#include "ui/theme/format.h"

#include <QTest>

#include <limits>

using namespace ui::tables;

class CellTextTest : public QObject {
  Q_OBJECT

private slots:
  void tileCyclesAreShortAndWholeInTheTip() {
    const ui::theme::Format seconds(ui::theme::Units{ui::theme::TimeUnit::Seconds}, 1e9);
    const Cell cell = int64_t(3610678626);
    QCOMPARE(cellText(cell, Kind::TileCycles, {}).replace(QChar(0xa0), ' '), QString("3.61 G"));
    QCOMPARE(cellText(cell, Kind::TileCycles, seconds), cellText(cell, Kind::TileCycles, {})); // no time
    QVERIFY(cellExact(cell, Kind::TileCycles, {}).startsWith(ui::theme::count(3610678626)));
  }

  void changesOfTileCyclesAreAsShort() {
    const auto text = [](int64_t value) { return cellText(value, Kind::TileCyclesDelta, {}).replace(QChar(0xa0), ' '); };
    QCOMPARE(text(7341081), QString("+7.34 M"));
    QCOMPARE(text(-66200000), QString("−66.2 M"));
    QVERIFY(cellExact(int64_t(7341081), Kind::TileCyclesDelta, {}).startsWith(ui::theme::count(7341081)));
    QVERIFY(isDelta(Kind::TileCyclesDelta) && isNumeric(Kind::TileCyclesDelta));
  }

  // "–" stands for an unknown value.
  void anEndlessNumberIsNoUnknownOne() {
    const double endless = std::numeric_limits<double>::infinity();
    QCOMPARE(cellText(endless, Kind::Number, {}), QString("∞"));
    QCOMPARE(cellText(-endless, Kind::Number, {}), QString("−∞"));
    QCOMPARE(cellText(std::numeric_limits<double>::quiet_NaN(), Kind::Number, {}), QString("–"));
  }
};

TILESCOPE_TEST(CellTextTest)
#include "cell_text_test.moc"
