#include "ui/runs/try_button.h"

#include "analyser/session/session.h"
#include "analyser/trials/trials.h"
#include "ui/parts/view.h"
#include "ui/runs/trial_words.h"
#include "ui/state/view_state.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"

#include <QMenu>

namespace ui::shell {

TryButton::TryButton(const theme::Theme& theme, ViewState& state, View& view, analyser::trials::Goal goal)
    : m_theme(theme), m_state(state), m_view(view), m_goal(goal) {
  setText(tr("Try"));
  setProperty("role", "menu");
  setAccessibleName(tr("Try a change"));
  setIcon(theme::icon(theme, QStringLiteral("play")));
  setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  setPopupMode(QToolButton::InstantPopup);
  setFocusPolicy(Qt::TabFocus);
  auto* menu = new QMenu(this);
  menu->setToolTipsVisible(true);
  setMenu(menu);
  setSession(nullptr);
}

void TryButton::setSession(std::shared_ptr<const analyser::Session> session) {
  m_session = std::move(session);
  fill();
}

void TryButton::fill() {
  menu()->clear();
  const bool again = m_session && canRunAgain(*m_session);
  setEnabled(again);
  setToolTip(theme::tipText(again ? tr("Run this report's graph again with one change, and compare")
                                  : tr("The report does not say with which command it was made")));
  if (!again) return;
  for (const analyser::trials::Trial& trial : analyser::trials::trialsOf(*m_session, m_goal)) {
    QStringList options;
    for (const std::string& word : trial.options) options << theme::reportText(word);
    QAction* action = menu()->addAction(theme::reportText(trial.title), this, [this, options] {
      m_state.messages().send(RunTrial{QString::fromStdString(m_session->identity().path), options});
      emit m_view.viewRequested(QStringLiteral("run"));
    });
    action->setToolTip(theme::tipText(theme::reportText(trial.why) + '\n' + trialLine(*m_session, options)));
  }
  if (!menu()->isEmpty()) menu()->addSeparator();
  menu()->addAction(tr("Other settings…"), this, [this] { emit m_view.viewRequested(QStringLiteral("run")); });
}

} // namespace ui::shell
