// The reports of the window: opening, choosing, swapping and closing them, and which of two the views show.
#include "analyser/session/session.h"
#include "ui/shell/drop_sheet.h"
#include "ui/shell/file_watch.h"
#include "ui/shell/finder.h"
#include "ui/shell/link_navigator.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_bar.h"
#include "ui/shell/nav_rail.h"
#include "ui/shell/remote_files.h"
#include "ui/shell/remote_sheet.h"
#include "ui/shell/report_text.h"
#include "ui/shell/settings.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/trace_import.h"

#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ui::shell {

namespace {

// "GC200, 1 IPU, 1 472 tiles"
QString machineText(const analyser::Machine& machine) {
  if (machine.tiles() == 0) return QObject::tr("host trace");
  const std::string& name = machine.title.empty() ? machine.name : machine.title;
  return QStringLiteral("%1, %2, %3")
      .arg(reportText(name), theme::plural(machine.ipus, QObject::tr("IPU"), QObject::tr("IPUs")),
           theme::plural(machine.tiles(), QObject::tr("tile"), QObject::tr("tiles")));
}

constexpr int kFurtherReserve = 2; // only Compare reads them

const QString kFilter = QStringLiteral(
    "Reports and traces (*.tsr *.json *.json.gz *.json.zst *.gz *.zst *.perfetto-trace *.pftrace *.pvti *.tsrec *.folded "
    "*.txt);;Tilescope reports (*.tsr);;All files (*)");

} // namespace

void MainWindow::openReports(const QStringList& files, const QString& view) { open(files, {}, view); }

void MainWindow::open(const QStringList& files, const std::optional<Journey>& journey, const QString& view, bool reload) {
  if (files.isEmpty() || files.size() > kMostReports) return;
  if (planDrop(files).deed == DropDeed::Run) {
    m_state.messages().send(FillModel{QFileInfo(files.first()).absoluteFilePath()});
    return showView(QStringLiteral("run"));
  }
  QStringList absolute;
  for (const QString& file : files) absolute.append(wholeName(file));
  m_open.setTitle(tr("Opening %1").arg(QFileInfo(files.first()).fileName()));
  m_open.start(
      [absolute, reload](std::stop_token stop, reports::Progress& progress) {
        const auto openOne = [&](const QString& name) {
          const QString file = localCopy(name, reload, stop, progress);
          const QString report = isTraceFile(file) ? importTrace(file, stop, progress) : file;
          return analyser::Session::open(report.toStdString(), stop, progress);
        };
        Sessions sessions;
        sessions.base = openOne(absolute[0]);
        if (absolute.size() > 1) sessions.other = openOne(absolute[1]);
        for (qsizetype i = 2; i < absolute.size(); ++i) sessions.further.push_back(openOne(absolute[i]));
        for (const SessionPointer& session : {sessions.base, sessions.other})
          if (session) session->keepReserve(kReserve);
        for (const SessionPointer& session : sessions.further) session->keepReserve(kFurtherReserve);
        return sessions;
      },
      [this, absolute, journey, view](const Sessions& sessions) {
        adopt(sessions, absolute, journey);
        if (!view.isEmpty()) showView(view);
        emit openFinished(true);
      },
      [this, absolute](const reports::Error& error) {
        const bool listed = m_settings.recent().contains(absolute);
        m_message->say(error, listed ? tr("Remove from recent") : QString(),
                       [this, absolute] { m_settings.removeRecent(absolute); });
        emit openFinished(false);
      });
}

void MainWindow::follow(const QString& file, TraceFollower::StateOf stateOf) {
  m_follower = std::make_unique<TraceFollower>(QFileInfo(file).absoluteFilePath(), std::move(stateOf));
  connect(m_follower.get(), &TraceFollower::grown, this, &MainWindow::adoptGrown);
  connect(m_follower.get(), &TraceFollower::failed, this, [this](const reports::Error& error) { m_message->say(error); });
  connect(m_follower.get(), &TraceFollower::missed, this, [this](const QString& why) { m_message->say(why, Tone::Warning); });
  if (!QFileInfo::exists(file))
    m_message->say(tr("Waiting for %1 to be written.").arg(QFileInfo(file).fileName()), Tone::Neutral);
  m_follower->start();
}

