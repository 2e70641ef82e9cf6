// over 500 lines because each field is built, filled, marked and read here: a new one is a line in each of these
#include "ui/views/run/run_form.h"

#include "ui/parts/vertical_scroll.h"
#include "ui/parts/wheel_guard.h"
#include "ui/parts/wrapped_label.h"
#include "ui/runs/command_words.h"
#include "ui/runs/field_names.h"
#include "ui/runs/model_dialog.h"
#include "ui/runs/run_history.h"
#include "ui/state/settings.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/whole_file.h"
#include "ui/views/run/form_rows.h"
#include "ui/views/run/option_groups.h"
#include "ui/views/run/parameter_list.h"
#include "ui/views/run/program_fields.h"
#include "ui/views/run/run_settings.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QStandardPaths>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace ui::run {

namespace {
constexpr int kMaxIterations = 1000000;

QMap<QString, QString> mapOf(const QList<std::pair<QString, QString>>& pairs) {
  QMap<QString, QString> map;
  for (const auto& [name, value] : pairs) map.insert(name, value);
  return map;
}
} // namespace

RunForm::RunForm(const theme::Theme& theme, shell::Settings& settings, QWidget* parent) : QFrame(parent), m_settings(settings) {
  setProperty("role", "card");
  // The fields may be many and scroll; Run and Cancel stay visible.
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(1, 1, 1, theme::kMargin);
  auto* questions = new QWidget;
  outer->addWidget(m_scroll = shell::verticalScroll(questions), 1);
  auto* column = new QVBoxLayout(questions);
  column->setContentsMargins(theme::kMargin, theme::kMargin, theme::kMargin, theme::kMargin);
  column->setSpacing(theme::kGrid + theme::kHalf);
  column->addLayout(buildReference());
  column->addLayout(buildSources());

  m_form = new QFormLayout;
  m_form->setHorizontalSpacing(theme::kMargin);
  m_form->setVerticalSpacing(theme::kGrid);
  m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  buildGraph();
  buildMachine();
  column->addLayout(m_form);

  column->addWidget(m_filter = new QLineEdit);
  m_filter->setPlaceholderText(tr("Filter parameters and options"));
  m_filter->setAccessibleName(tr("Filter of the fields"));
  m_filter->setClearButtonEnabled(true);
  connect(m_filter, &QLineEdit::textChanged, this, &RunForm::filterFields);
  m_parameterTitle = theme::plainLabel(tr("Parameters of the sample"));
  m_parameterTitle->setProperty("role", "strong");
  column->addWidget(m_parameterTitle);
  column->addWidget(m_parameters = new ParameterList);
  m_parameters->setCheck(shell::parameterProblem);
  column->addWidget(m_groups = new OptionGroups);
  column->addWidget(m_noField = theme::plainLabel(tr("No parameter and no option has these words.")));
  m_noField->setProperty("role", "secondary");
  m_noField->hide();
  connect(m_groups, &OptionGroups::edited, this, &RunForm::mark);
  connect(m_parameters, &ParameterList::edited, this, &RunForm::mark);
  column->addStretch(1);
  outer->addLayout(buildActions(theme));

  setRunning(false);
  showSource();
}

// Builds the row that names the reference report and fills the form with its settings.
QLayout* RunForm::buildReference() {
  auto* column = new QVBoxLayout;
  column->addWidget(m_referenceRow = new QWidget);
  auto* row = new QHBoxLayout(m_referenceRow);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(m_referenceText = theme::plainLabel(), 1);
  m_referenceText->setProperty("role", "secondary");
  m_referenceText->setWordWrap(true);
  m_again = new QPushButton(tr("Its settings"));
  m_again->setToolTip(theme::tipText(tr("Fill the form with the settings of the open report")));
  row->addWidget(m_again);
  m_referenceRow->hide();
  connect(m_again, &QPushButton::clicked, this, [this] {
    if (m_reference) fill(*m_reference);
  });
  return column;
}

