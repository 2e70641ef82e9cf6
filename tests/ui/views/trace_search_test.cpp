// The search of the trace: every match with its count and its total, and the rest of the picture steps back.
#include "analyser/trace/execution_trace.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/shell/track_source.h"
#include "ui/tables/table_view.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QTabWidget>

using namespace ui;

class TraceSearchTest : public QObject {
  Q_OBJECT

  static QString note(const tests::ViewWorld& world) {
    for (const auto* label : world.view->findChildren<QLabel*>())
      if (label->text().contains(" in all, ")) return label->text();
    return {};
  }

private slots:
  void matchesAreCountedAndListed() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    analyser::trace::ExecutionTrace trace(*world.session);
    int64_t count = 0;
    for (const auto& s : trace.statistics(trace.range(), "exchange")) count += s.count;
    QVERIFY(count > 1);
    world.child<QLineEdit>("Search for steps")->setText("exchange");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Matches");
    QCOMPARE(int64_t(table->rows().rowCount()), count);
    QVERIFY2(note(world).startsWith(theme::count(count)), qPrintable(note(world)));
    int64_t before = -1;
    for (const auto& row : table->rows().table()->rows) {
      QVERIFY(std::get<QString>(row.cells[0]).contains("xchange"));
      QVERIFY(std::get<int64_t>(row.cells[2]) >= before); // in the order of time
      before = std::get<int64_t>(row.cells[2]);
    }
    table->selectRow(1);
    QVERIFY(QTest::qWaitFor([&] { return world.view->selectionText().contains("xchange"); }));
    world.child<QLineEdit>("Search for steps")->clear();
    QVERIFY(world.settle());
    QCOMPARE(table->rows().rowCount(), 0);
  }

  void anExpressionIsOneOnlyIfAskedFor() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Matches");
    world.child<QLineEdit>("Search for steps")->setText("(exchange|compute)$");
    QVERIFY(world.settle());
    QCOMPARE(table->rows().rowCount(), 0);
    auto* expression = world.view->findChild<QCheckBox*>();
    expression->setChecked(true);
    QVERIFY(world.settle());
    QVERIFY(table->rows().rowCount() > 0);
    world.child<QLineEdit>("Search for steps")->setText("(exchange");
    QVERIFY(world.settle());
    QVERIFY(QTest::qWaitFor([&] {
      for (const auto* label : world.view->findChildren<QLabel*>())
        if (label->text().contains("missing")) return true; // "missing closing parenthesis"
      return false;
    }));
  }

  void aMatchInsideAnotherCountsOnce() {
    tests::ViewWorld world;
    analyser::trace::Slices slices(*world.session, "ipu");
    const auto& track = slices.tracks().front();
    const auto all = shell::findAll(slices, {track.id}, [](const auto&) { return true; }, slices.range(), 5, {});
    QCOMPARE(all.count, track.slices);
    QCOMPARE(all.first.size(), std::size_t(5));
    int64_t outermost = 0;
    slices.forEach(track.id, 0, slices.range(), {}, [&](const auto& s) { outermost += s.duration(); });
    QCOMPARE(all.ticks, outermost);
  }
};

TILESCOPE_TEST(TraceSearchTest)
#include "trace_search_test.moc"
