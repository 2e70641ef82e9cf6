// Questions that performance engineers ask, answered in the real window with mouse and keys; SQL on the same report checks each answer.
// TILESCOPE_PICTURES=FOLDER keeps a set of pictures.
#include "tests/support/test_main.h"
#include "tests/ui/views/real_window.h"
#include "ui/parts/elided_label.h"
#include "ui/plot/step_plot.h"
#include "ui/state/view_link.h"
#include "ui/views/liveness/liveness_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QTabWidget>

using namespace ui;

class AnswerStoriesTest : public QObject, tests::RealWindow {
  Q_OBJECT

  QString m_report; // of one IPU, with a backward pass

  // The lines of the tree of debug information, "what: value".
  QStringList lines(const QString& tree) const {
    QStringList texts;
    const auto* view = named<tables::TreeView>(tree);
    if (!view) return texts;
    const std::function<void(const QModelIndex&)> add = [&](const QModelIndex& parent) {
      for (int row = 0; row < view->model()->rowCount(parent); ++row) {
        const QModelIndex at = view->model()->index(row, 0, parent);
        texts << plain(at.data().toString() + ": " + at.siblingAtColumn(1).data(tables::PlainRole).toString());
        add(at);
      }
    };
    add({});
    return texts;
  }
  static void drag(QWidget* plot, const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers) {
    QTest::mousePress(plot, Qt::LeftButton, modifiers, from);
    for (const QPoint& at : {(from + to) / 2, to}) {
      QMouseEvent move(QEvent::MouseMove, QPointF(at), plot->mapToGlobal(QPointF(at)), Qt::NoButton, Qt::LeftButton, modifiers);
      QCoreApplication::sendEvent(plot, &move);
    }
    QTest::mouseRelease(plot, Qt::LeftButton, modifiers, to);
  }

private slots:
  void initTestCase() {
    if (!hasCli()) QSKIP("tilescope-cli is not built");
    m_report = made("today.tsr", {"mnist-train", "--set", "batch=256"});
    QVERIFY(!m_report.isEmpty());
  }
  void cleanupTestCase() { qunsetenv("TILESCOPE_CLI"); }
  void init() { makeWindow(); }
  void cleanup() { closeWindow(); }

  // (a) The variable that made a tile fuller than yesterday, and where it is made: five actions.
  void whatMadeATileFullerSinceYesterday() {
    const QString today = made("fuller.tsr", {"mnist-train", "--set", "batch=256", "--linear-bytes", "4096"});
    QVERIFY(!today.isEmpty());
    // The tile that got fuller by most.
    const QString used = "SELECT tile, value AS n FROM tile_value WHERE series = 'memory.total' ORDER BY tile";
    const QJsonArray before = asked(m_report, used), after = asked(today, used);
    qsizetype tile = 0;
    const auto grown = [&](qsizetype t) {
      return after[t].toObject().value("n").toInteger() - before[t].toObject().value("n").toInteger();
    };
    for (qsizetype t = 1; t < before.size(); ++t)
      if (grown(t) > grown(tile)) tile = t;
    QVERIFY2(grown(tile) > 0, qPrintable(QString::number(grown(tile))));

    QVERIFY(open({m_report, today}));
    QVERIFY(show("Memory"));
    QVERIFY(type(named<QLineEdit>("Selected tiles"), QString::number(tile), true));
    QVERIFY(showTab("Variables"));
    auto* placed = table("Variables of the tile");
    QTRY_VERIFY(firstRow(*placed) >= 0);
    const int row = firstRow(*placed);
    const QString name = value(*placed, row, "name").toString();
    QVERIFY(clickRow(placed, rowAt(*placed, row)));
    picture("fuller-tile");
    QVERIFY(showTab("Debug"));
    QTRY_VERIFY(!lines("Debug information of the variable").isEmpty());
    picture("fuller-tile-made-by");
    QVERIFY2(m_clicks <= 5, qPrintable(QString::number(m_clicks)));

    const QString own =
        QStringLiteral("SELECT name, sum(own_bytes) AS n FROM lowered_variable WHERE tile = %1 GROUP BY name").arg(tile);
    QMap<QString, qint64> change;
    for (const auto& [report, sign] : {std::pair{m_report, -1}, {today, 1}})
      for (const QJsonValue v : asked(report, own))
        change[v.toObject().value("name").toString()] += sign * v.toObject().value("n").toInteger();
    qint64 most = 0;
    for (const qint64 bytes : change) most = std::max(most, bytes);
    QCOMPARE(value(*placed, row, "ownChange").toLongLong(), most);
    QCOMPARE(change.value(name), most);
    const QString path = text(today, "SELECT path(debug_context_id) AS n FROM variable WHERE text(name_id) = '" + name + "'");
    const QString said = lines("Debug information of the variable").join('\n');
    QVERIFY2(!path.isEmpty() && said.contains(path.section('/', -1)), qPrintable(path + " is not in\n" + said));
  }

