// The result of a query as a plot: one or more columns of numbers over another column of numbers, or over the row number.
#pragma once

#include "analyser/query/query.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QCustomPlot;
class QLabel;

namespace ui::shell {
class ViewFields;
}

namespace ui::theme {
class Theme;
}

namespace ui::query {

// Indices of the columns with at least one value in which every value is a number.
std::vector<std::size_t> numberColumns(const analyser::query::Result& result);

class ResultPlot : public QWidget {
  Q_OBJECT

public:
  explicit ResultPlot(const theme::Theme& theme, QWidget* parent = nullptr);
  void addFields(shell::ViewFields& fields);
  // Null: nothing to draw. Draws the last column of numbers that is not an id, tile number or the like, if
  // there is one. The x axis is the first other column that only rises, if there is one. A few rows with names are drawn as bars.
  void setResult(std::shared_ptr<const analyser::query::Result> result);
  void setNone(const QString& why); // instead of a result

private:
  void draw();
  // The first text column if the result has few rows: it labels them.
  std::optional<std::size_t> nameColumn() const;
  void restyle();

  const theme::Theme& m_theme;
  std::shared_ptr<const analyser::query::Result> m_result;
  std::vector<std::size_t> m_numbers;
  QComboBox *m_across, *m_up, *m_style;
  int m_chosenStyle = -1; // chosen by the user: kept for later results
  QLabel* m_note;
  QWidget* m_choices;
  QCustomPlot* m_plot;
};

} // namespace ui::query
