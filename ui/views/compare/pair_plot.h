// One curve of two reports in one plot, with a legend. Positions of both count from 0: the tiles of the machines, the steps of
// the programs. Memory and Liveness show more of both reports: a click also selects there, and a double-click opens the view.
#pragma once

#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_memory.h"
#include "reports/core/range.h"
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
    QString hint; // the last line of the tooltip
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
  QString words(int64_t position) const; // "Tile 3: A 40 KiB, B 52 KiB, +12 KiB"
  void setSelected(std::vector<reports::Range<int64_t>> positions);

signals:
  void positionClicked(qint64 position, Qt::KeyboardModifiers modifiers); // -1: none is selected any longer
  void positionActivated(qint64 position);                                // a double click

private:
  plot::Card card(int64_t position) const;
  const theme::Theme& m_theme;
  Scene m_scene;
  plot::Legend* m_legend;
  plot::StepPlot* m_plot;
};

} // namespace ui::compare
