// Accessibility of plots: a description of the content, the position of the cursor, and a table of the figures.
#include "tests/support/test_main.h"
#include "ui/plot/flame_graph.h"
#include "ui/plot/histogram.h"
#include "ui/plot/spoken.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/tile_map.h"
#include "ui/theme/theme.h"

#include <QAccessible>
#include <QSignalSpy>
#include <QTest>

using namespace ui::plot;

class PlotWordsTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;
  static Values values(std::vector<int64_t> v) { return std::make_shared<const std::vector<int64_t>>(std::move(v)); }
  // Without the narrow blanks that keep a number and its unit together.
  static QString plain(QString text) {
    for (QChar& c : text)
      if (c.isSpace()) c = ' ';
    return text;
  }
  static QString wordsOf(const QWidget& plot) { return plain(plot.accessibleDescription()); }
  static QString cell(const PlotTable::Cell& cell) {
    if (const auto* words = std::get_if<QString>(&cell)) return *words;
    if (const auto* number = std::get_if<int64_t>(&cell)) return QString::number(*number);
    return "–";
  }
  static QStringList row(const PlotTable& table, std::size_t at) {
    QStringList cells;
    for (const auto& c : table.rows.at(at)) cells << cell(c);
    return cells;
  }

private slots:
  void aCurveSaysWhatItShows() {
    StepPlot plot(m_theme, "Memory per tile");
    plot.setAxes("Tile", 4, "Memory", ValueKind::Bytes);
    QVERIFY2(wordsOf(plot).startsWith("Memory. Nothing is shown"), qPrintable(wordsOf(plot)));
    plot.setLayers({{"code", [] { return Qt::red; }, values({1024, 2048, 1024, 0})},
                    {"data", [] { return Qt::blue; }, values({0, 2048, 0, 0})}});
    plot.setLimit(8192, "tile memory 8 KiB");
    const QString words = wordsOf(plot);
    for (const char* part : {"Tile 0 to 3", "maximum 4.00 KiB at tile 1", "tile memory 8 KiB", "code, data", "Arrow keys"})
      QVERIFY2(words.contains(part), qPrintable(words));
    plot.setLayersShown({true, false}); // announced again
    QVERIFY2(wordsOf(plot).contains("maximum 2.00 KiB at tile 1"), qPrintable(wordsOf(plot)));
    for (const auto& [title, inside] : {std::pair("IPU", "at IPU 1"), {"Execution of Conv2D", "at execution of Conv2D 1"}}) {
      plot.setAxes(title, 4, "Memory", ValueKind::Bytes);
      QVERIFY2(wordsOf(plot).contains(inside), qPrintable(wordsOf(plot)));
    }
    plot.setAxes("Tile", 4, "Memory", ValueKind::Bytes);
    plot.setPositionText([](int64_t position) { return QString::number(position + 1472); });
    QVERIFY2(wordsOf(plot).contains("at tile 1473"), qPrintable(wordsOf(plot)));
    QCOMPARE(row(plot.table(), 1), (QStringList{"1473", "2048"}));
    plot.setLayersShown({true, true});
    QCOMPARE(row(plot.table(), 1), (QStringList{"1473", "2048", "2048", "4096"}));
  }

  void twoCurvesHaveTheirDifference() {
    StepPlot plot(m_theme, "Memory of both");
    plot.setDifferenceTold(true);
    plot.setAxes("Tile", 3, "Memory", ValueKind::Bytes);
    plot.setCurves({{"A", [] { return Qt::red; }, values({5, 7})}, {"B", [] { return Qt::blue; }, values({6, 4, 9})}});
    const auto table = plot.table();
    QCOMPARE(table.columns.back().title, QString("B − A"));
    QCOMPARE(row(table, 1), (QStringList{"1", "7", "4", "-3"}));
    QCOMPARE(row(table, 2), (QStringList{"2", "–", "9", "–"}));
  }

  // A screen reader gets the new position after a key: as the value, and after the name.
  void theCursorIsTold() {
    StepPlot plot(m_theme, "Memory per tile");
    plot.setAxes("Tile", 3, "Memory", ValueKind::Bytes);
    plot.setLayers({{"code", [] { return Qt::red; }, values({1024, 2048, 512})}});
    plot.resize(600, 300);
    plot.show();
    QAccessible::setActive(true);
    static int changes = 0;
    changes = 0;
    const auto before =
        QAccessible::installUpdateHandler([](QAccessibleEvent* event) { changes += event->type() == QAccessible::NameChanged; });
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Right);
    auto* told = QAccessible::queryAccessibleInterface(&plot);
    for (int child = 0; child < told->childCount(); ++child)
      QVERIFY2(!told->child(child)->text(QAccessible::Name).isEmpty(), "a child without a name");
    QVERIFY(told);
    QCOMPARE(int(told->role()), int(QAccessible::Chart));
    QCOMPARE(plain(told->text(QAccessible::Value)), QString("Tile 1. code 2.00 KiB"));
    QCOMPARE(plain(told->text(QAccessible::Name)), QString("Memory per tile: Tile 1. code 2.00 KiB"));
    QCOMPARE(plot.accessibleName(), QString("Memory per tile"));
    if (QAccessible::isActive()) QCOMPARE(changes, 2); // not on every platform
    QAccessible::installUpdateHandler(before);
    QAccessible::setActive(false);
  }

  void aMapSaysWhichTileHasMost() {
    TileMap map(m_theme, "Floor plan");
    map.setGrid(1, 4, 2, 2);
    map.setCaption("Bytes per tile");
    map.setValues(values({3, 9, 4, 1}));
    QVERIFY2(wordsOf(map).startsWith("Bytes per tile. 4 tiles, from 1 to 9, the most at tile 1"), qPrintable(wordsOf(map)));
    map.resize(300, 300);
    map.show();
    QTest::keyClick(&map, Qt::Key_Down);
    QVERIFY2(plain(spoken(map)).startsWith("Tile 1"), qPrintable(plain(spoken(map))));
    QCOMPARE(map.table().rows.size(), std::size_t(4));
  }

  void barsAreWalkedAndChosenByKeys() {
    Histogram histogram(m_theme, "Tiles by memory");
    histogram.setBars({{0, 10, 3}, {10, 20, 0}, {20, 30, 1}}, "tiles");
    histogram.resize(300, 120);
    histogram.show();
    QSignalSpy chosen(&histogram, &Histogram::barClicked);
    QTest::keyClick(&histogram, Qt::Key_Right);
    QTest::keyClick(&histogram, Qt::Key_Right); // an empty bar is passed over
    QVERIFY2(plain(spoken(histogram)).startsWith("20 to 30"), qPrintable(plain(spoken(histogram))));
    QTest::keyClick(&histogram, Qt::Key_Return);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.front().front().toLongLong(), 20);
    QCOMPARE(row(histogram.table(), 0), (QStringList{"0", "10", "3", "750000"}));
  }

  void aFlameGraphNamesTheLongest() {
    FlameGraph graph(m_theme, "Flame graph");
    graph.setBoxes({{-1, "all", 100, 0}, {0, "fwd", 60, 0}, {0, "bwd", 30, 0}}, "nothing");
    graph.enter(0);
    QVERIFY2(wordsOf(graph).contains("The longest: fwd 60.0 %, bwd 30.0 %"), qPrintable(wordsOf(graph)));
    QCOMPARE(row(graph.table(), 0), (QStringList{"all", "0", "", "1000000", "100000"}));
  }
};

TILESCOPE_TEST(PlotWordsTest)
#include "plot_words_test.moc"
