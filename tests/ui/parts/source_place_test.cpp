// Source locations that reports name: which texts are a location, and which files are never opened.
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"
#include "ui/parts/source_place.h"

#include <QFile>
#include <QTest>

using ui::shell::openSource;
using ui::shell::SourcePlace;
using ui::shell::sourcePlaceIn;

class SourcePlaceTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  QString made(const char* name) {
    const QString path = QString::fromStdString((m_folder / name).string());
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) file.write("text");
    return path;
  }

private slots:
  void wordsAreAPlaceOrNothing() {
    const auto place = sourcePlaceIn("/src/heat (2).cpp:60 in compute");
    QVERIFY(place && place->file == "/src/heat (2).cpp" && place->line == 60);
    QCOMPARE(sourcePlaceIn("HeatPairs · /a/heat.cpp:7").value().file, QString("/a/heat.cpp"));
    for (const char* none : {"", "bert.cpp:60", "/src/heat.cpp", "12", "/a/b\n.cpp:1", "file:///a.cpp:1", "/a.cpp:"})
      QVERIFY2(!sourcePlaceIn(none), none);
  }

  // A report may come from a stranger: it must not run a program, nor a file name with shell commands.
  void onlySourcesAreOpened() {
    const QString record = QString::fromStdString((m_folder / "record").string());
    qputenv("TILESCOPE_EDITOR", QByteArray("sh ") + made("editor.sh").toUtf8() + " {file} {line}");
    QFile editor(QString::fromStdString((m_folder / "editor.sh").string()));
    QVERIFY(editor.open(QIODevice::WriteOnly));
    editor.write("printf %s \"$1|$2\" > '" + record.toUtf8() + ".part' && mv '" + record.toUtf8() + ".part' '" + record.toUtf8() +
                 "'\n");
    editor.close();
    for (const char* name : {"run.desktop", "run.sh", "run", "a.cpp.desktop"})
      QVERIFY(openSource({made(name), 1}).contains("not opened"));
    QVERIFY(openSource({QString::fromStdString((m_folder / "none.cpp").string()), 1}).contains("not on this computer"));
    QVERIFY(openSource({"heat.cpp", 1}).contains("not opened"));
    QVERIFY(!QFile::exists(record));
    const QString file = made("$(touch x) heat.cpp");
    QCOMPARE(openSource({file, 12}), QString());
    QTRY_VERIFY(QFile::exists(record));
    QFile said(record);
    QVERIFY(said.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(said.readAll()), file + "|12");
    qputenv("TILESCOPE_EDITOR", "/none/editor");
    QVERIFY(openSource({file, 1}).contains("TILESCOPE_EDITOR"));
    qunsetenv("TILESCOPE_EDITOR");
  }
};

TILESCOPE_TEST(SourcePlaceTest)
#include "source_place_test.moc"
