// Menus are about what is selected now: a scope of the trace, a category of memory, a tile of two reports. The wheel never switches tabs.
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/page.h"
#include "ui/plot/flame_graph.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/timeline.h"
#include "ui/state/settings.h"
#include "ui/tables/table_model.h"
#include "ui/tables/table_view.h"
#include "ui/tables/tree_model.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

using namespace ui;
using analyser::columns::Thing;

class SelectionMenusTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_a{{.ipus = 1, .tilesPerIpu = 8, .operations = 4}},
      m_b{{.ipus = 1, .tilesPerIpu = 8, .operations = 4, .scale = 2}};
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::MainWindow> m_window;

  static QString fileOf(const tests::TinyReport& report) { return QString::fromStdString(report.path().string()); }
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
  template<class T> T* named(const QString& name) const {
    for (T* candidate : m_window->currentView()->findChildren<T*>())
      if (candidate->accessibleName() == name) return candidate;
    return nullptr;
  }
  static void showTabOf(QWidget& widget) {
    for (QWidget* inner = &widget; inner; inner = inner->parentWidget())
      if (auto* tabs = qobject_cast<QTabWidget*>(inner))
        for (int i = 0; i < tabs->count(); ++i)
          if (tabs->widget(i)->isAncestorOf(&widget)) tabs->setCurrentIndex(i);
  }
  // The entries of the menu of a plot, and of the submenu `of`; triggers `chosen` in the submenu.
  struct Offered {
    QStringList entries, ways;
  };
  static Offered menuOf(QWidget& plot, const QPoint& at, const QString& of = {}, const QString& chosen = {}) {
    Offered offered;
    QTimer close;
    connect(&close, &QTimer::timeout, &plot, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (!menu) return;
      for (QAction* action : menu->actions()) {
        if (!action->isSeparator()) offered.entries << action->text();
        if (!action->menu() || action->text() != of) continue;
        for (QAction* way : action->menu()->actions()) {
          if (!way->isSeparator()) offered.ways << way->text();
          if (way->text() == chosen) way->trigger();
        }
      }
      menu->close();
    });
    close.start(10);
    QContextMenuEvent asked(QContextMenuEvent::Mouse, at, plot.mapToGlobal(at));
    QCoreApplication::sendEvent(&plot, &asked);
    [[maybe_unused]] const bool opened = QTest::qWaitFor([&] { return !offered.entries.isEmpty(); });
    return offered;
  }
  static QStringList selectedIn(const Offered& offered) { return offered.entries.filter(QStringLiteral("Selected")); }
  // A point of the innermost or the outermost slice of the trace.
  static QPoint placeOf(const plot::Timeline& lanes, bool isInnermost) {
    QPoint place;
    for (int y = 0; y < lanes.height(); y += 4)
      for (int x = 0; x < lanes.width(); x += 3)
        if (lanes.hitAt({x, y}) && (isInnermost || place.isNull())) place = {x, y};
    return place;
  }

