#include "ui/window/open_reports.h"

#include "analyser/session/session.h"
#include "ui/runs/remote_files.h"
#include "ui/runs/trace_import.h"
#include "ui/window/drop_sheet.h"

#include <QFileInfo>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ui::shell {

namespace {

constexpr int kFurtherReserve = 2; // only Compare reads them

ReportSessions openAll(const QStringList& files, bool reload, std::stop_token stop, reports::Progress& progress) {
  const auto openOne = [&](const QString& name) {
    const QString file = localCopy(name, reload, stop, progress);
    const QString report = isTraceFile(file) ? importTrace(file, stop, progress) : file;
    return analyser::Session::open(report.toStdString(), stop, progress);
  };
  ReportSessions sessions;
  sessions.base = openOne(files[0]);
  if (files.size() > 1) sessions.other = openOne(files[1]);
  for (qsizetype i = 2; i < files.size(); ++i) sessions.further.push_back(openOne(files[i]));
  for (const SessionPointer& session : {sessions.base, sessions.other})
    if (session) session->keepReserve(kReserve);
  for (const SessionPointer& session : sessions.further) session->keepReserve(kFurtherReserve);
  return sessions;
}

} // namespace

OpenReports::OpenReports(ViewState& state, jobs::JobBoard& jobs) : m_state(state), m_open(tr("Opening"), &jobs) {
  connect(&m_open, &jobs::JobBase::cancelled, this, &OpenReports::cancelled);
  connect(&m_watch, &FileWatch::changed, this, &OpenReports::changedOnDisk);
  connect(&m_watch, &FileWatch::removed, this, &OpenReports::deletedOnDisk);
}

SessionPointer OpenReports::shown() const {
  return m_sessions.other && m_state.shown() == Shown::Other ? m_sessions.other : m_sessions.base;
}

void OpenReports::open(const QStringList& files, const QString& view, const std::optional<Journey>& journey, bool reload) {
  if (files.isEmpty() || files.size() > kMostReports) return;
  if (planDrop(files).deed == DropDeed::Run) {
    m_state.messages().send(FillModel{QFileInfo(files.first()).absoluteFilePath()});
    return emit viewRequested(QStringLiteral("run"));
  }
  QStringList absolute;
  for (const QString& file : files) absolute.append(wholeName(file));
  m_open.setTitle(tr("Opening %1").arg(QFileInfo(files.first()).fileName()));
  m_open.start(
      [absolute, reload](std::stop_token stop, reports::Progress& progress) { return openAll(absolute, reload, stop, progress); },
      [this, absolute, journey, view](const ReportSessions& sessions) {
        take({sessions, absolute, journey});
        if (!view.isEmpty()) emit viewRequested(view);
        emit finished(true);
      },
      [this, absolute](const reports::Error& error) {
        emit failed(error, absolute);
        emit finished(false);
      });
}

void OpenReports::reload() {
  if (!m_files.isEmpty()) open(m_files, {}, {}, true);
}

void OpenReports::take(ReportChange change) {
  const QStringList& files = change.files;
  change.isSame = files == m_files;
  change.isExchanged = files.size() > 1 && std::is_permutation(files.begin(), files.end(), m_files.begin(), m_files.end());
  change.pairing = pairingFor(files);
  if (!files.isEmpty()) qInfo("opened %s", qPrintable(files.join(QStringLiteral(", "))));
  for (const Step& step : m_steps.leave) step(change);
  m_sessions = change.sessions, m_files = files;
  m_open.forget();
  m_isTaking = true;
  for (const Step& step : m_steps.take) step(change);
  m_isTaking = false;
  for (const Step& step : m_steps.show) step(change);
}

// The pairs made by hand, if these files are the same two reports, also when they are swapped; else none.
analyser::compare::PairingRules OpenReports::pairingFor(const QStringList& files) const {
  if (files.size() < 2 || m_files.size() < 2) return {};
  const analyser::compare::PairingRules& now = m_state.notes().pairing();
  if (files[0] == m_files[0] && files[1] == m_files[1]) return now;
  if (files[0] == m_files[1] && files[1] == m_files[0]) return analyser::compare::mirrored(now);
  return {};
}

void OpenReports::watch() {
  QStringList local; // remote files are not watched; Reload fetches them
  std::copy_if(m_files.begin(), m_files.end(), std::back_inserter(local),
               [](const QString& file) { return !isRemoteFile(file); });
  m_watch.setFiles(m_files == m_followed ? QStringList() : local); // states of a followed trace are not watched
  for (const SessionPointer& session : {m_sessions.base, m_sessions.other})
    if (session && session->isReplaced()) emit changedOnDisk(QString::fromStdString(session->identity().path));
}

void OpenReports::follow(const QString& file, TraceFollower::StateOf stateOf) {
  m_follower = std::make_unique<TraceFollower>(QFileInfo(file).absoluteFilePath(), std::move(stateOf));
  connect(m_follower.get(), &TraceFollower::grown, this, &OpenReports::takeGrown);
  connect(m_follower.get(), &TraceFollower::failed, this, &OpenReports::followFailed);
  connect(m_follower.get(), &TraceFollower::missed, this, &OpenReports::followMissed);
  m_follower->start();
}

// The first state is opened like any report; a later state replaces it while the view keeps its last plot.
void OpenReports::takeGrown(const SessionPointer& session) {
  const QString report = QString::fromStdString(session->identity().path);
  if (!m_sessions.base || m_followed != m_files) {
    m_followed = {report};
    take({{session, nullptr, {}}, m_followed});
    return emit finished(true);
  }
  m_sessions.base = session, m_files = m_followed = {report};
  for (const Step& step : m_steps.grow) step({m_sessions, m_files});
}

} // namespace ui::shell
