#include "ui/parts/finding_marks.h"

#include "analyser/insights/insights.h"
#include "ui/parts/sentence_text.h"
#include "ui/state/view_state.h"
#include "ui/theme/elide.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"

#include <QMenu>

namespace ui::shell {

using analyser::insights::Insight;

namespace {
constexpr std::size_t kMost = 12; // items of a menu; Insights lists all
constexpr int kPlace = 260;       // pixels for the location of a finding

QString titleOf(const Insight& finding, const theme::Format& format, const QFontMetrics& metrics) {
  QString title = theme::reportText(finding.title);
  if (!finding.where.empty()) title += QStringLiteral(" · ") + theme::elided(metrics, theme::reportText(finding.where), kPlace);
  // A single ampersand would underline the next letter.
  return QStringLiteral("%1 (%2)").arg(title.replace('&', QStringLiteral("&&")), savingText(finding, format));
}
} // namespace

QString savingText(const Insight& insight, const theme::Format& format) {
  if (!insight.savesMemory()) return format.cycles(insight.cycles);
  return insight.onOneTile ? QObject::tr("%1 per tile").arg(format.bytes(insight.bytes)) : format.bytes(insight.bytes);
}

void selectEvidence(ViewState& state, const analyser::insights::Evidence& evidence) {
  const QString view = QString::fromStdString(evidence.view);
  state.messages().send(ShowAll{view});
  if (!evidence.tiles.empty()) state.setTiles(evidence.tiles);
  if (evidence.operation.valid())
    state.setOperation(evidence.operation, evidence.step);
  else if (evidence.step.valid())
    state.setStep(evidence.step);
  if (evidence.variable.valid()) state.setVariable(evidence.variable);
  state.messages().send(ShowTab{view, QString::fromStdString(evidence.tab)});
}

FindingMarks::FindingMarks(const theme::Theme& theme, ViewState& state, QWidget* parent) : QToolButton(parent), m_state(state) {
  setIcon(theme::icon(theme, "insights", theme::Tint::Accent));
  setIconSize({20, 20});
  setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  setPopupMode(QToolButton::InstantPopup);
  setProperty("role", "menu");
  setMenu(new QMenu(this));
  hide();
  connect(&state.notes(), &ReportNotes::findingsChanged, this, &FindingMarks::fill);
  connect(&state, &ViewState::formatChanged, this, &FindingMarks::fill);
}

void FindingMarks::setView(const QString& id) {
  if (std::exchange(m_view, id) != id) fill();
}

void FindingMarks::fill() {
  menu()->clear();
  std::size_t count = 0;
  if (const auto all = m_state.notes().findings()) {
    for (const Insight& finding : all->list) {
      if (m_view.isEmpty() || finding.evidence.view != m_view.toStdString() || ++count > kMost) continue;
      const auto evidence = finding.evidence; // the finding may be gone when the item is chosen
      QAction* action = menu()->addAction(titleOf(finding, m_state.format(), fontMetrics()), this, [this, evidence] {
        selectEvidence(m_state, evidence);
        emit evidenceSelected();
      });
      action->setToolTip(theme::tipText(sentenceText(finding.what, m_state.format(), analyser::Sentence::kNameWidth)));
    }
  }
  setVisible(count > 0);
  if (count == 0) return;
  menu()->setToolTipsVisible(true);
  menu()->addSeparator();
  menu()->addAction(count > kMost ? tr("%1 more in Insights").arg(count - kMost) : tr("All findings"), this,
                    &FindingMarks::allRequested);
  setText(QString::number(count));
  setToolTip(theme::tipText(tr("Findings of Insights here, largest first")));
  setAccessibleName(tr("Findings: %1").arg(theme::plural(int64_t(count), tr("finding leads here"), tr("findings lead here"))));
}

} // namespace ui::shell
