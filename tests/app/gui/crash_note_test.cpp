#include "app/gui/crash_note.h"
#include "app/gui/crash_trail.h"
#include "tests/support/test_main.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QTemporaryDir>
#include <QTest>
#include <QWindow>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using app::gui::CrashNote;

namespace {

QString textOf(const QString& path) {
  QFile file(path);
  return file.open(QFile::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// A process that records its messages and its crash, and ends by a signal.
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

  // The open reports, the view and the last actions, kept as plain text that the signal handler only has to write.
  void aNoteSaysWhatWasDone() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitizer catches the signal");
#endif
    const QTemporaryDir folder;
    const app::gui::CrashTrail trail(*QCoreApplication::instance());
    app::gui::trailReports({"/reports/mnist.tsr", "/reports/ä.tsr"});
    app::gui::trailView("memory");
    for (int i = 1; i <= 12; ++i) app::gui::trailAction(QStringLiteral("click %1.").arg(i));
    app::gui::trailAction(QString(5000, 'x')); // too long: cut, and no other is hurt
    QVERIFY(WIFSIGNALED(endOfChild(folder.filePath("log"), SIGSEGV)));
    const CrashNote next(folder.filePath("log"));
    const QString text = textOf(next.takeLast());
    QVERIFY2(text.contains("reports: /reports/mnist.tsr, /reports/ä.tsr\nview: memory\n"), qPrintable(text));
    QVERIFY2(!text.contains("click 3.") && text.contains("did: click 4.\ndid: click 5."), qPrintable(text)); // the last ten
    QVERIFY(text.contains("did: xxx") && !text.contains(QString(300, 'x')));
  }

  // Keys typed into a field are private, so they are not in the note.
  void theTrailHasNoTypedLetters() {
    const QTemporaryDir folder;
    const app::gui::CrashTrail trail(*QCoreApplication::instance());
    QWidget window;
    window.setAccessibleName("Memory per tile");
    QLineEdit field(&window);
    field.setAccessibleName("Filter");
    window.show();
    QTest::keyClick(window.windowHandle(), Qt::Key_W);
    field.setFocus();
    QApplication::setActiveWindow(&window);
    for (const char letter : {'s', 'e', 'c'}) QTest::keyClick(window.windowHandle(), letter);
    QFile file(folder.filePath("trail"));
    QVERIFY(file.open(QFile::ReadWrite));
    app::gui::writeTrail(file.handle());
    const QString text = textOf(file.fileName());
    QVERIFY2(text.contains("a key in QLineEdit “Filter”"), qPrintable(text));
    for (const char* letter : {"key S", "key E", "key C"}) QVERIFY2(!text.contains(letter), qPrintable(text));
  }

  // A list of completions takes the letters of its field; a press of Ctrl alone is offered to every widget around.
  void theTrailHasNoLettersOfListsAndOneLineForAPress() {
    const QTemporaryDir folder;
    const app::gui::CrashTrail trail(*QCoreApplication::instance());
    for (int i = 0; i < 10; ++i) app::gui::trailAction("before");
    QWidget window;
    auto* inner = new QWidget(&window);
    auto* list = new QListView(inner);
    list->setAccessibleName("Completions");
    window.show();
    list->setFocus();
    QApplication::setActiveWindow(&window);
    QTest::keyClick(window.windowHandle(), 's');
    QTest::keyClick(window.windowHandle(), Qt::Key_F9);
    QTest::keyPress(window.windowHandle(), Qt::Key_Control, Qt::ControlModifier);
    QTest::keyClick(window.windowHandle(), Qt::Key_K, Qt::ControlModifier);
    QFile file(folder.filePath("trail"));
    QVERIFY(file.open(QFile::ReadWrite));
    app::gui::writeTrail(file.handle());
    const QString text = textOf(file.fileName());
    QVERIFY2(!text.contains("key S"), qPrintable(text));
    QVERIFY2(text.contains("key F9") && text.contains("key Ctrl+K"), qPrintable(text));
    QVERIFY2(!text.contains("Control in") && text.count("before") >= 7, qPrintable(text));
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
