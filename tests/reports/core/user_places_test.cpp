#include "reports/core/error.h"
#include "reports/core/user_places.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <filesystem>
#include <sys/stat.h>

namespace fs = std::filesystem;

class UserPlacesTest : public QObject {
  Q_OBJECT

private slots:
  // Neither level of the cache may be a link, wherever it leads.
  void aPrivateFolderIsOursAtBothLevels() {
    const tests::TemporaryFolder folder;
    const fs::path cache = folder / "a" / "b" / "tilescope" / "remote";
    reports::requirePrivateFolder(cache, "copies");
    for (const fs::path& level : {cache, cache.parent_path()}) QCOMPARE(unsigned(fs::status(level).permissions()), 0700u);

    fs::create_directories(folder / "theirs" / "remote");
    fs::create_directories(folder / "c");
    fs::create_directory_symlink(folder / "theirs", folder / "c" / "tilescope");
    QVERIFY_EXCEPTION_THROWN(reports::requirePrivateFolder(folder / "c" / "tilescope" / "remote", "copies"), reports::Error);

    fs::create_directories(folder / "d" / "tilescope");
    fs::create_directory_symlink(folder / "theirs", folder / "d" / "tilescope" / "remote");
    QVERIFY_EXCEPTION_THROWN(reports::requirePrivateFolder(folder / "d" / "tilescope" / "remote", "copies"), reports::Error);
  }
};

TILESCOPE_TEST(UserPlacesTest)
#include "user_places_test.moc"
