#include "ui/parts/view_fields.h"

#include "ui/parts/slice_browser.h"
#include "ui/plot/legend.h"
#include "ui/plot/overviewed_plot.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/timeline.h"
#include "ui/tables/table_view.h"

#include <QAction>
#include <QActionGroup>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSlider>
#include <QTabWidget>
#include <QUrl>

#include <optional>

namespace ui::shell {

namespace {

// Matches the name of a column in front of an operator in a filter.
QRegularExpression conditionBegins(const QString& column) {
  return QRegularExpression(QStringLiteral("\\b%1(\\s*(?:[<>=~]|!=))").arg(QRegularExpression::escape(column)),
                            QRegularExpression::CaseInsensitiveOption);
}

const QString kOn = QStringLiteral("on"), kOff = QStringLiteral("off");
// Keys of links before 2026-12, which were made of labels in the window.
const QString kOldTabs = QStringLiteral("Tab"), kOldSwitches = QStringLiteral("Switched on"),
              kOldHidden = QStringLiteral("Hidden"), kOldOrder = QStringLiteral("Order of "),
              kOldFolds = QStringLiteral("Folded of "), kOldSlice = QStringLiteral("Slice");

// A tab may have a count in its title, which changes: "Always live (31)".
QString plainTitle(const QString& title) { return title.section(QStringLiteral(" ("), 0, 0); }

bool fitsIntoLink(const QString& text) { return QUrl::toPercentEncoding(text).size() <= ViewFields::kMostLinkedText; }

// The data of an item may be a number, which findData() does not compare with a text.
int itemOf(const QComboBox& box, const QString& id, int role) {
  for (int i = 0; i < box.count(); ++i)
    if (box.itemData(i, role).toString() == id) return i;
  return -1;
}

bool isOffered(const QAction& action) { return action.isEnabled() && action.isVisible(); }

} // namespace

ViewFields::Field& ViewFields::add(Field field) {
  const auto later =
      std::upper_bound(m_fields.begin(), m_fields.end(), field.kind, [](Kind kind, const Field& one) { return kind < one.kind; });
  return *m_fields.insert(later, std::move(field));
}

ViewFields::Field& ViewFields::addItems(const QString& id, QComboBox& box, int role) {
  Field& field =
      add({id, Kind::Choice, &box, [&box, role] { return box.count() > 1 ? box.currentData(role).toString() : QString(); },
           [&box, role](const QString& value) {
             const int index = itemOf(box, value, role);
             const bool isOffered = index >= 0 && box.model()->index(index, box.modelColumn()).flags() & Qt::ItemIsEnabled;
             if (!isOffered || index == box.currentIndex()) return;
             box.setCurrentIndex(index);
             emit box.activated(index);
           }});
  field.label = box.accessibleName();
  field.fromLabel = [&box, role](const QString& title) { return box.itemData(box.findText(title), role).toString(); };
  return field;
}

void ViewFields::items(const QString& id, QComboBox& box, int role) { addItems(id, box, role); }

void ViewFields::items(const QString& id, QComboBox& box, std::function<void(const QString&)> offer) {
  Field& field = addItems(id, box, Qt::UserRole);
  field.set = [offer = std::move(offer), set = field.set](const QString& value) {
    offer(value);
    set(value);
  };
}

void ViewFields::actions(const QString& id, const QActionGroup& group) {
  const auto isTitled = [](const QAction& action, const QString& titles) {
    return titles.split('\n', Qt::SkipEmptyParts).contains(action.text());
  };
  Field& field = add({id, Kind::Flag, &group,
                      [&group] { return group.checkedAction() ? group.checkedAction()->data().toString() : QString(); },
                      [&group](const QString& value) {
                        for (QAction* action : group.actions())
                          if (action->data().toString() == value && isOffered(*action) && !action->isChecked()) action->trigger();
                      }});
  field.isOfReport = true;
  field.label = kOldSwitches;
  field.fromLabel = [&group, isTitled](const QString& titles) {
    for (const QAction* action : group.actions())
      if (isTitled(*action, titles)) return action->data().toString();
    return QString();
  };
}

void ViewFields::bindFlag(const QString& id, QAction& action, bool& value, bool isOfReport) {
  action.setCheckable(true);
  value = action.isChecked();
  QObject::connect(&action, &QAction::toggled, &action, [&value](bool on) { value = on; });
  Field& field =
      add({id, Kind::Flag, &action, [&action] { return !isOffered(action)   ? QString()
                                                       : action.isChecked() ? kOn
                                                                            : kOff; },
           [&action](const QString& wanted) {
             if (isOffered(action) && (wanted == kOn || wanted == kOff) && action.isChecked() != (wanted == kOn))
               action.trigger();
           }});
  field.isOfReport = isOfReport;
  field.label = isOfReport ? kOldSwitches : plainTitle(action.text());
  if (isOfReport)
    field.fromLabel = [&action](const QString& titles) { return titles.split('\n').contains(action.text()) ? kOn : kOff; };
}

void ViewFields::flag(const QString& id, QAction& action, bool& value) { bindFlag(id, action, value, false); }
void ViewFields::flagOfReport(const QString& id, QAction& action, bool& value) { bindFlag(id, action, value, true); }

void ViewFields::text(const QString& id, QLineEdit& field) {
  add({id, Kind::Text, &field, [&field] { return field.text(); }, [&field](const QString& text) { field.setText(text); }}).label =
      field.accessibleName();
}

void ViewFields::text(const QString& id, QPlainTextEdit& field) {
  const auto value = [&field] {
    const QString text = field.document()->isModified() ? field.toPlainText() : QString();
    return fitsIntoLink(text) ? text : QString();
  };
  add({id, Kind::Text, &field, value,
       [&field](const QString& text) {
         field.setPlainText(text);
         field.document()->setModified(true);
       }})
      .label = field.accessibleName();
}

QStringList ViewFields::tooLongForLink() const {
  QStringList names;
  for (const Field& field : m_fields)
    if (const auto* text = qobject_cast<const QPlainTextEdit*>(field.control))
      if (text->document()->isModified() && !fitsIntoLink(text->toPlainText())) names << text->accessibleName();
  return names;
}

void ViewFields::number(const QString& id, QSlider& slider) {
  add({id, Kind::Number, &slider,
       [this, &slider] { return slider.isVisibleTo(&m_view) ? QString::number(slider.value()) : QString(); },
       [&slider](const QString& value) { slider.setValue(value.toInt()); }})
      .label = slider.accessibleName();
}

void ViewFields::hidden(const QString& id, plot::Legend& legend) {
  add({id, Kind::Hidden, &legend, [&legend] { return legend.hidden().join('\n'); },
       [&legend](const QString& ids) { legend.hide(ids.split('\n', Qt::SkipEmptyParts)); }})
      .label = kOldHidden;
}

void ViewFields::tabs(const QString& id, QTabWidget& tabs, Pages pages) {
  const auto idAt = [&tabs, pages](int index) {
    const QWidget* page = tabs.widget(index);
    const auto known = std::find_if(pages.begin(), pages.end(), [&](const auto& one) { return one.first == page; });
    return known == pages.end() ? QString() : QString::fromLatin1(known->second);
  };
  const auto show = [&tabs, idAt](const QString& page) {
    for (int i = 0; i < tabs.count(); ++i)
      if (!page.isEmpty() && idAt(i) == page && tabs.isTabVisible(i)) return tabs.setCurrentIndex(i);
  };
  Field& field = add({id, Kind::Tabs, &tabs, [&tabs, idAt] { return idAt(tabs.currentIndex()); }, show});
  field.label = tabs.accessibleName().isEmpty() ? kOldTabs : kOldTabs + ' ' + tabs.accessibleName();
  field.fromLabel = [&tabs, idAt](const QString& title) {
    for (int i = 0; i < tabs.count(); ++i)
      if (plainTitle(tabs.tabText(i)) == title) return idAt(i);
    return QString();
  };
}

void ViewFields::showTab(const QString& page) {
  for (const Field& field : m_fields)
    if (field.kind == Kind::Tabs) field.set(page);
}

void ViewFields::order(const QString& id, tables::TableView& table) {
  add({id, Kind::Position, &table, [&table] { return table.orderText(); },
       [&table](const QString& order) { table.setOrderText(order); }})
      .label = kOldOrder + table.accessibleName();
}

void ViewFields::table(const QString& id, tables::FilteredTable& table) {
  text(id + QStringLiteral(".filter"), table.filter());
  order(id + QStringLiteral(".order"), table.view());
}

void ViewFields::folds(const QString& id, plot::Timeline& timeline) {
  add({id, Kind::Position, &timeline, [&timeline] { return timeline.rows().folds().value_or(QStringList()).join('\n'); },
       [&timeline](const QString& folds) {
         timeline.rows().setFolds(folds.isEmpty() ? std::nullopt : std::optional(folds.split('\n', Qt::SkipEmptyParts)));
       }})
      .label = kOldFolds + timeline.accessibleName();
}

// Stores the visible range of a plot as text: "200-500".
void ViewFields::range(const QString& id, plot::OverviewedPlot& overviewed) {
  plot::StepPlot& plot = overviewed.plot();
  const auto value = [&plot] {
    if (plot.visible().size() >= plot.scene().series.count()) return QString();
    return QStringLiteral("%1-%2").arg(plot.visible().begin).arg(plot.visible().end);
  };
  add({id, Kind::Position, &overviewed, value,
       [&plot](const QString& ends) {
         const int64_t begin = ends.section('-', 0, 0).toLongLong(), end = ends.section('-', -1).toLongLong();
         begin < end ? plot.setVisible({begin, end}) : plot.fit();
       }})
      .label = plot.accessibleName();
}

void ViewFields::selection(const QString& id, const QWidget& plot, std::function<QString()> value,
                           std::function<void(const QString&)> set) {
  add({id, Kind::Position, &plot, std::move(value), std::move(set)}).isOfVisit = true;
}

void ViewFields::slice(const QString& id, SliceBrowser& browser) {
  Field& field = add({id, Kind::Position, &browser, [&browser] { return browser.selectedSlice(); },
                      [&browser](const QString& slice) {
                        if (!slice.isEmpty()) browser.selectAgain(slice);
                      }});
  field.label = kOldSlice;
  field.isOfVisit = true;
}

void ViewFields::formerTable(const QString& was, const QString& is, const QMap<QString, QString>& columns) {
  m_former.push_back({was, is, columns});
}

// "down difference" of a former table becomes "down bytesChange", and "difference > 1MiB" becomes "bytesChange > 1MiB".
FieldValues ViewFields::withoutFormer(FieldValues values) const {
  for (const FormerTable& table : m_former) {
    bool isThere = false;
    for (const QString& part : {QStringLiteral(".filter"), QStringLiteral(".order")}) {
      if (!values.contains(table.was + part)) continue;
      QString value = values.take(table.was + part);
      const QString column = value.section(' ', 1);
      if (part == QLatin1String(".order"))
        value = value.section(' ', 0, 0) + ' ' + table.columns.value(column, column);
      else
        for (auto renamed = table.columns.cbegin(); renamed != table.columns.cend(); ++renamed)
          value.replace(conditionBegins(renamed.key()), renamed.value() + QStringLiteral("\\1"));
      values[table.is + part] = value, isThere = true;
    }
    for (const Field& field : m_fields)
      if (isThere && field.kind == Kind::Tabs && values.value(field.id) == table.was) values[field.id] = table.is;
  }
  return values;
}

FieldValues ViewFields::values(Which which) const {
  FieldValues values;
  for (const Field& field : m_fields) {
    if ((which == Which::Remembered && field.isOfVisit) || (which == Which::First && field.isOfReport)) continue;
    if (const QString value = field.value(); !value.isEmpty()) values[field.id] = value;
  }
  return values;
}

// Translates the value of an old link to the current one; the oldest links have one key for all tabs.
QString ViewFields::valueIn(const FieldValues& values, const Field& field) const {
  if (const auto found = values.find(field.id); found != values.end()) return *found;
  auto old = values.find(field.label);
  if (old == values.end() && field.kind == Kind::Tabs) old = values.find(kOldTabs);
  if (field.label.isEmpty() || old == values.end()) return {};
  return field.fromLabel ? field.fromLabel(*old) : *old;
}

void ViewFields::set(const FieldValues& given) {
  const FieldValues values = withoutFormer(given);
  m_isRestoring = true;
  for (const Field& field : m_fields)
    if (const QString value = valueIn(values, field); field.kind != Kind::Position && !value.isEmpty()) field.set(value);
  m_isRestoring = false;
}

void ViewFields::setPositions(const FieldValues& given) {
  const FieldValues values = withoutFormer(given);
  for (const Field& field : m_fields)
    if (field.kind == Kind::Position) field.set(valueIn(values, field));
}

FieldValues ViewFields::withoutTabs(FieldValues values) const {
  for (const Field& field : m_fields)
    if (field.kind == Kind::Tabs) values.remove(field.id), values.remove(field.label);
  values.remove(kOldTabs);
  return values;
}

std::vector<const QObject*> ViewFields::controls() const {
  std::vector<const QObject*> controls;
  for (const Field& field : m_fields) controls.push_back(field.control);
  return controls;
}

} // namespace ui::shell
