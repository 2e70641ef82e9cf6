// The page Query: its text belongs to the report and to links, and its plot first shows measured columns (not ids).
#include "analyser/query/query.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/plot/timeline.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/views/query/result_plot.h"
#include "ui/views/query/result_timeline.h"
#include "ui/window/main_window.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;
using tests::listed;

class QueryViewTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_one{{.ipus = 1, .tilesPerIpu = 8, .operations = 4}}, m_two{{.ipus = 1, .tilesPerIpu = 4}};
  const QString m_query = "SELECT id, id % 7 AS rest\nFROM operation -- of \"100 %\" & more + ü";

  static QString file(const tests::TinyReport& report) { return QString::fromStdString(report.path().string()); }
  static shell::ViewList views() { return {listed("summary"), listed("query")}; }
  static bool settled(shell::MainWindow& window) {
    return QTest::qWaitFor([&] { return !window.isOpening() && window.currentView() && !window.currentView()->isBusy(); }, 20000);
  }
  static bool open(shell::MainWindow& window, const tests::TinyReport& report) {
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({file(report)});
    return QTest::qWaitFor([&] { return finished.count() > 0; }, 20000) && settled(window);
  }
  template<class T> static T* child(shell::MainWindow& window, const QString& name) {
    for (T* candidate : window.currentView()->template findChildren<T*>())
      if (candidate->accessibleName() == name) return candidate;
    return nullptr;
  }
  static QPlainTextEdit* sql(shell::MainWindow& window) { return child<QPlainTextEdit>(window, "SQL"); }
  static int rows(shell::MainWindow& window) { return child<tables::TableView>(window, "Result of the query")->rows().total(); }
  static bool ask(shell::MainWindow& window, const QString& query) {
    window.showView("query");
    if (!settled(window)) return false;
    sql(window)->setPlainText(query);
    QTest::keyClick(sql(window), Qt::Key_Return, Qt::ControlModifier);
    return settled(window);
  }

