// Slices that are too small to be drawn alone: the selected slice within a fold.
#include "tests/support/test_main.h"
#include "tests/ui/plot/ten_slices.h"
#include "ui/plot/timeline.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QMouseEvent>
#include <QTest>

using namespace ui::plot;
using tests::TenSlices;

class TimelineFoldTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

  std::unique_ptr<Timeline> make() { return tests::tenSlicesTimeline(m_theme); }
  static QPoint at(const Timeline& t, int64_t tick) { return tests::placeOf(t, tick); }

private slots:
  // A bar may draw several slices. After narrowSelection() one of them is selected, and zoom and keys continue from it.
  void aFoldIsNarrowedToTheSliceThatIsMeant() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    const QPoint place = at(*timeline, 350); // stands for many
    QTest::mouseClick(timeline.get(), Qt::LeftButton, {}, place);
    timeline->narrowSelection(4711, {310, 330});
    QCOMPARE(timeline->selectedId(), 4711);
    QMouseEvent second(QEvent::MouseButtonDblClick, place, timeline->mapToGlobal(place), Qt::LeftButton, Qt::LeftButton, {});
    QApplication::sendEvent(timeline.get(), &second);
    QCOMPARE(timeline->visibleRange(), (reports::TickRange{310, 330}));
    QCOMPARE(timeline->selectedId(), 4711);
    timeline->fit();
    QTRY_VERIFY(!timeline->isBusy());
    QTest::keyClick(timeline.get(), Qt::Key_Return); // too small to be drawn by itself
    QCOMPARE(timeline->visibleRange(), (reports::TickRange{310, 330}));
  }

  // The arrow keys continue from the bar that contains the selected slice.
  void arrowsGoOnFromAFold() {
    for (const auto& [key, id] : {std::pair{Qt::Key_Right, 4}, {Qt::Key_Left, 2}}) {
      const auto timeline = make();
      QTRY_VERIFY(!timeline->isBusy());
      QTest::mouseClick(timeline.get(), Qt::LeftButton, {}, at(*timeline, 350));
      timeline->narrowSelection(4711, {310, 330});
      QTest::keyClick(timeline.get(), key);
      QCOMPARE(timeline->selectedId(), id);
    }
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    QTest::mouseClick(timeline.get(), Qt::LeftButton, {}, at(*timeline, 350));
    timeline->narrowSelection(4711, {310, 330});
    QTest::keyClick(timeline.get(), Qt::Key_Down); // the other track's first lane
    QCOMPARE(timeline->selectedId(), 103);
  }

  // Several slices may be drawn as one: Enter zooms exactly to the one that was picked.
  void enterOnAFoldShowsThePickedSlice() {
    class Folded : public TenSlices {
    public:
      std::vector<ui::plot::Slice> slices(int track, int lane, reports::TickRange range, int pixels, int64_t label,
                                          std::stop_token stop) const override {
        auto list = TenSlices::slices(track, lane, range, pixels, label, stop);
        for (auto& slice : list) slice.count = 5;
        return list;
      }
    };
    ui::plot::Timeline timeline(m_theme, "Trace", nullptr);
    timeline.resize(1192, 300);
    timeline.setSource(std::make_shared<Folded>());
    timeline.show();
    QTRY_VERIFY(!timeline.isBusy());
    QTest::mouseClick(&timeline, Qt::LeftButton, {}, tests::placeOf(timeline, 350));
    QCOMPARE(timeline.selectedId(), int64_t(3));
    timeline.narrowSelection(3, {312, 340}); // the longest of the fold [300, 390), which has its id
    QTest::keyClick(&timeline, Qt::Key_Return);
    QCOMPARE(timeline.visibleRange(), (reports::TickRange{312, 340}));
    timeline.fit();
    QTRY_VERIFY(!timeline.isBusy());
    timeline.narrowSelection(3, {312, 420}); // it reaches beyond what is drawn
    QTest::keyClick(&timeline, Qt::Key_Return);
    QCOMPARE(timeline.visibleRange(), (reports::TickRange{312, 420}));
  }
};

TILESCOPE_TEST(TimelineFoldTest)
#include "timeline_fold_test.moc"
