// What is selected in the trace: a slice that was clicked, found, or followed from another view.
#include "ui/parts/page.h"
#include "ui/parts/picture_menu.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/views/trace/pipeline_panel.h"
#include "ui/views/trace/trace_view.h"

#include <QApplication>
#include <QMenu>
#include <QTabWidget>

#include <algorithm>
#include <utility>

namespace ui::trace {

void TraceView::connectSelection() {
  connect(m_browser, &shell::SliceBrowser::picked, this, &TraceView::readDetails);
  connect(m_browser, &shell::SliceBrowser::pickFailed, m_details, &shell::DetailPanel::showProblem);
  connect(m_details, &SlicePanel::textChanged, this, &View::selectionTextChanged);
  connect(m_timeline, &plot::Timeline::sliceClicked, this, [this] { m_pipelineAsked = false; });
  connect(m_browser, &shell::SliceBrowser::cleared, this, [this] {
    m_step = {}, m_picked = {};
    m_ranges->flames()->setName({});
    m_details->forget(), showOutline();
  });
  connect(&state(), &shell::ViewState::stepChanged, this, &TraceView::followStep);
  connect(this, &View::menuOpened, this, &TraceView::addToMenu);
}

// Shows the execution of a step that another view selected. A hidden view waits until it is shown.
void TraceView::followStep() {
  if (!m_trace || !isVisible() || state().step() == m_step) return;
  m_step = state().step();
  m_followed = m_step;
  if (m_step.valid()) m_browser->findStep(m_step, state().rangeIsGiven());
}

void TraceView::readDetails(const shell::SliceBrowser::Picked& picked) {
  if (!m_trace) return;
  m_picked = picked;
  m_ranges->flames()->setName(picked.slice.name);
  showOutline();
  // A selection in a list keeps the list visible, for the next row; a click in a plot opens the details.
  const QWidget* tab = page().tabs()->currentWidget();
  const bool isWalked =
      tab == m_browser->matches() || (tab == m_ranges->statistics() && tab->isAncestorOf(QApplication::focusWidget()));
  const bool isAsked = tab == m_pipeline && std::exchange(m_pipelineAsked, false); // the finding is about more than its step
  if (!isWalked && !isAsked) page().tabs()->setCurrentWidget(m_details);
  const reports::ProgramStepId followed = std::exchange(m_followed, {});
  m_details->read(m_trace, picked, [this, followed](const analyser::trace::SliceDetails& slice) {
    if (!slice.isStep || !slice.programStep.valid()) { // a scope: other views show the operation to which it belongs, if any
      m_step = {};
      return state().setOperation(slice.operationId, {});
    }
    m_step = slice.programStep;
    // Layers of one function share the step, so the slice's own operation is selected, unless another view chose another
    // operation for it.
    const bool isSaid = followed == m_step && m_step == state().step() && state().operation().valid();
    state().setOperation(isSaid ? state().operation() : slice.operationId, m_step);
  });
}

// Clears the selection if its IPU is no longer shown.
void TraceView::forgetHidden() {
  const auto on =
      std::find_if(m_trace->tracks().begin(), m_trace->tracks().end(), [&](const auto& t) { return t.id == m_picked.track; });
  if (!m_picked.track.valid() || !ipu() || (on != m_trace->tracks().end() && on->ipu == ipu())) return;
  m_picked = {};
  m_ranges->flames()->setName({});
  m_details->forget();
}

// A scope has no step, but its cycles can be shown or measured.
void TraceView::addToMenu(QMenu* menu, QWidget* plot) {
  const auto& slice = m_picked.slice;
  const bool isScope = m_picked.track.valid() && reports::Activity(slice.category) == reports::Activity::Scope;
  if (!isScope || plot->property(shell::kSelectsNothing).toBool()) return;
  QMenu* ways = menu->addMenu(tr("Selected scope"));
  ways->addAction(tr("Zoom to its cycles"), this, [this, ticks = slice.ticks] { m_timeline->showExactly(ticks); });
  ways->addAction(tr("Measure its cycles (A–B)"), this, [this, ticks = slice.ticks] { state().setMeasured(ticks); });
  menu->addSeparator();
}

QString TraceView::selectionText() const {
  QStringList parts;
  if (const auto range = state().measured(); m_trace && !range.empty())
    parts << tr("A %1, B %2: %3 apart")
                 .arg(theme::count(range.begin), theme::count(range.end), format().cyclesExact(reports::Cycles(range.size())));
  if (const QString slice = m_details->text(); !slice.isEmpty()) parts << slice;
  return parts.join(QStringLiteral("  ·  "));
}

} // namespace ui::trace
