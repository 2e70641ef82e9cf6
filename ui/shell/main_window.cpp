#include "ui/shell/main_window.h"

#include "analyser/session/session.h"
#include "ui/shell/bookmark_sheet.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/drop_sheet.h"
#include "ui/shell/file_watch.h"
#include "ui/shell/finder.h"
#include "ui/shell/help_sheet.h"
#include "ui/shell/link_navigator.h"
#include "ui/shell/message_bar.h"
#include "ui/shell/nav_rail.h"
#include "ui/shell/report_text.h"
#include "ui/shell/settings.h"
#include "ui/shell/state_page.h"
#include "ui/shell/status_line.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/trace_import.h"
#include "ui/theme/icons.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QScreen>
#include <QShortcut>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

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

// What a desktop puts around a window, which nobody knows before it is shown: the status line is not to lie below the screen.
constexpr QSize kFrame(16, 48);
constexpr int kNarrow = 1120; // pixels: below, the content needs the room of the rail
// Fits 1024x600, and 1920x1080 at 200 %, each with the panel of a desktop.
constexpr QSize kLeastSize(880, 480);
// Connections for what the views read on their workers, should the file be replaced before they do: more than all views open.
constexpr int kReserve = 16;
constexpr int kGeometryDelay = 500; // milliseconds after the last move before the place is remembered

const QString kFilter = QStringLiteral(
    "Reports and traces (*.tsr *.json *.json.gz *.json.zst *.gz *.zst *.perfetto-trace *.pftrace *.pvti *.tsrec *.folded "
    "*.txt);;Tilescope reports (*.tsr);;All files (*)");

} // namespace

MainWindow::MainWindow(theme::Theme& theme, Settings& settings, ViewList views)
    : m_theme(theme), m_settings(settings), m_views(std::move(views)), m_open(tr("Opening"), &m_jobs) {
  setWindowIcon(QIcon(QStringLiteral(":/icons/tilescope.svg")));
  setAcceptDrops(true);
  setMinimumSize(kLeastSize);
  m_state.setUnits(settings.units());
  buildLayout();
  buildActions();
  if (!restoreGeometry(settings.geometry())) resize(QSize(1440, 900).boundedTo(screen()->availableSize() - kFrame));
  m_rail->setFolded(settings.railFolded());
  updateChips();
  if (!m_views.empty()) showView(m_views.front().id);
  m_stack->setFocus(); // not on the first rail item: nothing is chosen yet
}

MainWindow::~MainWindow() = default;

void MainWindow::buildLayout() {
  auto* central = new QWidget;
  auto* columns = new QHBoxLayout(central);
  columns->setContentsMargins(0, 0, 0, 0);
  columns->setSpacing(0);
  columns->addWidget(m_rail = new NavRail(m_theme, m_views));
  auto* column = new QVBoxLayout;
  column->setSpacing(0);
  column->addWidget(m_top = new TopBar(m_theme));
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(theme::kMargin, 0, theme::kMargin, 0);
  bar->addWidget(m_message = new MessageBar(m_theme));
  // A layout keeps its margins when all it holds is hidden.
  connect(m_message, &MessageBar::shownChanged, this,
          [bar](bool shown) { bar->setContentsMargins(theme::kMargin, shown ? theme::kGrid : 0, theme::kMargin, 0); });
  column->addLayout(bar);
  column->addWidget(m_stack = new QStackedWidget, 1);
  column->addWidget(m_status = new StatusLine(m_theme, m_jobs));
  columns->addLayout(column, 1);
  setCentralWidget(central);
  m_stack->setFocusPolicy(Qt::ClickFocus);
  m_stack->addWidget(m_unmet = new StatePage(m_theme));
  m_palette = new CommandPalette(m_theme, this);
  m_help = new HelpSheet(m_theme, this);
  m_bookmarks = new BookmarkSheet(m_theme, this);
  m_drop = new DropSheet(m_theme, this);
  m_watch = new FileWatch(this);
  m_finder = new Finder(m_state, m_jobs, this);
  m_links = new LinkNavigator(m_state, m_settings, this);
  m_geometry = new QTimer(this);
  m_geometry->setSingleShot(true);
  m_geometry->setInterval(kGeometryDelay);
  connect(m_geometry, &QTimer::timeout, this, &MainWindow::keep);
  connect(&m_state, &ViewState::historyChanged, m_geometry, qOverload<>(&QTimer::start));
}

