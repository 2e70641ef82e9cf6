#include "ui/shell/view_controls.h"

#include "ui/plot/legend.h"

#include <QComboBox>
#include <QLineEdit>
#include <QTabWidget>

namespace ui::shell {

namespace {

const QString kTabs = QStringLiteral("Tab"), kHidden = QStringLiteral("Hidden");

// A tab may have a count in its title, which changes: "Always live (31)".
QString plainTitle(const QString& title) { return title.section(QStringLiteral(" ("), 0, 0); }

} // namespace

QMap<QString, QString> controlsOf(const QWidget& view) {
  QMap<QString, QString> controls;
  for (const auto* box : view.findChildren<QComboBox*>())
    if (box->count() > 1 && !box->accessibleName().isEmpty()) controls[box->accessibleName()] = box->currentText();
  for (const auto* field : view.findChildren<QLineEdit*>())
    if (!field->text().isEmpty() && !field->accessibleName().isEmpty()) controls[field->accessibleName()] = field->text();
  QStringList hidden;
  for (const auto* legend : view.findChildren<plot::Legend*>())
    for (const QString& title : legend->hiddenTitles()) hidden << title;
  if (!hidden.isEmpty()) controls[kHidden] = hidden.join('\n');
  for (const auto* tabs : view.findChildren<QTabWidget*>())
    if (tabs->currentIndex() > 0) controls[kTabs] = plainTitle(tabs->tabText(tabs->currentIndex()));
  return controls;
}

void setControls(QWidget& view, const QMap<QString, QString>& controls) {
  for (auto* box : view.findChildren<QComboBox*>()) {
    const int index = controls.contains(box->accessibleName()) ? box->findText(controls[box->accessibleName()]) : -1;
    if (index < 0 || index == box->currentIndex()) continue;
    box->setCurrentIndex(index);
    emit box->activated(index);
  }
  for (auto* field : view.findChildren<QLineEdit*>())
    if (controls.contains(field->accessibleName())) field->setText(controls[field->accessibleName()]);
  const QStringList hidden = controls.value(kHidden).split('\n', Qt::SkipEmptyParts);
  for (auto* legend : view.findChildren<plot::Legend*>())
    if (!hidden.isEmpty()) legend->hideTitles(hidden);
  for (auto* tabs : view.findChildren<QTabWidget*>())
    for (int i = 0; controls.contains(kTabs) && i < tabs->count(); ++i)
      if (plainTitle(tabs->tabText(i)) == controls[kTabs] && tabs->isTabVisible(i)) tabs->setCurrentIndex(i);
}

} // namespace ui::shell
