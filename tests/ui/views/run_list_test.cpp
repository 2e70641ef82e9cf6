#include "analyser/session/session.h"
#include "analyser/summary/summary.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "ui/jobs/job_board.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"
#include "ui/views/run/run_changes.h"
#include "ui/views/run/run_list.h"
#include "ui/views/run/run_settings.h"
#include "ui/views/run/run_table.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QInputDialog>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace ui::run;

namespace {

// The list over a history of its own, with reports in the folder of runs.
struct Notebook {
  Notebook() {
    QDir().mkpath(ui::shell::runsFolder());
    QObject::connect(&list, &RunList::confirmationAsked, [this](const QString& text, const QString&, const auto& confirmed) {
      question = text;
      confirm = confirmed;
    });
    QObject::connect(&list, &RunList::failed, [this](const QString& why) { failure = why; });
  }

  int64_t add(const QString& name, const QString& line, Outcome outcome = Outcome::Finished) {
    PastRun run;
    run.title = name, run.commandLine = line, run.outcome = outcome, run.report = ui::shell::runsFolder() + '/' + name + ".tsr";
    run.startedUtc = "2026-01-02T03:04:05Z";
    QFile::remove(run.report);
    QFile::copy(QString::fromStdString(report.path().string()), run.report);
    const int64_t id = history.add(run);
    list.showRuns();
    return id;
  }
  QString cell(int row, const QString& column) {
    auto& model = *list.table().view().model();
    for (int c = 0; c < model.columnCount(); ++c)
      if (model.headerData(c, Qt::Horizontal).toString() == column) return model.index(row, c).data().toString();
    return "no such column";
  }
  void act(const QString& text) {
    for (QAction* action : list.table().view().actions())
      if (action->text() == text) return action->trigger();
    QFAIL("no such action");
  }
  void select(const std::vector<int64_t>& ids) { list.table().view().selectIds(ids); }

  tests::TinyReport report{tests::ReportShape{.ipus = 1, .tilesPerIpu = 8, .operations = 4}};
  QTemporaryDir folder;
  ui::theme::Theme theme;
  ui::jobs::JobBoard jobs;
  RunHistory history{folder.filePath("history.json")};
  RunList list{theme, history, jobs};
  QString question, failure;
  std::function<void()> confirm;
};

} // namespace

class RunListTest : public QObject {
  Q_OBJECT

private slots:
  // A run that works says its phase and its time in its row; the selection stays, and nothing of it is left at the end.
  void aRunSaysWhatItDoes() {
    Notebook book;
    const auto done = book.add("done", "tilescope-cli run mlp");
    const auto running = book.add("running", "tilescope-cli run mlp", Outcome::Running);
    book.select({done});
    QCOMPARE(book.cell(0, "Outcome"), QString("running"));
    book.list.showProgress({{running, progressText("compile", 0.431, 12.7)}});
    QCOMPARE(book.cell(0, "Outcome"), QString("12 s, compile 43.1\u00a0%"));
    book.list.showRuns(); // another run has ended meanwhile
    QCOMPARE(book.cell(0, "Outcome"), QString("12 s, compile 43.1\u00a0%"));
    QCOMPARE(book.list.table().view().selectedIds(), std::vector<int64_t>{done});
    book.list.showProgress({});
    book.list.showRuns();
    QCOMPARE(book.cell(0, "Outcome"), QString("running"));
    QCOMPARE(progressText({}, 0, 0.9), QString("0 s, starting"));
    QCOMPARE(progressText("allocate", 0, 185), QString("3 min 5 s, allocate"));
  }

  void changesAreNamedByTheirSettings_data() {
    QTest::addColumn<QStringList>("before");
    QTest::addColumn<QStringList>("now");
    QTest::addColumn<QString>("changes");
    const auto row = [](const char* name, const char* before, const char* now, const char* changes) {
      QTest::newRow(name) << QString(before).split(' ') << QString(now).split(' ') << QString::fromUtf8(changes);
    };
    row("nothing", "mlp --set batch=8", "mlp --set batch=8", "");
    row("another graph", "mlp --set batch=8", "lstm --set batch=16", "");
    row("a parameter", "mlp --set batch=8", "mlp --set batch=16", "batch 8 → 16");
    row("the machine", "mlp", "mlp --machine bow", "machine gc200 → bow");
    row("an option more", "mlp", "mlp --io-tiles 32", "io-tiles 32");
    row("a flag less", "a.onnx --train --no-numbers", "a.onnx --no-numbers", "without train");
    row("several values", "a.onnx --freeze x --freeze y", "a.onnx --freeze x --freeze z", "freeze x y → x z");
  }
  void changesAreNamedByTheirSettings() {
    QFETCH(QStringList, before);
    QFETCH(QStringList, now);
    QFETCH(QString, changes);
    QCOMPARE(changesBetween(*requestFromWords(before, {}), *requestFromWords(now, {})), changes);
  }

