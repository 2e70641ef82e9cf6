#include "ui/plot/timeline.h"

#include "reports/core/error.h"
#include "tests/support/test_main.h"
#include "tests/ui/plot/ten_slices.h"
#include "ui/plot/cell_map.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <atomic>

using namespace ui::plot;
using tests::TenSlices;

namespace {

class Unreliable : public TenSlices {
public:
  std::vector<Slice> slices(int track, int lane, reports::TickRange range, int pixels, int64_t labels,
                            std::stop_token stop) const override {
    if (fails) throw reports::Error(reports::ErrorCode::Io, "the disk went away");
    return TenSlices::slices(track, lane, range, pixels, labels, stop);
  }
  std::atomic<bool> fails = true;
};

class Stripes : public CellSource {
public:
  reports::TickRange extent() const override { return {0, 1000}; }
  int rows() const override { return 10; }
  QString rowTitle(int row) const override { return QString::number(row); }
  Picture cells(reports::Range<int>, reports::TickRange, int width, int height, Detail detail, std::stop_token) const override {
    m_asked.push_back(detail);
    std::vector<Cell> cells(std::size_t(width) * std::size_t(height), Cell{0, 255});
    for (std::size_t i = 0; i < cells.size(); ++i) // the later half of the time is of another colour
      if (int(i % std::size_t(width)) >= width / 2) cells[i] = {1, 100};
    return {std::move(cells), detail == Detail::Exact || !m_isLong};
  }
  bool m_isLong = false;
  mutable std::vector<Detail> m_asked; // on the worker; read when it is done
  Card card(int row, int64_t, Cell cell) const override {
    m_card = cell;
    return {QString::number(row), {}, {}};
  }
  mutable Cell m_card; // of the last card
  std::vector<QColor> palette(bool) const override { return {Qt::red}; }
};

} // namespace

class TimelineTest : public QObject {
  Q_OBJECT

  static constexpr int kGutter = 192;
  ui::theme::Theme m_theme;

