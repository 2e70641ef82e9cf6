// The fields of a view: the values that links, bookmarks, sessions and the remembered view state store. A view names each field
// once, with a unique id, and connects it to the control that shows and changes it. Links hold ids, so a new label on a control
// breaks none. Choices and switches keep their value in a struct of the view's state, which the view reads.
#pragma once

#include "ui/state/place.h"

#include <QComboBox>
#include <QList>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

class QAction;
class QActionGroup;
class QLineEdit;
class QPlainTextEdit;
class QSlider;
class QTabWidget;

namespace ui::plot {
class Legend;
class OverviewedPlot;
class Timeline;
} // namespace ui::plot
namespace ui::tables {
class FilteredTable;
class TableView;
} // namespace ui::tables

namespace ui::shell {

class SliceBrowser;

// One of the values that a box offers: the value, its id, and its label.
template<class Value> struct Choice {
  Value value;
  const char* id;
  QString title;
};

class ViewFields {
public:
  explicit ViewFields(QWidget& view) : m_view(view) {}

  // Fills the box. `value` is the choice shown at first, and follows every change; it must live as long as the box.
  template<class Value> void choice(const QString& id, QComboBox& box, Value& value, const std::vector<Choice<Value>>& choices);
  // A box whose items come and go with the report: the data of an item is its id.
  void items(const QString& id, QComboBox& box, int role = Qt::UserRole);
  // The same; `offer` adds an item for an id that the box has not listed yet.
  void items(const QString& id, QComboBox& box, std::function<void(const QString&)> offer);
  // A group of actions, of which one is checked: the data of an action is its id.
  void actions(const QString& id, const QActionGroup& group);
  // A switch in the menu; `value` is its state.
  void flag(const QString& id, QAction& action, bool& value);
  // Like flag(), for a switch that the view sets for each new report: another report does not reset it.
  void flagOfReport(const QString& id, QAction& action, bool& value);
  void text(const QString& id, QLineEdit& field);
  void text(const QString& id, QPlainTextEdit& field);
  void number(const QString& id, QSlider& slider); // stored only while the slider is visible
  void hidden(const QString& id, plot::Legend& legend);
  // The pages that a link may name; other pages cannot be restored.
  using Pages = std::vector<std::pair<const QWidget*, const char*>>;
  void tabs(const QString& id, QTabWidget& tabs, Pages pages);
  void showTab(const QString& page); // in the tab widget that contains the page

  // Positions are set after the other fields have been applied; a position that a link leaves out keeps its initial value.
  void order(const QString& id, tables::TableView& table);
  void table(const QString& id, tables::FilteredTable& table); // stores its order and its filter
  void folds(const QString& id, plot::Timeline& timeline);
  void range(const QString& id, plot::OverviewedPlot& plot);
  // The selection in a plot, e.g. a range of steps.
  void selection(const QString& id, const QWidget& plot, std::function<QString()> value, std::function<void(const QString&)> set);
  void slice(const QString& id, SliceBrowser& browser); // stored in links, not in the remembered view state
  // For links of the previous version, in which the table had the id `was` and maybe other ids of columns (`columns`: former to
  // current). A link with its filter or order shows the new table.
  void formerTable(const QString& was, const QString& is, const QMap<QString, QString>& columns = {});

  enum class Which {
    All,
    Remembered, // the values for the next visit
    First,      // the initial values for another report
  };
  // Leaves out empty texts and values equal to the initial ones.
  FieldValues values(Which which = Which::All) const;
  // Ignores names that the view does not have, and values that a control does not offer. Call when the view is loaded. Meanwhile
  // the controls' signals are not changes by the user: isRestoring(). Also reads links of earlier builds, which hold labels of
  // the window.
  void set(const FieldValues& values);
  void setPositions(const FieldValues& values);
  FieldValues withoutTabs(FieldValues values) const;
  bool isRestoring() const { return m_isRestoring; }

  // The longest text that a link stores: a link is pasted into mails, and kept for each report.
  static constexpr int kMostLinkedText = 60'000; // bytes; a link has 100,000 characters at most
  QStringList tooLongForLink() const;            // the names of such texts
  std::vector<const QObject*> controls() const;

private:
  enum class Kind { Choice, Text, Number, Flag, Hidden, Tabs, Position }; // set in this order
  struct Field {
    QString id;
    Kind kind = Kind::Choice;
    const QObject* control = nullptr;
    std::function<QString()> value;
    std::function<void(const QString&)> set;
    QString label = {};                                    // the key in links of builds before 2026-12
    std::function<QString(const QString&)> fromLabel = {}; // converts its old value to the current one; none: they are equal
    bool isOfVisit = false, isOfReport = false;
  };
  Field& add(Field field);
  Field& addItems(const QString& id, QComboBox& box, int role);
  struct FormerTable {
    QString was, is;
    QMap<QString, QString> columns;
  };
  QString valueIn(const FieldValues& values, const Field& field) const;
  FieldValues withoutFormer(FieldValues values) const;
  void bindFlag(const QString& id, QAction& action, bool& value, bool isOfReport);

  QWidget& m_view;
  std::vector<Field> m_fields;
  std::vector<FormerTable> m_former;
  bool m_isRestoring = false;
};

template<class Value>
void ViewFields::choice(const QString& id, QComboBox& box, Value& value, const std::vector<Choice<Value>>& choices) {
  std::vector<std::pair<QString, Value>> values;
  for (const Choice<Value>& choice : choices) {
    box.addItem(choice.title, QString::fromLatin1(choice.id));
    values.emplace_back(QString::fromLatin1(choice.id), choice.value);
    if (choice.value == value) box.setCurrentIndex(box.count() - 1);
  }
  QObject::connect(&box, &QComboBox::currentIndexChanged, &box, [&box, &value, values = std::move(values)] {
    const QString shown = box.currentData().toString();
    const auto at = std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.first == shown; });
    if (at != values.end()) value = at->second;
  });
  items(id, box);
}

} // namespace ui::shell