// The first state is opened as any report; a later one takes its place while the view keeps its last picture.
void MainWindow::adoptGrown(const SessionPointer& session) {
  const QString report = QString::fromStdString(session->identity().path);
  if (!m_sessions.base || m_followed != m_files) {
    adopt({session, nullptr, {}}, m_followed = {report});
    emit openFinished(true);
    return;
  }
  m_sessions.base = session, m_files = m_followed = {report};
  m_findings.forget(); // ids are those of the state before
  m_message->hide();
  m_finder->setSession(session);
  m_links->setReports(m_files, &session->machine());
  updateChips();
  for (const auto& [made, view] : m_made) {
    m_stale.insert(made);
    if (view != currentView() && entryOf(made.first)->needs != Needs::Nothing) view->setSessions(nullptr, nullptr);
  }
  if (View* view = currentView(); view && entryOf(m_shown)->needs == Needs::Report) {
    m_stale.erase({m_shown, false});
    view->setSessions(session, nullptr);
    readFindings(*entryOf(m_shown));
  }
}

analyser::compare::PairingRules MainWindow::pairingFor(const QStringList& files) const {
  if (files.size() < 2 || m_files.size() < 2) return {};
  if (files[0] == m_files[0] && files[1] == m_files[1]) return m_state.notes().pairing();
  if (files[0] == m_files[1] && files[1] == m_files[0]) return analyser::compare::mirrored(m_state.notes().pairing());
  return {};
}

// Keeps the place that a link leads away from; Back takes the last one. Another report ends the way back.
void MainWindow::keepLeft(const std::optional<Journey>& journey) {
  if (!journey) return m_left.clear();
  if (journey->isBack && !m_left.empty()) m_left.pop_back();
  if (!journey->isBack && !m_files.isEmpty()) m_left.push_back(m_links->here());
  constexpr std::size_t kMostLeft = 50;
  if (m_left.size() > kMostLeft) m_left.erase(m_left.begin());
}

void MainWindow::adopt(const Sessions& sessions, const QStringList& files, const std::optional<Journey>& journey) {
  const bool same = files == m_files;
  if (!same) m_bookmarks->hide(); // its list is of the report before
  const bool exchanged = files.size() > 1 && std::is_permutation(files.begin(), files.end(), m_files.begin(), m_files.end());
  auto pairing = pairingFor(files);
  if (!files.isEmpty()) qInfo("opened %s", qPrintable(files.join(QStringLiteral(", "))));
  m_links->remember();
  if (!same) keepLeft(journey);
  m_links->setView(nullptr); // its controls are of the reports before
  m_sessions = sessions, m_files = files;
  m_findings.forget();
  m_links->setReports(files, sessions.base ? &sessions.base->machine() : nullptr);
  m_settings.setSession(files);
  if (!files.isEmpty())
    for (const QString& process : std::exchange(m_offered, {})) m_settings.forgetSession(process);
  emit reportsChanged(files);
  m_open.forget();
  m_message->hide();
  QStringList local; // changes of remote files are not watched; Reload asks for them
  std::copy_if(files.begin(), files.end(), std::back_inserter(local), [](const QString& file) { return !isRemoteFile(file); });
  m_watch->setFiles(files == m_followed ? QStringList() : local); // states of a followed trace are left behind
  for (const SessionPointer& session : {sessions.base, sessions.other})
    if (session && session->isReplaced()) emit m_watch->changed(QString::fromStdString(session->identity().path));
  if (!files.isEmpty()) m_settings.addRecent(files);
  // No view keeps the report before, also none that is out of sight: it would answer for it until it is shown again.
  for (const auto& [made, view] : m_made) {
    if (entryOf(made.first)->needs == Needs::Nothing) continue;
    view->setFurther({});
    view->setSessions(nullptr, nullptr);
    if (!same) view->forgetReport();
  }
  // Two reports are open for what is different between them.
  if (!same) {
    m_adopting = true; // views are shown below, when all is in place
    m_state.reset(sessions.other ? Shown::Difference : Shown::Base, std::move(pairing));
    m_adopting = false;
  }
  markBookmarks();
  m_finder->setSession(shownSession());
  setFigures(shownSession());
  updateChips();
  m_rail->setOpen(bool(m_sessions.base), bool(m_sessions.other));
  for (const auto& [made, view] : m_made) m_stale.insert(made);
  m_isWarningDismissed = m_isWarningDismissed && same;
  warnOfMemory();
  std::optional<ViewLink> link = journey ? std::optional(journey->link) : std::nullopt;
  if (!link && !same && sessions.base && m_settings.remembersPlaces()) link = m_links->remembered();
  if (link && entryOf(link->place.view) && meets(*entryOf(link->place.view))) {
    m_links->follow(*link);
    if (journey) m_state.startHere();
    return present(m_state.view());
  }
  const ViewEntry* shown = entryOf(m_shown);
  // A trace without a machine has nothing to sum up.
  const bool isTrace = sessions.base && sessions.base->machine().tiles() == 0;
  const bool areTraces = isTrace && sessions.other && sessions.other->machine().tiles() == 0;
  const QString first = areTraces        ? QStringLiteral("host")
                        : sessions.other ? QStringLiteral("compare")
                        : isTrace        ? QStringLiteral("host")
                                         : QStringLiteral("summary");
  // Reloading and swapping stay where they are; a new report begins at its answer.
  if (sessions.base && !exchanged && !same && shown && (shown->section != Section::Report || sessions.other) && entryOf(first))
    m_shown.clear(), showView(first);
  else
    present(m_shown);
}