  // (b) What is exchanged most, between which tiles, and the line of the model that asks for it.
  void whatIsExchangedMostAndWho() {
    QVERIFY(open({m_report}));
    QVERIFY(show("Memory") && showTab("Exchanges"));
    auto* exchanges = table("Exchanges of the tiles");
    QTRY_VERIFY(firstRow(*exchanges) >= 0);
    const int row = firstRow(*exchanges);
    const QString name = value(*exchanges, row, "name").toString();
    const qint64 bytes = value(*exchanges, row, "receivedInAll").toLongLong();
    const QString partners = plain(value(*exchanges, row, "partners").toString());
    picture("exchanged-most");
    QVERIFY(clickRow(exchanges, rowAt(*exchanges, row), true)); // its step
    QCOMPARE(m_window->state().view(), QString("program"));
    QVERIFY(showTab("Debug"));
    const QStringList made = lines("Debug information of the step");
    picture("exchanged-most-step");
    QVERIFY2(m_clicks <= 4, qPrintable(QString::number(m_clicks)));

    const QString step = QString::number(m_window->state().step().value());
    const QString ran =
        "WITH ran AS (SELECT s.exchange_id AS id, s.id AS step, sum(p.executions) AS executions FROM program_step s "
        "JOIN step_profile p ON p.program_step_id = s.id WHERE s.exchange_id IS NOT NULL GROUP BY s.id) ";
    QCOMPARE(number(m_report, ran + "SELECT max(x.total_bytes * executions) AS n FROM exchange x JOIN ran ON ran.id = x.id"),
             bytes);
    QCOMPARE(
        number(m_report,
               ran + "SELECT x.total_bytes * executions AS n FROM exchange x JOIN ran ON ran.id = x.id WHERE step = " + step),
        bytes);
    const QString ends =
        QStringLiteral(" FROM exchange_tile t JOIN program_step s ON s.exchange_id = t.exchange_id WHERE s.id = ") + step;
    const auto said = QRegularExpression("^(.+) tiles? to (.+) tiles?$").match(partners);
    QVERIFY2(said.hasMatch(), qPrintable(partners));
    QCOMPARE(digits(said.captured(1)), number(m_report, "SELECT sum(t.bytes_out > 0) AS n" + ends));
    QCOMPARE(digits(said.captured(2)), number(m_report, "SELECT sum(t.bytes_in > 0) AS n" + ends));
    const bool isLine = std::any_of(made.begin(), made.end(),
                                    [](const QString& line) { return QRegularExpression("\\.cpp:\\d+").match(line).hasMatch(); });
    QVERIFY2(isLine, qPrintable(name + '\n' + made.join('\n')));
  }

