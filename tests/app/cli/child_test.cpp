#include "app/cli/child.h"

#include "reports/core/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <poll.h>

#include <fstream>

using app::cli::Child;

class ChildTest : public QObject {
  Q_OBJECT

private slots:
  void itsOutputIsAFile() {
    const tests::TemporaryFolder folder;
    const auto file = folder / "out";
    Child child({"/bin/sh", "-c", "echo words; echo first >&2; echo; echo last >&2; exit 3"}, file.string());
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
        Child child({"/bin/sh", "-c", "touch '" + (folder / "ran").string() + "'"}, file.string());
        QFAIL("it was started");
      } catch (const reports::Error& error) {
        QCOMPARE(error.code(), reports::ErrorCode::Io);
        QVERIFY2(std::string(error.what()).find(file.string() + ": cannot be written") != std::string::npos, error.what());
      }
    }
    QVERIFY(!std::filesystem::exists(folder / "ran"));
  }
};

TILESCOPE_TEST(ChildTest)
#include "child_test.moc"
