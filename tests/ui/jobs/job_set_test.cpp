#include "ui/jobs/job_set.h"

#include "tests/support/test_main.h"

#include <QSignalSpy>
#include <QTest>

#include <future>
#include <optional>

using namespace ui::jobs;

class JobSetTest : public QObject {
  Q_OBJECT

private slots:
  void isBusyWhileOneOfItsJobsIs() {
    LatestJob<int> quick("counting", nullptr), slow("waiting", nullptr);
    JobSet set;
    set.add({&quick, &slow});
    QVERIFY(!set.isBusy());
    const QSignalSpy changes(&set, &JobSet::busyChanged);
    std::promise<void> release;
    slow.start([&](std::stop_token, reports::Progress&) { return release.get_future().wait(), 1; }, [](int) {});
    quick.start([](std::stop_token, reports::Progress&) { return 2; }, [](int) {});
    QTRY_VERIFY(!quick.isBusy());
    QVERIFY(set.isBusy());
    release.set_value();
    QTRY_VERIFY(!set.isBusy());
    QCOMPARE(changes.count(), 4); // each began and ended
  }

  void dropsWhatRunsAndWhatWasDelivered() {
    LatestJob<int> answered("counting", nullptr), asked("waiting", nullptr);
    JobSet set;
    set.add({&answered, &asked});
    answered.start([](std::stop_token, reports::Progress&) { return 42; }, [](int) {});
    QTRY_VERIFY(answered.result());
    bool delivered = false;
    asked.start([](std::stop_token, reports::Progress&) { return 1; }, [&](int) { delivered = true; });
    set.drop();
    QVERIFY(!set.isBusy());
    QVERIFY(!answered.result() && !asked.result());
    asked.start([](std::stop_token, reports::Progress&) { return 2; }, [](int) {}); // a late answer would come before this one
    QTRY_VERIFY(asked.result());
    QVERIFY(!delivered);
  }

  void aJobMayGoBeforeItsSet() {
    JobSet set;
    std::optional<LatestJob<int>> job;
    job.emplace("counting", nullptr);
    set.add({&*job});
    job.reset();
    QVERIFY(!set.isBusy());
    set.drop();
  }
};

TILESCOPE_TEST(JobSetTest)
#include "job_set_test.moc"
