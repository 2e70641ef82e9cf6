#include "ui/window/memory_warning.h"

#include "analyser/session/session.h"
#include "ui/theme/report_text.h"
#include "ui/window/message_bar.h"
#include "ui/window/open_reports.h"
#include "ui/window/view_stack.h"

namespace ui::shell {

namespace {
// Pixels of a window with space for the warning and the first rows of Summary and Memory: 1024x600 and 1080p at 200 % are too low.
constexpr int kLeastHeight = 640;
} // namespace

MemoryWarning::MemoryWarning(const ViewState& state, const OpenReports& reports, const ViewStack& views, MessageBar& message)
    : m_state(state), m_reports(reports), m_views(views), m_message(message) {
  connect(&message, &MessageBar::dismissed, this, [this] { m_isDismissed = m_isDismissed || m_message.text() == text(); });
  connect(&message, &MessageBar::shownChanged, this, [this](bool shown) { // another message covered the warning
    if (!shown && m_message.text() != text()) update();
  });
}

void MemoryWarning::begin(bool isSame) {
  m_isDismissed = m_isDismissed && isSame;
  update();
}

bool MemoryWarning::isSaidByView() const {
  const QString& view = m_views.shownId();
  return view == QLatin1String("compare") ||
         (m_state.shown() == Shown::Base &&
          (view == QLatin1String("summary") || view == QLatin1String("insights") || view == QLatin1String("memory")));
}

void MemoryWarning::update() {
  const SessionPointer& base = m_reports.sessions().base;
  const bool isNeeded =
      base && base->identity().outOfMemory && !m_isDismissed && m_message.window()->height() >= kLeastHeight && !isSaidByView();
  if (m_message.text() == text())
    m_message.setVisible(isNeeded);
  else if (isNeeded && m_message.isHidden())
    m_message.say(text(), Tone::Warning, tr("Show the fullest tile"), [this] { emit fullestRequested(); });
}

QString MemoryWarning::text() const {
  const auto& [base, other, further] = m_reports.sessions();
  if (other && base)
    return tr("Out of memory: A, %1, does not fit the machine. Memory shows which tiles, and what fills them.")
        .arg(theme::reportText(base->identity().fileName));
  return tr("Out of memory: this program does not fit the machine. Memory shows which tiles, and what fills them.");
}

} // namespace ui::shell
