// Marks for the findings of Insights: each view shows the number of findings with evidence in it, and a click selects the evidence.
#include "ui/parts/finding_marks.h"

#include "analyser/insights/insights.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "ui/jobs/job_board.h"
#include "ui/state/view_state.h"
#include "ui/theme/theme.h"
#include "ui/window/findings_reader.h"

#include <QMenu>
#include <QSignalSpy>
#include <QTest>

using namespace ui::shell;
using analyser::insights::Insight;

class FindingMarksTest : public QObject {
  Q_OBJECT

  static Insight finding(const char* view, const char* title) {
    Insight i;
    i.title = title, i.where = "model/fwd/conv";
    i.what << "a sentence";
    i.cycles = reports::Cycles(12'000);
    i.evidence.view = view;
    return i;
  }
  static ReportNotes::Findings three() {
    auto all = std::make_shared<analyser::insights::Insights>();
    all->list = {finding("memory", "Fullest tiles"), finding("operations", "Unused tiles"), finding("memory", "Gaps")};
    all->list[0].bytes = reports::Bytes(2048);
    all->list[0].evidence.tiles = {reports::TileId(7)};
    all->list[0].evidence.tab = "variables";
    all->list[1].evidence.step = reports::ProgramStepId(3), all->list[1].evidence.operation = reports::OperationId(2);
    return all;
  }

private slots:
  void aViewCountsItsOwn() {
    ui::theme::Theme theme;
    ViewState state;
    FindingMarks marks(theme, state);
    marks.setView("memory");
    QVERIFY(marks.isHidden());
    state.notes().setFindings(three());
    QVERIFY(!marks.isHidden());
    QCOMPARE(marks.text(), QString("2"));
    QVERIFY2(marks.menu()->actions().first()->text().contains("(2.00"), qPrintable(marks.menu()->actions().first()->text()));
    marks.setView("operations");
    QCOMPARE(marks.text(), QString("1"));
    marks.setView("trace");
    QVERIFY(marks.isHidden());
  }

  // Findings for the marks are read in the background, once per report.
  void theyAreReadForTheMarks() {
    const tests::TinyReport report;
    ViewState state;
    ui::jobs::JobBoard jobs;
    FindingsReader reader(state, jobs);
    const SessionPointer session = analyser::Session::open(report.path().string());
    reader.read(session);
    QVERIFY(QTest::qWaitFor([&] { return state.notes().findings() != nullptr; }, 20000));
    QVERIFY(!state.notes().findings()->list.empty());
    const auto known = state.notes().findings();
    reader.read(session);
    QCOMPARE(state.notes().findings(), known);
    reader.forget();
    QVERIFY(!state.notes().findings());
    // If another report is shown while the findings of the first are read, only the other report's findings arrive.
    const tests::TinyReport bigger({.ipus = 1, .operations = 6});
    const SessionPointer other = analyser::Session::open(bigger.path().string());
    reader.read(session);
    reader.read(other);
    QVERIFY(QTest::qWaitFor([&] { return state.notes().findings() != nullptr; }, 20000));
    const auto expected = analyser::insights::insights(*other);
    QCOMPARE(state.notes().findings()->list.size(), expected.list.size());
    QCOMPARE(state.notes().findings()->list.front().what.text(), expected.list.front().what.text());
  }

  void aClickSelectsTheEvidence() {
    ui::theme::Theme theme;
    ViewState state;
    FindingMarks marks(theme, state);
    state.notes().setFindings(three());
    marks.setView("memory");
    QSignalSpy selected(&marks, &FindingMarks::evidenceSelected), all(&marks, &FindingMarks::allRequested);
    marks.menu()->actions().first()->trigger();
    QCOMPARE(selected.count(), 1);
    QCOMPARE(state.tiles(), std::vector<reports::TileId>{reports::TileId(7)});
    QCOMPARE(state.messages().take<ShowTab>("memory").value_or(ShowTab()).tab, QString("variables"));
    marks.setView("operations");
    marks.menu()->actions().first()->trigger();
    QCOMPARE(state.operation(), reports::OperationId(2));
    QCOMPARE(state.step(), reports::ProgramStepId(3));
    marks.menu()->actions().last()->trigger();
    QCOMPARE(all.count(), 1);
  }

  void anotherReportHasNoneYet() {
    ui::theme::Theme theme;
    ViewState state;
    FindingMarks marks(theme, state);
    marks.setView("memory");
    state.notes().setFindings(three());
    state.setShown(Shown::Other);
    QVERIFY(marks.isHidden() && !state.notes().findings());
    state.notes().setFindings(three());
    state.reset();
    QVERIFY(marks.isHidden());
  }
};

TILESCOPE_TEST(FindingMarksTest)
#include "finding_marks_test.moc"
