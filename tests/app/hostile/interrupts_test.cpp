// Ctrl+C ends the program in any phase, soon, with exit code 2, one line that says so, and no file left over. "Soon" is processor
// time, so other work on the computer makes no difference.
#include "tests/app/hostile/child_process.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace fs = std::filesystem;

namespace {

constexpr double kMostSeconds = 3; // of processor time after the signal: a second on each of two or three processors
constexpr auto kGlance = std::chrono::milliseconds(5);

using tests::contentOf;

double secondsOf(pid_t process) {
  std::string stat = contentOf("/proc/" + std::to_string(process) + "/stat");
  std::istringstream words(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::string word;
  double ticks = 0;
  for (int i = 3; words >> word; ++i)
    if (i == 14 || i == 15) ticks += std::atof(word.c_str()); // utime, stime
  return ticks / double(sysconf(_SC_CLK_TCK));
}

struct Interrupted {
  bool wasRunning = false; // at the moment, in the phase
  int code = -1;
  double seconds = 0; // of processor time from the signal to the end
  std::string error;
};

// Starts the program, waits until it says `phase` (or nothing, if empty) and has worked a moment, and sends SIGINT.
Interrupted interrupted(const std::vector<std::string>& words, const std::string& phase, const fs::path& folder,
                        const fs::path& errors) {
  const std::string program = (fs::path(TILESCOPE_BINARY_DIR) / "bin" / "tilescope-cli").string();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int error = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), nowhere = ::open("/dev/null", O_WRONLY);
    dup2(error, STDERR_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    if (chdir(folder.c_str()) != 0) _exit(127);
    execv(argv[0], argv.data());
    _exit(127);
  }
  Interrupted result;
  int status = 0;
  double since = -1;
  for (;;) {
    if (waitpid(child, &status, WNOHANG) == child) break;
    const double now = secondsOf(child);
    if (since < 0 && contentOf(errors).find("\"phase\":\"" + phase) != std::string::npos) since = now;
    if (phase.empty() && since < 0) since = 0;
    if (since >= 0 && now >= since + 0.15) {
      result.wasRunning = true;
      kill(child, SIGINT);
      rusage usage{};
      wait4(child, &status, 0, &usage);
      const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; };
      result.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime) - now;
      break;
    }
    std::this_thread::sleep_for(kGlance); // waits because another process sends no signal: its state is polled
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  result.error = contentOf(errors);
  return result;
}

} // namespace

class InterruptsTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder, m_inputs;

private slots:
  void everyPhase_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("phase");
    const QStringList out{"-o", "r.tsr", "--progress", "json"};
    const QStringList large{"run", "bert-pipeline", "--set", "layers=64",      "--machine", "bow-pod64", "--ipus",
                            "64",  "--pipeline",    "64",    "--accumulation", "128"};
    QTest::newRow("the graph is compiled") << (large + QStringList{"--no-numbers"} + out) << "compiling"; // for 1.5 s
    QTest::newRow("numbers") << (QStringList{"run", "resnet50", "--iterations", "1000"} + out) << "running";
    QTest::newRow("iterations of training") << (QStringList{"run", "mnist-train", "--iterations", "1000000"} + out) << "running";
    QTest::newRow("vertex by vertex") << (QStringList{"run", "mnist-train", "--vertex-by-vertex", "--iterations", "1000"} + out)
                                      << "running";
    const fs::path stacks = m_inputs / "stacks.folded", report = m_inputs / "long.tsr";
    {
      std::ofstream file(stacks);
      for (int i = 0; i < 3'000'000; ++i) file << "main;step" << i % 1000 << ";work" << i << " 3\n";
    }
    tests::ReportShape shape;
    shape.slices = 4'000'000;
    tests::writeSyntheticReport(report, shape);
    const QString trace = QString::fromStdString(stacks.string()), tsr = QString::fromStdString(report.string());
    QTest::newRow("a trace is imported") << (QStringList{"import", trace} + out) << "";
    QTest::newRow("a query")
        << QStringList{"query", tsr, "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c",
                       "--time-limit", "1000"}
        << "";
    QTest::newRow("a query over slices")
        << QStringList{"query", tsr,
                       "SELECT count(*), sum(a.duration_ticks) FROM slice a, slice b WHERE a.start_tick < b.start_tick",
                       "--time-limit", "1000"}
        << "";
    QTest::newRow("an export") << QStringList{"export", tsr, "--format", "chrome", "-o", "out.json"} << "";
    QTest::newRow("measurements are compared") << QStringList{"validate-model", "--progress", "json"} << "";
  }
  void everyPhase() {
    QFETCH(QStringList, words);
    QFETCH(QString, phase);
    std::vector<std::string> arguments;
    for (const QString& word : words) arguments.push_back(word.toStdString());
    const Interrupted end = interrupted(arguments, phase.toStdString(), m_folder.path(), m_inputs / "errors");
    QVERIFY2(end.wasRunning, ("it ended before it could be interrupted: " + end.error).c_str());
    QVERIFY2(end.code == 2, (std::to_string(end.code) + ": " + end.error).c_str());
    QVERIFY2(end.error.ends_with("tilescope-cli: cancelled\n"), end.error.c_str());
    qInfo("%.2f s of processor time after the signal", end.seconds);
    QVERIFY2(end.seconds < kMostSeconds, std::to_string(end.seconds).c_str());
    for (const auto& entry : fs::directory_iterator(m_folder.path())) QFAIL(("left over: " + entry.path().string()).c_str());
  }
};

TILESCOPE_TEST(InterruptsTest)
#include "interrupts_test.moc"
