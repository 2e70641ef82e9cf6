#include "analyser/session/repeat.h"
#include "analyser/sweep/manifest.h"

#include "analyser/sweep/record.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <sys/stat.h>

#include <fstream>
#include <set>

using namespace analyser::sweep;

class ManifestTest : public QObject {
  Q_OBJECT
private slots:
  void everyCombinationOnce() {
    const Manifest m = plan("{'graph': 'mnist-train', 'arguments': ['--no-numbers'], 'parameters': {'batch': [16, 32, 64], "
                            "'--machine': ['gc200', 'bow'], '--vertex-by-vertex': [false, true]}}");
    QCOMPARE(m.configurations.size(), std::size_t(12));
    QCOMPARE(m.parameters.size(), std::size_t(3));
    std::set<std::string> keys;
    for (const auto& c : m.configurations) {
      QCOMPARE(c.key.size(), std::size_t(64));
      keys.insert(c.key);
      QCOMPARE(c.arguments[0], std::string("mnist-train"));
      QCOMPARE(c.arguments[1], std::string("--no-numbers"));
    }
    QCOMPARE(keys.size(), std::size_t(12));
    const auto& last = m.configurations.back().arguments;
    QVERIFY(std::find(last.begin(), last.end(), "--vertex-by-vertex") != last.end());
    QVERIFY(std::find(last.begin(), last.end(), "batch=64") != last.end());
  }
  void keysAreOfTheRunNotOfTheSpec() {
    const auto one = plan("{'graph': 'mlp', 'parameters': {'batch': [8]}}"),
               two = plan("{'graph': 'mlp', 'cases': [{'batch': 8}, {'batch': 8}]}");
    QCOMPARE(two.configurations.size(), std::size_t(1));
    QCOMPARE(one.configurations[0].key, two.configurations[0].key);
  }
  // A run takes a file or folder of this name too, so a stranger's manifest must be asked about.
  void modelsAreFilesWhateverTheirNames() {
    const tests::TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "proj");
    std::ofstream(folder.path() / "proj" / "model.onnx") << "x";
    std::ofstream(folder.path() / "plain") << "x";
    for (const char* name : {"..", ".", "Proj", "a b", "x.onnx", "a/b", "proj", "plain"})
      QVERIFY2(analyser::readsGraph(name, folder.path()), name);
    for (const char* name : {"bert", "bert-pipeline", "resnet50"}) QVERIFY2(!analyser::readsGraph(name, folder.path()), name);
  }

  void anotherModelOfTheSameNameIsAnotherRun() {
    const tests::TemporaryFolder folder;
    const std::string file = (folder.path() / "model.onnx").string(), spec = "{'graph': '" + file + "', 'cases': [{}]}";
    std::ofstream(file) << "one";
    const std::string first = plan(spec).configurations[0].key;
    std::ofstream(file) << "two";
    QVERIFY(plan(spec).configurations[0].key != first);
  }
  void whatIsExcludedIsLeftOut() {
    const auto m = plan("{'graph': 'mlp', 'parameters': {'batch': [1, 2, 3], 'width': [1, 2]}, 'exclude': [{'batch': 2}, "
                        "{'batch': 3, 'width': 1}]}");
    QCOMPARE(m.configurations.size(), std::size_t(3));
  }
  void aManifestIsReadAsItWasWritten() {
    const tests::TemporaryFolder folder;
    const auto m = plan("{'graph': 'mlp', 'parameters': {'batch': [1, 2], 'text': ['a, b = c', 'ü']}}");
    std::ofstream(folder.path() / "manifest.jsonl") << manifestText(m);
    const auto read = readManifest(folder.path() / "manifest.jsonl");
    QCOMPARE(read.parameters, m.parameters);
    QCOMPARE(read.configurations.size(), m.configurations.size());
    for (std::size_t i = 0; i < m.configurations.size(); ++i) {
      QCOMPARE(read.configurations[i].key, m.configurations[i].key);
      QCOMPARE(read.configurations[i].arguments, m.configurations[i].arguments);
      QVERIFY(read.configurations[i].values == m.configurations[i].values);
    }
  }
  void badSpecsSayWhere_data() {
    QTest::addColumn<QString>("spec");
    QTest::addColumn<QString>("part");
    QTest::newRow("no JSON") << "{\"graph\": "
                             << "spec.json";
    QTest::newRow("no graph") << "{}"
                              << "\"graph\" is missing";
    QTest::newRow("unknown member") << "{'graph': 'a', 'batch': [1]}"
                                    << "'batch'";
    QTest::newRow("no list") << "{'graph': 'a', 'parameters': {'batch': 16}}"
                             << "parameters, batch";
    QTest::newRow("empty list") << "{'graph': 'a', 'parameters': {'batch': []}}"
                                << "parameters, batch";
    QTest::newRow("list as value") << "{'graph': 'a', 'parameters': {'batch': [[1]]}}"
                                   << "parameters, batch";
    QTest::newRow("our option") << "{'graph': 'a', 'arguments': ['-o', 'x.tsr']}"
                                << "'-o'";
    QTest::newRow("our option varied") << "{'graph': 'a', 'parameters': {'--report': ['x.tsr']}}"
                                       << "'--report'";
    QTest::newRow("nothing") << "{'graph': 'a'}"
                             << "no run";
    QTest::newRow("all excluded") << "{'graph': 'a', 'cases': [{'b': 1}], 'exclude': [{'b': 1}]}"
                                  << "no run";
  }
  void badSpecsSayWhere() {
    QFETCH(QString, spec);
    QFETCH(QString, part);
    const std::string error = tests::errorOf([&] { plan(spec.toStdString()); });
    QVERIFY2(tests::has(error, part.toStdString()), error.c_str());
  }
  void tooManyRunsAreRefusedAtOnce() {
    std::string list = "[0";
    for (int i = 1; i < 1001; ++i) list += "," + std::to_string(i);
    list += "]";
    const std::string error =
        tests::errorOf([&] { plan("{'graph': 'a', 'parameters': {'x': " + list + ", 'y': " + list + "}}"); });
    QVERIFY2(tests::has(error, "1000000"), error.c_str());
  }
  void aDamagedManifestNamesTheLine() {
    const tests::TemporaryFolder folder;
    const auto file = folder.path() / "manifest.jsonl";
    const std::string good = manifestText(plan("{'graph': 'mlp', 'cases': [{'batch': 1}]}"));
    for (const std::string bad : {"{", "[]", "{\"key\": \"../../etc\", \"arguments\": [\"a\"], \"values\": []}", good.c_str()}) {
      std::ofstream(file) << good << bad << "\n";
      const std::string error = tests::errorOf([&] { readManifest(file); });
      QVERIFY2(tests::has(error, "line 2"), error.c_str());
    }
    QVERIFY(tests::has(tests::errorOf([&] { readManifest(folder.path() / "none.jsonl"); }), "none.jsonl"));
    // No manifest makes a run write outside its folder.
    for (const std::string word : {"--outputs", "--outputs=/elsewhere", "-o", "-o/elsewhere.tsr", "--report", "--save-model"}) {
      std::string evil = good;
      evil.replace(evil.find("\"mlp\""), 5, "\"mlp\", \"" + word + "\"");
      std::ofstream(file) << evil;
      const std::string error = tests::errorOf([&] { readManifest(file); });
      QVERIFY2(tests::has(error, "is set by the sweep itself"), error.c_str());
    }
    const auto fifo = folder.path() / "fifo"; // no program will ever write into it
    QCOMPARE(mkfifo(fifo.c_str(), 0600), 0);
    QVERIFY(tests::has(tests::errorOf([&] { readManifest(fifo); }), "not a regular file"));
    QVERIFY(tests::has(tests::errorOf([&] { readManifest("/dev/zero"); }), "not a regular file"));
    QVERIFY(!readRecord(fifo, "key"));
  }

private:
  // Quotes are single ones here, for readers.
  static Manifest plan(std::string spec) {
    std::replace(spec.begin(), spec.end(), '\'', '"');
    return planSweep(spec, "spec.json");
  }
};

TILESCOPE_TEST(ManifestTest)
#include "manifest_test.moc"
