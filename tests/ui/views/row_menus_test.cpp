// Every table and tree of every view has the menu of rows, and leads on from rows that are about a thing of the report. The
// tables whose rows are about nothing of the kind are listed here with the reason.
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/page.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

// By accessible name.
const QSet<QString>& withoutSubjects() {
  static const QSet<QString> names{
      "Totals of both reports",
      "Memory by category of both reports",
      "Settings that differ", // sums, categories and options
      "Totals of all reports",
      "Tables of a report",
      "Result of the query", // no query has run
      "Wasted tile-cycles of the range",
      "Proportions of the visible range",
      "Stages of the pipeline", // rows are IPUs
      "Statistics by label",
      "Slices of the range",
      "Flows of the slice",
      "Arguments",
      "Call tree", // of the host
      "What the host does while the IPU waits",
      "Labels of the host in both reports",
      "Debug information of the step",
      "Debug information of the variable",
      "Debug information of the operation",
      "Timed Blocks", // in this report they are scopes, which have no step
  };
  return names;
}

} // namespace

class RowMenusTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_a{{.ipus = 1, .tilesPerIpu = 8, .operations = 4}},
      m_b{{.ipus = 1, .tilesPerIpu = 8, .operations = 5, .scale = 2}};
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::MainWindow> m_window;

  bool settled() const {
    return QTest::qWaitFor(
        [this] {
          const auto* view = m_window->currentView();
          return !m_window->isOpening() && view && !view->isBusy() && !view->findChild<shell::Page*>()->isLoading();
        },
        60'000);
  }
  static void bringUp(QWidget& view) {
    for (QWidget* inner = &view; inner; inner = inner->parentWidget())
      if (auto* tabs = qobject_cast<QTabWidget*>(inner))
        for (int i = 0; i < tabs->count(); ++i)
          if (tabs->widget(i)->isAncestorOf(&view) && tabs->isTabVisible(i)) tabs->setCurrentIndex(i);
  }
  static analyser::columns::Subjects aboutRow(const QModelIndex& at) {
    if (const auto* table = qobject_cast<const tables::TableModel*>(at.model())) return table->aboutRow(at.row());
    const auto* tree = qobject_cast<const tables::TreeModel*>(at.model());
    return tree ? tree->aboutRow(at) : analyser::columns::Subjects();
  }
  // The first row, also below others, that is about something; else any row.
  static QModelIndex rowOf(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
    QModelIndex any;
    for (int row = 0; row < std::min(200, model.rowCount(parent)); ++row) {
      const QModelIndex at = model.index(row, 0, parent);
      if (!aboutRow(at).empty()) return at;
      if (!any.isValid()) any = at;
      if (const QModelIndex below = rowOf(model, at); below.isValid() && !aboutRow(below).empty()) return below;
    }
    return any;
  }
  static QStringList menuTexts(QAbstractItemView& view, const QModelIndex& at) {
    view.setCurrentIndex(at);
    view.scrollTo(at);
    const QPoint place = view.visualRect(at).center();
    QContextMenuEvent asked(QContextMenuEvent::Mouse, place, view.viewport()->mapToGlobal(place));
    QCoreApplication::sendEvent(view.viewport(), &asked);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QStringList texts;
    if (!menu) return texts;
    for (const QAction* action : menu->actions()) {
      texts << action->text();
      if (action->menu())
        for (const QAction* inner : action->menu()->actions()) texts << inner->text();
    }
    menu->close();
    return texts;
  }

private slots:
  void everyTableHasTheMenu_data() {
    QTest::addColumn<bool>("two");
    QTest::addRow("one report") << false;
    QTest::addRow("two reports") << true;
  }
  void everyTableHasTheMenu() {
    QFETCH(bool, two);
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath(two ? "two.ini" : "one.ini"));
    QStringList ids{"summary", "insights", "memory", "liveness", "program", "operations", "trace", "host", "query"};
    if (two) ids << "compare";
    shell::ViewList list;
    for (const QString& id : ids) list.push_back(tests::listed(id));
    m_window = std::make_unique<shell::MainWindow>(m_theme, *m_settings, list);
    m_window->resize(1600, 1000);
    m_window->show();
    QSignalSpy finished(m_window.get(), &shell::MainWindow::openFinished);
    QStringList files{QString::fromStdString(m_a.path().string())};
    if (two) files << QString::fromStdString(m_b.path().string());
    m_window->openReports(files);
    QTRY_VERIFY(finished.count() > 0);
    QVERIFY(settled());
    int tables = 0, leading = 0;
    QStringList faults;
    for (const QString& id : ids) {
      m_window->showView(id);
      QVERIFY(settled());
      for (auto* view : m_window->currentView()->findChildren<QAbstractItemView*>()) {
        if (!qobject_cast<tables::TableView*>(view) && !qobject_cast<tables::TreeView*>(view)) continue;
        bringUp(*view);
        QVERIFY(settled());
        const QModelIndex row = rowOf(*view->model());
        if (!view->isVisible() || !row.isValid()) continue;
        ++tables;
        const QString name = view->accessibleName();
        const QStringList texts = menuTexts(*view, row);
        for (const char* wanted : {"Copy cell", "Copy rows as CSV", "Copy rows as Markdown", "Copy rows as JSON", "Save table…"})
          if (!texts.contains(QString::fromUtf8(wanted))) faults << QStringLiteral("%1, %2: no “%3”").arg(id, name, wanted);
        const bool leads = texts.contains("Show in Query") && texts.contains("Copy link");
        leading += leads;
        if (aboutRow(row).empty() != withoutSubjects().contains(name))
          faults << QStringLiteral("%1, %2: its rows are about %3").arg(id, name, aboutRow(row).empty() ? "nothing" : "things");
        else if (leads == aboutRow(row).empty())
          faults << QStringLiteral("%1, %2: the row does not lead on: %3").arg(id, name, texts.join(", "));
      }
    }
    m_window.reset();
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
    QVERIFY2(tables > 15 && leading > 8, qPrintable(QString("%1 tables, %2 lead on").arg(tables).arg(leading)));
  }
};

TILESCOPE_TEST(RowMenusTest)
#include "row_menus_test.moc"
