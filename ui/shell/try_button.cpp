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

namespace {

// Samples that place their work themselves have parameters for it.
void addMappings(const analyser::Session& session, std::vector<Change>& changes) {
  const auto add = [&](const char* name, const QString& value, const QString& why) {
    changes.push_back({QObject::tr("Other tile mapping: %1 %2").arg(QString::fromLatin1(name), value),
                       why,
                       {"--set", QStringLiteral("%1=%2").arg(QString::fromLatin1(name), value)}});
  };
  const auto says = [&](const char* name) { return session.metadata(std::string("parameter.") + name); };
  if (const std::string blocks = says("blocks"); blocks == "rows" || blocks == "squares")
    add("blocks", blocks == "rows" ? "squares" : "rows", QObject::tr("Whole rows have two neighbours, squares less surface"));
  if (const std::string split = says("split"); !split.empty())
    add("split", split == "1" ? "0" : "1",
        split == "1" ? QObject::tr("The planner finds how many column segments are best")
                     : QObject::tr("Rows alone: no partial sums to exchange, fewer tiles share a row"));
  if (const std::string tiles = says("tiles"); !tiles.empty()) {
    const int64_t all = session.machine().tiles();
    const bool areAll = tiles == "0" || tiles == std::to_string(all);
    add("tiles", areAll ? QString::number(all / 2) : QStringLiteral("0"),
        areAll ? QObject::tr("On half of the tiles: less exchange, more work for each") : QObject::tr("On all tiles"));
  }
}

} // namespace

std::vector<Change> changesFor(const analyser::Session& session) {
  if (!canRunAgain(session)) return {};
  std::vector<Change> changes;
  addMappings(session, changes);
  if (!isOfModel(session)) return changes;
  const auto says = [&](const char* key) { return session.metadata(key); };
  const std::string line = says("command_line");
  const auto uses = [&](const char* option) { return line.find(option) != std::string::npos; };
  const bool trains = says("parameter.training") == "1" || uses("--train");
  if (says("precision") == "fp32")
    changes.push_back({QObject::tr("Half precision"),
                       QObject::tr("Values take two bytes, and the units do more work a cycle"),
                       {"--precision", "fp16"}});
  if (says("precision") == "fp16")
    changes.push_back({QObject::tr("Single precision"),
                       QObject::tr("What half precision saved, shown by its absence"),
                       {"--precision", "fp32"}});
  if (says("precision") == "fp8")
    changes.push_back({QObject::tr("Half precision"),
                       QObject::tr("What products in 8-bit floats saved, shown by its absence"),
                       {"--precision", "fp16"}});
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
  changes.push_back(uses("--linear-bytes")
                        ? Change{QObject::tr("Other tile mapping: spread wide"),
                                 QObject::tr("Tensors without a planner lie on as many tiles as there are"),
                                 {"--linear-bytes", "128"}}
                        : Change{QObject::tr("Other tile mapping: fewer, fuller tiles"),
                                 QObject::tr("A tile gets at least 1 KiB of a tensor without a planner: less exchange"),
                                 {"--linear-bytes", "1024"}});
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
  for (const Change& change : changesFor(*m_session)) {
    QAction* action = menu()->addAction(change.title, this, [this, change] {
      m_state.requestRun({RunOrder::Deed::Trial, {}, QString::fromStdString(m_session->identity().path), change.options});
      emit m_view.viewRequested(QStringLiteral("run"));
    });
    action->setToolTip(theme::tipText(change.why + '\n' + trialLine(*m_session, change.options)));
  }
  if (!menu()->isEmpty()) menu()->addSeparator();
  menu()->addAction(tr("Other settings…"), this, [this] { emit m_view.viewRequested(QStringLiteral("run")); });
}

} // namespace ui::shell