void MainWindow::buildActions() {
  connect(m_rail, &NavRail::chosen, &m_state, &ViewState::setView);
  connect(m_rail, &NavRail::foldedChanged, this, [this](bool folded) {
    if (!m_narrow) m_settings.setRailFolded(folded); // a narrow window folds it by itself
  });
  connect(&m_state, &ViewState::viewChanged, this, &MainWindow::present);
  connect(m_top, &TopBar::unitsChosen, &m_state, &ViewState::setUnits);
  connect(&m_state, &ViewState::formatChanged, this, [this] {
    m_settings.setUnits(m_state.format().units());
    updateChips();
    updateSelection();
  });
  connect(m_top, &TopBar::themeToggled, this, &MainWindow::toggleTheme);
  connect(m_top, &TopBar::openRequested, this, &MainWindow::chooseAndOpen);
  connect(m_top, &TopBar::shownChosen, &m_state, &ViewState::setShown);
  connect(&m_state, &ViewState::shownChanged, this, &MainWindow::changeShown);
  connect(m_top, &TopBar::compareRequested, this, &MainWindow::chooseAndCompare);
  connect(m_top, &TopBar::reloadRequested, this, &MainWindow::reload);
  connect(m_top, &TopBar::closeRequested, this, &MainWindow::closeReport);
  connect(m_top, &TopBar::swapRequested, this, &MainWindow::swapReports);
  connect(m_top, &TopBar::helpRequested, this, &MainWindow::showManual);
  connect(m_top, &TopBar::linkRequested, this, &MainWindow::copyLink);
  connectBookmarks();
  connect(m_top, &TopBar::searchRequested, this, &MainWindow::showPalette);
  connect(m_finder, &Finder::viewRequested, this, &MainWindow::showView);
  connect(m_finder, &Finder::changed, this, [this] { m_palette->setReading(m_finder->isReading()); });
  connect(m_drop, &DropSheet::dropped, this, &MainWindow::takeDrop);
  connect(m_watch, &FileWatch::changed, this, [this](const QString& file) {
    m_message->say(tr("%1 changed on disk.").arg(QFileInfo(file).fileName()), Tone::Neutral, tr("Reload"), [this] { reload(); });
  });
  connect(m_watch, &FileWatch::removed, this, [this](const QString& file) {
    m_message->say(tr("%1 was deleted. The open report can still be read; it is gone once it is closed.").arg(QFileInfo(file).fileName()),
                   Tone::Warning);
  });
  connect(&m_open, &jobs::JobBase::cancelled, this, [this] {
    m_message->say(tr("Opening was cancelled."), Tone::Neutral);
    emit openFinished(false);
  });
  addShortcuts();
}

void MainWindow::addShortcuts() {
  addShortcut(QKeySequence::Open, [this] { chooseAndOpen(); });
  addShortcut(Qt::CTRL | Qt::Key_R, [this] { reload(); });
  addShortcut(QKeySequence::Close, [this] { closeReport(m_sessions.other ? 1 : 0); });
  addShortcut(Qt::CTRL | Qt::Key_F, [this] {
    if (View* view = currentView(); !view || !view->focusFilter()) showPalette();
  });
  addShortcut(Qt::CTRL | Qt::Key_K, [this] { showPalette(); });
  addShortcut(Qt::CTRL | Qt::Key_B, [this] { m_rail->setFolded(!m_rail->isFolded()); });
  addShortcut(Qt::CTRL | Qt::Key_T, [this] { toggleTheme(); });
  addShortcut(Qt::ALT | Qt::Key_Left, [this] { m_state.goBack(); });
  addShortcut(Qt::ALT | Qt::Key_Right, [this] { m_state.goForward(); });
  for (const Shown shown : {Shown::Base, Shown::Other, Shown::Difference})
    addShortcut(QKeySequence(Qt::ALT | Qt::Key(Qt::Key_1 + int(shown))), [this, shown] {
      if (m_sessions.other) m_state.setShown(shown);
    });
  addShortcut(Qt::Key_F1, [this] { showManual(); });
  addShortcut(Qt::CTRL | Qt::Key_Q, [this] { close(); });
  addShortcut(Qt::CTRL | Qt::Key_N, [this] { emit newWindowRequested(); });
  addShortcut(Qt::CTRL | Qt::Key_L, [this] { copyLink(); });
  addShortcut(Qt::CTRL | Qt::Key_D, [this] { showBookmarks(); });
  addShortcut(Qt::CTRL | Qt::Key_Comma, [this] { showPreferences(); });
  addShortcut(QKeySequence(QStringLiteral("?")), [this] { showHelp(); });
  addShortcut(Qt::Key_F11, [this] { isFullScreen() ? showNormal() : showFullScreen(); });
  int key = 0;
  for (const ViewEntry& view : m_views)
    if (view.section == Section::Report && key < 9)
      addShortcut(QKeySequence(Qt::Key_1 + key++), [this, id = view.id] { showView(id); });
}