  // (d) Variables over 1 MiB that are alive in the last tenth of the program, and their total.
  void whatIsAliveInTheLastTenth() {
    const QString report = made("pipeline.tsr", {"bert-pipeline"});
    QVERIFY(!report.isEmpty() && open({report}));
    QVERIFY(show("Liveness"));
    auto* view = dynamic_cast<liveness::LivenessView*>(m_window->currentView());
    auto* curve = named<plot::StepPlot>("Memory alive per program step");
    QVERIFY(view && curve);
    const QRect axis = curve->axes();
    drag(curve, {axis.left() + axis.width() * 9 / 10, axis.center().y()}, {axis.right() - 1, axis.center().y()},
         Qt::ShiftModifier);
    ++m_clicks;
    QVERIFY(settled());
    const auto range = view->selectedRange();
    QVERIFY(range.size() > 2);
    auto* alive = table("Variables alive at the step");
    auto* filter = named<QLineEdit>("Filter of Variables alive at the step");
    QVERIFY(alive && filter);
    QVERIFY(type(filter, "bytes > 1MiB"));
    picture("last-tenth");
    QVERIFY2(m_clicks <= 3, qPrintable(QString::number(m_clicks)));

    const QString where =
        QStringLiteral(" FROM variable_lifetime WHERE NOT always_live AND bytes > 1048576 AND first_step < %1 AND "
                       "end_step > %2")
            .arg(range.end)
            .arg(range.begin);
    const qint64 count = number(report, "SELECT count(DISTINCT variable_id) AS n" + where),
                 total = number(report, "SELECT sum(bytes) AS n FROM (SELECT DISTINCT variable_id, bytes" + where + ")");
    QVERIFY2(count > 0, qPrintable(where));
    QCOMPARE(qint64(alive->rows().shownRows()), count);
    QVERIFY(firstRow(*alive) == 1); // the line of totals
    QCOMPARE(value(*alive, 0, "bytes").toLongLong(), total);
  }

  // (e) The slowest type of vertex, and the tile where it is slowest.
  void theSlowestTypeOfVertexAndItsTiles() {
    QVERIFY(open({m_report}));
    QVERIFY(show("Operations"));
    auto* rows = named<QComboBox>("Rows");
    const int types = rows->findText("Vertex types");
    QVERIFY2(types >= 0, qPrintable(rows->currentText()));
    QVERIFY(click(rows));
    QTest::keyClicks(rows->view(), "Vertex");
    QTest::keyClick(rows->view(), Qt::Key_Return);
    ++m_clicks;
    QTRY_COMPARE(rows->currentIndex(), types);
    QVERIFY(settled());
    auto* table = this->table("Operations");
    QTRY_VERIFY(firstRow(*table) >= 0);
    const int row = firstRow(*table);
    const QString type = value(*table, row, "name").toString();
    const qint64 cycles = value(*table, row, "cycles").toLongLong();
    QVERIFY(clickRow(table, rowAt(*table, row)));
    QVERIFY(showTab("Tiles"));
    const auto* words = named<shell::ElidedLabel>("The operation's tiles in a sentence");
    QTRY_VERIFY(words && words->whole().contains("slowest"));
    picture("slowest-type");
    QVERIFY2(m_clicks <= 5, qPrintable(QString::number(m_clicks)));
    const qint64 tile = digits(QRegularExpression("the slowest, tile (.+), takes").match(plain(words->whole())).captured(1));

    const QString ofTypes =
        "WITH ran AS (SELECT s.compute_set_id AS id, sum(p.executions) AS executions FROM program_step s JOIN "
        "step_profile p ON p.program_step_id = s.id WHERE s.compute_set_id IS NOT NULL GROUP BY 1) "
        "SELECT text(t.name_id) AS type, v.tile AS tile, sum(v.cycles * r.executions) AS cycles FROM "
        "compute_set_tile v JOIN vertex_type t ON t.id = v.vertex_type_id JOIN ran r ON r.id = "
        "v.compute_set_id GROUP BY 1, 2 ";
    QString slowest;
    double most = 0;
    for (const QJsonValue v : asked(m_report, ofTypes + "HAVING type = '" + type + "'"))
      if (const double here = v.toObject().value("cycles").toDouble(); here > most)
        most = here, slowest = QString::number(v.toObject().value("tile").toInteger());
    QCOMPARE(QString::number(tile), slowest);
    QVERIFY(cycles > 0);
  }

