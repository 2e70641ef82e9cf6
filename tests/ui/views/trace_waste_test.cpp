#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/bar_list.h"
#include "ui/plot/timeline.h"
#include "ui/tables/table_view.h"
#include "ui/views/trace/trace_tables.h"

#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTest>

// Where the tile-cycles of the visible range went, of each IPU.
class TraceWasteTest : public QObject {
  Q_OBJECT

  static double share(const ui::tables::Row& row) {
    double sum = 0;
    for (std::size_t c = 2; c < row.cells.size(); ++c) sum += std::get<double>(row.cells[c]);
    return sum;
  }

private slots:
  void partsOfEveryRowAreAllOfIt() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* table = world.child<ui::tables::TableView>("Wasted tile-cycles of the range");
    QVERIFY(!table->rows().table()); // nobody looked yet
    auto* tabs = world.view->findChild<ui::shell::Page*>()->tabs();
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i) == "Waste") tabs->setCurrentIndex(i);
    QVERIFY(world.settle());
    const auto whole = table->rows().table();
    QVERIFY(whole);
    QCOMPARE(whole->rows.size(), std::size_t(3)); // all, and two IPUs
    int64_t wasted = 0;
    for (const auto& row : whole->rows) {
      QVERIFY(std::abs(share(row) - 1) < 1e-9);
      if (row.id >= 0) wasted += std::get<int64_t>(row.cells[1]);
    }
    QCOMPARE(std::get<int64_t>(whole->rows[0].cells[1]), wasted);

    auto* timeline = world.view->findChild<ui::plot::Timeline*>();
    const auto all = timeline->visibleRange();
    timeline->showExactly({all.begin, all.begin + all.size() / 3});
    QVERIFY(world.settle());
    const auto part = table->rows().table();
    QVERIFY(std::get<int64_t>(part->rows[0].cells[1]) < wasted);
    for (const auto& row : part->rows) QVERIFY(std::abs(share(row) - 1) < 1e-9);
  }

  // Shares that change while another tab is in front are all there when theirs comes back.
  void sharesThatChangeOutOfSightAreWhole() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* tabs = world.view->findChild<ui::shell::Page*>()->tabs();
    auto* bars = world.child<ui::plot::BarList>("Proportions per IPU");
    auto* ipus = world.child<QComboBox>("IPU");
    QVERIFY(bars && ipus);
    const auto showTab = [&](const QString& title) {
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->tabText(i) == title) tabs->setCurrentIndex(i);
      if (!world.settle()) qFatal("the view did not finish");
      QTest::qWait(0);
    };
    const int before = bars->height();
    showTab("Waste");
    ipus->setCurrentIndex(1);
    emit ipus->activated(1);
    showTab("Visible range");
    QVERIFY(bars->sizeHint().height() != before);
    QCOMPARE(bars->height(), bars->sizeHint().height());
  }

  // An older report that folds loops, or a trace that was cut.
  void aTraceThatLeavesOutExecutionsSaysSo() {
    tests::ViewWorld world;
    const auto warns = [&] {
      world.open("trace");
      if (!world.settle()) qFatal("the view did not finish");
      const auto labels = world.view->findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains("only some of the executions");
      });
    };
    QVERIFY(!warns());
    tests::tamper(world.report.path(), "UPDATE run SET folded_iterations = 3");
    world.session = analyser::Session::open(world.report.path().string());
    QVERIFY(warns());
  }

  void aSliceTellsItsWaste() {
    analyser::trace::SliceDetails d;
    d.isStep = true;
    analyser::trace::TileCycles cost;
    cost[analyser::trace::TileTime::Busy] = 25;
    cost[analyser::trace::TileTime::Unused] = 50;
    cost[analyser::trace::TileTime::Imbalance] = 25;
    const auto facts = ui::trace::sliceFacts(d, cost, ui::theme::Format());
    const auto valueOf = [&](const QString& name) {
      for (const auto& fact : facts)
        if (fact.name == name) return QString(fact.value).replace(QChar(0x202f), ' ').replace(QChar(0xa0), ' ');
      return QString();
    };
    QCOMPARE(valueOf("Tile-cycles not computing"), QString("75, 75.0 % of tiles × cycles"));
    QCOMPARE(valueOf("Of these"), QString("50.0 % unused tiles, 25.0 % imbalance"));
  }
};

TILESCOPE_TEST(TraceWasteTest)
#include "trace_waste_test.moc"
