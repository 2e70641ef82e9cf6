#include "ui/window/file_watch.h"

#include "tests/support/test_main.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui::shell;

class FileWatchTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;

  QString write(const QString& name, const QByteArray& bytes) {
    QFile file(m_folder.filePath(name));
    if (file.open(QIODevice::WriteOnly)) file.write(bytes);
    return file.fileName();
  }

private slots:
  void aReplacedFileChanged() {
    FileWatch watch;
    QSignalSpy changed(&watch, &FileWatch::changed), removed(&watch, &FileWatch::removed);
    const QString file = write("a.tsr", "one");
    watch.setFiles({file});
    const QString next = write("next", "another");
    QVERIFY(QFile::remove(file) && QFile::rename(next, file));
    QTRY_COMPARE(changed.count(), 1);
    QCOMPARE(changed[0][0].toString(), file);
    QCOMPARE(removed.count(), 0);
  }

  void aDeletedFileIsCalledDeleted() {
    FileWatch watch;
    QSignalSpy changed(&watch, &FileWatch::changed), removed(&watch, &FileWatch::removed);
    const QString file = write("b.tsr", "one");
    watch.setFiles({file});
    QVERIFY(QFile::remove(file));
    QTRY_COMPARE(removed.count(), 1);
    QCOMPARE(changed.count(), 0);
    write("b.tsr", "written again"); // and it is watched on
    QTRY_COMPARE(changed.count(), 1);
  }
};

TILESCOPE_TEST(FileWatchTest)
#include "file_watch_test.moc"