private slots:
  void aLinkHasTheQuery() {
    shell::Settings settings(m_folder.filePath("one.ini")), others(m_folder.filePath("two.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(open(window, m_one));
    QVERIFY(ask(window, m_query));
    QVERIFY(rows(window) > 0);
    child<QTabWidget>(window, "Result")->setCurrentIndex(1);
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier);
    const QString text = QGuiApplication::clipboard()->text();

    shell::MainWindow second(m_theme, others, views());
    second.show();
    QSignalSpy finished(&second, &shell::MainWindow::openFinished);
    second.openLink(*shell::parseLink(text));
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(settled(second));
    QTRY_COMPARE(sql(second)->toPlainText(), m_query);
    QCOMPARE(child<QTabWidget>(second, "Result")->currentIndex(), 1);
    // The query does not run by itself: the author of the link may be hostile.
    QVERIFY(settled(second));
    QVERIFY(!second.currentView()->isBusy());
    QCOMPARE(rows(second), 0);
    const auto labels = second.currentView()->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* l) { return l->text().contains("Ctrl+Enter runs it"); }));
    QTest::keyClick(sql(second), Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE(rows(second), rows(window));
  }

  void eachReportHasItsOwnQuery() {
    shell::Settings settings(m_folder.filePath("own.ini"));
    QString first;
    {
      shell::MainWindow window(m_theme, settings, views());
      window.show();
      QVERIFY(open(window, m_one));
      window.showView("query");
      QVERIFY(settled(window));
      first = sql(window)->toPlainText();
      QVERIFY(ask(window, m_query));
      QVERIFY(open(window, m_two)); // never opened before
      window.showView("query");
      QVERIFY(settled(window));
      QCOMPARE(sql(window)->toPlainText(), first);
      QCOMPARE(rows(window), 0); // the query has not run
      QVERIFY(ask(window, "SELECT 2 AS two"));
      window.close();
    }
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(open(window, m_one));
    window.showView("query");
    QVERIFY(settled(window));
    QTRY_COMPARE(sql(window)->toPlainText(), m_query);
    QVERIFY(open(window, m_two));
    window.showView("query");
    QVERIFY(settled(window));
    QTRY_COMPARE(sql(window)->toPlainText(), QString("SELECT 2 AS two"));
    QCOMPARE(rows(window), 0); // the query has not run again
  }

  void aVeryLongQueryStaysOutOfTheLinkAndTheLinkWorks() {
    shell::Settings settings(m_folder.filePath("long.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(open(window, m_one));
    QVERIFY(ask(window, "SELECT 1 -- " + QString(200'000, 'x')));
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier);
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY(shell::parseLink(text));
    QVERIFY(text.size() < 20'000);
    QVERIFY2(window.message().contains("SQL"), qPrintable(window.message())); // it says so
  }

  // A result with begins and durations is drawn as slices; a click on one selects its row. Other results are not.
  void slicesOfAResultAreATimeline() {
    shell::Settings settings(m_folder.filePath("slices.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.resize(1280, 800);
    window.show();
    QVERIFY(open(window, m_one));
    QVERIFY(ask(window, "SELECT name, start_tick, duration_ticks, depth AS track FROM slice WHERE track_id = 0 AND depth > 0"));
    child<QTabWidget>(window, "Result")->setCurrentIndex(2);
    auto* timeline = child<plot::Timeline>(window, "Rows of the query as slices");
    QVERIFY(timeline && timeline->isVisible());
    QVERIFY(QTest::qWaitFor([&] { return !timeline->isBusy() && timeline->rows().tracks().size() == 2; }));
    std::optional<QPoint> place;
    for (int y = 0; y < timeline->height() && !place; y += 4)
      for (int x = 200; x < timeline->width() && !place; x += 7)
        if (timeline->hitAt({x, y})) place = QPoint(x, y);
    QVERIFY(place);
    const plot::Slice drawn = timeline->hitAt(*place)->slice;
    QTest::mouseClick(timeline, Qt::LeftButton, {}, *place);
    auto& table = child<tables::TableView>(window, "Result of the query")->rows();
    const auto& row = table.table()->rows[std::size_t(drawn.id)];
    QCOMPARE(std::get<int64_t>(row.cells[1]), drawn.begin);
    QCOMPARE(std::get<int64_t>(row.cells[2]), drawn.end - drawn.begin);
    QCOMPARE(std::get<QString>(row.cells[0]), drawn.label);
    QVERIFY(ask(window, "SELECT id, text FROM string"));
    QVERIFY(!timeline->isVisible());
  }
  // Rows that cannot be drawn, or only together with others, are counted.
  void rowsThatAreNoSlicesAreTold() {
    analyser::query::Result result;
    result.columns = {"start_ns", "end_ns"};
    const auto add = [&](analyser::query::Value begin, analyser::query::Value end) { result.rows.push_back({begin, end}); };
    for (int64_t i = 0; i < 70; ++i) add(i, int64_t(1000));
    add(analyser::query::Null(), int64_t(5)), add(int64_t(9), int64_t(5)), add(std::string("x"), int64_t(5));
    add(int64_t(0), std::numeric_limits<int64_t>::max()), add(std::numeric_limits<int64_t>::min(), int64_t(5));
    theme::Theme theme;
    jobs::JobBoard jobs;
    query::ResultTimeline shown(theme, jobs);
    shown.resize(800, 600);
    shown.setSlices(shell::resultSlices(result, {}));
    shown.show();
    const QString note = shown.findChild<QLabel*>()->text();
    QVERIFY2(note.startsWith("5 of 75 rows are not drawn") && note.contains(": 6 are grouped"), qPrintable(note));
    QCOMPARE(shown.timeline().rows().tracks().front().lanes, 64);
    QCOMPARE(shown.timeline().extent(), (reports::TickRange{0, 1000}));
    result.rows.erase(result.rows.begin(), result.rows.begin() + 70);
    shown.setSlices(shell::resultSlices(result, {}));
    QVERIFY(!shown.timeline().isVisible());
    // The same column is cycles of an IPU and nanoseconds of a thread.
    analyser::query::Result ticks;
    ticks.columns = {"track_id", "start_tick", "duration_ticks"};
    const shell::HostTracks tracks{{0, false}, {1, true}};
    using Unit = shell::SpanColumns::Unit;
    ticks.rows = {{int64_t(0), int64_t(1), int64_t(2)}};
    QVERIFY(shell::spanColumns(ticks, tracks)->unit == Unit::Cycles);
    ticks.rows[0][0] = int64_t(1);
    QVERIFY(shell::spanColumns(ticks, tracks)->unit == Unit::Nanoseconds);
    ticks.rows.push_back({int64_t(0), int64_t(1), int64_t(2)});
    QVERIFY(shell::spanColumns(ticks, tracks)->unit == Unit::Unknown);
    result.columns = {"start", "duration"};
    QVERIFY(shell::spanColumns(result, {})->unit == shell::SpanColumns::Unit::Unknown);
    result.columns = {"id", "name"};
    QVERIFY(!shell::resultSlices(result, {}));
  }

  void thePlotBeginsWithWhatWasMeasured() {
    const auto drawn = [this](const std::vector<std::string>& columns, const std::vector<std::vector<int64_t>>& rows) {
      auto result = std::make_shared<analyser::query::Result>();
      result->columns = columns;
      for (const auto& row : rows) {
        auto& cells = result->rows.emplace_back();
        for (const int64_t value : row) cells.push_back(value);
      }
      query::ResultPlot plot(m_theme);
      plot.setResult(result);
      QStringList chosen;
      for (const auto* box : plot.findChildren<QComboBox*>())
        if (box->accessibleName() != "as") chosen << box->currentText();
      return chosen.join(" over ");
    };
    const QString inOrder = " over the rows in their order";
    QCOMPARE(drawn({"id", "operation_id", "cycles"}, {{1, 3, 70}, {2, 1, 50}}), "cycles over id");
    QCOMPARE(drawn({"tile", "ipu", "executions", "bytes"}, {{9, 0, 2, 70}, {4, 0, 2, 50}}), "bytes" + inOrder);
    QCOMPARE(drawn({"bytes", "tile"}, {{50, 9}, {70, 4}}), "bytes" + inOrder);   // not the tile, though bytes rise
    QCOMPARE(drawn({"tile", "ordinal"}, {{1, 4}, {2, 3}}), "ordinal over tile"); // nothing else is there
    QCOMPARE(drawn({"id"}, {{1}, {2}}), "id" + inOrder);
  }
};

TILESCOPE_TEST(QueryViewTest)
#include "query_view_test.moc"
