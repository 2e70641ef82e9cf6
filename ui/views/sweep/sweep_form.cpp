#include "ui/views/sweep/sweep_form.h"

#include "analyser/session/repeat.h"
#include "analyser/sweep/manifest.h"
#include "ui/parts/invalid_field.h"
#include "ui/parts/wheel_guard.h"
#include "ui/parts/wrapped_label.h"
#include "ui/runs/command_words.h"
#include "ui/runs/own_files.h"
#include "ui/runs/run_options.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFileInfo>
#include <QFormLayout>
#include <QJsonArray>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMap>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QStringListModel>
#include <QTextBlock>
#include <QThread>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <set>

namespace ui::sweep {

QJsonObject parameterSpec(const QString& lines, QString& problem) {
  QStringList problems;
  QJsonObject parameters;
  for (const QString& line : lines.split('\n', Qt::SkipEmptyParts)) {
    if (line.trimmed().isEmpty()) continue;
    const QString name = line.section('=', 0, 0).trimmed();
    QJsonArray values;
    for (const QString& word : line.section('=', 1).split(',')) {
      const QString value = word.trimmed();
      if (value.isEmpty()) continue;
      if (value == QStringLiteral("true") || value == QStringLiteral("false"))
        values.append(value == QStringLiteral("true"));
      else
        values.append(value);
    }
    if (!line.contains('=') || name.isEmpty() || values.isEmpty())
      problems << QObject::tr("\"%1\" is not NAME = VALUE, VALUE").arg(line.trimmed());
    else if (parameters.contains(name))
      problems << QObject::tr("%1 is listed twice").arg(name);
    else
      parameters.insert(name, values);
  }
  if (parameters.isEmpty() && problems.isEmpty()) problems << QObject::tr("Name a parameter and its values");
  problem = problems.join('\n');
  return parameters;
}

QString problemOf(const QJsonObject& parameters, const QJsonObject& sample, const QStringList& machines) {
  QStringList problems;
  QMap<QString, QJsonObject> known;
  for (const QJsonValue value : sample.value("parameters").toArray())
    known.insert(value.toObject().value("name").toString(), value.toObject());
  for (auto it = parameters.begin(); it != parameters.end(); ++it) {
    if (it.key().startsWith('-')) {
      for (const QJsonValue value : it.value().toArray())
        if (const QString bad = shell::sweptOptionProblem(it.key(), value.toVariant().toString(), machines); !bad.isEmpty())
          problems << bad;
      continue;
    }
    if (sample.isEmpty()) continue;
    if (!known.contains(it.key())) {
      problems << QObject::tr("%1 has no parameter %2").arg(sample.value("name").toString(), it.key());
      continue;
    }
    const QJsonObject parameter = known.value(it.key());
    QStringList choices;
    for (const QJsonValue choice : parameter.value("choices").toArray()) choices << choice.toString();
    // The text of a numeric parameter may name words that it accepts: "auto: follows the gradients".
    bool isNumber = false;
    parameter.value("default").toString().toDouble(&isNumber);
    static const QRegularExpression kNoWord(QStringLiteral("[^\\w-]+"));
    const QStringList words = parameter.value("text").toString().split(kNoWord, Qt::SkipEmptyParts);
    for (const QJsonValue value : it.value().toArray()) {
      const QString word = value.toVariant().toString();
      if (!choices.isEmpty() && !choices.contains(word))
        problems << QObject::tr("%1 is one of %2, not %3").arg(it.key(), choices.join(QStringLiteral(", ")), word);
      bool isOne = true;
      if (choices.isEmpty() && isNumber) word.toDouble(&isOne);
      if (!isOne && !words.contains(word)) problems << QObject::tr("%1 is a number, not %2").arg(it.key(), word);
    }
  }
  problems.removeDuplicates();
  return problems.join('\n');
}

QString problemOfOptions(const QStringList& words, const QJsonObject& sample, const QStringList& machines) {
  QStringList problems;
  for (qsizetype i = 0; i < words.size(); ++i) {
    const QString name = words[i].section('=', 0, 0);
    if (!name.startsWith('-')) {
      problems << QObject::tr("%1 is not an option: the names of options begin with --").arg(words[i]);
      continue;
    }
    const auto* known = analyser::repeatableOption(name.toStdString());
    const bool isSwitch = known && known->kind == analyser::ValueKind::None;
    if (known && !isSwitch && !words[i].contains('=') && i + 1 == words.size()) {
      problems << QObject::tr("%1 needs a value").arg(name);
      continue;
    }
    QString value = QStringLiteral("true");
    if (words[i].contains('='))
      value = words[i].section('=', 1);
    else if (!isSwitch && i + 1 < words.size() && (known || !words[i + 1].startsWith('-')))
      value = words[++i];
    QString bad = shell::sweptOptionProblem(name, value, machines);
    if (bad.isEmpty() && name == QStringLiteral("--set"))
      bad = problemOf({{value.section('=', 0, 0), QJsonArray{value.section('=', 1)}}}, sample);
    if (!bad.isEmpty()) problems << bad;
  }
  return problems.join('\n');
}

qint64 combinations(const QJsonObject& parameters) {
  const auto most = qint64(analyser::sweep::kMostConfigurations);
  qint64 count = 1;
  for (const QJsonValue values : parameters) {
    std::set<QString> words; // a value that is listed twice does not add a run
    for (const QJsonValue value : values.toArray()) words.insert(value.toVariant().toString());
    count = std::min(most + 1, count * qint64(words.size()));
  }
  return count;
}

QStringList completionsAt(const QString& line, const QJsonObject& sample, const QStringList& machines) {
  QStringList words;
  const bool ofValues = line.contains('=');
  const QString name = line.section('=', 0, 0).trimmed(),
                begun = ofValues ? line.section(QRegularExpression("[=,]"), -1).trimmed() : name;
  for (const QJsonValue value : sample.value("parameters").toArray()) {
    const QJsonObject parameter = value.toObject();
    if (!ofValues) words << parameter.value("name").toString();
    if (!ofValues || parameter.value("name").toString() != name) continue;
    for (const QJsonValue choice : parameter.value("choices").toArray()) words << choice.toString();
    if (words.isEmpty()) words << parameter.value("default").toString();
  }
  words << (ofValues ? shell::valuesOfOption(name, machines) : shell::sweptOptions());
  words.erase(
      std::remove_if(words.begin(), words.end(), [&](const QString& word) { return !word.startsWith(begun) || word == begun; }),
      words.end());
  return words;
}

QStringList optionCompletionsAt(const QString& line, const QJsonObject& sample, const QStringList& machines) {
  static const QRegularExpression kBlanks(QStringLiteral("\\s+"));
  const QStringList words = line.split(kBlanks);
  const QString& begun = words.back();
  const QString before = words.size() > 1 ? words[words.size() - 2] : QString();
  const auto* known = analyser::repeatableOption(before.toStdString());
  if (known && known->kind != analyser::ValueKind::None) // completes the value of the option before it
    return completionsAt(before == QStringLiteral("--set") ? begun : before + '=' + begun, sample, machines);
  if (begun.startsWith(QStringLiteral("--set="))) return completionsAt(begun.mid(6), sample, machines);
  if (!begun.startsWith('-')) return {};
  QStringList offered = completionsAt(begun, sample, machines);
  if (!begun.contains('=') && QStringLiteral("--set").startsWith(begun) && begun != QStringLiteral("--set"))
    offered << QStringLiteral("--set");
  return offered;
}

namespace {

// A field that completes the line before the cursor.
class PlanEdit : public QPlainTextEdit {
public:
  explicit PlanEdit(std::function<QStringList(const QString&)> completions)
      : m_completions(std::move(completions)), m_words(new QStringListModel(this)) {
    m_completer.setModel(m_words);
    m_completer.setWidget(this);
    m_completer.setCompletionMode(QCompleter::UnfilteredPopupCompletion); // the list has only words that fit
    QObject::connect(&m_completer, qOverload<const QString&>(&QCompleter::activated), this, [this](const QString& word) {
      QTextCursor cursor = textCursor();
      for (const QString line = before(); m_begun > 0 && !line.isEmpty(); --m_begun) cursor.deletePreviousChar();
      cursor.insertText(word);
      setTextCursor(cursor);
    });
  }

protected:
  void keyPressEvent(QKeyEvent* event) override {
    static constexpr int kOfThePopup[] = {Qt::Key_Enter, Qt::Key_Return, Qt::Key_Escape, Qt::Key_Tab, Qt::Key_Backtab};
    if (m_completer.popup()->isVisible() &&
        std::find(std::begin(kOfThePopup), std::end(kOfThePopup), event->key()) != std::end(kOfThePopup))
      return event->ignore(); // the completer handles this key
    QPlainTextEdit::keyPressEvent(event);
    if (!event->text().isEmpty()) offer();
  }

private:
  QString before() const { return textCursor().block().text().left(textCursor().positionInBlock()); }
  void offer() {
    const QString line = before();
    m_begun = int(line.section(QRegularExpression("[=,\\s]"), -1).size());
    const QStringList words = line.trimmed().isEmpty() ? QStringList() : m_completions(line);
    m_words->setStringList(words);
    if (words.isEmpty()) return m_completer.popup()->hide();
    constexpr int kWide = 180;
    QRect at = cursorRect();
    at.setWidth(kWide);
    m_completer.complete(at);
  }

