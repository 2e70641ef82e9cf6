#include "ui/jobs/latest_job.h"

#include "tests/support/test_main.h"
#include "ui/jobs/job_board.h"

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <future>

using namespace ui::jobs;

class LatestJobTest : public QObject {
  Q_OBJECT

private slots:
  void deliversOnTheThreadOfTheJob() {
    LatestJob<int> job("counting", nullptr);
    QThread *worked = nullptr, *delivered = nullptr;
    job.start([&](std::stop_token, reports::Progress&) { return worked = QThread::currentThread(), 42; },
              [&](int) { delivered = QThread::currentThread(); });
    QVERIFY(job.isBusy());
    QTRY_VERIFY(!job.isBusy());
    QCOMPARE(*job.result(), 42);
    QCOMPARE(delivered, QThread::currentThread());
    QVERIFY(worked && worked != delivered);
  }

  void onlyTheNewestOfManyRequestsIsDelivered() {
    LatestJob<int> job("counting", nullptr);
    std::promise<void> entered, release;
    auto gate = release.get_future().share();
    std::vector<int> delivered;
    std::atomic<int> worked = 0;
    // The first request holds the worker until all others are queued behind it.
    job.start(
        [&, gate](std::stop_token, reports::Progress&) {
          ++worked;
          entered.set_value();
          gate.wait();
          return 0;
        },
        [&](int v) { delivered.push_back(v); });
    entered.get_future().wait();
    for (int i = 1; i <= 20; ++i)
      job.start([&, i](std::stop_token, reports::Progress&) { return ++worked, i; }, [&](int v) { delivered.push_back(v); });
    release.set_value();
    QTRY_VERIFY(!job.isBusy());
    QCOMPARE(delivered, std::vector<int>{20});
    QCOMPARE(worked.load(), 2); // the first and the last; those between never ran
  }

  void aNewRequestStopsTheRunningOne() {
    LatestJob<int> job("waiting", nullptr);
    std::promise<void> entered;
    std::atomic<bool> stopped = false;
    job.start(
        [&](std::stop_token stop, reports::Progress&) -> int {
          entered.set_value();
          while (!stop.stop_requested()) std::this_thread::yield();
          stopped = true;
          throw reports::Cancelled();
        },
        [](int) { QFAIL("a stopped request was delivered"); },
        [](const reports::Error&) { QFAIL("cancelling is not a failure"); });
    entered.get_future().wait();
    job.start([](std::stop_token, reports::Progress&) { return 7; }, [](int) {});
    QTRY_VERIFY(!job.isBusy());
    QVERIFY(stopped);
    QCOMPARE(*job.result(), 7);
  }

  void cancelKeepsTheOldResult() {
    LatestJob<int> job("waiting", nullptr);
    job.start([](std::stop_token, reports::Progress&) { return 1; }, [](int) {});
    QTRY_VERIFY(!job.isBusy());
    QSignalSpy cancelled(&job, &JobBase::cancelled);
    job.start(
        [](std::stop_token stop, reports::Progress&) -> int {
          while (!stop.stop_requested()) std::this_thread::yield();
          return 2;
        },
        [](int) { QFAIL("delivered after cancel"); });
    job.cancel();
    QVERIFY(!job.isBusy());
    QCOMPARE(cancelled.count(), 1);
    job.start([](std::stop_token, reports::Progress&) { return 3; }, [](int) {});
    QCOMPARE(*job.result(), 1);
    QTRY_COMPARE(*job.result(), 3);
  }

  void failuresArriveAsErrors() {
    LatestJob<int> job("failing", nullptr);
    QString message;
    const auto failed = [&](const reports::Error& e) { message = QString::fromStdString(e.message()); };
    job.start([](std::stop_token, reports::Progress&) -> int { throw reports::Error(reports::ErrorCode::Damaged, "cut short"); },
              [](int) {}, failed);
    QTRY_COMPARE(message, QString("cut short"));
    job.start([](std::stop_token, reports::Progress&) -> int { throw std::runtime_error("odd"); }, [](int) {}, failed);
    QTRY_COMPARE(message, QString("odd"));
    QVERIFY(!job.result());
  }

