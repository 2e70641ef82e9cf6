// Words of the command line that shells complete.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QProcess>
#include <QTest>

#include <fstream>

using tests::cli;

namespace {
bool isInstalled(const char* shell) {
  return QProcess::execute("sh", {"-c", QString("command -v %1 >/dev/null").arg(shell)}) == 0;
}

std::string outputOf(const QString& shell, const QStringList& arguments) {
  QProcess process;
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
  // What bash offers for a line; its last word is the one that is being typed.
  std::string inBash(const QString& line) {
    const QString script = QStringLiteral("source '%1'; COMP_WORDS=(%2); [[ '%2' == *' ' ]] && COMP_WORDS+=(''); "
                                          "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tilescope_cli; echo \"${COMPREPLY[*]}\"")
                               .arg(QString::fromStdString(scriptOf("bash")), line);
    return outputOf("bash", {"--norc", "-c", script});
  }

private slots:
  // From the commands as they are declared: an option that help shows is in each script.
  void everyOptionOfTheHelpIsInTheScripts() {
    for (const std::string shell : {"bash", "zsh", "fish"}) {
      const auto script = cli({"completion", shell});
      QCOMPARE(script.code, 0);
      for (const auto& command : app::cli::commandWords().commands) {
        QVERIFY2(script.out.find(command.name) != std::string::npos, command.name.c_str());
        const std::string help = cli({command.name, "--help"}).out;
        for (const auto& option : command.options)
          for (const std::string& name : option.names) {
            QVERIFY2(help.find(name) != std::string::npos, name.c_str());
            const std::string word = shell != "fish" ? name : name.substr(name.starts_with("--") ? 2 : 1);
            QVERIFY2(script.out.find(word) != std::string::npos, (shell + ": " + name).c_str());
          }
      }
    }
    tests::verifyFails(cli({"completion", "tcsh"}), "tcsh");
  }

  void theManualPageHasEveryCommandAndOption() {
    const auto page = cli({"manual"});
    QCOMPARE(page.code, 0);
    for (const auto& command : app::cli::commandWords().commands) {
      const std::string roff = [&] {
        std::string text = command.name;
        for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 2)) text.insert(at, "\\");
        return text;
      }();
      QVERIFY2(page.out.find(".SS " + roff) != std::string::npos, roff.c_str());
    }
    QVERIFY(page.out.find("\n.B \\-\\-partials half|float\n") != std::string::npos);
    QVERIFY(page.out.find("\n.B \\-\\-json\n") != std::string::npos); // a flag takes no value
    if (!isInstalled("man")) QSKIP("man is not installed: the page is not formatted");
    QFile(QString::fromStdString((m_folder / "page.1").string())).remove();
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
  }
  void zshReadsTheScript() {
    if (!isInstalled("zsh")) QSKIP("zsh is not installed");
    QCOMPARE(QProcess::execute("zsh", {"-f", "-n", QString::fromStdString(scriptOf("zsh"))}), 0);
  }
};

TILESCOPE_TEST(CompletionTest)
#include "completion_test.moc"