  // The figures are those of the report; the settings that changed are those since the last run of the same graph.
  void aRunShowsWhatItChangedAndGave() {
    Notebook book;
    book.add("first", "tilescope-cli run mlp --set batch=8");
    book.add("other", "tilescope-cli run lstm");
    const int64_t id = book.add("second", "tilescope-cli run mlp --set batch=16");
    QTRY_VERIFY(!book.list.results().isBusy());
    book.list.readResult(id);
    QTRY_VERIFY(book.history.find(id)->result);
    QVERIFY(book.history.find(id)->result->cycles > 0);
    // One figure in all views: Summary, Sweep and the forecast show the fullest tile without gaps.
    const auto session = analyser::Session::open(book.report.path().string());
    const auto memory = analyser::summary::summarise(*session).memory;
    QCOMPARE(book.history.find(id)->result->fullestTile, memory.fullestWithoutGaps.bytes.value());
    QVERIFY(memory.fullestWithoutGaps.bytes != memory.fullest.withGaps);
    QCOMPARE(book.cell(0, "Run"), QString("second"));
    QCOMPARE(book.cell(0, "Changed"), QString::fromUtf8("batch 8 → 16"));
    QCOMPARE(book.cell(1, "Changed"), QString());
    QVERIFY2(book.cell(0, "Cycles").contains(QRegularExpression("^[0-9]")), qPrintable(book.cell(0, "Cycles")));
  }

  void renamingBeginsWithTheShownName() {
    Notebook book;
    const int64_t id = book.add("mlp on GC200", "tilescope-cli run mlp");
    book.select({id});
    QString offered;
    const auto answer = [&](const QString& name) {
      QTimer::singleShot(0, [&offered, name] {
        auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
        if (!dialog) return;
        offered = dialog->textValue();
        if (!name.isNull()) dialog->setTextValue(name);
        dialog->accept();
      });
      book.act(QString::fromUtf8("Rename…"));
    };
    answer({});
    QCOMPARE(offered, QString("mlp on GC200"));
    QCOMPARE(book.history.find(id)->name, QString()); // unchanged: the title of the run
    answer("first try");
    QCOMPARE(book.cell(0, "Run"), QString("first try"));
    answer({});
    QCOMPARE(offered, QString("first try"));
  }

  // Figures of runs before this window are read by themselves, once.
  void olderRunsGetTheirFigures() {
    Notebook book;
    const int64_t id = book.add("old", "tilescope-cli run mlp");
    QTRY_VERIFY(book.history.find(id)->result);
  }

  void severalSelectedRunsAreComparedWithTheOldest() {
    Notebook book;
    const auto a = book.add("a", "tilescope-cli run mlp"), b = book.add("b", "tilescope-cli run mlp");
    const auto c = book.add("c", "tilescope-cli run mlp");
    QSignalSpy asked(&book.list, &RunList::openAsked);
    book.act("Compare");
    QCOMPARE(asked.takeFirst()[0].toStringList(),
             (QStringList{ui::shell::runsFolder() + "/b.tsr", ui::shell::runsFolder() + "/c.tsr"}));
    book.select({c, a, b});
    book.act("Compare");
    QCOMPARE(asked.takeFirst()[0].toStringList(),
             (QStringList{ui::shell::runsFolder() + "/a.tsr", ui::shell::runsFolder() + "/b.tsr",
                          ui::shell::runsFolder() + "/c.tsr"}));
  }

  // Only after the question was answered; a report that is open, a run under way and a file elsewhere stay.
  void aRunIsDeletedWithItsReport() {
    Notebook book;
    const auto id = book.add("gone", "tilescope-cli run mlp");
    book.select({id});
    book.act("Delete");
    QVERIFY2(book.question.contains("gone") && book.question.contains("cannot be undone"), qPrintable(book.question));
    QVERIFY(QFile::exists(ui::shell::runsFolder() + "/gone.tsr") && book.history.find(id));
    book.confirm();
    QVERIFY(!QFile::exists(ui::shell::runsFolder() + "/gone.tsr") && !book.history.find(id));

    const auto open = book.add("open", "tilescope-cli run mlp");
    book.list.setOpenReports({ui::shell::runsFolder() + "/open.tsr"});
    book.question.clear();
    book.select({open});
    book.act("Delete");
    QVERIFY2(book.question.isEmpty() && book.failure.contains("close it first"), qPrintable(book.failure));

    const auto running = book.add("running", "tilescope-cli run mlp", Outcome::Running);
    book.select({running});
    book.act("Delete");
    QVERIFY(book.question.isEmpty());

    const QString elsewhere = book.folder.filePath("mine.tsr");
    QFile::copy(QString::fromStdString(book.report.path().string()), elsewhere);
    PastRun run;
    run.title = "elsewhere", run.report = elsewhere, run.outcome = Outcome::Finished;
    run.id = book.history.add(run);
    book.list.showRuns();
    book.select({run.id});
    book.act("Delete");
    book.confirm();
    QVERIFY(QFile::exists(elsewhere) && !book.history.find(run.id));
  }

  void oldReportsAreOfferedForClearingBySize() {
    Notebook book;
    book.add("old", "tilescope-cli run mlp");
    auto* clear = book.list.findChild<QPushButton*>("clear");
    emit clear->menu()->aboutToShow();
    QStringList offers;
    for (const QAction* action : clear->menu()->actions()) offers.append(action->text() + (action->isEnabled() ? "" : " -"));
    QVERIFY2(offers.filter(QRegularExpression("^Older than 30 days \\(1.run, [^)]+KiB\\)$")).size() == 1,
             qPrintable(offers.join('\n')));
    QVERIFY2(offers.filter(QRegularExpression("^All but the newest 20 \\(0.runs.* -$")).size() == 1,
             qPrintable(offers.join('\n')));
    clear->menu()->actions().last()->trigger();
    book.confirm();
    QVERIFY(book.history.runs().empty() && !QFile::exists(ui::shell::runsFolder() + "/old.tsr"));
  }
};

TILESCOPE_TEST(RunListTest)
#include "run_list_test.moc"
