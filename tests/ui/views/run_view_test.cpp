#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/wrapped_label.h"
#include "ui/plot/bar_list.h"
#include "ui/runs/command_words.h"
#include "ui/state/view_state.h"
#include "ui/theme/theme.h"
#include "ui/views/run/estimate_card.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>

using namespace ui;

// The page with a command line that a script plays.
class RunViewTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;

  static QPushButton* button(const tests::ViewWorld& world, const QString& text) {
    for (QPushButton* candidate : world.view->findChildren<QPushButton*>())
      if (candidate->text() == text) return candidate;
    return nullptr;
  }

private slots:
  // The message about a missing setting disappears when the estimate begins.
  void theEstimateTakesThePlaceOfTheProblem() {
    theme::Theme theme;
    run::EstimateCard card(theme);
    const auto words = [&] {
      QString all;
      for (const QLabel* label : card.findChildren<QLabel*>()) all += label->text();
      return all;
    };
    card.showNothing("Choose an ONNX file.");
    QVERIFY2(words().contains("Choose"), qPrintable(words()));
    emit card.estimate().begun();
    QVERIFY2(!words().contains("Choose") && words().contains("Estimating"), qPrintable(words()));
    emit card.estimate().progressed("compiling", 0.5);
    QVERIFY2(words().contains("compiling"), qPrintable(words()));
    emit card.estimate().progressed("writing", 0); // a forecast writes nothing
    QVERIFY2(words().contains("Estimating") && !words().contains("writing"), qPrintable(words()));
  }
  void theEstimateSaysWhatIsTrained() {
    theme::Theme theme;
    run::EstimateCard card(theme);
    const auto facts = [&] {
      QString all;
      for (const QLabel* label : card.findChildren<QLabel*>()) all += label->text() + '\n';
      return all;
    };
    const auto show = [&](const QByteArray& others) {
      const auto dry =
          shell::dryRunOf(QJsonDocument::fromJson("{\"state\": \"fits\", \"memory\": {\"tile_bytes\": 8}, \"trained\": \"2 "
                                                  "tensors, 5 values; not trained: mask (a mask)\", "
                                                  "\"not_trained\": \"" +
                                                  others + "\"}"));
      QVERIFY(dry.has_value());
      emit card.estimate().estimated(*dry);
    };
    show("mask (a mask)");
    QVERIFY2(facts().contains("\n2 tensors, 5 values\n") && facts().contains("\nmask (a mask)\n"), qPrintable(facts()));
    show(QByteArray("mask (a mask), ").repeated(100));
    QVERIFY2(!facts().contains(QString("mask (a mask), ").repeated(100)), qPrintable(facts()));
  }
  void theEstimateSaysWhatBreaksAndWhatMayMakeItFit() {
    theme::Theme theme;
    run::EstimateCard card(theme);
    card.setVisible(true);
    QSignalSpy chosen(&card, &run::EstimateCard::changeChosen);
    const auto dry = shell::dryRunOf(QJsonDocument::fromJson(
        "{\"state\": \"out_of_memory\", \"memory\": {\"max_tile_with_gaps\": 7, \"max_tile_with_gaps_bytes\": 700000, "
        "\"tile_bytes\": 638976, \"overflow_tiles\": 2}, \"fullest\": {\"tiles\": [{\"tile\": 7, \"bytes\": 690000, "
        "\"bytes_with_gaps\": 700000}, {\"tile\": 3, \"bytes\": 600000, \"bytes_with_gaps\": 640000}], \"categories\": "
        "[{\"name\": \"Variables\", \"bytes\": 500000, \"median_bytes\": 1000}], \"variables\": [{\"name\": \"net/w\", "
        "\"category\": \"Variables\", \"bytes\": 409600}]}, \"changes\": [{\"title\": \"Half precision\", \"options\": "
        "[\"--precision\", \"fp16\"], \"why\": \"Two bytes.\"}]}"));
    QVERIFY(dry.has_value());
    emit card.estimate().estimated(*dry);
    const auto spoken = [&](const QString& name) {
      for (const auto* bars : card.findChildren<plot::BarList*>())
        if (bars->accessibleName() == name && bars->isVisible())
          return bars->accessibleDescription().replace(QChar(0xa0), QChar(0x20));
      return QString();
    };
    QVERIFY2(spoken("The fullest tiles").contains("Tile 7 684 KiB. Tile 3 625 KiB."), qPrintable(spoken("The fullest tiles")));
    QVERIFY(spoken("The fullest tile by category").contains("Variables 488 KiB"));
    QVERIFY(spoken("The largest variables of the fullest tile").contains("net/w 400 KiB"));
    for (auto* change : card.findChildren<QPushButton*>())
      if (change->isVisible() && change->text() == "Half precision") change->click();
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].toStringList(), (QStringList{"--precision", "fp16"}));
    emit card.estimate().asked(); // of other settings: no figure stays
    QVERIFY(spoken("The fullest tiles").isEmpty());
  }
  void initTestCase() {
    QFile file(m_folder.filePath("fake-cli"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray words = "Look at the trace, at the memory and at how the one follows from the other. ";
    file.write("#!/bin/sh\n"
               "case \"$1\" in\n"
               "samples) echo '[{\"name\": \"short\", \"text\": \"Brief.\", \"parameters\": [{\"name\": \"batch\", \"default\": "
               "\"1\", \"text\": \"samples\"}]}, {\"name\": \"long\", \"text\": \"" +
               words.repeated(8) +
               "\"}]';;\n"
               "machines) echo '[{\"name\": \"tiny\", \"title\": \"Tiny\", \"ipus\": [1], \"tiles_per_ipu\": 4}]';;\n"
               "fit) case \"$*\" in *batch=*) exit 2;; esac\n" // the form must not pass a batch
               "  echo '{\"phase\": \"batch 8\"}' >&2\n"
               "  echo '{\"over\": \"batch\", \"largest\": {\"value\": 12, \"cycles\": 4800, \"cycles_per_sample\": 400.0}, "
               "\"beyond\": {\"value\": 13, \"why\": \"tile 1,403 lacks 2,048 bytes.\"}}';;\n"
               "run) case \"$*\" in\n"
               "  *--foo*) echo 'tilescope-cli: unknown option --foo (see tilescope-cli run --help)' >&2; exit 2;;\n"
               "  *batch=-5*) echo \"tilescope-cli: --set batch: '-5' is not a whole number from 1 to 64\" >&2; exit 2;;\n"
               "  *--dry-run*) echo '{\"state\": \"fits\", \"memory\": {\"max_tile_bytes\": 2000000, \"tile_bytes\": 4000000}}'\n"
               "    exit 0;;\n"
               "  esac\n"
               "  while [ $# -gt 0 ]; do [ \"$1\" = -o ] && echo report > \"$2\"; shift; done;;\n"
               "esac\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("TILESCOPE_CLI", file.fileName().toUtf8());
  }
  void cleanupTestCase() { qunsetenv("TILESCOPE_CLI"); }

  void theLargestBatchIsFoundAndUsed() {
    tests::ViewWorld world;
    world.open("run");
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    QTRY_VERIFY(button(world, "Which batch fits?"));
    QTRY_VERIFY(button(world, "Which batch fits?")->isVisible());
    button(world, "Which batch fits?")->click();
    const auto* answer = world.child<QLabel>("The largest batch that fits");
    QTRY_VERIFY2(answer->text().contains(QString::fromUtf8("Batch 13 does not fit: tile 1\u202f403 lacks 2\u202f048 bytes.")),
                 qPrintable(answer->text()));
    QVERIFY2(answer->text().startsWith("Batch 12 fits: 4") && answer->text().contains("400"), qPrintable(answer->text()));
    button(world, "Use batch 12")->click();
    QTest::qWait(50);                                    // waits because the answer must not change
    QVERIFY(answer->text().startsWith("Batch 12 fits")); // the same run with another batch
    button(world, "Run")->click();
    const QStringList words = wordsOfRun(world);
    QVERIFY2(words.contains("batch=12"), qPrintable(words.join(' ')));
    auto* sample = world.child<QComboBox>("Sample");
    sample->setCurrentIndex(1 - sample->currentIndex());
    QTRY_VERIFY(!answer->isVisible() && answer->text().isEmpty()); // of another graph, which has no batch
  }

  void whoWentOnIsOfferedTheReportAndNotTornAway() {
    tests::ViewWorld world;
    world.open("run");
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    QSignalSpy opened(world.view.get(), &shell::View::openRequested), offered(world.view.get(), &shell::View::offerRequested);
    button(world, "Run")->click();
    QTRY_COMPARE(opened.count(), 1);
    QCOMPARE(offered.count(), 0);
    const auto* log = world.child<QPlainTextEdit>("Log of the run");
    QVERIFY2(log->toPlainText().startsWith("tilescope-cli run short --machine tiny"), qPrintable(log->toPlainText()));
    button(world, "Run")->click();
    world.view->hide();
    QTRY_COMPARE(offered.count(), 1);
    QCOMPARE(opened.count(), 1);
    QVERIFY(QFile::exists(offered[0][1].toStringList().first()));
  }

  // The arguments that the form passed to the program.
  static QStringList wordsOfRun(const tests::ViewWorld& world) {
    const QString line = world.child<QPlainTextEdit>("Log of the run")->toPlainText().section('\n', 0, 0);
    return *shell::splitShellWords(line);
  }

  // Makes these arguments the command line in the report.
  static void claim(tests::ViewWorld& world, const QStringList& words) {
    QString line = shell::shellLine(words);
    tests::tamper(world.report.path(), "INSERT OR REPLACE INTO metadata (key, value) VALUES ('command_line', '" +
                                           line.replace('\'', "''").toStdString() + "')");
    world.session = analyser::Session::open(world.report.path().string());
  }

  // A stranger's report cannot make a run write or read a file, whatever separates the words of its command line.
  void aReportNamesOnlyWhatItMaySet() {
    QStringList separators{"\t", "\n", "\r", "\v", "\f", "\"", "'", "\\", " "};
    for (const char32_t space : {0x85,   0xa0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007,
                                 0x2008, 0x2009, 0x200a, 0x200b, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff})
      separators << QString::fromUcs4(&space, 1);
    for (const QString& between : separators) {
      QString value = QStringLiteral("a=b%1--force%1--save-model%1%2%1--outputs%1%2").arg(between, m_folder.filePath("planted"));
      QStringList line{"tilescope-cli", "run", "short"};
      for (const char* option : {"tag", "set", "shape", "checkpoint", "engine-option", "fp8-skip", "disable-pass", "labels"})
        line << QStringLiteral("--") + option << value;
      tests::ViewWorld world;
      claim(world, line);
      world.open("run");
      QTRY_VERIFY(button(world, "Run")->isEnabled());
      button(world, "Run")->click();
      const QStringList words = wordsOfRun(world);
      for (const QString& word : words)
        QVERIFY2(!word.startsWith("--force") && !word.startsWith("--save-model") && !word.startsWith("--outputs"),
                 qPrintable(word));
      QCOMPARE(words.count("-o"), 1);
      QVERIFY(words[words.indexOf("-o") + 1].startsWith(qEnvironmentVariable("XDG_DATA_HOME")));
      QTRY_VERIFY(world.view->unfinished().isEmpty());
    }
  }

  // Files that a report names are read only after the user has agreed, and then without asking again.
  void filesOfAReportAreAskedFor() {
    QFile model(m_folder.filePath("net.onnx"));
    QVERIFY(model.open(QIODevice::WriteOnly) && model.write("x") == 1);
    tests::ViewWorld world;
    claim(world, {"tilescope-cli", "run", model.fileName(), "--tags", "/etc/hostname"});
    world.open("run");
    QTRY_VERIFY(button(world, "Use them"));
    QVERIFY(!button(world, "Run")->isEnabled()); // no model yet, so no estimate either
    button(world, "Use them")->click();
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    button(world, "Run")->click();
    QVERIFY(wordsOfRun(world).contains(model.fileName()) && wordsOfRun(world).contains("/etc/hostname"));
    QTRY_VERIFY(world.view->unfinished().isEmpty());
    world.state.messages().send(shell::RunTrial{QString::fromStdString(world.report.path().string()), {"--seed", "7"}});
    QTRY_VERIFY(wordsOfRun(world).contains("7")); // they are the user's own now
  }

  // A program may do everything, so not even a field is filled before the user has read the whole command.
  void aProgramOfAReportIsAskedFor() {
    QFile program(m_folder.filePath("prog"));
    QVERIFY(program.open(QIODevice::WriteOnly) && program.write("#!/bin/sh\n") > 0);
    program.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    tests::ViewWorld world;
    claim(world,
          {"tilescope-cli", "run", "program:" + program.fileName(), "--arguments=-c evil", "--environment=LD_PRELOAD=/x.so"});
    world.open("run");
    QTRY_VERIFY(button(world, "Use them"));
    QCOMPARE(world.child<QLineEdit>("Arguments")->text(), QString());
    QCOMPARE(world.child<QLineEdit>("Environment")->text(), QString());
    QStringList texts;
    for (const auto* label : world.view->findChildren<QLabel*>()) texts << label->text();
    QVERIFY(texts.join(' ').contains("LD_PRELOAD=/x.so") && texts.join(' ').contains("-c evil"));
    world.state.messages().send(shell::RunTrial{QString::fromStdString(world.report.path().string()), {"--machine", "bow"}});
    QTRY_VERIFY(button(world, "Read and run"));
    QVERIFY(world.view->unfinished().isEmpty()); // nothing was started
    button(world, "Read and run")->click();
    QTRY_VERIFY(wordsOfRun(world).contains("--arguments=-c evil"));
    QTRY_VERIFY(world.view->unfinished().isEmpty());
  }

  // Field values in a link or a bookmark never change the form of a run.
  void aLinkFillsNoForm() {
    tests::ViewWorld world;
    world.open("run");
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    world.view->fields().set({{"ONNX file", "/etc/passwd"}, {"More options of the command line", "--force"}, {"Sample", "long"}});
    QCOMPARE(world.child<QLineEdit>("More options of the command line")->text(), QString());
    QCOMPARE(world.child<QLineEdit>("ONNX file")->text(), QString());
    QCOMPARE(world.child<QComboBox>("Sample")->currentText(), QString("short"));
    QVERIFY(!world.view->fields().values().contains("Sample"));
  }

  // The triangle of Home runs a sample with its defaults, whatever the form held.
  void aSampleOfHomeRunsWithItsDefaults() {
    tests::ViewWorld world;
    world.open("run");
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    const auto order = [&](const QString& sample) {
      world.state.messages().send(shell::RunSample{sample});
      const QStringList words = wordsOfRun(world);
      return words.mid(0, words.indexOf("-o")) + words.mid(words.indexOf("-o") + 2);
    };
    const QStringList first = order("long");
    QTRY_VERIFY(world.view->unfinished().isEmpty());
    for (QLineEdit* field : world.view->findChildren<QLineEdit*>())
      if (!field->isReadOnly() && !qobject_cast<QAbstractSpinBox*>(field->parent())) field->setText("4");
    for (QComboBox* box : world.view->findChildren<QComboBox*>()) box->setCurrentIndex(box->count() - 1);
    for (QSpinBox* box : world.view->findChildren<QSpinBox*>()) box->setValue(9);
    for (QCheckBox* box : world.view->findChildren<QCheckBox*>()) box->setChecked(false);
    QCOMPARE(order("long"), first);
    QTRY_VERIFY(world.view->unfinished().isEmpty());
  }

  // The open report is of another graph as soon as the form is.
  void aForecastIsComparedWithItsOwnGraphOnly() {
    tests::ViewWorld world;
    claim(world, {"tilescope-cli", "run", "short"});
    world.open("run");
    const auto* words = world.child<QLabel>("Memory before the run");
    const QString against = " against " + QString::fromStdString(world.session->identity().fileName);
    QTRY_VERIFY2(words->text().contains(against), qPrintable(words->text()));
    world.child<QComboBox>("Sample")->setCurrentText("long");
    QTRY_VERIFY2(words->text().startsWith("Fits: "), qPrintable(words->text()));
    QVERIFY(world.settle());
    QVERIFY2(!words->text().contains("against"), qPrintable(words->text()));
    world.child<QComboBox>("Sample")->setCurrentText("short");
    QTRY_VERIFY2(words->text().contains(against), qPrintable(words->text()));
  }

  void typingShowsTheForecastFromItsTop() {
    tests::ViewWorld world;
    world.open("run");
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    auto* cards = world.view->findChild<QTabWidget*>();
    button(world, "Run")->click();
    QCOMPARE(cards->currentIndex(), 1);
    QTRY_VERIFY(world.view->unfinished().isEmpty());
    QCOMPARE(cards->currentIndex(), 1);
    auto* batch = world.child<QLineEdit>("batch");
    batch->setFocus();
    batch->setText("7");
    QCOMPARE(cards->currentIndex(), 0);
    const auto* words = world.child<QLabel>("Memory before the run");
    QTRY_VERIFY2(words->text().startsWith("Fits: "), qPrintable(words->text()));
    world.view->resize(1100, 420);
    auto* bar = world.view->findChild<run::EstimateCard*>()->findChild<QScrollArea*>()->verticalScrollBar();
    QTRY_VERIFY(bar->maximum() > 0);
    bar->setValue(bar->maximum());
    batch->setText("8");
    QTRY_VERIFY2(words->text().startsWith("Fits: "), qPrintable(words->text()));
    QVERIFY(world.settle());
    QCOMPARE(bar->value(), 0);
  }

  // Errors that only the command line knows are marked beside those of the form, before the run.
  void everyFieldWithAnErrorIsMarked() {
    tests::ViewWorld world;
    world.open("run");
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    const auto field = [&](const QString& name) { return world.child<QLineEdit>(name); };
    const QString options = "More options of the command line";
    field("batch")->setText("-5");
    field("replicas")->setText("many");
    field(options)->setText("--foo=3");
    const auto isMarked = [&](const QString& name) { return field(name)->property("invalid").toBool(); };
    QTRY_VERIFY(isMarked("batch") && isMarked("replicas") && isMarked(options));
    QVERIFY(world.settle());
    QVERIFY(!button(world, "Run")->isEnabled() && !button(world, "Run")->toolTip().isEmpty());
    QStringList said;
    for (const auto* line : world.view->findChildren<shell::WrappedLabel*>())
      if (line->property("role") == "error" && line->isVisible()) said << line->text();
    QVERIFY2(said.contains("'-5' is not a whole number from 1 to 64.") && said.contains("unknown option foo."),
             qPrintable(said.join('|')));
    field(options)->clear(), field("replicas")->clear();
    QVERIFY(!isMarked(options) && !isMarked("replicas"));
    QTRY_VERIFY(isMarked("batch") && !button(world, "Run")->isEnabled()); // found again
    field("batch")->setText("5");
    QVERIFY(!isMarked("batch") && button(world, "Run")->isEnabled());
    QVERIFY(world.settle());
    QVERIFY(button(world, "Run")->isEnabled());
  }

  // The options typed for a program are read before its run, and nothing is started for that.
  void aWrongOptionOfAProgramIsMarked() {
    QFile program(m_folder.filePath("started"));
    QVERIFY(program.open(QIODevice::WriteOnly) && program.write("#!/bin/sh\ntouch \"$0.ran\"\n") > 0);
    program.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    tests::ViewWorld world;
    world.open("run");
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    for (auto* choice : world.view->findChildren<QAbstractButton*>())
      if (choice->text() == "Program") choice->setChecked(true);
    world.child<QLineEdit>("Program")->setText(program.fileName());
    auto* options = world.child<QLineEdit>("More options of the command line");
    options->setText("--force --foo=3");
    QTRY_VERIFY(options->property("invalid").toBool());
    QVERIFY(world.settle());
    QVERIFY(!button(world, "Run")->isEnabled() && options->accessibleDescription().contains("unknown option foo"));
    options->setText("--force");
    QVERIFY(world.settle());
    QVERIFY(!options->property("invalid").toBool() && button(world, "Run")->isEnabled());
    QVERIFY(!QFile::exists(program.fileName() + ".ran"));
  }

  void theTextOfASampleIsWhole() {
    tests::ViewWorld world;
    world.open("run");
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    auto* samples = world.child<QComboBox>("Sample");
    const auto* words = world.view->findChild<shell::WrappedLabel*>();
    for (const char* name : {"long", "short", "long"}) {
      samples->setCurrentText(name);
      QTRY_COMPARE(words->height(), words->heightForWidth(words->width()));
    }
    world.view->resize(1000, 640);
    QTRY_COMPARE(words->height(), words->heightForWidth(words->width()));
    QVERIFY(words->height() > 80);
  }
};

TILESCOPE_TEST(RunViewTest)
#include "run_view_test.moc"
