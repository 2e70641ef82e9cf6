#include "ui/window/main_window.h"

#include "analyser/session/session.h"
#include "ui/parts/wheel_guard.h"
#include "ui/state/settings.h"
#include "ui/theme/save_dialog.h"
#include "ui/theme/standard_dialogs.h"
#include "ui/theme/style_pages.h"
#include "ui/window/finder.h"
#include "ui/window/lesson_strip.h"
#include "ui/window/link_navigator.h"
#include "ui/window/message_bar.h"
#include "ui/window/nav_rail.h"
#include "ui/window/other_places.h"
#include "ui/window/report_bookmarks.h"
#include "ui/window/report_chooser.h"
#include "ui/window/report_id.h"
#include "ui/window/status_line.h"
#include "ui/window/subject_ways.h"
#include "ui/window/tab_strip.h"
#include "ui/window/top_bar.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_commands.h"
#include "ui/window/window_sheets.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QFileInfo>
#include <QScreen>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include <utility>

namespace ui::shell {

namespace {

// The frame that a desktop adds to a window, unknown before it is shown: the status line must be on the screen.
constexpr QSize kWindowFrame(16, 48);
constexpr int kNarrow = 1120; // pixels: a narrower window needs the rail's width for the content
// Fits 1024x600, and 1920x1080 at 200 %, each with the panel of a desktop.
constexpr QSize kLeastSize(880, 480);
constexpr int kMeantMs = 10'000;    // a second close within this time confirms the first
constexpr int kPlaceDelay = 3000;   // milliseconds between two checks of the location
constexpr int kGeometryDelay = 500; // milliseconds after the last move before the geometry is stored

QList<QStringList> filesOfTabs(const OpenReports& reports) {
  QList<QStringList> tabs;
  for (const ReportTab& tab : reports.tabs()) tabs << tab.files;
  return tabs;
}

// The initial view of a report. A trace without a machine has no summary.
QString firstView(const ReportSessions& open) {
  const auto isTrace = [](const SessionPointer& session) { return session && session->machine().tiles() == 0; };
  if (isTrace(open.base) && (!open.other || isTrace(open.other))) return QStringLiteral("host");
  return open.other ? QStringLiteral("compare") : QStringLiteral("summary");
}

} // namespace

MainWindow::MainWindow(theme::Theme& theme, Settings& settings, ViewList views)
    : m_theme(theme), m_settings(settings), m_reports(m_state, m_jobs), m_pages(m_jobs, nullptr), m_findings(m_state, m_jobs),
      m_stack(new ViewStack({theme, m_state, m_jobs, settings}, std::move(views), m_reports)),
      m_rail(new NavRail(theme, m_stack->list())), m_top(new TopBar(theme)), m_tabs(new TabStrip(theme, m_reports)),
      m_status(new StatusLine(theme, m_jobs)), m_message(new MessageBar(theme)), m_lesson(new LessonStrip(theme, settings)),
      m_links(new LinkNavigator(m_state, settings, this)), m_trail(m_state, m_reports, *m_stack, *m_links, *m_message, settings),
      m_ways(new SubjectWays(m_state, m_jobs, m_reports, *m_stack, *m_links, *m_message, this)),
      m_caption(m_state, m_reports, *m_top, *this), m_warning(m_state, m_reports, *m_stack, *m_message),
      m_offer(settings, m_reports, *m_message),
      m_bookmarks(new ReportBookmarks(theme, m_state, m_reports, *m_links, *m_message, this)),
      m_chooser(new ReportChooser(theme, m_jobs, settings, m_state, m_reports, *m_message, this)),
      m_finder(new Finder(m_state, m_jobs, this)), m_actions(new WindowActions(settings, this)),
      m_sheets(new WindowSheets({theme, settings, m_state, *m_actions, *m_stack, *m_finder, m_trail, m_reports}, this)),
      m_geometry(new QTimer(this)) {
  setWindowIcon(QIcon(QStringLiteral(":/icons/tilescope.svg")));
  setAcceptDrops(true);
  setMinimumSize(kLeastSize);
  new theme::StandardDialogs(theme, this);
  m_state.setUnits(settings.units());
  buildLayout();
  setSteps();
  connectReports();
  connectViews();
  connectTop();
  addCommands();
  if (!restoreGeometry(settings.geometry())) resize(QSize(1440, 900).boundedTo(screen()->availableSize() - kWindowFrame));
  m_rail->setFolded(settings.railFolded());
  theme::keepSaveFolder(settings.saveFolder(), [&settings](const QString& folder) { settings.setSaveFolder(folder); });
  m_caption.showReports();
  if (!this->views().empty()) showView(this->views().front().id);
  m_stack->setFocus(); // not on the first rail item: nothing is selected yet
}

// All jobs are asked to stop before any is waited for.
MainWindow::~MainWindow() {
  theme::keepSaveFolder({}, {});
  m_jobs.cancelAll();
}

void MainWindow::buildLayout() {
  auto* central = new QWidget;
  auto* columns = new QHBoxLayout(central);
  columns->setContentsMargins(0, 0, 0, 0);
  columns->setSpacing(0);
  columns->addWidget(m_rail);
  auto* column = new QVBoxLayout;
  column->setSpacing(0);
  column->addWidget(m_top);
  column->addWidget(m_tabs);
  column->addWidget(m_lesson);
  column->addWidget(m_stack, 1);
  column->addWidget(m_status);
  columns->addLayout(column, 1);
  setCentralWidget(central);
  for (QWidget* frame : std::initializer_list<QWidget*>{this, central, m_stack}) theme::holdPages(*frame);
  leaveWheelOfTabs(*central); // the reports' tabs; each view's are guarded when it is made
  m_message->floatOver(*m_stack, column);
  m_geometry->setSingleShot(true);
  m_geometry->setInterval(kGeometryDelay);
  connect(m_geometry, &QTimer::timeout, this, &MainWindow::keep);
  connect(&m_state, &ViewState::historyChanged, m_geometry, qOverload<>(&QTimer::start));
  connect(&m_state, &ViewState::viewChanged, m_geometry, qOverload<>(&QTimer::start));
  auto* place = new QTimer(this);
  place->setObjectName(QStringLiteral("keep-place"));
  connect(place, &QTimer::timeout, this, &MainWindow::keepPlace);
  place->start(kPlaceDelay);
}

// The order in which the parts take over other reports: a step may rely on the earlier ones in its list.
void MainWindow::setSteps() {
  using Change = const ReportChange&;
  const auto closeBookmarks = [this](Change c) { c.isSame ? void() : m_bookmarks->hide(); };
  const auto leavePlace = [this](Change c) { m_trail.leave(c); };
  const auto forgetFindings = [this](Change) { m_findings.forget(); };
  const auto setLinks = [this](Change c) {
    QStringList ids;
    for (const SessionPointer& session : c.sessions.all()) ids << reportId(*session);
    m_links->setReports(c.files, ids, c.sessions.base ? &c.sessions.base->machine() : nullptr);
  };
  const auto remember = [this](Change c) {
    if (!c.files.isEmpty()) m_offer.forget(), m_settings.addRecent(c.files);
  };
  const auto tellOutside = [this](Change c) { emit reportsChanged(c.files); };
  const auto hideMessage = [this](Change) { m_message->hide(); };
  const auto watchFiles = [this](Change) { m_reports.watch(); };
  const auto emptyViews = [this](Change c) { m_stack->dropReports(c.isSame); };
  const auto resetState = [this](Change c) { // a user who opens two reports wants to see the difference
    if (!c.isSame) m_state.reset(c.sessions.other ? Shown::Difference : Shown::Base, c.pairing);
  };
  const auto markBookmarks = [this](Change) { m_bookmarks->mark(); };
  const auto searchNames = [this](Change) { m_finder->setSession(m_reports.shown()); };
  const auto forgetWays = [this](Change) { m_ways->forget(); };
  const auto setFigures = [this](Change) { m_caption.showFigures(); };
  const auto nameReports = [this](Change) { m_caption.showReports(), m_chooser->nameOpen(); };
  const auto enableRail = [this](Change c) { m_rail->setOpen(bool(c.sessions.base), bool(c.sessions.other)); };
  const auto teach = [this](Change c) { m_lesson->setReport(c.sessions.other ? nullptr : c.sessions.base.get()); };
  const auto warnOfMemory = [this](Change c) { m_warning.begin(c.isSame); };
  const auto showView = [this](Change c) { begin(c); };
  const auto growView = [this](Change) { m_stack->takeGrown(); };
  const auto markFindings = [this](Change) { readFindings(); };
  m_reports.setSteps(
      {.leave = {closeBookmarks, leavePlace},
       .take = {forgetFindings, forgetWays, setLinks, remember, tellOutside, hideMessage, watchFiles, emptyViews, resetState,
                markBookmarks, searchNames, setFigures, nameReports, enableRail, teach, warnOfMemory},
       .show = {showView},
       .grow = {forgetFindings, forgetWays, hideMessage, searchNames, setLinks, nameReports, growView, markFindings}});
}

void MainWindow::connectReports() {
  connect(&m_reports, &OpenReports::tabsChanged, this, [this] {
    m_tabs->update();
    m_links->keepOnly(filesOfTabs(m_reports));
    m_settings.setSession(filesOfTabs(m_reports));
  });
  connect(m_tabs, &TabStrip::closeRequested, m_chooser, &ReportChooser::closeTab);
  connect(m_tabs, &TabStrip::compareRequested, this, [this](int tab, int with) { m_reports.compareTabs(tab, with); });
  connect(&m_reports, &OpenReports::finished, this, &MainWindow::openFinished);
  connect(&m_reports, &OpenReports::viewRequested, this, &MainWindow::showView);
  connect(&m_reports, &OpenReports::failed, this, [this](const reports::Error& error, const QStringList& files) {
    const bool listed = m_settings.recent().contains(files);
    m_message->say(error, listed ? tr("Remove from recent") : QString(), [this, files] { m_settings.removeRecent(files); });
  });
  connect(&m_reports, &OpenReports::cancelled, this, [this] {
    m_message->say(tr("Opening was cancelled."), Tone::Neutral);
    emit openFinished(false);
  });
  connect(&m_reports, &OpenReports::followFailed, this, [this](const reports::Error& error) { m_message->say(error); });
  connect(&m_reports, &OpenReports::followMissed, this, [this](const QString& why) { m_message->say(why, Tone::Warning); });
  connect(&m_reports, &OpenReports::changedOnDisk, this, [this](const QString& file) {
    m_message->say(tr("%1 changed on disk.").arg(QFileInfo(file).fileName()), Tone::Neutral, tr("Reload"),
                   [this] { m_reports.reload(); });
  });
  connect(&m_reports, &OpenReports::deletedOnDisk, this, [this](const QString& file) {
    m_message->say(
        tr("%1 was deleted. The open report can still be read; it is gone once it is closed.").arg(QFileInfo(file).fileName()),
        Tone::Warning);
  });
  connect(m_lesson, &LessonStrip::lessonChanged, m_top, &TopBar::setLesson);
  connect(m_lesson, &LessonStrip::placeRequested, this, [this](const ViewLink& place) {
    if (View* view = m_stack->made(place.place.view)) view->showFirst(), view->widen(); // what a user chose before does not count
    openLink(place);
  });
  connect(m_chooser, &ReportChooser::closed, this, [this] { showView(views().front().id); });
  connect(m_chooser, &ReportChooser::viewRequested, this, &MainWindow::showView);
  connect(m_chooser, &ReportChooser::followRequested, this, &MainWindow::followRequested);
  connect(&m_offer, &SessionOffer::newWindowRequested, this, &MainWindow::newWindowRequested);
  connect(m_bookmarks, &ReportBookmarks::chosen, this, &MainWindow::openLink);
  connect(&m_warning, &MemoryWarning::fullestRequested, this, &MainWindow::showFullestTile);
  connect(&m_pages, &PageSaver::failed, this, [this](const reports::Error& error) { m_message->say(error); });
  connect(&m_pages, &PageSaver::saved, this, [this](const QString& file, qint64 bytes) {
    m_message->say(tr("%1 was written, %2.").arg(QFileInfo(file).fileName(), m_state.format().bytes(reports::Bytes(bytes))),
                   Tone::Good, tr("Show it"), [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
  });
}

void MainWindow::connectViews() {
  connect(m_rail, &NavRail::chosen, &m_state, &ViewState::setView);
  connect(m_rail, &NavRail::foldedChanged, this, [this](bool folded) {
    if (!m_narrow) m_settings.setRailFolded(folded); // a narrow window collapses the rail by itself
  });
  connect(m_finder, &Finder::viewRequested, this, &MainWindow::showView);
  connect(&m_sheets->otherPlaces(), &OtherPlaces::openRequested, this, [this](const QStringList& files) { openReports(files); });
  connect(&m_sheets->otherPlaces(), &OtherPlaces::runRequested, this, [this](const QString& sample) {
    m_state.messages().send(RunSample{sample});
    showView(QStringLiteral("run"));
  });
  connect(&m_state, &ViewState::viewChanged, this, &MainWindow::present);
  connect(&m_state, &ViewState::shownChanged, this, &MainWindow::changeShown);
  connect(&m_state, &ViewState::formatChanged, this, [this] {
    m_settings.setUnits(m_state.format().units());
    m_caption.showReports();
    updateSelection();
  });
  connect(m_stack, &ViewStack::selectionTextChanged, this, &MainWindow::updateSelection);
  connect(m_stack, &ViewStack::viewRequested, this, &MainWindow::showView);
  connect(m_stack, &ViewStack::openRequested, this,
          [this](const QStringList& files) { files.isEmpty() ? m_chooser->open() : openReports(files); });
  connect(m_stack, &ViewStack::offerRequested, this, [this](const QString& text, const QStringList& files) {
    m_message->say(text, Tone::Good, tr("Open"), [this, files] { openReports(files); });
  });
  connect(m_stack, &ViewStack::tracesRequested, m_chooser, &ReportChooser::addTracesToShown);
  connect(m_stack, &ViewStack::helpRequested, m_sheets, &WindowSheets::showHelp);
  connect(m_stack, &ViewStack::compareRequested, this, [this](const QString& base, const QString& other) {
    base.isEmpty() || other.isEmpty() ? m_chooser->compare() : openReports({base, other});
  });
}

void MainWindow::connectTop() {
  connect(m_top, &TopBar::unitsChosen, &m_state, &ViewState::setUnits);
  connect(m_top, &TopBar::themeToggled, this, [this] { toggleTheme(m_theme, m_settings); });
  connect(m_top, &TopBar::openRequested, m_chooser, &ReportChooser::open);
  connect(m_top, &TopBar::shownChosen, &m_state, &ViewState::setShown);
  connect(m_top, &TopBar::compareRequested, m_chooser, &ReportChooser::compare);
  connect(m_top, &TopBar::tracesRequested, m_chooser, &ReportChooser::addTraces);
  connect(m_top, &TopBar::reloadRequested, &m_reports, &OpenReports::reload);
  connect(m_top, &TopBar::closeRequested, m_chooser, &ReportChooser::close);
  connect(m_top, &TopBar::otherChosen, m_chooser, &ReportChooser::makeOther);
  connect(m_top, &TopBar::runRequested, m_chooser, &ReportChooser::runAgain);
  connect(m_top, &TopBar::swapRequested, m_chooser, &ReportChooser::swap);
  connect(m_top, &TopBar::helpRequested, m_sheets, &WindowSheets::showManual);
  connect(m_top, &TopBar::linkRequested, this, [this] { m_trail.copy(); });
  connect(m_top, &TopBar::lessonRequested, m_lesson, &LessonStrip::bringBack);
  connect(m_top, &TopBar::bookmarksRequested, m_bookmarks, &ReportBookmarks::show);
  connect(m_top, &TopBar::pageRequested, this,
          [this](int report) { m_pages.ask(report == 0 ? m_reports.sessions().base : m_reports.sessions().other, this); });
  connect(m_top, &TopBar::searchRequested, m_sheets, &WindowSheets::showPalette);
}

void MainWindow::addCommands() {
  addViewCommands(*m_actions, views(), [this](const QString& id) { showView(id); });
  addOpenCommands(*m_actions, m_reports, *m_chooser);
  addSaveCommands(*m_actions, m_reports, *m_stack, m_trail, *m_bookmarks, [this] { m_pages.ask(m_reports.shown(), this); });
  addPageCommands(*m_actions, *m_stack);
  addCompareCommands(*m_actions, m_reports, *m_chooser, m_state, [this] { showFullestTile(); });
  addLessonCommands(*m_actions, *m_lesson);
  addUnitCommands(*m_actions, m_state);
  addLookCommands(*m_actions, m_theme, m_settings, *m_rail, *m_stack, *this);
  addWayCommands(*m_actions, m_state, *m_stack, m_trail, *m_sheets);
  m_actions->add({"log", tr("Show the folder of the log"), tr("Messages, and the notes of crashes"), "open", {}, [this] {
                    emit logFolderRequested();
                  }});
  m_actions->add({"new_window", tr("New window"), tr("A second window beside this one"), "open", {Qt::CTRL | Qt::Key_N}, [this] {
                    emit newWindowRequested({});
                  }});
  m_actions->add({"quit", tr("Quit"), tr("Close the window"), "close", {Qt::CTRL | Qt::Key_Q}, [this] { close(); }});
}

void MainWindow::showView(const QString& id) {
  if (!hasView(id)) return;
  if (m_state.view() == id)
    present(id);
  else
    m_state.setView(id);
}

void MainWindow::present(const QString& id) {
  const ViewEntry* entry = m_stack->entryOf(id);
  if (!entry) return;
  m_rail->setCurrent(id);
  m_caption.showShown(*entry);
  m_lesson->setInReport(entry->section == Section::Report);
  View* view = m_stack->present(*entry);
  if (view) {
    if (!m_stack->showsDifference(*entry)) readFindings();
    m_warning.update();
  }
  m_links->setView(entry->needs == Needs::Nothing ? nullptr : view); // the start page is not a location in a report
  // A user who moves through the rail or a lesson with keys stays there.
  const QWidget* focus = QApplication::focusWidget();
  if (view && !m_rail->isAncestorOf(focus) && !m_lesson->isAncestorOf(focus)) view->focusContent();
  updateSelection();
}

// Goes to the location of a link, or to the stored location of the reports. After reload and swap the location stays. A new
// report begins at its first view.
void MainWindow::begin(const ReportChange& change) {
  const auto& [base, other, further] = change.sessions;
  std::optional<ViewLink> link = change.journey ? std::optional(change.journey->link) : std::nullopt;
  if (!link && !change.isSame && base) link = m_links->remembered();
  if (const ViewEntry* entry = link ? m_stack->entryOf(link->place.view) : nullptr; entry && m_stack->canShow(*entry)) {
    m_links->follow(*link);
    if (change.journey) m_state.startHere(), m_trail.compare(*link);
    return present(m_state.view());
  }
  const ViewEntry* shown = m_stack->shownEntry();
  const QString first = firstView(change.sessions);
  if (base && !change.isExchanged && !change.isSame && shown && (shown->section != Section::Report || other) && hasView(first))
    showView(first);
  else
    present(m_stack->shownId());
}

void MainWindow::changeShown() {
  m_findings.forget(); // the findings being read belong to the other report
  if (m_reports.isTaking()) return;
  m_stack->dropShown();
  m_caption.showFigures();
  m_finder->setSession(m_reports.shown());
  present(m_stack->shownId());
}

// Reads the findings for the marks in views. Summary and Insights read them themselves.
void MainWindow::readFindings() {
  const ViewEntry* entry = m_stack->shownEntry();
  if (entry && entry->needs == Needs::Report && entry->id != QLatin1String("summary") && entry->id != QLatin1String("insights"))
    m_findings.read(m_reports.shown());
}

void MainWindow::follow(const QString& file, TraceFollower::StateOf stateOf) {
  if (!QFileInfo::exists(file))
    m_message->say(tr("Waiting for %1 to be written.").arg(QFileInfo(file).fileName()), Tone::Neutral);
  m_reports.follow(file, std::move(stateOf));
}

void MainWindow::showFullestTile() {
  m_state.messages().send(ShowAll{QStringLiteral("memory")});
  m_state.messages().send(ShowFullestTile{});
  showView(QStringLiteral("memory"));
}

std::vector<tables::RowGuide::Way> MainWindow::waysOf(const analyser::columns::Subject& subject) const {
  return m_ways->waysOf(subject);
}

QString MainWindow::titleOf(const analyser::columns::Subject& subject) const { return m_ways->titleOf(subject); }

QString MainWindow::message() const { return m_message->isHidden() ? QString() : m_message->text(); }

void MainWindow::updateSelection() {
  const View* view = currentView();
  m_status->setSelection(view ? view->selectionText() : QString());
}

void MainWindow::moveEvent(QMoveEvent* event) {
  QMainWindow::moveEvent(event);
  if (isVisible()) m_geometry->start();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  m_warning.update();
  if (isVisible()) m_geometry->start();
  const bool narrow = width() < kNarrow;
  if (narrow == m_narrow) return;
  m_narrow = narrow;
  m_rail->setFolded(narrow || m_settings.railFolded());
}

void MainWindow::keep() {
  m_settings.setGeometry(saveGeometry());
  keepPlace();
}

void MainWindow::keepPlace() {
  if (!m_links->isRestoring()) m_links->remember();
}

// The first close names the work that would end with the window; a second one closes it.
void MainWindow::closeEvent(QCloseEvent* event) {
  const QStringList work = m_stack->unfinished();
  if (!work.isEmpty() && !std::exchange(m_closingAsked, true)) {
    event->ignore();
    m_message->say(tr("Closing the window would end %1. Close it once more, or choose Quit.").arg(work.join(tr(" and "))),
                   Tone::Warning, tr("Quit"), [this] { m_closingAsked = true, close(); });
    QTimer::singleShot(kMeantMs, this, [this] { m_closingAsked = false; });
    return;
  }
  keep();
  m_settings.closeSession(filesOfTabs(m_reports));
  QMainWindow::closeEvent(event);
}

} // namespace ui::shell
