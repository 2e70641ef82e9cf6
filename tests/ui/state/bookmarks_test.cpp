#include "ui/state/bookmarks.h"

#include "reports/core/error.h"
#include "tests/support/test_main.h"
#include "ui/theme/theme.h"
#include "ui/window/bookmark_sheet.h"

#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace ui::shell;

class BookmarksTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  ui::theme::Theme m_theme;

  static Bookmark sample(const QString& note) {
    Bookmark b{note, {}, QDateTime::fromString("2026-11-22T10:00:00Z", Qt::ISODate)};
    b.link.place.view = "trace";
    b.link.place.range = {10, 20};
    return b;
  }

private slots:
  void theyLieBesideTheReport() {
    const QString file = bookmarkFile(m_folder.filePath("a.tsr"));
    QCOMPARE(file, m_folder.filePath("a.tsr.bookmarks.json"));
    QVERIFY(readBookmarks(file).empty());
    const std::vector<Bookmark> bookmarks{sample("the long sync"), sample("ünï \"quoted\"\nsecond line")};
    writeBookmarks(file, bookmarks);
    QCOMPARE(readBookmarks(file), bookmarks);
    writeBookmarks(file, {});
    QVERIFY(!QFile::exists(file));
  }

  void aFileThatIsNoneIsAnError() {
    const QString path = m_folder.filePath("odd.json");
    for (const QByteArray& bytes :
         {QByteArray("{"), QByteArray("[]"), QByteArray("{\"bookmarks\": 3}"), QByteArray("\xff\xfe")}) {
      QFile file(path);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(bytes);
      file.close();
      QVERIFY_EXCEPTION_THROWN(readBookmarks(path), reports::Error);
    }
    QVERIFY_EXCEPTION_THROWN(writeBookmarks(m_folder.filePath("no folder/x.json"), {sample("a")}), reports::Error);
    // A link that somebody planted beside a report.
    const QString planted = m_folder.filePath("planted.json"), target = m_folder.filePath("target");
    QVERIFY(QFile::link(target, planted));
    QVERIFY_EXCEPTION_THROWN(writeBookmarks(planted, {sample("a")}), reports::Error);
    QVERIFY(!QFile::exists(target));
  }

  // The bookmark file beside a stranger's report comes from the stranger.
  void aHostileFileNeitherBlocksNorFillsMemory() {
    const QString fifo = m_folder.filePath("fifo.json"), bomb = m_folder.filePath("bomb.json");
    QCOMPARE(mkfifo(fifo.toUtf8().constData(), 0600), 0);
    QVERIFY_EXCEPTION_THROWN(readBookmarks(fifo), reports::Error);
    QVERIFY_EXCEPTION_THROWN(readBookmarks("/dev/zero"), reports::Error);
    // A quarter of a million tiles in a few letters, a thousand times: 1 GB of them.
    QStringList entries;
    for (int i = 0; i < 1000; ++i) entries << R"({"note": "n", "link": "tilescope:?tiles=0-249998"})";
    QFile file(bomb);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"bookmarks\": [" + entries.join(',').toUtf8() + "]}");
    file.close();
    std::size_t tiles = 0;
    for (const Bookmark& b : readBookmarks(bomb)) tiles += b.link.place.tiles.size();
    QVERIFY(tiles >= 249'999 && tiles < 10'000'000);
  }

  void aNoteIsAddedFoundAndRemoved() {
    QWidget window;
    window.resize(900, 700);
    window.show();
    BookmarkSheet sheet(m_theme, &window);
    QSignalSpy changed(&sheet, &BookmarkSheet::changed), chosen(&sheet, &BookmarkSheet::chosen);
    ViewLink here;
    here.place.view = "memory";
    sheet.open({sample("older")}, here);
    auto* note = sheet.findChild<QLineEdit*>();
    QTest::keyClicks(note, "too full");
    QTest::keyClick(note, Qt::Key_Return);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(sheet.bookmarks().size(), std::size_t(2));
    QCOMPARE(sheet.bookmarks()[0].note, QString("too full"));
    QCOMPARE(sheet.bookmarks()[0].link, here);
    auto* list = sheet.findChild<QListWidget*>();
    list->setCurrentRow(1);
    QTest::keyClick(&sheet, Qt::Key_Delete);
    QCOMPARE(sheet.bookmarks().size(), std::size_t(1));
    emit list->itemActivated(list->item(0));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].value<ViewLink>(), here);
    QVERIFY(!sheet.isVisible());
  }
};

TILESCOPE_TEST(BookmarksTest)
#include "bookmarks_test.moc"
