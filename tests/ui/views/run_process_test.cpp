#include "ui/views/run/run_process.h"

#include "tests/support/test_main.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui::run;

class RunProcessTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;

  QString script(const QByteArray& body) {
    const QString path = m_folder.filePath("fake-cli");
    QFile::remove(path);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write("#!/bin/sh\n" + body);
    file.close();
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
  }
  static RunRequest request() {
    RunRequest r;
    r.graph = "mnist-train", r.machine = "gc200", r.report = "/nowhere/a.tsr";
    return r;
  }
  // Runs the script to its end and returns how it ended.
  Outcome outcomeOf(const QByteArray& body, QStringList* log = nullptr) {
    RunProcess process;
    QSignalSpy ended(&process, &RunProcess::ended), said(&process, &RunProcess::said);
    process.start(script(body), request());
    if (!ended.wait(10000)) return Outcome::Running;
    if (log)
      for (const auto& line : said) log->append(line[0].toString());
    return ended[0][0].value<Outcome>();
  }

private slots:
  // The program refuses an option that is given twice.
  void optionsWinOverFields() {
    RunRequest r = request();
    r.machineTitle = "GC200", r.ipus = 4, r.precision = "fp32", r.iterations = 2, r.numbers = false;
    r.options = {"--machine", "bow", "--precision=fp16", "--iterations", "9", "--no-numbers"};
    const QStringList arguments = r.words();
    for (const char* once : {"--machine", "--iterations", "--no-numbers"}) QVERIFY2(arguments.count(once) == 1, once);
    QCOMPARE(arguments.value(arguments.indexOf("--machine") + 1), QString("bow"));
    QVERIFY(!arguments.contains("--precision") && !arguments.contains("--ipus") && !arguments.contains("gc200"));
    QVERIFY2(r.title().startsWith("mnist-train on bow, machine bow, precision=fp16, iterations 9"), qPrintable(r.title()));
  }

  void argumentsSayWhatTheFormSays() {
    RunRequest r = request();
    r.ipus = 4, r.precision = "fp16", r.iterations = 3, r.numbers = false;
    r.parameters = {{"batch", "32"}};
    const QStringList arguments = r.words();
    QCOMPARE(arguments.mid(0, 2), (QStringList{"run", "mnist-train"}));
    for (const QStringList& pair : {QStringList{"--ipus", "4"},
                                    {"--precision", "fp16"},
                                    {"--iterations", "3"},
                                    {"--set", "batch=32"},
                                    {"-o", "/nowhere/a.tsr"}}) {
      const qsizetype at = arguments.indexOf(pair[0]);
      QVERIFY2(at > 0 && arguments.value(at + 1) == pair[1], qPrintable(pair[0]));
    }
    QVERIFY(arguments.contains("--no-numbers"));
    QVERIFY(!request().words().contains("--no-numbers"));
    QCOMPARE(r.title(), QString("mnist-train on gc200 × 4, fp16, 3\u00A0iterations, batch=32"));
    r.machineTitle = "GC200", r.graph = "/models/squeezenet/model.onnx";
    QCOMPARE(r.title(), QString("squeezenet on GC200 × 4, fp16, 3\u00A0iterations, batch=32"));
    r.iterations = 1, r.numbers = true; // a run with values is another than one without
    QCOMPARE(r.title(), QString("squeezenet on GC200 × 4, fp16, with values, batch=32"));
  }

  void progressLinesAreToldFromTheLog() {
    QCOMPARE(parseProgress(R"({"phase":"planning","fraction":0.4})").phase, QString("planning"));
    QCOMPARE(parseProgress(R"({"phase":"planning","fraction":7})").fraction, 1.0);
    QVERIFY(parseProgress("error: no such operator").phase.isEmpty());
    QVERIFY(parseProgress(R"({"fraction":0.4})").phase.isEmpty());
  }

  void exitCodesBecomeOutcomes() {
    QStringList log;
    QCOMPARE(outcomeOf("echo '{\"phase\":\"planning\",\"fraction\":0.5}' >&2; echo hello; echo note >&2; exit 0", &log),
             Outcome::Finished);
    QVERIFY(log.contains("hello") && log.contains("note"));
    QCOMPARE(log.size(), 2); // progress is not log
    QCOMPARE(outcomeOf("exit 1"), Outcome::DoesNotFit);
    QCOMPARE(outcomeOf("printf 'operator Foo is unknown' >&2; exit 2", &log), Outcome::Failed);
    QCOMPARE(log.last(), QString("operator Foo is unknown")); // without a line end
    QCOMPARE(outcomeOf("kill -SEGV $$"), Outcome::Crashed);
  }

  void aMissingProgramIsAFailureWithAdvice() {
    RunProcess process;
    QSignalSpy ended(&process, &RunProcess::ended);
    process.start(m_folder.filePath("not there"), request());
    QTRY_COMPARE(ended.count(), 1);
    QCOMPARE(ended[0][0].value<Outcome>(), Outcome::Failed);
    QVERIFY(process.lastLine().contains("install"));
  }

  void cancelEndsTheChild() {
    RunProcess process;
    QSignalSpy ended(&process, &RunProcess::ended), said(&process, &RunProcess::said);
    process.start(script("echo ready; exec sleep 60"), request());
    QTRY_COMPARE(said.count(), 1);
    process.cancel();
    QTRY_COMPARE(ended.count(), 1);
    QCOMPARE(ended[0][0].value<Outcome>(), Outcome::Cancelled);
    QVERIFY(!process.isRunning());
  }
};

TILESCOPE_TEST(RunProcessTest)
#include "run_process_test.moc"
