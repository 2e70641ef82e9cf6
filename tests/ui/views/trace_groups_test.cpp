// Equal steps of the trace as one band, and flags of bookmarks on its axis, as a user sees them.
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/cell_map.h"
#include "ui/plot/timeline.h"
#include "ui/views/trace/trace_sources.h"

#include <QAction>
#include <QSignalSpy>

using namespace ui;

class TraceGroupsTest : public QObject {
  Q_OBJECT

  static std::shared_ptr<trace::GroupedLanes> lanesOf(const tests::ViewWorld& world) {
    auto open = std::make_shared<trace::OpenTrace>(world.session);
    auto entries = trace::trackEntries(*open, -1);
    auto lanes = std::make_shared<trace::GroupedLanes>(
        open, std::move(entries), [open](reports::StringId id) { return QString::fromStdString(open->session().text(id)); });
    return lanes;
  }
  static QAction* groupsOf(const shell::View& view) {
    for (auto* action : view.findChildren<QAction*>())
      if (action->text().startsWith("Group equal steps")) return action;
    return nullptr;
  }
  static bool isBand(const plot::Slice& slice) { return slice.label.contains(QStringLiteral(" × ")); }

private slots:
  // A band represents all of its steps, hides the lanes below them, and opens into these steps.
  void aBandOpensIntoItsSteps() {
    const tests::ViewWorld world({.ipus = 1, .tilesPerIpu = 8, .operations = 3, .slices = 400});
    const auto lanes = lanesOf(world);
    const auto range = lanes->extent();
    const auto read = [&](int lane) { return lanes->slices(0, lane, range, 1'000'000, 0, {}); };
    const int depth = lanes->tracks().front().lanes;
    std::vector<std::vector<plot::Slice>> plain;
    for (int lane = 0; lane < depth; ++lane) plain.push_back(read(lane));
    lanes->setGrouped(true);
    int bands = 0;
    for (int lane = 0; lane < depth; ++lane) {
      const auto grouped = read(lane);
      for (std::size_t i = 0; i + 1 < grouped.size(); ++i) QVERIFY(grouped[i].end <= grouped[i + 1].begin);
      for (const plot::Slice& band : grouped) {
        if (!isBand(band)) continue;
        ++bands;
        int64_t inside = 0;
        for (const plot::Slice& s : plain[std::size_t(lane)]) inside += s.begin >= band.begin && s.end <= band.end;
        QCOMPARE(int64_t(band.count), inside);
        QVERIFY(inside >= 3);
        for (int below = lane + 1; below < depth; ++below)
          for (const plot::Slice& s : read(below)) QVERIFY(s.end <= band.begin || s.begin >= band.end);
        QVERIFY(lanes->card(0, lane, band).title.contains(QStringLiteral(" × ")));
        QVERIFY(lanes->openBand(band));
        QVERIFY(!lanes->openBand(band)); // it is open
        std::size_t again = 0;           // its slices, or bands of them
        for (const plot::Slice& s : read(lane)) again += s.begin >= band.begin && s.end <= band.end;
        QVERIFY(again >= 3);
        lanes->closeBands();
      }
    }
    QVERIFY(bands > 0); // the report's loop runs four times at least
    lanes->setGrouped(false);
    for (int lane = 0; lane < depth; ++lane) QCOMPARE(read(lane).size(), plain[std::size_t(lane)].size());
  }

  void theViewGroups() {
    tests::ViewWorld world({.ipus = 1, .tilesPerIpu = 8, .operations = 3, .slices = 400});
    world.open("trace");
    QVERIFY(world.settle());
    auto* timeline = world.child<plot::Timeline>("Execution trace");
    const QImage before = timeline->grab().toImage();
    QTest::keyClick(timeline, Qt::Key_G);
    QVERIFY(world.settle());
    QVERIFY(timeline->grab().toImage() != before);
    const auto* grouped = groupsOf(*world.view);
    QVERIFY(grouped->isChecked());
    QTest::keyClick(timeline, Qt::Key_G);
    QVERIFY(world.settle());
    QVERIFY(!grouped->isChecked());
  }

  // A click on a cell selects the step that runs at its time, even if the lanes draw a band or several slices as one bar.
  void aCellSelectsTheStepThatRunsThen() {
    tests::ViewWorld world({.ipus = 1, .tilesPerIpu = 8, .operations = 3, .slices = 4000});
    world.open("trace");
    QVERIFY(world.settle());
    auto* tiles = world.child<plot::CellMap>("Tiles by cycles");
    QTest::keyClick(tiles, Qt::Key_G); // as in the lanes
    QVERIFY(world.settle());
    QVERIFY(groupsOf(*world.view)->isChecked());
    for (const int percent : {20, 35, 50, 65, 80, 95}) {
      const QPoint at(110 + (tiles->width() - 130) * percent / 100, tiles->height() * 3 / 4);
      QTest::mouseClick(tiles, Qt::LeftButton, {}, at);
      QVERIFY(world.settle());
      const QRect outline = tiles->outlinePlace();
      QVERIFY2(outline.left() <= at.x() + 1 && outline.right() >= at.x() - 1,
               qPrintable(QString("%1 is not in %2 to %3").arg(at.x()).arg(outline.left()).arg(outline.right())));
    }
  }

  // Bookmarks of this page are flags; a click asks for the bookmark itself, with its controls.
  void bookmarksAreFlagsOnTheAxis() {
    tests::ViewWorld world;
    shell::ReportNotes::Mark here{"the long sync", {}}, elsewhere{"a tile", {}}, measured{"A to B", {}};
    here.place.view = measured.place.view = "trace", elsewhere.place.view = "memory";
    here.place.range = {10, 400};
    measured.place.measured = {500, 600};
    world.state.notes().setMarks({elsewhere, here, measured});
    world.open("trace");
    QVERIFY(world.settle());
    auto* timeline = world.child<plot::Timeline>("Execution trace");
    QVERIFY(!timeline->markerPlace(0).isEmpty() && !timeline->markerPlace(1).isEmpty());
    QVERIFY(timeline->markerPlace(2).isEmpty()); // the bookmark of Memory has no flag
    QSignalSpy asked(&world.state.messages(), &shell::ViewMessages::bookmarkAsked);
    const auto bookmark = [&](qsizetype i) { return asked[i].front().value<shell::ShowBookmark>().bookmark; };
    QTest::mouseClick(timeline, Qt::LeftButton, {}, timeline->markerPlace(1).center());
    QCOMPARE(asked.count(), 1);
    QCOMPARE(bookmark(0), 2);
    QTest::keyClick(timeline, Qt::Key_B);
    QCOMPARE(bookmark(asked.count() - 1), 1);
    auto* tiles = world.child<plot::CellMap>("Tiles by cycles");
    const auto before = asked.count();
    QTest::keyClick(tiles, Qt::Key_B, Qt::ShiftModifier);
    QTest::keyClick(tiles,
                    Qt::Key_B); // last: the application keeps the modifiers of the last key, for the tests behind this one, too
    QCOMPARE(asked.count(), before + 2);
    QVERIFY(bookmark(before) != bookmark(before + 1));
    world.state.notes().setMarks({});
    QVERIFY(timeline->markerPlace(0).isEmpty());
  }
};

TILESCOPE_TEST(TraceGroupsTest)
#include "trace_groups_test.moc"