  void theBoardListsRunningJobsWithProgress() {
    JobBoard board;
    LatestJob<int> job("reading", &board);
    std::promise<void> release;
    auto gate = release.get_future().share();
    job.start(
        [gate](std::stop_token, reports::Progress& progress) {
          progress.phase("names");
          progress.update(0.5);
          gate.wait();
          return 1;
        },
        [](int) {});
    QCOMPARE(board.running().size(), 1u);
    QTRY_COMPARE(job.phase(), QString("names"));
    QTRY_COMPARE(job.fraction(), 0.5);
    release.set_value();
    QTRY_VERIFY(board.running().empty());
  }

  // An event that a delivery posts (to draw what it changed) comes before the next delivery.
  void resultsAreDeliveredOneATurn() {
    DeliveryQueue queue;
    std::string seen;
    const auto deliver = [&] {
      seen += 'd';
      QMetaObject::invokeMethod(
          qApp, [&] { seen += 'e'; }, Qt::QueuedConnection);
    };
    for (int i = 0; i < 3; ++i) queue.add(*this, deliver);
    QCOMPARE(seen, std::string("d")); // the first at once
    QTRY_COMPARE(seen.size(), std::size_t(6));
    QCOMPARE(seen, std::string("dedede"));
  }

  void aReceiverThatIsGoneLeavesTheOthersTheirTurn() {
    DeliveryQueue queue;
    auto gone = std::make_unique<QObject>();
    std::string seen;
    queue.add(*this, [&] { seen += 'a'; });
    queue.add(*gone, [&] { seen += 'b'; });
    queue.add(*this, [&] { seen += 'c'; });
    gone.reset();
    QTRY_COMPARE(seen, std::string("ac"));
    queue.add(*this, [&] { seen += 'd'; });
    QTRY_COMPARE(seen, std::string("acd"));
  }

  // A delivery that waits for an answer (a dialog) does not block the others.
  void aDeliveryMayWaitForTheNext() {
    DeliveryQueue queue;
    bool delivered = false;
    queue.add(*this, [] {});
    queue.add(*this, [&] { QVERIFY(QTest::qWaitFor([&] { return delivered; })); });
    queue.add(*this, [&] { delivered = true; });
    QTRY_VERIFY(delivered);
  }

  void jobsOfABoardTakeTurns() {
    JobBoard board;
    LatestJob<int> first("first", &board), second("second", &board);
    int delivered = 0;
    for (auto* job : {&first, &second})
      job->start([](std::stop_token, reports::Progress&) { return 1; }, [&](int one) { delivered += one; });
    QTRY_COMPARE(delivered, 2);
    QVERIFY(!first.isBusy() && !second.isBusy() && board.running().empty());
  }

  void destroyingABusyJobStopsAndJoins() {
    std::atomic<bool> left = false;
    std::promise<void> entered;
    {
      LatestJob<int> job("waiting", nullptr);
      job.start(
          [&](std::stop_token stop, reports::Progress&) {
            entered.set_value();
            while (!stop.stop_requested()) std::this_thread::yield();
            left = true;
            return 0;
          },
          [](int) { QFAIL("delivered after the job was gone"); });
      entered.get_future().wait();
    }
    QVERIFY(left);
  }

  // The worker checks for work and then sleeps: a job destroyed between the two used to wait for it for ever.
  void aJobMayBeDestroyedWhileItsWorkerFallsAsleep() {
    for (int i = 0; i < 20'000; ++i) {
      std::atomic<bool> left = false;
      LatestJob<int> job("ending", nullptr);
      job.start([&](std::stop_token, reports::Progress&) { return left = true, 0; }, [](int) {});
      while (!left) std::this_thread::yield();
      for (std::atomic<int> spin = 0; spin < i % 512; ++spin) {
      }
    }
  }
};

TILESCOPE_TEST(LatestJobTest)
#include "latest_job_test.moc"
