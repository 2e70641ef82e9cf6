// Tiles by cycles, the picture below the lanes of the trace: what is selected in it, and in which order its rows stand.
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/cell_map.h"
#include "ui/plot/timeline.h"

using namespace ui;

class TraceTilesTest : public QObject {
  Q_OBJECT

  static plot::CellMap& tilesOf(const tests::ViewWorld& world) { return *world.child<plot::CellMap>("Tiles by cycles"); }

private slots:
  // A step that another view selects, and one that is clicked in the picture, over the rows of its IPU.
  void theSelectedStepIsOutlined() {
    tests::ViewWorld world; // two IPUs
    world.open("trace");
    QVERIFY(world.settle());
    auto& tiles = tilesOf(world);
    QVERIFY(tiles.outlinePlace().isEmpty());
    // A cell of the second IPU at the middle of the run: the step that runs there.
    const QPoint below(tiles.width() * 2 / 3, tiles.height() * 7 / 8);
    QTest::mouseClick(&tiles, Qt::LeftButton, {}, below);
    QVERIFY(world.settle());
    const QRect clicked = tiles.outlinePlace();
    QVERIFY(clicked.left() <= below.x() && clicked.right() >= below.x());
    QVERIFY(clicked.top() >= tiles.height() / 2 - 2 && clicked.bottom() >= tiles.height() - 2);
    const auto step = world.state.step();
    QVERIFY(step.valid());

    auto& timeline = *world.child<plot::Timeline>("Execution trace");
    timeline.setFocus();
    QTest::keyClick(&timeline, Qt::Key_Escape);
    QVERIFY(world.settle());
    QVERIFY(tiles.outlinePlace().isEmpty());
    world.state.setStep({}), world.state.setStep(step); // as Program does
    QVERIFY(world.settle());
    QVERIFY(!tiles.outlinePlace().isEmpty());
  }
};

TILESCOPE_TEST(TraceTilesTest)
#include "trace_tiles_test.moc"
