#include "ui/views/sweep/sweep_form.h"

#include "analyser/session/repeat.h"
#include "analyser/sweep/manifest.h"
#include "ui/parts/wheel_guard.h"
#include "ui/runs/command_words.h"
#include "ui/runs/own_files.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QFileInfo>
#include <QFormLayout>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QThread>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace ui::sweep {

QJsonObject parameterSpec(const QString& lines, QString& problem) {
  problem.clear();
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
      problem = QObject::tr("\"%1\" is not NAME = VALUE, VALUE").arg(line.trimmed());
    else if (parameters.contains(name))
      problem = QObject::tr("%1 is listed twice").arg(name);
    else
      parameters.insert(name, values);
  }
  if (parameters.isEmpty() && problem.isEmpty()) problem = QObject::tr("Name a parameter and its values");
  return parameters;
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
  add(tr("Graph"), m_graph = new QLineEdit, tr("A sample, an ONNX file, or program:FILE, a program built with the SDK"));
  m_graph->setPlaceholderText(QStringLiteral("mnist-train"));
  add(tr("Options"), m_arguments = new QPlainTextEdit, tr("Options that all runs have, as on the command line"));
  m_arguments->setPlainText(QStringLiteral("--no-numbers"));
  constexpr int kOptionLines = 3;
  m_arguments->setTabChangesFocus(true);
  m_arguments->setFixedHeight(kOptionLines * m_arguments->fontMetrics().lineSpacing() + 2 * theme::kGrid);
  add(tr("Processes"), m_jobs = new QSpinBox, tr("Runs at a time"));
  shell::leaveWheelToPage(*m_jobs);
  m_jobs->setRange(1, 256);
  m_jobs->setValue(std::max(1, QThread::idealThreadCount()));
  column->addLayout(form);
  auto* title = theme::plainLabel(tr("Parameters and their values"));
  title->setProperty("role", "strong");
  column->addWidget(title);
  column->addWidget(m_parameters = new QPlainTextEdit, 1);
  m_parameters->setProperty("role", "mono");
  m_parameters->setTabChangesFocus(true); // Tab moves on to the runs
  m_parameters->setAccessibleName(tr("Parameters and their values"));
  m_parameters->setPlaceholderText(QStringLiteral("batch = 16, 32, 64\n--machine = gc200, bow\n--precision = fp32, fp16"));
  auto* words = theme::plainLabel(
      tr("One line per parameter. A name that begins with -- is an option of the run, any other a parameter of the sample. Every "
         "combination is run."));
  words->setProperty("role", "secondary");
  words->setWordWrap(true);
  column->addWidget(words);
  column->addWidget(m_count = theme::plainLabel());
  m_count->setWordWrap(true);
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
  if (m_isTyped) return; // a plan that the user typed is never lost
  m_isProposing = true;
  m_graph->setText(graph);
  m_arguments->setPlainText(shell::shellLine(arguments));
  m_parameters->setPlainText(parameters);
  m_isProposing = false;
}

QString SweepForm::graph() const {
  return m_graph->text().trimmed().isEmpty() ? m_graph->placeholderText() : m_graph->text().trimmed();
}

int SweepForm::jobs() const { return m_jobs->value(); }

QStringList SweepForm::files() const {
  QString ignored;
  QStringList words = shell::splitShellWords(m_arguments->toPlainText()).value_or(QStringList());
  const QJsonObject parameters = parameterSpec(m_parameters->toPlainText(), ignored);
  for (auto it = parameters.begin(); it != parameters.end(); ++it)
    for (const QJsonValue value : it.value().toArray()) words << it.key() << value.toVariant().toString();
  QStringList files = shell::filesRead(graph(), words);
  if (!program().isEmpty()) files.removeLast(); // it is started, not read
  return files;
}

QString SweepForm::program() const {
  const std::string word = graph().toStdString();
  return analyser::isProgram(word) ? QFileInfo(QString::fromStdString(analyser::programFile(word))).absoluteFilePath()
                                   : QString();
}

QJsonObject SweepForm::spec(QString& problem) const {
  const QString lines =
      m_parameters->toPlainText().trimmed().isEmpty() ? m_parameters->placeholderText() : m_parameters->toPlainText();
  const QJsonObject parameters = parameterSpec(lines, problem);
  const auto arguments = shell::splitShellWords(m_arguments->toPlainText());
  if (!arguments) problem = tr("A quotation mark in the options is not closed");
  return {{"graph", graph()},
          {"arguments", QJsonArray::fromStringList(arguments.value_or(QStringList()))},
          {"parameters", parameters}};
}

void SweepForm::check() {
  m_isTyped = m_isTyped || (!m_isProposing && isVisible());
  QString problem;
  const QJsonObject parameters = spec(problem).value("parameters").toObject();
  const qint64 runs = combinations(parameters);
  if (problem.isEmpty() && runs > qint64(analyser::sweep::kMostConfigurations))
    problem = tr("More than %1 runs: split the sweep").arg(theme::count(int64_t(analyser::sweep::kMostConfigurations)));
  m_count->setText(problem.isEmpty() ? theme::plural(int(runs), tr("run"), tr("runs")) : problem);
  m_run->setToolTip(theme::tipText(problem));
  m_run->setEnabled(problem.isEmpty() && !m_stop->isEnabled());
}

void SweepForm::setRunning(bool running) {
  m_stop->setEnabled(running);
  m_open->setEnabled(!running);
  check();
}

} // namespace ui::sweep
