// Two stories with mouse and keys on the real window and the real simulator, their answers checked with SQL: the first tiles that
// overflow at twice the batch, and the saving of a balanced pipeline.
#include "tests/support/test_main.h"
#include "tests/ui/views/real_window.h"
#include "ui/plot/bar_list.h"
#include "ui/views/insights/finding_list.h"
#include "ui/views/run/run_form.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>

using namespace ui;

class RunStoriesTest : public QObject, tests::RealWindow {
  Q_OBJECT

  QString newestRun() const {
    const QFileInfoList files = QDir(runs()).entryInfoList({"*.tsr"}, QDir::Files, QDir::Time);
    return files.isEmpty() ? QString() : files.front().absoluteFilePath();
  }
  // "Tile 510 694 KiB" of a list of bars.
  QString firstBar(const QString& name) const {
    const auto* bars = named<plot::BarList>(name);
    const auto table = bars ? bars->table() : plot::PlotTable();
    QString words;
    for (std::size_t i = 0; !table.rows.empty() && i < table.rows.front().size(); ++i)
      if (const auto* text = std::get_if<QString>(&table.rows.front()[i])) words += *text + ' ';
    return plain(words.trimmed());
  }

private slots:
  void initTestCase() {
    if (!hasCli()) QSKIP("tilescope-cli is not built");
  }
  void cleanupTestCase() { qunsetenv("TILESCOPE_CLI"); }
  void init() { makeWindow(); }
  void cleanup() { closeWindow(); }

  void whatBreaksFirstAtTwiceTheBatchIsSaidBeforeTheRun() {
    const QString report = made("fits.tsr", {"mnist-train", "--machine", "gc2", "--set", "batch=2048", "--memory-retries", "0"});
    QVERIFY(!report.isEmpty()); // it fits
    QVERIFY(open({report}));
    QVERIFY(click(rail("Run")) && settled());
    QLineEdit* batch = nullptr;
    QTRY_VERIFY((batch = named<QLineEdit>("batch")) && batch->text() == "2048");
    QVERIFY(click(batch));
    QTest::keyClick(batch, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(batch, "4096");
    const auto* memory = named<QLabel>("Memory before the run");
    QTRY_VERIFY2_WITH_TIMEOUT(memory->text().startsWith("Does not fit: tile "), qPrintable(memory->text()), kLongestRunMs);
    const QString words = plain(memory->text());
    const qint64 tile = digits(QRegularExpression("tile (.+) needs").match(words).captured(1)),
                 overflow = digits(QRegularExpression("gaps, (.+) tiles? overflow").match(words).captured(1));
    const QString fullest = firstBar("The fullest tiles"), category = firstBar("The fullest tile by category"),
                  variable = firstBar("The largest variables of the fullest tile");
    QVERIFY2(QString(fullest).remove(' ').startsWith(QStringLiteral("Tile%1").arg(tile)), qPrintable(fullest));
    QVERIFY(!category.isEmpty() && !variable.isEmpty());
    picture("twice-the-batch");
    // The run says the same.
    QVERIFY(click(m_window->currentView()->findChild<run::RunForm*>()->findChild<QPushButton*>("run")));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().view() == "compare", kLongestRunMs);
    QVERIFY(settled());
    const QString run = newestRun();
    QCOMPARE(
        number(run, "SELECT tile AS n FROM tile_value WHERE series = 'memory.total_with_gaps' ORDER BY value DESC, tile LIMIT 1"),
        tile);
    QCOMPARE(number(run, "SELECT count(*) AS n FROM tile_value WHERE series = 'memory.overflow' AND value > 0"), overflow);
    const QJsonArray largest =
        asked(run, QStringLiteral("SELECT name FROM lowered_variable WHERE tile = %1 ORDER BY own_bytes DESC LIMIT 1").arg(tile));
    const QString name = largest[0].toObject().value("name").toString();
    QVERIFY2(variable.startsWith(name), qPrintable(variable + " is not " + name));
    QVERIFY2(m_clicks <= 4, qPrintable(QString::number(m_clicks)));
  }

  // A change that is offered before the run is made in the form by a click, and the forecast follows.
  void aChangeMakesItFitBeforeTheRun() {
    const QString report = made("small.tsr", {"mnist-train", "--machine", "gc2", "--set", "batch=32", "--memory-retries", "0"});
    QVERIFY(!report.isEmpty() && open({report}));
    QVERIFY(click(rail("Run")) && settled());
    QLineEdit* batch = nullptr;
    QTRY_VERIFY((batch = named<QLineEdit>("batch")) && batch->text() == "32");
    batch->setText("4096");
    const auto* memory = named<QLabel>("Memory before the run");
    QTRY_VERIFY_WITH_TIMEOUT(memory->text().startsWith("Does not fit: "), kLongestRunMs);
    QVERIFY(click(named<QPushButton>("Half precision")));
    QTRY_VERIFY2_WITH_TIMEOUT(memory->text().startsWith("Fits: "), qPrintable(memory->text()), kLongestRunMs);
    QVERIFY(!named<QPushButton>("Half precision")); // nothing is offered for what fits
    QCOMPARE(m_window->currentView()->findChild<run::RunForm*>()->request().precision, QString("fp16"));
  }

  void aBalancedPipelineSavesWhatTheWindowForesees() {
    const QString report = made("uneven.tsr", {"bert-pipeline", "--shard", "layers:1,4,2,1"});
    QVERIFY(!report.isEmpty() && open({report}));
    QVERIFY(click(rail("Insights")) && settled());
    auto* findings = named<insights::FindingList>("Findings");
    QVERIFY(findings);
    findings->setFocus(Qt::TabFocusReason);
    QTest::keyClick(findings, Qt::Key_Home);
    const auto isOffered = [this] {
      QCoreApplication::processEvents(); // shows the buttons of the finding
      return named<QPushButton>("Balance the stages") != nullptr;
    };
    for (int i = 0; i < 20 && !isOffered(); ++i) QTest::keyClick(findings, Qt::Key_Down);
    auto* balance = named<QPushButton>("Balance the stages");
    QVERIFY(balance);
    QString why;
    for (const QLabel* label : m_window->currentView()->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith("Foreseen: ")) why = label->text();
    const auto share = QRegularExpression("less, ([\\d.]+)").match(why).captured(1).toDouble() / 100;
    QVERIFY2(share > 0, qPrintable(why));
    // The advice is the cut of the trial, and leads to its field.
    auto* field = named<QPushButton>("Show the field shard in Run");
    QVERIFY(field);
    QString advice;
    for (const QLabel* label : field->parentWidget()->findChildren<QLabel*>()) advice += label->text();
    QVERIFY2(advice.contains("Balance the stages (shard layers:2,2,2,2)"), qPrintable(advice));
    for (const QLabel* label : m_window->currentView()->findChildren<QLabel*>())
      QVERIFY(!label->text().contains("Move work from"));
    picture("pipeline-uneven");
    QVERIFY(click(balance));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().view() == "compare", kLongestRunMs);
    QVERIFY(settled());
    picture("pipeline-balanced");
    const QString cycles = "SELECT sum(cycles) AS n FROM run";
    const double before = double(number(report, cycles)), after = double(number(newestRun(), cycles));
    const double foreseen = share * before, saved = before - after;
    QVERIFY2(std::abs(foreseen - saved) < 0.1 * saved,
             qPrintable(QStringLiteral("%1 foreseen, %2 saved").arg(foreseen).arg(saved)));
  }
};

TILESCOPE_TEST(RunStoriesTest)
#include "run_stories_test.moc"