  std::unique_ptr<Timeline> make() { return tests::tenSlicesTimeline(m_theme); }
  static QPoint at(const Timeline& t, int64_t tick, int y = 70) { return tests::placeOf(t, tick, y); }

private slots:
  void clickSelectsWhatIsDrawn() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    QSignalSpy clicked(timeline.get(), &Timeline::sliceClicked), cleared(timeline.get(), &Timeline::selectionCleared);
    QTest::mouseClick(timeline.get(), Qt::LeftButton, {}, at(*timeline, 350));
    QCOMPARE(clicked.count(), 1);
    QCOMPARE(timeline->selectedId(), 3);
    QTest::mouseClick(timeline.get(), Qt::LeftButton, {}, at(*timeline, 395)); // in the gap between two slices
    QCOMPARE(timeline->selectedId(), -1);
    QCOMPARE(cleared.count(), 1);
  }

  void aFoldedTrackShowsItsDeepestLane() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    const int open = timeline->preferredHeight(), y = 70 + 18 + 8; // the first lane of the second track
    QVERIFY(timeline->rows().canFold() && !timeline->rows().isFolded(1));
    QCOMPARE(timeline->hitAt(at(*timeline, 350, y))->lane, 0);
    QSignalSpy folds(&timeline->rows(), &TimelineRows::foldsChanged);
    QTest::mouseClick(timeline.get(), Qt::LeftButton, {}, {60, y}); // its title
    QCOMPARE(folds.count(), 1);
    QVERIFY(timeline->rows().isFolded(1) && !timeline->rows().isFolded(0));
    QVERIFY(timeline->preferredHeight() < open);
    QTRY_VERIFY(!timeline->isBusy());
    QCOMPARE(timeline->hitAt(at(*timeline, 350, y))->lane, 1);
    // A slice selected from elsewhere may be hidden in a collapsed track: the track expands.
    timeline->selectSlice(1, 0, 103);
    QVERIFY(!timeline->rows().isFolded(1));
    QTest::keyClick(timeline.get(), Qt::Key_E);
    QVERIFY(timeline->rows().isFolded(1) && !timeline->rows().isFolded(0));
    QTest::keyClick(timeline.get(), Qt::Key_E, Qt::ShiftModifier);
    QVERIFY(!timeline->rows().isFolded(1));
  }

  // A panel that opens below takes height, but the chosen slice stays visible.
  void aChosenSliceStaysInSight() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    timeline->resize(timeline->width(), timeline->preferredHeight());
    timeline->selectSlice(1, 1, 113); // on the lowest lane
    QTRY_VERIFY(!timeline->isBusy());
    const int lowest = timeline->height() - ui::theme::kLane;
    timeline->resize(timeline->width(), lowest - ui::theme::kLane);
    QTRY_VERIFY(!timeline->isBusy());
    bool isSeen = false;
    for (int y = 0; y < timeline->height() && !isSeen; ++y)
      if (const auto hit = timeline->hitAt(at(*timeline, 350, y))) isSeen = hit->track == 1 && hit->lane == 1;
    QVERIFY(isSeen);
  }

  void theEndsOfTheOverviewAreDragged() {
    const auto timeline = make();
    const int wide = 1192 - kGutter - 13; // a scroll bar's width is left free
    const auto place = [&](double share) { return QPoint(kGutter + int(share * wide), 12); };
    const auto drag = [&](double from, double to) {
      QTest::mousePress(timeline.get(), Qt::LeftButton, {}, place(from));
      QMouseEvent move(QEvent::MouseMove, place(to), timeline->mapToGlobal(place(to)), Qt::NoButton, Qt::LeftButton, {});
      QCoreApplication::sendEvent(timeline.get(), &move);
      QTest::mouseRelease(timeline.get(), Qt::LeftButton, {}, place(to));
    };
    drag(0, 0.25);
    QVERIFY2(qAbs(timeline->visibleRange().begin - 250) <= 3, qPrintable(QString::number(timeline->visibleRange().begin)));
    QCOMPARE(timeline->visibleRange().end, 1000);
    drag(0.998, 0.75);
    QVERIFY(qAbs(timeline->visibleRange().end - 750) <= 3);
    const int64_t size = timeline->visibleRange().size();
    drag(0.5, 0.6);
    QCOMPARE(timeline->visibleRange().size(), size); // to the tick
    QVERIFY(qAbs(timeline->visibleRange().begin - 350) <= 4);
  }

  // F shows the selection, then the ruler's range, then everything; Home always everything.
  void fFramesTheSelection() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    const reports::TickRange all = timeline->visibleRange();
    QTest::keyClick(timeline.get(), Qt::Key_F);
    QCOMPARE(timeline->visibleRange(), all);                                   // nothing is selected
    QTest::mouseClick(timeline.get(), Qt::LeftButton, {}, at(*timeline, 350)); // [300, 390)
    timeline->setMeasured({100, 600});
    QTest::keyClick(timeline.get(), Qt::Key_F);
    QCOMPARE(timeline->visibleRange(), (reports::TickRange{289, 401})); // with an eighth around it
    QTest::keyClick(timeline.get(), Qt::Key_F);
    QCOMPARE(timeline->visibleRange(), (reports::TickRange{100, 600}));
    QTest::keyClick(timeline.get(), Qt::Key_F);
    QCOMPARE(timeline->visibleRange(), all);
    QTest::keyClick(timeline.get(), Qt::Key_F);
    QTest::keyClick(timeline.get(), Qt::Key_Home);
    QCOMPARE(timeline->visibleRange(), all);
  }

  void arrowsStepAndEnterZooms() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    QTest::mouseClick(timeline.get(), Qt::LeftButton, {}, at(*timeline, 350));
    QTest::keyClick(timeline.get(), Qt::Key_Right);
    QCOMPARE(timeline->selectedId(), 4);
    QTest::keyClick(timeline.get(), Qt::Key_Left);
    QTest::keyClick(timeline.get(), Qt::Key_Left);
    QCOMPARE(timeline->selectedId(), 2);
    QTest::keyClick(timeline.get(), Qt::Key_Return);
    QCOMPARE(timeline->visibleRange(), (reports::TickRange{200, 290})); // and nothing beside it
    QTest::keyClick(timeline.get(), Qt::Key_Escape);
    QCOMPARE(timeline->selectedId(), -1);
  }

  void wheelZoomsAtThePointer() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    const QPoint place = at(*timeline, 750);
    QSignalSpy changed(timeline.get(), &TimeView::visibleChanged);
    QWheelEvent wheel(place, timeline->mapToGlobal(place), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(timeline.get(), &wheel);
    QCOMPARE(changed.count(), 1);
    QVERIFY(timeline->visibleRange().size() < 700);
    QVERIFY(std::abs(timeline->scale().xOf(750) + kGutter - place.x()) < 4);
    QTest::keyClick(timeline.get(), Qt::Key_F);
    QCOMPARE(timeline->visibleRange(), timeline->extent());
  }

  void dragPans() {
    const auto timeline = make();
    timeline->setVisibleRange({400, 600});
    QTRY_VERIFY(!timeline->isBusy());
    QTest::mousePress(timeline.get(), Qt::LeftButton, {}, at(*timeline, 500));
    QTest::mouseMove(timeline.get(), at(*timeline, 550));
    QTest::mouseRelease(timeline.get(), Qt::LeftButton, {}, at(*timeline, 500));
    QVERIFY(std::abs(timeline->visibleRange().begin - 350) <= 3);
    QCOMPARE(timeline->visibleRange().size(), 200);
    QCOMPARE(timeline->selectedId(), -1);
  }

  void theRestingPointerReadsTheTimeThatMovesBelowIt() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    const QPoint place = at(*timeline, 500);
    QTest::mouseMove(timeline.get(), place);
    const auto below = [&] { return timeline->scale().tickAt(place.x() - kGutter); };
    QTRY_COMPARE(timeline->hoveredTick(), below());
    timeline->setVisibleRange({600, 800});
    QVERIFY(timeline->hoveredTick() > 600);
    QCOMPARE(timeline->hoveredTick(), below());
    QTest::keyClick(timeline.get(), Qt::Key_A);
    QCOMPARE(timeline->hoveredTick(), below());
  }

  void hiddenColoursCannotBeHit() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    QVERIFY(timeline->hitAt(at(*timeline, 350)));
    timeline->setHiddenColours({1});
    QVERIFY(!timeline->hitAt(at(*timeline, 350)));
  }

  void aSourceThatGoesAwayLeavesAnEmptyPlot() {
    const auto timeline = make();
    timeline->setSource(nullptr);
    QVERIFY(!timeline->grab().isNull());
    QVERIFY(!timeline->hitAt({500, 70}));
  }

  // A read that is still running when its source is removed is dropped: its image must not arrive.
  void aSourceThatGoesAwayTakesItsJobWithIt() {
    CellMap map(m_theme, "Tiles", nullptr);
    map.resize(1160, 300);
    map.show();
    const auto timeline = make();
    for (int i = 0; i < 20; ++i) {
      map.setSource(std::make_shared<Stripes>());
      map.setSource(nullptr);
      timeline->setSource(std::make_shared<TenSlices>());
      timeline->setSource(nullptr);
      QVERIFY(!map.isBusy() && !timeline->isBusy());
      QCoreApplication::processEvents();
      QVERIFY(!map.grab().isNull());
      QTest::mouseMove(timeline.get(), {300 + i, 70});
      QVERIFY(!timeline->hitAt({500, 70}));
    }
  }

  void manySelectedRowsLeaveTheMapReadable() {
    CellMap map(m_theme, "Tiles", nullptr);
    map.resize(1160, 300);
    map.setSource(std::make_shared<Stripes>());
    map.show();
    QTRY_VERIFY(!map.isBusy());
    const QColor accent = m_theme.tokens().accent;
    const auto accents = [&](int x) {
      const QImage image = map.grab().toImage();
      int found = 0;
      for (int y = 0; y < 300; ++y) found += image.pixelColor(QPoint(x, y) * map.devicePixelRatioF()) == accent;
      return found;
    };
    const int frame = accents(700); // of a map that has the focus
    map.setSelectedRows({2, 3, 4});
    QCOMPARE(accents(700), frame + 2);  // the outline of the stretch, above and below
    QVERIFY(accents(kGutter + 1) > 60); // its bar at the edge
    map.setSelectedRows({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    QCOMPARE(accents(700), frame + 2);
    map.setSelectedRows({-3, 99}); // of no row
    QCOMPARE(accents(700), frame);
  }

  // Many rows can each be made as high as a line of text; the row below the pointer keeps its position.
  void rowsAreMadeHigher() {
    struct Many : Stripes {
      int rows() const override { return 1000; }
    };
    CellMap map(m_theme, "Tiles", nullptr);
    map.resize(1160, 300);
    map.setSource(std::make_shared<Many>());
    map.show();
    QTRY_VERIFY(!map.isBusy());
    QCOMPARE(map.rowsShown(), (reports::Range<int>{0, 1000}));
    QSignalSpy clicked(&map, &CellMap::cellClicked);
    const auto rowBelow = [&](const QPoint& at) {
      QTest::mouseClick(&map, Qt::LeftButton, {}, at);
      return clicked.isEmpty() ? -1 : clicked.last()[0].toInt();
    };
    const QPoint place(700, 220);
    const int before = rowBelow(place);
    const auto turn = [&](int x, int by, Qt::KeyboardModifiers held) {
      QWheelEvent wheel(QPoint(x, 220), map.mapToGlobal(QPoint(x, 220)), {}, {0, by}, Qt::NoButton, held, Qt::NoScrollPhase,
                        false);
      QApplication::sendEvent(&map, &wheel);
    };
    for (int i = 0; i < 4; ++i) turn(700, 120, Qt::ControlModifier);
    QTRY_VERIFY(!map.isBusy());
    QVERIFY(map.rowsShown().end - map.rowsShown().begin < 400);
    QVERIFY2(std::abs(rowBelow(place) - before) <= 4, qPrintable(QString::number(rowBelow(place))));
    const auto scrolledFrom = map.rowsShown();
    turn(20, -120, {}); // over the titles
    QVERIFY(map.rowsShown().begin > scrolledFrom.begin);
    for (int i = 0; i < 40; ++i) turn(700, 120, Qt::ControlModifier);
    QTRY_VERIFY(!map.isBusy());
    const auto few = map.rowsShown();
    QVERIFY(few.end - few.begin >= 10 && few.end - few.begin < 30);
    QTest::keyClick(&map, Qt::Key_S, Qt::ShiftModifier);
    QVERIFY(map.rowsShown().end - map.rowsShown().begin > few.end - few.begin);
    QTest::keyClick(&map, Qt::Key_F);
    QCOMPARE(map.rowsShown(), (reports::Range<int>{0, 1000}));
  }

  void theLegendHidesCellsToo() {
    CellMap map(m_theme, "Tiles", nullptr);
    map.resize(1160, 300);
    map.setSource(std::make_shared<Stripes>());
    map.show();
    QTRY_VERIFY(!map.isBusy());
    const auto colour = [&] { return map.grab().toImage().pixelColor(QPoint(300, 200) * map.devicePixelRatioF()); };
    QCOMPARE(colour(), QColor(Qt::red));
    map.setHiddenColours({0});
    QCOMPARE(colour(), m_theme.tokens().surface);
    map.setHiddenColours({});
    QCOMPARE(colour(), QColor(Qt::red));
  }

  void aRulerIsDrawnOnTheAxisOrWithCtrl() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    const auto all = timeline->visibleRange();
    QSignalSpy measured(timeline.get(), &Timeline::rangeMeasured);
    const auto drag = [&](const QPoint& from, const QPoint& to, Qt::KeyboardModifiers held) {
      QTest::mousePress(timeline.get(), Qt::LeftButton, held, from);
      QMouseEvent move(QEvent::MouseMove, to, timeline->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, held);
      QApplication::sendEvent(timeline.get(), &move);
      QTest::mouseRelease(timeline.get(), Qt::LeftButton, held, to);
    };
    drag(at(*timeline, 650, 45), at(*timeline, 250, 45), {}); // on the axis, backwards
    QVERIFY(std::abs(timeline->measured().begin - 250) < 3 && std::abs(timeline->measured().end - 650) < 3);
    QCOMPARE(measured.count(), 1);
    QCOMPARE(timeline->visibleRange(), all); // nothing was zoomed
    // A drag in the data snaps to the ends of slices: [300, 390) to [500, 590).
    drag(at(*timeline, 303), at(*timeline, 588), Qt::ControlModifier);
    QCOMPARE(timeline->measured(), (reports::TickRange{300, 590}));
    QTest::mouseDClick(timeline.get(), Qt::LeftButton, {}, at(*timeline, 400, 45));
    QCOMPARE(timeline->visibleRange(), (reports::TickRange{300, 590}));
    QTest::keyClick(timeline.get(), Qt::Key_Escape);
    QVERIFY(timeline->measured().empty());
    QVERIFY(measured.last()[0].value<reports::TickRange>().empty());
  }

  // Bookmark flags are drawn in a band above the axis; a click or the key B (in order of time) goes to them.
  void flagsAreGoneTo() {
    Timeline timeline(m_theme, "trace", nullptr);
    timeline.resize(900, 300);
    timeline.setSource(std::make_shared<TenSlices>());
    timeline.show();
    QVERIFY(timeline.markerPlace(0).isEmpty());
    const QImage without = timeline.grab().toImage();
    timeline.setMarkers({{{600, 700}, "late"},
                         {{100, 200}, "a note that is much too long for the room that there is before the next flag"},
                         {{250, 900}, "middle"}});
    QVERIFY(timeline.grab().toImage() != without);
    const QRect late = timeline.markerPlace(0), early = timeline.markerPlace(1), middle = timeline.markerPlace(2);
    QVERIFY(!late.isEmpty() && !early.isEmpty() && !middle.isEmpty());
    QVERIFY(early.right() < middle.left() && middle.right() < late.left()); // words end before the next flag
    QSignalSpy chosen(&timeline, &TimeView::markerChosen), measured(&timeline, &TimeView::rangeMeasured);
    QTest::mouseClick(&timeline, Qt::LeftButton, {}, middle.center());
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.takeFirst().front().toInt(), 2);
    QCOMPARE(measured.count(), 0);
    QList<int> order;
    connect(&timeline, &TimeView::markerChosen, this, [&](int marker) {
      order << marker;
      timeline.setVisibleRange(QList<reports::TickRange>{{600, 700}, {100, 200}, {250, 900}}[marker]); // as the window does
    });
    for (int i = 0; i < 4; ++i) QTest::keyClick(&timeline, Qt::Key_B);
    QTest::keyClick(&timeline, Qt::Key_B, Qt::ShiftModifier);
    QCOMPARE(order, (QList<int>{1, 2, 0, 1, 0}));
    timeline.setVisibleRange({0, 50});
    QVERIFY(timeline.markerPlace(0).isEmpty()); // out of sight
    timeline.setMarkers({});
    QTest::keyClick(&timeline, Qt::Key_B);
    QCOMPARE(order.size(), 5);
  }

  void upAndDownGoToOtherLanes() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    QSignalSpy clicked(timeline.get(), &Timeline::sliceClicked);
    QTest::mouseClick(timeline.get(), Qt::LeftButton, {}, at(*timeline, 350));
    QCOMPARE(timeline->selectedId(), 3);
    QTest::keyClick(timeline.get(), Qt::Key_Down);
    QCOMPARE(timeline->selectedId(), 103); // the lane below belongs to the second track
    QTest::keyClick(timeline.get(), Qt::Key_Down);
    QCOMPARE(timeline->selectedId(), 113);
    QTest::keyClick(timeline.get(), Qt::Key_Down); // this is the lowest lane
    QCOMPARE(timeline->selectedId(), 113);
    QTest::keyClick(timeline.get(), Qt::Key_Right); // goes on in its own lane
    QCOMPARE(timeline->selectedId(), 114);
    QTest::keyClick(timeline.get(), Qt::Key_Up);
    QTest::keyClick(timeline.get(), Qt::Key_Up);
    QCOMPARE(timeline->selectedId(), 4);
    QCOMPARE(clicked.count(), 6);
  }

  void fewerTracksForgetTheSelection() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    QTest::mouseClick(timeline.get(), Qt::LeftButton, {}, at(*timeline, 350, 70 + 18 + 8)); // on the second track
    QTest::keyClick(timeline.get(), Qt::Key_Escape);
    timeline->setSource(nullptr);
    QTest::keyClick(timeline.get(), Qt::Key_E); // folds the track of the selected lane, if it is still there
    QTest::keyClick(timeline.get(), Qt::Key_Down);
  }

  void theCardOfACellKnowsWhatWasDrawnThere() {
    CellMap map(m_theme, "Tiles", nullptr);
    map.resize(1192, 300);
    const auto stripes = std::make_shared<Stripes>();
    map.setSource(stripes);
    map.show();
    QTRY_VERIFY(!map.isBusy());
    QTest::mouseMove(&map, {kGutter + int(map.scale().xOf(300)), 150});
    QCOMPARE(int(stripes->m_card.colour), 0);
    QTest::mouseMove(&map, {kGutter + int(map.scale().xOf(700)), 150});
    QCOMPARE(int(stripes->m_card.colour), 1);
    QCOMPARE(int(stripes->m_card.strength), 100);
  }

  void aLinkedViewShowsWhereThePointerIs() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    const QPoint above = at(*timeline, 395, 290); // below all lanes
    const auto colourThere = [&] { return timeline->grab().toImage().pixelColor(above * timeline->devicePixelRatioF()); };
    const QColor before = colourThere();
    timeline->setCursorTick(395);
    QVERIFY(colourThere() != before);
    timeline->setCursorTick(-1);
    QCOMPARE(colourThere(), before);
  }

  void theDeepestNameAtATime() {
    const auto timeline = make();
    QTRY_VERIFY(!timeline->isBusy());
    const auto deepest = timeline->deepestAt(1, 350);
    QVERIFY(deepest);
    QCOMPARE(deepest->slice.label, QString("3"));
    QCOMPARE(deepest->track, 1);
    QVERIFY(!timeline->deepestAt(1, 395)); // between two slices
    QVERIFY(!timeline->deepestAt(7, 350));
  }

  void aFailedReadIsTriedAgainAtTheNextMove() {
    const auto source = std::make_shared<Unreliable>();
    Timeline timeline(m_theme, "Trace", nullptr);
    timeline.resize(1192, 300);
    QSignalSpy failures(&timeline, &Timeline::failed);
    timeline.setSource(source);
    timeline.show();
    QTRY_COMPARE(failures.count(), 1);
    QTRY_VERIFY(!timeline.isBusy());
    source->fails = false;
    timeline.panBy(0), timeline.zoomBy(0.99); // the requested slice would cover it
    QTRY_VERIFY(timeline.hitAt(at(timeline, 350)).has_value());
    QCOMPARE(failures.count(), 1);
  }

  // The exact map replaces the sketch, which is requested first.
  void theCellMapSketchesWhatTakesLong() {
    const auto source = std::make_shared<Stripes>();
    source->m_isLong = true;
    CellMap map(m_theme, "Tiles", nullptr);
    map.resize(600, 200);
    map.show();
    map.setSource(source);
    QTRY_VERIFY(map.hasPicture() && !map.isBusy());
    using Detail = CellSource::Detail;
    QCOMPARE(source->m_asked, (std::vector<Detail>{Detail::Sketch, Detail::Exact}));
  }

  void theCellMapAnswersWithRowAndTick() {
    CellMap map(m_theme, "Tiles", nullptr);
    map.resize(1160, 300);
    map.setSource(std::make_shared<Stripes>());
    map.show();
    QTRY_VERIFY(!map.isBusy());
    QSignalSpy clicked(&map, &CellMap::cellClicked);
    QTest::mouseClick(&map, Qt::LeftButton, {}, QPoint(kGutter + int(map.scale().xOf(500)) + 1, 299 - 5));
    QCOMPARE(clicked.count(), 1);
    QCOMPARE(clicked[0][0].toInt(), 9);
    QVERIFY(std::abs(clicked[0][1].toLongLong() - 500) < 5);
    QCOMPARE(map.grab().toImage().pixelColor(600, 200), QColor(Qt::red));
  }
};

TILESCOPE_TEST(TimelineTest)
#include "timeline_test.moc"
