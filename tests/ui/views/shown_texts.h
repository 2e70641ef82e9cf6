// The visible figures of a view: labels, table cells, axes and legends of plots, and the accessible descriptions of plots.
#pragma once

#include <QAbstractItemView>
#include <QAccessible>
#include <QHeaderView>
#include <QLabel>
#include <QSet>
#include <QString>
#include <QWidget>

#include <algorithm>

namespace tests {

// Long enough not to be equal by accident: four digits or more, like "12,288 B on 8 tiles".
inline bool isFigure(const QString& text) {
  return std::count_if(text.begin(), text.end(), [](QChar c) { return c.isDigit(); }) >= 4;
}

inline QSet<QString> shownFigures(const QWidget& view) {
  QSet<QString> figures;
  const auto add = [&](const QString& text) {
    if (isFigure(text)) figures.insert(text);
  };
  const auto addCells = [&](const QAbstractItemView& table) {
    constexpr int kMostRows = 60, kMostColumns = 40;
    const QAbstractItemModel* model = table.model();
    if (!model) return;
    for (int row = 0; row < std::min(kMostRows, model->rowCount(table.rootIndex())); ++row)
      for (int column = 0; column < std::min(kMostColumns, model->columnCount(table.rootIndex())); ++column)
        add(model->index(row, column, table.rootIndex()).data().toString());
  };
  for (const QWidget* widget : view.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    if (const auto* label = qobject_cast<const QLabel*>(widget)) add(label->text());
    if (const auto* table = qobject_cast<const QAbstractItemView*>(widget); table && !qobject_cast<const QHeaderView*>(widget))
      addCells(*table);
    if (widget->property("picture").toBool())
      if (QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget)))
        for (const auto part : {QAccessible::Value, QAccessible::Description}) add(spoken->text(part));
  }
  return figures;
}

} // namespace tests
