// From a row of any table to what it is about, with mouse and keys on the real window: the menu of a row, its keys, the comparison, a link.
// TILESCOPE_PICTURES=FOLDER keeps a screenshot of each menu and of where it led.
#include "reports/sqlite/connection.h"
#include "reports/sqlite/statement.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/page.h"
#include "ui/plot/bar_list.h"
#include "ui/plot/timeline.h"
#include "ui/state/settings.h"
#include "ui/state/view_link.h"
#include "ui/tables/table_view.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDir>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace ui;

class RowWaysTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_a{{.ipus = 1, .tilesPerIpu = 8, .operations = 4}},
      m_b{{.ipus = 1, .tilesPerIpu = 8, .operations = 4, .scale = 2}};
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::MainWindow> m_window;

  static QString fileOf(const tests::TinyReport& report) { return QString::fromStdString(report.path().string()); }
  static int64_t sql(const tests::TinyReport& report, const std::string& query) {
    reports::Connection db(report.path(), reports::Connection::Mode::ReadImmutable);
    reports::Statement statement(db, query);
    return statement.step() ? std::get<int64_t>(statement.value(0)) : -1;
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
  void picture(const QString& name) const {
    const QString folder = qEnvironmentVariable("TILESCOPE_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    for (const bool dark : {false, true}) {
      const_cast<theme::Theme&>(m_theme).setScheme(dark ? theme::Scheme::Dark : theme::Scheme::Light);
      QCoreApplication::processEvents();
      QPixmap all = m_window->grab();
      if (QWidget* menu = QApplication::activePopupWidget()) {
        QPainter painter(&all);
        painter.drawPixmap(m_window->mapFromGlobal(menu->pos()), menu->grab());
      }
      all.save(QStringLiteral("%1/%2-%3.png").arg(folder, name, dark ? "dark" : "light"));
    }
  }
  template<class T> T* named(const QString& name) const {
    for (T* candidate : m_window->currentView()->findChildren<T*>())
      if (candidate->accessibleName() == name) return candidate;
    return nullptr;
  }
  // Shows the tab with the table, and the row in sight.
  static QPoint placeOf(QAbstractItemView& view, const QModelIndex& at) {
    for (QWidget* inner = &view; inner; inner = inner->parentWidget())
      if (auto* tabs = qobject_cast<QTabWidget*>(inner))
        for (int i = 0; i < tabs->count(); ++i)
          if (tabs->widget(i)->isAncestorOf(&view)) tabs->setCurrentIndex(i);
    view.scrollTo(at);
    return view.visualRect(at).center();
  }
  // A right click, as the window system sends it.
  static QMenu* menuOf(QAbstractItemView& view, const QModelIndex& at) {
    const QPoint place = placeOf(view, at);
    QTest::mouseClick(view.viewport(), Qt::RightButton, {}, place);
    QContextMenuEvent asked(QContextMenuEvent::Mouse, place, view.viewport()->mapToGlobal(place));
    QCoreApplication::sendEvent(view.viewport(), &asked);
    return qobject_cast<QMenu*>(QApplication::activePopupWidget());
  }
  static QStringList entries(const QMenu* menu) {
    QStringList texts;
    for (const QAction* action : menu->actions())
      if (!action->isSeparator()) texts << action->text();
    return texts;
  }
  bool choose(QMenu* menu, const QString& text) const {
    for (QAction* action : menu->actions())
      if (action->text() == text) {
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        return true;
      }
    menu->close();
    return false;
  }
  bool arrives(const QString& view) const {
    return QTest::qWaitFor([&] { return m_window->state().view() == view; }) && settled();
  }

private slots:
  void initTestCase() {
    if (qEnvironmentVariableIsSet("TILESCOPE_PICTURES")) m_theme.apply(*qApp);
  }
  void init() {
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath("ways.ini"));
    shell::ViewList list;
    for (const char* id :
         {"home", "summary", "insights", "memory", "liveness", "program", "operations", "trace", "host", "query", "compare"})
      list.push_back(tests::listed(QString::fromLatin1(id)));
    m_window = std::make_unique<shell::MainWindow>(m_theme, *m_settings, list);
    m_window->resize(1280, 800);
    m_window->show();
  }
  void cleanup() {
    m_window.reset();
    QFile::remove(m_folder.filePath("ways.ini"));
  }

  // One variable from Memory through all views; each shows what SQL says of it.
  void aVariableLeadsEverywhere() {
    QVERIFY(open({fileOf(m_a)}) && show("memory"));
    auto* largest = named<tables::TableView>("Largest variables");
    QVERIFY(largest);
    // One that is born during the program and has an operation.
    const int64_t variable =
        sql(m_a, "SELECT v.id FROM variable v JOIN operation o ON o.debug_context_id = v.debug_context_id "
                 "WHERE v.always_live = 0 AND v.live_interval_count > 0 ORDER BY v.total_bytes DESC LIMIT 1");
    QVERIFY(variable >= 0);
    QTRY_VERIFY(largest->rows().rowOfId(variable) > 0);
    QMenu* menu = menuOf(*largest, largest->rows().index(largest->rows().rowOfId(variable), 0));
    QVERIFY(menu);
    const QStringList expected{"Show in Memory",
                               "Show in Liveness",
                               "Show in Program",
                               "Show in Operations",
                               "Show in Trace",
                               "Show in Query",
                               "Copy link",
                               "Only rows with this value",
                               "Copy cell",
                               "Copy rows as CSV",
                               "Copy rows as Markdown",
                               "Copy rows as JSON",
                               "Save table…",
                               "Columns…"};
    QCOMPARE(entries(menu), expected); // nothing to compare with
    picture("variable-menu");
    QVERIFY(choose(menu, "Show in Operations") && arrives("operations"));
    const int64_t operation = sql(m_a, "SELECT o.id FROM variable v JOIN operation o ON o.debug_context_id = v.debug_context_id "
                                       "WHERE v.id = " +
                                           std::to_string(variable));
    QCOMPARE(int64_t(m_window->state().operation().value()), operation);
    QVERIFY(!m_window->currentView()->selectionText().isEmpty());
    picture("variable-in-operations");

    // By key from the table of operations: Ctrl and the digit of the view.
    auto* operations = named<tables::TableView>("Operations");
    operations->setFocus();
    const std::vector<int64_t> chosen = operations->selectedIds();
    QVERIFY(!chosen.empty());
    QTest::keyClick(operations, Qt::Key_5, Qt::ControlModifier);
    QVERIFY(arrives("program"));
    QVERIFY(m_window->state().step().valid());
    const int64_t step = int64_t(m_window->state().step().value());

    // A step of the tree: its menu by key, and the step in Liveness.
    auto* tree = named<tables::TreeView>("Program");
    tree->setFocus();
    QContextMenuEvent byKey(QContextMenuEvent::Keyboard, {}, {});
    QCoreApplication::sendEvent(tree, &byKey);
    auto* treeMenu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(treeMenu && entries(treeMenu).contains("Show in Liveness"));
    QVERIFY(choose(treeMenu, "Show in Liveness") && arrives("liveness"));
    QCOMPARE(int64_t(m_window->state().step().value()), step);
    QTRY_VERIFY(m_window->currentView()->selectionText().startsWith(
        "Step " + QString::number(sql(m_a, "SELECT liveness_step FROM program_step WHERE id = " + std::to_string(step)))));

    // Query runs the query of the row, and a row of its result leads on.
    QVERIFY(show("memory"));
    menu = menuOf(*largest, largest->rows().index(largest->rows().rowOfId(variable), 0));
    QVERIFY(menu && choose(menu, "Show in Query") && arrives("query"));
    auto* result = named<tables::TableView>("Result of the query");
    QTRY_VERIFY(result->rows().rowCount() > 0);
    picture("variable-in-query");
    QMenu* ofResult = menuOf(*result, result->rows().index(result->rows().rowCount() - 1, 0));
    QVERIFY(ofResult && choose(ofResult, "Show in Liveness") && arrives("liveness"));
    QCOMPARE(int64_t(m_window->state().variable().value()), variable);
    // Alt+Left leads back in one step.
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QTest::keyClick(m_window.get(), Qt::Key_Left, Qt::AltModifier);
    QVERIFY(arrives("query"));
  }

  void vertexTypesAndTilesLeadOn() {
    QVERIFY(open({fileOf(m_a)}) && show("memory"));
    auto* vertices = named<tables::TableView>("Vertices by type");
    QTRY_VERIFY(vertices->rows().rowCount() > 1);
    const QString type = vertices->rows().index(vertices->rows().rowCount() - 1, 0).data().toString();
    QMenu* menu = menuOf(*vertices, vertices->rows().index(vertices->rows().rowCount() - 1, 0));
    QVERIFY(menu);
    picture("vertex-type-menu");
    QVERIFY(choose(menu, "Show in Operations") && arrives("operations"));
    auto* operations = named<tables::TableView>("Operations");
    QTRY_COMPARE(operations->rows().shownRows(), 1);
    QCOMPARE(operations->rows().index(operations->rows().rowCount() - 1, 0).data().toString(), type);
    picture("vertex-type-in-operations");
    // Its costliest step runs it.
    QMenu* again = menuOf(*operations, operations->rows().index(operations->rows().rowCount() - 1, 0));
    QVERIFY(again && choose(again, "Show in Program") && arrives("program"));
    const std::string step = std::to_string(m_window->state().step().value());
    QVERIFY(sql(m_a, "SELECT count(*) FROM program_step s JOIN compute_set_vertices u ON u.compute_set_id = s.compute_set_id "
                     "JOIN vertex_type t ON t.id = u.vertex_type_id JOIN string n ON n.id = t.name_id WHERE s.id = " +
                         step + " AND n.text = '" + type.toStdString() + "'") > 0);

    QVERIFY(show("memory"));
    auto* tiles = named<tables::TableView>("Memory of each tile");
    placeOf(*tiles, {});
    QTRY_VERIFY(tiles->rows().rowOfId(5) > 0);
    menu = menuOf(*tiles, tiles->rows().index(tiles->rows().rowOfId(5), 0));
    QVERIFY(menu && !entries(menu).contains("Show in Program")); // a tile is not a step
    QVERIFY(choose(menu, "Show in Liveness") && arrives("liveness"));
    QCOMPARE(m_window->state().tiles(), std::vector<reports::TileId>{reports::TileId(std::size_t(5))});
    auto* scope = named<QComboBox>("Scope");
    QTRY_COMPARE(scope->currentData().toString(), QString("tiles"));
  }

  // Names counted in the trace are steps and operations; any table keeps only the rows with a value of a cell.
  void namesOfTheTraceLeadOn() {
    using analyser::columns::Thing;
    QVERIFY(open({fileOf(m_a)}) && show("trace"));
    auto* statistics = named<tables::TableView>("Statistics by name");
    placeOf(*statistics, {});
    QTRY_VERIFY(statistics->rows().rowCount() > 3);
    const auto rowOf = [&](Thing thing) {
      for (int row = 0; row < statistics->rows().rowCount(); ++row)
        if (const auto about = statistics->rows().aboutRow(row); !about.empty() && about.front().thing == thing) return row;
      return -1;
    };
    QVERIFY(rowOf(Thing::Operation) >= 0 && rowOf(Thing::Step) >= 0);
    const int64_t step = statistics->rows().aboutRow(rowOf(Thing::Step)).front().id;
    QCOMPARE(sql(m_a, "SELECT count(*) FROM program_step WHERE id = " + std::to_string(step)), int64_t(1));
    QMenu* menu = menuOf(*statistics, statistics->rows().index(rowOf(Thing::Step), 1)); // its activity
    QVERIFY(menu);
    picture("trace-statistics-menu");
    const QString activity = statistics->rows().index(rowOf(Thing::Step), 1).data().toString();
    QVERIFY(choose(menu, "Only rows with this value"));
    QVERIFY(statistics->rows().shownRows() > 0 && statistics->rows().shownRows() < statistics->rows().total());
    for (int row = 0; row < statistics->rows().rowCount(); ++row)
      QCOMPARE(statistics->rows().index(row, 1).data().toString(), activity);
    QMenu* again = menuOf(*statistics, statistics->rows().index(rowOf(Thing::Step), 0));
    const int64_t asked = statistics->rows().aboutRow(rowOf(Thing::Step)).front().id;
    QVERIFY(again && choose(again, "Show in Program") && arrives("program"));
    QCOMPARE(int64_t(m_window->state().step().value()), asked);
  }

  // A label of the host leads to its slices, in a list and in SQL.
  void labelsOfTheHostLeadOn() {
    QVERIFY(open({fileOf(m_a)}) && show("host"));
    auto* labels = named<tables::TableView>("Statistics by label");
    QTRY_VERIFY(labels->rows().rowCount() > 1);
    const QModelIndex first = labels->rows().index(0, 0);
    const QString label = first.data(tables::PlainRole).toString();
    const int64_t count = sql(m_a, "SELECT count(*) FROM string WHERE text = '" + label.toStdString() + "'");
    QCOMPARE(count, int64_t(1));
    labels->setCurrentIndex(first);
    QMenu* menu = menuOf(*labels, first);
    QVERIFY(menu && entries(menu).contains("Find its next slice"));
    picture("host-label-menu");
    QVERIFY(choose(menu, "List its slices") && settled());
    auto* slices = named<tables::TableView>("Slices of the range");
    QTRY_VERIFY(slices->rows().shownRows() > 0);
    for (int row = 0; row < slices->rows().rowCount(); ++row)
      if (slices->rows().idAt(row) >= 0) QCOMPARE(slices->rows().index(row, 0).data(tables::PlainRole).toString(), label);
    QMenu* ofSlice = menuOf(*slices, slices->rows().index(slices->rows().rowCount() - 1, 0));
    QVERIFY(ofSlice && choose(ofSlice, "Show its slices in Query"));
    QVERIFY(arrives("query"));
    auto* result = named<tables::TableView>("Result of the query");
    QTRY_VERIFY(result->rows().shownRows() > 0);
  }

  // A variable that differs is shown in either report, and from either report in the comparison.
  void aRowOfTwoReportsLeadsToEach() {
    QVERIFY(open({fileOf(m_a), fileOf(m_b)}) && show("compare"));
    auto* variables = named<tables::TableView>("Variables that differ");
    QTRY_VERIFY(variables->rows().rowCount() > 1);
    const QModelIndex first = variables->rows().index(variables->rows().rowCount() - 1, 0);
    const QString name = first.data().toString();
    QMenu* menu = menuOf(*variables, first);
    QVERIFY(menu);
    QCOMPARE(entries(menu).mid(0, 2), QStringList({"Variable in A", "Variable in B"}));
    picture("two-reports-menu");
    QMenu* inB = menu->actions()[1]->menu();
    QVERIFY(inB);
    QAction* memory = inB->actions().front();
    QCOMPARE(memory->text(), QString("Show in Memory"));
    memory->trigger();
    menu->close();
    QVERIFY(arrives("memory"));
    QCOMPARE(m_window->state().shown(), shell::Shown::Other);
    const std::string id = std::to_string(m_window->state().variable().value());
    QCOMPARE(sql(m_b, "SELECT count(*) FROM variable v JOIN string s ON s.id = v.name_id WHERE v.id = " + id + " AND s.text = '" +
                          name.toStdString() + "'"),
             1);
    picture("variable-of-b-in-memory");
    auto* largest = named<tables::TableView>("Largest variables");
    QTRY_VERIFY(largest->rows().rowOfId(int64_t(m_window->state().variable().value())) > 0);
    placeOf(*largest, {});
    largest->selectIds({int64_t(m_window->state().variable().value())});
    largest->setFocus();
    QVERIFY(largest->currentIndex().isValid());
    QTest::keyClick(largest, Qt::Key_0, Qt::ControlModifier);
    QVERIFY2(arrives("compare"), qPrintable(m_window->message()));
    QCOMPARE(m_window->state().shown(), shell::Shown::Difference);
    QTRY_VERIFY(variables->isVisible() && variables->rows().shownRows() == 1);
    QCOMPARE(variables->rows().index(variables->rows().rowCount() - 1, 0).data().toString(), name);
    picture("compared");
  }

  // The menu of a plot leads on from the selection in it.
  void aSliceOfTheTraceLeadsOn() {
    QVERIFY(open({fileOf(m_a)}) && show("trace"));
    auto* trace = named<plot::Timeline>("Execution trace");
    QVERIFY(trace);
    QTRY_VERIFY(!trace->isBusy());
    QPoint slice;
    for (int y = trace->height() - 4; y > 0 && slice.isNull(); y -= 4)
      for (int x = 200; x < trace->width(); x += 8)
        if (trace->hitAt({x, y})) {
          slice = {x, y};
          break;
        }
    QVERIFY(!slice.isNull());
    QTest::mouseClick(trace, Qt::LeftButton, {}, slice);
    QTRY_VERIFY(m_window->state().step().valid());
    QVERIFY(settled());
    QStringList offered;
    QTimer::singleShot(0, this, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (!menu) return;
      picture("trace-menu");
      for (QAction* action : menu->actions()) {
        offered << action->text();
        if (action->text() == "Selected step")
          for (QAction* way : action->menu()->actions())
            if (way->text() == "Show in Liveness") way->trigger();
      }
      menu->close();
    });
    QContextMenuEvent asked(QContextMenuEvent::Mouse, slice, trace->mapToGlobal(slice));
    QCoreApplication::sendEvent(trace, &asked);
    QVERIFY2(offered.contains("Selected step") && offered.contains("Copy image"), qPrintable(offered.join(", ")));
    QVERIFY(arrives("liveness"));
  }

  // A bar of the costliest plans selects its operation, also if another one was selected.
  void aPlanOfTheSummaryIsSelected() {
    QVERIFY(open({fileOf(m_a)}) && show("operations"));
    const int64_t wanted = sql(m_a, "SELECT o.id FROM plan p JOIN debug_context c ON c.id = p.debug_context_id "
                                    "JOIN operation o ON o.debug_context_id IN (c.id, c.parent_id) "
                                    "ORDER BY p.predicted_cycles DESC, p.id LIMIT 1");
    QVERIFY(wanted >= 0);
    auto* operations = named<tables::TableView>("Operations");
    for (int row = 0; row < operations->rows().rowCount(); ++row)
      if (const int64_t id = operations->rows().idAt(row);
          id >= 0 && id != wanted && operations->selectedIds() != std::vector{id}) {
        QTest::mouseClick(operations->viewport(), Qt::LeftButton, {}, placeOf(*operations, operations->rows().index(row, 0)));
        break;
      }
    QVERIFY(m_window->state().operation().valid() && int64_t(m_window->state().operation().value()) != wanted);
    QVERIFY(show("summary"));
    auto* plans = named<plot::BarList>("Costliest plans");
    QVERIFY(plans && plans->isVisible());
    plans->setFocus();
    QTest::keyClick(plans, Qt::Key_Home);
    QTest::keyClick(plans, Qt::Key_Return);
    QVERIFY(arrives("operations"));
    QCOMPARE(int64_t(m_window->state().operation().value()), wanted);
    const auto selected = operations->selectedIds();
    QCOMPARE(selected, std::vector<int64_t>{wanted}); // rows of a tiny report are its operations, in their order
  }

  void aLinkToARowIsCopied() {
    QVERIFY(open({fileOf(m_a)}) && show("program"));
    auto* tree = named<tables::TreeView>("Program");
    tree->setFocus();
    QTRY_VERIFY(tree->currentIndex().isValid());
    QGuiApplication::clipboard()->clear();
    QTest::keyClick(tree, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(QGuiApplication::clipboard()->text().startsWith("tilescope:"));
    const auto link = shell::parseLink(QGuiApplication::clipboard()->text());
    QVERIFY(link && link->place.view == "program" && link->place.step.valid());
    QCOMPARE(link->reports, QStringList{fileOf(m_a)});
    // The cell.
    QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_COMPARE(QGuiApplication::clipboard()->text(), tree->currentIndex().data(tables::PlainRole).toString());
  }

  // A right click on a slice of the trace selects it: the menu is about what is under the pointer.
  void theMenuOfASliceIsAboutIt() {
    QVERIFY(open({fileOf(m_a)}) && show("trace"));
    auto* lanes = named<plot::Timeline>("Execution trace");
    QVERIFY(lanes);
    std::optional<QPoint> place; // of the lowest slice: a step
    for (int y = 0; y < lanes->height(); y += 4)
      for (int x = 0; x < lanes->width(); x += 3)
        if (const auto hit = lanes->hitAt({x, y}); hit && hit->slice.id != lanes->selectedId()) place = QPoint(x, y);
    QVERIFY(place);
    const auto slice = lanes->hitAt(*place)->slice.id;
    QStringList offered;
    QTimer close;
    connect(&close, &QTimer::timeout, this, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (!menu) return;
      offered = entries(menu);
      menu->close();
    });
    close.start(10);
    QContextMenuEvent asked(QContextMenuEvent::Mouse, *place, lanes->mapToGlobal(*place));
    QCoreApplication::sendEvent(lanes, &asked);
    QTRY_VERIFY(!offered.isEmpty());
    QCOMPARE(lanes->selectedId(), slice);
    QVERIFY2(offered.contains("Selected step") && offered.contains("Copy image"), qPrintable(offered.join(", ")));
  }
};

TILESCOPE_TEST(RowWaysTest)
#include "row_ways_test.moc"