  std::function<QStringList(const QString&)> m_completions; // in a line, up to the cursor
  QStringListModel* m_words;
  QCompleter m_completer;
  int m_begun = 0; // letters of the word before the cursor
};

} // namespace

SweepForm::SweepForm(const theme::Theme& theme, QWidget* parent) : QFrame(parent) {
  setProperty("role", "card");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(theme::kMargin, theme::kMargin, theme::kMargin, theme::kMargin);
  column->setSpacing(theme::kGrid);
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(theme::kMargin);
  form->setVerticalSpacing(theme::kGrid);
  const auto add = [&](const QString& title, QWidget* field, const QString& tip) {
    field->setAccessibleName(title);
    field->setToolTip(theme::tipText(tip));
    form->addRow(title, field);
  };
  const auto made = [](shell::WrappedLabel*& label) {
    label = new shell::WrappedLabel;
    label->setProperty("role", "error");
    label->hide();
    return label;
  };
  const auto addProblem = [&](shell::WrappedLabel*& label) { form->addRow(made(label)); };
  add(tr("Graph"), m_graph = new QLineEdit, tr("A sample, an ONNX file, or program:FILE, a program built with the SDK"));
  m_graph->setPlaceholderText(QStringLiteral("mnist-train"));
  addProblem(m_graphProblem);
  add(tr("Options"),
      m_arguments = new PlanEdit([this](const QString& line) { return optionCompletionsAt(line, sample(), m_machines); }),
      tr("Options that all runs have, as on the command line"));
  m_arguments->setPlainText(QStringLiteral("--no-numbers"));
  constexpr int kOptionLines = 3;
  m_arguments->setTabChangesFocus(true);
  m_arguments->setFixedHeight(kOptionLines * m_arguments->fontMetrics().lineSpacing() + 2 * theme::kGrid);
  addProblem(m_argumentProblem);
  add(tr("Processes"), m_jobs = new QSpinBox, tr("Runs at a time"));
  shell::leaveWheelToPage(*m_jobs);
  m_jobs->setRange(1, 256);
  m_jobs->setValue(std::max(1, QThread::idealThreadCount()));
  column->addLayout(form);
  auto* title = theme::plainLabel(tr("Parameters and their values"));
  title->setProperty("role", "strong");
  column->addWidget(title);
  column->addWidget(
      m_parameters = new PlanEdit([this](const QString& line) { return completionsAt(line, sample(), m_machines); }), 1);
  m_parameters->setProperty("role", "mono");
  m_parameters->setTabChangesFocus(true); // Tab moves on to the runs
  m_parameters->setAccessibleName(tr("Parameters and their values"));
  m_parameters->setPlaceholderText(QStringLiteral("batch = 16, 32, 64\n--machine = gc200, bow\n--precision = fp32, fp16"));
  column->addWidget(made(m_parameterProblem));
  auto* words = theme::plainLabel(
      tr("One line per parameter. A name that begins with -- is an option of the run, any other a parameter of the sample. Every "
         "combination is run."));
  words->setProperty("role", "secondary");
  words->setWordWrap(true);
  column->addWidget(words);
  column->addWidget(m_count = theme::plainLabel());
  m_count->setWordWrap(true);
  column->addWidget(m_proposed = new QPushButton(tr("Use the plan of the open report")));
  m_proposed->setFlat(true);
  m_proposed->hide();
  connect(m_proposed, &QPushButton::clicked, this, [this] {
    m_isTyped = false;
    const auto use = m_propose; // a copy: use() sets m_propose again
    use();
  });
  auto* actions = new QHBoxLayout;
  actions->addWidget(m_run = new QPushButton(theme::icon(theme, "play", theme::Tint::OnAccent), tr("Run all")), 1);
  m_run->setProperty("role", "primary");
  actions->addWidget(m_stop = new QPushButton(theme::icon(theme, "stop"), tr("Stop")));
  actions->addWidget(m_open = new QPushButton(theme::icon(theme, "open"), tr("Open…")));
  m_open->setToolTip(theme::tipText(tr("Show a sweep that was run before, or elsewhere")));
  column->addLayout(actions);
  connect(m_run, &QPushButton::clicked, this, &SweepForm::runRequested);
  connect(m_stop, &QPushButton::clicked, this, &SweepForm::stopRequested);
  connect(m_open, &QPushButton::clicked, this, &SweepForm::openRequested);
  connect(m_parameters, &QPlainTextEdit::textChanged, this, &SweepForm::check);
  connect(m_graph, &QLineEdit::textChanged, this, &SweepForm::check);
  connect(m_arguments, &QPlainTextEdit::textChanged, this, &SweepForm::check);
  setRunning(false);
  check();
}

void SweepForm::propose(const QString& graph, const QStringList& arguments, const QString& parameters) {
  // A plan that the user typed is never lost.
  const bool isTyped = m_isTyped && !m_parameters->toPlainText().trimmed().isEmpty();
  m_proposed->setVisible(isTyped && (graph != m_graph->text() || parameters != m_parameters->toPlainText()));
  m_propose = [this, graph, arguments, parameters] { propose(graph, arguments, parameters); };
  if (isTyped) return;
  m_isProposing = true;
  m_graph->setText(graph);
  m_arguments->setPlainText(shell::shellLine(arguments));
  m_parameters->setPlainText(parameters);
  m_isProposing = false;
}

void SweepForm::setSamples(const QJsonArray& samples) {
  m_samples = samples;
  QStringList names;
  for (const QJsonValue value : samples) names << value.toObject().value("name").toString();
  auto* completer = new QCompleter(names, m_graph);
  completer->setFilterMode(Qt::MatchContains);
  m_graph->setCompleter(completer);
  check();
}

void SweepForm::setMachines(const QStringList& machines) {
  m_machines = machines;
  check();
}

QJsonObject SweepForm::sample() const {
  for (const QJsonValue value : m_samples)
    if (value.toObject().value("name").toString() == graph()) return value.toObject();
  return {};
}

QJsonObject SweepForm::typed() const {
  if (!m_isTyped || m_parameters->toPlainText().trimmed().isEmpty()) return {};
  return {{"graph", m_graph->text()}, {"options", m_arguments->toPlainText()}, {"parameters", m_parameters->toPlainText()}};
}

void SweepForm::restore(const QJsonObject& plan) {
  if (plan.isEmpty()) return;
  m_graph->setText(plan.value("graph").toString());
  m_arguments->setPlainText(plan.value("options").toString());
  m_parameters->setPlainText(plan.value("parameters").toString());
  m_isTyped = true;
}

QString SweepForm::graph() const { return m_graph->text().trimmed(); }

int SweepForm::jobs() const { return m_jobs->value(); }

QStringList SweepForm::files() const {
  QString ignored;
  QStringList words = shell::splitShellWords(m_arguments->toPlainText()).value_or(QStringList());
  const QJsonObject parameters = parameterSpec(m_parameters->toPlainText(), ignored);
  for (auto it = parameters.begin(); it != parameters.end(); ++it)
    for (const QJsonValue value : it.value().toArray()) words << it.key() << value.toVariant().toString();
  QStringList files = shell::filesRead(graph(), words);
  if (!program().isEmpty()) files.removeLast(); // the program is started, not read
  return files;
}

QString SweepForm::program() const {
  const std::string word = graph().toStdString();
  return analyser::isProgram(word) ? QFileInfo(QString::fromStdString(analyser::programFile(word))).absoluteFilePath()
                                   : QString();
}

QJsonObject SweepForm::spec(QString& problem) const {
  const QJsonObject parameters = parameterSpec(m_parameters->toPlainText(), problem);
  const auto arguments = shell::splitShellWords(m_arguments->toPlainText());
  return {{"graph", graph()},
          {"arguments", QJsonArray::fromStringList(arguments.value_or(QStringList()))},
          {"parameters", parameters}};
}

QString SweepForm::problemOfGraph() const {
  const std::string word = graph().toStdString();
  if (word.empty()) return tr("Name a sample, an ONNX file, or program:FILE");
  if (m_samples.isEmpty() || !sample().isEmpty() || analyser::isProgram(word)) return {};
  if (!analyser::readsGraph(word)) return tr("No sample and no file here is named %1").arg(graph());
  return QFileInfo::exists(graph()) ? QString() : tr("The file does not exist");
}

// All errors at once, each at its field.
void SweepForm::check() {
  m_isTyped = m_isTyped || (!m_isProposing && isVisible());
  const bool isEmpty = graph().isEmpty() && m_parameters->toPlainText().trimmed().isEmpty();
  m_isNew = m_isNew && isEmpty; // a page that was just opened has examples, not errors
  const auto say = [this](QWidget* field, shell::WrappedLabel* label, const QString& problem) {
    const bool isShown = !problem.isEmpty() && !m_isNew;
    label->setWords(isShown ? problem : QString());
    label->setVisible(isShown);
    shell::setInvalid(field, isShown);
    return problem.isEmpty();
  };
  QString problem;
  const QJsonObject parameters = spec(problem).value("parameters").toObject();
  bool isReady = say(m_graph, m_graphProblem, problemOfGraph());
  const auto options = shell::splitShellWords(m_arguments->toPlainText());
  isReady &= say(m_arguments, m_argumentProblem,
                 options ? problemOfOptions(*options, sample(), m_machines) : tr("A quotation mark is not closed"));
  const qint64 runs = combinations(parameters);
  if (const QString more = problemOf(parameters, sample(), m_machines); !more.isEmpty())
    problem += problem.isEmpty() ? more : '\n' + more;
  if (problem.isEmpty() && runs > qint64(analyser::sweep::kMostConfigurations))
    problem = tr("More than %1 runs: split the sweep").arg(theme::count(int64_t(analyser::sweep::kMostConfigurations)));
  isReady &= say(m_parameters, m_parameterProblem, problem);
  m_count->setText(theme::plural(int(runs), tr("run"), tr("runs")));
  m_count->setVisible(problem.isEmpty());
  m_run->setToolTip(theme::tipText(isReady   ? QString()
                                   : m_isNew ? tr("Name a graph, and parameters with their values")
                                             : tr("A field has an error")));
  m_run->setEnabled(isReady && !m_stop->isEnabled());
  emit edited();
}

void SweepForm::setRunning(bool running) {
  m_stop->setEnabled(running);
  m_open->setEnabled(!running);
  check();
}

} // namespace ui::sweep
