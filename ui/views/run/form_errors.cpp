#include "ui/views/run/form_errors.h"

#include "ui/parts/invalid_field.h"
#include "ui/parts/wrapped_label.h"
#include "ui/runs/field_names.h"

#include <QFormLayout>
#include <QRegularExpression>

namespace ui::run {

NamedFields fieldsIn(const QString& error) {
  static const QRegularExpression help(QStringLiteral(" \\(see tilescope-cli [a-z]+ --help\\)$"));
  static const QRegularExpression name(QStringLiteral("(?<![\\w-])--(?:(set) )?([A-Za-z][\\w-]*)"));
  static const QRegularExpression first(QStringLiteral("^--(?:set )?[A-Za-z][\\w-]*: "));
  static const QRegularExpression word(QStringLiteral("argument was not expected: (\\S+)"));
  NamedFields named;
  named.text = QString(error).remove(help);
  for (auto it = name.globalMatch(named.text); it.hasNext();) {
    const auto match = it.next();
    QStringList& list = match.hasCaptured(1) ? named.parameters : named.options;
    if (!list.contains(match.captured(2))) list << match.captured(2);
  }
  if (const auto match = word.match(named.text); match.hasMatch() && !match.captured(1).startsWith('-'))
    named.options << match.captured(1);
  named.isOfOne = first.match(named.text).hasMatch();
  named.text = shell::withFieldNames(named.text.remove(first));
  return named;
}

void FormErrors::addLine(QFormLayout& form, QWidget* field) {
  m_form = &form;
  auto* line = new shell::WrappedLabel;
  line->setProperty("role", "error");
  form.addRow(QString(), line);
  form.setRowVisible(line, false);
  m_lines[field] = line;
}

void FormErrors::say(QWidget* field, const QString& problem) {
  shell::setInvalid(field, !problem.isEmpty());
  field->setAccessibleDescription(problem);
  shell::WrappedLabel* line = m_lines.at(field);
  line->setWords(problem.isEmpty() ? QString() : problem + '.');
  m_form->setRowVisible(line, !problem.isEmpty());
}

} // namespace ui::run