QLayout* RunForm::buildSources() {
  auto* source = new QHBoxLayout;
  source->setSpacing(0);
  source->addWidget(m_fromSample = segment(tr("Sample"), "first"));
  source->addWidget(m_fromFile = segment(tr("ONNX file"), "middle"));
  source->addWidget(m_fromProgram = segment(tr("Program"), "last"));
  source->addStretch(1);
  auto* group = new QButtonGroup(this);
  group->addButton(m_fromSample);
  group->addButton(m_fromFile);
  group->addButton(m_fromProgram);
  m_fromSample->setChecked(true);
  connect(group, &QButtonGroup::buttonToggled, this, [this](QAbstractButton*, bool checked) {
    if (!checked) return;
    useOwnSettings();
    showSource();
  });
  return source;
}

// Builds the choice of the graph: a sample of the list, a file or a program.
void RunForm::buildGraph() {
  addField(*m_form, tr("Sample"), m_sample = new QComboBox);
  m_sample->setPlaceholderText(tr("Reading the list of samples…"));
  m_fileRow = pathRow(m_file, tr("ONNX file"), tr("model.onnx, or drop one here"),
                      [this] { return shell::chooseModel(this, m_file->text()); });
  addField(*m_form, tr("File"), m_fileRow);
  m_programFields = new ProgramFields(*m_form, this);
  connect(m_programFields, &ProgramFields::edited, this, &RunForm::mark);
  m_text = new shell::WrappedLabel;
  m_text->setProperty("role", "secondary");
  m_form->addRow(m_text); // over both columns: beside the field it would be too narrow
  m_expected = new shell::WrappedLabel;
  m_expected->setAccessibleName(tr("Expected cost"));
  m_form->addRow(m_expected);
  connect(m_sample, &QComboBox::currentIndexChanged, this, [this] {
    OwnSettings defaults; // settings of one sample do not become those of another
    defaults.ipus = 0;    // the default of the graph
    putOwnSettings(defaults);
    showSample();
  });
  connect(m_file, &QLineEdit::textChanged, this, [this] { showSource(); });
}

// Builds the fields of the machine and its settings.
void RunForm::buildMachine() {
  addField(*m_form, tr("Machine"), m_machine = new QComboBox);
  m_machine->setPlaceholderText(tr("Reading the list of machines…"));
  m_machineText = theme::plainLabel();
  m_machineText->setProperty("role", "secondary");
  m_machineText->hide(); // until there is a machine
  m_form->addRow(QString(), m_machineText);
  m_errors.addLine(*m_form, m_machine);
  addField(*m_form, tr("IPUs"), m_ipus = new QComboBox);
  m_errors.addLine(*m_form, m_ipus);
  addField(*m_form, tr("Precision"), m_precision = new QComboBox);
  m_precision->addItems({"fp32", "fp16", "fp8"});
  m_errors.addLine(*m_form, m_precision);
  addField(*m_form, tr("Iterations"), m_iterations = new QSpinBox);
  m_iterations->setRange(0, kMaxIterations); // 0 is an error that stays visible
  m_iterations->setValue(1);
  m_errors.addLine(*m_form, m_iterations);
  for (QComboBox* box : {m_machine, m_ipus, m_precision}) connect(box, &QComboBox::currentIndexChanged, this, &RunForm::mark);
  connect(m_iterations, &QSpinBox::valueChanged, this, &RunForm::mark);
  addField(*m_form, tr("Options"), m_options = new QLineEdit);
  m_options->setPlaceholderText(tr("e.g. %1").arg(QStringLiteral("--force")));
  m_options->setToolTip(theme::tipText(tr("More options, as on the command line: tilescope-cli run --help lists them")));
  m_options->setAccessibleName(tr("More options of the command line"));
  m_errors.addLine(*m_form, m_options);
  m_form->addRow(QString(), m_numbers = new QCheckBox(tr("Compute values")));
  m_numbers->setChecked(true);
  connect(m_numbers, &QCheckBox::toggled, this, &RunForm::mark);
  connect(m_options, &QLineEdit::textChanged, this, &RunForm::mark);
  m_numbers->setToolTip(theme::tipText(tr("Off: cycles and memory only, which is quicker for large models")));
  addField(*m_form, tr("When done"), m_after = new QComboBox);
  m_after->addItem(tr("Compare with the open report"), int(After::Compare));
  m_after->addItem(tr("Open its report"), int(After::Open));
  m_after->addItem(tr("Only list it"), int(After::Nothing));
  m_after->setCurrentIndex(1);
  connect(m_machine, &QComboBox::currentIndexChanged, this, &RunForm::showMachine);
}

