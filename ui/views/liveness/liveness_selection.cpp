// The selection of the Liveness view: a step, a second one to compare, or a range of steps.
#include "analyser/compare/liveness_difference.h"
#include "ui/parts/elided_label.h"
#include "ui/parts/page.h"
#include "ui/parts/shown_tabs.h"
#include "ui/parts/wrapped_label.h"
#include "ui/plot/step_plot.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/views/liveness/lifetime_chart.h"
#include "ui/views/liveness/liveness_tables.h"
#include "ui/views/liveness/liveness_view.h"

#include <QKeyEvent>
#include <QTabWidget>

#include <algorithm>

namespace ui::liveness {

using theme::messageText;
using theme::reportText;

namespace {

// "84 steps, 749 to 832: 14 variables, 15.3 MiB together. Most at once: 12.1 MiB at step 790. 10 lives begin, 12 end."
QString rangeWords(const analyser::liveness::LiveRange& range, const theme::Format& format) {
  return QObject::tr("%1 steps, %2 to %3: %4, %5 together. Most at once: %6 at step %7. %8 begin, %9 end.")
      .arg(theme::count(range.steps.size()), theme::count(range.steps.begin), theme::count(range.steps.end - 1),
           theme::plural(int64_t(range.variables.size()), QObject::tr("variable"), QObject::tr("variables")),
           format.bytes(range.bytes), format.bytes(range.peak), theme::count(range.peakStep),
           theme::plural(range.births, QObject::tr("life"), QObject::tr("lives")), theme::count(range.deaths));
}

} // namespace

// Arrow keys move the selected step itself: a click selects a step at once, so a key does, too. With Shift they move the end of a range.
bool LivenessView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_curve || event->type() != QEvent::KeyPress) return View::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool isArrow = key->key() == Qt::Key_Left || key->key() == Qt::Key_Right;
  const auto answer = m_job.result();
  if (!answer || m_step < 0 || !isArrow) return View::eventFilter(watched, event);
  const int64_t size = key->modifiers() & Qt::ControlModifier ? 10 : 1, by = key->key() == Qt::Key_Right ? size : -size;
  if (key->modifiers() & Qt::ShiftModifier)
    extendRange(by);
  else
    selectStep(std::clamp<int64_t>(m_step + by, 0, int64_t(answer->liveness.curve.notAlwaysLive.size()) - 1), true);
  return true;
}

void LivenessView::selectStep(int64_t ordinal, bool tell) {
  const auto answer = m_job.result();
  if (!answer || ordinal < 0 || ordinal >= int64_t(answer->liveness.curve.notAlwaysLive.size())) return;
  if (!tell && !m_range.empty() && ordinal == m_step) return; // the range's own step, echoed by another view
  const bool same = ordinal == m_step && m_second < 0 && m_range.empty() && m_stepJob.result();
  m_step = ordinal, m_stepInOther = matchInOther(ordinal), m_second = m_anchor = -1, m_range = {};
  showSelection();
  m_lifetimes->setStep(ordinal);
  m_steps->view().selectIds({ordinal});
  if (!same) readStep();
  emit selectionTextChanged();
  if (tell) tellStep();
}

// Selects a step of B, and the step of A with the same name if there is one.
void LivenessView::selectStepOfOther(int64_t ordinal) {
  const auto answer = m_job.result();
  if (!answer || !answer->other || ordinal < 0 || std::size_t(ordinal) >= answer->other->liveness.steps.size()) return;
  m_step = analyser::compare::matchingStep(answer->other->liveness, ordinal, answer->liveness).value_or(-1);
  m_stepInOther = ordinal, m_second = m_anchor = -1, m_range = {};
  showSelection();
  m_lifetimes->setStep(m_step);
  m_steps->view().selectIds({m_step});
  readStep();
  emit selectionTextChanged();
  tellStep();
}

// With two reports selects the peak of each.
void LivenessView::selectPeak() {
  const auto answer = m_job.result();
  if (!answer) return;
  if (answer->liveness.steps.empty() && answer->other) return selectStepOfOther(answer->other->liveness.curve.peakStep);
  selectStep(answer->liveness.curve.peakStep, true);
  if (!answer->other || answer->other->liveness.steps.empty()) return;
  m_stepInOther = answer->other->liveness.curve.peakStep;
  showSelection();
  readStep();
  emit selectionTextChanged();
}

// Selects a range. Other views and the tables of one step show the step of the range with the most live memory.
void LivenessView::selectRange(reports::Range<int64_t> steps, bool tell) {
  const auto answer = m_job.result();
  if (!answer) return;
  const auto& alive = answer->liveness.curve.notAlwaysLive;
  steps = steps.clippedTo({0, int64_t(alive.size())});
  if (steps.empty()) return;
  if (steps.size() == 1) return selectStep(steps.begin, tell);
  m_range = steps, m_second = -1;
  m_step = std::max_element(alive.begin() + steps.begin, alive.begin() + steps.end) - alive.begin();
  m_stepInOther = matchInOther(m_step);
  showSelection();
  m_lifetimes->setStep(m_step);
  m_steps->view().selectIds({m_step});
  readStep();
  if (tell) page().tabs()->setCurrentWidget(m_notAlways);
  emit selectionTextChanged();
  if (tell) tellStep();
}

