#include "reports/core/error.h"
#include "simcore/run/auto_reports.h"
#include "simcore/run/engine_options.h"
#include "tests/support/test_main.h"

#include <QCborMap>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using simcore::run::EngineOptionSet;

class EngineOptionsTest : public QObject {
  Q_OBJECT
private slots:
  void defaultsAreGivenAndWhatIsSetWins() {
    EngineOptionSet o;
    QVERIFY(o.flag("debug.instrument") && !o.isSet("debug.instrument"));
    o.readJson(R"({"debug.instrument": "false", "prng.seed": 7, "autoReport.all": true})", "test");
    QVERIFY(!o.flag("debug.instrument") && o.isSet("debug.instrument"));
    QCOMPARE(o.integer("prng.seed"), 7LL);
    o.set("prng.seed", "9", "test");
    QCOMPARE(o.all().at("prng.seed"), std::string("9"));
    QCOMPARE(o.all().at("debug.allowOutOfMemory"), std::string("true"));
  }
  void unknownNamesAreKeptAndNotedOnce() {
    EngineOptionSet o;
    o.set("opt.enableInlining", "true", "test");
    o.set("opt.enableInlining", "false", "test");
    QCOMPARE(o.unknown(), std::vector<std::string>{"opt.enableInlining"});
    QCOMPARE(o.all().at("opt.enableInlining"), std::string("false"));
  }
  void reportsAreThoseAskedFor() {
    using Files = std::vector<std::string>;
    qunsetenv("TILESCOPE_REPORT");
    const auto files = [](const std::map<std::string, std::string>& options) {
      EngineOptionSet set;
      for (const auto& [name, value] : options) set.set(name, value, "test");
      return simcore::run::reportsAskedFor(set);
    };
    QCOMPARE(files({{"autoReport.directory", "out"}}), Files());
    for (const char* isTrue : {"true", "True", "1"})
      QCOMPARE(files({{"autoReport.all", isTrue}}), (Files{"./profile.pop", "./debug.cbor"}));
    QCOMPARE(files({{"autoReport.outputDebugInfo", "true"}, {"autoReport.directory", "out"}}), Files{"out/debug.cbor"});
    QCOMPARE(
        files({{"autoReport.all", "true"}, {"autoReport.outputDebugInfo", "false"}, {"autoReport.outputGraphProfile", "false"}}),
        Files{"./profile.pop"});
  }
  void debugInfoIsCbor() {
    const QTemporaryDir folder;
    const std::string file = folder.filePath("debug.cbor").toStdString();
    QVERIFY(simcore::run::isDebugInfo(file) && !simcore::run::isDebugInfo(file + ".tsr"));
    simcore::run::writeDebugInfo(file);
    QFile read(QString::fromStdString(file));
    QVERIFY(read.open(QIODevice::ReadOnly));
    const QCborMap map = QCborValue::fromCbor(read.readAll()).toMap();
    QCOMPARE(map.size(), 2);
    QVERIFY(map["contexts"].isArray() && map["stringTable"].isArray());
    QVERIFY_THROWS_EXCEPTION(reports::Error, simcore::run::writeDebugInfo(folder.filePath("none/debug.cbor").toStdString()));
  }
  void mistakesAreErrors_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::newRow("not JSON") << QByteArray("{");
    QTest::newRow("an array") << QByteArray("[1]");
    QTest::newRow("nested") << QByteArray(R"({"debug.instrument": {"a": 1}})");
    QTest::newRow("not a flag") << QByteArray(R"({"debug.instrument": "maybe"})");
    QTest::newRow("not a number") << QByteArray(R"({"prng.seed": "x"})");
    QTest::newRow("threads below 0") << QByteArray(R"({"opt.maxCompilationThreads": -1})");
    QTest::newRow("no pattern") << QByteArray(R"({"profiler.blocks.filter": "*stage"})");
    QTest::newRow("a long pattern") << QByteArray("{\"profiler.programs.filter\": \"") + QByteArray(1001, 'a') +
                                           QByteArray("\"}");
    QTest::newRow("no room for a record") << QByteArray(R"({"profiler.blocks.bufferSize": 23})");
    QTest::newRow("a tile below 0") << QByteArray(R"({"profiler.blocks.tile": -1})");
    QTest::newRow("no report flag") << QByteArray(R"({"autoReport.all": "all"})");
    QTest::newRow("no name") << QByteArray(R"({"debug..x": 1})");
  }
  void mistakesAreErrors() {
    QFETCH(QByteArray, json);
    EngineOptionSet o;
    QVERIFY_THROWS_EXCEPTION(reports::Error, o.readJson(json.toStdString(), "test"));
  }
};

TILESCOPE_TEST(EngineOptionsTest)
#include "engine_options_test.moc"
