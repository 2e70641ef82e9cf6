// The tab of the selected slice: its facts, and the cycles of its step per tile. It reads by itself, in the background.
#pragma once

#include "analyser/trace/tile_cycles.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/detail_panel.h"
#include "ui/parts/slice_browser.h"
#include "ui/views/trace/trace_sources.h"

#include <optional>

namespace ui::plot {
class StepPlot;
}

namespace ui::trace {

class SlicePanel : public shell::DetailPanel {
  Q_OBJECT

public:
  SlicePanel(const theme::Theme& theme, jobs::JobBoard& jobs);

  using Read = std::function<void(const analyser::trace::SliceDetails&)>;
  void read(std::shared_ptr<OpenTrace> trace, const shell::SliceBrowser::Picked& picked, Read read);
  void forget();
  void setFormat(const theme::Format& format);
  jobs::JobBase& job() { return m_job; }
  QString text() const; // "matmul: 1,204 cycles"

signals:
  void textChanged();

private:
  struct Details {
    analyser::trace::SliceDetails slice;
    bool folded = false;
    std::optional<analyser::trace::TileCycles> cost; // nullopt: too many slices to count
    analyser::Sentence why;                          // for an exchange: senders and receivers, and why its operands move
  };
  void showDetails();
  void showIpusAtWork();

  const theme::Theme& m_theme;
  theme::Format m_format;
  std::shared_ptr<OpenTrace> m_trace;
  jobs::LatestJob<Details> m_job;
  plot::StepPlot* m_cycles;
};

} // namespace ui::trace
