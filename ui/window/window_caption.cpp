#include "ui/window/window_caption.h"

#include "analyser/session/session.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/window/open_reports.h"
#include "ui/window/top_bar.h"

#include <QObject>

namespace ui::shell {

namespace {

// "GC200, 1 IPU, 1 472 tiles"
QString machineText(const analyser::Machine& machine) {
  if (machine.tiles() == 0) return QObject::tr("host trace");
  const std::string& name = machine.title.empty() ? machine.name : machine.title;
  return QStringLiteral("%1, %2, %3")
      .arg(theme::reportText(name), theme::plural(machine.ipus, QObject::tr("IPU"), QObject::tr("IPUs")),
           theme::plural(machine.tiles(), QObject::tr("tile"), QObject::tr("tiles")));
}

std::string provenanceOf(const SessionPointer& session) { return session ? session->identity().provenance : std::string(); }

} // namespace

WindowCaption::WindowCaption(ViewState& state, const OpenReports& reports, TopBar& top, QWidget& window)
    : m_state(state), m_reports(reports), m_top(top), m_window(window) {}

void WindowCaption::showFigures() {
  const auto& [base, other, further] = m_reports.sessions();
  const SessionPointer shown = m_reports.shown();
  const bool differ = other && provenanceOf(base) != provenanceOf(other); // one table may show both
  m_state.setFigures(shown ? double(shown->machine().clockHz) : 0, differ ? QString() : theme::reportText(provenanceOf(shown)));
}

void WindowCaption::showReports() {
  const auto& [base, other, further] = m_reports.sessions();
  std::vector<SessionPointer> all{base, other};
  all.insert(all.end(), further.begin(), further.end());
  QList<ChipText> chips;
  QStringList names;
  for (const SessionPointer& session : all) {
    if (!session) continue;
    const analyser::ReportIdentity& identity = session->identity();
    chips.append({theme::reportText(identity.fileName), machineText(session->machine()), theme::reportText(identity.provenance),
                  m_state.format().bytes(identity.fileSize), QString::fromStdString(identity.path)});
    if (!chips.last().name.isEmpty()) names.append(chips.last().name);
  }
  m_top.setReports(chips);
  m_top.setUnits(m_state.format().units(), m_state.format().clockHz() > 0);
  m_window.setWindowTitle(names.isEmpty() ? QStringLiteral("Tilescope")
                                          : names.join(QStringLiteral(" ↔ ")) + QStringLiteral(" – Tilescope"));
}

void WindowCaption::showShown(const ViewEntry& view) {
  const bool has = view.hasDifference() || view.needs == Needs::Comparison;
  const bool reads = view.needs == Needs::Report;
  const Shown shown = reads && !has && m_state.shown() == Shown::Difference ? Shown::Base : m_state.shown();
  m_top.setShown(shown, has || !reads ? QString() : tr("%1 shows one report at a time").arg(view.title));
}

} // namespace ui::shell
