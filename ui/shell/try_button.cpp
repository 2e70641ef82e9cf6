#include "ui/shell/try_button.h"

#include "analyser/session/session.h"
#include "ui/shell/trial_words.h"
#include "ui/shell/view.h"
#include "ui/shell/view_state.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"

#include <QMenu>

namespace ui::shell {

namespace {
// Models say how many samples a micro-batch has; the options below are for them.
bool isOfModel(const analyser::Session& session) { return !session.metadata("batch_size").empty(); }
} // namespace

std::vector<Change> changesFor(const analyser::Session& session) {
  if (!isOfModel(session) || trialRequest(session, {}).isEmpty()) return {};
  const auto says = [&](const char* key) { return session.metadata(key); };
  const std::string line = says("command_line");
  const auto uses = [&](const char* option) { return line.find(option) != std::string::npos; };
  const bool trains = says("parameter.training") == "1" || uses("--train");
  std::vector<Change> changes;
  if (says("precision") == "fp32")
    changes.push_back({QObject::tr("Half precision"),
                       QObject::tr("Values take two bytes, and the units do more work a cycle"),
                       {"--precision", "fp16"}});
  if (says("precision") == "fp16")
    changes.push_back({QObject::tr("Single precision"),
                       QObject::tr("What half precision saved, shown by its absence"),
                       {"--precision", "fp32"}});
  if (trains && !uses("--recompute"))
    changes.push_back({QObject::tr("Recompute activations"),
                       QObject::tr("They are computed again for the backward pass instead of kept"),
                       {"--recompute", "standard"}});
  if (session.machine().ipus == 1 && !uses("--pipeline"))
    changes.push_back(
        {QObject::tr("Two pipeline stages"), QObject::tr("Each on an IPU of its own"), {"--pipeline", "2", "--ipus", "2"}});
  if (!uses("--available-memory"))
    changes.push_back({QObject::tr("Available memory 0.3"),
                       QObject::tr("Products and convolutions take half of the temporary memory"),
                       {"--available-memory", "0.3"}});
  if (trains && !uses("--offload"))
    changes.push_back({QObject::tr("Offload the optimiser's state"),
                       QObject::tr("It stays in streaming memory and comes for the update"),
                       {"--offload", "optimiser"}});
  if (!uses("--io-tiles"))
    changes.push_back(
        {QObject::tr("32 I/O tiles"), QObject::tr("Transfers with the host run beside the work"), {"--io-tiles", "32"}});
  return changes;
}

TryButton::TryButton(const theme::Theme& theme, ViewState& state, View& view) : m_theme(theme), m_state(state), m_view(view) {
  setText(tr("Try"));
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
  const bool again = m_session && !trialRequest(*m_session, {}).isEmpty();
  setEnabled(again);
  setToolTip(theme::tipText(again ? tr("Run this report's graph again with one change, and compare")
                                  : tr("The report does not say with which command it was made")));
  if (!again) return;
  for (const Change& change : changesFor(*m_session)) {
    QAction* action = menu()->addAction(change.title, this, [this, change] {
      m_state.requestRun(trialRequest(*m_session, change.options), QString::fromStdString(m_session->identity().path));
      emit m_view.viewRequested(QStringLiteral("run"));
    });
    action->setToolTip(theme::tipText(change.why + '\n' + change.options.join(' ')));
  }
  if (!menu()->isEmpty()) menu()->addSeparator();
  menu()->addAction(tr("Other settings…"), this, [this] { emit m_view.viewRequested(QStringLiteral("run")); });
}

} // namespace ui::shell