bool RunForm::isOfReference() const { return m_reference && request(false).graph == m_reference->graph; }

RunForm::After RunForm::after() const { return After(m_after->currentData().toInt()); }

// Offers "Compare" only if the form has the graph of the reference. If the user had chosen it, it comes back with that graph.
void RunForm::offerComparison() {
  const bool isOffered = isOfReference();
  const int compare = m_after->findData(int(After::Compare)), open = m_after->findData(int(After::Open));
  static_cast<QStandardItemModel*>(m_after->model())->item(compare)->setEnabled(isOffered);
  if (!isOffered && m_after->currentIndex() == compare) m_after->setCurrentIndex(open), m_comparesAgain = true;
  if (isOffered && std::exchange(m_comparesAgain, false)) m_after->setCurrentIndex(compare);
}

void RunForm::showTop() { m_scroll->verticalScrollBar()->setValue(0); }

void RunForm::setReference(const std::optional<RunRequest>& request, const QString& name) {
  m_reference = request, m_referenceName = name;
  m_referenceRow->setVisible(request.has_value());
  m_after->setCurrentIndex(m_after->findData(int(request ? After::Compare : After::Open)));
  m_comparesAgain = false;
  showTop();
  m_text->setVisible(!m_text->text().isEmpty() && !request);
  if (request) fill(*request);
  mark();
}

void RunForm::fill(const RunRequest& request) {
  if (request.graph != this->request(false).graph) showTop();
  if (hasSample(request.graph))
    chooseSample(request.graph);
  else if (request.startsProgram())
    m_fromProgram->setChecked(true);
  else
    chooseFile(request.graph);
  if (const int machine = m_machine->findData(request.machine); machine >= 0) m_machine->setCurrentIndex(machine);
  m_ipus->setCurrentIndex(std::max(0, m_ipus->findData(request.ipus)));
  if (!request.precision.isEmpty()) m_precision->setCurrentText(request.precision);
  m_iterations->setValue(request.iterations);
  m_numbers->setChecked(request.numbers);
  m_programFields->fill(request);
  m_parameters->setValues(mapOf(request.parameters));
  QStringList options = request.options;
  m_groups->setValues(shell::takeOptions(options)), filterFields();
  if (request.startsProgram())
    for (const auto& [name, value] : request.parameters) options << QStringLiteral("--set") << name + '=' + value;
  m_filledOptions = options;
  m_options->setText(m_filledLine = shell::shellLine(options));
}

bool RunForm::hasSample(const QString& name) const { return m_sample->findData(name) >= 0; }

void RunForm::useDefaultsOf(const QString& sample) {
  setReference(std::nullopt, {});
  if (const auto request = requestFromWords({sample}, {})) fill(*request);
}

// Puts a dot before the name of each field that differs from the open report.
void RunForm::mark() {
  const auto dot = [&](QWidget* field, bool changed) {
    auto* label = qobject_cast<QLabel*>(m_form->labelForField(field));
    if (!label) return;
    QString name = label->text();
    name.remove(QStringLiteral("● "));
    label->setText(changed ? QStringLiteral("● ") + name : name);
  };
  const RunRequest now = request(false);
  const bool sameGraph = isOfReference();
  offerComparison();
  dot(m_sample, m_reference && m_fromSample->isChecked() && !sameGraph);
  dot(m_fileRow, m_reference && m_fromFile->isChecked() && !sameGraph);
  for (const auto& [field, differs] : m_programFields->differences(now, m_reference)) dot(field, differs);
  dot(m_machine, m_reference && m_machine->currentData().toString() != m_reference->machine);
  dot(m_ipus, m_reference && m_ipus->currentData().toInt() != m_reference->ipus);
  dot(m_precision, m_reference && m_precision->isEnabled() && !m_reference->precision.isEmpty() &&
                       m_precision->currentText() != m_reference->precision);
  dot(m_iterations, m_reference && m_iterations->value() != m_reference->iterations);
  m_numbers->setText(m_reference && now.numbers != m_reference->numbers ? tr("● Compute values") : tr("Compute values"));
  std::optional<QMap<QString, QString>> parameters;
  if (sameGraph) parameters = mapOf(m_reference->parameters);
  m_parameters->setReference(parameters);
  QStringList before = m_reference ? m_reference->options : QStringList();
  const auto values = shell::takeOptions(before);
  dot(m_options, m_reference && moreOptions() != before);
  m_groups->setReference(m_reference ? std::optional(values) : std::nullopt);
  showErrors();
  if (m_reference) m_referenceText->setText(tr("Settings of %1. Fields with ● differ from it.").arg(m_referenceName));
  emit edited();
}

