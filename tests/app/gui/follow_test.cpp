// A window follows a recording of this process: recorded events appear by themselves, and the visible range stays.
// The times from the write to the picture are printed; TILESCOPE_FOLLOWED is the number of slices that are timed, 3 without it, and
// TILESCOPE_FOLLOWED_BEFORE how many are in the recording by then.
#include "app/gui/trace_state.h"
#include "app/gui/view_list.h"
#include "reports/recording/tilescope_trace.h"
#include "tests/support/test_main.h"
#include "ui/plot/timeline.h"
#include "ui/runs/trace_follower.h"
#include "ui/state/settings.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"
#include "ui/window/report_chooser.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <sys/stat.h>

#include <algorithm>
#include <vector>

namespace trace = tilescope_trace;
using namespace ui;

class FollowTest : public QObject {
  Q_OBJECT

  static constexpr int kLongestMs = 60'000;
  static QString cli() { return QStringLiteral(TILESCOPE_BINARY_DIR "/bin/tilescope-cli"); }
  static void record(const trace::Channel& channel, const std::string& label) {
    const trace::Scope scope(channel, label);
    QTest::qSleep(3); // waits because a slice needs a length
  }
  static plot::Timeline* timelineOf(shell::MainWindow& window) {
    if (window.state().view() != QStringLiteral("host") || !window.currentView()) return nullptr;
    return window.currentView()->findChild<plot::Timeline*>();
  }
  // The axis includes the new slice, and the timeline has read its slices again.
  static bool showsMoreThan(shell::MainWindow& window, reports::TickRange before) {
    const plot::Timeline* timeline = timelineOf(window);
    return timeline && timeline->extent().end > before.end && !timeline->isBusy();
  }

private slots:
  void initTestCase() {
    if (!QFileInfo::exists(cli())) QSKIP("tilescope-cli is not built");
    qputenv("TILESCOPE_CLI", cli().toUtf8());
  }
  void cleanupTestCase() { qunsetenv("TILESCOPE_CLI"); }

  void slicesAppearWhileTheyAreRecorded() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("run.tsrec");
    theme::Theme theme;
    shell::Settings settings(folder.filePath("settings.ini"));
    shell::MainWindow window(theme, settings, app::gui::viewList());
    window.resize(1280, 800);
    window.show();
    window.follow(file, &app::gui::traceState); // it is not there yet
    trace::Options options;
    options.directory = folder.path().toStdString();
    options.file = "run.tsrec";
    QVERIFY(trace::start(options));
    const trace::Channel channel("work");
    for (int i = qEnvironmentVariableIntValue("TILESCOPE_FOLLOWED_BEFORE"); i > 0; --i)
      const trace::Scope scope(channel, "before");
    record(channel, "first");
    QVERIFY(QTest::qWaitFor([&] { return showsMoreThan(window, {0, 0}); }, kLongestMs));
    record(channel, "second");
    const auto one = timelineOf(window)->extent();
    QVERIFY(QTest::qWaitFor([&] { return showsMoreThan(window, one); }, kLongestMs));

    // The window answers meanwhile: the longest pause of its event loop is printed, too.
    QElapsedTimer beat;
    qint64 longestPause = 0;
    QTimer pulse;
    connect(&pulse, &QTimer::timeout, this, [&] { longestPause = std::max(longestPause, beat.restart()); });
    pulse.start(5);
    beat.start();
    std::vector<qint64> delays;
    const int rounds = std::max(3, qEnvironmentVariableIntValue("TILESCOPE_FOLLOWED"));
    for (int i = 0; i < rounds; ++i) {
      const auto before = timelineOf(window)->extent();
      record(channel, "slice " + std::to_string(i));
      QElapsedTimer clock;
      clock.start();
      QVERIFY(QTest::qWaitFor([&] { return showsMoreThan(window, before); }, kLongestMs));
      delays.push_back(clock.elapsed());
    }
    std::sort(delays.begin(), delays.end());
    qInfo("from the end of a slice to its picture: median %lld ms, longest %lld ms of %d; longest pause of the window %lld ms",
          delays[delays.size() / 2], delays.back(), rounds, longestPause);

    // The visible range stays.
    plot::Timeline* timeline = timelineOf(window);
    const auto whole = timeline->extent();
    const reports::TickRange part{whole.begin + whole.size() / 4, whole.begin + whole.size() / 2};
    timeline->showExactly(part);
    record(channel, "last");
    QVERIFY(QTest::qWaitFor([&] { return showsMoreThan(window, whole); }, kLongestMs));
    QCOMPARE(timelineOf(window)->visibleRange(), part);
    trace::stop();
  }

  // The command of the window follows one trace after another; the first keeps its tab.
  void theWindowAsksForTraces() {
    const QTemporaryDir folder;
    theme::Theme theme;
    shell::Settings settings(folder.filePath("settings.ini"));
    shell::MainWindow window(theme, settings, app::gui::viewList());
    window.show();
    connect(&window, &shell::MainWindow::followRequested, &window,
            [&window](const QString& file) { window.follow(file, &app::gui::traceState); });
    for (const char* name : {"one.folded", "two.folded"}) {
      QFile file(folder.filePath(name));
      QVERIFY(file.open(QIODevice::WriteOnly) && file.write("main;work 3\n") > 0);
      file.close();
      const auto before = window.openTabs().size();
      emit window.findChild<shell::ReportChooser*>()->followRequested(file.fileName()); // as its dialog does
      QVERIFY(QTest::qWaitFor([&] { return window.openTabs().size() == before + 1; }, kLongestMs));
    }
    QVERIFY(window.openTabs()[0].files[0].endsWith("one.folded.tsr") && window.openTabs()[1].files[0].endsWith("two.folded.tsr"));
  }

  // A FIFO is refused; a file that never appears, or is removed, is reported. None of them blocks the window.
  void whatCannotBeFollowedIsSaid() {
    const QTemporaryDir folder;
    const QString fifo = folder.filePath("fifo"), late = folder.filePath("late.folded");
    QCOMPARE(::mkfifo(QFile::encodeName(fifo).constData(), 0600), 0);
    shell::TraceFollower refused(fifo, &app::gui::traceState);
    QSignalSpy failed(&refused, &shell::TraceFollower::failed);
    refused.start();
    QVERIFY(failed.wait(kLongestMs));
    shell::TraceFollower waits(late, &app::gui::traceState);
    waits.setPatience(100);
    QSignalSpy missed(&waits, &shell::TraceFollower::missed), grown(&waits, &shell::TraceFollower::grown);
    waits.start();
    QVERIFY(missed.wait(kLongestMs));
    QVERIFY(missed[0][0].toString().contains("late.folded has not been written"));
    QFile file(late);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("main;work 3\n") > 0);
    file.close();
    QVERIFY(grown.wait(kLongestMs));
    QVERIFY(file.remove());
    QVERIFY(missed.wait(kLongestMs));
    QVERIFY(missed[1][0].toString().contains("was removed"));
  }
};

TILESCOPE_TEST(FollowTest)
#include "follow_test.moc"
