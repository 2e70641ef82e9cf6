// A user's way from one report to a decision, with mouse and keys on the real window and the real simulator: run again with another
// batch and compare, look at two traces, try a change beside the figure of its cost, cancel, kill, and a full disk.
#include "tests/support/test_main.h"
#include "tests/ui/views/real_window.h"
#include "ui/plot/split_bar.h"
#include "ui/plot/timeline.h"
#include "ui/runs/try_button.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/views/compare/trace_pair.h"
#include "ui/views/run/run_view.h"
#include "ui/window/main_window.h"
#include "ui/window/nav_rail.h"
#include "ui/window/report_chip.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <csignal>
#include <sys/mount.h>
#include <unistd.h>

using namespace ui;

class WindowStoriesTest : public QObject, tests::RealWindow {
  Q_OBJECT

  QString m_report;

  static int64_t startOf(const plot::Timeline* timeline, const QPoint& at) { return timeline->hitAt(at)->slice.begin; }
  run::RunView* runPage() const { return m_window->findChild<run::RunView*>(); }
  QString bannerOf(const QWidget* view) const {
    QString text;
    for (const QLabel* label : view->findChildren<QLabel*>())
      if (label->isVisible() && label->parentWidget()->property("role").toString() == "bad") text += label->text();
    return text;
  }
  // The process that this one has started last.
  static int child() {
    int found = 0;
    for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
      QFile stat("/proc/" + pid + "/stat");
      if (pid.toInt() == 0 || !stat.open(QIODevice::ReadOnly)) continue;
      const QByteArray text = stat.readAll();
      const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
      if (fields.size() > 1 && fields[1].toInt() == getpid() && fields[0] != "Z") found = std::max(found, pid.toInt());
    }
    return found;
  }