void LivenessView::extendRange(int64_t by) {
  const auto answer = m_job.result();
  if (!answer) return;
  if (m_range.empty() || m_anchor < 0) m_anchor = m_range.empty() ? m_step : m_range.begin;
  const int64_t end = m_range.empty() ? m_step : m_anchor == m_range.begin ? m_range.end - 1 : m_range.begin;
  const int64_t moved = std::clamp<int64_t>(end + by, 0, int64_t(answer->liveness.curve.notAlwaysLive.size()) - 1);
  const int64_t anchor = m_anchor;
  selectRange({std::min(anchor, moved), std::max(anchor, moved) + 1}, true);
  m_anchor = anchor;
}

QString LivenessView::rangeText() const {
  return m_range.empty() ? QString() : QStringLiteral("%1-%2").arg(m_range.begin).arg(m_range.end - 1);
}

void LivenessView::setRangeText(const QString& text) {
  const int64_t first = text.section('-', 0, 0).toLongLong(), last = text.section('-', -1).toLongLong();
  if (!text.isEmpty() && first >= 0 && first < last && last < INT64_MAX) return selectRange({first, last + 1}, false);
  if (!m_range.empty()) selectStep(m_step, true);
}

void LivenessView::tellStep() {
  const auto answer = m_job.result();
  if (answer && m_step >= 0 && std::size_t(m_step) < answer->liveness.steps.size())
    state().setStep(answer->liveness.steps[std::size_t(m_step)].programStep);
}

void LivenessView::compareWith(int64_t ordinal) {
  const auto answer = m_job.result();
  if (!answer || m_step < 0 || ordinal < 0 || ordinal == m_step) return;
  m_second = ordinal;
  showSelection();
  readStep();
  shell::setTabShown(*page().tabs(), m_difference, true);
  page().tabs()->setCurrentWidget(m_difference);
}

void LivenessView::showSelection() {
  const auto spansOf = [](const Selected& selected) {
    std::vector<reports::Range<int64_t>> spans;
    if (!selected.range.empty()) return std::vector{selected.range};
    for (const int64_t step : {selected.step, selected.second})
      if (step >= 0) spans.push_back({step, step + 1});
    return spans;
  };
  auto here = spansOf({m_step, m_second, m_range});
  const auto there = m_reports.areTwo() ? spansOf(selectedInOther()) : std::vector<reports::Range<int64_t>>();
  m_below->setSelection(there);
  if (isMerged())
    for (const auto& span : there)
      if (std::find(here.begin(), here.end(), span) == here.end()) here.push_back(span);
  m_curve->setSelection(std::move(here));
}

void LivenessView::readStep() {
  const auto answer = m_job.result();
  if (!answer) return;
  m_stepJob.start([reports = m_reports, here = Selected{m_step, m_second, m_range}, there = selectedInOther(),
                   answer](const std::stop_token& stop,
                           reports::Progress&) { return liveness::readStep(reports, *answer, here, there, stop); },
                  [this](const AtStep& at) { showStep(at); },
                  [this](const reports::Error& error) {
                    page().setBanner(tr("The step could not be read: %1").arg(messageText(error.what())), shell::Tone::Bad);
                  });
}

void LivenessView::showStep(const AtStep& at) {
  page().clearBanner();
  for (tables::FilteredTable* table : {m_notAlways, m_difference, m_work}) table->view().setFormat(format());
  m_notAlways->setTable(at.inRange ? at.inRange : at.notAlways);
  QTabWidget* tabs = page().tabs();
  m_work->setTable(at.work);
  shell::setTabShown(*tabs, m_difference, bool(at.difference));
  if (at.difference) m_difference->setTable(at.difference);
  const auto& rows = at.inRange ? at.inRange : at.notAlways;
  const std::size_t live = rows ? rows->rows.size() : 0;
  tabs->setTabText(0, (at.range ? tr("Live in the range (%1)") : tr("Not always live (%1)")).arg(theme::count(int64_t(live))));
  m_rangeWords->setVisible(at.range.has_value());
  if (at.range)
    m_rangeWords->setWords(!m_reports.areTwo() ? rangeWords(*at.range, format())
                           : at.rangeInOther
                               ? tr("A: %1 B: %2").arg(rangeWords(*at.range, format()), rangeWords(*at.rangeInOther, format()))
                               : tr("A: %1 B has no steps of these names.").arg(rangeWords(*at.range, format())));
  tabs->setTabText(
      1, tr("Always live (%1)")
             .arg(theme::count(int64_t(m_job.result() && m_job.result()->always ? m_job.result()->always->rows.size() : 0))));
  showTitle(at);
  placeStepTitle();
  emit selectionTextChanged();
}

