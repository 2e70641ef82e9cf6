// Blocks that a tile of each IPU timed: a table by name and IPU, and for the selected one its durations by execution, which show
// a drift, and their distribution. It reads by itself, in the background, and reports whether there are any.
#pragma once

#include "analyser/trace/blocks.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/theme/format.h"

#include <QWidget>

#include <optional>

namespace ui::plot {
class Histogram;
class StepPlot;
} // namespace ui::plot
namespace ui::shell {
class ViewFields;
class ElidedLabel;
} // namespace ui::shell
namespace ui::tables {
class FilteredTable;
struct Table;
} // namespace ui::tables
namespace ui::theme {
class Theme;
}
class QTabWidget;

namespace ui::trace {

// Blocks of all IPUs, or of `only` one. Row ids are indices of `profile.blocks`. Shortest, 95th percentile, mean and deviation do
// not fit a small window: they are shown above the plot of the selected Block.
std::shared_ptr<const tables::Table> blockTable(const analyser::trace::BlockProfile& profile, bool severalIpus,
                                                std::optional<reports::IpuId> only = {});

class BlocksPanel : public QWidget {
  Q_OBJECT

public:
  BlocksPanel(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);

  void addFields(shell::ViewFields& fields);
  // Null: nothing is open.
  void setSession(std::shared_ptr<const analyser::Session> session);
  void setFormat(const theme::Format& format);
  void setIpu(std::optional<reports::IpuId> ipu); // shows only Blocks of this IPU; nullopt: all
  jobs::JobBase& job() { return m_job; }
  // Null until it has been read.
  std::shared_ptr<const analyser::trace::BlockProfile> profile() const { return m_job.result(); }

signals:
  void found(bool areBlocks);
  void rangeRequested(reports::TickRange range); // a double-click: the first execution

private:
  void show();
  void choose(int64_t row);
  const theme::Theme& m_theme;
  jobs::LatestJob<analyser::trace::BlockProfile> m_job;
  theme::Format m_format;
  bool m_severalIpus = false;
  std::optional<reports::IpuId> m_ipu;
  int64_t m_chosen = 0; // row
  shell::ElidedLabel *m_verdict, *m_facts;
  tables::FilteredTable* m_table;
  QTabWidget* m_tabs; // of the chosen Block
  plot::StepPlot* m_durations;
  plot::Histogram* m_histogram;
};

} // namespace ui::trace
