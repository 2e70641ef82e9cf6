// The curves of liveness_view.h: two stacked areas for one report; for two reports the curves of both, in one plot or in two.
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/liveness/liveness_view.h"

#include <algorithm>

namespace ui::liveness {

using theme::reportText;

namespace {

enum Series { Always, NotAlways };
constexpr int kAlwaysOfBoth = 2; // in the legend of merged curves, after A and B

// Not-always-live bytes at every step, with the always-live ones added if `added`.
plot::Values aliveAlong(const analyser::liveness::Curve& curve, bool added) {
  auto values = std::make_shared<std::vector<int64_t>>();
  values->reserve(curve.notAlwaysLive.size());
  for (const auto bytes : curve.notAlwaysLive) values->push_back((added ? bytes + curve.alwaysLive : bytes).value());
  return values;
}

} // namespace

bool LivenessView::showsAlways() const { return m_legend->isShown(isMerged() ? kAlwaysOfBoth : int(Always)); }
void LivenessView::setAlwaysShown(bool shown) { m_legend->setShown(isMerged() ? kAlwaysOfBoth : int(Always), shown); }

void LivenessView::showLegend(const Answer& answer) {
  const auto& curve = answer.liveness.curve;
  const auto* other = answer.other ? &answer.other->liveness.curve : nullptr;
  const auto of = [&](const QString& one, reports::Bytes a, reports::Bytes b) {
    return !other ? one.arg(format().bytes(a)) : tr("A %1, B %2").arg(one.arg(format().bytes(a)), one.arg(format().bytes(b)));
  };
  const plot::LegendEntry always{tr("Always live"),
                                 of(QStringLiteral("%1"), curve.alwaysLive, other ? other->alwaysLive : reports::Bytes()),
                                 [this] { return theme().alwaysLive(); },
                                 plot::Mark::Area,
                                 false,
                                 "always"};
  if (isMerged())
    return m_legend->setEntries({{tr("A"), tr("peak %1").arg(format().bytes(curve.peak)), [this] { return theme().series(0); },
                                  plot::Mark::Line, false, "a"},
                                 {tr("B"), tr("peak %1").arg(format().bytes(other->peak)), [this] { return theme().series(1); },
                                  plot::Mark::Line, false, "b"},
                                 always});
  m_legend->setEntries({always,
                        {tr("Not always live"), of(tr("peak %1"), curve.peak, other ? other->peak : reports::Bytes()),
                         [this] { return theme().notAlwaysLive(); }, plot::Mark::Area, false, "notAlways"}});
}

void LivenessView::showCurve(const Answer& answer) {
  const bool isApart = answer.other && !isMerged();
  m_below->QWidget::setVisible(isApart);
  m_curve->setAccessibleName(isApart        ? tr("Memory alive per program step, A")
                             : answer.other ? tr("Memory alive per step of both reports")
                                            : tr("Memory alive per program step"));
  m_curve->setSelectionColour(
      [this] { return isMerged() ? theme().tokens().text : theme().tokens().accent; }); // the accent is the colour of A
  m_curve->setDifferenceTold(isMerged());
  if (isMerged()) {
    m_curve->shareScale(nullptr);
    return showBothCurves(answer);
  }
  showCurveOf(*m_curve, answer);
  if (isApart) showCurveOf(*m_below, *answer.other);
  m_curve->shareScale(isApart ? m_below : nullptr);
}

// Sets the texts, the limit and the positions of a plot. Two plots both have the positions of the longer program.
void LivenessView::showFrame(plot::StepPlot& plot, const Answer& answer, reports::Bytes always, reports::Bytes capacity) {
  const auto first = m_job.result();
  const auto steps = [](const Answer& of) { return int64_t(of.liveness.curve.notAlwaysLive.size()); };
  const int64_t positions = first && first->other ? std::max(steps(*first), steps(*first->other)) : steps(answer);
  plot.setFormat(format());
  QString scope = reportText(answer.liveness.curve.title);
  if (m_scope == QLatin1String("all") || m_scope == QLatin1String(analyser::liveness::kTilesScope.data()))
    scope = scope.toLower().replace(QLatin1String("ipu"), QLatin1String("IPU"));
  if (m_reports.areTwo() && !isMerged()) scope = (&plot == m_below ? tr("%1 of B") : tr("%1 of A")).arg(scope);
  plot.setAxes(tr("Liveness step"), positions,
               showsAlways() ? tr("Memory alive, %1").arg(scope)
                             : tr("Not always live, %1; %2 always live (hidden)").arg(scope, format().bytes(always)),
               plot::ValueKind::Bytes);
  // Hidden always-live memory still uses its part of the capacity.
  const reports::Bytes room = showsAlways() ? capacity : std::max(reports::Bytes(0), capacity - always);
  plot.setLimit(room.value(),
                (showsAlways() ? tr("available: %1") : tr("available besides always-live memory: %1")).arg(format().bytes(room)),
                m_toLimit);
}

void LivenessView::showCurveOf(plot::StepPlot& plot, const Answer& answer) {
  const auto& curve = answer.liveness.curve;
  showFrame(plot, answer, curve.alwaysLive, curve.capacity);
  auto changing = aliveAlong(curve, false);
  auto constant = std::make_shared<std::vector<int64_t>>(changing->size(), curve.alwaysLive.value());
  plot.setCurves({});
  plot.setLayers({{tr("Always live"), [this] { return theme().alwaysLive(); }, std::move(constant)},
                  {tr("Not always live"), [this] { return theme().notAlwaysLive(); }, std::move(changing)}});
  plot.setLayersShown(m_legend->shown());
  plot.setMarks(curve.notAlwaysLive.empty()
                    ? std::vector<std::pair<int64_t, QString>>()
                    : std::vector{std::pair{curve.peakStep, tr("peak, step %1").arg(theme::count(curve.peakStep))}});
  plot.setCard([this](int64_t ordinal) { return stepCard(ordinal); });
}

void LivenessView::showBothCurves(const Answer& answer) {
  const auto &a = answer.liveness.curve, &b = answer.other->liveness.curve;
  showFrame(*m_curve, answer, std::max(a.alwaysLive, b.alwaysLive), std::max(a.capacity, b.capacity));
  m_curve->setLayers({});
  m_curve->setCurves({{tr("A"), [this] { return theme().series(0); }, aliveAlong(a, showsAlways()), false, true},
                      {tr("B"), [this] { return theme().series(1); }, aliveAlong(b, showsAlways()), false, false}});
  const auto shown = m_legend->shown();
  m_curve->setCurvesShown({shown.begin(), shown.begin() + std::min<std::ptrdiff_t>(2, std::ptrdiff_t(shown.size()))});
  std::vector<std::pair<int64_t, QString>> marks;
  for (const auto& [curve, letter] : {std::pair{&a, tr("A")}, {&b, tr("B")}})
    if (!curve->notAlwaysLive.empty()) marks.emplace_back(curve->peakStep, tr("peak of %1").arg(letter));
  if (marks.size() == 2 && marks[0].first == marks[1].first) marks = {{marks[0].first, tr("peak of A and B")}};
  m_curve->setMarks(std::move(marks));
  m_curve->setCard([this](int64_t ordinal) { return stepCard(ordinal); });
}

plot::Card LivenessView::stepCard(int64_t ordinal) const {
  const auto answer = m_job.result();
  plot::Card card;
  if (!answer || ordinal < 0) return card;
  if (answer->other) return cardOfBoth(*answer, ordinal);
  if (std::size_t(ordinal) >= answer->liveness.curve.notAlwaysLive.size()) return card;
  const auto& curve = answer->liveness.curve;
  const auto alive = curve.notAlwaysLive[std::size_t(ordinal)];
  card.title = tr("Step %1").arg(theme::count(ordinal));
  if (std::size_t(ordinal) < answer->liveness.steps.size()) {
    const auto& step = answer->liveness.steps[std::size_t(ordinal)];
    card.rows.push_back({reportText(step.kind), reportText(step.name), theme().activity(step.activity)});
  }
  card.rows.push_back({tr("not always live"), format().bytesExact(alive), theme().notAlwaysLive()});
  card.rows.push_back({tr("always live"), format().bytesExact(curve.alwaysLive), theme().alwaysLive()});
  card.rows.push_back({tr("together"), format().bytesExact(alive + curve.alwaysLive), {}});
  card.hint = tr("Click shows the variables alive here, Shift-click compares, Shift-drag selects a range");
  return card;
}

// The steps of both programs at this position, which may have different names.
plot::Card LivenessView::cardOfBoth(const Answer& answer, int64_t position) const {
  plot::Card card;
  card.title = tr("Step %1").arg(theme::count(position));
  const auto at = std::size_t(position);
  const auto &a = answer.liveness.curve.notAlwaysLive, &b = answer.other->liveness.curve.notAlwaysLive;
  const auto text = [&](const std::vector<reports::Bytes>& values, const Answer& of) {
    return at >= values.size() ? tr("not there")
                               : QStringLiteral("%1 · %2").arg(format().bytesExact(values[at]), stepName(of, position));
  };
  card.rows = {{tr("A"), text(a, answer), theme().series(0)}, {tr("B"), text(b, *answer.other), theme().series(1)}};
  if (at < a.size() && at < b.size()) card.rows.push_back({tr("B − A"), format().bytesDelta(b[at] - a[at]), {}});
  card.hint = tr("Click shows the variables alive here and at the step of this name in the other report");
  return card;
}

} // namespace ui::liveness
