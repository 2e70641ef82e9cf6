#include "ui/views/run/run_settings.h"

#include "analyser/sweep/manifest.h"
#include "tests/support/test_main.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/spoken.h"
#include "ui/runs/command_words.h"
#include "ui/runs/run_options.h"
#include "ui/theme/theme.h"
#include "ui/views/run/run_process.h"
#include "ui/views/sweep/scatter.h"
#include "ui/views/sweep/sweep_form.h"
#include "ui/views/sweep/sweep_plot.h"
#include "ui/views/sweep/sweep_proposal.h"

#include <QComboBox>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace ui::run;
using namespace ui::shell;

class RunSettingsTest : public QObject {
  Q_OBJECT
private slots:
  void wordsAreSplitAsAShellDoes() {
    QCOMPARE(*ui::shell::splitShellWords("a  'b c' \"d 'e\" f\\ g ''"), (QStringList{"a", "b c", "d 'e", "f g", ""}));
    QVERIFY(!ui::shell::splitShellWords("a 'b"));
  }
  void aCommandLineBecomesTheRequestThatMadeIt() {
    RunRequest made;
    made.graph = "mlp", made.machine = "bow", made.ipus = 4, made.precision = "fp16", made.iterations = 3, made.numbers = false;
    made.parameters = {{"batch", "32"}, {"text", "a b"}};
    made.options = {"--pipeline", "4", "--shard-state", "--seed", "7"};
    made.report = "/somewhere/a.tsr";
    const auto read = requestFromCommandLine(made.commandLine(), "/somewhere");
    QVERIFY(read);
    QCOMPARE(read->graph, made.graph);
    QCOMPARE(read->machine, made.machine);
    QCOMPARE(read->ipus, made.ipus);
    QCOMPARE(read->precision, made.precision);
    QCOMPARE(read->iterations, made.iterations);
    QCOMPARE(read->numbers, made.numbers);
    QCOMPARE(read->parameters, made.parameters);
    QCOMPARE(read->options, made.options);
  }
  void whatIsNotSaidIsTheDefault() {
    const auto read = requestFromCommandLine("tilescope-cli run bert-pipeline -o x.tsr --progress json --json", "/a");
    QVERIFY(read);
    QCOMPARE(read->machine, QString("gc200"));
    QCOMPARE(read->ipus, 0);
    QCOMPARE(read->precision, QString("fp32")); // not the one of the run before
    QVERIFY(read->options.isEmpty() && read->numbers);
    QVERIFY(!read->words().contains("--ipus"));
    QCOMPARE(requestFromCommandLine("tilescope-cli run net/model.onnx --ipus=2", "/reports")->graph,
             QString("/reports/net/model.onnx"));
    for (const char* folder : {"my_model", "net.v2", ".."}) // no sample has such a name
      QCOMPARE(requestFromCommandLine(QStringLiteral("tilescope-cli run ") + folder, "/reports/a")->graph,
               QDir::cleanPath(QStringLiteral("/reports/a/") + folder));
    QCOMPARE(requestFromCommandLine("tilescope-cli run bert-pipeline", "/reports")->graph, QString("bert-pipeline"));
    for (const char* line : {"", "make-synthetic-report", "tilescope-cli summary a.tsr", "tilescope-cli run --machine bow"})
      QVERIFY2(!requestFromCommandLine(line, "/a"), line);
  }
  void optionsAreFieldsAndArgumentsAlike() {
    const QStringList words{"--seed",    "7",         "--pipeline", "4",     "--shard-state", "--offload", "weights",
                            "--offload", "optimiser", "--shape",    "x=1x3", "--shape",       "y z=2",     "--unheard-of",
                            "1"};
    QStringList options = words;
    const auto fields = takeOptions(options);
    QCOMPARE(options, (QStringList{"--unheard-of", "1"}));
    QCOMPARE(fields.value("offload"), QString("weights,optimiser"));
    QVERIFY(ofGroup(fields, OptionGroup::Ipus).contains("pipeline"));
    QVERIFY(ofGroup(fields, OptionGroup::Model).contains("shape"));
    QVERIFY(ofGroup(fields, OptionGroup::Engine).contains("seed"));
    QList<std::pair<QString, QString>> values;
    for (auto it = fields.begin(); it != fields.end(); ++it) values.append(std::pair(it.key(), it.value()));
    values.append(std::pair<QString, QString>("replicas", "1")); // a default value is not passed
    const QStringList arguments = optionArguments(values);
    for (const char* word : {"--pipeline", "4", "--shard-state", "weights,optimiser", "x=1x3", "y z=2"})
      QVERIFY2(arguments.contains(word), word);
    QCOMPARE(arguments.count("--shape"), 2);
    QVERIFY(!arguments.contains("--replicas") && !arguments.contains("yes"));
  }
  void historySurvivesARestart() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("history.json");
    {
      RunHistory history(file);
      PastRun finished;
      finished.title = "mlp on Bow", finished.commandLine = "tilescope-cli run mlp", finished.report = "/a.tsr";
      finished.outcome = Outcome::Finished, finished.seconds = 1.5, finished.name = "baseline",
      finished.note = "before the change", finished.tags = "paper";
      finished.result = ui::shell::RunResult{90'090, 6.77e-5, 4.2e-6, 216'000};
      const auto kept = history.add(finished);
      PastRun run;
      run.title = "mlp on GC2", run.outcome = Outcome::Queued;
      run.id = history.add(run);
      run.outcome = Outcome::Running;
      history.change(run);
      const auto removed = history.add(run);
      history.remove({removed});
      QVERIFY(!history.find(removed) && history.find(kept)->seconds == 1.5);
    }
    const RunHistory history(file);
    QCOMPARE(history.runs().size(), std::size_t(2));
    QCOMPARE(history.runs()[0].seconds, 1.5);
    QCOMPARE(history.runs()[0].outcome, Outcome::Finished);
    QCOMPARE(history.runs()[0].shownName(), QString("baseline"));
    QCOMPARE(history.runs()[0].note, QString("before the change"));
    QCOMPARE(history.runs()[0].tags, QString("paper"));
    QVERIFY(history.runs()[0].result == (ui::shell::RunResult{90'090, 6.77e-5, 4.2e-6, 216'000}));
    QVERIFY(!history.runs()[1].result);
    QCOMPARE(history.runs()[1].outcome, Outcome::Cancelled); // the window that ran it is gone
    QFile damaged(file);
    QVERIFY(damaged.open(QIODevice::WriteOnly));
    damaged.write("[{\"title\": 3}, 7, {");
    damaged.close();
    QVERIFY(RunHistory(file).runs().empty());
  }
  // A change replaces options of its name, in the fields too, and keeps all others.
  void aChangeReplacesWhatItNames() {
    const auto before = ui::run::requestFromWords({"mlp", "--machine", "bow", "--no-numbers", "--set", "batch=8", "--set",
                                                   "lr=0.1", "--recompute", "none", "--precision", "fp8", "--fp8-format", "143"},
                                                  {});
    QVERIFY(before);
    const auto after = before->with({"--set", "batch=4", "--recompute", "standard", "--precision", "fp16"});
    QCOMPARE(after.graph, QString("mlp"));
    QCOMPARE(after.machine, QString("bow"));
    QCOMPARE(after.precision, QString("fp16"));
    QVERIFY(!after.numbers);
    QCOMPARE(after.parameters, (QList<std::pair<QString, QString>>{{"lr", "0.1"}, {"batch", "4"}}));
    QCOMPARE(after.options, (QStringList{"--recompute", "standard"}));
  }
  void linesForAShellAndForAFieldAreReadBackAsTheSameWords() {
    const QStringList words{"a", "b c", "it's", "--set", "x=\"1\"", ""};
    QCOMPARE(*ui::shell::splitShellWords(ui::shell::shellLine(words)), words);
    // Spaces of Unicode, which Qt splits at, are letters of a word.
    const QStringList odd{
        QString("a\u2003--save-model\u2003x"), "tab\there", "two\nlines\n", "a\u00a0b", "\"", "'", "\\", "$HOME `x`"};
    QCOMPARE(*ui::shell::splitShellWords(ui::shell::shellLine(odd)), odd);
  }
  void aReportProposesItsOwnSettings() {
    std::map<std::string, std::string> report;
    const auto proposal = [&] {
      return ui::sweep::proposalFor([&](const std::string& key) { return report.contains(key) ? report[key] : std::string(); },
                                    "/reports");
    };
    QVERIFY(!proposal());
    report = {{"command_line",
               "tilescope-cli run mnist-train --machine bow --set batch=16 --set lr=0.1 --precision=fp16 --recompute "
               "standard -o a.tsr --force --progress none"},
              {"workload", "mnist-train"},
              {"parameter.batch", "16"},
              {"batch_size", "16"}};
    QCOMPARE(proposal()->graph, QString("mnist-train"));
    QCOMPARE(proposal()->arguments,
             (QStringList{"--no-numbers", "--machine", "bow", "--set", "lr=0.1", "--recompute", "standard"}));
    QCOMPARE(proposal()->parameters, QString("batch = 16, 32, 64\n--precision = fp32, fp16"));
    // A sample that computes in fp32 alone, or has a type of its own, refuses --precision.
    report = {{"command_line", "tilescope-cli run matvec --set rows=64 -o a.tsr --no-numbers"}, {"workload", "matvec"}};
    QCOMPARE(proposal()->arguments, (QStringList{"--set", "rows=64", "--no-numbers"}));
    QCOMPARE(proposal()->parameters, QString("--machine = gc200, bow"));
    report = {{"command_line", "tilescope-cli run group-conv -o a.tsr"},
              {"parameter.batch", "4"},
              {"batch_size", "4"},
              {"parameter.type", "half"}};
    QCOMPARE(proposal()->parameters, QString("batch = 4, 8, 16"));
    // A model is found beside its report; a pod is not replaced by one IPU.
    report = {{"command_line", "tilescope-cli run 'my net/model.onnx' --machine bow-pod16"}};
    QCOMPARE(proposal()->graph, QString("/reports/my net/model.onnx"));
    QCOMPARE(proposal()->arguments, (QStringList{"--no-numbers", "--machine", "bow-pod16"}));
    QCOMPARE(proposal()->parameters, QString("--available-memory = 0.6, 0.3"));
  }
  // The plot is scaled to the runs that fit; a run far from fitting is at the edge.
  void thePictureIsScaledToTheRunsThatFit() {
    const ui::theme::Theme theme;
    ui::sweep::Scatter scatter(theme, "runs");
    scatter.resize(600, 300);
    ui::sweep::ScatterPoint fits, huge;
    fits.x = 90, fits.y = 90 * 1024;
    huge.x = 1e6, huge.y = 1e9, huge.fits = false;
    scatter.setPoints({fits, huge});
    const QPointF place = scatter.positionOf(fits), edge = scatter.positionOf(huge);
    QVERIFY2(place.x() > 450 && place.y() < 100, qPrintable(QString::number(place.x())));
    QVERIFY(edge.x() <= 600 && edge.x() > place.x() && edge.y() >= 0 && edge.y() < place.y());
    scatter.setPoints({huge}); // alone it is in the picture
    QVERIFY(scatter.positionOf(huge).x() < edge.x());
  }
  void theEmptyPlotNamesTheChosenAxes() {
    const ui::theme::Theme theme;
    QWidget view;
    ViewFields fields(view);
    ui::sweep::SweepPlot plot(theme, fields, &view);
    QCOMPARE(ui::plot::shownBy(plot.scatter()),
             QString("Runs appear here as points: “Cycles per sample” grows to the right, “Fullest tile” upwards"));
    for (auto* box : plot.findChildren<QComboBox*>())
      if (box->accessibleName() == "Up") box->setCurrentText("Exchange cycles");
    QVERIFY2(ui::plot::shownBy(plot.scatter()).endsWith("“Exchange cycles” upwards"),
             qPrintable(ui::plot::shownBy(plot.scatter())));
  }
  // A sweep shows its errors before it runs, and a typed plan outlives the window.
  void aSweepKnowsTheParametersOfItsSample() {
    const QJsonObject sample{
        {"name", "resnet50"},
        {"parameters",
         QJsonArray{QJsonObject{{"name", "batch"}, {"default", "1"}, {"choices", QJsonArray()}},
                    QJsonObject{{"name", "loss-scale"},
                                {"default", "1"},
                                {"text", "factor of the loss; auto: follows the gradients"},
                                {"choices", QJsonArray()}},
                    QJsonObject{{"name", "norm"}, {"default", "batch"}, {"choices", QJsonArray{"batch", "group"}}}}}};
    const auto problemOf = [&](const QString& lines) {
      QString unread;
      return ui::sweep::problemOf(ui::sweep::parameterSpec(lines, unread), sample);
    };
    QCOMPARE(problemOf("batch = 1, 4\nnorm = group\n--precision = fp16"), QString());
    QCOMPARE(problemOf("batch = 1, x"), QString("batch is a number, not x"));
    QCOMPARE(problemOf("loss-scale = auto, 128"), QString());
    QCOMPARE(problemOf("loss-scale = automatic"), QString("loss-scale is a number, not automatic"));
    QCOMPARE(problemOf("nosuch = 3"), QString("resnet50 has no parameter nosuch"));
    QCOMPARE(problemOf("nosuch = 3\nbatch = x"),
             QString("batch is a number, not x\nresnet50 has no parameter nosuch")); // all at once
    QCOMPARE(problemOf("norm = layer"), QString("norm is one of batch, group, not layer"));
    QCOMPARE(ui::sweep::problemOf({{"nosuch", QJsonArray{"3"}}}, {}), QString()); // an ONNX file
    QCOMPARE(ui::sweep::completionsAt("no", sample), QStringList{"norm"});
    QCOMPARE(ui::sweep::completionsAt("norm = batch, g", sample), QStringList{"group"});
    QCOMPARE(ui::sweep::completionsAt("--prec", sample), QStringList{"--precision"});
    const QStringList machines{"gc200", "bow"};
    const auto problemOfAll = [&](const QString& lines) {
      QString unread;
      return ui::sweep::problemOf(ui::sweep::parameterSpec(lines, unread), sample, machines);
    };
    QCOMPARE(
        problemOfAll("--machine = bow, gc9\n--nosuch = 3\n--ipus = two\n--recompute = all\n--half-sums = yes\n--seed = 7"),
        QString("--half-sums is one of true, false, not yes\n--ipus is a number, not two\n--machine is one of gc200, bow, not "
                "gc9\nA sweep cannot set an option --nosuch\n--recompute is one of none, standard, norm-only, checkpoints, "
                "pipeline, not all"));
    QCOMPARE(ui::sweep::completionsAt("--machine = b", sample, machines), QStringList{"bow"});
    QCOMPARE(ui::sweep::completionsAt("--recompute = sta", sample), QStringList{"standard"});
    QCOMPARE(ui::sweep::completionsAt("--half-st", sample), QStringList{"--half-state"});
    // The options that all runs have.
    const auto ofOptions = [&](const QString& line) { return ui::sweep::optionCompletionsAt(line, sample, machines); };
    QCOMPARE(ofOptions("--no-numbers --prec"), QStringList{"--precision"});
    QCOMPARE(ofOptions("--machine b"), QStringList{"bow"});
    QCOMPARE(ofOptions("--machine=b"), QStringList{"bow"});
    QCOMPARE(ofOptions("--machine bow --no-numbers "), QStringList());
    QCOMPARE(ofOptions("--se"), QStringList({"--seed", "--set"}));
    QCOMPARE(ofOptions("--set no"), QStringList{"norm"});
    QCOMPARE(ofOptions("--set norm=g"), QStringList{"group"});
    QCOMPARE(ofOptions("--set=norm=g"), QStringList{"group"});
    const auto problemOfOptions = [&](const QStringList& words) { return ui::sweep::problemOfOptions(words, sample, machines); };
    QCOMPARE(
        problemOfOptions({"--no-numbers", "--machine", "bow", "--set", "batch=4", "--precision=fp16", "--memory-limit", "8GiB"}),
        QString());
    QCOMPARE(problemOfOptions({"--machine", "gc9", "-o", "a.tsr", "x", "--set", "norm=layer", "--ipus"}),
             QString("--machine is one of gc200, bow, not gc9\nA sweep cannot set an option -o\nx is not an option: the names of "
                     "options begin with --\nnorm is one of batch, group, not layer\n--ipus needs a value"));
    const ui::theme::Theme theme;
    ui::sweep::SweepForm form(theme);
    form.setSamples({sample});
    QVERIFY(form.typed().isEmpty());
    form.restore({{"graph", "resnet50"}, {"options", "--no-numbers"}, {"parameters", "batch = 7, 9"}});
    form.propose("mlp", {}, "batch = 1"); // of a report that was opened
    QCOMPARE(form.graph(), QString("resnet50"));
    QCOMPARE(form.typed().value("parameters").toString(), QString("batch = 7, 9"));
    // It can be exchanged for the report's in one click.
    QPushButton* proposed = nullptr;
    for (auto* button : form.findChildren<QPushButton*>())
      if (button->text().contains("open report")) proposed = button;
    QVERIFY(proposed && !proposed->isHidden());
    proposed->click();
    QCOMPARE(form.graph(), QString("mlp"));
    QVERIFY(form.typed().isEmpty() && proposed->isHidden());
  }

  // The grey words are examples: they are never run.
  void aSweepWithoutAGraphDoesNotRun() {
    const ui::theme::Theme theme;
    ui::sweep::SweepForm form(theme);
    form.setSamples({QJsonObject{{"name", "mlp"}, {"parameters", QJsonArray{QJsonObject{{"name", "batch"}, {"default", "1"}}}}}});
    QPushButton* run = nullptr;
    for (auto* button : form.findChildren<QPushButton*>())
      if (button->text() == "Run all") run = button;
    QVERIFY(run);
    const auto marked = [&] {
      QStringList names;
      for (QWidget* field : form.findChildren<QWidget*>())
        if (field->property("invalid").toBool()) names << field->accessibleName();
      return names;
    };
    QVERIFY(!run->isEnabled() && marked().isEmpty());
    form.propose("mlp", {}, "batch = 1, 2");
    QVERIFY(run->isEnabled());
    form.propose("", {}, "batch = 1, 2");
    QVERIFY(!run->isEnabled());
    QCOMPARE(marked(), QStringList{"Graph"});
    form.propose("", {}, "");
    QVERIFY(!run->isEnabled());
    QCOMPARE(marked(), (QStringList{"Graph", "Parameters and their values"}));
    QString problem;
    QVERIFY(form.spec(problem).value("graph").toString().isEmpty() && !problem.isEmpty());
  }

  void linesBecomeASpec() {
    QString problem;
    const QJsonObject spec = ui::sweep::parameterSpec("batch = 16, 32,64\n\n --machine=gc200\n--train = true, false", problem);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    QCOMPARE(ui::sweep::combinations(spec), qint64(6));
    // As many as the command line plans, also where a value is there twice.
    for (const char* lines : {"batch = 16, 32, 16", "--train = true, true, false\nbatch = 1, 2", "a = 1, 1"}) {
      const QJsonObject twice = ui::sweep::parameterSpec(lines, problem);
      const std::string text = QJsonDocument(QJsonObject{{"graph", "mlp"}, {"parameters", twice}}).toJson().toStdString();
      QCOMPARE(ui::sweep::combinations(twice), qint64(analyser::sweep::planSweep(text, "spec").configurations.size()));
    }
    QString many = QStringLiteral("a = 0");
    for (int i = 1; i < 2000; ++i) many += QStringLiteral(", %1").arg(i);
    QVERIFY(ui::sweep::combinations(ui::sweep::parameterSpec(many + "\nb" + many.mid(1), problem)) >
            qint64(analyser::sweep::kMostConfigurations));
    for (const char* bad : {"batch", "batch =", "= 3", "a = 1\na = 2", ""}) {
      ui::sweep::parameterSpec(bad, problem);
      QVERIFY2(!problem.isEmpty(), bad);
    }
  }
};

TILESCOPE_TEST(RunSettingsTest)
#include "run_settings_test.moc"
