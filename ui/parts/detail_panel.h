// The selected item: its name, then facts in columns; the right side has room for a plot of the item.
#pragma once

#include "ui/parts/fact_list.h"

class QBoxLayout;

namespace ui::shell {

class ElidedLabel;

class DetailPanel : public QWidget {
  Q_OBJECT

public:
  // `name` is the accessible name of the facts; `hint` is shown until something is selected.
  DetailPanel(const theme::Theme& theme, const QString& name, const QString& hint, QWidget* parent = nullptr);
  void addPlot(QWidget* plot);
  void show(const QString& title, const std::vector<Fact>& facts);
  void showHint(); // when nothing is selected any more
  void showProblem(const QString& text);

private:
  QString m_hint;
  QBoxLayout* m_row;
  ElidedLabel* m_title;
  FactList* m_facts;
};

} // namespace ui::shell
