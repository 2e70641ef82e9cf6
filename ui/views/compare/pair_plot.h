// The same curve of two reports in one plot, or in two with the same scales below each other, with a legend. Positions of both
// count from 0: the tiles of the machines, the steps of the programs.
#pragma once

#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_memory.h"
#include "reports/core/range.h"
#include "reports/core/units.h"
#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"

#include <QWidget>

#include <functional>
#include <memory>
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
    std::vector<std::pair<int64_t, QString>> marks;
    theme::Format format;
    std::function<QString(bool ofBase, int64_t position)> name = {}; // name of a position, for the tooltip; may be empty
  };
  static Scene ofMemory(const analyser::memory::TileMemory& base, const analyser::memory::TileMemory& other,
                        const theme::Format& format);
  static Scene ofLiveness(const analyser::liveness::Liveness& base, const analyser::liveness::Liveness& other,
                          const theme::Format& format);
  // `name` is what screen readers call the plots.
  PairPlot(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  void addFields(shell::ViewFields& fields, const QString& id);
  void show(Scene scene);
  using QWidget::show;
  // In one plot, or one for each.
  void setMerged(bool merged);
  bool isMerged() const { return m_merged; }
  // Ranges of selected positions, for each report.
  void setSelected(std::vector<reports::Range<int64_t>> inBase, std::vector<reports::Range<int64_t>> inOther);
  plot::StepPlot& merged() const { return *m_both; }

signals:
  // `ofBase` and `ofOther`: whose curve was clicked; both in the merged plot.
  void positionClicked(int64_t position, bool ofBase, bool ofOther, Qt::KeyboardModifiers modifiers);
  void rangeDragged(int64_t first, int64_t last);

private:
  void fill();
  plot::Card card(int64_t position) const;
  const theme::Theme& m_theme;
  Scene m_scene;
  bool m_merged = true;
  plot::Legend* m_legend;
  plot::StepPlot *m_both, *m_a, *m_b;
};

} // namespace ui::compare
