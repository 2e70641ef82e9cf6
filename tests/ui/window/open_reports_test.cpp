#include "ui/window/open_reports.h"

#include "analyser/session/session.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "ui/jobs/job_board.h"
#include "ui/state/view_state.h"

#include <QSignalSpy>
#include <QTest>

using namespace ui::shell;

class OpenReportsTest : public QObject {
  Q_OBJECT

  static QString pathOf(const tests::TinyReport& report) { return QString::fromStdString(report.path().string()); }

private slots:
  void theStepsRunInTheirOrder() {
    const tests::TinyReport a, b;
    ViewState state;
    ui::jobs::JobBoard jobs;
    OpenReports reports(state, jobs);
    QStringList seen;
    ReportChange last;
    const auto step = [&](const QString& name) {
      return [&seen, &last, &reports, name](const ReportChange& change) {
        seen << QStringLiteral("%1 %2%3").arg(name).arg(reports.files().size()).arg(reports.isTaking() ? "!" : "");
        last = change;
      };
    };
    reports.setSteps({.leave = {step("leave")}, .take = {step("first"), step("second")}, .show = {step("show")}, .grow = {}});
    QSignalSpy finished(&reports, &OpenReports::finished), failed(&reports, &OpenReports::failed);
    const auto open = [&](const QStringList& files) {
      const auto before = finished.count();
      seen.clear();
      reports.open(files);
      return QTest::qWaitFor([&] { return finished.count() > before; }, 20000);
    };
    QVERIFY(open({pathOf(a), pathOf(b)}));
    QCOMPARE(seen, (QStringList{"leave 0", "first 2!", "second 2!", "show 2"}));
    QVERIFY(!last.isSame && !last.isExchanged && last.sessions.other == reports.sessions().other);
    QVERIFY(open({pathOf(b), pathOf(a)}));
    QVERIFY(!last.isSame && last.isExchanged);
    QCOMPARE(reports.shown(), reports.sessions().base);
    state.setShown(Shown::Other);
    QCOMPARE(reports.shown(), reports.sessions().other);
    reports.reload();
    QTRY_COMPARE(finished.count(), 3);
    QVERIFY(last.isSame);
    // A report that cannot be opened leaves the open ones unchanged.
    QVERIFY(open({pathOf(a) + "x"}));
    QVERIFY(seen.isEmpty() && failed.count() == 1 && reports.files().size() == 2);
    reports.close();
    QCOMPARE(seen, (QStringList{"leave 2", "first 0!", "second 0!", "show 0"}));
    QVERIFY(!reports.shown());
  }

  // Manual pairs stay valid if the two reports are swapped.
  void pairsFollowTheirReports() {
    const tests::TinyReport a, b;
    ViewState state;
    ui::jobs::JobBoard jobs;
    OpenReports reports(state, jobs);
    analyser::compare::PairingRules taken;
    reports.setSteps(
        {.leave = {}, .take = {[&](const ReportChange& change) { taken = change.pairing; }}, .show = {}, .grow = {}});
    QSignalSpy finished(&reports, &OpenReports::finished);
    reports.open({pathOf(a), pathOf(b)});
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(taken.together.empty());
    analyser::compare::PairingRules byHand;
    byHand.together.push_back({"x", "y"});
    state.notes().setPairing(byHand);
    reports.open({pathOf(b), pathOf(a)});
    QTRY_COMPARE(finished.count(), 2);
    QCOMPARE(taken.together.size(), std::size_t(1));
    QCOMPARE(taken.together[0].first, std::string("y"));
    reports.open({pathOf(a)});
    QTRY_COMPARE(finished.count(), 3);
    QVERIFY(taken.together.empty());
  }
};

TILESCOPE_TEST(OpenReportsTest)
#include "open_reports_test.moc"
