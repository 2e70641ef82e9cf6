// The part of RunForm for errors: each at its field, all at once.
#include "ui/runs/command_words.h"
#include "ui/theme/format.h"
#include "ui/views/run/option_groups.h"
#include "ui/views/run/parameter_list.h"
#include "ui/views/run/program_fields.h"
#include "ui/views/run/run_form.h"

#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace ui::run {

namespace {
const QString kDashes = QStringLiteral("--");

bool isTyped(const QStringList& words, const QString& name) {
  return std::any_of(words.begin(), words.end(), [&](const QString& word) {
    return word == kDashes + name || word.startsWith(kDashes + name + '=') || word == name;
  });
}
} // namespace

std::vector<std::pair<QString, QWidget*>> RunForm::ownFields() const {
  return {{QStringLiteral("machine"), m_machine},
          {QStringLiteral("ipus"), m_ipus},
          {QStringLiteral("precision"), m_precision},
          {QStringLiteral("iterations"), m_iterations}};
}

// Among several named fields, those that the user set are meant; the others have their defaults.
bool RunForm::putError(const QString& error) {
  const bool starts = m_fromProgram->isChecked(); // then only options that were typed have a field
  const NamedFields named = fieldsIn(error);
  const RunRequest now = request(false);
  const QStringList typed = moreOptions(), parameters = m_parameters->names(), grouped = m_groups->names();
  const auto isSet = [&](const QString& name) {
    return std::any_of(now.parameters.begin(), now.parameters.end(), [&](const auto& p) { return p.first == name; });
  };
  QMap<QString, QString> set, all; // key of an option, or "=NAME" of a parameter
  QString first;
  const auto add = [&](const QString& key, bool isOfUser) {
    if (first.isEmpty()) first = key;
    all[key] = named.text;
    if (isOfUser) set[key] = named.text;
  };
  for (const QString& name : named.parameters)
    if (!starts && parameters.contains(name)) add('=' + name, isSet(name));
  for (const QString& name : named.options) {
    const auto own = ownFields();
    if (isTyped(typed, name))
      add(kDashes + name, true);
    else if (starts)
      continue;
    else if (grouped.contains(name) && (!parameters.contains(name) || isTyped(now.options, name)))
      add(name, isTyped(now.options, name));
    else if (parameters.contains(name))
      add('=' + name, isSet(name));
    else if (std::any_of(own.begin(), own.end(), [&](const auto& field) { return field.first == name; }))
      add(name, named.isOfOne);
  }
  if (first.isEmpty()) return false;
  if (named.isOfOne || set.isEmpty()) set = {{first, all.value(first)}};
  // "heads: 2 heads cannot share a hidden size of 255": the user set `hidden`, which the text has as a word.
  if (first.startsWith('=') && !isSet(first.mid(1)))
    for (const auto& [name, value] : now.parameters)
      if (named.text.split(' ').contains(name)) set['=' + name] = named.text;
  if (m_refused.words != now.words()) m_refused = {now.words(), {}, {}};
  for (auto it = set.begin(); it != set.end(); ++it)
    it.key().startsWith('=') ? m_refused.parameters[it.key().mid(1)] = it.value() : m_refused.options[it.key()] = it.value();
  mark();
  return true;
}

void RunForm::showErrors() {
  const bool starts = m_fromProgram->isChecked();
  if (!m_refused.isEmpty() && m_refused.words != request(false).words()) m_refused = {};
  m_parameters->setErrors(m_refused.parameters);
  m_groups->setErrors(m_refused.options);
  for (const auto& [name, field] : ownFields()) m_errors.say(field, starts ? QString() : problemOfOwn(name));
  m_errors.say(m_options, problemOfOptions());
}

QString RunForm::problemOfOwn(const QString& name) const {
  if (name == QStringLiteral("iterations") && m_iterations->value() < 1)
    return tr("Iterations is a whole number from 1 to %1").arg(theme::count(m_iterations->maximum()));
  return m_refused.options.value(name);
}

QString RunForm::problemOfOptions() const {
  if (!shell::splitShellWords(m_options->text())) return tr("A quotation mark in the options is not closed");
  QStringList problems;
  for (auto it = m_refused.options.begin(); it != m_refused.options.end(); ++it)
    if (it.key().startsWith(kDashes)) problems << (it->contains(it.key().mid(2)) ? *it : it.key().mid(2) + ": " + *it);
  return problems.join(QStringLiteral("; "));
}

std::optional<RunRequest> RunForm::requestToCheck() const {
  if (m_machine->count() == 0 || graphProblem().size() > 0) return std::nullopt;
  RunRequest run = request(false);
  if (run.startsProgram()) run.graph = QStringLiteral("program:/"); // reads the options, and has nothing that it could start
  const QStringList parameters = m_parameters->invalidNames();
  run.parameters.removeIf([&](const auto& p) { return parameters.contains(p.first); });
  for (const QString& name : m_groups->invalidNames()) run.dropOption(kDashes + name);
  for (auto it = m_refused.options.begin(); it != m_refused.options.end(); ++it)
    if (it.key().startsWith(kDashes)) run.dropOption(it.key()), run.options.removeAll(it.key().mid(2));
  if (!problemOfOwn(QStringLiteral("iterations")).isEmpty()) run.iterations = 1;
  if (!problemOfOwn(QStringLiteral("ipus")).isEmpty()) run.ipus = 0;
  if (!problemOfOwn(QStringLiteral("precision")).isEmpty()) run.precision.clear();
  return run;
}

QString RunForm::graphProblem() const {
  if (m_fromSample->isChecked()) return m_sample->count() == 0 ? tr("The list of samples is still loading") : QString();
  if (m_fromProgram->isChecked()) return m_programFields->problem();
  if (m_file->text().trimmed().isEmpty()) return tr("Choose an ONNX file");
  return QFileInfo::exists(m_file->text().trimmed()) ? QString() : tr("The file does not exist");
}

QString RunForm::problem() const {
  if (m_machine->count() == 0) return tr("The list of machines is still loading");
  const bool starts = m_fromProgram->isChecked();
  if (const QString bad = problemOfOptions(); !bad.isEmpty()) return bad;
  if (!starts)
    for (const auto& [name, field] : ownFields())
      if (const QString bad = problemOfOwn(name); !bad.isEmpty())
        return bad.startsWith(name, Qt::CaseInsensitive) ? bad : QStringLiteral("%1: %2").arg(name, bad);
  if (const QString bad = starts ? QString() : m_groups->problem(); !bad.isEmpty()) return bad;
  if (const QString bad = m_fromSample->isChecked() ? m_parameters->problem() : QString(); !bad.isEmpty()) return bad;
  return graphProblem();
}

} // namespace ui::run