private slots:
  void initTestCase() {
    if (!hasCli()) QSKIP("tilescope-cli is not built");
    m_report = made("thirty-two.tsr", {"mnist-train", "--set", "batch=32"});
    QVERIFY(!m_report.isEmpty());
  }
  void cleanupTestCase() { qunsetenv("TILESCOPE_CLI"); }
  void init() { makeWindow(); }
  void cleanup() { closeWindow(); }

  void anotherBatchIsComparedInFourClicks() {
    QVERIFY(open({m_report}));
    QVERIFY(click(rail("Run")) && settled());
    QLineEdit* batch = nullptr; // filled from the report once the command line has told the parameters
    QTRY_VERIFY((batch = named<QLineEdit>("batch")) && batch->text() == "32");
    QVERIFY(click(batch));
    QTest::keyClick(batch, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(batch, "64");
    // The estimate of the run follows the form.
    auto* memory = named<QLabel>("Memory before the run");
    QVERIFY(settled());
    QTRY_VERIFY_WITH_TIMEOUT(memory->text().contains("against thirty-two.tsr"), kLongestRunMs);
    QVERIFY2(memory->text().startsWith("Fits: "), qPrintable(memory->text()));
    QVERIFY(named<tables::TableView>("Operations of the graph")->rows().rowCount() > 10);
    picture("run-again");
    QVERIFY(click(m_window->currentView()->findChild<run::RunForm*>()->findChild<QPushButton*>("run")));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().view() == "compare", kLongestRunMs);
    QVERIFY(settled());
    QVERIFY2(m_clicks <= 4, qPrintable(QString::number(m_clicks)));
    QVERIFY2(m_window->currentView()->verdict().contains("batch 64 instead of 32"),
             qPrintable(m_window->currentView()->verdict()));
    QVERIFY(m_window->windowTitle().startsWith("thirty-two.tsr ↔ "));
    picture("compared");
    QVERIFY(click(named<QAbstractButton>("Copy verdict")));
    QVERIFY2(QGuiApplication::clipboard()->text().contains("against thirty-two.tsr: mnist-train, batch 64 instead of 32"),
             qPrintable(QGuiApplication::clipboard()->text()));
  }

  void aChangeIsTriedFromWhereItsCostIsSeen() {
    QVERIFY(open({m_report}));
    QVERIFY(click(rail("Memory")) && settled());
    auto* button = m_window->currentView()->findChild<shell::TryButton*>();
    QVERIFY(button->isVisible() && button->isEnabled());
    QAction* half = nullptr;
    for (QAction* action : button->menu()->actions())
      if (action->text() == "Half precision") half = action;
    QVERIFY(half);
    half->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().view() == "compare", kLongestRunMs);
    QVERIFY(settled());
    QVERIFY2(m_window->currentView()->verdict().contains("fp16 instead of fp32"), qPrintable(m_window->currentView()->verdict()));
  }

  // From "does not fit" to a report that fits: the finding, its trial, the comparison, and the new report alone.
  void aModelThatDoesNotFitIsMadeToFit() {
    // Ends with exit code 1 and writes the report. If it were planned again, as usual for programs that overflow, it would fit.
    made("too-large.tsr", {"mnist-train", "--machine", "gc2", "--set", "batch=4096", "--memory-retries", "0"});
    const QString tooLarge = m_folder.filePath("too-large.tsr");
    QVERIFY(QFileInfo::exists(tooLarge));
    QVERIFY(open({tooLarge}));
    QVERIFY2(m_window->currentView()->verdict().contains("Does not fit"), qPrintable(m_window->currentView()->verdict()));
    QVERIFY(click(rail("Insights")) && settled());
    QVERIFY2(m_window->currentView()->selectionText().startsWith("Does not fit"),
             qPrintable(m_window->currentView()->selectionText()));
    bool lacks = false; // nothing is saved where something is missing
    for (const QLabel* label : m_window->currentView()->findChildren<QLabel*>())
      lacks = lacks || (label->isVisible() && label->text().startsWith("Missing: up to"));
    QVERIFY(lacks);
    picture("does-not-fit");
    QVERIFY(click(named<QPushButton>("Half precision")));
    QCOMPARE(m_window->state().view(), QString("run"));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().view() == "compare", kLongestRunMs);
    QVERIFY(settled());
    const QString verdict = m_window->currentView()->verdict();
    QVERIFY2(verdict.contains("fp16 instead of fp32"), qPrintable(verdict));
    QVERIFY2(verdict.contains("fits now"), qPrintable(verdict));
    picture("fits-now");
    // The result alone, as any report.
    QVERIFY(m_clicks <= 2);
    QVERIFY(click(rail("Run")) && settled());
    QVERIFY(click(named<QPushButton>("Open")));
    QTRY_VERIFY(!m_window->isOpening() && !m_window->windowTitle().contains("too-large"));
    QVERIFY(click(rail("Summary")) && settled());
    QVERIFY2(m_window->currentView()->verdict().startsWith("Fits"), qPrintable(m_window->currentView()->verdict()));
    picture("made-to-fit");
  }

  // The large figures and the parts of the bars lead to the view that explains them.
  void aFigureOfTheSummaryLeadsToItsView() {
    QVERIFY(open({m_report}));
    const auto leads = [&](const QString& title, const QString& view) {
      if (!click(rail("Summary")) || !settled()) return false;
      for (auto* button : m_window->currentView()->findChildren<QAbstractButton*>())
        if (button->accessibleName().startsWith(title)) {
          button->setFocus(Qt::TabFocusReason);
          QTest::keyClick(button, Qt::Key_Return);
          return settled() && m_window->state().view() == view;
        }
      return false;
    };
    QVERIFY(leads("Time", "trace") && leads("Throughput", "operations"));
    QCOMPARE(named<QComboBox>("Picture")->currentText(), QString("Roofline"));
    QVERIFY(leads("Memory", "memory") && m_window->state().tiles().empty());
    QVERIFY(leads("Tile ", "memory") && m_window->state().tiles().size() == 1);
    QVERIFY(click(rail("Summary")) && settled());
    auto* bar = named<plot::SplitBar>("Cycles by activity");
    QVERIFY(bar);
    bar->setFocus(Qt::TabFocusReason);
    QTest::keyClick(bar, Qt::Key_Down);
    QTest::keyClick(bar, Qt::Key_Return);
    QCOMPARE(m_window->state().view(), QString("trace"));
  }

  void theFormIsFilledFromEitherReport() {
    const QString other = made("forty.tsr", {"mnist-train", "--set", "batch=40"});
    QVERIFY(open({m_report, other}));
    const auto verdict = [&] { return m_window->currentView()->verdict(); };
    for (const auto& [report, file] : {std::pair{1, other}, {0, m_report}}) {
      const auto chips = m_window->findChildren<shell::ReportChip*>();
      QVERIFY(chips.size() == 2);
      emit chips[report]->runRequested(); // "Run again with…" of its menu
      QVERIFY(settled());
      QCOMPARE(m_window->state().view(), QString("run"));
      QVERIFY2(verdict().endsWith(QFileInfo(file).fileName()), qPrintable(verdict()));
    }
  }

  void twoTracesZoomTogetherAndShowTheSlowerStep() {
    const QString other = made("sixty-four.tsr", {"mnist-train", "--set", "batch=64"});
    QVERIFY(open({m_report, other}));
    QVERIFY(click(rail("Operations")) && settled());
    auto* table = named<tables::TableView>("Operations");
    QVERIFY(table && table->rows().rowCount() > 0);
    picture("operations-difference");
    QVERIFY(click(rail("Trace")) && settled());
    auto* a = named<plot::Timeline>("Execution trace of A");
    auto* b = named<plot::Timeline>("Execution trace of B");
    QVERIFY(a && b);
    QTRY_VERIFY(!a->isBusy() && !b->isBusy());
    const auto before = b->visibleRange();
    QWheelEvent wheel(QPointF(400, 40), a->mapToGlobal(QPointF(400, 40)), {}, {0, 480}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(a, &wheel);
    QVERIFY(a->visibleRange().size() < before.size());
    QCOMPARE(b->visibleRange().size(), a->visibleRange().size()); // the other follows
    picture("two-traces");

    // The step that got slower: by key, by mouse, and aligned by a step of each that the user picks.
    auto* pair = m_window->currentView()->findChild<compare::TracePair*>();
    const auto traces = [&] { return QTest::qWaitFor([&] { return !pair->isBusy(); }, kLongestRunMs); };
    QTest::keyClick(a, Qt::Key_N);
    QVERIFY(traces());
    QVERIFY2(pair->words().startsWith("Slower step 1 of "), qPrintable(pair->words()));
    const QString slowest = pair->words();
    QCOMPARE(b->visibleRange().begin - a->visibleRange().begin, pair->offset());
    picture("slowest-step");
    QVERIFY(click(named<QAbstractButton>("Slower step ›")) && traces());
    QVERIFY2(pair->words().startsWith("Slower step 2 of "), qPrintable(pair->words()));
    QTest::keyClick(b, Qt::Key_N, Qt::ShiftModifier);
    QVERIFY(traces());
    QCOMPARE(pair->words(), slowest);
    QVERIFY(click(named<QAbstractButton>("Pick a step in each")));
    const auto stepOf = [](const plot::Timeline* timeline) { // a place of it where a step is drawn
      for (int y = timeline->height() - 4; y > 0; y -= 4)
        if (timeline->hitAt({timeline->width() / 2, y})) return QPoint(timeline->width() / 2, y);
      return QPoint();
    };
    QVERIFY(!stepOf(a).isNull() && !stepOf(b).isNull());
    const int64_t inA = startOf(a, stepOf(a)), inB = startOf(b, stepOf(b));
    QTest::mouseClick(a, Qt::LeftButton, {}, stepOf(a));
    QVERIFY(traces());
    QVERIFY2(pair->words().contains("is picked in A"), qPrintable(pair->words()));
    QTest::mouseClick(b, Qt::LeftButton, {}, stepOf(b));
    QVERIFY(traces());
    QVERIFY2(pair->words().endsWith("Both traces are aligned at their starts."), qPrintable(pair->words()));
    QCOMPARE(pair->offset(), inB - inA);
    picture("picked-in-each");
    QVERIFY(click(rail("Program")) && settled());
    picture("program-difference");
  }

  void aLongRunIsCancelledAndAChildKilled() {
    QVERIFY(open({m_report}));
    QVERIFY(click(rail("Run")) && settled());
    named<QComboBox>("Sample")->setCurrentText("resnet50");
    named<QSpinBox>("Iterations")->setValue(10'000); // so that it is long on any computer
    auto* go = m_window->currentView()->findChild<run::RunForm*>()->findChild<QPushButton*>("run");
    QVERIFY(click(go));
    QTRY_VERIFY(child() > 0);
    picture("long-run");
    m_window->close(); // it asks first
    QVERIFY(m_window->isVisible() && child() > 0);
    QVERIFY2(m_window->message().contains("Closing the window would end"), qPrintable(m_window->message()));
    QVERIFY(click(named<QAbstractButton>("Cancel")));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->currentView()->verdict().contains("was cancelled after"), kLongestRunMs);
    QVERIFY(QDir(runs()).entryList({"*.part.*"}).isEmpty());

    QVERIFY(click(go));
    QTRY_VERIFY(child() > 0);
    ::kill(child(), SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(bannerOf(runPage()).contains("signal 9"), kLongestRunMs);
    picture("killed");
    QVERIFY(named<QAbstractButton>("Run it again")); // the way on
    QVERIFY(m_window->isVisible());
  }

  void aSweepOfManyRunsIsSeenWhileItGoes() {
    QVERIFY(open({m_report}));
    QVERIFY(click(rail("Sweep")) && settled());
    named<QLineEdit>("Graph")->setText("mnist-train");
    named<QPlainTextEdit>("Parameters and their values")
        ->setPlainText("batch = 4, 8\n--machine = gc200, bow\n--precision = fp32, fp16\noptimiser = sgd, adam\n"
                       "--io-tiles = 0, 32\n--overlap-io = off, loops"); // without I/O tiles nothing overlaps: such runs fail
    const auto verdict = [&] { return m_window->currentView()->verdict(); };
    QVERIFY(click(named<QAbstractButton>("Run all")));
    // Points come while others are still to be run.
    QTRY_VERIFY_WITH_TIMEOUT(QRegularExpression("^[1-9]\\d* of 64 runs are done.*missing").match(verdict()).hasMatch(),
                             kLongestRunMs);
    picture("sweep-going");
    QTRY_VERIFY_WITH_TIMEOUT(verdict().startsWith("48 of 64 runs are done, 16 failed") && !verdict().contains("missing"),
                             3 * kLongestRunMs);
    QVERIFY(settled());
    auto& rows = named<tables::TableView>("Runs of the sweep")->rows();
    QCOMPARE(rows.rowCount(), 64);
    std::vector<int> done;
    int said = 0, best = 0; // failed runs say why
    for (int row = 0; row < rows.rowCount(); ++row)
      for (int column = 0; column < rows.columnCount(); ++column) {
        const QString text = rows.index(row, column).data().toString();
        said += text.startsWith("failed: ") && text.contains("no I/O tiles");
        best += text == "on the front";
        if (text == "done") done.push_back(row);
      }
    QCOMPARE(said, 16);
    QString why; // and the page says it at the top
    for (const QLabel* label : m_window->currentView()->findChildren<QLabel*>()) why += label->text();
    QVERIFY2(why.contains("runs failed: --overlap-io loops: the machine has no I/O tiles"), qPrintable(why));
    QVERIFY(best > 0 && done.size() >= 2);
    auto* table = named<tables::TableView>("Runs of the sweep");
    for (const int row : {done.front(), done.back()})
      table->selectionModel()->select(rows.index(row, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    picture("sweep-done");
    QPushButton* compared = nullptr; // the rail has a Compare too
    for (auto* button : m_window->currentView()->findChildren<QPushButton*>())
      if (button->text() == "Compare") compared = button;
    QVERIFY(click(compared));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().view() == "compare", kLongestRunMs);
    QVERIFY(settled());
    QVERIFY2(verdict().contains(" instead of "), qPrintable(verdict()));
  }

  // Names, values, options and machines that a sweep cannot have are said at their fields, and nothing can be started.
  void aSweepSaysItsErrorsBeforeItRuns() {
    QVERIFY(open({m_report}));
    QVERIFY(click(rail("Sweep")) && settled());
    const auto said = [this] {
      QStringList words;
      for (const QLabel* label : m_window->currentView()->findChildren<QLabel*>())
        if (label->isVisible() && label->property("role") == "error") words << plain(label->text());
      return words.join('\n').replace(QChar(0x2011), '-');
    };
    named<QPlainTextEdit>("Options")->setPlainText("--nosuch 3");
    named<QPlainTextEdit>("Parameters and their values")->setPlainText("batch = 4, x\n--machine = gc9\noptimiser");
    QTRY_VERIFY2(said().contains("--machine is one of gc2, "), qPrintable(said())); // once the machines are known
    for (const char* words :
         {"A sweep cannot set an option --nosuch", "batch is a number, not x", "\"optimiser\" is not NAME = VALUE"})
      QTRY_VERIFY2(said().contains(words), qPrintable(said()));
    QVERIFY(!named<QAbstractButton>("Run all")->isEnabled());
    picture("sweep-errors");
    named<QPlainTextEdit>("Options")->setPlainText("--no-numbers");
    named<QPlainTextEdit>("Parameters and their values")->setPlainText("batch = 4, 8");
    QTRY_VERIFY(said().isEmpty() && named<QAbstractButton>("Run all")->isEnabled());
  }

  void aFullDiskIsSaid() {
    QVERIFY(open({m_report}));
    QVERIFY(click(rail("Run")) && settled());
    QVERIFY(QDir().mkpath(runs()));
    if (::mount("none", runs().toUtf8().constData(), "tmpfs", 0, "size=64k") != 0) QSKIP("mounting a small disk needs root");
    auto* go = m_window->currentView()->findChild<run::RunForm*>()->findChild<QPushButton*>("run");
    const bool clicked = click(go);
    const bool said = clicked && QTest::qWaitFor([&] { return bannerOf(runPage()).contains("The disk is full"); }, kLongestRunMs);
    picture("disk-full");
    ::umount2(runs().toUtf8().constData(), MNT_DETACH);
    QVERIFY2(said, qPrintable(bannerOf(runPage())));
    // With room again it works.
    QVERIFY(click(go));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->state().view() == "compare", kLongestRunMs);
  }
};

TILESCOPE_TEST(WindowStoriesTest)
#include "window_stories_test.moc"
