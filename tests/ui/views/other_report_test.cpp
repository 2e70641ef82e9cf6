// Another report starts afresh: no request, text, hidden series or zoom of the previous report is left in any view.
#include "analyser/memory/tile_memory.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/window/main_window.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;
using tests::listed;

class OtherReportTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_first{{.ipus = 1, .tilesPerIpu = 8, .operations = 3}},
      m_second{{.ipus = 2, .tilesPerIpu = 8, .operations = 3, .scale = 4}};

  static QString file(const tests::TinyReport& report) { return QString::fromStdString(report.path().string()); }
  static reports::TileId fullest(const tests::TinyReport& report) {
    const auto session = analyser::Session::open(report.path().string());
    return analyser::memory::tileMemory(*session).total.maxTile;
  }
  shell::ViewList views() const {
    return {listed("summary"), listed("memory"),     listed("liveness"), listed("program"),
            listed("host"),    listed("operations"), listed("trace")};
  }
  static bool settled(shell::MainWindow& window) {
    return QTest::qWaitFor([&] { return !window.isOpening() && window.currentView() && !window.currentView()->isBusy(); }, 20000);
  }
  bool open(shell::MainWindow& window, const tests::TinyReport& report) {
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({file(report)});
    return QTest::qWaitFor([&] { return finished.count() > 0; }, 20000) && settled(window);
  }

private slots:
  void theFullestTileIsOfTheOpenReport() {
    shell::Settings settings(m_folder.filePath("fullest.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    // The fullest tiles differ, and the second report has more tiles.
    const tests::TinyReport other({.ipus = 4, .tilesPerIpu = 8, .operations = 3});
    const auto before = fullest(m_first), now = fullest(other);
    QVERIFY(open(window, m_first));
    window.showView("memory");
    QVERIFY(settled(window));
    window.showView("summary");
    QVERIFY(open(window, other));
    window.state().messages().send(shell::ShowFullestTile{});
    window.showView("memory");
    QVERIFY(settled(window));
    QCOMPARE(window.state().tiles(), std::vector<reports::TileId>{now});
    if (before == now) QSKIP("both reports have the same fullest tile");
  }

  // Its tables are those of every report.
  void theSchemaIsThereInEveryReport() {
    shell::Settings settings(m_folder.filePath("schema.ini"));
    shell::MainWindow window(m_theme, settings, {listed("summary"), listed("query")});
    window.show();
    for (const auto* report : {&m_first, &m_second}) {
      QVERIFY(open(window, *report));
      window.showView("query");
      QVERIFY(settled(window));
      const auto* schema = window.currentView()->findChild<tables::TreeView*>();
      QVERIFY(schema && schema->rows().tree() && schema->rows().tree()->rows.size() > 20);
    }
  }

  void nothingOfTheReportBeforeIsLeft() {
    shell::Settings settings(m_folder.filePath("left.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.resize(1280, 900);
    window.show();
    QVERIFY(open(window, m_first));
    std::map<const tables::TableView*, int> sorted; // the column at first
    for (const auto& entry : window.views()) {
      window.showView(entry.id);
      QVERIFY2(settled(window), qPrintable(entry.id));
      for (auto* tabs : window.currentView()->findChildren<QTabWidget*>())
        for (int i = 0; i < tabs->count(); ++i) tabs->setCurrentIndex(i);
      QVERIFY2(settled(window), qPrintable(entry.id));
      for (auto* field : window.currentView()->findChildren<QLineEdit*>()) field->setText("0");
      for (auto* table : window.currentView()->findChildren<tables::TableView*>())
        if (table->model()->columnCount() > 1) {
          table->horizontalHeader()->resizeSection(0, 347);
          table->horizontalHeader()->moveSection(0, 1);
          sorted.try_emplace(table, table->horizontalHeader()->sortIndicatorSection());
          table->sortByColumn(1, Qt::AscendingOrder);
          table->selectRow(0);
        }
      for (auto* legend : window.currentView()->findChildren<plot::Legend*>()) legend->setShown(0, false);
      for (auto* plot : window.currentView()->findChildren<plot::StepPlot*>()) plot->zoom(0.5);
    }
    QVERIFY(open(window, m_second));
    for (const auto& entry : window.views()) {
      window.showView(entry.id);
      QVERIFY2(settled(window), qPrintable(entry.id));
      const auto* view = window.currentView();
      for (const auto* field : view->findChildren<QLineEdit*>())
        QVERIFY2(field->text().isEmpty(), qPrintable(entry.id + ": " + field->accessibleName()));
      for (const auto* table : view->findChildren<tables::TableView*>())
        if (table->model()->columnCount() > 1) {
          QCOMPARE(table->horizontalHeader()->visualIndex(0), 0);
          if (const auto first = sorted.find(table); first != sorted.end())
            QVERIFY2(table->horizontalHeader()->sortIndicatorSection() == first->second, qPrintable(table->accessibleName()));
          QVERIFY2(table->columnWidth(0) != 347, qPrintable(entry.id + ": " + table->accessibleName()));
        }
      for (const auto* plot : view->findChildren<plot::StepPlot*>())
        QVERIFY2(plot->visible().begin == 0, qPrintable(entry.id + ": " + plot->accessibleName()));
    }
    QVERIFY(window.state().tiles().empty());
  }

  // A reload shows the same report, so requests and settings stay.
  void aReloadKeepsFilters() {
    shell::Settings settings(m_folder.filePath("reload.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(open(window, m_first));
    window.showView("operations");
    QVERIFY(settled(window));
    auto* table = window.currentView()->findChild<tables::FilteredTable*>();
    table->filter().setText("conv");
    QVERIFY(open(window, m_first));
    QCOMPARE(table->filter().text(), QString("conv"));
  }

  void theTitleNamesBothReports() {
    shell::Settings settings(m_folder.filePath("title.ini"));
    shell::MainWindow window(m_theme, settings, views());
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    const QString copy = m_folder.filePath("second.tsr");
    QVERIFY(QFile::copy(file(m_second), copy));
    window.openReports({file(m_first), copy});
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY2(window.windowTitle().contains("↔ second.tsr"), qPrintable(window.windowTitle()));
  }
};

TILESCOPE_TEST(OtherReportTest)
#include "other_report_test.moc"
