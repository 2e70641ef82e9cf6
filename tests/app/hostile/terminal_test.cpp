// On a terminal, progress is one line that is overwritten; answers, notes and errors begin at the first column and leave nothing of
// it. Each command that shows progress runs on a pseudo-terminal of its own.
#include "tests/support/synthetic_report.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Screen {
  int code = -1;
  std::vector<std::string> lines; // the lines on the screen at the end
  std::string bytes;
  int drawn = 0; // times that progress was drawn
};

// The lines that a terminal shows for these bytes; knows carriage return, line feed, and ESC [ K.
std::vector<std::string> linesOf(const std::string& bytes) {
  std::vector<std::string> lines(1);
  std::size_t column = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string& line = lines.back();
    if (bytes[i] == '\r') {
      column = 0;
    } else if (bytes[i] == '\n') {
      lines.emplace_back(), column = 0;
    } else if (bytes.compare(i, 3, "\033[K") == 0) {
      line.resize(std::min(column, line.size())), i += 2;
    } else {
      if (line.size() <= column) line.resize(column + 1, ' ');
      line[column++] = bytes[i];
    }
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

Screen onTerminal(const std::vector<std::string>& arguments, const std::filesystem::path& folder, int killAfterDrawing = 0) {
  const std::string program = (std::filesystem::path(TILESCOPE_BINARY_DIR) / "bin" / "tilescope-cli").string();
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  winsize size{24, 250, 0, 0};
  int terminal = -1;
  const int child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    if (chdir(folder.c_str()) == 0) execv(words[0], words.data());
    _exit(127);
  }
  Screen screen;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;) {
    screen.bytes.append(buffer, std::size_t(n));
    if (killAfterDrawing && screen.bytes.find(" %") != std::string::npos) ::kill(child, std::exchange(killAfterDrawing, 0));
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  screen.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  for (std::size_t at = 0; (at = screen.bytes.find(" %", at)) != std::string::npos; ++at) ++screen.drawn;
  screen.lines = linesOf(screen.bytes);
  return screen;
}

} // namespace

class TerminalTest : public QObject {
  Q_OBJECT
  tests::TemporaryFolder m_folder;

private slots:
  void answersStandBelowNoProgress_data() {
    std::ofstream(m_folder / "a.folded") << "main;work 3\n";
    std::ofstream(m_folder / "spec.json")
        << R"({"graph": "triad", "arguments": ["--no-numbers"], "parameters": {"--seed": [1, 2]}})";
    tests::writeSyntheticReport(m_folder / "a.tsr", {});
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("first"); // what the first line begins with
    QTest::addColumn<int>("code");
    QTest::newRow("run") << QStringList{"run", "mnist-train", "-o", "r.tsr"} << "MNIST network" << 0;
    QTest::newRow("run json") << QStringList{"run", "mnist-train", "-o", "r.tsr", "--json"} << "{" << 0;
    QTest::newRow("dry run") << QStringList{"run", "mnist-train", "--dry-run"} << "MNIST network" << 0;
    QTest::newRow("refused") << QStringList{"run", "mnist-train", "--io-tiles", "1472"} << "tilescope-cli: " << 2;
    QTest::newRow("import") << QStringList{"import", "a.folded", "-o", "i.tsr"} << "2 slices" << 0;
    QTest::newRow("export") << QStringList{"export", "a.tsr", "--format", "chrome", "-o", "a.json"} << "" << 0;
    QTest::newRow("export to the terminal") << QStringList{"export", "a.tsr", "--format", "chrome"} << "{" << 0;
    QTest::newRow("plan") << QStringList{"sweep", "plan", "spec.json", "-o", "s"} << "2 runs" << 0;
    QTest::newRow("sweep") << QStringList{"sweep", "run", "s/manifest.jsonl"} << "2 done" << 0;
    QTest::newRow("validate-model") << QStringList{"validate-model"} << "" << 0;
  }
  void answersStandBelowNoProgress() {
    QFETCH(QStringList, words);
    QFETCH(QString, first);
    QFETCH(int, code);
    std::vector<std::string> arguments;
    for (const QString& word : words) arguments.push_back(word.toStdString());
    const Screen screen = onTerminal(arguments, m_folder.path());
    QVERIFY2(screen.code == code || (words[0] == "validate-model" && screen.code == 1), screen.bytes.c_str());
    const std::string begin = first.toStdString();
    if (!begin.empty()) QVERIFY2(!screen.lines.empty() && screen.lines.front().starts_with(begin), screen.bytes.c_str());
    // "finishing the report 0 %MNIST network"
    const std::size_t glued = screen.bytes.find('%');
    QVERIFY2(glued == std::string::npos || screen.drawn == 0 || screen.bytes[glued + 1] == '\r' ||
                 screen.bytes[glued + 1] == '\033' || words[0] == "validate-model",
             screen.bytes.substr(0, glued + 40).c_str());
    for (const char* phase : {"finishing the report", "load the graph", "planning", "compiling", "reading a.folded", "of 2 runs"})
      for (const std::string& line : screen.lines)
        QVERIFY2(line.find(std::string(phase) + " ") == std::string::npos || line.find(" %") == std::string::npos, line.c_str());
  }
  void whatIsCancelledSaysSoInPlaceOfTheProgress() {
    const Screen screen = onTerminal({"run", "bert", "--iterations", "100000", "-o", "c.tsr"}, m_folder.path(), SIGINT);
    QCOMPARE(screen.code, 2);
    QVERIFY2(screen.lines.back() == "tilescope-cli: cancelled", screen.bytes.c_str());
  }
};

TILESCOPE_TEST(TerminalTest)
#include "terminal_test.moc"