void MainWindow::setFigures(const SessionPointer& shown) {
  const auto provenanceOf = [](const SessionPointer& session) {
    return session ? session->identity().provenance : std::string();
  };
  const bool differ =
      m_sessions.other && provenanceOf(m_sessions.base) != provenanceOf(m_sessions.other); // one table may show both
  m_state.setFigures(shown ? double(shown->machine().clockHz) : 0, differ ? QString() : reportText(provenanceOf(shown)));
}

void MainWindow::updateChips() {
  QList<ChipText> chips;
  std::vector<SessionPointer> all{m_sessions.base, m_sessions.other};
  all.insert(all.end(), m_sessions.further.begin(), m_sessions.further.end());
  for (const SessionPointer& session : all) {
    if (!session) continue;
    const analyser::ReportIdentity& identity = session->identity();
    chips.append({reportText(identity.fileName), machineText(session->machine()), reportText(identity.provenance),
                  m_state.format().bytes(identity.fileSize), QString::fromStdString(identity.path)});
  }
  m_top->setReports(chips);
  m_drop->setOpen(chips.isEmpty() ? QString() : chips.first().name);
  m_top->setUnits(m_state.format().units(), m_state.format().clockHz() > 0);
  QStringList names;
  for (const ChipText& chip : chips) names.append(chip.name);
  names.removeAll(QString());
  setWindowTitle(names.isEmpty() ? QStringLiteral("Tilescope")
                                 : names.join(QStringLiteral(" ↔ ")) + QStringLiteral(" – Tilescope"));
}

SessionPointer MainWindow::shownSession() const {
  return m_sessions.other && m_state.shown() == Shown::Other ? m_sessions.other : m_sessions.base;
}

// Views of one report get the other one when they are shown again; views of the difference keep both.
void MainWindow::changeShown(Shown) {
  m_findings.forget(); // those that are being read are of the other report
  if (m_adopting) return;
  const SessionPointer shown = shownSession();
  for (const auto& [made, view] : m_made) {
    if (made.second || entryOf(made.first)->needs != Needs::Report) continue;
    view->setSessions(nullptr, nullptr);
    m_stale.insert(made);
  }
  setFigures(shown);
  m_finder->setSession(shown);
  present(m_shown);
}

void MainWindow::updateShown() {
  const ViewEntry* entry = entryOf(m_shown);
  const bool has = entry && (entry->difference || entry->needs == Needs::Comparison);
  const bool reads = entry && entry->needs == Needs::Report;
  const Shown shown = reads && !has && m_state.shown() == Shown::Difference ? Shown::Base : m_state.shown();
  m_top->setShown(shown, has || !reads ? QString() : tr("%1 shows one report at a time").arg(entry->title));
}

// Warns in views that do not say it themselves, where there is room. A dismissed warning stays away.
void MainWindow::warnOfMemory() {
  const bool isNeeded = m_sessions.base && m_sessions.base->identity().outOfMemory && !m_isWarningDismissed && !isLow();
  const bool isOfBase = m_state.shown() == Shown::Base;
  const bool isSaid = m_shown == QLatin1String("compare") ||
                      (isOfBase && (m_shown == QLatin1String("summary") || m_shown == QLatin1String("insights") ||
                                    m_shown == QLatin1String("memory")));
  if (m_message->text() == outOfMemoryText()) {
    m_message->setVisible(isNeeded && !isSaid);
  } else if (isNeeded && !isSaid && m_message->isHidden()) {
    m_message->say(outOfMemoryText(), Tone::Warning, tr("Show the fullest tile"), [this] { showFullestTile(); });
  }
}

QString MainWindow::outOfMemoryText() const {
  if (m_sessions.other && m_sessions.base)
    return tr("Out of memory: A, %1, does not fit the machine. Memory shows which tiles, and what fills them.")
        .arg(reportText(m_sessions.base->identity().fileName));
  return tr("Out of memory: this program does not fit the machine. Memory shows which tiles, and what fills them.");
}

