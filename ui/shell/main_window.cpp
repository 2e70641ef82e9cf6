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
#include "ui/shell/remote_sheet.h"
#include "ui/shell/settings.h"
#include "ui/shell/splitter_places.h"
#include "ui/shell/state_page.h"
#include "ui/shell/status_line.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/window_actions.h"
#include "ui/theme/icons.h"
#include "ui/theme/save_dialog.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QFileInfo>
#include <QLineEdit>
#include <QScreen>
#include <QStackedWidget>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include <utility>

namespace ui::shell {

namespace {

// What a desktop puts around a window, which nobody knows before it is shown: the status line is not to lie below the screen.
constexpr QSize kWindowFrame(16, 48);
constexpr int kNarrow = 1120; // pixels: below, the content needs the room of the rail
// Fits 1024x600, and 1920x1080 at 200 %, each with the panel of a desktop.
constexpr QSize kLeastSize(880, 480);
constexpr int kMeantMs = 10'000;    // so long after the question a second close is its answer
constexpr int kPlaceDelay = 3000;   // milliseconds between two looks at the place
constexpr int kGeometryDelay = 500; // milliseconds after the last move before the place is remembered

} // namespace

MainWindow::MainWindow(theme::Theme& theme, Settings& settings, ViewList views)
    : m_theme(theme), m_settings(settings), m_views(std::move(views)), m_open(tr("Opening"), &m_jobs), m_pages(m_jobs, nullptr),
      m_findings(m_state, m_jobs) {
  setWindowIcon(QIcon(QStringLiteral(":/icons/tilescope.svg")));
  setAcceptDrops(true);
  setMinimumSize(kLeastSize);
  m_state.setUnits(settings.units());
  buildLayout();
  buildActions();
  if (!restoreGeometry(settings.geometry())) resize(QSize(1440, 900).boundedTo(screen()->availableSize() - kWindowFrame));
  m_rail->setFolded(settings.railFolded());
  theme::keepSaveFolder(settings.saveFolder(), [&settings](const QString& folder) { settings.setSaveFolder(folder); });
  updateChips();
  if (!m_views.empty()) showView(m_views.front().id);
  m_stack->setFocus(); // not on the first rail item: nothing is chosen yet
}

// All are asked to stop before the first is waited for.
MainWindow::~MainWindow() {
  theme::keepSaveFolder({}, {});
  m_jobs.cancelAll();
}

void MainWindow::buildLayout() {
  auto* central = new QWidget;
  auto* columns = new QHBoxLayout(central);
  columns->setContentsMargins(0, 0, 0, 0);
  columns->setSpacing(0);
  columns->addWidget(m_rail = new NavRail(m_theme, m_views));
  auto* column = new QVBoxLayout;
  column->setSpacing(0);
  column->addWidget(m_top = new TopBar(m_theme));
  m_message = new MessageBar(m_theme);
  connect(m_message, &MessageBar::dismissed, this,
          [this] { m_isWarningDismissed = m_isWarningDismissed || m_message->text() == outOfMemoryText(); });
  connect(m_message, &MessageBar::shownChanged, this, [this](bool shown) { // behind another message
    if (!shown && m_message->text() != outOfMemoryText()) warnOfMemory();
  });
  column->addWidget(m_stack = new QStackedWidget, 1);
  column->addWidget(m_status = new StatusLine(m_theme, m_jobs));
  columns->addLayout(column, 1);
  setCentralWidget(central);
  m_message->floatOver(*m_stack);
  m_stack->setFocusPolicy(Qt::ClickFocus);
  m_stack->addWidget(m_unmet = new StatePage(m_theme));
  m_actions = new WindowActions(m_settings, this);
  m_palette = new CommandPalette(m_theme, this);
  m_help = new HelpSheet(m_theme, this);
  m_bookmarks = new BookmarkSheet(m_theme, this);
  m_remote = new RemoteSheet(m_theme, this);
  m_drop = new DropSheet(m_theme, this);
  m_watch = new FileWatch(this);
  m_finder = new Finder(m_state, m_jobs, this);
  m_links = new LinkNavigator(m_state, m_settings, this);
  m_geometry = new QTimer(this);
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
  connect(m_top, &TopBar::otherChosen, this, &MainWindow::makeOther);
  connect(m_top, &TopBar::runRequested, this, &MainWindow::runAgain);
  connect(m_top, &TopBar::swapRequested, this, &MainWindow::swapReports);
  connect(m_top, &TopBar::helpRequested, this, &MainWindow::showManual);
  connect(m_top, &TopBar::linkRequested, this, &MainWindow::copyLink);
  connect(m_top, &TopBar::bookmarksRequested, this, &MainWindow::showBookmarks);
  connect(m_top, &TopBar::pageRequested, this,
          [this](int report) { savePage(report == 0 ? m_sessions.base : m_sessions.other); });
  connect(&m_pages, &PageSaver::failed, this, [this](const reports::Error& error) { m_message->say(error); });
  connect(&m_pages, &PageSaver::saved, this, [this](const QString& file, qint64 bytes) {
    m_message->say(tr("%1 was written, %2.").arg(QFileInfo(file).fileName(), m_state.format().bytes(reports::Bytes(bytes))),
                   Tone::Good, tr("Show it"), [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
  });
  connectBookmarks();
  connect(m_remote, &RemoteSheet::chosen, this, [this](const QString& file) { openReports({file}); });
  connect(m_top, &TopBar::searchRequested, this, &MainWindow::showPalette);
  connect(m_finder, &Finder::viewRequested, this, &MainWindow::showView);
  connect(m_finder, &Finder::changed, this, [this] { m_palette->setReading(m_finder->isReading()); });
  connect(m_drop, &DropSheet::dropped, this, &MainWindow::takeDrop);
  connect(m_watch, &FileWatch::changed, this, [this](const QString& file) {
    m_message->say(tr("%1 changed on disk.").arg(QFileInfo(file).fileName()), Tone::Neutral, tr("Reload"), [this] { reload(); });
  });
  connect(m_watch, &FileWatch::removed, this, [this](const QString& file) {
    m_message->say(
        tr("%1 was deleted. The open report can still be read; it is gone once it is closed.").arg(QFileInfo(file).fileName()),
        Tone::Warning);
  });
  connect(&m_open, &jobs::JobBase::cancelled, this, [this] {
    m_message->say(tr("Opening was cancelled."), Tone::Neutral);
    emit openFinished(false);
  });
  addActions();
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

View* MainWindow::viewFor(const ViewEntry& entry, bool difference) {
  auto& view = m_made[{entry.id, difference}];
  if (view) return view;
  view = (difference ? entry.difference : entry.factory)({m_theme, m_state, m_jobs, m_settings});
  view->keepFirstFields();
  view->setAccessibleName(difference ? tr("%1, difference").arg(entry.title) : entry.title);
  keepSplitters(*view, difference ? entry.id + QStringLiteral("-difference") : entry.id, m_settings);
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
    if (entry->needs == Needs::Comparison) view->setFurther(m_sessions.further);
    if (difference || entry->needs != Needs::Report)
      view->setSessions(m_sessions.base, m_sessions.other);
    else
      view->setSessions(shownSession(), m_state.shown() == Shown::Other ? m_sessions.base : m_sessions.other);
  }
  if (!difference) readFindings(*entry);
  warnOfMemory();
  m_links->setView(entry->needs == Needs::Nothing ? nullptr : view); // the start page is no place of a report
  // Who walks through the rail with keys stays there.
  if (!m_rail->isAncestorOf(QApplication::focusWidget())) view->focusContent();
  updateSelection();
}

// For the marks; two views read them as their own answer.
void MainWindow::readFindings(const ViewEntry& entry) {
  const bool readsThem = entry.id == QLatin1String("summary") || entry.id == QLatin1String("insights");
  if (entry.needs == Needs::Report && !readsThem) m_findings.read(shownSession());
}

View* MainWindow::currentView() const { return qobject_cast<View*>(m_stack->currentWidget()); }

QString MainWindow::message() const { return m_message->isHidden() ? QString() : m_message->text(); }

void MainWindow::updateSelection() {
  const View* view = currentView();
  m_status->setSelection(view ? view->selectionText() : QString());
}

void MainWindow::reload() {
  if (!m_files.isEmpty()) open(m_files, {}, {}, true);
}

void MainWindow::toggleTheme() {
  m_theme.setScheme(m_theme.isDark() ? theme::Scheme::Light : theme::Scheme::Dark);
  m_settings.setScheme(m_theme.scheme());
}

void MainWindow::moveEvent(QMoveEvent* event) {
  QMainWindow::moveEvent(event);
  if (isVisible()) m_geometry->start();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (m_message) warnOfMemory();
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

// Work that would end with the window is named once; whoever closes it then means it.
void MainWindow::closeEvent(QCloseEvent* event) {
  QStringList work;
  for (const auto& [made, view] : m_made)
    if (const QString words = view->unfinished(); !words.isEmpty()) work << words;
  if (!work.isEmpty() && !std::exchange(m_closingAsked, true)) {
    event->ignore();
    m_message->say(tr("%1 would end with the window. Close it once more, or choose Quit.").arg(work.join(tr(" and "))),
                   Tone::Warning, tr("Quit"), [this] { m_closingAsked = true, close(); });
    QTimer::singleShot(kMeantMs, this, [this] { m_closingAsked = false; });
    return;
  }
  keep();
  m_settings.closeSession(m_files);
  QMainWindow::closeEvent(event);
}

} // namespace ui::shell
