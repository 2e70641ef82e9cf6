#include "ui/views/run/parameter_list.h"

#include "ui/parts/invalid_field.h"
#include "ui/parts/wheel_guard.h"
#include "ui/parts/wrapped_label.h"
#include "ui/runs/field_names.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>

#include <algorithm>
#include <utility>

namespace ui::run {

namespace {
constexpr int kNameWidth = 84, kFieldWidth = 112;

bool isSwitch(const QStringList& choices) {
  return choices == QStringList{QStringLiteral("0"), QStringLiteral("1")} ||
         choices == QStringList{QStringLiteral("no"), QStringLiteral("yes")};
}
} // namespace

ParameterList::ParameterList(QWidget* parent) : QWidget(parent) { makeGrid(); }

// Makes a new grid, because an emptied grid keeps the height of its rows.
void ParameterList::makeGrid() {
  delete m_grid;
  m_grid = new QGridLayout(this);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(theme::kMargin);
  m_grid->setVerticalSpacing(theme::kGrid);
  m_grid->setColumnMinimumWidth(0, kNameWidth);
  m_grid->setColumnStretch(2, 1);
}

void ParameterList::setParameters(const QJsonArray& parameters) {
  m_fields.clear();
  while (QLayoutItem* item = m_grid->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  makeGrid();
  int row = 0;
  for (const QJsonValue value : parameters) {
    const QJsonObject parameter = value.toObject();
    const QString name = parameter.value("name").toString(), text = shell::withFieldNames(parameter.value("text").toString());
    QStringList choices;
    for (const QJsonValue choice : parameter.value("choices").toArray()) choices.append(choice.toString());
    Field field = makeField(name, parameter.value("default").toVariant().toString(), text, choices);
    field.label = theme::plainLabel(name);
    field.label->setBuddy(field.widget);
    field.label->setToolTip(theme::tipText(text));
    auto* words = new shell::WrappedLabel(text);
    words->setProperty("role", "secondary");
    field.words = words;
    m_grid->addWidget(field.label, row, 0, Qt::AlignTop);
    m_grid->addWidget(field.widget, row, 1, Qt::AlignTop);
    m_grid->addWidget(words, row, 2, Qt::AlignVCenter);
    field.label->setFixedHeight(field.widget->sizeHint().height());
    m_fields.push_back(std::move(field));
    ++row;
  }
  mark();
}

ParameterList::Field ParameterList::makeField(const QString& name, const QString& standard, const QString& text,
                                              const QStringList& choices) {
  Field field{name, standard, text, nullptr, nullptr, nullptr, {}, {}};
  if (isSwitch(choices) && choices.contains(standard))
    makeSwitch(field, choices);
  else if (!choices.isEmpty())
    makeList(field, choices);
  else
    makeLine(field);
  field.widget->setFixedWidth(kFieldWidth);
  field.widget->setToolTip(theme::tipText(text));
  field.widget->setAccessibleName(name);
  field.widget->setAccessibleDescription(text);
  return field;
}

void ParameterList::makeSwitch(Field& field, const QStringList& choices) {
  auto* box = new QCheckBox;
  const QString standard = field.standard, off = choices.first(), on = choices.last();
  box->setChecked(standard == on);
  field.value = [=] {
    const QString value = box->isChecked() ? on : off;
    return value == standard ? QString() : value;
  };
  field.set = [=](const QString& value) { box->setChecked((value.isEmpty() ? standard : value) == on); };
  connect(box, &QCheckBox::toggled, this, [this] { mark(), emit edited(); });
  field.widget = box;
}

// A list whose choices do not include the default begins with the entry "default".
void ParameterList::makeList(Field& field, const QStringList& choices) {
  auto* box = new QComboBox;
  shell::leaveWheelToPage(*box);
  const QString standard = field.standard;
  if (!choices.contains(standard)) box->addItem(tr("default"), standard);
  for (const QString& choice : choices) box->addItem(choice, choice);
  const auto choose = [=](const QString& value) {
    const QString wanted = value.isEmpty() ? standard : value;
    if (box->findData(wanted) < 0) box->addItem(wanted, wanted); // a value from a command line; the run says why it is invalid
    box->setCurrentIndex(box->findData(wanted));
  };
  choose({});
  field.value = [=] { return box->currentData().toString() == standard ? QString() : box->currentData().toString(); };
  field.set = choose;
  connect(box, &QComboBox::currentIndexChanged, this, [this] { mark(), emit edited(); });
  field.widget = box;
}

void ParameterList::makeLine(Field& field) {
  auto* line = new QLineEdit;
  line->setPlaceholderText(field.standard);
  field.value = [line] { return line->text().trimmed(); };
  field.set = [line](const QString& value) { line->setText(value == line->placeholderText() ? QString() : value); };
  connect(line, &QLineEdit::textChanged, this, [this] { mark(), emit edited(); });
  field.widget = line;
}

void ParameterList::setStandard(const QString& name, const QString& standard, const QString& text) {
  for (Field& field : m_fields)
    if (auto* line = qobject_cast<QLineEdit*>(field.widget); line && field.name == name) {
      line->setPlaceholderText(field.standard = standard);
      field.text = text;
      field.words->setWords(text);
      field.label->setToolTip(theme::tipText(text));
      mark();
    }
}

int ParameterList::setFilter(const QString& words) {
  int shown = 0;
  for (const Field& field : m_fields) {
    const bool matches = (field.name.contains(words, Qt::CaseInsensitive) || field.text.contains(words, Qt::CaseInsensitive)) &&
                         (!m_twins.contains(field.name) || !field.value().isEmpty() || isChanged(field));
    for (QWidget* part : std::initializer_list<QWidget*>{field.label, field.widget, field.words}) part->setVisible(matches);
    shown += matches;
  }
  return shown;
}

QStringList ParameterList::names() const {
  QStringList names;
  for (const Field& field : m_fields) names << field.name;
  return names;
}

QList<std::pair<QString, QString>> ParameterList::values() const {
  QList<std::pair<QString, QString>> list;
  for (const Field& field : m_fields)
    if (const QString text = field.value(); !text.isEmpty()) list.append({field.name, text});
  return list;
}

void ParameterList::setValues(const QMap<QString, QString>& values) {
  for (const Field& field : m_fields) field.set(values.value(field.name));
}

void ParameterList::setReference(const std::optional<QMap<QString, QString>>& reference) {
  m_reference = reference;
  mark();
}

bool ParameterList::isChanged(const Field& field) const {
  const QString typed = field.value();
  return m_reference && (typed.isEmpty() ? field.standard : typed) != m_reference->value(field.name, field.standard);
}

bool ParameterList::isChanged() const {
  return std::any_of(m_fields.begin(), m_fields.end(), [this](const Field& field) { return isChanged(field); });
}

void ParameterList::setCheck(Check check) {
  m_check = std::move(check);
  mark();
}

void ParameterList::setErrors(const QMap<QString, QString>& errors) {
  if (errors == m_errors) return;
  m_errors = errors;
  mark();
}

QStringList ParameterList::invalidNames() const {
  QStringList names;
  for (const Field& field : m_fields)
    if (!problemOf(field).isEmpty()) names << field.name;
  return names;
}

QString ParameterList::problemOf(const Field& field) const {
  if (const QString error = m_errors.value(field.name); !error.isEmpty()) return error;
  const QString value = field.value();
  return m_check && !value.isEmpty() ? m_check(field.name, field.standard, field.text, value) : QString();
}

QString ParameterList::problem() const {
  for (const Field& field : m_fields)
    if (const QString problem = problemOf(field); !problem.isEmpty())
      return m_errors.contains(field.name) ? QStringLiteral("%1: %2").arg(field.name, problem) : problem;
  return {};
}

// Shows the field's problem instead of its meaning, or the meaning if there is none.
void ParameterList::sayBeside(const Field& field, const QString& problem) {
  const char* role = problem.isEmpty() ? "secondary" : "error";
  const bool isNew = field.words->property("role").toString() != QLatin1String(role);
  if (!isNew && problem.isEmpty()) return;
  field.words->setWords(problem.isEmpty() ? field.text : problem + '.');
  if (!isNew) return;
  field.words->setProperty("role", role);
  field.words->style()->unpolish(field.words);
  field.words->style()->polish(field.words);
}

void ParameterList::mark() {
  for (const Field& field : m_fields) {
    const QString problem = problemOf(field);
    shell::setInvalid(field.widget, !problem.isEmpty());
    field.widget->setAccessibleDescription(problem.isEmpty() ? field.text : problem);
    sayBeside(field, problem);
    const bool changed = isChanged(field);
    const QString before = changed ? m_reference->value(field.name, field.standard) : QString();
    field.label->setText(changed ? QStringLiteral("● ") + field.name : field.name);
    field.label->setAccessibleDescription(changed ? tr("changed: it was %1").arg(before) : QString());
    field.widget->setToolTip(
        theme::tipText(!problem.isEmpty() ? problem + QStringLiteral(".\n") + field.text
                       : changed ? tr("In the open report: %1\n%2").arg(before.isEmpty() ? tr("not set") : before, field.text)
                                 : field.text));
  }
}

} // namespace ui::run
