// The cycles, bytes, FLOPs, vertices or code of the selected row on every tile: a plot, and a sentence about it.
#pragma once

#include "analyser/operations/tile_profile.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/plot/step_plot.h"
#include "ui/theme/format.h"

#include <QWidget>

class QComboBox;

namespace ui::shell {
class ViewFields;
class ElidedLabel;
} // namespace ui::shell
namespace ui::theme {
class Theme;
}

namespace ui::operations {

class TileTab : public QWidget {
  Q_OBJECT

public:
  TileTab(const theme::Theme& theme, jobs::JobBoard& board, QWidget* parent = nullptr);
  using Steps = std::shared_ptr<const std::vector<analyser::operations::OperationStep>>;
  void addFields(shell::ViewFields& fields);
  struct OfReport {
    std::shared_ptr<shell::WorkerSession> worker;
    Steps steps;
    std::vector<int> members; // values of OperationStep::operation; empty: nothing is selected
    bool operator==(const OfReport&) const = default;
  };
  // Reads one or two reports as soon as the tab is visible. `vertexType` limits the figures to vertices of this type; empty: all
  // vertices of the steps.
  void setOperations(std::vector<OfReport> reports, const std::string& vertexType = {});
  void setTilesPerIpu(int tiles) { m_tilesPerIpu = tiles; }
  void setFormat(const theme::Format& format);
  jobs::JobBase& job() { return m_job; }
  void setSelected(const std::vector<reports::TileId>& tiles);

signals:
  void tileClicked(reports::TileId tile, Qt::KeyboardModifiers modifiers);

protected:
  void showEvent(QShowEvent* event) override;

private:
  void read();
  void show();
  void clear(const QString& words);
  std::vector<plot::AreaLayer> layersOf(const analyser::operations::TileProfile& profile,
                                        analyser::operations::TileMeasure measure) const;
  std::vector<plot::Curve> curvesOf(const std::vector<analyser::operations::TileProfile>& profiles) const;

  const theme::Theme& m_theme;
  jobs::LatestJob<std::vector<analyser::operations::TileProfile>> m_job; // by report
  std::vector<OfReport> m_reports;
  std::string m_vertexType;
  bool m_isRead = false; // also true while the job reads
  int m_tilesPerIpu = 0;
  theme::Format m_format;
  shell::ElidedLabel* m_words;
  analyser::operations::TileMeasure m_measure{};
  QComboBox* m_measures;
  plot::StepPlot* m_plot;
};

} // namespace ui::operations
