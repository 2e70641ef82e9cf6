// The same curve of two reports in one plot, with a legend. Positions of both count from 0: the tiles of the machines, the steps of the
// programs. What more there is to see is in Memory and Liveness, which show both reports.
#pragma once

#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_memory.h"
#include "reports/core/units.h"
#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"

#include <QWidget>

#include <vector>

namespace ui::shell {
class ViewFields;
}

namespace ui::plot {
class Legend;
class StepPlot;
} // namespace ui::plot
namespace ui::theme {
class Theme;
}

namespace ui::compare {

class PairPlot : public QWidget {
  Q_OBJECT

public:
  struct Scene {
    std::vector<reports::Bytes> base, other;
    QString position, value; // "Tile", "Memory, without gaps"
    reports::Bytes limit;    // a dashed line; 0: none
    theme::Format format;
  };
  static Scene ofMemory(const analyser::memory::TileMemory& base, const analyser::memory::TileMemory& other,
                        const theme::Format& format);
  static Scene ofLiveness(const analyser::liveness::Liveness& base, const analyser::liveness::Liveness& other,
                          const theme::Format& format);
  // `name` is what screen readers call the plot.
  PairPlot(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  void addFields(shell::ViewFields& fields, const QString& id);
  void show(Scene scene);
  using QWidget::show;

private:
  plot::Card card(int64_t position) const;
  const theme::Theme& m_theme;
  Scene m_scene;
  plot::Legend* m_legend;
  plot::StepPlot* m_plot;
};

} // namespace ui::compare