void MainWindow::chooseAndOpen() {
  const QString folder = m_files.isEmpty() ? QString() : QFileInfo(m_files.first()).absolutePath();
  const QStringList files =
      QFileDialog::getOpenFileNames(this, tr("Open a report, or up to %1 to compare").arg(kMostReports), folder, kFilter);
  if (files.size() > kMostReports)
    m_message->say(tr("Choose one report to open, or up to %1 to compare.").arg(kMostReports), Tone::Warning);
  else
    openReports(files);
}

// At the folder of what is open, or of the last file from another computer.
void MainWindow::chooseRemote() {
  QStringList known = m_files;
  for (const auto& recent : m_settings.recent()) known += recent;
  const auto remote = std::find_if(known.begin(), known.end(), [](const QString& file) { return isRemoteFile(file); });
  m_remote->open(remote == known.end() ? QString() : remoteParent(*remote));
}

void MainWindow::chooseAndCompare() {
  const QString folder = m_files.isEmpty() ? QString() : QFileInfo(m_files.first()).absolutePath();
  const QString title =
      m_files.isEmpty() ? tr("Choose reports to compare") : tr("Compare %1 with").arg(QFileInfo(m_files.first()).fileName());
  const QStringList before = m_files; // another may be opened while the dialog asks
  const QStringList chosen = QFileDialog::getOpenFileNames(this, title, folder, kFilter);
  if (chosen.isEmpty()) return;
  const QStringList files = before + chosen;
  if (files.size() < 2 || files.size() > kMostReports)
    m_message->say(tr("Two to %1 reports are compared at a time.").arg(kMostReports), Tone::Warning);
  else
    openReports(files);
}

void MainWindow::closeReport(int which) {
  if (!m_sessions.base) return;
  if (m_sessions.other) {
    QStringList rest = m_files;
    rest.removeAt(which);
    return openReports(rest);
  }
  adopt({}, {});
  showView(m_views.front().id);
}

void MainWindow::swapReports() {
  if (!m_sessions.other) return;
  QStringList files = m_files;
  files.swapItemsAt(0, 1);
  openReports(files);
}

void MainWindow::runAgain(int report) {
  if (report >= m_files.size() || !hasView(QStringLiteral("run"))) return;
  const SessionPointer& session = report == 0 ? m_sessions.base : m_sessions.other;
  if (!session) return;
  m_state.messages().send(FillSettings{QString::fromStdString(session->identity().path)});
  showView(QStringLiteral("run"));
}

void MainWindow::makeOther(int report) {
  if (report < 2 || report >= m_files.size()) return;
  QStringList files = m_files;
  files.swapItemsAt(1, report);
  openReports(files);
}

void MainWindow::takeDrop(const DropPlan& plan, bool besideOpen) {
  switch (plan.deed) {
  case DropDeed::Open:
    if (besideOpen && !m_files.isEmpty() && m_files.size() < kMostReports) return openReports(m_files + plan.files);
    [[fallthrough]];
  case DropDeed::Run:
  case DropDeed::Compare: return openReports(plan.files);
  case DropDeed::Nothing: break;
  }
  m_message->say(tr("%1 files at once are too many: drop one report, up to %2 to compare, or one ONNX model.")
                     .arg(plan.files.size())
                     .arg(kMostReports),
                 Tone::Warning);
}

void MainWindow::offerSession(const QString& before) {
  if (m_sessions.base) return;
  std::vector<QStringList> windows;
  QStringList names;
  m_offered.clear();
  for (Settings::Session& session : m_settings.endedSessions()) {
    m_offered << session.process;
    session.files.removeIf([](const QString& file) { return !isRemoteFile(file) && !QFileInfo::exists(file); });
    if (session.files.isEmpty() || std::find(windows.begin(), windows.end(), session.files) != windows.end()) continue;
    QStringList files;
    for (const QString& file : session.files) files << QFileInfo(file).fileName();
    names << files.join(QStringLiteral(" ↔ "));
    windows.push_back(session.files);
  }
  if (windows.empty()) {
    if (!before.isEmpty()) m_message->say(before, Tone::Warning);
    return;
  }
  const QString wasOpen = windows.size() == 1
                              ? tr("%1 was open when the last window ended.").arg(names.front())
                              : tr("%1 were open in %2 windows when they ended.").arg(names.join(tr(", "))).arg(windows.size());
  m_message->say(before.isEmpty() ? wasOpen : before + u' ' + wasOpen, before.isEmpty() ? Tone::Neutral : Tone::Warning,
                 tr("Open again"), [this, windows] {
                   openReports(windows.front());
                   for (std::size_t i = 1; i < windows.size(); ++i) emit newWindowRequested(windows[i]);
                 });
}

} // namespace ui::shell
