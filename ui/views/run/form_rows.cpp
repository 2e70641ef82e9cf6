#include "ui/views/run/form_rows.h"

#include "ui/parts/wheel_guard.h"
#include "ui/theme/plain_text.h"

#include <QComboBox>
#include <QDir>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QObject>
#include <QPushButton>
#include <QSpinBox>

namespace ui::run {

void addField(QFormLayout& form, const QString& title, QWidget* field) {
  if (qobject_cast<QComboBox*>(field) || qobject_cast<QSpinBox*>(field)) shell::leaveWheelToPage(*field);
  auto* label = theme::plainLabel(title);
  label->setBuddy(field);
  label->setMinimumWidth(84);
  if (field->accessibleName().isEmpty()) field->setAccessibleName(title);
  form.addRow(label, field);
}

QWidget* pathRow(QLineEdit*& field, const QString& name, const QString& hint, std::function<QString()> choose) {
  auto* whole = new QWidget;
  auto* row = new QHBoxLayout(whole);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(field = new QLineEdit, 1);
  auto* browse = new QPushButton(QObject::tr("Browse…"));
  row->addWidget(browse);
  field->setPlaceholderText(hint);
  field->setAccessibleName(name);
  QObject::connect(browse, &QPushButton::clicked, field, [field = field, choose = std::move(choose)] {
    if (const QString chosen = choose(); !chosen.isEmpty()) field->setText(QDir::toNativeSeparators(chosen));
  });
  return whole;
}

} // namespace ui::run
