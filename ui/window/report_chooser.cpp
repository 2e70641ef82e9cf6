#include "ui/window/report_chooser.h"

#include "analyser/session/session.h"
#include "ui/runs/remote_files.h"
#include "ui/state/settings.h"
#include "ui/theme/report_text.h"
#include "ui/window/drop_sheet.h"
#include "ui/window/message_bar.h"
#include "ui/window/open_reports.h"
#include "ui/window/remote_sheet.h"
#include "ui/window/trace_sheet.h"

#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>

namespace ui::shell {

namespace {
// The names of org.tilescope.Tilescope.mime.xml, and names too general for a MIME type.
const QString kFilter = QStringLiteral(
    "Reports and traces (*.tsr *.tsrec *.json *.json.gz *.json.zst *.speedscope *.cpuprofile *.perfetto-trace *.pftrace "
    "*.perfetto "
    "*.pvti *.pprof *.pb *.prof *.folded *.ftrace *.systrace .ninja_log *.txt *.gz *.zst);;Tilescope reports (*.tsr);;"
    "ONNX models (*.onnx);;All files (*)");
} // namespace

ReportChooser::ReportChooser(const theme::Theme& theme, jobs::JobBoard& jobs, Settings& settings, ViewState& state,
                             OpenReports& reports, MessageBar& message, QWidget* window)
    : QObject(window), m_settings(settings), m_state(state), m_reports(reports), m_message(message), m_window(window),
      m_remote(new RemoteSheet(theme, window)), m_traces(new TraceSheet(theme, jobs, window)),
      m_drop(new DropSheet(theme, window)) {
  connect(m_traces, &TraceSheet::chooseRequested, this, [this] { m_traces->addFiles(ask(tr("Choose traces to add"))); });
  connect(m_traces, &TraceSheet::made, this, [this](const QString& report) { m_reports.open({report}, QStringLiteral("host")); });
  connect(m_remote, &RemoteSheet::chosen, this, [this](const QString& file) { m_reports.open({file}); });
  connect(m_drop, &DropSheet::dropped, this, &ReportChooser::takeDrop);
}

void ReportChooser::nameOpen() {
  const auto& base = m_reports.sessions().base;
  m_drop->setOpen(base ? theme::reportText(base->identity().fileName) : QString());
}

QStringList ReportChooser::ask(const QString& title) {
  const QStringList& open = m_reports.files();
  const QString folder = open.isEmpty() ? QString() : QFileInfo(open.first()).absolutePath();
  return QFileDialog::getOpenFileNames(m_window, title, folder, kFilter);
}

void ReportChooser::open() {
  const QStringList files = ask(tr("Open a report, or up to %1 to compare").arg(kMostReports));
  if (files.size() > kMostReports)
    m_message.say(tr("Choose one report to open, or up to %1 to compare.").arg(kMostReports), Tone::Warning);
  else
    m_reports.open(files);
}

// Starts in the folder of the first remote file among the open reports, then the recent ones.
void ReportChooser::openRemote() {
  QStringList known = m_reports.files();
  for (const auto& recent : m_settings.recent()) known += recent;
  const auto remote = std::find_if(known.begin(), known.end(), [](const QString& file) { return isRemoteFile(file); });
  m_remote->open(remote == known.end() ? QString() : remoteParent(*remote));
}

void ReportChooser::follow() {
  const QStringList& open = m_reports.files();
  const QString file = QFileDialog::getOpenFileName(m_window, tr("Choose the trace that a program writes"),
                                                    open.isEmpty() ? QString() : QFileInfo(open.first()).absolutePath(), kFilter);
  if (!file.isEmpty()) emit followRequested(file);
}

void ReportChooser::addTracesToShown() { addTraces(m_reports.shown() == m_reports.sessions().base ? 0 : 1); }

void ReportChooser::addTraces(int report) {
  const SessionPointer session = report == 0 ? m_reports.sessions().base : m_reports.sessions().other;
  if (!session) return;
  const QString file = m_reports.files().value(report);
  const bool hasDevice = session->machine().tiles() > 0;
  // The open file of a trace differs from the path of its imported report.
  if (hasDevice || file != QString::fromStdString(session->identity().path)) return m_traces->open(file, hasDevice);
  m_message.say(tr("%1 is the report of a trace. Open the trace itself to add others.").arg(QFileInfo(file).fileName()),
                Tone::Neutral);
}

void ReportChooser::compare() {
  const QStringList before = m_reports.files(); // another report may be opened while the dialog is open
  const QStringList chosen =
      ask(before.isEmpty() ? tr("Choose reports to compare") : tr("Compare %1 with").arg(QFileInfo(before.first()).fileName()));
  if (chosen.isEmpty()) return;
  const QStringList files = before + chosen;
  if (files.size() < 2 || files.size() > kMostReports)
    m_message.say(tr("Two to %1 reports are compared at a time.").arg(kMostReports), Tone::Warning);
  else if (before.size() > 1 && before == m_reports.files())
    m_reports.change(files); // adds a report to the comparison
  else
    m_reports.open(files);
}

void ReportChooser::close(int report) {
  if (!m_reports.sessions().base) return;
  if (m_reports.sessions().other) {
    QStringList rest = m_reports.files();
    rest.removeAt(report);
    return m_reports.change(rest);
  }
  m_reports.close();
  if (!m_reports.sessions().base) emit closed();
}

void ReportChooser::closeTab(int tab) {
  m_reports.closeTab(tab);
  if (!m_reports.sessions().base) emit closed();
}

void ReportChooser::exchange(int one, int other) {
  QStringList files = m_reports.files();
  if (other <= one || other >= files.size()) return;
  files.swapItemsAt(one, other);
  m_reports.open(files);
}

void ReportChooser::runAgain(int report) {
  if (report >= m_reports.files().size()) return;
  const auto& session = report == 0 ? m_reports.sessions().base : m_reports.sessions().other;
  if (!session) return;
  m_state.messages().send(FillSettings{QString::fromStdString(session->identity().path)});
  emit viewRequested(QStringLiteral("run"));
}

void ReportChooser::takeDrop(const DropPlan& plan) {
  const QStringList& open = m_reports.files();
  switch (plan.deed) {
  case DropDeed::AddTraces:
    addTracesToShown();
    if (m_traces->isVisible()) m_traces->addFiles(plan.files);
    return;
  case DropDeed::Compare:
    if (plan.files.size() == 1 && open.size() < kMostReports)
      return open.size() > 1 ? m_reports.change(open + plan.files) : m_reports.open(open + plan.files);
    [[fallthrough]];
  case DropDeed::Open:
  case DropDeed::Run: return m_reports.open(plan.files);
  case DropDeed::Nothing: break;
  }
  m_message.say(tr("%1 files at once are too many: drop one report, up to %2 to compare, or one ONNX model.")
                    .arg(plan.files.size())
                    .arg(kMostReports),
                Tone::Warning);
}

} // namespace ui::shell
