// Completion of the command line in shells.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QProcess>
#include <QTest>

#include <fstream>
#include <functional>
#include <sstream>

using tests::cli;

namespace {
bool isInstalled(const char* shell) {
  return QProcess::execute("sh", {"-c", QString("command -v %1 >/dev/null").arg(shell)}) == 0;
}

// As the page writes a hyphen.
std::string roff(std::string text) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 2)) text.insert(at, "\\");
  return text;
}

std::string outputOf(const QString& shell, const QStringList& arguments) {
  const tests::TemporaryFolder empty; // its files would be offered
  QProcess process;
  process.setWorkingDirectory(QString::fromStdString(empty.path().string()));
  process.start(shell, arguments);
  return process.waitForFinished() ? process.readAllStandardOutput().toStdString() : std::string();
}
} // namespace

class CompletionTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;
  std::string scriptOf(const std::string& shell) {
    const std::string file = (m_folder / ("tilescope-cli." + shell)).string();
    std::ofstream(file) << cli({"completion", shell}).out;
    return file;
  }
  // The words that bash offers for a line; the last one of the line is being typed.
  std::string inBash(const QString& line) {
    const QString script = QStringLiteral("source '%1'; COMP_WORDS=(%2); [[ '%2' == *' ' ]] && COMP_WORDS+=(''); "
                                          "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tilescope_cli; echo \"${COMPREPLY[*]}\"")
                               .arg(QString::fromStdString(scriptOf("bash")), line);
    return outputOf("bash", {"--norc", "-c", script});
  }

