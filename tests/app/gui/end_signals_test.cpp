#include "app/gui/end_signals.h"
#include "tests/support/test_main.h"

#include <QSignalSpy>
#include <QTest>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using app::gui::EndSignals;

class EndSignalsTest : public QObject {
  Q_OBJECT
private slots:
  void aSignalAsksTheWindowToEnd() {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
      EndSignals signals_;
      QSignalSpy asked(&signals_, &EndSignals::asked);
      std::raise(number);
      QVERIFY(asked.wait(20000));
      QCOMPARE(asked.size(), 1);
    }
  }

  void aSecondSignalEndsAProgramThatHangs() {
    const pid_t child = ::fork();
    if (child == 0) {
      const EndSignals signals_;
      std::raise(SIGTERM);
      std::raise(SIGTERM);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  }

  void afterItTheDefaultHoldsAgain() {
    const pid_t child = ::fork();
    if (child == 0) {
      { const EndSignals signals_; }
      std::raise(SIGTERM);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  }
};

TILESCOPE_TEST(EndSignalsTest)
#include "end_signals_test.moc"