  // (g) The tiles that idle during a step, as SVG for a report and as CSV for a script.
  void idleTilesOfAStepAsSvgAndCsv() {
    // The compute step with most idle tile-cycles.
    const qint64 step = number(m_report, "SELECT s.id AS n FROM program_step s JOIN step_profile p ON p.program_step_id = s.id "
                                         "JOIN compute_set c ON c.id = s.compute_set_id WHERE p.active_tiles < 1472 ORDER BY "
                                         "p.cycles * (1472 - p.active_tiles) DESC, s.id LIMIT 1");
    const QString name = text(m_report, QStringLiteral("SELECT text(name_id) AS n FROM program_step WHERE id = %1").arg(step));
    QVERIFY(open({m_report}));
    QVERIFY(show("Program"));
    QVERIFY(type(named<QLineEdit>("Search for steps"), name, true));
    QCOMPARE(qint64(m_window->state().step().value()), step);
    auto* cycles = named<plot::StepPlot>("Cycles per tile");
    QVERIFY(cycles);
    const QString svg = m_folder.filePath("idle.svg"), csv = m_folder.filePath("idle.csv");
    QVERIFY(chooseOf(cycles, "Save image…", svg));
    QVERIFY(chooseOf(cycles, "Save as a table…", csv));
    picture("idle-tiles");
    QVERIFY2(m_clicks <= 6, qPrintable(QString::number(m_clicks)));

    QFile picture(svg), rows(csv);
    QVERIFY(picture.open(QFile::ReadOnly) && rows.open(QFile::ReadOnly));
    const QByteArray drawn = picture.readAll();
    QVERIFY(drawn.contains("<svg") && drawn.contains("Cycles per tile"));
    const QList<QByteArray> lines = rows.readAll().trimmed().split('\n');
    QCOMPARE(lines.size(), qsizetype(1 + 1472));
    QSet<qint64> idle, idleInSql;
    for (qsizetype i = 1; i < lines.size(); ++i)
      if (const auto cells = lines[i].trimmed().split(','); cells.back().toLongLong() == 0) idle << cells.front().toLongLong();
    for (qint64 tile = 0; tile < 1472; ++tile) idleInSql << tile;
    for (const QJsonValue v : asked(m_report, QStringLiteral("SELECT t.tile AS n FROM step_tile t JOIN step_profile p ON p.id = "
                                                             "t.step_profile_id WHERE p.program_step_id = %1 AND t.cycles > 0")
                                                  .arg(step)))
      idleInSql.remove(v.toObject().value("n").toInteger());
    QVERIFY(!idle.isEmpty());
    QCOMPARE(idle, idleInSql);
  }

  // (i) 64 IPUs, 94,208 tiles: the first figures of each view are right. What they take is measured by podView of bench_views,
  // with 390 MiB.
  void theFirstFiguresOfSixtyFourIpus() {
    const QString report = made("pod64.tsr", {"bert-pipeline", "--set", "training=0", "--set", "layers=64", "--set", "hidden=64",
                                              "--set", "vocabulary=256", "--set", "sequence=32", "--machine", "bow-pod64",
                                              "--ipus", "64", "--pipeline", "64", "--accumulation", "64"});
    QVERIFY(!report.isEmpty() && open({report}));
    const auto verdict = [this] { return plain(m_window->currentView()->verdict()); };
    const auto said = [&](const QString& pattern) { return digits(QRegularExpression(pattern).match(verdict()).captured(1)); };
    const qint64 fullest =
        number(report, "SELECT tile AS n FROM tile_value WHERE series = 'memory.total' ORDER BY value DESC, tile LIMIT 1");
    QVERIFY(show("Summary"));
    QVERIFY2(said("fullest tile ([\\d ]+) uses") == fullest, qPrintable(verdict()));
    for (const QJsonValue finding :
         QJsonDocument::fromJson(run({"insights", report, "--json"})).array()) // on the bars of Summary
      QVERIFY2(finding["share"].toDouble() <= 1, qPrintable(finding["what"].toString()));
    picture("sixty-four-summary");
    QVERIFY(show("Memory"));
    QVERIFY2(said("fullest tile ([\\d ]+) uses") == fullest, qPrintable(verdict()));
    picture("sixty-four-memory");
    QVERIFY(show("Liveness"));
    QVERIFY2(said("at step ([\\d ]+);") == number(report, "SELECT peak_step AS n FROM liveness_curve WHERE scope = 'all'"),
             qPrintable(verdict()));
    QVERIFY(show("Operations"));
    auto* operations = table("Operations");
    QTRY_VERIFY(firstRow(*operations) >= 0);
    QCOMPARE(value(*operations, firstRow(*operations), "cycles").toLongLong(),
             number(report, "SELECT max(compute_cycles + exchange_cycles + sync_cycles + host_cycles) AS n FROM operation"));
    QVERIFY(show("Trace"));
    QCOMPARE(named<QComboBox>("IPU")->count(), 65); // each, and all
    picture("sixty-four-trace");
  }

