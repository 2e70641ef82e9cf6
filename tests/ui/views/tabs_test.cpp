// Several reports in one window, with mouse and keys: each keeps its place, two are compared by a drag, a closed one is freed,
// and the next window has them again. TILESCOPE_PICTURES=FOLDER keeps a screenshot of each step.
#include "analyser/session/session.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/page.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/window/main_window.h"
#include "ui/window/tab_strip.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class TabsTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_a{{.ipus = 1, .tilesPerIpu = 8, .operations = 4}},
      m_b{{.ipus = 1, .tilesPerIpu = 8, .operations = 6, .scale = 2}}, m_c{{.ipus = 2, .tilesPerIpu = 8, .operations = 3}};
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::MainWindow> m_window;

  static QString fileOf(const tests::TinyReport& report) { return QString::fromStdString(report.path().string()); }
  static shell::ViewList views() {
    shell::ViewList list;
    for (const char* id : {"home", "summary", "memory", "liveness", "program", "operations", "query", "compare"})
      list.push_back(tests::listed(QString::fromLatin1(id)));
    return list;
  }
  void makeWindow() {
    m_window.reset();
    m_window = std::make_unique<shell::MainWindow>(m_theme, *m_settings, views());
    m_window->resize(1280, 800);
    m_window->show();
  }
  bool settled() const {
    return QTest::qWaitFor([this] {
      const auto* view = m_window->currentView();
      return !m_window->isOpening() && view && !view->isBusy() && !view->findChild<shell::Page*>()->isLoading();
    });
  }
  bool open(const QStringList& files) {
    QSignalSpy finished(m_window.get(), &shell::MainWindow::openFinished);
    m_window->openReports(files);
    return QTest::qWaitFor([&] { return finished.count() > 0; }) && settled();
  }
  bool show(const QString& view) {
    m_window->showView(view);
    return settled();
  }
  shell::TabStrip* strip() const { return m_window->findChild<shell::TabStrip*>(); }
  bool click(int tab) const {
    QTest::mouseClick(strip(), Qt::LeftButton, {}, strip()->tabRect(tab).center());
    return settled() && strip()->currentIndex() == tab;
  }
  template<class T> T* named(const QString& name) const {
    for (T* candidate : m_window->currentView()->findChildren<T*>())
      if (candidate->accessibleName() == name) return candidate;
    return nullptr;
  }
  void picture(const QString& name) const {
    const QString folder = qEnvironmentVariable("TILESCOPE_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    for (const bool dark : {false, true}) {
      const_cast<theme::Theme&>(m_theme).setScheme(dark ? theme::Scheme::Dark : theme::Scheme::Light);
      QCoreApplication::processEvents();
      m_window->grab().save(QStringLiteral("%1/%2-%3.png").arg(folder, name, dark ? "dark" : "light"));
    }
  }
  QStringList titles() const {
    QStringList list;
    for (int i = 0; i < strip()->count(); ++i) list << strip()->tabText(i);
    return list;
  }

