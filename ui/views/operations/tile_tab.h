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
  // Reads when it is visible. `members` are values of OperationStep::operation; empty: nothing is selected. `vertexType`: only the vertices of
  // this type; empty: all of the steps.
  void setOperations(std::shared_ptr<shell::WorkerSession> worker, Steps steps, std::vector<int> members,
                     const std::string& vertexType = {});
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
  std::vector<plot::AreaLayer> layersOf(const analyser::operations::TileProfile& profile,
                                        analyser::operations::TileMeasure measure) const;

  const theme::Theme& m_theme;
  jobs::LatestJob<analyser::operations::TileProfile> m_job;
  std::shared_ptr<shell::WorkerSession> m_worker;
  Steps m_steps;
  std::vector<int> m_members;
  std::string m_vertexType;
  bool m_isRead = false; // also while the job reads it
  int m_tilesPerIpu = 0;
  theme::Format m_format;
  shell::ElidedLabel* m_words;
  analyser::operations::TileMeasure m_measure{};
  QComboBox* m_measures;
  plot::StepPlot* m_plot;
};

} // namespace ui::operations
