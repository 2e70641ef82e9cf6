#include "ui/shell/view_controls.h"

#include "ui/plot/legend.h"
#include "ui/plot/overviewed_plot.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/timeline.h"
#include "ui/shell/slice_browser.h"
#include "ui/shell/tile_field.h"
#include "ui/tables/table_view.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSlider>
#include <QTabWidget>
#include <QUrl>

namespace ui::shell {

namespace {

const QString kTabs = QStringLiteral("Tab"), kHidden = QStringLiteral("Hidden"), kOrder = QStringLiteral("Order of "),
              kFolded = QStringLiteral("Folded of "), kOn = QStringLiteral("on"), kOff = QStringLiteral("off");
constexpr const char* kRestoring = "restoring";

// The page's own tabs have no name; a view may have others beside them.
QString keyOf(const QTabWidget& tabs) { return tabs.accessibleName().isEmpty() ? kTabs : kTabs + ' ' + tabs.accessibleName(); }

// A tab may have a count in its title, which changes: "Always live (31)".
QString plainTitle(const QString& title) { return title.section(QStringLiteral(" ("), 0, 0); }

// What the view's menu can switch: "Logarithmic scale". Columns are wishes of the user, not of the view.
QList<QAction*> switchesOf(const QWidget& view) {
  QList<QAction*> switches = menuActionsOf(view);
  switches.removeIf([](const QAction* action) {
    return !action->isCheckable() || action->property(kWish).toBool() || action->property(kLinked).toBool();
  });
  return switches;
}

QList<QAction*> linkedOf(const QWidget& view) {
  QList<QAction*> linked = menuActionsOf(view);
  linked.removeIf([](const QAction* action) { return !action->isCheckable() || !action->property(kLinked).toBool(); });
  return linked;
}

bool isUnlinked(const QWidget* widget) {
  for (; widget; widget = widget->parentWidget())
    if (widget->property(kUnlinked).toBool()) return true;
  return false;
}

template<class Control> QList<Control*> linkable(const QWidget& view) {
  QList<Control*> controls = view.findChildren<Control*>();
  controls.removeIf([](const Control* control) { return isUnlinked(control); });
  return controls;
}

// Fields of the view. Tile fields are left out: selected tiles belong to all views.
QList<QLineEdit*> fieldsOf(const QWidget& view) {
  QList<QLineEdit*> fields = linkable<QLineEdit>(view);
  fields.removeIf(
      [](const QLineEdit* field) { return field->accessibleName().isEmpty() || qobject_cast<const TileField*>(field); });
  return fields;
}

// Texts that can be edited and have a name, such as a query.
QList<QPlainTextEdit*> textsOf(const QWidget& view) {
  QList<QPlainTextEdit*> texts = linkable<QPlainTextEdit>(view);
  texts.removeIf([](const QPlainTextEdit* text) { return text->accessibleName().isEmpty() || text->isReadOnly(); });
  return texts;
}

bool fitsIntoLink(const QString& text) { return QUrl::toPercentEncoding(text).size() <= kMostLinkedText; }

void setChoices(QWidget& view, const QMap<QString, QString>& controls) {
  for (auto* box : linkable<QComboBox>(view)) {
    const int index = controls.contains(box->accessibleName()) ? box->findText(controls[box->accessibleName()]) : -1;
    if (index < 0 || index == box->currentIndex()) continue;
    box->setCurrentIndex(index);
    emit box->activated(index);
  }
}

// What a plot with an overview shows of its positions: "200-500"; a link without it shows all.
void addShownPositions(const QWidget& view, QMap<QString, QString>& controls) {
  for (const auto* overviewed : view.findChildren<plot::OverviewedPlot*>())
    if (const plot::StepPlot& plot = overviewed->plot(); plot.visible().size() < plot.count())
      controls[plot.accessibleName()] = QStringLiteral("%1-%2").arg(plot.visible().begin).arg(plot.visible().end);
  for (const auto* browser : view.findChildren<SliceBrowser*>())
    if (const QString slice = browser->selectedSlice(); !slice.isEmpty()) controls[kSelectedSlice] = slice;
}

// Tables and timelines that stand as at first are left out.
void addArrangement(const QWidget& view, QMap<QString, QString>& controls) {
  for (const auto* table : view.findChildren<tables::TableView*>())
    if (const QString order = table->orderText(); !order.isEmpty() && !table->accessibleName().isEmpty())
      controls[kOrder + table->accessibleName()] = order;
  for (const auto* timeline : view.findChildren<plot::Timeline*>())
    if (const auto folds = timeline->folds()) controls[kFolded + timeline->accessibleName()] = folds->join('\n');
}

void setArrangement(const QWidget& view, const QMap<QString, QString>& controls) {
  for (auto* table : view.findChildren<tables::TableView*>())
    table->setOrderText(controls.value(kOrder + table->accessibleName()));
  for (auto* timeline : view.findChildren<plot::Timeline*>()) {
    const auto folds = controls.find(kFolded + timeline->accessibleName());
    timeline->setFolds(folds == controls.end() ? std::nullopt : std::optional(folds->split('\n', Qt::SkipEmptyParts)));
  }
}

} // namespace

bool isOfTabs(const QString& key) { return key == kTabs || key.startsWith(kTabs + ' '); }

void setPositions(QWidget& view, const QMap<QString, QString>& controls) {

  setArrangement(view, controls);
  for (const auto* overviewed : view.findChildren<plot::OverviewedPlot*>()) {
    const QStringList ends = controls.value(overviewed->plot().accessibleName()).split('-');
    const int64_t begin = ends.front().toLongLong(), end = ends.back().toLongLong();
    begin < end ? overviewed->plot().setVisible({begin, end}) : overviewed->plot().fit();
  }
  for (auto* browser : view.findChildren<SliceBrowser*>())
    if (controls.contains(kSelectedSlice)) browser->selectAgain(controls[kSelectedSlice]);
}

QList<QAction*> menuActionsOf(const QWidget& view) {
  QList<QAction*> all;
  for (const auto* menu : view.findChildren<QMenu*>())
    for (QAction* action : menu->actions())
      if (action->isEnabled() && action->isVisible() && !action->isSeparator() && !action->menu()) all << action;
  return all;
}

QMap<QString, QString> controlsOf(const QWidget& view) {
  QMap<QString, QString> controls;
  for (const auto* box : linkable<QComboBox>(view))
    if (box->count() > 1 && !box->accessibleName().isEmpty()) controls[box->accessibleName()] = box->currentText();
  for (const QLineEdit* field : fieldsOf(view))
    if (!field->text().isEmpty()) controls[field->accessibleName()] = field->text();
  for (const QPlainTextEdit* text : textsOf(view))
    if (text->document()->isModified() && fitsIntoLink(text->toPlainText()))
      controls[text->accessibleName()] = text->toPlainText();
  QStringList hidden;
  for (const auto* legend : view.findChildren<plot::Legend*>())
    for (const QString& title : legend->hiddenTitles()) hidden << title;
  if (!hidden.isEmpty()) controls[kHidden] = hidden.join('\n');
  for (const auto* slider : linkable<QSlider>(view))
    if (slider->isVisibleTo(&view) && !slider->accessibleName().isEmpty())
      controls[slider->accessibleName()] = QString::number(slider->value());
  const QList<QAction*> switches = switchesOf(view);
  QStringList on;
  for (const QAction* action : switches)
    if (action->isChecked()) on << action->text();
  if (!switches.isEmpty()) controls[kSwitchedOn] = on.join('\n');
  for (const auto* tabs : view.findChildren<QTabWidget*>())
    if (tabs->count() > 0) controls[keyOf(*tabs)] = plainTitle(tabs->tabText(tabs->currentIndex()));
  for (const QAction* action : linkedOf(view)) controls[plainTitle(action->text())] = action->isChecked() ? kOn : kOff;
  addArrangement(view, controls);
  addShownPositions(view, controls);
  return controls;
}

QStringList tooLongForLink(const QWidget& view) {
  QStringList names;
  for (const QPlainTextEdit* text : textsOf(view))
    if (text->document()->isModified() && !fitsIntoLink(text->toPlainText())) names << text->accessibleName();
  return names;
}

bool isRestoring(const QWidget& view) { return view.property(kRestoring).toBool(); }

void setControls(QWidget& view, const QMap<QString, QString>& controls) {
  view.setProperty(kRestoring, true);
  setChoices(view, controls);
  for (QLineEdit* field : fieldsOf(view))
    if (controls.contains(field->accessibleName())) field->setText(controls[field->accessibleName()]);
  for (QPlainTextEdit* text : textsOf(view))
    if (controls.contains(text->accessibleName())) {
      text->setPlainText(controls[text->accessibleName()]);
      text->document()->setModified(true);
    }
  for (auto* slider : linkable<QSlider>(view))
    if (controls.contains(slider->accessibleName())) slider->setValue(controls[slider->accessibleName()].toInt());
  const QStringList on = controls.value(kSwitchedOn).split('\n', Qt::SkipEmptyParts);
  for (QAction* action : switchesOf(view))
    if (controls.contains(kSwitchedOn) && action->isChecked() != on.contains(action->text())) action->trigger();
  for (QAction* action : linkedOf(view))
    if (const QString state = controls.value(plainTitle(action->text())); state == kOn || state == kOff)
      action->setChecked(state == kOn);
  const QStringList hidden = controls.value(kHidden).split('\n', Qt::SkipEmptyParts);
  for (auto* legend : view.findChildren<plot::Legend*>())
    if (!hidden.isEmpty()) legend->hideTitles(hidden);
  for (auto* tabs : view.findChildren<QTabWidget*>()) {
    const QString title = controls.value(keyOf(*tabs), controls.value(kTabs)); // older links have one for all
    for (int i = 0; i < tabs->count(); ++i)
      if (plainTitle(tabs->tabText(i)) == title && tabs->isTabVisible(i)) tabs->setCurrentIndex(i);
  }
  view.setProperty(kRestoring, false);
}

} // namespace ui::shell