private slots:
  // Every option in the help of every command and subcommand is in the completion scripts and on the manual page.
  void everyOptionOfTheHelpIsInTheScriptsAndTheManual() {
    const std::string bash = cli({"completion", "bash"}).out, zsh = cli({"completion", "zsh"}).out,
                      fish = cli({"completion", "fish"}).out, manual = cli({"manual"}).out;
    int options = 0;
    const std::function<void(const app::cli::CommandWords&, std::vector<std::string>)> check =
        [&](const app::cli::CommandWords& command, std::vector<std::string> path) {
          path.push_back(command.name);
          std::vector<std::string> asked = path;
          asked.emplace_back("--help");
          std::istringstream help(cli(asked).out);
          std::string at;
          for (const std::string& word : path) at += " " + word;
          const std::string ofFish = "= \\'" + at + "\\'";
          for (std::string line; std::getline(help, line);) {
            const std::size_t begin = line.find("--"), end = line.find_first_of(" =,\n", begin);
            if (line.find_first_not_of(' ') != 2 || begin == std::string::npos || begin > 6) continue; // no line of an option
            const std::string name = line.substr(begin, end - begin);
            QVERIFY2(bash.find(name) != std::string::npos && zsh.find(name + "[") != std::string::npos, name.c_str());
            bool inFish = false;
            std::istringstream lines(fish);
            for (std::string one; std::getline(lines, one) && !inFish;)
              inFish = one.find(ofFish) != std::string::npos && one.find(" -l " + name.substr(2)) != std::string::npos;
            QVERIFY2(inFish, (at + " " + name).c_str());
            if (name != "--help") QVERIFY2(manual.find(roff(name)) != std::string::npos, name.c_str());
            ++options;
          }
          QVERIFY2(manual.find(".SS " + roff(at.substr(1))) != std::string::npos, at.c_str());
          for (const auto& below : command.commands) check(below, path);
        };
    for (const auto& command : app::cli::commandWords().commands) check(command, {});
    QVERIFY(options > 100);
    tests::verifyFails(cli({"completion", "tcsh"}), "tcsh");
  }

  // A terminal of 100 columns breaks no line of the help; only a word without a space may be longer.
  void linesOfTheHelpFitAHundredColumns() {
    int lines = 0;
    const std::function<void(const app::cli::CommandWords&, std::vector<std::string>)> check =
        [&](const app::cli::CommandWords& command, std::vector<std::string> asked) {
          asked.push_back(command.name);
          std::vector<std::string> help = asked;
          help.emplace_back("--help");
          std::istringstream text(cli(help).out);
          for (std::string line; std::getline(text, line); ++lines)
            QVERIFY2(line.size() <= 100 || line.rfind(' ') < 20, line.c_str());
          for (const auto& below : command.commands) check(below, asked);
        };
    for (const auto& command : app::cli::commandWords().commands) check(command, {});
    std::istringstream text(cli({"--help"}).out);
    for (std::string line; std::getline(text, line);) QVERIFY2(line.size() <= 100, line.c_str());
    QVERIFY(lines > 300);
  }

  void theManualPageTellsValuesAndIsFormatted() {
    const auto page = cli({"manual"});
    QVERIFY(page.out.find("\n.B \\-\\-partials half|float\n") != std::string::npos);
    QVERIFY(page.out.find("\n.B \\-\\-json\n") != std::string::npos); // a flag takes no value
    QVERIFY(page.out.find("also of a sample that trains (default: sgd)\n") != std::string::npos);
    QVERIFY(page.out.find(".SH ENVIRONMENT\n") != std::string::npos);
    QVERIFY(page.out.find("\n.I GRAPH\na sample's name") != std::string::npos);
    if (!isInstalled("man")) QSKIP("man is not installed: the page is not formatted");
    std::ofstream((m_folder / "page.1").string()) << page.out;
    QProcess man;
    man.start("man", {"--warnings", "-l", QString::fromStdString((m_folder / "page.1").string())});
    QVERIFY(man.waitForFinished());
    QCOMPARE(QString::fromUtf8(man.readAllStandardError()), QString());
  }

  void bashCompletes_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("offered");
    QTest::newRow("command") << "tilescope-cli summ"
                             << "summary\n";
    QTest::newRow("option") << "tilescope-cli run mnist --prec"
                            << "--precision\n";
    QTest::newRow("value") << "tilescope-cli run --partials "
                           << "half float\n";
    QTest::newRow("value behind a sign") << "tilescope-cli run --machine = gc20"
                                         << "gc200\n"; // as bash parts --machine=gc20
    QTest::newRow("optimiser") << "tilescope-cli run x.onnx --optimiser adag"
                               << "adagrad\n";
    QTest::newRow("parameter of a sample") << "tilescope-cli run bert --set accumu"
                                           << "accumulation=\n";
    QTest::newRow("parameters of this sample alone") << "tilescope-cli run matmul --set s"
                                                     << "streams=\n";
    QTest::newRow("a number is no file") << "tilescope-cli run mnist --ipus "
                                         << "\n";
    QTest::newRow("engine option") << "tilescope-cli run mnist --engine-option prng.s"
                                   << "prng.seed=\n";
    QTest::newRow("pass") << "tilescope-cli run x.onnx --disable-pass al"
                          << "all\n";
    QTest::newRow("shell") << "tilescope-cli completion f"
                           << "fish\n";
    QTest::newRow("machine") << "tilescope-cli run --machine gc20"
                             << "gc200\n";
    QTest::newRow("sample") << "tilescope-cli run mnist-tr"
                            << "mnist-train\n";
    QTest::newRow("command below") << "tilescope-cli sweep mer"
                                   << "merge\n";
    QTest::newRow("option below") << "tilescope-cli sweep emit --he"
                                  << "--help\n";
    QTest::newRow("nothing") << "tilescope-cli nonsense"
                             << "\n";
  }
  void bashCompletes() {
    if (!isInstalled("bash")) QSKIP("bash is not installed");
    QFETCH(QString, line);
    QFETCH(QString, offered);
    QCOMPARE(QString::fromStdString(inBash(line)), offered);
  }
  void fishCompletes() {
    if (!isInstalled("fish")) QSKIP("fish is not installed");
    const QString source = "source " + QString::fromStdString(scriptOf("fish")) + "; complete -C '%1'";
    QVERIFY(outputOf("fish", {"--no-config", "-c", source.arg("tilescope-cli run --prec")}).starts_with("--precision\t"));
    QVERIFY(outputOf("fish", {"--no-config", "-c", source.arg("tilescope-cli run --partials h")}).starts_with("half"));
    QVERIFY(outputOf("fish", {"--no-config", "-c", source.arg("tilescope-cli sweep mer")}).starts_with("merge\t"));
    QCOMPARE(outputOf("fish", {"--no-config", "-c", source.arg("tilescope-cli sweep run --prec")}),
             std::string()); // is another run
  }
  void zshReadsTheScript() {
    if (!isInstalled("zsh")) QSKIP("zsh is not installed");
    QCOMPARE(QProcess::execute("zsh", {"-f", "-n", QString::fromStdString(scriptOf("zsh"))}), 0);
  }
};

TILESCOPE_TEST(CompletionTest)
#include "completion_test.moc"