void MainWindow::addShortcut(const QKeySequence& keys, std::function<void()> run) {
  auto* shortcut = new QShortcut(keys, this);
  connect(shortcut, &QShortcut::activated, this, [run = std::move(run)] { run(); });
}

void MainWindow::openReports(const QStringList& files) {
  if (files.isEmpty() || files.size() > 2) return;
  if (planDrop(files).deed == DropDeed::Run) {
    m_state.requestRun(QFileInfo(files.first()).absoluteFilePath());
    return showView(QStringLiteral("run"));
  }
  QStringList absolute;
  for (const QString& file : files) absolute.append(wholeName(file));
  m_open.setTitle(tr("Opening %1").arg(QFileInfo(files.first()).fileName()));
  m_open.start(
      [absolute](std::stop_token stop, reports::Progress& progress) {
        const auto openOne = [&](const QString& name) {
          const QString file = localCopy(name, stop, progress);
          const QString report = isTraceFile(file) ? importTrace(file, stop, progress) : file;
          return analyser::Session::open(report.toStdString(), stop, progress);
        };
        Sessions sessions;
        sessions.base = openOne(absolute[0]);
        if (absolute.size() > 1) sessions.other = openOne(absolute[1]);
        for (const SessionPointer& session : {sessions.base, sessions.other})
          if (session) session->keepReserve(kReserve);
        return sessions;
      },
      [this, absolute](const Sessions& sessions) {
        adopt(sessions, absolute);
        emit openFinished(true);
      },
      [this, absolute](const reports::Error& error) {
        m_pendingLink.reset();
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
  if (!QFileInfo::exists(file))
    m_message->say(tr("Waiting for %1 to be written.").arg(QFileInfo(file).fileName()), Tone::Neutral);
  m_follower->start();
}

// The first state is opened as any report; a later one takes its place without a moment of nothing.
void MainWindow::adoptGrown(const SessionPointer& session) {
  const QString report = QString::fromStdString(session->identity().path);
  session->keepReserve(kReserve);
  if (!m_sessions.base || m_followed != m_files) {
    adopt({session, nullptr}, m_followed = {report});
    emit openFinished(true);
    return;
  }
  m_sessions.base = session, m_files = m_followed = {report};
  m_message->hide();
  m_finder->setSession(session);
  m_links->setReports(m_files, &session->machine());
  updateChips();
  for (const auto& [id, view] : m_made) {
    m_stale.insert(id);
    if (view != currentView() && entryOf(id)->needs != Needs::Nothing) view->setSessions(nullptr, nullptr);
  }
  if (View* view = currentView(); view && entryOf(m_shown)->needs == Needs::Report) {
    m_stale.erase(m_shown);
    view->setSessions(session, nullptr);
  }
}

void MainWindow::adopt(const Sessions& sessions, const QStringList& files) {
  const bool same = files == m_files;
  m_links->remember();
  m_sessions = sessions, m_files = files;
  m_links->setReports(files, sessions.base ? &sessions.base->machine() : nullptr);
  m_settings.setSession(files);
  m_open.forget();
  m_message->hide();
  QStringList here; // of others no change is told; Reload asks
  std::copy_if(files.begin(), files.end(), std::back_inserter(here), [](const QString& file) { return !isRemoteFile(file); });
  m_watch->setFiles(here);
  m_finder->setSession(sessions.base);
  if (!files.isEmpty()) m_settings.addRecent(files);
  // No view keeps the report before, also none that is out of sight: it would answer for it until it is shown again.
  for (const auto& [made, view] : m_made) {
    if (entryOf(made.first)->needs == Needs::Nothing) continue;
    view->setSessions(nullptr, nullptr);
    if (!same) view->forgetReport();
  }
  // Two reports are open for what is different between them.
  if (!same) m_state.reset(sessions.other ? Shown::Difference : Shown::Base);
  m_state.setClock(sessions.base ? double(sessions.base->machine().clockHz) : 0);
  updateChips();
  m_rail->setOpen(bool(m_sessions.base), bool(m_sessions.other));
  for (const auto& [made, view] : m_made) m_stale.insert(made);
  if (sessions.base && sessions.base->identity().outOfMemory)
    m_message->say(tr("Out of memory: this program does not fit the machine. Memory shows which tiles, and what fills them."),
                   Tone::Warning, tr("Show the fullest tile"), [this] {
                     m_state.requestFullestTile();
                     showView(QStringLiteral("memory"));
                   });
  std::optional<ViewLink> link = std::exchange(m_pendingLink, std::nullopt);
  if (!link && !same && sessions.base && m_settings.remembersPlaces()) link = m_links->remembered();
  if (link && entryOf(link->place.view) && meets(*entryOf(link->place.view))) {
    m_links->follow(*link);
    return present(m_state.view());
  }
  const ViewEntry* shown = entryOf(m_shown);
  // A trace without a machine has nothing to sum up.
  const bool isTrace = sessions.base && sessions.base->machine().tiles() == 0;
  const QString first = sessions.other ? QStringLiteral("compare") : isTrace ? QStringLiteral("host") : QStringLiteral("summary");
  // Reloading stays where it is; a new report begins at its answer.
  if (sessions.base && !same && shown && (shown->section != Section::Report || sessions.other) && entryOf(first))
    m_shown.clear(), showView(first);
  else
    present(m_shown);
}

void MainWindow::updateChips() {
  QList<ChipText> chips;
  for (const SessionPointer& session : {m_sessions.base, m_sessions.other}) {
    if (!session) continue;
    const analyser::ReportIdentity& identity = session->identity();
    chips.append({reportText(identity.fileName), machineText(session->machine()), m_state.format().bytes(identity.fileSize),
                  QString::fromStdString(identity.path)});
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

const ViewEntry* MainWindow::entryOf(const QString& id) const {
  for (const ViewEntry& entry : m_views)
    if (entry.id == id) return &entry;
  return nullptr;
}

bool MainWindow::hasView(const QString& id) const { return entryOf(id) != nullptr; }

bool MainWindow::meets(const ViewEntry& entry) const {
  return entry.needs == Needs::Nothing || (entry.needs == Needs::Report && m_sessions.base) ||
         (entry.needs == Needs::Comparison && m_sessions.other);
}

void MainWindow::showView(const QString& id) {
  if (!entryOf(id)) return;
  if (m_state.view() == id)
    present(id);
  else
    m_state.setView(id);
}

bool MainWindow::showsDifference(const ViewEntry& entry) const {
  return m_sessions.other && entry.difference && m_state.shown() == Shown::Difference;
}

SessionPointer MainWindow::shownSession() const {
  return m_sessions.other && m_state.shown() == Shown::Other ? m_sessions.other : m_sessions.base;
}

// Views of one report get the other one when they are shown again; views of the difference keep both.
void MainWindow::changeShown(Shown) {
  const SessionPointer shown = shownSession();
  for (const auto& [made, view] : m_made) {
    if (made.second || entryOf(made.first)->needs != Needs::Report) continue;
    view->setSessions(nullptr, nullptr);
    m_stale.insert(made);
  }
  m_state.setClock(shown ? double(shown->machine().clockHz) : 0);
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

View* MainWindow::viewFor(const ViewEntry& entry, bool difference) {
  auto& view = m_made[{entry.id, difference}];
  if (view) return view;
  view = (difference ? entry.difference : entry.factory)({m_theme, m_state, m_jobs, m_settings});
  view->setAccessibleName(difference ? tr("%1, difference").arg(entry.title) : entry.title);
  m_stack->addWidget(view);
  m_stale.insert({entry.id, difference});
  connect(view, &View::selectionTextChanged, this, &MainWindow::updateSelection);
  connect(view, &View::viewRequested, this, &MainWindow::showView);
  connect(view, &View::openRequested, this,
          [this](const QStringList& files) { files.isEmpty() ? chooseAndOpen() : openReports(files); });
  connect(view, &View::offerRequested, this, [this](const QString& text, const QStringList& files) {
    m_message->say(text, Tone::Neutral, tr("Open"), [this, files] { openReports(files); });
  });
  connect(view, &View::compareRequested, this, [this](const QString& base, const QString& other) {
    base.isEmpty() || other.isEmpty() ? chooseAndCompare() : openReports({base, other});
  });
  return view;
}

void MainWindow::present(const QString& id) {
  const ViewEntry* entry = entryOf(id);
  if (!entry) return;
  m_shown = id;
  m_rail->setCurrent(id);
  updateShown();
  if (!meets(*entry)) {
    if (entry->needs == Needs::Comparison)
      m_unmet->showEmpty(tr("%1 needs two reports").arg(entry->title),
                         tr("Open a second report beside the first, or drop two files on the window."), tr("Choose reports…"),
                         [this] { chooseAndCompare(); });
    else
      m_unmet->showEmpty(tr("No report is open"), entry->question, tr("Open a report…"), [this] { chooseAndOpen(); });
    m_stack->setCurrentWidget(m_unmet);
    m_links->setView(nullptr);
    updateSelection();
    return;
  }
  const bool difference = showsDifference(*entry);
  View* view = viewFor(*entry, difference);
  m_stack->setCurrentWidget(view);
  if (m_stale.erase({id, difference})) {
    if (difference || entry->needs != Needs::Report)
      view->setSessions(m_sessions.base, m_sessions.other);
    else
      view->setSessions(shownSession(), m_state.shown() == Shown::Other ? m_sessions.base : m_sessions.other);
  }
  m_links->setView(entry->needs == Needs::Nothing ? nullptr : view); // the start page is no place of a report
  // Who walks through the rail with keys stays there.
  if (!m_rail->isAncestorOf(QApplication::focusWidget())) view->focusContent();
  updateSelection();
}

View* MainWindow::currentView() const { return qobject_cast<View*>(m_stack->currentWidget()); }

QString MainWindow::message() const { return m_message->isHidden() ? QString() : m_message->text(); }

void MainWindow::updateSelection() {
  const View* view = currentView();
  m_status->setSelection(view ? view->selectionText() : QString());
}

void MainWindow::chooseAndOpen() {
  const QString folder = m_files.isEmpty() ? QString() : QFileInfo(m_files.first()).absolutePath();
  const QStringList files = QFileDialog::getOpenFileNames(this, tr("Open a report, or two to compare"), folder, kFilter);
  if (files.size() > 2)
    m_message->say(tr("Choose one report to open, or two to compare."), Tone::Warning);
  else
    openReports(files);
}

void MainWindow::chooseAndCompare() {
  const QString folder = m_files.isEmpty() ? QString() : QFileInfo(m_files.first()).absolutePath();
  if (m_sessions.base) {
    const QString file =
        QFileDialog::getOpenFileName(this, tr("Compare %1 with").arg(QFileInfo(m_files.first()).fileName()), folder, kFilter);
    if (!file.isEmpty()) openReports({m_files.first(), file});
    return;
  }
  const QStringList files = QFileDialog::getOpenFileNames(this, tr("Choose two reports to compare"), folder, kFilter);
  if (files.size() == 2)
    openReports(files);
  else if (!files.isEmpty())
    m_message->say(tr("Choose two reports to compare."), Tone::Warning);
}

void MainWindow::closeReport(int which) {
  if (!m_sessions.base) return;
  if (m_sessions.other) {
    openReports({m_files[which == 0 ? 1 : 0]});
    return;
  }
  adopt({}, {});
  showView(m_views.front().id);
}

void MainWindow::reload() {
  if (!m_files.isEmpty()) openReports(m_files);
}

void MainWindow::swapReports() {
  if (m_sessions.other) openReports({m_files[1], m_files[0]});
}

void MainWindow::toggleTheme() {
  m_theme.setScheme(m_theme.isDark() ? theme::Scheme::Light : theme::Scheme::Dark);
  m_settings.setScheme(m_theme.scheme());
}

void MainWindow::takeDrop(const DropPlan& plan, bool besideOpen) {
  switch (plan.deed) {
  case DropDeed::Open:
    if (besideOpen && !m_files.isEmpty()) return openReports({m_files.first(), plan.files.first()});
    [[fallthrough]];
  case DropDeed::Run:
  case DropDeed::Compare: return openReports(plan.files);
  case DropDeed::Nothing: break;
  }
  m_message->say(tr("%1 files at once are too many: drop one report, two to compare, or one ONNX model.").arg(plan.files.size()),
                 Tone::Warning);
}

void MainWindow::moveEvent(QMoveEvent* event) {
  QMainWindow::moveEvent(event);
  if (isVisible()) m_geometry->start();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (isVisible()) m_geometry->start();
  const bool narrow = width() < kNarrow;
  if (narrow == m_narrow) return;
  m_narrow = narrow;
  m_rail->setFolded(narrow || m_settings.railFolded());
}

void MainWindow::keep() {
  m_settings.setGeometry(saveGeometry());
  m_links->remember();
}

void MainWindow::offerSession() {
  QStringList files = m_settings.session();
  files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
  if (files.isEmpty() || files.size() > 2 || m_sessions.base) return;
  QStringList names;
  for (const QString& file : files) names << QFileInfo(file).fileName();
  m_message->say(tr("%1 was open when the last window ended.").arg(names.join(QStringLiteral(" ↔ "))), Tone::Neutral,
                 tr("Open again"), [this, files] { openReports(files); });
}

void MainWindow::closeEvent(QCloseEvent* event) {
  keep();
  QMainWindow::closeEvent(event);
}

} // namespace ui::shell
