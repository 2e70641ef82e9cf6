#include "ui/views/run/option_groups.h"

#include "ui/theme/theme.h"
#include "ui/views/run/parameter_list.h"

#include <QJsonObject>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui::run {

OptionGroups::OptionGroups() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kGrid + theme::kHalf);
  for (const shell::OptionGroup group : shell::kOptionGroups) addGroup(*column, group);
}

// A group with a marked field cannot be collapsed: the mark would be out of sight.
void OptionGroups::addGroup(QVBoxLayout& column, shell::OptionGroup group) {
  auto* title = new QToolButton;
  title->setText(shell::optionGroupTitle(group));
  title->setCheckable(true);
  title->setArrowType(Qt::RightArrow);
  title->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  auto* fields = new ParameterList;
  fields->setParameters(shell::optionParameters(group));
  fields->setCheck([](const QString& name, const QString&, const QString&, const QString& value) {
    return shell::optionProblem(name, value);
  });
  fields->hide();
  column.addWidget(title);
  column.addWidget(fields);
  const Group made{group, title, fields};
  connect(title, &QToolButton::toggled, this, [this, made](bool open) {
    if (!open && !made.fields->problem().isEmpty()) return made.title->setChecked(true);
    showFields(made);
  });
  connect(fields, &ParameterList::edited, this, &OptionGroups::edited);
  m_groups.push_back(made);
}

void OptionGroups::showFields(const Group& group) {
  const bool open = group.title->isChecked() || m_isFiltered;
  group.fields->setVisible(open);
  group.title->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
}

void OptionGroups::setValues(const QMap<QString, QString>& values) {
  for (const Group& group : m_groups) {
    const auto chosen = shell::ofGroup(values, group.group);
    group.fields->setValues(chosen);
    group.title->setChecked(!chosen.isEmpty());
  }
}

void OptionGroups::setReference(const std::optional<QMap<QString, QString>>& values) {
  for (const Group& group : m_groups) {
    group.fields->setReference(values ? std::optional(shell::ofGroup(*values, group.group)) : std::nullopt);
    if (!group.fields->problem().isEmpty()) group.title->setChecked(true);
    group.title->setText((group.fields->isChanged() ? QStringLiteral("● ") : QString()) + shell::optionGroupTitle(group.group));
  }
}

void OptionGroups::setDefaults(const QMap<QString, QString>& defaults) {
  if (defaults == m_defaults) return;
  m_defaults = defaults;
  for (const Group& group : m_groups)
    for (const QJsonValue value : shell::optionParameters(group.group)) {
      const QString name = value.toObject().value("name").toString(), standard = value.toObject().value("default").toString();
      const QString text = value.toObject().value("text").toString();
      if (const QString own = defaults.value(name); name == QStringLiteral("pipeline") && !own.isEmpty())
        group.fields->setStandard(name, own, tr("stages, one IPU each; the sample has %1").arg(own));
      else
        group.fields->setStandard(name, own.isEmpty() ? standard : own, text);
    }
}

QStringList OptionGroups::arguments() const {
  QStringList words;
  for (const Group& group : m_groups) words += shell::optionArguments(group.fields->values(), m_defaults);
  return words;
}

void OptionGroups::setErrors(const QMap<QString, QString>& errors) {
  for (const Group& group : m_groups) {
    group.fields->setErrors(errors);
    if (!group.fields->problem().isEmpty()) group.title->setChecked(true);
  }
}

QStringList OptionGroups::names() const {
  QStringList names;
  for (const Group& group : m_groups) names += group.fields->names();
  return names;
}

QStringList OptionGroups::invalidNames() const {
  QStringList names;
  for (const Group& group : m_groups) names += group.fields->invalidNames();
  return names;
}

QString OptionGroups::problem() const {
  for (const Group& group : m_groups)
    if (const QString bad = group.fields->problem(); !bad.isEmpty()) return bad;
  return {};
}

void OptionGroups::setTwins(const QStringList& names) {
  for (const Group& group : m_groups) group.fields->setTwins(names);
}

int OptionGroups::setFilter(const QString& words) {
  m_isFiltered = !words.isEmpty();
  int shown = 0;
  for (const Group& group : m_groups) {
    const int here = group.fields->setFilter(words);
    group.title->setVisible(here > 0);
    showFields(group);
    if (here == 0) group.fields->hide();
    shown += here;
  }
  return shown;
}

} // namespace ui::run
