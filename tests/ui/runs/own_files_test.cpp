// A report alone does not allow reading a local file: only files that the user named or agreed to are read without asking.
#include "ui/runs/own_files.h"

#include "tests/support/test_main.h"
#include "ui/state/settings.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ui::shell;

class OwnFilesTest : public QObject {
  Q_OBJECT
private slots:
  void everyFileOfARunIsNamed() {
    QCOMPARE(filesRead("mnist-train", {"--set", "batch=4", "--precision", "fp16"}), QStringList());
    QCOMPARE(filesRead("/m/net.onnx", {"--input", "x=/d/x.npy", "--tags=/d/t.json", "--input=y=/d/y.npy", "--tags", "/d/u.json"}),
             (QStringList{"/m/net.onnx", "/d/x.npy", "/d/t.json", "/d/y.npy", "/d/u.json"}));
    QCOMPARE(filesRead("/models/folder", {}), QStringList{"/models/folder"});
  }
  void whatWasAgreedToIsNotAskedAgain() {
    const QTemporaryDir folder;
    Settings settings(folder.filePath("s.ini"));
    QVERIFY(areOwnFiles(settings, {}));
    QVERIFY(!areOwnFiles(settings, {"/a.npy"}));
    addOwnFiles(settings, {"/a.npy"});
    QVERIFY(areOwnFiles(settings, {"/a.npy"}));
    QVERIFY(!areOwnFiles(settings, {"/a.npy", "/b.npy"}));
    QVERIFY(areOwnFiles(Settings(folder.filePath("s.ini")), {"/a.npy"})); // another day
  }
  // Consent to read a file does not cover starting it, and consent to a program is for its exact arguments.
  void aProgramIsAgreedToWithItsWords() {
    const QTemporaryDir folder;
    Settings settings(folder.filePath("s.ini"));
    const QStringList harmless = filesRead("program:/usr/bin/python3", {"--arguments=train.py --small", "--machine", "bow"});
    QCOMPARE(harmless, QStringList{"program:/usr/bin/python3 '--arguments=train.py --small'"});
    addOwnFiles(settings, {"/usr/bin/python3", "program:/usr/bin/python3"});
    QVERIFY(!areOwnFiles(settings, harmless));
    addOwnFiles(settings, harmless);
    QVERIFY(areOwnFiles(settings, harmless));
    QVERIFY(areOwnFiles(settings, filesRead("program:/usr/bin/python3", {"--machine", "gc200", "--arguments=train.py --small"})));
    for (const QStringList& others : {QStringList{"--arguments=-c 'import os'"},
                                      {"--arguments=train.py --small", "--environment=LD_PRELOAD=/x.so"},
                                      {"--arguments=train.py --small", "--folder=/x"},
                                      {"--arguments=train.py --small", "--set", "small=1"}})
      QVERIFY(!areOwnFiles(settings, filesRead("program:/usr/bin/python3", others)));
    QVERIFY(ownFilesQuestion(harmless).contains("program"));
    QVERIFY(ownFilesQuestion(harmless).contains("train.py --small"));
  }
  void oldOnesAreForgotten() {
    const QTemporaryDir folder;
    Settings settings(folder.filePath("s.ini"));
    for (int i = 0; i < 1001; ++i) addOwnFiles(settings, {QString("/%1.npy").arg(i)});
    QVERIFY(!areOwnFiles(settings, {"/0.npy"}));
    QVERIFY(areOwnFiles(settings, {"/1.npy", "/1000.npy"}));
  }
};

TILESCOPE_TEST(OwnFilesTest)
#include "own_files_test.moc"