// "Step of A: 12, of B: 14, fwd/conv1"; of steps with other names "Step of A: 12 fwd/conv1, of B: 14 fwd/conv2"
QString LivenessView::stepsText() const {
  const auto answer = m_job.result();
  if (!answer || !answer->other || (m_step < 0 && m_stepInOther < 0)) return {};
  const auto text = [](const Answer& of, int64_t step) {
    return step < 0 ? tr("no step of this name") : QStringLiteral("%1 %2").arg(theme::count(step), stepName(of, step));
  };
  if (const QString name = m_step < 0 ? QString() : stepName(*answer, m_step);
      m_step >= 0 && m_stepInOther >= 0 && name == stepName(*answer->other, m_stepInOther))
    return tr("Step of A: %1, of B: %2, %3").arg(theme::count(m_step), theme::count(m_stepInOther), name);
  return tr("Step of A: %1, of B: %2").arg(text(*answer, m_step), text(*answer->other, m_stepInOther));
}

void LivenessView::showTitle(const AtStep& at) {
  if (m_reports.areTwo()) { // their names are in the status line
    const auto number = [](int64_t step) { return step < 0 ? tr("none") : theme::count(step); };
    return m_stepTitle->setWhole(tr("Step of A: %1, of B: %2").arg(number(m_step), number(m_stepInOther)), stepsText());
  }
  const QString number = (at.range ? tr("Most at step %1: ") : tr("Step %1: ")).arg(theme::count(at.live.step));
  QString name = reportText(at.live.name);
  if (const auto answer = m_job.result(); answer && std::size_t(at.live.step) < answer->liveness.steps.size() &&
                                          at.live.name.find('/') == std::string::npos) // a sync is called "Internal"
    name = reportText(answer->liveness.steps[std::size_t(at.live.step)].kind) + QStringLiteral(", ") + name;
  m_stepTitle->setWhole(number + name, {}, number.size());
}

QString LivenessView::selectionText() const {
  const auto answer = m_job.result();
  if (answer && answer->other) return stepsText();
  if (!answer || m_step < 0 || std::size_t(m_step) >= answer->liveness.curve.notAlwaysLive.size()) return {};
  const auto at = m_stepJob.result();
  QStringList parts;
  if (!m_range.empty() && at && at->range && at->range->steps == m_range) parts << rangeWords(*at->range, format());
  parts << tr("Step %1: %2 not always live, %3 always live")
               .arg(theme::count(m_step), format().bytes(answer->liveness.curve.notAlwaysLive[std::size_t(m_step)]),
                    format().bytes(answer->liveness.curve.alwaysLive));
  if (const auto* v = selectedVariable())
    parts << tr("%1: %2, at most %3 on a tile").arg(reportText(v->name), format().bytes(v->bytes), format().bytes(v->maxTile));
  return parts.join(QStringLiteral("  ·  "));
}

// The window's selected variable, if one of the lists here contains it.
const analyser::liveness::LiveVariable* LivenessView::selectedVariable() const {
  const auto isIt = [this](const analyser::liveness::LiveVariable& v) { return v.variable == state().variable(); };
  if (!state().variable().valid()) return nullptr;
  const auto answer = m_job.result();
  const auto at = m_stepJob.result();
  if (answer && answer->lives && at)
    for (const auto* list : {&at->live.notAlwaysLive, &answer->lives->alwaysLive()})
      if (const auto found = std::find_if(list->begin(), list->end(), isIt); found != list->end()) return &*found;
  if (at && at->range)
    for (const auto& row : at->range->variables)
      if (isIt(row.variable)) return &row.variable;
  if (!answer) return nullptr;
  for (const auto& life : answer->lifetimes)
    if (isIt(life.variable)) return &life.variable;
  return nullptr;
}

int64_t LivenessView::matchInOther(int64_t step) const {
  const auto answer = m_job.result();
  if (!answer || !answer->other || step < 0 || std::size_t(step) >= answer->liveness.steps.size()) return -1;
  return analyser::compare::matchingStep(answer->liveness, step, answer->other->liveness).value_or(-1);
}

// The range in B goes from the step with the name of the first step of A's range to the step with the name of its last.
LivenessView::Selected LivenessView::selectedInOther() const {
  Selected selected{m_stepInOther, matchInOther(m_second), {}};
  if (m_range.empty()) return selected;
  const int64_t first = matchInOther(m_range.begin), last = matchInOther(m_range.end - 1);
  if (first >= 0 && last >= first) selected.range = {first, last + 1};
  return selected;
}

} // namespace ui::liveness
