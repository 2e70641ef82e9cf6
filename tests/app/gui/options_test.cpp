// The command line of the window: the accepted arguments, and one clear error for everything else.
#include "app/gui/options.h"
#include "reports/core/error.h"
#include "tests/support/test_main.h"

#include <QTest>

using app::gui::Options;

class GuiOptionsTest : public QObject {
  Q_OBJECT

  static Options parsed(const QStringList& words) {
    bool done = false;
    return app::gui::parseOptions(QStringList{"tilescope"} + words, done);
  }

private slots:
  void everyOptionArrives() {
    const Options o = parsed({"a.tsr", "b.tsr", "--compare", "--view", "memory", "--theme", "dark", "--size", "1280x800"});
    QCOMPARE(o.reports, (QStringList{"a.tsr", "b.tsr"}));
    QCOMPARE(o.view, QString("memory"));
    QCOMPARE(o.dark, std::optional<bool>(true));
    QCOMPARE(o.size, QSize(1280, 800));
    const Options none = parsed({});
    QVERIFY(none.reports.isEmpty() && none.view.isEmpty() && !none.dark && none.size.isEmpty() && none.galleryFolder.isEmpty());
    QVERIFY(!none.newInstance && parsed({"--new-instance"}).newInstance);
    QCOMPARE(parsed({"--gallery", "pictures", "a.tsr"}).galleryFolder, QString("pictures"));
    QVERIFY(!parsed({"--gallery", "pictures", "a.tsr"}).everyTab);
    QVERIFY(parsed({"--gallery", "pictures", "--every-tab", "a.tsr"}).everyTab);
  }

  // The desktop passes files as URLs, and a clicked link, which the window shows before it follows it.
  void urlsAndLinksOfTheDesktop() {
    QCOMPARE(parsed({"file:///reports/a%20b.tsr"}).reports, (QStringList{"/reports/a b.tsr"}));
    const Options clicked = parsed({"tilescope:?report=/reports/a.tsr&view=memory"});
    QVERIFY(clicked.isAsked && clicked.reports.isEmpty() && clicked.at.startsWith("tilescope:?report"));
    QVERIFY(!parsed({"--at", "tilescope:?view=memory"}).isAsked);
    QVERIFY_EXCEPTION_THROWN(parsed({"tilescope:memory"}), reports::Error);
  }

  void errorsNameTheOption_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("part");
    QTest::newRow("unknown") << QStringList{"--wrong"} << "wrong";
    QTest::newRow("nine reports") << QStringList{"1", "2", "3", "4", "5", "6", "7", "8", "9"} << "more than 8 reports";
    QTest::newRow("compare one") << QStringList{"--compare", "a.tsr"} << "--compare";
    QTest::newRow("theme") << QStringList{"--theme", "blue"} << "--theme";
    QTest::newRow("size, a word") << QStringList{"--size", "large"} << "--size";
    QTest::newRow("size, too small") << QStringList{"--size", "10x10"} << "--size";
    QTest::newRow("size, too large") << QStringList{"--size", "99999x800"} << "--size";
    QTest::newRow("link") << QStringList{"--at", "memory"} << "--at";
    QTest::newRow("tabs without pictures") << QStringList{"--every-tab", "a.tsr"} << "--gallery";
    QTest::newRow("gallery of a model") << QStringList{"--gallery", "x", "model.onnx"} << "model.onnx";
  }
  void errorsNameTheOption() {
    QFETCH(QStringList, words);
    QFETCH(QString, part);
    try {
      parsed(words);
      QFAIL("no error");
    } catch (const reports::Error& error) {
      QVERIFY2(error.message().find(part.toStdString()) != std::string::npos, error.message().c_str());
      QVERIFY(!error.advice().empty());
    }
  }
};

TILESCOPE_TEST(GuiOptionsTest)
#include "options_test.moc"
