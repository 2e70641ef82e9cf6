#include "reports/core/regular_file.h"

#include "reports/core/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <sys/stat.h>

#include <fstream>

using reports::ErrorCode;
using reports::readRegularFile;

class RegularFileTest : public QObject {
  Q_OBJECT

  static void refuses(const std::filesystem::path& file, ErrorCode code, const char* words) {
    try {
      readRegularFile(file, 100, "do this");
      QFAIL("it was read");
    } catch (const reports::Error& error) {
      const std::string text = error.what();
      QCOMPARE(reports::errorCodeName(error.code()), reports::errorCodeName(code));
      for (const std::string& part : {std::string(words), file.filename().string(), std::string("do this")})
        QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }
  }

private slots:
  void bytesUpToTheLimit() {
    const tests::TemporaryFolder folder;
    const auto file = folder / "some";
    for (const std::size_t size : {0, 1, 99, 100}) {
      const std::string bytes(size, char(size));
      std::ofstream(file, std::ios::binary) << bytes;
      QCOMPARE(readRegularFile(file, 100), bytes);
    }
    std::ofstream(file, std::ios::binary) << std::string(101, 'x');
    refuses(file, ErrorCode::InvalidInput, "the limit is 100 bytes");
  }
  void filesThatAreNone() {
    const tests::TemporaryFolder folder;
    QCOMPARE(mkfifo((folder / "fifo").c_str(), 0600), 0);
    refuses(folder / "fifo", ErrorCode::InvalidInput, "not a regular file");
    std::filesystem::create_symlink("/dev/zero", folder / "link");
    refuses(folder / "link", ErrorCode::InvalidInput, "not a regular file");
    refuses(folder.path(), ErrorCode::InvalidInput, "folder");
    refuses(folder / "none", ErrorCode::NotFound, "No such file");
  }
  // Its size is meaningless: the system creates the content while it is read.
  void aFileThatIsLongerThanItSays() {
    refuses("/proc/self/smaps", ErrorCode::InvalidInput, "the limit is 100 bytes");
    QVERIFY(readRegularFile("/proc/self/smaps", 1 << 30).size() > 1000);
  }
};

TILESCOPE_TEST(RegularFileTest)
#include "regular_file_test.moc"
