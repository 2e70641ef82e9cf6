#include "ui/views/trace/slice_panel.h"

#include "analyser/program/exchange_traffic.h"
#include "ui/parts/sentence_text.h"
#include "ui/plot/group_zoom.h"
#include "ui/plot/step_plot.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/trace/trace_tables.h"

namespace ui::trace {

using theme::messageText;
using theme::reportText;

SlicePanel::SlicePanel(const theme::Theme& theme, jobs::JobBoard& jobs)
    : DetailPanel(theme, tr("Facts about the slice"), tr("Click a slice to see what it is, what it cost and on which tiles.")),
      m_theme(theme), m_job(tr("Reading a step"), &jobs) {
  addPlot(m_cycles = new plot::StepPlot(theme, tr("Cycles per tile of the step")));
  m_cycles->hide();
}

void SlicePanel::read(std::shared_ptr<OpenTrace> trace, const shell::SliceBrowser::Picked& picked, Read read) {
  m_trace = std::move(trace);
  m_job.start(
      [trace = m_trace, picked](const std::stop_token& stop, reports::Progress&) {
        return trace->reader().use([&](analyser::trace::ExecutionTrace& t) {
          Details details{t.details(picked.track, picked.slice, stop), picked.folded, {}, {}};
          if (!details.slice.isLarge)
            for (const auto& ipu : analyser::trace::tileCyclesOfRange(t, picked.slice.ticks, stop, {picked.track}))
              details.cost = ipu.cost;
          if (details.slice.programStep.valid())
            details.why = analyser::program::reasonOfStep(t.session(), details.slice.programStep, stop);
          return details;
        });
      },
      [this, read = std::move(read)](const Details& details) {
        showDetails(), showIpusAtWork();
        read(details.slice);
      },
      [this](const reports::Error& error) { showProblem(messageText(error.what())); });
}

void SlicePanel::forget() {
  m_job.drop();
  m_trace.reset();
  showDetails();
}

void SlicePanel::setFormat(const theme::Format& format) {
  m_format = format;
  showDetails();
}

void SlicePanel::showDetails() {
  const auto details = m_job.result();
  emit textChanged();
  m_cycles->setVisible(details && !details->slice.cyclesByTile.empty());
  if (!details) return showHint();
  const QString name = shell::sliceTitle(details->slice.name);
  auto facts = sliceFacts(details->slice, details->cost, m_format);
  if (!details->why.empty()) {
    constexpr int kPathWidth = 40;
    facts.push_back({tr("Why it moves"), shell::sentenceText(details->why, m_format, kPathWidth), {}, false, true});
  }
  for (const auto& track : m_trace->tracks())
    if (track.id == details->slice.track)
      facts.push_back({tr("Figures are"), tr("%1, of %2").arg(reportText(track.provenance), reportText(track.name)), {}, false});
  show(details->folded ? tr("Longest of the grouped slices: %1").arg(name) : name, facts);
  auto cycles = std::make_shared<std::vector<int64_t>>();
  for (const auto c : details->slice.cyclesByTile) cycles->push_back(c.value());
  m_cycles->setFormat(m_format);
  m_cycles->setAxes(tr("Tile"), int64_t(cycles->size()),
                    details->slice.inSlice > 1 ? tr("Cycles of one execution") : tr("Cycles"), plot::ValueKind::Cycles);
  const auto first = details->slice.firstTile;
  m_cycles->setFirstPosition(first.valid() ? int64_t(first.value()) : 0);
  m_cycles->setPositionText(
      [first = first.valid() ? int64_t(first.value()) : 0](int64_t position) { return theme::count(position + first); });
  m_cycles->setCurves(
      {{tr("cycles"), [this, a = details->slice.activity] { return m_theme.activity(a); }, std::move(cycles), false, true}});
}

// Zooms the step's plot to the IPUs on which the step runs, if the machine has many.
void SlicePanel::showIpusAtWork() {
  const auto details = m_job.result();
  if (!details) return;
  std::vector<int64_t> cycles;
  for (const auto c : details->slice.cyclesByTile) cycles.push_back(c.value());
  const auto first = details->slice.firstTile;
  plot::showGroupsInUse(*m_cycles, {&cycles}, first.valid() ? int64_t(first.value()) : 0,
                        m_trace->session().machine().tilesPerIpu);
}

QString SlicePanel::text() const {
  const auto details = m_job.result();
  if (!details) return {};
  return tr("%1: %2").arg(shell::sliceTitle(details->slice.name),
                          m_format.cycles(reports::Cycles(details->slice.slice.duration())));
}

} // namespace ui::trace
