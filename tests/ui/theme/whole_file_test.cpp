// A file is written whole, or the old one stays: also if the disk is full, the source is gone or the copy is stopped.
#include "ui/theme/whole_file.h"

#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/resource.h>

using namespace ui::theme;

namespace {

QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

// No file may grow beyond `bytes` while it exists.
struct FileLimit {
  explicit FileLimit(rlim_t bytes) : handler(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit limit{bytes, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
  }
  rlimit old{};
  void (*handler)(int);
};

} // namespace

class WholeFileTest : public QObject {
  Q_OBJECT

private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_from = m_folder->filePath("from"), m_to = m_folder->filePath("to");
    m_large = QByteArray(9'000'000, 'x') + "end"; // more than two blocks
    QCOMPARE(writeWhole(m_from, m_large), QString());
    QCOMPARE(writeWhole(m_to, "old"), QString());
  }
  void cleanup() {
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden).size(), m_files); // no part is left behind
    m_folder.reset();
  }

  void aCopyReplaces() {
    m_files = 2;
    QCOMPARE(copyWhole(m_from, m_to), QString());
    QCOMPARE(bytesOf(m_to), m_large);
    QCOMPARE(bytesOf(m_from), m_large);
  }

  void aCopyThatFailsLeavesTheOldFile() {
    m_files = 1;
    {
      const FileLimit limit(5'000'000);
      QVERIFY(!copyWhole(m_from, m_to).isEmpty());
    }
    QCOMPARE(bytesOf(m_to), QByteArray("old"));
    QVERIFY(QFile::remove(m_from));
    QVERIFY(!copyWhole(m_from, m_to).isEmpty());
    QCOMPARE(bytesOf(m_to), QByteArray("old"));
  }

  void aCopyThatIsStoppedLeavesTheOldFile() {
    m_files = 2;
    std::stop_source source;
    source.request_stop();
    QVERIFY(!copyWhole(m_from, m_to, source.get_token()).isEmpty());
    QCOMPARE(bytesOf(m_to), QByteArray("old"));
  }

private:
  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_from, m_to;
  QByteArray m_large;
  qsizetype m_files = 0; // that a test leaves
};

TILESCOPE_TEST(WholeFileTest)
#include "whole_file_test.moc"
