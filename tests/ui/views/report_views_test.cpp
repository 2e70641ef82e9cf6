// One small world per view: the view opens with an answer, and its main gesture works.
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/elided_label.h"
#include "ui/parts/fact_list.h"
#include "ui/plot/bar_list.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/timeline.h"
#include "ui/tables/table_view.h"
#include "ui/views/liveness/lifetime_chart.h"
#include "ui/views/liveness/liveness_view.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabWidget>

using namespace ui;

namespace {

// A place of the timeline where a single slice is drawn.
std::optional<QPoint> slicePlace(const plot::Timeline& timeline) {
  for (int y = timeline.height() - 1; y > 0; y -= 3)
    for (int x = timeline.width() - 1; x > 0; x -= 7)
      if (const auto hit = timeline.hitAt({x, y}); hit && hit->slice.count == 1 && hit->slice.end - hit->slice.begin > 1)
        return QPoint(x, y);
  return std::nullopt;
}

std::optional<QPoint> firstSlicePlace(const plot::Timeline& timeline) {
  for (int y = 0; y < timeline.height(); y += 3)
    for (int x = 0; x < timeline.width(); x += 7)
      if (const auto hit = timeline.hitAt({x, y}); hit && hit->slice.count == 1 && hit->slice.end - hit->slice.begin > 1)
        return QPoint(x, y);
  return std::nullopt;
}

} // namespace

