// Tiles by cycles, the map below the lanes of the trace: its selection and the order of its rows.
#include "analyser/trace/execution_trace.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/cell_map.h"
#include "ui/plot/timeline.h"
#include "ui/tables/table.h"
#include "ui/views/trace/trace_tables.h"

#include <QAction>
#include <QLineEdit>

using namespace ui;

class TraceTilesTest : public QObject {
  Q_OBJECT

  static plot::CellMap& tilesOf(const tests::ViewWorld& world) { return *world.child<plot::CellMap>("Tiles by cycles"); }

private slots:
  // A step selected in another view, or clicked in the map, is outlined over the rows of its IPU.
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

  // The most idle tile is at the top of its IPU; a click on its row selects it, and links carry the order.
  void tilesStandByTheirIdleCycles() {
    tests::ViewWorld world({.ipus = 1, .tilesPerIpu = 8, .operations = 4});
    world.open("trace");
    QVERIFY(world.settle());
    auto& tiles = tilesOf(world);
    const auto controls = world.view->fields().values();
    for (QAction* action : world.view->menuActions())
      if (action->text() == "Sort tiles by idle cycles in the visible range") action->trigger();
    QVERIFY(world.settle());
    QVERIFY(world.view->fields().values() != controls);
    analyser::trace::ExecutionTrace trace(*world.session);
    const auto order = trace.tilesByIdle(trace.range(), reports::TileId(0), 8, false);
    const auto tileAt = [&](int place) {
      world.state.setTiles({});
      const int top = 36; // below the axis, at the most
      QTest::mouseClick(&tiles, Qt::LeftButton, {}, {400, top + (tiles.height() - top) * (2 * place + 1) / 16});
      return world.state.tiles().empty() ? reports::TileId() : world.state.tiles().front();
    };
    for (const int place : {0, 3, 7}) QCOMPARE(tileAt(place), order[std::size_t(place)]);
    world.view->fields().set(controls);
    QVERIFY(world.settle());
    for (const int place : {0, 3, 7}) QCOMPARE(tileAt(place), reports::TileId(std::size_t(place)));
  }

  // Escape in the empty search gives the keys back to the lanes: F shows everything again.
  void escapeLeavesTheSearch() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* field = world.child<QLineEdit>("Search for steps");
    auto* timeline = world.child<plot::Timeline>("Execution trace");
    field->setFocus();
    QTest::keyClicks(field, "conv");
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(field->text().isEmpty());
    QCOMPARE(world.view->focusWidget(), field);
    QTest::keyClick(field, Qt::Key_Escape);
    QCOMPARE(world.view->focusWidget(), timeline);
    QVERIFY(world.settle());
  }

  // In a sync and in a transfer all tiles wait, so no tile use is shown.
  void waitsHaveNoBalance() {
    for (const auto activity : {reports::Activity::Compute, reports::Activity::HostStream, reports::Activity::Sync}) {
      analyser::trace::SliceDetails d;
      d.isStep = true, d.activity = activity, d.balance = d.utilisation = 1;
      const auto facts = trace::sliceFacts(d, {}, theme::Format());
      const bool told = std::any_of(facts.begin(), facts.end(), [](const auto& f) { return f.name == "Tile use"; });
      QCOMPARE(told, activity == reports::Activity::Compute);
    }
  }

  // The origin of the selected slice, from the model inwards, and the source line that asked for it.
  void detailsTellWhoMadeTheSlice() {
    analyser::trace::SliceDetails d;
    d.isStep = true;
    d.debug = {{"library", "multiSlice", "multiSlice", ""},
               {"onnx", "Gather", "embeddings/words",
                R"({"op":"Gather","doc":"looks words up","source":{"file":"bert.cpp","line":60,"function":"embeddings"}})"},
               {"model", "", "fwd", ""},
               {"model", "", "bert", ""}};
    const auto valueOf = [facts = trace::sliceFacts(d, {}, theme::Format())](const QString& name) {
      for (const auto& fact : facts)
        if (fact.name == name) return fact.value;
      return QString();
    };
    QCOMPARE(valueOf("Debug information"), QString("bert/fwd › Gather · embeddings/words › multiSlice"));
    QCOMPARE(valueOf("Source"), QString("bert.cpp:60 in embeddings"));
    QCOMPARE(valueOf("Note"), QString("looks words up"));
  }

  // Bytes are listed by kind of exchange; their sums are all bytes that the IPU received and sent.
  void bytesAreToldByTheirWay() {
    tests::ViewWorld world; // two IPUs, so there is a global exchange
    world.open("trace");
    QVERIFY(world.settle());
    analyser::trace::ExecutionTrace trace(*world.session);
    const auto p = trace.proportions(trace.range());
    const auto table = trace::proportionsTable(p);
    const auto columnOf = [&](const QString& title) {
      const auto at = std::find_if(table->columns.begin(), table->columns.end(), [&](const auto& c) { return c.title == title; });
      return std::size_t(at - table->columns.begin());
    };
    for (std::size_t i = 0; i < p.ipus.size(); ++i) {
      const auto& ipu = p.ipus[i];
      int64_t in = 0, out = 0;
      for (const char* title : {"Internal in", "Global in", "From host"})
        in += std::get<int64_t>(table->rows[i].cells.at(columnOf(title)));
      for (const char* title : {"Internal out", "Global out", "To host"})
        out += std::get<int64_t>(table->rows[i].cells.at(columnOf(title)));
      QCOMPARE(in, ipu.bytesIn.value());
      QCOMPARE(out, ipu.bytesOut.value());
      QVERIFY(ipu.internal.in > reports::Bytes());
      QVERIFY(ipu.global.in > reports::Bytes());
      QVERIFY(ipu.host.in + ipu.host.out > reports::Bytes());
    }
  }
};

TILESCOPE_TEST(TraceTilesTest)
#include "trace_tiles_test.moc"
