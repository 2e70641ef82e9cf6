// The cycles of the selected operation on every tile: a plot, and what it shows in a sentence.
#pragma once

#include "analyser/operations/tile_profile.h"
#include "ui/jobs/latest_job.h"
#include "ui/shell/on_worker.h"
#include "ui/theme/format.h"

#include <QWidget>

namespace ui::plot {
class StepPlot;
}
namespace ui::shell {
class ElidedLabel;
}
namespace ui::theme {
class Theme;
}

namespace ui::operations {

class TileTab : public QWidget {
  Q_OBJECT

public:
  TileTab(const theme::Theme& theme, jobs::JobBoard& board, QWidget* parent = nullptr);
  using Steps = std::shared_ptr<const std::vector<analyser::operations::OperationStep>>;
  // Reads when it is seen. `operation` is an index of Operations::rows; -1: none.
  void setOperation(std::shared_ptr<shell::WorkerSession> worker, Steps steps, int operation);
  void setTilesPerIpu(int tiles) { m_tilesPerIpu = tiles; }
  void setFormat(const theme::Format& format);
  bool isBusy() const { return m_job.isBusy(); }
  void setSelected(const std::vector<reports::TileId>& tiles);

signals:
  void tileClicked(reports::TileId tile, Qt::KeyboardModifiers modifiers);

protected:
  void showEvent(QShowEvent* event) override;

private:
  void read();
  void show();

  const theme::Theme& m_theme;
  jobs::LatestJob<analyser::operations::TileProfile> m_job;
  std::shared_ptr<shell::WorkerSession> m_worker;
  Steps m_steps;
  static constexpr int kNothing = -2;       // asked for yet
  int m_operation = -1, m_asked = kNothing; // what is selected; what the last request was for
  int m_tilesPerIpu = 0;
  theme::Format m_format;
  shell::ElidedLabel* m_words;
  plot::StepPlot* m_plot;
};

} // namespace ui::operations
