#include "app/cli/child.h"

#include "reports/core/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>

using app::cli::Child;

class ChildTest : public QObject {
  Q_OBJECT

private slots:
  void itsOutputIsAFile() {
    const tests::TemporaryFolder folder;
    const auto file = folder / "out";
    Child child({.words = {"/bin/sh", "-c", "echo words; echo first >&2; echo; echo last >&2; exit 3"}, .output = file.string()});
    while (!child.check()) {
      pollfd pipe{child.descriptor(), POLLIN, 0};
      poll(&pipe, 1, 100);
    }
    QCOMPARE(child.exitCode(), 3);
    QCOMPARE(child.lastLine(), std::string("last"));
    QCOMPARE(child.lineBeforeLast(), std::string("first"));
    std::string word;
    QVERIFY(std::ifstream(file) >> word);
    QCOMPARE(word, std::string("words"));
  }
  // If its output went nowhere, a child would look like one without output.
  void anOutputThatCannotBeWrittenIsAnError() {
    const tests::TemporaryFolder folder;
    for (const auto& file : {folder / "none" / "out", folder.path()}) {
      try {
        Child child({.words = {"/bin/sh", "-c", "touch '" + (folder / "ran").string() + "'"}, .output = file.string()});
        QFAIL("it was started");
      } catch (const reports::Error& error) {
        QCOMPARE(error.code(), reports::ErrorCode::Io);
        QVERIFY2(std::string(error.what()).find(file.string() + ": cannot be written") != std::string::npos, error.what());
      }
    }
    QVERIFY(!std::filesystem::exists(folder / "ran"));
  }

  void aProgramHasItsFolderAndEnvironment() {
    const tests::TemporaryFolder folder;
    Child child({.words = {"/bin/sh", "-c", "echo $GREETING in $(pwd) >&2; exit 4"},
                 .folder = folder.path().string(),
                 .environment = std::vector<std::string>{"GREETING=hello"},
                 .hasGroup = true});
    QVERIFY(child.endsWithin(std::chrono::seconds(20)));
    QCOMPARE(child.exitCode(), 4);
    QCOMPARE(child.lastLine(), "hello in " + std::filesystem::canonical(folder.path()).string());
    Child lost({.words = {"/bin/true"}, .folder = (folder / "none").string()});
    QVERIFY(lost.endsWithin(std::chrono::seconds(20)));
    QCOMPARE(lost.exitCode(), int(Child::kNoFolder));
  }

  // The pipe stays open as long as anybody writes to it: what the program started in the background, too.
  void aGroupEndsWithWhatItStarted() {
    Child child(
        {.words = {"/bin/sh", "-c", "trap 'echo asked >&2; exit 5' TERM; (trap '' TERM; exec sleep 60) & echo ready >&2; wait"},
         .hasGroup = true});
    while (child.lastLine() != "ready") QVERIFY(!child.endsWithin(std::chrono::milliseconds(1)));
    child.askToEnd();
    QVERIFY(child.endsWithin(std::chrono::seconds(20)));
    QCOMPARE(child.exitCode(), 5);
    QCOMPARE(child.lastLine(), std::string("asked"));
    child.kill();
    while (child.descriptor() >= 0) { // closed by the last of them
      pollfd pipe{child.descriptor(), POLLIN, 0};
      QVERIFY(poll(&pipe, 1, 20'000) == 1);
      std::array<char, 16> rest{};
      if (read(child.descriptor(), rest.data(), rest.size()) == 0) break;
    }
  }

  void aSignalIsToldFromAnExitCode() {
    Child child({.words = {"/bin/sh", "-c", "exec sleep 60"}});
    child.kill();
    QVERIFY(child.endsWithin(std::chrono::seconds(20)));
    QCOMPARE(child.exitCode(), -1);
    QCOMPARE(child.signal(), SIGKILL);
  }
};

TILESCOPE_TEST(ChildTest)
#include "child_test.moc"
