#include "ui/plot/step_plot.h"

#include "tests/support/test_main.h"
#include "ui/plot/group_zoom.h"
#include "ui/plot/step_columns.h"
#include "ui/theme/theme.h"

#include <QSignalSpy>
#include <QTest>

#include <qcustomplot.h>

using namespace ui::plot;

class StepPlotTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;
  const QColor m_red{Qt::red}, m_blue{Qt::blue};

  static Values values(std::vector<int64_t> v) { return std::make_shared<const std::vector<int64_t>>(std::move(v)); }
  // 94208 tiles of 100 with one tile of 1000 among them.
  void fill(StepPlot& plot) {
    std::vector<int64_t> a(94208, 60), b(94208, 40);
    a[50001] = 900, b[50001] = 100;
    plot.setAxes("Tile", 94208, "Memory", ValueKind::Bytes);
    plot.setLayers({{"a", [this] { return m_red; }, values(a)}, {"b", [this] { return m_blue; }, values(b)}});
    plot.resize(800, 300);
    plot.show();
    plot.paintNow();
  }

private slots:
  void columnsKeepPeaksAndSpans() {
    const std::vector<int64_t> v{1, 9, 3, 9, -2};
    QCOMPARE(columnPeak(v, 0, 4), 1);
    QCOMPARE(columnPeak(v, 2, 99), 3);
    QCOMPARE(columnPeak(v, -5, 0), 0);
    QCOMPARE(columnPeak(v, 7, 9), -1);
    QCOMPARE(columnSpan(v, 0, 4), (std::pair<int64_t, int64_t>(-2, 9)));
    QCOMPARE(columnSpan(v, 2, 2), (std::pair<int64_t, int64_t>(3, 3)));
  }

  void oneTileAmongNinetyThousandIsSeen() {
    StepPlot plot(m_theme, "Memory per tile");
    fill(plot);
    QCOMPARE(plot.scene().series.highest(), 1000);
    const QImage image = plot.grab().toImage();
    const int x = int(plot.pixelAt(50001)), y = int(plot.pixelOf(600));
    bool found = false;
    for (int dx = -1; dx <= 1; ++dx) found = found || image.pixelColor(x + dx, y) == m_red;
    QVERIFY(found);
    QVERIFY(image.pixelColor(x + 20, y) != m_red);
  }

  // A selection does not cover its bar: a pin above the bar marks it.
  void aNarrowSelectionCoversNothing() {
    StepPlot plot(m_theme, "Memory per tile");
    plot.setSelectionColour([] { return QColor(Qt::magenta); });
    fill(plot);
    plot.setSelection({{50001, 50002}});
    plot.paintNow();
    const QImage image = plot.grab().toImage();
    const int x = int(plot.pixelAt(50001));
    const auto count = [&](const QColor& colour, double from, double to) {
      int pixels = 0;
      for (int y = int(plot.pixelOf(to)); y < int(plot.pixelOf(from)); ++y)
        for (int dx = -1; dx <= 1; ++dx) pixels += image.pixelColor(x + dx, y) == colour;
      return pixels;
    };
    QCOMPARE(count(Qt::magenta, 100, 990), 0);
    QVERIFY(count(m_red, 100, 890) > 50);
    QVERIFY(count(Qt::magenta, 1000, plot.findChild<QCustomPlot*>()->yAxis->range().upper) > 0);
  }

  void aBandShadesItsValues() {
    StepPlot plot(m_theme, "Memory per tile");
    plot.setAxes("Tile", 100, "Memory", ValueKind::Bytes);
    plot.setCurves({{"a", [this] { return m_red; }, values(std::vector<int64_t>(100, 1000))}});
    plot.resize(800, 300);
    plot.show();
    const auto at = [&](double value) {
      plot.paintNow();
      return plot.grab().toImage().pixelColor(int(plot.pixelAt(50)), int(plot.pixelOf(value)));
    };
    const QColor ground = at(450);
    plot.setBands({{{0, 1000}, {400, 500}}});
    QVERIFY(at(450) != ground);
    QCOMPARE(at(550), ground);
    plot.setBands({});
    QCOMPARE(at(450), ground);
  }

  // Curves on the same line alternate along it, so each is visible; the one under the pointer in the legend is drawn in front.
  void curvesOfOneShapeAreAllSeen() {
    StepPlot plot(m_theme, "Memory per tile");
    const QColor green(0, 160, 0);
    std::vector<int64_t> same(400, 100), nearly = same, other(400, 300);
    nearly[7] = 90;
    plot.setAxes("Tile", 400, "Memory", ValueKind::Bytes);
    plot.setCurves({{"a", [this] { return m_red; }, values(same)},
                    {"b", [this] { return m_blue; }, values(nearly)},
                    {"c", [green] { return green; }, values(same)},
                    {"d", [] { return QColor(Qt::magenta); }, values(other)}});
    plot.resize(800, 300);
    plot.show();
    const auto along = [&](const QColor& colour, int64_t value) { // columns that show it
      plot.paintNow();
      const QImage image = plot.grab().toImage();
      int columns = 0;
      const int y = int(plot.pixelOf(double(value)));
      for (int x = plot.axes().left() + 2; x < plot.axes().right() - 2; ++x)
        for (int dy = -2; dy <= 2; ++dy)
          if (image.pixelColor(x, y + dy) == colour) {
            ++columns;
            break;
          }
      return double(columns) / plot.axes().width();
    };
    for (const QColor& colour : {m_red, m_blue, green}) {
      const double share = along(colour, 100);
      QVERIFY2(share > 0.2 && share < 0.5, qPrintable(QString("%1 %2").arg(colour.name()).arg(share)));
    }
    QVERIFY(along(Qt::magenta, 300) > 0.95); // it has its line for itself
    plot.setEmphasis(1);
    QVERIFY(along(m_blue, 100) > 0.95);
    QVERIFY(along(m_red, 100) < 0.05);
    plot.setEmphasis(-1);
    plot.setCurvesShown({true, false, false, true});
    QVERIFY(along(m_red, 100) > 0.95); // no other curve is left on the line
    // Where the curves separate, each is a solid line. In the first and last third two share a line, in the middle all three.
    std::vector<int64_t> early(400, 100), late(400, 100);
    std::fill(early.begin() + 260, early.end(), 250);
    std::fill(late.begin(), late.begin() + 140, 200);
    plot.setCurves({{"a", [this] { return m_red; }, values(same)},
                    {"b", [this] { return m_blue; }, values(early)},
                    {"c", [green] { return green; }, values(late)}});
    plot.setCurvesShown({true, true, true});
    QVERIFY2(along(m_blue, 250) > 0.33, qPrintable(QString::number(along(m_blue, 250)))); // of 0.35
    QVERIFY2(along(green, 200) > 0.33, qPrintable(QString::number(along(green, 200))));
    const double red = along(m_red, 100), blue = along(m_blue, 100);
    QVERIFY2(red > 0.35 && red < 0.6, qPrintable(QString::number(red))); // half, a third, half of the three parts
    QVERIFY2(blue > 0.2 && blue < 0.35, qPrintable(QString::number(blue)));
  }

  // The area fill of a curve that oscillates from tile to tile does not hide other curves.
  void aCurveThatOscillatesHidesNoOther() {
    StepPlot plot(m_theme, "Memory per tile");
    std::vector<int64_t> steady(1472, 60), swinging(1472);
    for (std::size_t t = 0; t < swinging.size(); t += 2) swinging[t] = 100;
    plot.setAxes("Tile", 1472, "Memory", ValueKind::Bytes);
    plot.setCurves(
        {{"steady", [this] { return m_red; }, values(steady)}, {"swinging", [this] { return m_blue; }, values(swinging)}});
    plot.resize(800, 300);
    plot.show();
    plot.paintNow();
    const QImage image = plot.grab().toImage();
    int red = 0, blue = 0, columns = 0;
    for (int x = plot.axes().left() + 2; x < plot.axes().right() - 2; ++x, ++columns) {
      const auto has = [&](double value, const QColor& colour) {
        for (int dy = -2; dy <= 2; ++dy)
          if (image.pixelColor(x, int(plot.pixelOf(value)) + dy) == colour) return true;
        return false;
      };
      red += has(60, m_red), blue += has(100, m_blue);
    }
    QVERIFY2(red > columns * 9 / 10, qPrintable(QString::number(red))); // the other's fill is drawn under its line
    QVERIFY2(blue > columns * 9 / 10, qPrintable(QString::number(blue)));
    plot.setEmphasis(0);
    plot.paintNow();
    const QImage front = plot.grab().toImage();
    red = 0;
    for (int x = plot.axes().left() + 2; x < plot.axes().right() - 2; ++x)
      red += front.pixelColor(x, int(plot.pixelOf(60.0))) == m_red;
    QVERIFY2(red > columns * 9 / 10, qPrintable(QString::number(red)));
  }

  void hidingALayerRescales() {
    StepPlot plot(m_theme, "Memory per tile");
    fill(plot);
    plot.setLayersShown({false, true});
    QCOMPARE(plot.scene().series.highest(), 100);
    plot.setLimit(640, "limit");
    QVERIFY(plot.findChild<QCustomPlot*>()->yAxis->range().upper >= 640);
    plot.setLimit(640, "limit", false);
    QVERIFY(plot.findChild<QCustomPlot*>()->yAxis->range().upper < 200);
  }

  void captionsOfMarksStandAboveData() {
    StepPlot plot(m_theme, "Memory per tile");
    fill(plot);
    plot.setMarks({{0, {}}, {100, {}}});
    const double bare = plot.findChild<QCustomPlot*>()->yAxis->range().upper;
    plot.setMarks({{0, "IPU 0"}, {47104, "IPU 1"}});
    plot.paintNow();
    QVERIFY(plot.findChild<QCustomPlot*>()->yAxis->range().upper > bare);
    plot.setMarks({{0, {}}, {100, {}}});
    plot.setLimit(2000, "limit"); // its label is above the data, too
    plot.paintNow();
    QVERIFY(plot.pixelOf(2000) - plot.axes().top() >= QFontMetrics(m_theme.small()).height());
    plot.setMarks({{0, "IPU 0"}, {47104, "IPU 1"}});
    plot.paintNow();
    QVERIFY(plot.pixelOf(2000) - plot.axes().top() >= QFontMetrics(m_theme.small()).height());
    plot.resize(800, 160); // captions keep their pixels
    plot.paintNow();
    QVERIFY(plot.pixelOf(2000) - plot.axes().top() >= QFontMetrics(m_theme.small()).height());
  }

  // The peak of B may come before that of A: both have their names.
  void marksHaveNamesInAnyOrder() {
    StepPlot plot(m_theme, "Memory per tile");
    fill(plot);
    const auto picture = [&](std::vector<std::pair<int64_t, QString>> marks) {
      plot.setMarks(std::move(marks));
      plot.paintNow();
      return plot.grab().toImage();
    };
    const QImage both = picture({{20000, "peak of B"}, {60000, "peak of A"}});
    QVERIFY(both == picture({{60000, "peak of A"}, {20000, "peak of B"}}));
    QVERIFY(both != picture({{20000, {}}, {60000, "peak of A"}}));
  }

  void labelsOfPositionsStandApart() {
    StepPlot plot(m_theme, "Memory per tile");
    fill(plot);
    for (const int width : {260, 300, 420, 900}) {
      plot.resize(width, 200);
      plot.paintNow();
      const auto ticks = plot.findChild<QCustomPlot*>()->xAxis->tickVector();
      QVERIFY(!ticks.isEmpty());
      const int label = QFontMetrics(m_theme.small()).horizontalAdvance(ui::theme::count(94208));
      for (qsizetype i = 1; i < ticks.size(); ++i) QVERIFY(plot.pixelAt(ticks[i]) - plot.pixelAt(ticks[i - 1]) > label);
    }
  }

  void labelsOfValuesStandApart() {
    StepPlot plot(m_theme, "Cycles per tile");
    fill(plot);
    for (const int height : {110, 130, 160, 300, 700}) {
      plot.resize(500, height);
      plot.paintNow();
      const auto ticks = plot.findChild<QCustomPlot*>()->yAxis->tickVector();
      for (qsizetype i = 1; i < ticks.size(); ++i)
        QVERIFY2(plot.pixelOf(ticks[i - 1]) - plot.pixelOf(ticks[i]) >= QFontMetrics(m_theme.small()).height(),
                 qPrintable(QString("height %1").arg(height)));
    }
  }

  void clickSelectsTheTileUnderThePointer() {
    StepPlot plot(m_theme, "Memory per tile");
    fill(plot);
    plot.setVisible({50000, 50010});
    plot.paintNow();
    QSignalSpy clicked(&plot, &StepPlot::positionClicked);
    QTest::mouseClick(&plot, Qt::LeftButton, Qt::ControlModifier, QPoint(int(plot.pixelAt(50003)), 150));
    QCOMPARE(clicked.count(), 1);
    QCOMPARE(clicked[0][0].toLongLong(), 50003);
    QCOMPARE(clicked[0][1].value<Qt::KeyboardModifiers>(), Qt::ControlModifier);
  }

  // A user drags beyond the edge to select the last tenth: the painted range is the reported one.
  void aDragThatEndsOutsideSelectsUpToTheEdge() {
    StepPlot plot(m_theme, "Memory per tile");
    fill(plot);
    plot.setVisible({50000, 50100});
    plot.paintNow();
    QSignalSpy dragged(&plot, &StepPlot::rangeDragged);
    const auto drag = [&](int from, int to) {
      QTest::mousePress(&plot, Qt::LeftButton, Qt::ShiftModifier, {from, 150});
      QMouseEvent move(QEvent::MouseMove, QPointF(to, 150), plot.mapToGlobal(QPointF(to, 150)), Qt::NoButton, Qt::LeftButton,
                       Qt::ShiftModifier);
      QCoreApplication::sendEvent(&plot, &move);
      QTest::mouseRelease(&plot, Qt::LeftButton, Qt::ShiftModifier, {to, 150});
    };
    const int middle = int(plot.pixelAt(50090));
    drag(middle, plot.axes().right() + 14);
    QCOMPARE(dragged.count(), 1);
    QCOMPARE(dragged[0][0].toLongLong(), 50090);
    QCOMPARE(dragged[0][1].toLongLong(), 50099);
    drag(middle, 3); // over the labels of the axis
    QCOMPARE(dragged.count(), 2);
    QCOMPARE(dragged[1][0].toLongLong(), 50000);
    QCOMPARE(dragged[1][1].toLongLong(), 50090);
  }

  void keysZoomPanAndSelect() {
    StepPlot plot(m_theme, "Memory per tile");
    fill(plot);
    QTest::keyClick(&plot, Qt::Key_W);
    const auto zoomed = plot.visible();
    QVERIFY(zoomed.size() < 94208 * 3 / 4);
    QTest::keyClick(&plot, Qt::Key_D);
    QVERIFY(plot.visible().begin > zoomed.begin);
    QTest::keyClick(&plot, Qt::Key_F);
    QCOMPARE(plot.visible(), (reports::Range<int64_t>{0, 94208}));
    QSignalSpy clicked(&plot, &StepPlot::positionClicked);
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Return);
    QCOMPARE(clicked[0][0].toLongLong(), 1);
  }

  // The plot of a step on one IPU of 16 initially shows only that IPU; zooming out shows all.
  void theIpusAtWorkAreShownAtFirst() {
    constexpr int64_t kIpu = 1472;
    StepPlot plot(m_theme, "Cycles per tile");
    plot.resize(400, 200);
    std::vector<int64_t> values(16 * kIpu, 0);
    values[3 * kIpu + 7] = 12, values[3 * kIpu + 900] = 5;
    plot.setAxes("Tile", int64_t(values.size()), "Cycles", ValueKind::Cycles);
    showGroupsInUse(plot, {&values}, 0, kIpu);
    QCOMPARE(plot.visible(), (reports::Range<int64_t>{3 * kIpu, 4 * kIpu}));
    plot.fit();
    QCOMPARE(plot.visible(), (reports::Range<int64_t>{0, 16 * kIpu}));
    std::vector<int64_t> others(16 * kIpu, 0);
    others[6 * kIpu] = 1;
    QCOMPARE(groupsInUse({&values, &others}, 0, kIpu), (reports::Range<int64_t>{3 * kIpu, 7 * kIpu}));
    // Values that begin inside an IPU.
    QCOMPARE(groupsInUse({&values}, 100, kIpu), (reports::Range<int64_t>{3 * kIpu - 100, 4 * kIpu - 100}));
    std::vector<int64_t> none(2 * kIpu, 0);
    QCOMPARE(groupsInUse({&none}, 0, kIpu), (reports::Range<int64_t>{0, 2 * kIpu}));
    QCOMPARE(groupsInUse({&values}, 0, 0), (reports::Range<int64_t>{0, 16 * kIpu}));
  }

  void emptyAndTinyPlotsDraw() {
    StepPlot plot(m_theme, "Nothing");
    plot.resize(300, 120);
    QVERIFY(!plot.grab().isNull());
    plot.setAxes("Tile", 1, "Memory", ValueKind::Bytes);
    plot.setLayers({{"a", [this] { return m_red; }, values({0})}});
    plot.setCurves({{"c", [this] { return m_blue; }, values({})}});
    plot.fit();
    QVERIFY(!plot.grab().isNull());
    QCOMPARE(plot.scene().series.highest(), 0);
  }
};

TILESCOPE_TEST(StepPlotTest)
#include "step_plot_test.moc"
