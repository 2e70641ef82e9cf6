#include "ui/views/run/run_form.h"

#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"
#include "ui/parts/wrapped_label.h"
#include "ui/state/settings.h"
#include "ui/theme/theme.h"
#include "ui/views/run/parameter_list.h"
#include "ui/views/run/run_settings.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QJsonDocument>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

namespace {
QLineEdit* fieldCalled(const QWidget& form, const QString& name) {
  for (auto* field : form.findChildren<QLineEdit*>())
    if (field->accessibleName() == name) return field;
  return nullptr;
}
} // namespace

class RunFormTest : public QObject {
  Q_OBJECT
private slots:
  // A sample with its own type parameter refuses --precision or gives wrong results with it.
  void aPrecisionIsAskedForWhereItCanBeChosen() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "mlp", "precision": "chosen"}, {"name": "heat", "precision": "fp32"},
                                                {"name": "prng", "precision": "type"}])")
                        .array());
    form.chooseSample("mlp");
    QCOMPARE(form.request().precision, QString("fp32"));
    for (const char* name : {"heat", "prng"}) {
      form.chooseSample(name);
      QCOMPARE(form.request().precision, QString());
      QVERIFY(!form.request().words().contains("--precision"));
    }
    form.chooseFile("model.onnx");
    QCOMPARE(form.request().precision, QString("fp32"));
  }

  // The settings of the last run of a sample do not apply to a model.
  void aModelBeginsAtItsOwnDefaults() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    settings.setValue("run/precision", "fp16"), settings.setValue("run/ipus", 4), settings.setValue("run/iterations", 9);
    ui::run::RunForm form(theme, settings);
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "mlp", "precision": "chosen"}])").array());
    form.setMachines(QJsonDocument::fromJson(R"([{"name": "gc200", "title": "GC200", "ipus": [1, 2, 4]}])").array());
    ui::run::RunRequest request;
    request.graph = "mlp", request.machine = "gc200", request.ipus = 4, request.precision = "fp16", request.iterations = 7;
    form.fill(request);
    form.chooseFile("model.onnx");
    const auto model = form.request();
    QCOMPARE(model.precision, QString("fp32"));
    QCOMPARE(model.ipus, 1);
    QCOMPARE(model.iterations, 1);
    request.graph = "model.onnx", request.precision = "fp8", request.ipus = 2;
    form.fill(request); // its own report
    form.chooseFile("model.onnx");
    QCOMPARE(form.request().precision, QString("fp8"));
    form.chooseSample("mlp"); // the sample has what it had
    QCOMPARE(form.request().precision, QString("fp16"));
    QCOMPARE(form.request().iterations, 7);
    form.chooseFile("other.onnx");
    QCOMPARE(form.request().precision, QString("fp32"));
    QCOMPARE(form.request().ipus, 1);
  }

  // Nothing of one graph becomes a setting of another, and a run of another graph is not compared.
  void optionsBelongToTheGraph() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setSamples(
        QJsonDocument::fromJson(R"([{"name": "mlp", "precision": "chosen"}, {"name": "bert", "precision": "chosen"}])").array());
    form.setMachines(QJsonDocument::fromJson(R"([{"name": "gc200", "title": "GC200", "ipus": [1, 2, 4]}])").array());
    form.resize(460, 300);
    form.show();
    ui::run::RunRequest request;
    request.graph = "mlp", request.machine = "gc200", request.precision = "fp16", request.numbers = false;
    request.options = {"--pipeline", "4", "--force"};
    form.setReference(request, "a.tsr");
    using After = ui::run::RunForm::After;
    QVERIFY(form.isOfReference() && form.after() == After::Compare);
    auto* bar = form.findChild<QScrollArea*>()->verticalScrollBar();
    QApplication::processEvents();
    QVERIFY(bar->maximum() > 0);
    bar->setValue(bar->maximum());
    form.chooseFile("net.onnx");
    QCOMPARE(bar->value(), 0);
    QVERIFY(form.request().options.isEmpty() && form.request().numbers);
    QVERIFY(!form.isOfReference() && form.after() == After::Open);
    form.chooseSample("mlp");
    QCOMPARE(form.request().options, request.options);
    QVERIFY(!form.request().numbers && form.after() == After::Compare);
    form.chooseSample("bert");
    QVERIFY(form.request().options.isEmpty() && form.request().numbers && form.after() == After::Open);
    QCOMPARE(form.request().precision, QString("fp32"));
  }

  void aProgramIsAskedForWithWhatItIsTold() {
    const tests::TemporaryFolder folder;
    const QString program = QString::fromStdString((folder / "my program").string());
    QFile(program).open(QIODevice::WriteOnly);
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "mlp", "parameters": [{"name": "a", "default": "1"}]}])").array());
    form.setMachines(QJsonDocument::fromJson(R"([{"name": "gc200", "title": "GC200"}])").array());
    form.resize(460, 700);
    form.show();
    ui::run::RunRequest request;
    request.graph = "program:" + program, request.machine = "gc200";
    request.arguments = "--rows 'a b'", request.environment = "X=1", request.parameters = {{"n", "3"}};
    form.fill(request);
    QCOMPARE(form.problem(), QString("The file is not an executable program"));
    QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner);
    QCOMPARE(form.problem(), QString());
    const auto words = form.request(false).words();
    QCOMPARE(words, (QStringList{"run", "program:" + program, "--machine", "gc200", "--progress", "json",
                                 "--arguments=--rows 'a b'", "--environment=X=1", "--set", "n=3"}));
    QCOMPARE(form.request(false).title(), QString("my program --rows 'a b' on GC200, X=1, set n=3"));
    const auto read = ui::run::requestFromCommandLine(form.request(false).commandLine(), "/");
    QVERIFY(read);
    QCOMPARE(read->graph, request.graph);
    QCOMPARE(read->arguments, request.arguments);
    QCOMPARE(read->environment, request.environment);
    QCOMPARE(read->parameters, request.parameters);
    for (const auto& [name, text, problem] : {std::tuple("Arguments", "'a", "A quotation mark in the arguments is not closed"),
                                              {"Environment", "x", "x in the environment is not of the form NAME=VALUE"},
                                              {"Folder of the program", "/nowhere/at/all", "The folder does not exist"}}) {
      auto* field = fieldCalled(form, name);
      QVERIFY(field);
      const QString before = field->text();
      field->setText(text);
      QCOMPARE(form.problem(), QString(problem));
      field->setText(before);
    }
    QCOMPARE(form.problem(), QString());
    QApplication::processEvents();
    QCOMPARE(form.findChild<QScrollArea*>()->verticalScrollBar()->maximum(), 0); // the sample's rows leave no space
  }

  void theWheelScrollsThePageAndChangesNoSetting() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "mlp"}, {"name": "heat"}])").array());
    form.chooseSample("mlp");
    form.show();
    int turned = 0;
    const auto turn = [&](QWidget* field) {
      QWheelEvent wheel(QPointF(5, 5), field->mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                        Qt::NoScrollPhase, false);
      QApplication::sendEvent(field, &wheel);
      ++turned;
    };
    const auto before = form.request().words();
    for (auto* box : form.findChildren<QComboBox*>()) {
      const int chosen = box->currentIndex();
      turn(box);
      QCOMPARE(box->currentIndex(), chosen);
    }
    for (auto* box : form.findChildren<QSpinBox*>()) turn(box);
    QVERIFY(turned >= 5);
    QCOMPARE(form.request().words(), before);
  }

  // A shorter text or a wider form leaves no gap.
  void wordsTakeTheRoomTheyNeed() {
    QWidget sheet;
    auto* label = new ui::shell::WrappedLabel(QString("word ").repeated(80), &sheet);
    label->resize(200, 20);
    sheet.show();
    const int tall = label->height();
    label->resize(600, tall);
    const int wide = label->height();
    QVERIFY2(wide < tall, qPrintable(QString("%1 of %2").arg(wide).arg(tall)));
    label->setWords("word");
    QVERIFY(label->height() < wide);
  }

  // A sample with stages or replicas of its own: its fields show them as the defaults.
  void anOptionHasTheDefaultOfItsSample() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setSamples(
        QJsonDocument::fromJson(R"([{"name": "mlp"}, {"name": "bert-pipeline", "stages": 4, "replicas": 2}])").array());
    form.chooseSample("bert-pipeline");
    auto *pipeline = fieldCalled(form, "pipeline"), *replicas = fieldCalled(form, "replicas");
    QCOMPARE(pipeline->placeholderText() + ' ' + replicas->placeholderText(), QString("4 2"));
    QVERIFY2(pipeline->accessibleDescription().contains("the sample has 4"), qPrintable(pipeline->accessibleDescription()));
    QVERIFY(form.request().options.isEmpty());
    replicas->setText("1");
    QCOMPARE(form.request().options, (QStringList{"--replicas", "1"}));
    form.chooseSample("mlp");
    QCOMPARE(pipeline->placeholderText() + ' ' + replicas->placeholderText(), QString("0 1"));
    QVERIFY2(pipeline->accessibleDescription().contains("0: none"), qPrintable(pipeline->accessibleDescription()));
    QVERIFY(form.request().options.isEmpty());
  }

  // A list of choices, a switch, a number: each has its own kind of field, and all give the same words.
  void everyKindOfValueHasItsField() {
    ui::run::ParameterList list;
    list.setParameters(QJsonDocument::fromJson(R"([
        {"name": "preset", "default": "tiny", "text": "size", "choices": ["tiny", "base"]},
        {"name": "training", "default": "0", "text": "on: trains", "choices": ["0", "1"]},
        {"name": "half-sums", "default": "no", "text": "sums in fp16", "choices": ["no", "yes"]},
        {"name": "optimiser", "default": "", "text": "rule", "choices": ["sgd", "adam"]},
        {"name": "batch", "default": "16", "text": "images", "choices": []}])")
                           .array());
    const auto boxes = list.findChildren<QComboBox*>();
    const auto switches = list.findChildren<QCheckBox*>();
    QCOMPARE(boxes.size(), 2);
    QCOMPARE(switches.size(), 2);
    QVERIFY(list.values().isEmpty());
    boxes[0]->setCurrentText("base");
    QCOMPARE(boxes[1]->currentText(), QString("default"));
    boxes[1]->setCurrentText("adam");
    for (QCheckBox* box : switches) box->setChecked(true);
    using Values = QList<std::pair<QString, QString>>;
    QCOMPARE(list.values(), (Values{{"preset", "base"}, {"training", "1"}, {"half-sums", "yes"}, {"optimiser", "adam"}}));
    list.setValues({{"preset", "huge"}, {"training", "0"}}); // of a command line that a newer version wrote
    QCOMPARE(list.values(), (Values{{"preset", "huge"}}));
  }

  void theFilterFindsFieldsByNameAndMeaning() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "mlp", "parameters": [
        {"name": "batch", "default": "16", "text": "images", "choices": []}]}])")
                        .array());
    form.show();
    const auto shown = [&] {
      QStringList names;
      for (const auto* list : form.findChildren<ui::run::ParameterList*>())
        for (const QWidget* field : list->findChildren<QWidget*>())
          if (field->isVisible() && !field->accessibleName().isEmpty()) names.append(field->accessibleName());
      names.sort();
      return names;
    };
    QCOMPARE(shown(), QStringList{"batch"}); // groups are folded
    QLineEdit* filter = nullptr;
    for (QLineEdit* line : form.findChildren<QLineEdit*>())
      if (line->accessibleName() == "Filter of the fields") filter = line;
    QVERIFY(filter);
    filter->setText("recompute");
    QVERIFY2(shown().contains("recompute") && !shown().contains("batch"), qPrintable(shown().join(' ')));
    filter->setText("streaming memory");
    QCOMPARE(shown(), QStringList{"offload"});
    filter->setText("no such thing");
    QCOMPARE(shown(), QStringList());
    filter->clear();
    QCOMPARE(shown(), QStringList{"batch"});
  }

  // A sample's own recompute stands for the option of that name; an option that a run was given is shown.
  void aSettingHasOneField() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "mlp", "parameters": []}, {"name": "bert", "parameters": [
        {"name": "recompute", "default": "none", "text": "what is computed again", "choices": ["none", "standard"]}]}])")
                        .array());
    form.show();
    const auto fields = [&] {
      int count = 0;
      for (const auto* list : form.findChildren<ui::run::ParameterList*>())
        for (const QWidget* field : list->findChildren<QWidget*>())
          count += field->isVisible() && field->accessibleName() == "recompute";
      return count;
    };
    for (QLineEdit* line : form.findChildren<QLineEdit*>())
      if (line->accessibleName() == "Filter of the fields") line->setText("recompute"); // opens all groups
    form.chooseSample("mlp");
    QCOMPARE(fields(), 1);
    form.chooseSample("bert");
    QCOMPARE(fields(), 1);
    ui::run::RunRequest request;
    request.graph = "bert", request.machine = "gc200", request.options = QStringList{"--recompute", "standard"};
    form.fill(request);
    QCOMPARE(fields(), 2);
    QCOMPARE(form.request().options, request.options);
  }

  void fieldsOptionsAndCommandLineSayTheSame() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "mlp", "parameters": [
        {"name": "batch", "default": "16", "text": "images"},
        {"name": "optimiser", "default": "sgd", "text": "rule", "choices": ["sgd", "adam", "lamb"]}]}])")
                        .array());
    const auto field = [&](const QString& name) {
      for (QWidget* widget : form.findChildren<QWidget*>())
        if (widget->accessibleName() == name) return widget;
      return static_cast<QWidget*>(nullptr);
    };
    QVERIFY(form.request().parameters.isEmpty() && form.request().options.isEmpty());
    auto* batch = qobject_cast<QLineEdit*>(field("batch"));
    auto* optimiser = qobject_cast<QComboBox*>(field("optimiser"));
    auto* more = qobject_cast<QLineEdit*>(field("More options of the command line"));
    QVERIFY(batch && optimiser && more);
    QCOMPARE(batch->placeholderText(), QString("16"));
    batch->setText(" 32 ");
    optimiser->setCurrentText("lamb");
    more->setText("--seed 7 --input \"rate=16 000\"");
    const ui::run::RunRequest request = form.request();
    QCOMPARE(request.parameters, (QList<std::pair<QString, QString>>{{"batch", "32"}, {"optimiser", "lamb"}}));
    QCOMPARE(request.words().mid(request.words().size() - 4), (QStringList{"--seed", "7", "--input", "rate=16 000"}));
    QVERIFY2(request.commandLine().endsWith("--set batch=32 --set optimiser=lamb --seed 7 --input 'rate=16 000'"),
             qPrintable(request.commandLine()));
    QVERIFY(!request.commandLine().contains("--progress"));
    QVERIFY(request.title().endsWith(", seed 7, input rate=16 000"));
  }

  // Every field with a value that a run would refuse is marked before the run starts.
  void fieldsThatCannotBeAreMarkedAllAtOnce() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setMachines(QJsonDocument::fromJson(R"([{"name": "gc200", "title": "GC200", "ipus": 1}])").array());
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "mlp", "parameters": [
        {"name": "batch", "default": "16", "text": "images"},
        {"name": "groups", "default": "1", "text": "a number, or depthwise"}]}])")
                        .array());
    form.chooseSample("mlp");
    const auto line = [&](const QString& name) {
      for (QLineEdit* edit : form.findChildren<QLineEdit*>())
        if (edit->accessibleName() == name) return edit;
      return static_cast<QLineEdit*>(nullptr);
    };
    const auto isMarked = [&](const QString& name) { return line(name)->property("invalid").toBool(); };
    QVERIFY(line("batch") && line("groups") && line("replicas") && line("available-memory") && line("checkpoint"));
    line("batch")->setText("many");
    line("groups")->setText("depthwise");
    line("replicas")->setText("2 x");
    line("available-memory")->setText("0.3");
    line("checkpoint")->setText("'a b");
    line("More options of the command line")->setText("--nosuch \"a");
    QVERIFY(isMarked("batch") && isMarked("replicas") && isMarked("checkpoint") && isMarked("More options of the command line"));
    line("More options of the command line")->clear();
    QVERIFY(!isMarked("More options of the command line"));
    QVERIFY(!isMarked("groups") && !isMarked("available-memory"));
    QVERIFY2(line("batch")->toolTip().contains("batch is not a number: many"), qPrintable(line("batch")->toolTip()));
    QStringList beside;
    for (const auto* words : line("batch")->parentWidget()->findChildren<ui::shell::WrappedLabel*>()) beside << words->text();
    QVERIFY2(beside.contains("batch is not a number: many."), qPrintable(beside.join('|')));
    QVERIFY(form.problem().contains("replicas is not a number") || form.problem().contains("checkpoint"));
    // Their groups are unfolded, and stay so.
    for (const char* name : {"replicas", "checkpoint"}) {
      QWidget* list = line(name)->parentWidget();
      QVERIFY2(!list->isHidden(), name);
    }
    for (QToolButton* title : form.findChildren<QToolButton*>())
      if (title->isCheckable() && title->arrowType() == Qt::DownArrow) {
        title->setChecked(false);
        QVERIFY2(title->isChecked(), qPrintable(title->text()));
      }
    line("replicas")->setText("2");
    line("checkpoint")->clear();
    QCOMPARE(form.problem(), QString("batch is not a number: many"));
    line("batch")->clear();
    QCOMPARE(form.problem(), QString());
    QVERIFY(!isMarked("batch") && !isMarked("replicas"));
  }

  // An error of the command line marks the fields that it names; among several, those that the user set.
  void anErrorOfTheCommandLineIsAtItsFields() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setMachines(QJsonDocument::fromJson(R"([{"name": "gc200", "title": "GC200", "ipus": [1, 2]}])").array());
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "bert", "parameters": [
        {"name": "hidden", "default": "128", "text": "width"}, {"name": "heads", "default": "2", "text": "heads"}]}])")
                        .array());
    form.chooseSample("bert");
    const auto marked = [&] {
      QStringList names;
      for (QWidget* field : form.findChildren<QWidget*>())
        if (field->property("invalid").toBool()) names << field->accessibleName();
      return names;
    };
    QVERIFY(!form.putError("the disk is full"));
    QVERIFY(form.putError("--ipus: machine gc200 cannot have 3 IPUs (choose one of 1, 2)"));
    QCOMPARE(marked(), QStringList{"IPUs"});
    QVERIFY2(form.problem().startsWith("ipus: machine gc200 cannot"), qPrintable(form.problem()));
    fieldCalled(form, "hidden")->setText("255"); // another request: the error may not apply
    QCOMPARE(marked(), QStringList());
    QVERIFY(form.putError("--set heads: 2 heads cannot share a hidden size of 255"));
    QCOMPARE(marked(), (QStringList{"hidden", "heads"}));
    QVERIFY(form.requestToCheck() && form.requestToCheck()->parameters.isEmpty());
    fieldCalled(form, "hidden")->clear();
    fieldCalled(form, "pipeline")->setText("99");
    QVERIFY(form.putError("the machine has 1 IPU (choose --pipeline, --replicas and --ipus so that they agree)"));
    QCOMPARE(marked(), QStringList{"pipeline"});
    fieldCalled(form, "pipeline")->clear();
    auto* iterations = form.findChild<QSpinBox*>();
    iterations->setValue(0);
    QCOMPARE(marked(), QStringList{"Iterations"});
    QVERIFY2(form.problem().startsWith("Iterations is a whole number from 1 to "), qPrintable(form.problem()));
    iterations->setValue(1);
    QCOMPARE(form.problem(), QString());
  }

  // A line edit replaces line breaks and other control characters, so words of a request are kept beside the text that shows them.
  void optionsOfARequestStayTheSameWords() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setMachines(QJsonDocument::fromJson(R"([{"name": "gc200", "title": "GC200", "ipus": 1}])").array());
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "mlp", "parameters": []}])").array());
    ui::run::RunRequest request;
    request.graph = "mlp";
    request.options = {"--made-up", QString("a\u2003--save-model\nx"), "tab\there", QString(QChar(0)), "'", "\"", "\\"};
    form.fill(request);
    QCOMPARE(form.request(false).options, request.options);
    // Typed text is split as a shell splits it.
    for (QLineEdit* edit : form.findChildren<QLineEdit*>())
      if (edit->accessibleName() == "More options of the command line") edit->setText("--force 'a b'");
    QCOMPARE(form.request(false).options, QStringList({"--force", "a b"}));
  }
};

TILESCOPE_TEST(RunFormTest)
#include "run_form_test.moc"
