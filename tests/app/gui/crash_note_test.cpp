#include "app/gui/crash_note.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using app::gui::CrashNote;

namespace {

QString textOf(const QString& path) {
  QFile file(path);
  return file.open(QFile::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// A process that ends by a signal while its messages and its end are recorded.
int endOfChild(const QString& folder, int number) {
  const pid_t child = ::fork();
  if (child == 0) {
    const CrashNote note(folder);
    qWarning("the last words");
    std::raise(number);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

} // namespace

class CrashNoteTest : public QObject {
  Q_OBJECT
private slots:
  void aCrashLeavesANoteThatIsToldOfOnce() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitizer catches the signal");
#endif
    const QTemporaryDir folder;
    const int status = endOfChild(folder.filePath("log"), SIGSEGV);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    const CrashNote next(folder.filePath("log"));
    const QString note = next.takeLast();
    QVERIFY(!note.isEmpty());
    const QString text = textOf(note);
    QVERIFY2(text.startsWith("Tilescope ") && text.contains("SIGSEGV") && text.contains("[0x"), qPrintable(text));
    QVERIFY(app::gui::crashText(note).contains(note));
    QVERIFY(next.takeLast().isEmpty());
    QVERIFY(textOf(folder.filePath("log/tilescope.log")).contains("the last words"));
  }

  void anOrdinaryEndLeavesNone() {
    const QTemporaryDir folder;
    { const CrashNote note(folder.path()); }
    const CrashNote next(folder.path());
    QVERIFY(next.takeLast().isEmpty());
  }

  void theLogTellsWhatWentWell() {
    const QTemporaryDir folder;
    {
      const CrashNote note(folder.path());
      qInfo("opened %s", "mnist.tsr");
    }
    const QString log = textOf(folder.filePath("tilescope.log"));
    QVERIFY2(log.contains(" info opened mnist.tsr"), qPrintable(log));
  }

  void aLongLogBeginsAnew() {
    const QTemporaryDir folder;
    QFile log(folder.filePath("tilescope.log"));
    QVERIFY(log.open(QFile::WriteOnly));
    log.write(QByteArray(2 << 20, 'x'));
    log.close();
    const CrashNote note(folder.path());
    QVERIFY(QFile::exists(folder.filePath("tilescope.log.1")));
    QVERIFY(QFileInfo(folder.filePath("tilescope.log")).size() < 1000);
  }

  void aFolderThatCannotBeMadeIsNoReasonToFail() {
    const CrashNote note("/proc/nowhere/log");
    QVERIFY(note.takeLast().isEmpty());
  }
};

TILESCOPE_TEST(CrashNoteTest)
#include "crash_note_test.moc"
