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

// `known`: sessions of files that are open already.
ReportSessions openAll(const QStringList& files, const std::map<QString, SessionPointer>& known, bool reload,
                       std::stop_token stop, reports::Progress& progress) {
  const auto openOne = [&](const QString& name) {
    if (const auto open = known.find(name); open != known.end()) return open->second;
    const QString file = localCopy(name, reload, stop, progress);
    const QString report = isTraceFile(file) ? importTrace(file, stop, progress) : file;
    noteUse(report);
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

std::vector<SessionPointer> ReportSessions::all() const {
  std::vector<SessionPointer> list;
  for (const SessionPointer& session : {base, other})
    if (session) list.push_back(session);
  list.insert(list.end(), further.begin(), further.end());
  return list;
}

SessionPointer OpenReports::shown() const {
  return sessions().other && m_state.shown() == Shown::Other ? sessions().other : sessions().base;
}

int OpenReports::tabOf(const QStringList& files) const {
  const auto at = std::find_if(m_tabs.begin(), m_tabs.end(), [&](const ReportTab& tab) { return tab.files == files; });
  return at == m_tabs.end() ? -1 : int(at - m_tabs.begin());
}

// Sessions of files that are open already, so that tabs share them. Traces and remote files are read again, because only a local
// report shows whether it was replaced.
std::map<QString, SessionPointer> OpenReports::known(const QStringList& files) const {
  std::map<QString, SessionPointer> sessions;
  for (const ReportTab& tab : m_tabs) {
    const auto all = tab.sessions.all();
    for (std::size_t i = 0; i < all.size() && qsizetype(i) < tab.files.size(); ++i) {
      const QString& file = tab.files[qsizetype(i)];
      if (files.contains(file) && !isRemoteFile(file) && file == QString::fromStdString(all[i]->identity().path) &&
          !all[i]->isReplaced())
        sessions.emplace(file, all[i]);
    }
  }
  return sessions;
}

void OpenReports::open(const QStringList& files, const QString& view, const std::optional<Journey>& journey, bool reload) {
  start(files, view, journey, reload, Where::OwnTab);
}

void OpenReports::change(const QStringList& files) { start(files, {}, {}, false, Where::Here); }

void OpenReports::start(const QStringList& files, const QString& view, const std::optional<Journey>& journey, bool reload,
                        Where where) {
  if (files.isEmpty() || files.size() > kMostReports) return;
  if (planDrop(files).deed == DropDeed::Run) {
    m_state.messages().send(FillModel{QFileInfo(files.first()).absoluteFilePath()});
    return emit viewRequested(QStringLiteral("run"));
  }
  // For a report and a model, the report opens and the model goes to Run, as on the command line.
  if (const auto [reports, models] = withoutModels(files); !reports.isEmpty() && models.size() == 1) {
    m_state.messages().send(FillModel{QFileInfo(models.first()).absoluteFilePath()});
    return start(reports, QStringLiteral("run"), journey, reload, where);
  }
  QStringList absolute;
  for (const QString& file : files) absolute.append(wholeName(file));
  // Reads the reports of the current tab again if they are opened again.
  const auto open = reload || absolute == this->files() ? std::map<QString, SessionPointer>() : known(absolute);
  m_open.setTitle(tr("Opening %1").arg(QFileInfo(files.first()).fileName()));
  m_open.start([absolute, open, reload](std::stop_token stop,
                                        reports::Progress& progress) { return openAll(absolute, open, reload, stop, progress); },
               [this, absolute, journey, view, where](const ReportSessions& sessions) {
                 take({sessions, absolute, journey}, where);
                 if (!view.isEmpty()) emit viewRequested(view);
                 emit finished(true);
                 restoreNext();
               },
               [this, absolute](const reports::Error& error) {
                 emit failed(error, absolute);
                 emit finished(false);
                 restoreNext();
               });
}

void OpenReports::reload() {
  if (!files().isEmpty()) open(files(), {}, {}, true);
}

void OpenReports::restore(QList<QStringList> tabs) {
  m_toRestore = std::move(tabs);
  std::reverse(m_toRestore.begin(), m_toRestore.end());
  restoreNext();
}

void OpenReports::restoreNext() {
  if (m_toRestore.isEmpty()) return;
  open(m_toRestore.takeLast());
}

void OpenReports::compareTabs(int tab, int with) {
  const int count = int(m_tabs.size());
  if (tab < 0 || with < 0 || tab >= count || with >= count || tab == with) return;
  open(m_tabs[std::size_t(tab)].files + m_tabs[std::size_t(with)].files);
}

void OpenReports::switchTo(int tab) {
  if (tab < 0 || tab >= int(m_tabs.size()) || tab == m_current) return;
  const ReportTab& next = m_tabs[std::size_t(tab)];
  hand({next.sessions, next.files}, tab);
}

void OpenReports::closeTab(int tab) {
  if (tab < 0 || tab >= int(m_tabs.size())) return;
  if (tab != m_current) {
    m_tabs.erase(m_tabs.begin() + tab);
    if (tab < m_current) --m_current;
    return emit tabsChanged();
  }
  const int beside = m_tabs.size() == 1 ? -1 : tab > 0 ? tab - 1 : 1;
  ReportChange change;
  if (beside >= 0) change = {m_tabs[std::size_t(beside)].sessions, m_tabs[std::size_t(beside)].files};
  for (const Step& step : m_steps.leave) step(change);
  m_tabs.erase(m_tabs.begin() + tab);
  m_current = -1; // the closed tab keeps nothing
  hand(change, beside > tab ? beside - 1 : beside, true);
}

// Puts opened reports into a tab: the tab that has them already; the current tab if only their order differs or if `where` says
// so; else a new tab beside the current one.
void OpenReports::take(ReportChange change, Where where) {
  change.isSame = change.files == files();
  change.isExchanged =
      files().size() > 1 && std::is_permutation(change.files.begin(), change.files.end(), files().begin(), files().end());
  const bool isHere = m_current >= 0 && (change.isSame || change.isExchanged || where == Where::Here);
  int tab = tabOf(change.files);
  if (isHere && tab >= 0 && tab != m_current) { // another tab has these reports already
    const int left = m_current;
    switchTo(tab);
    return closeTab(left);
  }
  if (isHere) tab = m_current;
  if (tab < 0) tab = m_current < 0 ? int(m_tabs.size()) : m_current + 1;
  hand(std::move(change), tab);
}

void OpenReports::keepCurrent() {
  if (m_current < 0) return;
  ReportTab& tab = m_tabs[std::size_t(m_current)];
  tab.pairing = m_state.notes().pairing(), tab.trail = m_state.trail();
}

// Makes `change` the content of a tab and the tab current. `tab` is an open tab, or the index at which a new one is inserted; -1:
// nothing is open.
void OpenReports::hand(ReportChange change, int tab, bool hasLeft) {
  const bool isOpen =
      tab >= 0 && tab < int(m_tabs.size()) && (tab == m_current || m_tabs[std::size_t(tab)].files == change.files);
  const bool isSwitch = isOpen && tab != m_current;
  change.pairing = isSwitch ? m_tabs[std::size_t(tab)].pairing : pairingFor(change.files, tab);
  if (!change.files.isEmpty()) qInfo("opened %s", qPrintable(change.files.join(QStringLiteral(", "))));
  if (!hasLeft)
    for (const Step& step : m_steps.leave) step(change);
  keepCurrent();
  if (tab >= 0) {
    if (!isOpen) m_tabs.insert(m_tabs.begin() + tab, ReportTab());
    ReportTab& next = m_tabs[std::size_t(tab)];
    next.files = change.files, next.sessions = change.sessions;
  }
  m_current = tab;
  m_open.forget();
  m_isTaking = true;
  for (const Step& step : m_steps.take) step(change);
  m_isTaking = false;
  for (const Step& step : m_steps.show) step(change);
  if (isSwitch && !change.journey) m_state.setTrail(m_tabs[std::size_t(tab)].trail);
  emit tabsChanged();
}

// The pairs made by hand, also if the two reports are swapped; none if the files are other reports.
analyser::compare::PairingRules OpenReports::pairingFor(const QStringList& files, int tab) const {
  const QStringList& before = this->files();
  if (tab != m_current || files.size() < 2 || before.size() < 2) return {};
  const analyser::compare::PairingRules& now = m_state.notes().pairing();
  if (files[0] == before[0] && files[1] == before[1]) return now;
  if (files[0] == before[1] && files[1] == before[0]) return analyser::compare::mirrored(now);
  return {};
}

void OpenReports::watch() {
  QStringList local; // remote files are not watched; Reload fetches them
  std::copy_if(files().begin(), files().end(), std::back_inserter(local),
               [](const QString& file) { return !isRemoteFile(file); });
  m_watch.setFiles(files() == m_followed ? QStringList() : local); // states of a followed trace are not watched
  for (const SessionPointer& session : {sessions().base, sessions().other})
    if (session && session->isReplaced()) emit changedOnDisk(QString::fromStdString(session->identity().path));
}

void OpenReports::follow(const QString& file, TraceFollower::StateOf stateOf) {
  m_followed.clear(); // the tab of an earlier trace keeps its last state
  m_follower = std::make_unique<TraceFollower>(QFileInfo(file).absoluteFilePath(), std::move(stateOf));
  connect(m_follower.get(), &TraceFollower::grown, this, &OpenReports::takeGrown);
  connect(m_follower.get(), &TraceFollower::failed, this, &OpenReports::followFailed);
  connect(m_follower.get(), &TraceFollower::missed, this, &OpenReports::followMissed);
  m_follower->start();
}

// Opens the first state of a followed trace like any report. In a tab that is not current, a later state replaces it at once; in
// the current tab, the views keep their last plots until they have read the new state.
void OpenReports::takeGrown(const SessionPointer& session) {
  const QStringList report{QString::fromStdString(session->identity().path)};
  const int tab = m_followed.isEmpty() ? -1 : tabOf(m_followed);
  m_followed = report;
  if (tab < 0) {
    take({{session, nullptr, {}}, report});
    return emit finished(true);
  }
  ReportTab& followed = m_tabs[std::size_t(tab)];
  followed.files = report, followed.sessions.base = session;
  if (tab != m_current) return;
  for (const Step& step : m_steps.grow) step({followed.sessions, report});
}

} // namespace ui::shell
