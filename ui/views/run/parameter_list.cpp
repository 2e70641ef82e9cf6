#include "ui/views/run/parameter_list.h"

#include "ui/shell/wrapped_label.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>

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
  m_values.clear();
  while (QLayoutItem* item = m_grid->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  int row = 0;
  for (const QJsonValue value : parameters) {
    const QJsonObject parameter = value.toObject();
    const QString name = parameter.value("name").toString(), text = parameter.value("text").toString();
    QWidget* field = makeField(name, parameter.value("default").toVariant().toString(), text);
    auto* label = theme::plainLabel(name);
    label->setBuddy(field);
    label->setToolTip(theme::tipText(text));
    auto* words = new shell::WrappedLabel(text);
    words->setProperty("role", "secondary");
    m_grid->addWidget(label, row, 0, Qt::AlignTop);
    m_grid->addWidget(field, row, 1, Qt::AlignTop);
    m_grid->addWidget(words, row, 2, Qt::AlignVCenter);
    label->setFixedHeight(field->sizeHint().height());
    ++row;
  }
}

QWidget* ParameterList::makeField(const QString& name, const QString& standard, const QString& text) {
  QWidget* field = nullptr;
  if (const QStringList choices = choicesOf(text, standard); !choices.isEmpty()) {
    auto* box = new QComboBox;
    box->addItems(choices);
    box->setCurrentText(standard);
    m_values.emplace_back(name, [box, standard] { return box->currentText() == standard ? QString() : box->currentText(); });
    field = box;
  } else {
    auto* line = new QLineEdit;
    line->setPlaceholderText(standard);
    m_values.emplace_back(name, [line] { return line->text().trimmed(); });
    field = line;
  }
  field->setFixedWidth(kFieldWidth);
  field->setToolTip(theme::tipText(text));
  field->setAccessibleName(name);
  field->setAccessibleDescription(text);
  return field;
}

QList<std::pair<QString, QString>> ParameterList::values() const {
  QList<std::pair<QString, QString>> list;
  for (const auto& [name, value] : m_values)
    if (const QString text = value(); !text.isEmpty()) list.append({name, text});
  return list;
}

} // namespace ui::run