  // (j) A query, its plot as a picture, its rows as CSV, and a link that shows the same in another window.
  void aQueryIsPlottedSavedAndOpenedElsewhere() {
    const QString sql =
        "SELECT category, sum(own_bytes) AS bytes FROM lowered_variable WHERE tile = 5 GROUP BY category ORDER BY "
        "bytes DESC";
    QVERIFY(open({m_report}));
    QVERIFY(show("Query"));
    auto* edit = named<QPlainTextEdit>("SQL");
    QVERIFY(click(edit));
    QTest::keyClick(edit, Qt::Key_A, Qt::ControlModifier);
    QGuiApplication::clipboard()->setText(sql);
    QTest::keyClick(edit, Qt::Key_V, Qt::ControlModifier);
    QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
    ++m_clicks;
    QVERIFY(settled());
    auto* result = table("Result of the query");
    const QJsonArray rows = asked(m_report, sql);
    QTRY_COMPARE(qsizetype(result->rows().total()), rows.size());
    for (qsizetype r = 0; r < rows.size(); ++r)
      QCOMPARE(value(*result, int(r), "result.1").toLongLong(), rows[r].toObject().value("bytes").toInteger());
    QVERIFY(showTab("Plot"));
    picture("query-plot");
    auto* plot = named<QWidget>("Plot of the result");
    const QString svg = m_folder.filePath("query.svg"), csv = m_folder.filePath("query.csv");
    QVERIFY(chooseOf(plot, "Save image…", svg));
    QVERIFY(chooseOf(plot, "Save as a table…", csv));
    QFile file(csv);
    QVERIFY(file.open(QFile::ReadOnly));
    QCOMPARE(file.readAll().trimmed().split('\n').size(), rows.size() + 1);
    m_window->activateWindow(); // the dialogs had the keyboard
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QTest::keyClick(m_window.get(), Qt::Key_L, Qt::ControlModifier);
    const QString link = QGuiApplication::clipboard()->text();
    QVERIFY2(link.startsWith("tilescope:"), qPrintable(link));
    QVERIFY2(m_clicks <= 8, qPrintable(QString::number(m_clicks)));

    closeWindow(); // the colleague's
    makeWindow();
    QSignalSpy finished(m_window.get(), &shell::MainWindow::openFinished);
    m_window->openLink(*shell::parseLink(link));
    QVERIFY(QTest::qWaitFor([&] { return finished.count() > 0; }, kLongestRunMs) && settled());
    QTRY_VERIFY(named<QPlainTextEdit>("SQL"));
    QTRY_COMPARE(named<QPlainTextEdit>("SQL")->toPlainText(), sql);
    QTest::keyClick(named<QPlainTextEdit>("SQL"), Qt::Key_Return, Qt::ControlModifier); // a stranger's query never runs by itself
    QTRY_COMPARE(qsizetype(table("Result of the query")->rows().total()), rows.size());
    QTRY_VERIFY(named<QWidget>("Plot of the result")); // its tab is in front, as it was
  }
};

TILESCOPE_TEST(AnswerStoriesTest)
#include "answer_stories_test.moc"
