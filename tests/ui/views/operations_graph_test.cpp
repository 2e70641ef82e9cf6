#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/spoken.h"
#include "ui/views/operations/graph_plot.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QTest>

using ui::operations::GraphPlot;

// The graph of operations as a user drives it: with clicks, a double click and keys.
class OperationsGraphTest : public QObject {
  Q_OBJECT

  static GraphPlot& shown(tests::ViewWorld& world) {
    world.settings.setValue("operations/picture", 3);
    world.open("operations");
    if (!world.settle()) qFatal("the view did not finish");
    return *world.view->findChild<GraphPlot*>();
  }

private slots:
  void boxesAndArrowsAreThoseOfTheReport() {
    tests::ViewWorld world;
    const GraphPlot& plot = shown(world);
    QCOMPARE(plot.nodes(), std::size_t(4));
    QCOMPARE(plot.edges(), std::size_t(3));
    QVERIFY(plot.accessibleDescription().contains("4"));
    QVERIFY(world.child<QComboBox>("Colour of the graph")->isVisible());
    for (int row = 1; row < 4; ++row) QVERIFY(plot.boxOfRow(row).center().x() < plot.boxOfRow(row + 1).center().x());
  }

  // A selection by key is announced with the status line's text; the table of the graph is the table of the operations.
  void theSelectionIsToldAndTheTableIsFound() {
    tests::ViewWorld world;
    GraphPlot& plot = shown(world);
    plot.setFocus();
    const QString before = world.view->selectionText();
    QTest::keyClick(&plot, Qt::Key_Up);
    QVERIFY(!world.view->selectionText().isEmpty() && world.view->selectionText() != before);
    QCOMPARE(ui::plot::spoken(plot), world.view->selectionText());
    world.view->showAsTable(&plot);
    const auto* table = qobject_cast<QAbstractItemView*>(world.view->window()->focusWidget());
    QVERIFY(table && table->isVisible());
    QVERIFY2(table->accessibleName().startsWith("Operations"), qPrintable(table->accessibleName()));
  }

  // Labels of arrows overlap neither boxes nor other labels, at any zoom.
  void wordsAtArrowsMeetNothing() {
    tests::ViewWorld world({.ipus = 2, .tilesPerIpu = 8, .operations = 12});
    GraphPlot& plot = shown(world);
    plot.setLevels(9);
    std::size_t seen = 0;
    for (const auto key : {Qt::Key_0, Qt::Key_Plus, Qt::Key_Plus, Qt::Key_Plus, Qt::Key_Plus, Qt::Key_Plus, Qt::Key_Minus}) {
      QTest::keyClick(&plot, key);
      const auto places = plot.labelPlaces();
      seen += places.size();
      for (std::size_t i = 0; i < places.size(); ++i) {
        for (int row = 0; row < 40; ++row) QVERIFY2(!plot.boxOfRow(row).intersects(places[i]), qPrintable(QString::number(row)));
        for (std::size_t j = 0; j < i; ++j) QVERIFY(!places[i].intersects(places[j]));
        QVERIFY(QRectF(plot.rect()).contains(places[i]));
      }
    }
    QVERIFY(seen > 0);
  }

  // The option hides the labels of all arrows except those at the selected box or the box under the pointer.
  void arrowsSayWhatTheyBringOnlyIfWanted() {
    tests::ViewWorld world;
    GraphPlot& plot = shown(world);
    plot.setSelectedRow(-1);
    QTest::keyClick(&plot, Qt::Key_0);
    QCOMPARE(plot.labelPlaces().size(), std::size_t(3));
    const auto labels = [&] {
      for (QAction* action : world.view->findChildren<QAction*>())
        if (action->text() == "Names and bytes at the graph's arrows") return action;
      return static_cast<QAction*>(nullptr);
    }();
    QVERIFY(labels);
    labels->trigger();
    QVERIFY(plot.labelPlaces().empty());
    plot.setSelectedRow(2);
    QVERIFY(!plot.labelPlaces().empty());
  }

  void aClickSelectsTheOperationEverywhere() {
    tests::ViewWorld world;
    GraphPlot& plot = shown(world);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.boxOfRow(2).center().toPoint());
    const QString selected = world.view->selectionText();
    QVERIFY(!selected.isEmpty());
    QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.boxOfRow(3).center().toPoint());
    QVERIFY(world.view->selectionText() != selected);
    QTest::keyClick(&plot, Qt::Key_Left);
    QCOMPARE(world.view->selectionText(), selected);
  }

  void foldersFoldAndOpen() {
    tests::ViewWorld world;
    GraphPlot& plot = shown(world);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.boxOfRow(2).center().toPoint());
    QTest::keyClick(&plot, Qt::Key_Backspace);
    QCOMPARE(plot.nodes(), std::size_t(1));
    QCOMPARE(plot.edges(), std::size_t(0));
    QTest::mouseDClick(&plot, Qt::LeftButton, {}, plot.boxOfRow(0).center().toPoint());
    QCOMPARE(plot.nodes(), std::size_t(4));
    plot.setLevels(1);
    QCOMPARE(plot.nodes(), std::size_t(1));
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Return);
    QCOMPARE(plot.nodes(), std::size_t(4));
  }

  void theWheelZoomsAtThePointer() {
    tests::ViewWorld world;
    GraphPlot& plot = shown(world);
    const double before = plot.scale();
    for (int i = 0; i < 3; ++i) QTest::keyClick(&plot, Qt::Key_Plus);
    QVERIFY(plot.scale() > before);
    QTest::keyClick(&plot, Qt::Key_0);
    QCOMPARE(plot.scale(), before);
  }

  void anOlderReportSaysWhyThereAreNoArrows() {
    tests::ViewWorld world;
    tests::tamper(world.report.path(), "DELETE FROM step_variables");
    world.session = analyser::Session::open(world.report.path().string());
    const GraphPlot& plot = shown(world);
    QCOMPARE(plot.nodes(), std::size_t(4));
    QCOMPARE(plot.edges(), std::size_t(0));
    const auto labels = world.view->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [](const QLabel* label) { return label->isVisible() && label->text().contains("reads and writes"); }) ||
            std::any_of(labels.begin(), labels.end(),
                        [](const QLabel* label) { return label->isVisible() && label->text().contains("read and write"); }));
  }
};

TILESCOPE_TEST(OperationsGraphTest)
#include "operations_graph_test.moc"
