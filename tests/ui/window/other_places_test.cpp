#include "tests/support/test_main.h"
#include "ui/state/settings.h"
#include "ui/window/manual.h"
#include "ui/window/other_places.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui::shell;

class OtherPlacesTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;

private slots:
  void initTestCase() {
    QFile file(m_folder.filePath("fake-cli"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "#!/bin/sh\necho '[{\"name\": \"bert\", \"title\": \"BERT in training\"}, {\"name\": \"mlp\", \"title\": \"Sales\"}]'\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("TILESCOPE_CLI", file.fileName().toUtf8());
  }
  void cleanupTestCase() { qunsetenv("TILESCOPE_CLI"); }

  void samplesRecentReportsAndChaptersAreFound() {
    Settings settings(m_folder.filePath("settings.ini"));
    settings.addRecent({"/reports/bert-base.tsr", "/reports/bert-large.tsr"});
    settings.addRecent({"/reports/mlp.tsr"});
    OtherPlaces places(settings);
    QSignalSpy changed(&places, &OtherPlaces::changed), opened(&places, &OtherPlaces::openRequested);
    QSignalSpy ran(&places, &OtherPlaces::runRequested), shown(&places, &OtherPlaces::chapterRequested);
    places.prepare();
    QTRY_COMPARE(changed.count(), 1);
    const auto found = places.find("bert");
    QCOMPARE(found.size(), std::size_t(2));
    QCOMPARE(found[0].title, QString::fromUtf8("bert-base.tsr  ↔  bert-large.tsr"));
    QCOMPARE(found[1].title, QString("Run bert"));
    found[0].run();
    found[1].run();
    QCOMPARE(opened.first().first().toStringList().size(), 2);
    QCOMPARE(ran.first().first().toString(), QString("bert"));
    QCOMPARE(places.find("sal").front().title, QString("Run mlp")); // by its title
    QVERIFY(places.find("b").empty() && places.find("zebra").empty());

    // Runs, by name, tag or note; without a report there is nothing to open.
    RunHistory history;
    PastRun run;
    run.title = "zebra on Bow", run.tags = "paper, final", run.report = m_folder.filePath("zebra.tsr");
    history.add(run);
    run.title = "zebra on GC2", run.report = m_folder.filePath("none.tsr");
    history.add(run);
    QFile written(m_folder.filePath("zebra.tsr"));
    QVERIFY(written.open(QIODevice::WriteOnly));
    places.prepare();
    for (const char* words : {"zebra", "paper", "fin bow"}) {
      const auto runs = places.find(words);
      QCOMPARE(runs.size(), std::size_t(1));
      QCOMPARE(runs[0].title, QString("zebra on Bow"));
    }
    places.find("zebra")[0].run();
    QCOMPARE(opened.last().first().toStringList(), QStringList{m_folder.filePath("zebra.tsr")});

    const auto help = places.findHelp("liveness");
    QVERIFY(!help.empty());
    help.front().run();
    QCOMPARE(manualChapters()[std::size_t(shown.first().first().toInt())].title, help.front().title);
  }
};

TILESCOPE_TEST(OtherPlacesTest)
#include "other_places_test.moc"
