// A link that one window copies shows the same in another; and a report opens where it was left.
#include "analyser/trace/execution_trace.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/fact_list.h"
#include "ui/parts/slice_browser.h"
#include "ui/plot/legend.h"
#include "ui/plot/timeline.h"
#include "ui/state/bookmarks.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/window/bookmark_sheet.h"
#include "ui/window/command_palette.h"
#include "ui/window/main_window.h"
#include "ui/window/tab_strip.h"

#include <QAbstractButton>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>

using namespace ui;
using tests::listed;

class LinkTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_report{{.ipus = 2, .tilesPerIpu = 8, .operations = 4}}, m_other{{.ipus = 1, .tilesPerIpu = 4}};

  static QString file(const tests::TinyReport& report) { return QString::fromStdString(report.path().string()); }
  static shell::ViewList views() { return {listed("summary"), listed("memory"), listed("trace")}; }
  static bool settled(shell::MainWindow& window) {
    return QTest::qWaitFor([&] { return !window.isOpening() && window.currentView() && !window.currentView()->isBusy(); }, 20000);
  }
  // Shows a window that opens a link.
  bool follow(shell::MainWindow& window, const QString& link) {
    window.resize(1280, 900);
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openLink(*shell::parseLink(link));
    return QTest::qWaitFor([&] { return finished.count() == 1; }, 5000) && settled(window);
  }
  bool open(shell::MainWindow& window, const QString& name) {
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({name});
    return QTest::qWaitFor([&] { return finished.count() > 0; }, 20000) && settled(window);
  }
  template<class T> static T* child(shell::MainWindow& window, const QString& name) {
    for (T* candidate : window.currentView()->template findChildren<T*>())
      if (candidate->accessibleName() == name) return candidate;
    return nullptr;
  }