class ReportViewsTest : public QObject {
  Q_OBJECT

private slots:
  void summaryLeadsToTheFullestTile() {
    tests::ViewWorld world;
    world.open("summary");
    QVERIFY(world.settle());
    QVERIFY(world.view->verdict().contains("Fits"));
    QCOMPARE(world.child<shell::FactList>("Machine")->valueOf("IPUs"), QString("2"));
    QSignalSpy asked(world.view.get(), &shell::View::viewRequested);
    QTest::mouseClick(world.child<plot::BarList>("Fullest tiles"), Qt::LeftButton, {}, QPoint(60, 10));
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].toString(), QString("memory"));
    QCOMPARE(world.state.tiles().size(), std::size_t(1));
  }

  void summaryOptionsFilter() {
    tests::ViewWorld world;
    world.open("summary");
    QVERIFY(world.settle());
    auto* filter = world.child<QLineEdit>("Filter engine options");
    filter->setText("no option is called this");
    const auto labels = world.view->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->text().startsWith("0 of "); }));
  }

  void livenessStartsAtThePeakAndMoves() {
    tests::ViewWorld world;
    auto& view = world.open<liveness::LivenessView>("liveness");
    QVERIFY(world.settle());
    const int64_t peak = view.selectedStep();
    QVERIFY(peak >= 0);
    auto* curve = world.child<plot::StepPlot>("Memory alive per program step");
    auto* table = world.child<tables::TableView>("Variables alive at the step");
    QVERIFY(table->rows().rowCount() > 0);
    QTest::mouseClick(curve, Qt::LeftButton, {}, QPoint(int(curve->pixelAt(0)), curve->axes().center().y()));
    QCOMPARE(view.selectedStep(), int64_t(0));
    QVERIFY(world.state.step().valid());
    QTest::keyClick(curve, Qt::Key_Right);
    QVERIFY(QTest::qWaitFor([&] { return view.selectedStep() == 1; }));
    QVERIFY(world.settle());
    QVERIFY(world.view->selectionText().startsWith("Step 1:"));
  }

  // The lifetimes are aligned with the curve above them: a click in a bar selects the step that the curve has at the same x.
  void lifetimesLieUnderTheCurve() {
    tests::ViewWorld world;
    auto& view = world.open<liveness::LivenessView>("liveness");
    QVERIFY(world.settle());
    auto* curve = world.child<plot::StepPlot>("Memory alive per program step");
    auto* chart = view.findChild<liveness::LifetimeChart*>();
    view.findChild<QTabWidget*>()->setCurrentWidget(chart);
    curve->zoom(0.6);
    const auto shown = curve->visible();
    QVERIFY(shown.size() >= 4);
    QVERIFY(world.settle());
    QSignalSpy steps(chart, &liveness::LifetimeChart::stepClicked);
    for (const int64_t step : {shown.begin + 1, shown.end - 2}) {
      const int x = chart->viewport()->mapFromGlobal(curve->mapToGlobal(QPoint(int(curve->pixelAt(double(step))), 0))).x();
      steps.clear();
      QTest::mouseClick(chart->viewport(), Qt::LeftButton, {}, QPoint(x, 30));
      QCOMPARE(steps.size(), 1);
      QCOMPARE(steps[0][0].toLongLong(), step);
    }
    // The click has chosen the variable of the row, which the status line names beside the step.
    const QString words = view.selectionText();
    QVERIFY2(words.startsWith("Step ") && words.contains(" on a tile"), qPrintable(words));
  }

  void livenessComparesTwoSteps() {
    tests::ViewWorld world;
    auto& view = world.open<liveness::LivenessView>("liveness");
    QVERIFY(world.settle());
    auto* curve = world.child<plot::StepPlot>("Memory alive per program step");
    auto* table = world.child<tables::TableView>("Variables alive at only one of two steps");
    QVERIFY(!table->isVisible());
    const int64_t first = view.selectedStep(), second = first == 0 ? 1 : 0;
    QTest::mouseClick(curve, Qt::LeftButton, Qt::ShiftModifier,
                      QPoint(int(curve->pixelAt(double(second))), curve->axes().center().y()));
    QVERIFY(world.settle());
    QCOMPARE(view.selectedStep(), first);
    QVERIFY(table->isVisible() && table->rows().rowCount() > 0);
    for (const auto& row : table->rows().table()->rows) QVERIFY(std::get<int64_t>(row.cells[3]) != 0);
    QTest::mouseClick(curve, Qt::LeftButton, {}, QPoint(int(curve->pixelAt(double(second))), curve->axes().center().y()));
    QVERIFY(world.settle());
    QVERIFY(!table->isVisible());
  }

  void programSelectsWhatOthersSelect() {
    tests::ViewWorld world;
    world.open("program");
    QVERIFY(world.settle());
    auto* tree = world.child<tables::TreeView>("Program");
    QVERIFY(tree->currentId() >= 0); // the costliest step
    const QString before = world.view->selectionText();
    QVERIFY(!before.isEmpty());
    world.state.setStep(reports::ProgramStepId(std::size_t(0)));
    QVERIFY(world.settle());
    QVERIFY(world.view->selectionText() != before);
    QVERIFY(!world.child<shell::FactList>("Facts about the step")->valueOf("Steps inside").isEmpty()); // step 0 holds all others
  }

  void programSearchGoesToMatches() {
    tests::ViewWorld world;
    world.open("program");
    QVERIFY(world.settle());
    auto* search = world.child<QLineEdit>("Search for steps");
    QTest::keyClicks(search, "exchange");
    auto* tree = world.child<tables::TreeView>("Program");
    QTest::keyClick(search, Qt::Key_Return);
    const int64_t first = tree->currentId();
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY(tree->currentId() != first);
    QVERIFY(world.view->selectionText().contains("xchange"));
    QVERIFY(world.settle());
  }

  void operationsLinkBarsAndRows() {
    tests::ViewWorld world;
    world.open("operations");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Operations");
    QCOMPARE(table->rows().rowCount(), 1 + 4); // with the sums
    QTest::mouseClick(world.child<plot::BarList>("Costliest operations"), Qt::LeftButton, {}, QPoint(60, 10));
    QCOMPARE(table->selectedIds().size(), std::size_t(1));
    QCOMPARE(table->selectionModel()->selectedRows().first().row(), 1); // sorted by cycles: the top bar is the top row
    QVERIFY(!world.view->selectionText().isEmpty());
  }

  void traceClickShowsDetailsAndFitShowsAll() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* timeline = world.child<plot::Timeline>("Execution trace");
    const auto all = timeline->visibleRange();
    QCOMPARE(all, timeline->extent());
    QTest::keyClick(timeline, Qt::Key_W);
    QVERIFY(timeline->visibleRange().size() < all.size());
    QCOMPARE(world.state.range(), timeline->visibleRange());
    QVERIFY(world.settle());
    const auto place = slicePlace(*timeline);
    QVERIFY(place);
    QTest::mouseClick(timeline, Qt::LeftButton, {}, *place);
    QVERIFY(QTest::qWaitFor([&] { return !world.view->selectionText().isEmpty(); }));
    QVERIFY(!world.child<shell::FactList>("Facts about the slice")->valueOf("Duration").isEmpty());
    QTest::keyClick(timeline, Qt::Key_F);
    QVERIFY(timeline->visibleRange() != all); // the selected slice
    QTest::keyClick(timeline, Qt::Key_Home);
    QCOMPARE(timeline->visibleRange(), all);
    QVERIFY(world.settle());
  }

  void traceSearchFindsAStep() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* search = world.child<QLineEdit>("Search for steps");
    QTest::keyClicks(search, "exchange");
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return world.view->selectionText().contains("xchange"); }));
    QVERIFY(world.child<plot::Timeline>("Execution trace")->selectedId() >= 0);
    QVERIFY(world.settle());
  }

  // I/O tiles have a lane of their own, in which streams run beside the work.
  void tilesThatServeTheHostHaveALane() {
    tests::ViewWorld world({.ipus = 1, .tilesPerIpu = 8, .operations = 3, .ioTiles = 2});
    world.open("trace");
    QVERIFY(world.settle());
    auto* timeline = world.child<plot::Timeline>("Execution trace");
    const auto bars = world.child<plot::BarList>("Proportions per IPU")->accessibleDescription();
    QVERIFY2(bars.contains("IPU 0 ") && bars.contains("IPU 0, I/O"), qPrintable(bars));
    QCOMPARE(world.child<tables::TableView>("Proportions of the visible range")->rows().rowCount(), 2);
    // A click on a slice of this lane shows a stream; slices of the compute tiles are never streams.
    const auto place = slicePlace(*timeline);
    QVERIFY(place);
    QCOMPARE(timeline->hitAt(*place)->track, 1);
    QTest::mouseClick(timeline, Qt::LeftButton, {}, *place);
    QVERIFY(QTest::qWaitFor([&] { return !world.view->selectionText().isEmpty(); }));
    QCOMPARE(world.child<shell::FactList>("Facts about the slice")->valueOf("Activity"), QString("host stream"));
    QVERIFY(world.settle());
  }

  // In a growing window, space that no lane needs goes to the tiles, until the user drags the splitter between them.
  void lanesHaveTheHeightTheyNeed() {
    tests::ViewWorld world({.ipus = 1, .tilesPerIpu = 8, .operations = 3});
    world.open("trace");
    QVERIFY(world.settle());
    auto* timeline = world.child<plot::Timeline>("Execution trace");
    const int needed = timeline->preferredHeight();
    world.view->resize(1500, 1400);
    QTRY_VERIFY2(std::abs(timeline->height() - needed) < 24, qPrintable(QString::number(timeline->height())));
    QSplitter* plots = nullptr;
    for (QWidget* around = timeline->parentWidget(); around && !plots; around = around->parentWidget())
      plots = qobject_cast<QSplitter*>(around);
    QVERIFY(plots);
    plots->setSizes({400, 200});
    emit plots->splitterMoved(400, 1);
    const int drawn = timeline->height();
    timeline->rows().setAllFolded(true);
    QCoreApplication::processEvents();
    QCOMPARE(timeline->height(), drawn);
  }

  void theLegendOfTheTraceNamesWhatOccurs() {
    const auto entries = [](tests::ViewWorld& world) {
      world.open("trace");
      QStringList names;
      if (!world.settle()) return names;
      for (QAbstractButton* entry : world.view->findChild<plot::Legend*>()->findChildren<QAbstractButton*>())
        names.append(entry->accessibleName().section(',', 0, 0));
      return names;
    };
    tests::ViewWorld one({.ipus = 1}), two({.ipus = 2});
    const QStringList few = entries(one), more = entries(two);
    QVERIFY2(few.contains("Compute") && few.contains("Operations and debug scopes") && !few.contains("Global exchange"),
             qPrintable(few.join(' ')));
    QVERIFY2(more.contains("Global exchange"), qPrintable(more.join(' ')));
  }

  void whatTheLegendHidesIsNotCounted() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Statistics by name");
    auto* tabs = world.view->findChild<QTabWidget*>();
    tabs->setCurrentIndex(2);
    QVERIFY(world.settle());
    QVERIFY(QTest::qWaitFor([&] { return table->rows().rowCount() > 0; }));
    const int all = table->rows().rowCount();
    auto* legend = world.view->findChild<plot::Legend*>();
    legend->setShown(int(legend->shown().size()) - 1, false); // scopes are the last
    QVERIFY(QTest::qWaitFor([&] { return table->rows().rowCount() < all; }));
    for (const auto& row : table->rows().table()->rows) QVERIFY(std::get<QString>(row.cells[1]) != "scope");
  }

  // The user walks through a list of names: the list stays visible while its entries are selected.
  void theListOfNamesStays() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Statistics by name");
    auto* tabs = world.view->findChild<QTabWidget*>();
    tabs->setCurrentIndex(2);
    QVERIFY(world.settle());
    QVERIFY(QTest::qWaitFor([&] { return table->rows().rowCount() > 2; }));
    table->setFocus();
    QString before;
    for (int row = 0; row < 3; ++row) {
      QTest::keyClick(table, Qt::Key_Down);
      QVERIFY(QTest::qWaitFor([&] { return !world.view->selectionText().isEmpty() && world.view->selectionText() != before; }));
      before = world.view->selectionText();
      QCOMPARE(tabs->currentIndex(), 2);
    }
  }

  void hostCountsByLabel() {
    tests::ViewWorld world;
    world.open("host");
    QVERIFY(world.settle());
    QVERIFY(!world.view->verdict().isEmpty());
    QVERIFY(world.child<tables::TableView>("Statistics by label")->rows().rowCount() > 0);
    auto* timeline = world.child<plot::Timeline>("Host timeline");
    const auto place = firstSlicePlace(*timeline); // rows of the device come last
    QVERIFY(place);
    QTest::mouseClick(timeline, Qt::LeftButton, {}, *place);
    QVERIFY(QTest::qWaitFor([&] { return !world.view->selectionText().isEmpty(); }));
    QVERIFY(!world.child<shell::FactList>("Facts about the slice")->valueOf("Channel").isEmpty());
  }

  void comparedWithItselfNothingDiffers() {
    tests::ViewWorld world;
    world.open("compare", world.session);
    QVERIFY(world.settle());
    QCOMPARE(world.child<tables::TableView>("Causes of the change")->rows().rowCount(), 0);
    // Cycles of causes are means of the two IPUs, totals are not: the page says so.
    const auto labels = world.view->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [](const QLabel* l) { return l->isVisible() && l->text().startsWith("Means over the IPUs"); }));
    const auto totals = world.child<tables::TableView>("Totals of both reports")->rows().table();
    QVERIFY(!totals->rows.empty());
    for (const auto& row : totals->rows)
      if (const auto* difference = std::get_if<int64_t>(&row.cells[3])) QCOMPARE(*difference, int64_t(0));
  }

  void compareListsWhatDiffers() {
    tests::ViewWorld world;
    const tests::TinyReport larger({.ipus = 2, .tilesPerIpu = 8, .operations = 4, .slices = 0, .scale = 3, .title = "larger"});
    world.open("compare", analyser::Session::open(larger.path().string()));
    QVERIFY(world.settle());
    QVERIFY(world.child<tables::TableView>("Causes of the change")->rows().rowCount() > 0);
    QCOMPARE(world.child<shell::ElidedLabel>("B, other")->whole(),
             QString("larger · ") + QFileInfo(larger.path().c_str()).fileName());
  }

  void traceFollowsAStepOfAnotherViewAndTellsItsOwn() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* timeline = world.child<plot::Timeline>("Execution trace");
    const auto place = slicePlace(*timeline);
    QVERIFY(place);
    // A step clicked here is selected in all views.
    QTest::mouseClick(timeline, Qt::LeftButton, {}, *place);
    QVERIFY(QTest::qWaitFor([&] { return world.state.step().valid(); }));
    const auto clicked = world.state.step();
    const QString words = world.view->selectionText();
    const int64_t id = timeline->selectedId();
    // A step chosen in another view is scrolled into view here.
    timeline->setVisibleRange({timeline->extent().begin, timeline->extent().begin + 8});
    world.state.setStep(reports::ProgramStepId(clicked.value() == 1 ? std::size_t(2) : std::size_t(1)));
    QVERIFY(world.settle());
    world.state.setStep(clicked);
    QVERIFY(QTest::qWaitFor(
        [&] { return !world.view->isBusy() && world.view->selectionText().section(':', 0, 0) == words.section(':', 0, 0); }));
    QVERIFY(timeline->selectedId() >= 0 && id >= 0);
    QVERIFY(timeline->visibleRange().size() > 8);
  }

  void operationsFollowAStepAndTellTheirCostliest() {
    tests::ViewWorld world;
    world.open("operations");
    QVERIFY(world.settle());
    auto* steps = world.child<tables::TableView>("Program steps of the operation");
    QVERIFY(steps->rows().rowCount() > 0);
    auto* table = world.child<tables::TableView>("Operations");
    const auto atFirst = table->selectedIds();
    QTest::mouseClick(world.child<plot::BarList>("Costliest operations"), Qt::LeftButton, {}, QPoint(60, 40));
    QVERIFY(world.state.step().valid());
    const auto second = table->selectedIds();
    QVERIFY(second != atFirst);
    const auto step = world.state.step();
    QTest::mouseClick(world.child<plot::BarList>("Costliest operations"), Qt::LeftButton, {}, QPoint(60, 10));
    QCOMPARE(table->selectedIds(), atFirst);
    world.state.setStep(step);
    QCOMPARE(table->selectedIds(), second);
    QCOMPARE(steps->selectedIds().size(), std::size_t(1));
  }

  // Another grouping has other rows: the largest is selected, not the one at the same position.
  void anotherGroupingSelectsTheGroupOfTheOperation() {
    tests::ViewWorld world;
    world.open("operations");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Operations");
    const int last = table->model()->rowCount() - 1;
    const QString kind = table->model()->index(last, 1).data().toString();
    table->selectRow(last);
    QVERIFY(world.state.operation().valid());
    auto* grouping = world.child<QComboBox>("Rows");
    QVERIFY(grouping);
    for (int index = 1; index < grouping->count(); ++index) {
      if (!grouping->itemText(index).contains("kind")) continue;
      grouping->setCurrentIndex(index);
      emit grouping->activated(index);
    }
    QVERIFY(world.settle());
    QVERIFY(!world.state.operation().valid());
    const auto selected = table->selectionModel()->selectedRows();
    QCOMPARE(selected.size(), qsizetype(1));
    QCOMPARE(selected.front().data().toString(), kind);
  }

  void verdictsFollowTheUnits() {
    tests::ViewWorld world;
    for (const char* id : {"summary", "operations", "trace", "program"}) {
      world.state.setUnits({});
      world.open(id);
      QVERIFY2(world.settle(), id);
      QVERIFY2(world.view->verdict().contains("cycles"), qPrintable(world.view->verdict()));
      world.state.setUnits({theme::TimeUnit::Seconds, theme::MemoryUnit::Binary});
      QVERIFY2(!world.view->verdict().contains("cycles"), qPrintable(world.view->verdict()));
    }
    world.open("liveness");
    QVERIFY(world.settle());
    QVERIFY2(world.view->verdict().contains("KiB"), qPrintable(world.view->verdict()));
    world.state.setUnits({theme::TimeUnit::Seconds, theme::MemoryUnit::Bytes});
    QVERIFY2(!world.view->verdict().contains("KiB"), qPrintable(world.view->verdict()));
  }

  void unitsReachEveryCell() {
    tests::ViewWorld world;
    world.open("operations");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Operations");
    const QString cycles = table->model()->index(0, 2).data().toString();
    world.state.setUnits({theme::TimeUnit::Seconds, theme::MemoryUnit::Bytes});
    const QString seconds = table->model()->index(0, 2).data().toString();
    QVERIFY(cycles.contains("cycles"));
    QVERIFY(!seconds.contains("cycles") && seconds.endsWith('s'));
  }

  void everyViewSurvivesAThemeChange() {
    tests::ViewWorld world;
    for (const char* id : {"summary", "liveness", "program", "operations", "trace", "host"}) {
      world.open(id);
      QVERIFY2(world.settle(), id);
      const QString verdict = world.view->verdict();
      world.theme.setScheme(world.theme.isDark() ? theme::Scheme::Light : theme::Scheme::Dark);
      QVERIFY2(world.settle(), id);
      QCOMPARE(world.view->verdict(), verdict);
    }
  }
};

TILESCOPE_TEST(ReportViewsTest)
#include "report_views_test.moc"
