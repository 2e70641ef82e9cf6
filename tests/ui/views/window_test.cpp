// The window with real views and real reports: faults that appear only in combination.
#include "ui/window/main_window.h"

#include "reports/sqlite/connection.h"
#include "reports/sqlite/statement.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/page.h"
#include "ui/parts/plot_sheet.h"
#include "ui/plot/cell_map.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/timeline.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDialog>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <ctime>

using namespace ui;
using tests::listed;

namespace {
constexpr double kMostMilliseconds = 300; // tests are built without optimiser, and views are made when first shown
} // namespace

class WindowTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_one{{.ipus = 1, .tilesPerIpu = 4, .operations = 2}},
      m_two{{.ipus = 2, .tilesPerIpu = 4, .operations = 2}};

  static std::string nameOf(const tests::TinyReport& report, int operation) {
    reports::Connection db(report.path(), reports::Connection::Mode::ReadImmutable);
    reports::Statement name(db, "SELECT name FROM operation ORDER BY id LIMIT 1 OFFSET " + std::to_string(operation));
    return name.step() ? std::get<std::string>(name.value(0)) : std::string();
  }
  QStringList files() const {
    return {QString::fromStdString(m_one.path().string()), QString::fromStdString(m_two.path().string())};
  }

private slots:
  // The warning about a program that does not fit is shown in views whose verdict does not say so, until it is dismissed.
  void aWarningIsSaidOnce() {
    const tests::TinyReport report{{.ipus = 1, .tilesPerIpu = 4, .operations = 2}};
    tests::tamper(report.path(), "INSERT OR REPLACE INTO metadata VALUES ('state', 'out_of_memory')");
    shell::Settings settings(m_folder.filePath("warning.ini"));
    shell::MainWindow window(m_theme, settings, {listed("summary"), listed("memory"), listed("program"), listed("operations")});
    window.resize(1280, 800);
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({QString::fromStdString(report.path().string())});
    QTRY_COMPARE(finished.count(), 1);
    window.showView("summary");
    QCOMPARE(window.message(), QString());
    window.showView("program");
    QVERIFY(window.message().contains("does not fit"));
    window.showView("memory");
    QCOMPARE(window.message(), QString());
    window.showView("program");
    QVERIFY(window.message().contains("does not fit"));
    for (auto* button : window.findChildren<QAbstractButton*>())
      if (button->accessibleName() == "Dismiss" && button->isVisible()) button->click();
    QCOMPARE(window.message(), QString());
    window.showView("operations");
    QCOMPARE(window.message(), QString());
    window.openReports({QString::fromStdString(report.path().string())}); // the same again
    QTRY_COMPARE(finished.count(), 2);
    QCOMPARE(window.message(), QString());
    // With two reports Memory shows the other one, which fits.
    window.openReports({QString::fromStdString(report.path().string()), files().first()});
    QTRY_COMPARE(finished.count(), 3);
    window.showView("memory");
    window.state().setShown(shell::Shown::Base);
    QCOMPARE(window.message(), QString());
    window.state().setShown(shell::Shown::Other);
    QVERIFY(window.message().contains("does not fit"));
  }

  void panesKeepTheSizesTheyAreDraggedTo() {
    shell::Settings settings(m_folder.filePath("panes.ini"));
    const auto withMemory = [&](const std::function<void(QSplitter*)>& look) {
      shell::MainWindow window(m_theme, settings, {listed("summary"), listed("memory")});
      window.resize(1280, 800);
      window.show();
      QSignalSpy finished(&window, &shell::MainWindow::openFinished);
      window.openReports({files().first()});
      QTRY_COMPARE(finished.count(), 1);
      window.showView("memory");
      auto* view = window.currentView();
      QTRY_VERIFY(!view->isBusy() && !view->findChild<shell::Page*>()->isLoading());
      auto* splitter = view->findChild<QSplitter*>();
      QTRY_VERIFY(splitter && splitter->isVisible() && splitter->count() == 2 && splitter->sizes().front() > 0);
      QList<int> before; // loaded data adds rows to the page, and the panes become lower
      QTRY_VERIFY(std::exchange(before, splitter->sizes()) == splitter->sizes());
      look(splitter);
    };
    QList<int> first, dragged, again;
    withMemory([&](QSplitter* splitter) {
      first = splitter->sizes();
      QWidget* handle = splitter->handle(1);
      const QPoint from = handle->rect().center(), to = from - QPoint(0, 60);
      QTest::mousePress(handle, Qt::LeftButton, {}, from);
      QMouseEvent move(QEvent::MouseMove, to, handle->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                       {}); // Qt Test holds no button
      QCoreApplication::sendEvent(handle, &move);
      QTest::mouseRelease(handle, Qt::LeftButton, {}, to);
      dragged = splitter->sizes();
    });
    QVERIFY2(dragged.size() == 2 && dragged[0] < first[0] - 40, qPrintable(QString::number(dragged.value(0))));
    withMemory([&](QSplitter* splitter) { again = splitter->sizes(); });
    QVERIFY2(again.size() == 2 && std::abs(again[0] - dragged[0]) <= 2,
             qPrintable(QStringLiteral("%1, then %2").arg(dragged[0]).arg(again.value(0))));
    settings.setValue("splitters/memory/0", QVariantList{-5, "x"}); // damaged: the view's own sizes
    withMemory([&](QSplitter* splitter) { again = splitter->sizes(); });
    QVERIFY(again.size() == 2 && std::abs(again[0] - first[0]) <= 2);
  }

  void keysReadTheReportAgain() {
    shell::Settings settings(m_folder.filePath("reload.ini"));
    shell::MainWindow window(m_theme, settings, {listed("summary")});
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({files().first()});
    QTRY_COMPARE(finished.count(), 1);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_COMPARE(finished.count(), 2);
    QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
    QTRY_COMPARE(finished.count(), 3);
    QVERIFY(finished.last().first().toBool());
  }

  void swapExchangesTheReports() {
    shell::Settings settings(m_folder.filePath("swap.ini"));
    shell::MainWindow window(m_theme, settings, {listed("summary"), listed("compare")});
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports(files());
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(settings.recent().first(), files());
    analyser::compare::PairingRules byHand;
    byHand.together = {{nameOf(m_one, 0), nameOf(m_two, 1)}};
    window.state().notes().setPairing(byHand);
    window.showView("summary");
    for (QAbstractButton* button : window.findChildren<QAbstractButton*>())
      if (button->accessibleName() == "Swap the reports") button->click();
    QTRY_COMPARE(finished.count(), 2);
    QCOMPARE(settings.recent().first(), QStringList({files()[1], files()[0]}));
    QCOMPARE(window.state().view(), QStringLiteral("summary")); // it stays where it was
    // Manual pairs are exchanged with the reports; other reports start without pairs.
    const std::pair exchanged(nameOf(m_two, 1), nameOf(m_one, 0));
    QCOMPARE(window.state().notes().pairing().together, decltype(byHand.together){exchanged});
    window.openReports({files()[0]});
    QTRY_COMPARE(finished.count(), 3);
    QVERIFY(window.state().notes().pairing().together.empty());
  }

  // The work of the window's thread per iteration of its event loop, in processor time, because other processes run as well.
  void openingManySlicesNeverFreezesTheWindow() {
    bool given = false;
    const int slices = qEnvironmentVariableIntValue("TILESCOPE_STALL_SLICES", &given);
    const tests::TinyReport many({.ipus = 2, .tilesPerIpu = 1472, .operations = 200, .slices = given ? slices : 300'000});
    shell::Settings settings(m_folder.filePath("many.ini"));
    shell::MainWindow window(m_theme, settings,
                             {listed("summary"), listed("memory"), listed("liveness"), listed("program"), listed("operations"),
                              listed("trace"), listed("host")});
    window.resize(1920, 1080);
    window.show();
    double longest = 0;
    QString where = "opening";
    const auto now = [] {
      timespec t{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      return double(t.tv_sec) * 1e3 + double(t.tv_nsec) * 1e-6;
    };
    const auto timed = [&](const QString& what, const std::function<void()>& work) {
      const double before = now();
      work();
      if (const double took = now() - before; took > longest) longest = took, where = what;
    };
    const auto turns = [&](const std::function<bool()>& until, const QString& what) {
      QElapsedTimer patience;
      patience.start();
      for (int quiet = 0; quiet < 3 && patience.elapsed() < 60'000;) {
        timed(what, [] { QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 10); });
        quiet = until() ? quiet + 1 : 0;
        if (quiet) QTest::qWait(1); // waits because an idle event loop returns at once; three quiet passes end the test step
      }
      return until();
    };
    bool opened = false;
    connect(&window, &shell::MainWindow::openFinished, &window, [&](bool ok) { opened = ok; });
    window.openReports({QString::fromStdString(many.path().string())});
    QVERIFY(turns([&] { return opened; }, "opening"));
    for (const auto& view : window.views()) {
      timed("making " + view.id, [&] { window.showView(view.id); });
      QVERIFY2(turns([&] { return window.currentView() && !window.currentView()->isBusy(); }, view.id), qPrintable(view.id));
      // The keyboard focus is on the content of the view, not on its first input field.
      const QWidget* focused = window.focusWidget();
      QVERIFY2(focused && window.currentView()->isAncestorOf(focused), qPrintable(view.id));
      QVERIFY2(!focused->inherits("QLineEdit") && !focused->inherits("QComboBox"), qPrintable(view.id));
    }
    window.showView("trace");
    QVERIFY(qobject_cast<const plot::Timeline*>(window.focusWidget()));
    for (const int key : {Qt::Key_W, Qt::Key_W, Qt::Key_D, Qt::Key_S, Qt::Key_F}) {
      QTest::keyClick(window.findChild<plot::Timeline*>(), Qt::Key(key));
      QVERIFY(turns([&] { return !window.currentView()->isBusy(); }, "zooming the trace"));
    }
    qInfo("longest turn of the event loop: %.0f ms of processor time, %s", longest, qPrintable(where));
    QVERIFY2(longest < kMostMilliseconds, qPrintable(where));
  }

  // Every widget that Tab reaches has a name for screen readers: its own, its text, or that of the field it belongs to.
  void whatTakesTheFocusHasAName() {
    shell::Settings settings(m_folder.filePath("names.ini"));
    shell::MainWindow window(m_theme, settings,
                             {listed("summary"), listed("memory"), listed("liveness"), listed("program"), listed("operations"),
                              listed("trace"), listed("host"), listed("insights"), listed("query"), listed("sweep"),
                              listed("run"), listed("compare")});
    window.resize(1280, 800);
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports(files());
    QTRY_COMPARE(finished.count(), 1);
    QStringList nameless;
    for (const auto& entry : window.views()) {
      window.showView(entry.id);
      QTRY_VERIFY(window.currentView() && !window.currentView()->isBusy());
      for (const QWidget* widget : window.currentView()->findChildren<QWidget*>()) {
        if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) || !widget->accessibleName().isEmpty()) continue;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool partOfAnother =
            widget->inherits("QScrollArea") || widget->inherits("QTabBar") || widget->inherits("QTabWidget") ||
            ((widget->parentWidget()->inherits("QAbstractSpinBox") || widget->parentWidget()->inherits("QComboBox")) &&
             !widget->parentWidget()->accessibleName().isEmpty());
        if (!partOfAnother && !(button && !button->text().isEmpty()))
          nameless << entry.id + ": " + widget->metaObject()->className();
      }
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(", ")));
  }

  // Every plot has a description and a table of its figures; Tab reaches every plot and every table.
  void everyPlotHasWordsAndATableAndTheKeysReachIt() {
    shell::Settings settings(m_folder.filePath("twins.ini"));
    shell::ViewList all;
    for (const char* id : {"summary", "insights", "memory", "liveness", "program", "operations", "trace", "host", "query",
                           "sweep", "run", "compare"})
      all.push_back(listed(id));
    shell::MainWindow window(m_theme, settings, all);
    window.resize(1400, 1000);
    window.show();
    QApplication::setActiveWindow(&window);
    QStringList missing;
    int plots = 0, tables = 0;
    const auto look = [&](const QString& where) {
      shell::View& view = *window.currentView();
      std::set<const QWidget*> awaited;
      for (auto* widget : view.findChildren<QWidget*>()) {
        if (!widget->isVisible()) continue;
        const bool isTable = widget->inherits("QAbstractItemView") && !widget->inherits("QHeaderView") && widget->isEnabled();
        const bool isPlot = widget->property("picture").toBool();
        if (!isTable && !isPlot) continue;
        const QString name =
            where + ": " + (widget->accessibleName().isEmpty() ? widget->metaObject()->className() : widget->accessibleName());
        awaited.insert(widget);
        if (!(widget->focusPolicy() & Qt::TabFocus)) missing << name + " takes no keys";
        if (isTable) ++tables;
        if (!isPlot) continue;
        ++plots;
        const QString words = widget->accessibleDescription();
        if (widget->accessibleName().isEmpty()) missing << name + " has no name";
        if (words.isEmpty() || words.startsWith("Arrow keys") || words.startsWith("W and S")) missing << name + " says: " + words;
        if (!shell::hasTable(*widget, view)) missing << name + " has no table";
      }
      view.setFocus();
      for (int i = 0; i < 300 && !awaited.empty(); ++i) {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &view, Qt::Key_Tab);
        awaited.erase(QApplication::focusWidget());
      }
      for (const QWidget* widget : awaited) missing << where + ": Tab does not reach " + widget->accessibleName();
    };
    const auto walk = [&](const QString& what) {
      for (const auto& entry : window.views()) {
        if (what.isEmpty() && entry.needs == shell::Needs::Comparison) continue;
        window.showView(entry.id);
        QVERIFY2(QTest::qWaitFor([&] { return window.currentView() && !window.currentView()->isBusy(); }, 20000),
                 qPrintable(what + entry.id));
        look(what + entry.id);
        for (auto* tabs : window.currentView()->findChildren<QTabWidget*>())
          for (int i = 0; tabs->isVisible() && i < tabs->count(); ++i) {
            if (!tabs->isTabVisible(i)) continue;
            tabs->setCurrentIndex(i);
            QTRY_VERIFY_WITH_TIMEOUT(!window.currentView()->isBusy(), 20000);
            look(what + entry.id + '/' + tabs->tabText(i));
          }
      }
    };
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({files().last()});
    QTRY_COMPARE(finished.count(), 1);
    walk({});
    window.openReports(files());
    QTRY_COMPARE(finished.count(), 2);
    walk("difference of ");
    missing.removeDuplicates();
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join("\n")));
    QVERIFY(plots > 40 && tables > 40);
  }

  void aPlotIsShownAsATable() {
    shell::Settings settings(m_folder.filePath("as table.ini"));
    shell::MainWindow window(m_theme, settings, {listed("summary"), listed("memory"), listed("trace")});
    window.resize(1280, 800);
    window.show();
    QApplication::setActiveWindow(&window);
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports(files());
    QTRY_COMPARE(finished.count(), 1);
    window.showView("memory");
    QTRY_VERIFY(!window.currentView()->isBusy());
    auto* both = window.currentView()->findChild<plot::StepPlot*>();
    both->setFocus();
    QTest::keyClick(both, Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    auto* sheet = window.findChild<QDialog*>("plot-table");
    QVERIFY(sheet && sheet->isVisible());
    const auto& rows = sheet->findChild<tables::TableView*>()->rows();
    QCOMPARE(rows.columnCount(), 4);
    QCOMPARE(rows.headerData(3, Qt::Horizontal, Qt::DisplayRole).toString(), QString("B − A"));
    QCOMPARE(rows.total(), 8);
    sheet->close();
    QTRY_VERIFY(!window.findChild<QDialog*>("plot-table"));
    QApplication::setActiveWindow(&window);
    // For the trace's tiles it is the table of the page.
    window.state().setShown(shell::Shown::Base);
    window.showView("trace");
    QTRY_VERIFY(!window.currentView()->isBusy());
    auto* tiles = window.currentView()->findChild<plot::CellMap*>();
    tiles->setFocus();
    QTest::keyClick(tiles, Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    const QWidget* table = window.focusWidget();
    QVERIFY(table && table->isVisible());
    QCOMPARE(table->accessibleName(), QString("Wasted tile-cycles of the range"));
  }

  void nothingIsCutAtTheSmallestSize() {
    shell::Settings settings(m_folder.filePath("small.ini"));
    shell::MainWindow window(m_theme, settings, {listed("summary"), listed("trace"), listed("compare")});
    window.resize(window.minimumSize());
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports(files());
    QTRY_COMPARE(finished.count(), 1);
    for (const char* id : {"summary", "trace", "compare"}) {
      window.showView(id);
      QTRY_VERIFY(window.currentView() && !window.currentView()->isBusy());
      QCOMPARE(window.size(), window.minimumSize()); // no view asks for more than the window has
      for (const QAbstractButton* button : window.currentView()->findChildren<QAbstractButton*>())
        if (button->isVisible()) {
          const QRect place(button->mapTo(window.currentView(), QPoint()), button->size());
          QVERIFY2(window.currentView()->rect().contains(place) || button->parentWidget()->parentWidget() != window.currentView(),
                   qPrintable(button->accessibleName()));
        }
    }
  }
};

TILESCOPE_TEST(WindowTest)
#include "window_test.moc"
