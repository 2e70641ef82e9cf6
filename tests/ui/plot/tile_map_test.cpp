#include "ui/plot/tile_map.h"

#include "tests/support/test_main.h"
#include "ui/plot/bar_list.h"
#include "ui/plot/legend.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QSignalSpy>
#include <QTest>

using namespace ui::plot;

class TileMapTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

private slots:
  void everyTileHasItsOwnPlace() {
    TileMap map(m_theme, "Tiles");
    map.resize(900, 500);
    map.setGrid(4, 1472, 16, 92);
    for (int tile = 0; tile < 4 * 1472; tile += 13) QCOMPARE(map.tileAt(map.cellOf(tile).center().toPoint()), tile);
    QCOMPARE(map.tileAt({2, 2}), -1);
  }

  // The plan of one IPU is 92 tiles high and 16 wide: upright it took a fifth of a wide window.
  void aHighPlanIsTurnedWhereTheWidgetIsWide() {
    TileMap map(m_theme, "Tiles");
    map.resize(1200, 400);
    map.setGrid(1, 1472, 16, 92);
    QVERIFY(map.cellOf(1471).right() > 1100);
    QCOMPARE(map.cellOf(1).top(), map.cellOf(0).top()); // a column of the chip lies
    for (int tile = 0; tile < 1472; tile += 13) QCOMPARE(map.tileAt(map.cellOf(tile).center().toPoint()), tile);
    map.resize(400, 1000);
    map.grab();
    QCOMPARE(map.cellOf(1).left(), map.cellOf(0).left());
  }

  void clickAndArrowsSelectNeighbours() {
    TileMap map(m_theme, "Tiles");
    map.resize(600, 500);
    map.setGrid(1, 12, 4, 3); // column by column: 0 1 2 | 3 4 5 | …
    map.setValues(std::make_shared<std::vector<int64_t>>(12, 5));
    map.show();
    QSignalSpy clicked(&map, &TileMap::tileClicked);
    QTest::mouseClick(&map, Qt::LeftButton, {}, map.cellOf(4).center().toPoint());
    QCOMPARE(clicked[0][0].toInt(), 4);
    QTest::keyClick(&map, Qt::Key_Right);
    QTest::keyClick(&map, Qt::Key_Down);
    QTest::keyClick(&map, Qt::Key_Return);
    QCOMPARE(clicked[1][0].toInt(), 8);
  }

  void coloursRunFromLowToHigh() {
    TileMap map(m_theme, "Tiles");
    map.resize(600, 500);
    map.setGrid(1, 2, 2, 1);
    map.setValues(std::make_shared<std::vector<int64_t>>(std::vector<int64_t>{10, 90}));
    const QImage image = map.grab().toImage();
    QCOMPARE(image.pixelColor(map.cellOf(0).center().toPoint()), ui::theme::quantityColour(0));
    QCOMPARE(image.pixelColor(map.cellOf(1).center().toPoint()), ui::theme::quantityColour(1));
  }

  void aFaultHasAColourOfItsOwn() {
    TileMap map(m_theme, "Tiles");
    map.resize(600, 500);
    map.setGrid(1, 2, 2, 1);
    map.setValues(std::make_shared<std::vector<int64_t>>(std::vector<int64_t>{10, 90}));
    const auto colourOf = [&](int tile) { return map.grab().toImage().pixelColor(map.cellOf(tile).center().toPoint()); };
    const QColor before = colourOf(1);
    map.setFaulty({true, false}, "too full");
    QCOMPARE(colourOf(0), m_theme.tokens().bad);
    QCOMPARE(colourOf(1), before);
    map.setFaulty({});
    QVERIFY(colourOf(0) != m_theme.tokens().bad);
  }

  // One full IPU leaves the others their own colours where that is asked for.
  void coloursMayRunWithinEachIpu() {
    TileMap map(m_theme, "Tiles");
    map.resize(600, 500);
    map.setGrid(2, 2, 2, 1);
    map.setValues(std::make_shared<std::vector<int64_t>>(std::vector<int64_t>{10, 90, 1000, 2000}));
    map.setValueText([](int64_t value) { return QString::number(value); });
    const auto colourOf = [&](int tile) { return map.grab().toImage().pixelColor(map.cellOf(tile).center().toPoint()); };
    QCOMPARE(colourOf(3), ui::theme::quantityColour(1));
    QVERIFY(colourOf(1) != ui::theme::quantityColour(1));
    map.setScalePerIpu(true);
    for (const int ipu : {0, 1}) {
      QCOMPARE(colourOf(2 * ipu), ui::theme::quantityColour(0));
      QCOMPARE(colourOf(2 * ipu + 1), ui::theme::quantityColour(1));
    }
  }

  void aPreferenceGivesTheTilesOfARow() {
    ui::theme::Theme theme;
    TileMap map(theme, "Tiles");
    map.resize(600, 500);
    map.setGrid(2, 12, 4, 3);
    theme.setTilesPerRow(5); // rows of 5, 5 and 2, from left to right
    QCOMPARE(map.cellOf(4).top(), map.cellOf(0).top());
    QCOMPARE(map.cellOf(5).left(), map.cellOf(0).left());
    QVERIFY(map.cellOf(5).top() > map.cellOf(4).top());
    for (int tile = 0; tile < 24; ++tile) QCOMPARE(map.tileAt(map.cellOf(tile).center().toPoint()), tile);
    theme.setTilesPerRow(0);
    QCOMPARE(map.cellOf(1).left(), map.cellOf(0).left()); // column by column again
  }

  void aPreferenceGivesThePaletteOfAmounts() {
    using enum ui::theme::Scale;
    for (const auto scale : {Viridis, Grey}) {
      ui::theme::Theme theme;
      theme.setScale(scale);
      QVERIFY(theme.quantity(1) != ui::theme::quantityColour(1));
      TileMap map(theme, "Tiles");
      map.resize(600, 500);
      map.setGrid(1, 2, 2, 1);
      map.setValues(std::make_shared<std::vector<int64_t>>(std::vector<int64_t>{10, 90}));
      QCOMPARE(map.grab().toImage().pixelColor(map.cellOf(1).center().toPoint()), ui::theme::quantityColour(1, scale));
    }
  }

  void aLegendClickHidesAndAltClickIsolates() {
    Legend legend(m_theme);
    const auto colour = [] { return QColor(Qt::red); };
    legend.setEntries({{"a", {}, colour}, {"b", {}, colour}, {"c", {}, colour}});
    legend.resize(600, 40);
    legend.show();
    const auto chips = legend.findChildren<QAbstractButton*>();
    QCOMPARE(chips.size(), 3);
    QSignalSpy changed(&legend, &Legend::shownChanged);
    QTest::mouseClick(chips[1], Qt::LeftButton);
    QCOMPARE(legend.shown(), (std::vector<bool>{true, false, true}));
    QTest::mouseClick(chips[2], Qt::LeftButton, Qt::AltModifier);
    QCOMPARE(legend.shown(), (std::vector<bool>{false, false, true}));
    QTest::mouseClick(chips[2], Qt::LeftButton, Qt::AltModifier);
    QCOMPARE(legend.shown(), (std::vector<bool>{true, true, true}));
    QCOMPARE(changed.count(), 3);
    legend.setShown(0, false);
    legend.setEntries({{"b", {}, colour}, {"a", {}, colour}});
    QCOMPARE(legend.shown(), (std::vector<bool>{true, false})); // hidden by title, not by place
  }

  void barsAreChosenByMouseAndKeys() {
    BarList bars(m_theme, "Categories");
    const auto colour = [] { return QColor(Qt::red); };
    bars.setBars({{"a", "1 KiB", {}, {{1, colour}}, -1, 10}, {"b", "2 KiB", {}, {{2, colour}}, -1, 20}});
    bars.resize(500, bars.sizeHint().height());
    bars.show();
    QSignalSpy clicked(&bars, &BarList::barClicked);
    QTest::mouseClick(&bars, Qt::LeftButton, {}, {50, 40});
    QCOMPARE(clicked[0][0].toLongLong(), 20);
    QTest::keyClick(&bars, Qt::Key_Up);
    QTest::keyClick(&bars, Qt::Key_Return);
    QCOMPARE(clicked[1][0].toLongLong(), 10);
    QVERIFY(bars.accessibleDescription().contains("2 KiB"));
  }
};

TILESCOPE_TEST(TileMapTest)
#include "tile_map_test.moc"
