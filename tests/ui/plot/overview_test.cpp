// The frame in the overview: drags of its ends and of its middle, alone and in the plots that have an overview.
#include "ui/plot/overview_frame.h"

#include "tests/support/test_main.h"
#include "ui/plot/overviewed_plot.h"
#include "ui/plot/step_plot.h"
#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QTest>

using namespace ui::plot;
using Part = OverviewFrame::Part;

class OverviewTest : public QObject {
  Q_OBJECT

  static constexpr QRect kArea{100, 0, 1000, 30};
  static Part dragged(Part part, int from, int to, double least = 0.01) {
    OverviewFrame frame;
    frame.press(from, kArea, part, least);
    return frame.draggedTo(to);
  }

  struct Shown {
    ui::theme::Theme theme;
    StepPlot* plot = new StepPlot(theme, "Memory per tile");
    OverviewedPlot overviewed{theme, plot};
    explicit Shown(int height) {
      plot->setAxes("Tile", 1000, "Memory", ValueKind::Bytes);
      std::vector<int64_t> values(1000, 60);
      values[500] = 900;
      plot->setCurves({{"a", [] { return QColor(Qt::red); }, std::make_shared<const std::vector<int64_t>>(values), false, true}});
      overviewed.resize(800, height);
      overviewed.show();
      (void)QTest::qWaitForWindowExposed(&overviewed);
      plot->paintNow();
    }
    QWidget& strip() { return *overviewed.findChild<OverviewStrip*>(); }
    QPoint at(double share) const { return {plot->axes().left() + int(share * plot->axes().width()), 15}; }
    void drag(double from, double to) {
      QTest::mousePress(&strip(), Qt::LeftButton, {}, at(from));
      QMouseEvent move(QEvent::MouseMove, at(to), strip().mapToGlobal(at(to)), Qt::NoButton, Qt::LeftButton, {});
      QCoreApplication::sendEvent(&strip(), &move);
      QTest::mouseRelease(&strip(), Qt::LeftButton, {}, at(to));
    }
  };

private slots:
  void endsAreDraggedAlone() {
    const Part part{0.2, 0.6};
    QCOMPARE(dragged(part, 300, 400), (Part{0.3, 0.6}));
    QCOMPARE(dragged(part, 700, 900), (Part{0.2, 0.8}));
    QCOMPARE(dragged(part, 303, 403), (Part{0.3, 0.6})); // taken beside its line, it does not jump to the pointer
  }

  void anEndKeepsTheLeastLength() {
    QCOMPARE(dragged({0.2, 0.6}, 300, 1100, 0.1), (Part{0.5, 0.6}));
    QCOMPARE(dragged({0.2, 0.6}, 700, 100, 0.1), (Part{0.2, 0.30000000000000004}));
    QCOMPARE(dragged({0, 1}, 100, 5000, 2).begin, 0.0); // shorter than the least from the start
  }

  void theMiddleMovesWithinTheWhole() {
    const Part moved = dragged({0.2, 0.6}, 500, 600);
    QVERIFY(qAbs(moved.begin - 0.3) < 1e-9 && qAbs(moved.end - 0.7) < 1e-9);
    QCOMPARE(dragged({0.2, 0.6}, 500, -5000).begin, 0.0);
    QVERIFY(qAbs(dragged({0.2, 0.6}, 500, 5000).end - 1) < 1e-9);
  }

  void aPressOutsideBringsTheMiddle() {
    const Part there = dragged({0.1, 0.2}, 900, 900);
    QVERIFY(qAbs((there.begin + there.end) / 2 - 0.8) < 1e-9 && qAbs(there.end - there.begin - 0.1) < 1e-9);
  }

  void aShortPartHasAMiddle() {
    const Part part{0.5, 0.502}; // two pixels, drawn as eight
    QVERIFY(qAbs(dragged(part, 604, 704).begin - 0.6) < 1e-9);
  }

  void theStripZoomsAndPansItsPlot() {
    Shown shown(400);
    shown.drag(0, 0.4);
    QVERIFY2(qAbs(shown.plot->visible().begin - 400) <= 3, qPrintable(QString::number(shown.plot->visible().begin)));
    QCOMPARE(shown.plot->visible().end, 1000);
    shown.drag(0.7, 0.5);
    QVERIFY(qAbs(shown.plot->visible().begin - 200) <= 4);
    QVERIFY(qAbs(shown.plot->visible().size() - 600) <= 4);
    QTest::mouseDClick(&shown.strip(), Qt::LeftButton, {}, shown.at(0.9));
    QCOMPARE(shown.plot->visible().size(), 1000);
  }

  void theStripShowsPeaksAndSelection() {
    Shown shown(400);
    shown.plot->setVisible({0, 100});
    shown.plot->setSelection({{900, 901}});
    const QImage image = shown.strip().grab().toImage();
    const auto pixel = [&](double share) { return image.pixelColor(shown.at(share).x(), 4); };
    QVERIFY(pixel(0.5) != pixel(0.3)); // one of a thousand is as high as the strip
    bool isMarked = false;
    for (int x = -2; x <= 2; ++x) {
      const QColor here = image.pixelColor(shown.at(0.9).x() + x, 4);
      isMarked = isMarked || here == shown.theme.tokens().accent;
    }
    QVERIFY(isMarked);
  }

  void aLowPlotHasNoStrip() {
    Shown shown(200);
    QVERIFY(shown.strip().isHidden());
    shown.overviewed.resize(800, 400);
    QVERIFY(!shown.strip().isHidden());
  }
};

TILESCOPE_TEST(OverviewTest)
#include "overview_test.moc"