QLayout* RunForm::buildActions(const theme::Theme& theme) {
  auto* actions = new QHBoxLayout;
  actions->setContentsMargins(theme::kMargin, 0, theme::kMargin, 0);
  m_run = new QPushButton(theme::icon(theme, "play", theme::Tint::OnAccent), tr("Run"));
  m_run->setProperty("role", "primary");
  m_run->setObjectName(QStringLiteral("run")); // the rail also has a "Run"
  m_cancel = new QPushButton(theme::icon(theme, "stop"), tr("Cancel"));
  actions->addWidget(m_run, 1);
  actions->addWidget(m_cancel);
  connect(m_run, &QPushButton::clicked, this, [this] {
    remember();
    emit runRequested();
  });
  connect(m_cancel, &QPushButton::clicked, this, &RunForm::cancelRequested);
  return actions;
}

QToolButton* RunForm::segment(const QString& title, const char* place) {
  auto* button = new QToolButton;
  button->setText(title);
  button->setCheckable(true);
  button->setProperty("role", "segment");
  button->setProperty("place", place);
  button->setAccessibleName(tr("Run a %1").arg(title));
  return button;
}

void RunForm::setSamples(const QJsonArray& samples) {
  m_sampleList = samples;
  const QSignalBlocker blocker(m_sample);
  m_sample->clear();
  for (const QJsonValue value : samples) {
    const QString name = value.toObject().value("name").toString();
    m_sample->addItem(name, name);
  }
  m_sample->setCurrentIndex(std::max(0, m_sample->findData(m_settings.value("run/sample"))));
  showSample();
}

void RunForm::setMachines(const QJsonArray& machines) {
  m_machineList = machines;
  const QSignalBlocker blocker(m_machine);
  m_machine->clear();
  for (const QJsonValue value : machines) {
    const QJsonObject machine = value.toObject();
    const QString name = machine.value("name").toString(), title = machine.value("title").toString();
    m_machine->addItem(title.isEmpty() ? name : title, name);
  }
  const int last = m_machine->findData(m_settings.value("run/machine", "gc200"));
  m_machine->setCurrentIndex(std::max(0, last));
  showMachine();
  showExpected(); // the expected cost names the machine
}

void RunForm::chooseSample(const QString& name) {
  m_fromSample->setChecked(true);
  const int at = m_sample->findData(name);
  if (at >= 0) m_sample->setCurrentIndex(at);
  showSample();
}

void RunForm::chooseFile(const QString& file) {
  m_fromFile->setChecked(true);
  const QString name = QDir::toNativeSeparators(file);
  if (name != m_file->text()) putOwnSettings({}), showTop(); // another model has its own defaults
  m_file->setText(name);
}

RunForm::OwnSettings RunForm::ownSettings() const {
  OwnSettings own;
  own.precision = m_precision->currentText();
  own.ipus = m_ipus->currentData().toInt(), own.iterations = m_iterations->value();
  own.numbers = m_numbers->isChecked();
  QStringList words = m_groups->arguments();
  own.options = shell::takeOptions(words);
  own.filledOptions = m_filledOptions, own.filledLine = m_filledLine, own.moreLine = m_options->text();
  return own;
}

// Each kind of graph keeps its own settings: those of a sample do not become those of a model.
void RunForm::useOwnSettings() {
  const auto source = [this] { return m_fromSample->isChecked() ? 0 : m_fromFile->isChecked() ? 1 : 2; };
  const int next = source();
  if (next == m_source) return;
  m_ownSettings[std::size_t(m_source)] = ownSettings();
  m_source = next;
  putOwnSettings(m_ownSettings[std::size_t(next)]);
}

void RunForm::putOwnSettings(const OwnSettings& own) {
  m_precision->setCurrentText(own.precision);
  if (const int at = m_ipus->findData(own.ipus); at >= 0) m_ipus->setCurrentIndex(at);
  m_iterations->setValue(own.iterations);
  m_numbers->setChecked(own.numbers);
  m_groups->setValues(own.options), filterFields();
  m_filledOptions = own.filledOptions, m_filledLine = own.filledLine;
  m_options->setText(own.moreLine);
}

