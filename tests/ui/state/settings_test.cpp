#include "ui/state/settings.h"

#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include <csignal>

using namespace ui::shell;

class SettingsTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;

private slots:
  // Two windows are two programs that write one file. Here the other program writes it by hand.
  void twoWindowsLoseNoRecentReport() {
    const QString path = m_folder.filePath("two.ini");
    Settings mine(path);
    mine.addRecent({"/reports/mine.tsr"});
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QString text = QString::fromUtf8(file.readAll());
    file.close();
    QVERIFY2(text.contains("1\\files=/reports/mine.tsr"), qPrintable(text));
    text.replace("1\\files=/reports/mine.tsr", "1\\files=/reports/theirs.tsr\n2\\files=/reports/mine.tsr")
        .replace("size=1", "size=2");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.toUtf8());
    file.close();
    mine.addRecent({"/reports/again.tsr"});
    QCOMPARE(mine.recent(), (QList<QStringList>{{"/reports/again.tsr"}, {"/reports/theirs.tsr"}, {"/reports/mine.tsr"}}));
    mine.removeRecent({"/reports/theirs.tsr"});
    QCOMPARE(mine.recent(), (QList<QStringList>{{"/reports/again.tsr"}, {"/reports/mine.tsr"}}));
    mine.clearRecent();
    QVERIFY(mine.recent().isEmpty());
  }

  void noMoreReportsAreRememberedThanWished() {
    Settings settings(m_folder.filePath("few.ini"));
    settings.setRecentCount(3);
    for (const char* file : {"/reports/a.tsr", "/reports/b.tsr", "/reports/c.tsr", "/reports/d.tsr", "/reports/e.tsr"})
      settings.addRecent({file});
    QCOMPARE(settings.recent(), (QList<QStringList>{{"/reports/e.tsr"}, {"/reports/d.tsr"}, {"/reports/c.tsr"}}));
    settings.setRecentCount(1);
    QCOMPARE(settings.recent().size(), 1);
  }

  // The settings on the disk stay intact; the window continues with the values in memory.
  void F24_diskFullWhileSettingsAreWritten() {
    const QString path = m_folder.filePath("full.ini");
    Settings(path).addRecent({"/reports/kept.tsr"});
    auto* const before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit none{0, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
    {
      Settings settings(path);
      settings.setPointSize(13);
      settings.addRecent({"/reports/new.tsr"});
      QCOMPARE(settings.pointSize(), 13);
      QCOMPARE(settings.recent().first(), QStringList("/reports/new.tsr"));
    }
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, before);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY2(text.contains("kept.tsr") && !text.contains("new.tsr"), text.constData());
  }

  // Qt allocates a list of the length in such a value before it reads the list: gigabytes from one line.
  void aFileWithValuesOfAnotherEncodingIsMovedAside() {
    const QString path = m_folder.filePath("encoded.ini");
    {
      Settings own(path);
      own.setGeometry(QByteArray::fromHex("000102ff414243405c22"));
      own.addRecent({"/reports/@Home (1)/é\\x.tsr", "/reports/\"b\"\n.tsr"});
      own.setPointSize(13);
    }
    QCOMPARE(Settings(path).pointSize(), 13); // what it writes itself stays
    QCOMPARE(Settings(path).geometry(), QByteArray::fromHex("000102ff414243405c22"));
    for (const char* value : {"@Variant(\\0\\0\\0\\x7f\\0)", "@Va\"\"riant(1)", "\\x40Variant(1)", "\\100Variant(1)",
                              "@Variant\\x28 1)", "@V\\\nariant(1)", "@DateTime(1)", "@V\\x61riant(1)"}) {
      QFile file(path);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(QByteArray("[look]\npoints=15\n[recent]\nsize=1\n1\\files=") + value + "\n");
      file.close();
      const Settings read(path);
      QVERIFY2(read.pointSize() != 15 && read.recent().isEmpty(), value);
      QVERIFY(QFile::exists(path + ".damaged"));
    }
  }

  void aDamagedFileMeansDefaults() {
    QFile file(m_folder.filePath("damaged.ini"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("\x00\xff[[[[=\n\x01recent", 14);
    file.close();
    Settings settings(file.fileName());
    QVERIFY(settings.recent().isEmpty());
    settings.addRecent({"/a.tsr"});
    QCOMPARE(settings.recent().size(), 1);
  }
};

TILESCOPE_TEST(SettingsTest)
#include "settings_test.moc"
