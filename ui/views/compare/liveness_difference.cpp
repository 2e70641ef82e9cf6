#include "ui/views/compare/liveness_difference.h"

#include "ui/parts/page.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/compare/pair_plot.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ui::compare {

using analyser::liveness::Liveness;
using theme::reportText;

namespace {

analyser::Sentence livenessVerdict(const Liveness& a, const Liveness& b) {
  using Change = analyser::Sentence::Change<reports::Bytes>;
  const reports::Bytes always = b.curve.alwaysLive - a.curve.alwaysLive, peak = b.curve.peak - a.curve.peak;
  if (a.steps.empty() && b.steps.empty()) return "Neither report has liveness.";
  analyser::Sentence verdict;
  if (always == reports::Bytes() && peak == reports::Bytes())
    return verdict << "Always live " << a.curve.alwaysLive << " and " << a.curve.peak << " more at the peak in both reports.";
  return verdict << "Always live " << Change{always} << " (" << b.curve.alwaysLive << " instead of " << a.curve.alwaysLive
                 << "), at the peak not always live " << Change{peak} << " (" << b.curve.peak << " instead of " << a.curve.peak
                 << ").";
}

} // namespace

LivenessDifference::LivenessDifference(const shell::ViewParts& parts)
    : PairView(parts), m_job(tr("Reading liveness"), &parts.jobs), m_alive(tr("Reading the live variables"), &parts.jobs) {
  m_kind = new QComboBox;
  m_kind->setAccessibleName(tr("Picture"));
  fields().choice<bool>("picture", *m_kind, m_isMerged,
                        {{true, "merged", tr("Curves merged")}, {false, "apart", tr("Curves apart")}});
  page().addTool(m_kind);
  page().addToolAction(QStringLiteral("liveness"), tr("Peaks"), tr("Compare what is alive at the peak of each report"),
                       [this] { showPeaks(); });
  page().setPlot(m_plot = new PairPlot(theme(), tr("Memory alive per step of both reports")), 0.5);
  auto* alive = new QWidget;
  auto* column = new QVBoxLayout(alive);
  column->setContentsMargins(0, theme::kHalf, 0, 0);
  column->setSpacing(theme::kHalf);
  column->addWidget(m_steps = theme::plainLabel());
  m_steps->setProperty("role", "secondary");
  m_steps->setWordWrap(true);
  column->addWidget(m_table = new tables::FilteredTable(theme(), tr("Variables alive in both reports")), 1);
  page().tabs()->addTab(alive, tr("Alive at the step"));
  setMainJob(m_job, [this] { read(); });
  work().add({&m_alive});
  connect(m_kind, &QComboBox::currentIndexChanged, this, [this] { m_plot->setMerged(m_isMerged); });
  m_plot->addFields(fields(), "hidden");
  fields().tabs("tab", *page().tabs(), {{alive, "alive"}});
  fields().table("alive", *m_table);
  connect(m_plot, &PairPlot::positionClicked, this, [this](int64_t step, bool ofBase, bool ofOther, Qt::KeyboardModifiers) {
    // In the merged plot, a click selects a step of B only if A has no such step.
    const auto answer = m_job.result();
    const bool inBase = answer && step < int64_t(answer->base.steps.size());
    choose(step, ofBase && (inBase || !ofOther));
  });
}

bool LivenessDifference::focusFilter() {
  m_table->filter().setFocus(Qt::ShortcutFocusReason);
  return true;
}

QString LivenessDifference::stepName(bool ofBase, int64_t step) const {
  const auto answer = m_job.result();
  if (!answer) return {};
  const auto& steps = (ofBase ? answer->base : answer->other).steps;
  if (step < 0 || std::size_t(step) >= steps.size()) return {};
  const auto& s = steps[std::size_t(step)];
  return reportText(s.name.empty() ? s.kind : s.name);
}

QString LivenessDifference::selectionText() const {
  if (m_baseStep < 0 && m_otherStep < 0) return {};
  const auto text = [this](bool ofBase, int64_t step) {
    return step < 0 ? tr("none") : QStringLiteral("%1 %2").arg(theme::count(step), stepName(ofBase, step));
  };
  return tr("Step of A: %1, of B: %2").arg(text(true, m_baseStep), text(false, m_otherStep));
}

void LivenessDifference::drop() {
  PairView::drop();
  m_baseStep = m_otherStep = -1;
}

void LivenessDifference::read() {
  fill(
      m_job,
      [](analyser::Session& a, analyser::Session& b, const std::stop_token& stop) {
        return Answer{analyser::liveness::liveness(a, "all", stop), analyser::liveness::liveness(b, "all", stop)};
      },
      [this](const Answer& answer) {
        page().setVerdict(livenessVerdict(answer.base, answer.other));
        show();
        showPeaks();
      });
}

void LivenessDifference::show() {
  const auto answer = m_job.result();
  if (!answer) return;
  m_table->view().setFormat(format());
  auto scene = PairPlot::ofLiveness(answer->base, answer->other, format());
  scene.name = [this](bool ofBase, int64_t step) { return stepName(ofBase, step); };
  m_plot->show(std::move(scene));
}

void LivenessDifference::showPeaks() {
  const auto answer = m_job.result();
  if (!answer) return;
  m_baseStep = answer->base.steps.empty() ? -1 : answer->base.curve.peakStep;
  m_otherStep = answer->other.steps.empty() ? -1 : answer->other.curve.peakStep;
  readAlive();
}

void LivenessDifference::choose(int64_t step, bool ofBase) {
  const auto answer = m_job.result();
  if (!answer || step < 0) return;
  const Liveness &here = ofBase ? answer->base : answer->other, &there = ofBase ? answer->other : answer->base;
  if (std::size_t(step) >= here.steps.size()) return;
  const int64_t match = analyser::compare::matchingStep(here, step, there).value_or(-1);
  m_baseStep = ofBase ? step : match, m_otherStep = ofBase ? match : step;
  readAlive();
}

void LivenessDifference::readAlive() {
  const auto at = [](int64_t step) {
    return step < 0 ? std::vector<reports::Range<int64_t>>{} : std::vector<reports::Range<int64_t>>{{step, step + 1}};
  };
  m_plot->setSelected(at(m_baseStep), at(m_otherStep));
  m_steps->setText(m_baseStep < 0 || m_otherStep < 0
                       ? tr("%1. The other report has no step of this name; nothing is alive there.").arg(selectionText())
                       : selectionText());
  emit selectionTextChanged();
  ask(
      m_alive,
      [a = m_baseStep, b = m_otherStep](analyser::Session& base, analyser::Session& other, const std::stop_token& stop) {
        return variableTable(analyser::compare::aliveDifference(base, a, other, b, stop));
      },
      [this](const Alive& table) { m_table->setTable(table); });
}

} // namespace ui::compare
