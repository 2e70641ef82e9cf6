// The save dialog starts in the folder of the last save, also after a restart; it does not fail if the folder no longer exists.
#include "ui/theme/save_dialog.h"

#include "tests/support/test_main.h"

#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace ui::theme;

namespace {

struct Asked {
  QString folder, name, answer; // what the dialog began with, and what saveFileName() gave
};

// Answers the dialog with `choice`, or cancels it.
Asked ask(const QString& proposed, const QString& choice) {
  Asked asked;
  QTimer look;
  QObject::connect(&look, &QTimer::timeout, [&] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    look.stop();
    asked.folder = dialog->directory().absolutePath();
    asked.name = QFileInfo(dialog->selectedFiles().value(0)).fileName();
    if (choice.isEmpty()) return dialog->reject();
    dialog->findChild<QLineEdit*>("fileNameEdit")->setText(choice); // as a user types it
    QMetaObject::invokeMethod(dialog, "accept");                    // protected there
  });
  look.start(10);
  asked.answer = saveFileName(nullptr, "Save", proposed, "CSV (*.csv)");
  return asked;
}

} // namespace

class SaveDialogTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); }
  void cleanup() { keepSaveFolder({}, {}); }

  void theFolderOfTheLastOneIsProposed() {
    const QTemporaryDir folder;
    const QString first = folder.filePath("first"), second = folder.filePath("second");
    QVERIFY(QDir().mkpath(first) && QDir().mkpath(second));
    QStringList kept;
    keepSaveFolder({}, [&](const QString& path) { kept << path; });
    QCOMPARE(ask(first + "/a.csv", {}).answer, QString());
    QVERIFY(kept.isEmpty()); // cancelled
    const Asked one = ask(first + "/a.csv", second + "/mine.csv");
    QCOMPARE(one.folder, first);
    QCOMPARE(one.answer, second + "/mine.csv");
    const Asked two = ask(first + "/b.csv", second + "/other.csv");
    QCOMPARE(two.folder, second);
    QCOMPARE(two.name, QString("b.csv"));
    QCOMPARE(kept, QStringList{second});
  }

  void aFolderThatIsGoneIsLeft() {
    const QTemporaryDir folder;
    keepSaveFolder(folder.filePath("gone"), {});
    QCOMPARE(ask(folder.filePath("a.csv"), folder.filePath("b.csv")).folder, folder.path());
    keepSaveFolder(folder.path(), {});
    QCOMPARE(ask("a.csv", {}).folder, folder.path());
  }
};

TILESCOPE_TEST(SaveDialogTest)
#include "save_dialog_test.moc"