private slots:
  void init() {
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath("menus.ini"));
    shell::ViewList list;
    for (const char* id : {"home", "summary", "insights", "memory", "liveness", "program", "operations", "trace", "host", "query",
                           "compare", "run"})
      list.push_back(tests::listed(QString::fromLatin1(id)));
    m_window = std::make_unique<shell::MainWindow>(m_theme, *m_settings, list);
    m_window->resize(1280, 800);
    m_window->show();
  }
  void cleanup() {
    m_window.reset();
    QFile::remove(m_folder.filePath("menus.ini"));
  }

  // Details showed the scope, and the menu led to the step that was selected before.
  void aScopeReplacesTheSelectedStep() {
    QVERIFY(open({fileOf(m_a)}) && show("trace"));
    auto* lanes = named<plot::Timeline>("Execution trace");
    QVERIFY(lanes);
    const QPoint step = placeOf(*lanes, true), scope = placeOf(*lanes, false);
    QVERIFY(!step.isNull() && !scope.isNull());
    QTest::mouseClick(lanes, Qt::LeftButton, {}, step);
    QTRY_VERIFY(m_window->state().step().valid());
    QVERIFY(settled());
    QVERIFY(selectedIn(menuOf(*lanes, step)).contains("Selected step"));
    QTest::mouseClick(lanes, Qt::LeftButton, {}, scope);
    QTRY_VERIFY(!m_window->state().step().valid());
    QVERIFY(settled());
    const Offered offered = menuOf(*lanes, scope, "Selected scope", "Measure its cycles (A–B)");
    QVERIFY2(!offered.entries.contains("Selected step"), qPrintable(offered.entries.join(", ")));
    QCOMPARE(offered.ways, QStringList({"Zoom to its cycles", "Measure its cycles (A–B)"}));
    QVERIFY(!m_window->state().measured().empty());
    QTest::mouseClick(lanes, Qt::LeftButton, {}, step);
    QTRY_VERIFY(m_window->state().step().valid());
    QVERIFY(settled());
    QVERIFY(!selectedIn(menuOf(*lanes, step)).contains("Selected scope"));
    // A box of the flame graph stands for many slices: a click in it selects none of them.
    auto* flames = m_window->currentView()->findChild<plot::FlameGraph*>();
    QVERIFY(flames);
    showTabOf(*flames);
    QVERIFY(settled());
    const Offered ofFlames = menuOf(*flames, flames->rect().center());
    QVERIFY2(selectedIn(ofFlames).isEmpty() && ofFlames.entries.contains("Copy image"), qPrintable(ofFlames.entries.join(", ")));
  }

  // Views select a row at first; that is no choice of the user.
  void nothingIsSelectedBeforeAChoice() {
    QVERIFY(open({fileOf(m_a)}));
    for (const char* view : {"operations", "program", "liveness", "trace", "memory"}) QVERIFY(show(view));
    QVERIFY(!m_window->state().step().valid() && !m_window->state().operation().valid());
    QWidget* plot = nullptr;
    for (auto* candidate : m_window->currentView()->findChildren<QWidget*>())
      if (!plot && candidate->isVisible() && candidate->property("picture").toBool()) plot = candidate;
    QVERIFY(plot);
    QCOMPARE(selectedIn(menuOf(*plot, plot->rect().center())), QStringList());
  }

  void categoriesAndRegionsLeadOn() {
    QVERIFY(open({fileOf(m_a)}) && show("memory"));
    const auto* details = named<tables::TreeView>("Memory of the selected tiles");
    QVERIFY(details);
    QTRY_VERIFY(details->model()->rowCount() > 0);
    const auto& model = *qobject_cast<const tables::TreeModel*>(details->model());
    std::map<Thing, int> found;
    const std::function<void(const QModelIndex&)> walk = [&](const QModelIndex& parent) {
      for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex at = model.index(row, 0, parent);
        for (const auto& subject : model.aboutRow(at)) {
          ++found[subject.thing];
          if (subject.thing == Thing::Category || subject.thing == Thing::Region)
            QCOMPARE(QString::fromStdString(subject.name), at.data().toString());
        }
        walk(at);
      }
    };
    walk({});
    QVERIFY(found[Thing::Category] > 0 && found[Thing::Region] > 0);
    QVERIFY(show("liveness"));
    auto* shrink = named<tables::TableView>("The peak by category");
    QVERIFY(shrink);
    QTRY_VERIFY(shrink->rows().rowCount() > 1);
    int row = shrink->rows().rowCount() - 1;
    QCOMPARE(shrink->rows().aboutRow(row).size(), std::size_t(1));
    for (int r = 0; r < shrink->rows().rowCount(); ++r)
      if (const auto about = shrink->rows().aboutRow(r); !about.empty() && about.front().name == "Variables") row = r;
    const QString category = shrink->rows().index(row, 0).data().toString();
    showTabOf(*shrink);
    shrink->selectRow(row);
    shrink->setFocus();
    QContextMenuEvent byKey(QContextMenuEvent::Keyboard, {}, {});
    QCoreApplication::sendEvent(shrink, &byKey);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu);
    QStringList ways;
    for (QAction* action : menu->actions())
      if (action->text().startsWith("Show in ")) ways << action->text();
    QCOMPARE(ways, QStringList({"Show in Memory", "Show in Liveness", "Show in Query"}));
    menu->actions().front()->trigger();
    menu->close();
    QTRY_COMPARE(m_window->state().view(), QString("memory"));
    QVERIFY(settled());
    QCOMPARE(category, QString("Variables"));
    auto* largest = named<tables::TableView>("Largest variables");
    auto* filtered = largest ? qobject_cast<tables::FilteredTable*>(largest->parentWidget()) : nullptr;
    QVERIFY(filtered);
    QTRY_COMPARE(filtered->filter().text(), QString("category = \"Variables\""));
    QTRY_VERIFY(largest->isVisible() && largest->rows().shownRows() > 0);
  }

  void aTileOfTwoReportsLeadsToEach() {
    QVERIFY(open({fileOf(m_a), fileOf(m_b)}) && show("compare"));
    plot::StepPlot* memory = nullptr;
    for (auto* candidate : m_window->currentView()->findChildren<plot::StepPlot*>())
      if (candidate->accessibleName() == "Memory per tile of both reports") memory = candidate;
    QVERIFY(memory);
    showTabOf(*memory);
    QVERIFY(settled());
    m_window->state().setTiles({reports::TileId(std::size_t(3))});
    const Offered offered = menuOf(*memory, memory->rect().center(), "Tile 3 in B", "Show in Memory");
    QVERIFY2(offered.entries.contains("Tile 3 in A"), qPrintable(offered.entries.join(", ")));
    QTRY_COMPARE(m_window->state().view(), QString("memory"));
    QCOMPARE(m_window->state().shown(), shell::Shown::Other);
    QCOMPARE(m_window->state().tiles(), std::vector<reports::TileId>{reports::TileId(std::size_t(3))});
  }

  // A page that scrolls moves its tabs under the pointer, and the next notch switched to another tab.
  void theWheelNeverSwitchesTabs() {
    QVERIFY(open({fileOf(m_a)}));
    int bars = 0;
    for (const char* view : {"insights", "memory", "liveness", "program", "operations", "trace", "host", "query", "run"}) {
      QVERIFY2(show(view), view);
      for (auto* bar : m_window->findChildren<QTabBar*>()) {
        if (!bar->isVisible() || bar->count() < 2) continue;
        for (const bool hasFocus : {false, true}) {
          if (hasFocus) bar->setFocus();
          const int before = bar->currentIndex();
          const QPointF at = bar->rect().center();
          for (const int delta : {-120, 120}) {
            QWheelEvent wheel(at, bar->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
            QApplication::sendEvent(bar, &wheel);
            QVERIFY2(!wheel.isAccepted(), view); // the page gets it
            QCOMPARE(bar->currentIndex(), before);
          }
        }
        ++bars;
      }
    }
    QVERIFY(bars >= 8);
  }
};

TILESCOPE_TEST(SelectionMenusTest)
#include "selection_menus_test.moc"
