// The runs of a sweep as points. The user chooses the figures of both axes and the parameter that sets colours and labels. Bars
// at the right show how much each parameter changes the figure of the horizontal axis.
#pragma once

#include "ui/theme/format.h"
#include "ui/views/sweep/sweep_axes.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QHBoxLayout;
class QLabel;

namespace ui::plot {
class BarList;
class Legend;
} // namespace ui::plot
namespace ui::shell {
class ViewFields;
}
namespace ui::theme {
class Theme;
}

namespace ui::sweep {

class Scatter;

class SweepPlot : public QWidget {
  Q_OBJECT

public:
  SweepPlot(const theme::Theme& theme, shell::ViewFields& fields, QWidget* parent = nullptr);
  Scatter& scatter() { return *m_scatter; }
  void show(std::shared_ptr<const analyser::sweep::SweepTable> sweep, const theme::Format& format);

private:
  struct Colours {
    std::string parameter;       // empty: none
    std::vector<QString> values; // ascending if they are numbers
    bool areNumbers = false;
  };
  QComboBox* addBox(QHBoxLayout& row, const QString& title, const QString& tip);
  void fillBoxes();
  Colours colours() const;
  QColor colourOf(const Colours& colours, int value) const;
  void showPoints();
  void placePoints(); // places the points whose values the legend shows
  void showLegend(const Colours& colours);
  void showImportance(const Axis& x);

  const theme::Theme& m_theme;
  std::shared_ptr<const analyser::sweep::SweepTable> m_sweep;
  theme::Format m_format;
  QComboBox *m_x, *m_y, *m_colour;
  plot::Legend* m_legend;
  Scatter* m_scatter;
  QWidget* m_side;
  QLabel* m_importanceTitle;
  plot::BarList* m_importance;
};

} // namespace ui::sweep
