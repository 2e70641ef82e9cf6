// The largest vertices, variables and exchanges of the model, an IPU, or some tiles. A double-click shows one in its own view.
#pragma once

#include "analyser/insights/largest.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/theme/format.h"

#include <QWidget>

class QComboBox;
namespace ui::shell {
class ViewFields;
}

namespace ui::tables {
class FilteredTable;
}
namespace ui::theme {
class Theme;
}

namespace ui::insights {

class LargestPanel : public QWidget {
  Q_OBJECT

public:
  LargestPanel(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);

  void addFields(shell::ViewFields& fields);
  // Null: no report is open. Nothing is read before the panel is visible.
  void setSession(std::shared_ptr<shell::WorkerSession> worker);
  void setSelected(std::vector<reports::TileId> tiles);
  void setFormat(const theme::Format& format);
  void focusFilter();
  jobs::JobBase& job() { return m_job; }

signals:
  void evidenceRequested(const analyser::insights::Evidence& evidence);

protected:
  void showEvent(QShowEvent* event) override;

private:
  enum Scope { AllTiles, FullestTile, SelectedTiles, FirstIpu }; // indices of the box
  void read();
  void show();

  std::shared_ptr<shell::WorkerSession> m_worker;
  std::vector<reports::TileId> m_selected;
  jobs::LatestJob<std::vector<analyser::insights::LargestPart>> m_job;
  theme::Format m_format;
  bool m_isStale = true;
  QComboBox* m_scope;
  tables::FilteredTable* m_table;
};

} // namespace ui::insights