void RunForm::showSource() {
  const bool starts = m_fromProgram->isChecked();
  m_form->setRowVisible(m_sample, m_fromSample->isChecked());
  m_form->setRowVisible(m_fileRow, m_fromFile->isChecked());
  m_programFields->setVisible(starts);
  // A program chooses these itself.
  for (QWidget* field : {static_cast<QWidget*>(m_ipus), static_cast<QWidget*>(m_precision), static_cast<QWidget*>(m_iterations),
                         static_cast<QWidget*>(m_numbers)})
    m_form->setRowVisible(field, !starts);
  m_filter->setVisible(!starts), m_groups->setVisible(!starts);
  showSample();
}

void RunForm::showSample() {
  const bool sample = m_fromSample->isChecked();
  const QJsonObject chosen = m_sampleList.at(m_sample->currentIndex()).toObject();
  m_text->setWords(sample ? shell::withFieldNames(chosen.value("text").toString())
                   : m_fromProgram->isChecked()
                       ? tr("A program built with the SDK. It is started as you, and its report opens when it ends.")
                       : tr("An .onnx file, or a folder that holds model.onnx"));
  m_text->setVisible(!m_text->text().isEmpty() && !m_reference); // a user who repeats a run knows the sample
  showExpected();
  m_parameters->setParameters(sample ? chosen.value("parameters").toArray() : QJsonArray());
  QMap<QString, QString> defaults; // of options
  for (const auto& [key, option] : {std::pair("stages", "pipeline"), {"replicas", "replicas"}})
    if (const qint64 own = sample ? chosen.value(QLatin1String(key)).toInteger() : 0; own > 0)
      defaults[QLatin1String(option)] = QString::number(own);
  m_groups->setDefaults(defaults);
  m_groups->setTwins(m_parameters->names()); // the sample's own field replaces an equal option
  filterFields();
  m_precision->setEnabled(choosesPrecision());
  m_precision->setToolTip(theme::tipText(choosesPrecision() ? QString() : tr("This sample chooses its own type")));
  mark();
}

void RunForm::showFields(const QString& name) { m_filter->setText(name); }

void RunForm::filterFields() {
  const QString words = m_filter->text().trimmed();
  const int parameters = m_parameters->setFilter(words), options = m_groups->setFilter(words);
  m_parameterTitle->setVisible(parameters > 0);
  m_noField->setVisible(parameters + options == 0 && !m_fromProgram->isChecked());
}

// Shows figures of the sample with its defaults, simulated when this program was built, as an idea of the cost before the run.
void RunForm::showExpected() {
  const QJsonObject baseline = m_sampleList.at(m_sample->currentIndex()).toObject().value("baseline").toObject();
  const QJsonObject figures = baseline.value("default").toObject();
  const bool known = m_fromSample->isChecked() && !figures.isEmpty();
  m_expected->setVisible(known);
  if (!known) return;
  const theme::Format format(m_settings.units());
  const QString machine = baseline.value("machine").toString();
  const int at = m_machine->findData(machine);
  const auto bytes = [&](const char* key) { return format.bytes(reports::Bytes(figures.value(key).toInteger())); };
  m_expected->setWords(tr("With its defaults on %1: %2, %3 on the fullest tile, %4 over all tiles, %5.")
                           .arg(at < 0 ? machine : m_machine->itemText(at),
                                format.cycles(reports::Cycles(figures.value("cycles").toInteger())), bytes("max_tile_bytes"),
                                bytes("total_bytes"), theme::flops(figures.value("flops").toDouble())));
}

bool RunForm::choosesPrecision() const {
  if (!m_fromSample->isChecked()) return true;
  return m_sampleList.at(m_sample->currentIndex()).toObject().value("precision").toString("chosen") == "chosen";
}