private slots:
  void initTestCase() {
    if (qEnvironmentVariableIsSet("TILESCOPE_PICTURES")) m_theme.apply(*qApp);
  }
  void init() {
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath("tabs.ini"));
    makeWindow();
  }
  void cleanup() {
    m_window.reset();
    QFile::remove(m_folder.filePath("tabs.ini"));
  }

  void eachReportKeepsItsPlace() {
    m_settings->setRemembersPlaces(false); // the tabs do not depend on the settings
    QVERIFY(open({fileOf(m_a)}));
    QVERIFY(!strip()->isVisible()); // one report needs no tab
    QVERIFY(show("memory"));
    m_window->state().setTiles({reports::TileId(std::size_t(3))});
    auto* largest = named<tables::TableView>("Largest variables");
    QVERIFY(settled());
    for (QWidget* inner = largest; inner; inner = inner->parentWidget())
      if (auto* tabs = qobject_cast<QTabWidget*>(inner)) tabs->setCurrentWidget(largest->parentWidget());
    static_cast<tables::FilteredTable*>(largest->parentWidget())->filter().setText("weights");

    QVERIFY(open({fileOf(m_b)}));
    QVERIFY(strip()->isVisible() && strip()->count() == 2 && strip()->currentIndex() == 1);
    QVERIFY(m_window->state().tiles().empty());
    QVERIFY(show("program"));
    auto* tree = named<tables::TreeView>("Program");
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_Home);
    QTest::keyClick(tree, Qt::Key_Down);
    const auto step = m_window->state().step();
    QVERIFY(step.valid());
    picture("two-tabs");

    QVERIFY(click(0));
    QCOMPARE(m_window->state().view(), QString("memory"));
    QCOMPARE(m_window->state().tiles(), std::vector<reports::TileId>{reports::TileId(std::size_t(3))});
    QTRY_COMPARE(static_cast<tables::FilteredTable*>(largest->parentWidget())->filter().text(), QString("weights"));
    picture("first-tab-again");
    QTest::keyClick(m_window.get(), Qt::Key_PageDown, Qt::ControlModifier);
    QTRY_COMPARE(strip()->currentIndex(), 1);
    QVERIFY(settled());
    QCOMPARE(m_window->state().view(), QString("program"));
    QCOMPARE(m_window->state().step(), step);
    QVERIFY(m_window->state().canGoBack()); // its own way back
    // A report that is open already is shown, not opened twice.
    QVERIFY(open({fileOf(m_a)}));
    QCOMPARE(strip()->count(), 2);
    QCOMPARE(strip()->currentIndex(), 0);
  }

  void aTabIsComparedByADrag() {
    QVERIFY(open({fileOf(m_a)}) && open({fileOf(m_b)}));
    const QPoint from = strip()->tabRect(1).center(), to = strip()->tabRect(0).center();
    QTest::mousePress(strip(), Qt::LeftButton, {}, from);
    for (const QPoint& at : {(from + to) / 2, to}) {
      QMouseEvent move(QEvent::MouseMove, QPointF(at), strip()->mapToGlobal(QPointF(at)), Qt::NoButton, Qt::LeftButton, {});
      QCoreApplication::sendEvent(strip(), &move);
    }
    picture("drag");
    QSignalSpy finished(m_window.get(), &shell::MainWindow::openFinished);
    QTest::mouseRelease(strip(), Qt::LeftButton, {}, to);
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(settled());
    QCOMPARE(strip()->count(), 3);
    QCOMPARE(m_window->state().view(), QString("compare"));
    QVERIFY(titles()[strip()->currentIndex()].contains("↔"));
    picture("compared-tabs");
    // The comparison is left and found again as it was; both reports have their own tabs.
    m_window->state().setShown(shell::Shown::Other);
    QVERIFY(settled());
    const int comparison = strip()->currentIndex();
    QVERIFY(click(comparison == 0 ? 1 : 0));
    QCOMPARE(m_window->state().shown(), shell::Shown::Base);
    QVERIFY(click(comparison));
    QCOMPARE(m_window->state().shown(), shell::Shown::Other);
    // By the menu, the other way round.
    QContextMenuEvent asked(QContextMenuEvent::Mouse, to, strip()->mapToGlobal(to));
    QCoreApplication::sendEvent(strip(), &asked);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu && menu->actions().front()->menu());
    QVERIFY(menu->actions().front()->menu()->actions().size() >= 1);
    menu->close();
  }

  void aClosedReportIsFreed() {
    QVERIFY(open({fileOf(m_a)}) && open({fileOf(m_b)}) && open({fileOf(m_c)}) && show("memory"));
    QCOMPARE(strip()->count(), 3);
    std::vector<std::weak_ptr<analyser::Session>> sessions;
    for (const auto& tab : m_window->openTabs()) sessions.push_back(tab.sessions.base);
    QVERIFY(click(0));
    QTest::mouseClick(strip(), Qt::MiddleButton, {}, strip()->tabRect(1).center()); // one that is not shown
    QTRY_COMPARE(strip()->count(), 2);
    QTRY_VERIFY(sessions[1].expired());
    QVERIFY(!sessions[0].expired() && !sessions[2].expired());
    QVERIFY(click(1));
    QTest::keyClick(m_window.get(), Qt::Key_W, Qt::ControlModifier); // the one that is shown
    QTRY_VERIFY(sessions[2].expired());
    QVERIFY(settled() && !strip()->isVisible());
    QCOMPARE(strip()->count(), 1);
    QCOMPARE(m_window->openTabs().front().files, QStringList{fileOf(m_a)});
    QTest::keyClick(m_window.get(), Qt::Key_W, Qt::ControlModifier);
    QTRY_VERIFY(sessions[0].expired());
    QCOMPARE(m_window->state().view(), QString("home"));
  }

  void theNextWindowHasThemAgain() {
    QVERIFY(open({fileOf(m_a)}) && open({fileOf(m_b), fileOf(m_c)}) && open({fileOf(m_c)}));
    const QStringList before = titles();
    QCOMPARE(before.size(), 3);
    m_window->close();
    makeWindow();
    m_window->offerSession();
    QVERIFY2(m_window->message().contains(" ↔ "), qPrintable(m_window->message()));
    for (auto* button : m_window->findChildren<QAbstractButton*>())
      if (button->text() == "Open again") QTest::mouseClick(button, Qt::LeftButton);
    QTRY_COMPARE(strip()->count(), 3);
    QVERIFY(settled());
    QCOMPARE(titles(), before);
  }
};

TILESCOPE_TEST(TabsTest)
#include "tabs_test.moc"
