#include "ui/views/run/parameter_list.h"

#include "ui/parts/wheel_guard.h"
#include "ui/parts/wrapped_label.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QStyle>

#include <algorithm>
#include <utility>

namespace ui::run {

namespace {
constexpr int kNameWidth = 84, kFieldWidth = 112;
}

QStringList choicesOf(const QString& text, const QString& standard) {
  static const QRegularExpression kList(QStringLiteral("^([\\w.-]+(?:, [\\w.-]+)*),? or ([\\w.-]+)$"));
  const auto match = kList.match(text.section(';', 0, 0).trimmed());
  if (!match.hasMatch()) return {};
  QStringList choices = match.captured(1).split(QStringLiteral(", "));
  choices.append(match.captured(2));
  return choices.contains(standard) ? choices : QStringList();
}

ParameterList::ParameterList(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this)) {
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
  int row = 0;
  for (const QJsonValue value : parameters) {
    const QJsonObject parameter = value.toObject();
    const QString name = parameter.value("name").toString(), text = parameter.value("text").toString();
    Field field = makeField(name, parameter.value("default").toVariant().toString(), text);
    field.label = theme::plainLabel(name);
    field.label->setBuddy(field.widget);
    field.label->setToolTip(theme::tipText(text));
    auto* words = new shell::WrappedLabel(text);
    words->setProperty("role", "secondary");
    m_grid->addWidget(field.label, row, 0, Qt::AlignTop);
    m_grid->addWidget(field.widget, row, 1, Qt::AlignTop);
    m_grid->addWidget(words, row, 2, Qt::AlignVCenter);
    field.label->setFixedHeight(field.widget->sizeHint().height());
    m_fields.push_back(std::move(field));
    ++row;
  }
  mark();
}

ParameterList::Field ParameterList::makeField(const QString& name, const QString& standard, const QString& text) {
  Field field{name, standard, text, nullptr, nullptr, {}, {}};
  if (const QStringList choices = choicesOf(text, standard); !choices.isEmpty()) {
    auto* box = new QComboBox;
    shell::leaveWheelToPage(*box);
    box->addItems(choices);
    box->setCurrentText(standard);
    field.value = [box, standard] { return box->currentText() == standard ? QString() : box->currentText(); };
    field.set = [box, standard](const QString& value) { box->setCurrentText(value.isEmpty() ? standard : value); };
    connect(box, &QComboBox::currentIndexChanged, this, [this] { mark(), emit edited(); });
    field.widget = box;
  } else {
    auto* line = new QLineEdit;
    line->setPlaceholderText(standard);
    field.value = [line] { return line->text().trimmed(); };
    field.set = [line, standard](const QString& value) { line->setText(value == standard ? QString() : value); };
    connect(line, &QLineEdit::textChanged, this, [this] { mark(), emit edited(); });
    field.widget = line;
  }
  field.widget->setFixedWidth(kFieldWidth);
  field.widget->setToolTip(theme::tipText(text));
  field.widget->setAccessibleName(name);
  field.widget->setAccessibleDescription(text);
  return field;
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

QString ParameterList::problemOf(const Field& field) const {
  const QString value = field.value();
  return m_check && !value.isEmpty() ? m_check(field.name, field.standard, field.text, value) : QString();
}

QString ParameterList::problem() const {
  for (const Field& field : m_fields)
    if (const QString problem = problemOf(field); !problem.isEmpty()) return problem;
  return {};
}

void ParameterList::mark() {
  for (const Field& field : m_fields) {
    const QString problem = problemOf(field);
    if (field.widget->property("invalid").toBool() == problem.isEmpty()) {
      field.widget->setProperty("invalid", !problem.isEmpty());
      field.widget->style()->unpolish(field.widget);
      field.widget->style()->polish(field.widget);
    }
    field.widget->setAccessibleDescription(problem.isEmpty() ? field.text : problem);
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