void RunForm::showMachine() {
  const QJsonObject machine = m_machineList.at(m_machine->currentIndex()).toObject();
  const QSignalBlocker blocker(m_ipus);
  const int chosen = m_ipus->count() > 0 ? m_ipus->currentData().toInt() : OwnSettings().ipus;
  m_ipus->clear();
  m_ipus->addItem(tr("as the graph needs"), 0);
  for (const QJsonValue count : machine.value("ipus").toArray()) m_ipus->addItem(QString::number(count.toInt()), count.toInt());
  if (m_ipus->count() == 1) m_ipus->addItem(QStringLiteral("1"), 1);
  m_ipus->setCurrentIndex(std::max(0, m_ipus->findData(chosen)));
  m_machineText->setVisible(!machine.isEmpty());
  if (!machine.isEmpty())
    m_machineText->setText(
        tr("%1 tiles of %2 at %3 GHz")
            .arg(theme::count(machine.value("tiles_per_ipu").toInteger()),
                 theme::Format(m_settings.units()).bytes(reports::Bytes(machine.value("memory_per_tile_bytes").toInteger())),
                 theme::significant(machine.value("clock_hz").toDouble() / 1e9)));
  mark();
}

void RunForm::remember() {
  m_settings.setValue("run/sample", m_sample->currentData());
  m_settings.setValue("run/machine", m_machine->currentData());
}

RunRequest RunForm::request(bool withReport) const {
  RunRequest request;
  request.graph = m_fromSample->isChecked() ? m_sample->currentData().toString() : m_file->text().trimmed();
  request.machine = m_machine->currentData().toString();
  request.machineTitle = m_machine->currentText();
  if (m_fromProgram->isChecked()) {
    m_programFields->put(request);
    request.ipus = 0;
    request.options = moreOptions();
    if (withReport) addReport(request);
    return request;
  }
  request.ipus = m_ipus->currentData().toInt();
  if (choosesPrecision()) request.precision = m_precision->currentText();
  request.iterations = m_iterations->value();
  request.numbers = m_numbers->isChecked();
  request.parameters = m_parameters->values();
  request.options = m_groups->arguments() + moreOptions();
  if (withReport) addReport(request);
  return request;
}

void RunForm::addReport(RunRequest& request) const {
  const QFileInfo file(request.graph);
  const QString stem = file.fileName() == "model.onnx" ? file.dir().dirName() : file.completeBaseName();
  theme::makePrivateFolder(shell::runsFolder());
  const QString name = QStringLiteral("%1/%2-%3-%4")
                           .arg(shell::runsFolder(), stem, request.machine, QDateTime::currentDateTime().toString("MMdd-hhmmss"));
  request.report = name + QStringLiteral(".tsr");
  for (int again = 2; QFileInfo::exists(request.report); ++again)
    request.report = QStringLiteral("%1-%2.tsr").arg(name).arg(again);
}

std::optional<RunRequest> RunForm::requestWithoutBatch() const {
  RunRequest run = request(false);
  if (run.startsProgram()) return std::nullopt;
  if (m_fromSample->isChecked()) {
    const QJsonArray parameters = m_sampleList.at(m_sample->currentIndex()).toObject().value("parameters").toArray();
    const auto isBatch = [](const QJsonValue& p) { return p.toObject().value("name").toString() == QStringLiteral("batch"); };
    if (std::none_of(parameters.begin(), parameters.end(), isBatch)) return std::nullopt;
    run.parameters.removeIf([](const auto& p) { return p.first == QStringLiteral("batch"); });
  } else {
    run.dropOption(QStringLiteral("--batch"));
  }
  return run;
}

void RunForm::setBatch(int64_t batch) {
  const auto run = requestWithoutBatch();
  if (!run) return;
  RunRequest with = *run;
  const QString number = QString::number(batch);
  if (m_fromSample->isChecked())
    with.parameters.append({QStringLiteral("batch"), number});
  else
    with.options << QStringLiteral("--batch") << number;
  fill(with);
}

// Splits only text that the user typed. Words that fill() got are returned as they were.
QStringList RunForm::moreOptions() const {
  if (m_options->text() == m_filledLine) return m_filledOptions;
  return shell::splitShellWords(m_options->text()).value_or(QStringList());
}

void RunForm::setRunning(bool running) {
  const QString reason = problem();
  m_run->setEnabled(reason.isEmpty());
  m_run->setToolTip(theme::tipText(reason.isEmpty() && running ? tr("Two runs work at a time; further runs wait") : reason));
  m_cancel->setEnabled(running);
}

} // namespace ui::run