private slots:
  void anotherWindowShowsTheSame() {
    shell::Settings settings(m_folder.filePath("one.ini")), others(m_folder.filePath("two.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.resize(1280, 900);
    window.show();
    QVERIFY(open(window, file(m_report)));
    window.showView("trace");
    QVERIFY(settled(window));
    auto* box = child<QComboBox>(window, "IPU");
    box->setCurrentIndex(2);
    emit box->activated(2);
    QVERIFY(settled(window));
    auto* timeline = window.findChild<plot::Timeline*>();
    timeline->zoomBy(0.25);
    const auto range = timeline->visibleRange();
    window.state().setMeasured({range.begin + 10, range.begin + 90});
    window.state().setTiles({reports::TileId(9), reports::TileId(12)});
    child<QLineEdit>(window, "Search for steps")->setText("exchange");
    window.currentView()->findChild<plot::Legend*>()->setShown(1, false);
    window.currentView()->findChild<QTabWidget*>()->setCurrentIndex(2);
    QVERIFY(settled(window));
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier);
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY2(text.startsWith("tilescope:?"), qPrintable(text));

    shell::MainWindow second(m_theme, others, views());
    QVERIFY(follow(second, text));
    QTRY_COMPARE(child<QComboBox>(second, "IPU")->currentIndex(), 2);
    QVERIFY(settled(second));
    QCOMPARE(second.state().place(), window.state().place());
    QCOMPARE(second.findChild<plot::Timeline*>()->visibleRange(), range);
    QCOMPARE(child<QLineEdit>(second, "Search for steps")->text(), QString("exchange"));
    QVERIFY(!second.currentView()->findChild<plot::Legend*>()->isShown(1));
    QCOMPARE(second.currentView()->findChild<QTabWidget*>()->currentIndex(), 2);
    QCOMPARE(second.currentView()->verdict(), window.currentView()->verdict());
    QVERIFY(!second.state().canGoBack()); // the history begins where the link leads
  }

  // A scope is not a program step: the link contains the slice itself, and the selected execution.
  void theSelectedSliceIsInTheLink() {
    shell::Settings settings(m_folder.filePath("slice one.ini")), others(m_folder.filePath("slice two.ini"));
    const auto details = [](shell::MainWindow& window) {
      QStringList words;
      for (const auto* label : child<shell::FactList>(window, "Facts about the slice")->findChildren<QLabel*>())
        words << label->text();
      return words.join('\n');
    };
    shell::MainWindow window(m_theme, settings, views());
    window.resize(1280, 900);
    window.show();
    QVERIFY(open(window, file(m_report)));
    window.showView("trace");
    QVERIFY(settled(window));
    window.currentView()->findChild<QTabWidget*>()->setCurrentIndex(1);
    auto* browser = window.findChild<shell::SliceBrowser*>();
    const auto session = analyser::Session::open(m_report.path().string());
    analyser::trace::ExecutionTrace trace(*session);
    const auto& track = trace.tracks().at(1);
    const auto scope = trace.slices().sliceAt(track.id, 0, (track.range.begin + track.range.end) / 2);
    QVERIFY(scope && reports::Activity(scope->category) == reports::Activity::Scope);
    browser->selectAgain(QStringLiteral("%1/0/%2").arg(track.id.value()).arg(scope->ticks.begin));
    QVERIFY(settled(window));
    const QString selected = browser->selectedSlice(), shown = details(window);
    QVERIFY2(!selected.isEmpty() && !shown.isEmpty(), qPrintable(selected + shown));
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier);
    const QString text = QGuiApplication::clipboard()->text();

    shell::MainWindow second(m_theme, others, views());
    QVERIFY(follow(second, text));
    QTRY_COMPARE(second.findChild<shell::SliceBrowser*>()->selectedSlice(), selected);
    QVERIFY(settled(second));
    QTRY_COMPARE(details(second), shown);
    // A text that names no slice changes no selection.
    const QString lane = selected.section('/', 0, 1);
    for (const QString& none :
         {QString("no/such/slice"), lane + "/9223372036854775807", lane + "/-5", lane + "/1", QString("9/0/0")}) {
      second.findChild<shell::SliceBrowser*>()->selectAgain(none);
      QVERIFY(settled(second));
      QCOMPARE(second.findChild<shell::SliceBrowser*>()->selectedSlice(), selected);
      QCOMPARE(details(second), shown);
    }
  }

  // The link contains everything that changes the view; a report that was never open starts without it.
  void orderGroupsAndFoldsAreInTheLink() {
    shell::Settings settings(m_folder.filePath("order one.ini")), others(m_folder.filePath("order two.ini"));
    const auto action = [](shell::MainWindow& window, const QString& text) {
      for (auto* candidate : window.currentView()->findChildren<QAction*>())
        if (candidate->text().startsWith(text)) return candidate;
      return static_cast<QAction*>(nullptr);
    };
    const auto order = [](shell::MainWindow& window) {
      const auto* header = child<tables::TableView>(window, "Statistics by name")->horizontalHeader();
      return std::pair(header->sortIndicatorSection(), header->sortIndicatorOrder());
    };
    shell::MainWindow window(m_theme, settings, views());
    window.resize(1280, 900);
    window.show();
    QVERIFY(open(window, file(m_report)));
    window.showView("trace");
    QVERIFY(settled(window));
    auto* tabs = window.currentView()->findChild<QTabWidget*>();
    const int before = tabs->currentIndex();
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i) == "Statistics") tabs->setCurrentIndex(i);
    QVERIFY(settled(window));
    const auto first = order(window);
    child<tables::TableView>(window, "Statistics by name")->sortByColumn(0, Qt::AscendingOrder);
    tabs->setCurrentIndex(before); // out of sight it counts, too
    action(window, "Group equal steps")->toggle();
    action(window, "Show tiles by cycles")->toggle();
    auto* lanes = window.findChild<plot::Timeline*>(); // of two IPUs the first is open
    QVERIFY(!lanes->rows().isFolded(0) && lanes->rows().isFolded(1));
    lanes->rows().setFolded(0, true), lanes->rows().setFolded(1, false);
    QVERIFY(settled(window));
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier);
    const QString text = QGuiApplication::clipboard()->text();

    shell::MainWindow second(m_theme, others, views());
    QVERIFY(follow(second, text));
    QTRY_VERIFY(action(second, "Group equal steps")->isChecked());
    QVERIFY(!action(second, "Show tiles by cycles")->isChecked());
    QTRY_VERIFY(second.findChild<plot::Timeline*>()->rows().isFolded(0) &&
                !second.findChild<plot::Timeline*>()->rows().isFolded(1));
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i) == "Statistics") second.currentView()->findChild<QTabWidget*>()->setCurrentIndex(i);
    QVERIFY(settled(second));
    QTRY_COMPARE(order(second), std::pair(0, Qt::AscendingOrder));

    for (shell::MainWindow* shown : {&window, &second}) { // the wish of the first window's user stays
      QVERIFY(open(*shown, file(m_other)));
      shown->showView("trace");
      QVERIFY(settled(*shown));
      QVERIFY(!action(*shown, "Group equal steps")->isChecked());
      QCOMPARE(action(*shown, "Show tiles by cycles")->isChecked(), shown == &second);
      QCOMPARE(order(*shown), first);
      QVERIFY(!shown->findChild<plot::Timeline*>()->rows().isFolded(0));
    }
    QVERIFY(open(window, file(m_report))); // its own place
    QTRY_VERIFY(action(window, "Group equal steps")->isChecked());
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i) == "Statistics") tabs->setCurrentIndex(i);
    QVERIFY(settled(window));
    QTRY_COMPARE(order(window), std::pair(0, Qt::AscendingOrder));
  }

  // A link of an older program does not contain these fields, so they keep their values.
  void aLinkThatDoesNotNameTheTilesLeavesThem() {
    shell::Settings settings(m_folder.filePath("older.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(open(window, file(m_report)));
    window.openLink(*shell::parseLink("tilescope:?view=trace&set.Switched%20on=&set.Tab=Details"));
    QVERIFY(settled(window));
    QTRY_COMPARE(window.currentView()->findChild<QTabWidget*>()->currentIndex(), 1);
    for (const auto* candidate : window.currentView()->findChildren<QAction*>())
      if (candidate->text() == "Show tiles by cycles") QVERIFY(candidate->isChecked());
  }

  void aLinkIsPastedIntoTheSearch() {
    shell::Settings settings(m_folder.filePath("paste.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.resize(1280, 900);
    window.show();
    QVERIFY(open(window, file(m_report)));
    QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
    auto* palette = window.findChild<shell::CommandPalette*>();
    QVERIFY(palette->isVisible());
    palette->findChild<QLineEdit*>()->setText("tilescope:?view=memory&tiles=3,5");
    QCOMPARE(palette->findChild<QListWidget*>()->item(0)->text(), QString("Go to this link"));
    QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return);
    QCOMPARE(window.state().view(), QString("memory"));
    QCOMPARE(window.state().tiles(), (std::vector<reports::TileId>{reports::TileId(3), reports::TileId(5)}));
    window.openLink(*shell::parseLink("tilescope:?view=memory&tiles=3,999999")); // of a larger machine
    QCOMPARE(window.state().tiles(), (std::vector<reports::TileId>{reports::TileId(3)}));
    QVERIFY(settled(window));
  }

  // "Back" returns to the report before the link, not to a page of the new report that the user has not seen.
  // A link may come from a stranger: the window shows its request, and does not connect to another computer by itself.
  void aLinkFromOutsideIsShownFirst() {
    shell::Settings settings(m_folder.filePath("foreign.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.offerLink(*shell::parseLink("tilescope:?report=" + file(m_report) + "&view=memory"));
    QVERIFY2(window.message().contains(file(m_report)), qPrintable(window.message()));
    QVERIFY(!window.isOpening() && finished.isEmpty());
    const QString far = "ssh://evil.invalid/tmp/x.tsr";
    window.openLink(*shell::parseLink("tilescope:?report=" + far + "&view=memory"));
    QVERIFY2(window.message().contains(far), qPrintable(window.message()));
    QVERIFY(!window.isOpening() && finished.isEmpty());
  }

  void backReturnsToTheReportBefore() {
    shell::Settings settings(m_folder.filePath("back.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.resize(1280, 900);
    window.show();
    QVERIFY(open(window, file(m_report)));
    window.showView("memory");
    QVERIFY(settled(window));
    window.state().setTiles({reports::TileId(5)});
    QVERIFY(settled(window));
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    shell::ViewLink link = *shell::parseLink("tilescope:?view=trace");
    link.reports = QStringList{file(m_other)};
    window.openLink(link);
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(settled(window));
    QCOMPARE(window.state().view(), QString("trace"));
    window.showView("summary");
    QVERIFY(settled(window));
    QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(window.state().view(), QString("trace"));
    QVERIFY(settled(window));
    QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
    QTRY_COMPARE(finished.count(), 2);
    QVERIFY(settled(window));
    QCOMPARE(window.state().view(), QString("memory"));
    QCOMPARE(window.state().tiles(), std::vector<reports::TileId>{reports::TileId(5)});
    QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier); // nothing came before
    QVERIFY(settled(window));
    QCOMPARE(finished.count(), 2);
    QCOMPARE(window.state().view(), QString("memory"));
    QCOMPARE(window.state().tiles(), std::vector<reports::TileId>{reports::TileId(5)});
  }

  // The list of bookmarks is open while another report arrives, for instance from a terminal.
  void bookmarksAreWrittenBesideTheReportTheyAreOf() {
    shell::Settings settings(m_folder.filePath("marks.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.resize(1280, 900);
    window.show();
    QVERIFY(open(window, file(m_report)));
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier);
    auto* sheet = window.findChild<shell::BookmarkSheet*>();
    QVERIFY(sheet && sheet->isVisible());
    QVERIFY(open(window, file(m_other)));
    auto* note = sheet->findChild<QLineEdit*>();
    QTest::keyClicks(note, "of the first");
    QTest::keyClick(note, Qt::Key_Return);
    QCOMPARE(shell::readBookmarks(shell::bookmarkFile(file(m_report))).size(), std::size_t(1));
    QVERIFY(shell::readBookmarks(shell::bookmarkFile(file(m_other))).empty());
    QFile::remove(shell::bookmarkFile(file(m_report)));
  }

  // A requested view applies to the reports of the same request.
  void aReportOpensInTheViewThatIsAskedFor() {
    shell::Settings settings(m_folder.filePath("view.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({file(m_report)}, "memory");
    window.openReports({file(m_other)}); // instead
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20000);
    QCOMPARE(window.state().view(), QString("summary"));
    window.openReports({file(m_report)}, "trace");
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 20000);
    QCOMPARE(window.state().view(), QString("trace"));
  }

  void aReportOpensWhereItWasLeft() {
    shell::Settings settings(m_folder.filePath("left.ini"));
    {
      shell::MainWindow window(m_theme, settings, views());
      window.show();
      QVERIFY(open(window, file(m_report)));
      window.showView("memory");
      QVERIFY(settled(window));
      window.state().setTiles({reports::TileId(7)});
      child<QComboBox>(window, "Breakdown")->setCurrentIndex(3);
      QVERIFY(settled(window));
      window.showView("trace");
      QVERIFY(settled(window));
      child<QLineEdit>(window, "Search for steps")->setText("exchange");
      QVERIFY(settled(window));
      window.showView("memory");
      QVERIFY(settled(window));
      window.close();
    }
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(open(window, file(m_other)));
    QCOMPARE(window.state().view(), QString("summary")); // a new one begins at its answer
    QVERIFY(open(window, file(m_report)));
    QCOMPARE(window.state().view(), QString("memory"));
    QCOMPARE(window.state().tiles(), std::vector<reports::TileId>{reports::TileId(7)});
    QTRY_COMPARE(child<QComboBox>(window, "Breakdown")->currentIndex(), 3);
    QVERIFY(settled(window));
    window.showView("trace"); // as that view was left, though it was not the last
    QVERIFY(settled(window));
    QTRY_COMPARE(child<QLineEdit>(window, "Search for steps")->text(), QString("exchange"));
    QVERIFY(settled(window));
    QVERIFY(open(window, file(m_other)));
    settings.setRemembersPlaces(false);
    auto* strip = window.findChild<shell::TabStrip*>(); // a tab keeps its place, whatever the settings are
    QCOMPARE(strip->count(), 2);
    QTest::mouseClick(strip, Qt::MiddleButton, {}, strip->tabRect(1).center());
    QVERIFY(open(window, file(m_report)));
    QCOMPARE(window.state().view(), QString("summary"));
  }

  // Each report gets its own filters and tabs back, whichever was open before.
  void viewsOfTwoReportsKeepTheirOwn() {
    shell::Settings settings(m_folder.filePath("two.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    const auto leave = [&](const tests::TinyReport& report, int breakdown) {
      QVERIFY(open(window, file(report)));
      window.showView("memory");
      QVERIFY(settled(window));
      child<QComboBox>(window, "Breakdown")->setCurrentIndex(breakdown);
      QVERIFY(settled(window));
    };
    leave(m_other, 2);
    window.showView("summary"); // the place of the other report is not in Memory
    QVERIFY(settled(window));
    leave(m_report, 3);
    QVERIFY(open(window, file(m_other)));
    QCOMPARE(window.state().view(), QString("summary"));
    window.showView("memory");
    QVERIFY(settled(window));
    QTRY_COMPARE(child<QComboBox>(window, "Breakdown")->currentIndex(), 2);
    QVERIFY(settled(window));
    QVERIFY(open(window, file(m_report)));
    QTRY_COMPARE(child<QComboBox>(window, "Breakdown")->currentIndex(), 3);
    // Their places go with the entry of the list.
    QVERIFY(settings.value(shell::Settings::placeKey({file(m_other)}) + "/memory").isValid());
    settings.removeRecent({file(m_other)});
    QVERIFY(!settings.value(shell::Settings::placeKey({file(m_other)}) + "/memory").isValid());
  }

  // Each process has its own: of two windows that ended, both are offered, and none that runs.
  void theLastSessionsAreOffered() {
    shell::Settings settings(m_folder.filePath("session.ini"));
    const QString gone = shell::Settings::thisProcess().section('-', 0, 0) + "-%1-1";
    settings.setSession({{file(m_report)}}, gone.arg(2'000'000'001));
    const qint64 first = QDateTime::currentMSecsSinceEpoch();
    QTRY_VERIFY(QDateTime::currentMSecsSinceEpoch() > first); // the next is newer
    settings.setSession({{file(m_other), "/no/such.tsr"}}, gone.arg(2'000'000'002));
    settings.setSession({{"/of/another/computer.tsr"}}, "00000000-2000000001-1");
    settings.setSession({{"/open/here.tsr"}}); // this process runs
    {
      shell::MainWindow window(m_theme, settings, views());
      window.show();
      QSignalSpy others(&window, &shell::MainWindow::newWindowRequested), finished(&window, &shell::MainWindow::openFinished);
      window.offerSession();
      QVERIFY2(window.message().contains("were open in 2 windows"), qPrintable(window.message()));
      QVERIFY2(!window.message().contains("here") && !window.message().contains("computer"), qPrintable(window.message()));
      QCOMPARE(settings.endedSessions().size(), std::size_t(2)); // not reopened yet
      for (auto* button : window.findChildren<QAbstractButton*>())
        if (button->text() == "Open again") button->click();
      QTRY_COMPARE(finished.count(), 1);
      QVERIFY(settled(window));
      QCOMPARE(others.count(), 1);
      QCOMPARE(others.front().front().toStringList(), QStringList(file(m_report)));
      QVERIFY(settings.endedSessions().empty());
      QCOMPARE(settings.value("sessions/" + shell::Settings::thisProcess()).toStringList().mid(1), QStringList(file(m_other)));
    }
    settings.setSession({});
    // The session of the window that was closed last is kept.
    for (const QString& report : {file(m_other), file(m_report)}) {
      shell::MainWindow window(m_theme, settings, views());
      window.show();
      QVERIFY(open(window, report));
      window.close();
    }
    QCOMPARE(settings.endedSessions().size(), std::size_t(1));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    window.offerSession();
    QVERIFY2(window.message().startsWith(QFileInfo(file(m_report)).fileName() + " was open when the last window ended"),
             qPrintable(window.message()));
  }

  // Typing in a filter sends no signal, but a crash must not lose the text. An unchanged view state is not written again.
  void thePlaceIsKeptEveryFewSeconds() {
    const QString path = m_folder.filePath("crash.ini");
    shell::Settings settings(path);
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(open(window, file(m_report)));
    window.showView("trace");
    QVERIFY(settled(window));
    const auto isKept = [&] { // the place of the new view: no change waits to be written
      const auto timers = window.findChildren<QTimer*>(QString(), Qt::FindDirectChildrenOnly);
      return std::none_of(timers.begin(), timers.end(), [](const QTimer* t) { return t->isSingleShot() && t->isActive(); });
    };
    QTRY_VERIFY(isKept());
    child<QLineEdit>(window, "Search for steps")->setText("exchange");
    QVERIFY(settled(window));
    auto* timer = window.findChild<QTimer*>("keep-place");
    QVERIFY(timer && timer->isActive() && timer->interval() <= 10'000);
    timer->setInterval(10);
    const auto kept = [&] { return settings.value(shell::Settings::placeKey({file(m_report)}) + "/trace").toString(); };
    QTRY_VERIFY2(kept().contains("exchange"), qPrintable(kept()));
    QTRY_VERIFY(isKept());
    QSignalSpy looks(timer, &QTimer::timeout);
    const auto written = [&] {
      looks.clear();
      if (!QTest::qWaitFor([&] { return looks.count() > 2; })) return QDateTime();
      settings.endedSessions(); // writes what has changed
      return QFileInfo(path).lastModified();
    };
    const auto before = written();
    QVERIFY(before.isValid());
    QCOMPARE(written(), before);
  }
};

TILESCOPE_TEST(LinkTest)
#include "link_test.moc"
