// The tabs of trace_view.h that are there for some reports only.
#include "ui/plot/timeline.h"
#include "ui/shell/job_link.h"
#include "ui/shell/page.h"
#include "ui/shell/view_state.h"
#include "ui/views/trace/blocks_panel.h"
#include "ui/views/trace/pipeline_panel.h"
#include "ui/views/trace/trace_view.h"

#include <QComboBox>
#include <QTabWidget>

namespace ui::trace {

// The tab is there for pipelines only, and comes when the figures are there.
void TraceView::connectPipeline() {
  shell::linkJob(*this, m_pipeline->job());
  const auto showTab = [this](bool isPipeline) {
    page().tabs()->setTabVisible(page().tabs()->indexOf(m_pipeline), isPipeline);
    m_isPipeline = isPipeline;
    takeTab();
  };
  showTab(false);
  connect(m_pipeline, &PipelinePanel::found, this, showTab);
  connect(m_pipeline, &PipelinePanel::rangeRequested, this, [this](reports::TickRange range) { m_timeline->showExactly(range); });
  connect(m_pipeline, &PipelinePanel::ipuChosen, this, [this](int ipu) {
    m_ipus->setCurrentIndex(m_ipus->findData(ipu));
    showTrace();
  });
}

// The tab that another view asked for, as soon as it is there.
void TraceView::takeTab() {
  if (m_isPipeline && isVisible() && state().takeTabRequest() == QLatin1String("pipeline"))
    page().tabs()->setCurrentWidget(m_pipeline);
}

// The tab is there for reports with timed Blocks only.
void TraceView::connectBlocks() {
  QTabWidget* tabs = page().tabs();
  tabs->addTab(m_blocks = new BlocksPanel(theme(), jobs()), tr("Blocks"));
  shell::linkJob(*this, m_blocks->job());
  const auto showTab = [this, tabs](bool areBlocks) { tabs->setTabVisible(tabs->indexOf(m_blocks), areBlocks); };
  showTab(false);
  connect(m_blocks, &BlocksPanel::found, this, showTab);
  connect(m_blocks, &BlocksPanel::rangeRequested, m_timeline, &plot::Timeline::showExactly);
}

} // namespace ui::trace
