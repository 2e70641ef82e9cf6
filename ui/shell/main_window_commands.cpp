// The commands of the window: what they are called and do, what help says of keys, links, bookmarks, manual and preferences.
#include "ui/shell/bookmark_sheet.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/finder.h"
#include "ui/shell/help_sheet.h"
#include "ui/shell/link_navigator.h"
#include "ui/shell/main_window.h"
#include "ui/shell/manual.h"
#include "ui/shell/message_bar.h"
#include "ui/shell/nav_rail.h"
#include "ui/shell/page.h"
#include "ui/shell/preferences.h"
#include "ui/shell/remote_files.h"
#include "ui/shell/settings.h"
#include "ui/shell/splitter_places.h"
#include "ui/shell/window_actions.h"
#include "ui/theme/save_dialog.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QPointer>

namespace ui::shell {

namespace {
const QString kViewAction = QStringLiteral("view/"); // before the view's id

// As the sheet of keys writes what a key does: "Open a report…" is "open a report" there.
QString asHint(QString title) {
  title.remove(QStringLiteral("…"));
  return title.left(1).toLower() + title.mid(1);
}

} // namespace

void MainWindow::addActions() {
  addViewActions();
  addReportActions();
  addLookActions();
  m_actions->add(
      {"search", tr("Search"), tr("Anything: views, commands, names, tiles"), "search", {Qt::CTRL | Qt::Key_K}, [this] {
         showPalette();
       }});
  m_actions->add(
      {"filter", tr("Filter of the view"), tr("Keeps the rows that have the words"), "search", {Qt::CTRL | Qt::Key_F}, [this] {
         if (View* view = currentView(); !view || !view->openFilter()) showPalette();
       }});
  m_actions->add({"back", tr("Back"), tr("To what was shown before"), "back", {Qt::ALT | Qt::Key_Left}, [this] { goBack(); }});
  m_actions->add({"forward", tr("Forward"), tr("To where Back came from"), "forward", {Qt::ALT | Qt::Key_Right}, [this] {
                    m_state.goForward();
                  }});
  m_actions->add(
      {"manual", tr("Manual"), tr("The chapter of this view, and all others"), "help", {Qt::Key_F1}, [this] { showManual(); }});
  m_actions->add(
      {"keys", tr("Keys"), tr("Every key of this view"), "keys", {QKeySequence(QStringLiteral("?"))}, [this] { showHelp(); }});
  m_actions->add({"preferences",
                  tr("Preferences…"),
                  tr("Theme, text size, units, recent reports, keys"),
                  "view",
                  {Qt::CTRL | Qt::Key_Comma},
                  [this] { showPreferences(); }});
  m_actions->add({"log", tr("Show the folder of the log"), tr("Messages, and the notes of crashes"), "open", {}, [this] {
                    emit logFolderRequested();
                  }});
  m_actions->add({"new_window", tr("New window"), tr("A second window beside this one"), "open", {Qt::CTRL | Qt::Key_N}, [this] {
                    emit newWindowRequested({});
                  }});
  m_actions->add({"quit", tr("Quit"), tr("Close the window"), "close", {Qt::CTRL | Qt::Key_Q}, [this] { close(); }});
}

void MainWindow::addViewActions() {
  int key = 0;
  for (const ViewEntry& view : m_views) {
    QList<QKeySequence> keys;
    if (view.section == Section::Report && key < 9) keys << QKeySequence(Qt::Key_1 + key++);
    m_actions->add({kViewAction + view.id, view.title, view.question, view.id, keys, [this, id = view.id] { showView(id); }});
  }
}

void MainWindow::addReportActions() {
  const auto one = [this] { return m_sessions.base != nullptr; };
  const auto two = [this] { return m_sessions.other != nullptr; };
  m_actions->add({"open", tr("Open a report…"), tr("One file, or two to compare"), "open",
                  QKeySequence::keyBindings(QKeySequence::Open), [this] { chooseAndOpen(); }});
  m_actions->add({"open_remote",
                  tr("Open from another computer…"),
                  tr("A report or trace over ssh"),
                  "open",
                  {Qt::CTRL | Qt::SHIFT | Qt::Key_O},
                  [this] { chooseRemote(); }});
  m_actions->add(
      {"compare", tr("Compare with…"), tr("A second report beside the first"), "compare", {}, [this] { chooseAndCompare(); }});
  m_actions->add({"reload",
                  tr("Reload"),
                  tr("Read the report again"),
                  "reload",
                  {Qt::CTRL | Qt::Key_R, Qt::Key_F5},
                  [this] { reload(); },
                  one});
  m_actions->add({"close", tr("Close"), tr("Close the report"), "close", QKeySequence::keyBindings(QKeySequence::Close),
                  [this] { closeReport(m_sessions.other ? 1 : 0); }, one});
  m_actions->add({"save_picture", tr("Save picture…"), tr("The view as it is, as PNG, SVG or PDF"), "save",
                  QKeySequence::keyBindings(QKeySequence::Save), [this] { currentView()->savePicture(); },
                  [this] { return currentView() != nullptr; }, tr("export png svg pdf image screenshot")});
  m_actions->add({"save_page",
                  tr("Save as one web page…"),
                  tr("The whole report in an HTML file that any browser shows"),
                  "save",
                  {Qt::CTRL | Qt::SHIFT | Qt::Key_S},
                  [this] { savePage(shownSession()); },
                  one,
                  tr("export html share")});
  m_actions->add({"save_table",
                  tr("Save table…"),
                  tr("The table that has the keyboard, or the first one: all its rows as CSV, Markdown or JSON"),
                  "save",
                  {},
                  [this] { currentView()->saveTable(); },
                  [this] { return currentView() && currentView()->tableToSave(); },
                  tr("export csv json markdown")});
  m_actions->add({"copy_link",
                  tr("Copy link to this view"),
                  tr("Report, view, range and selection as text"),
                  "copy",
                  {Qt::CTRL | Qt::Key_L},
                  [this] { copyLink(); },
                  one,
                  tr("share url")});
  m_actions->add({"bookmarks",
                  tr("Bookmarks…"),
                  tr("Note what is shown, and come back to it"),
                  "recent",
                  {Qt::CTRL | Qt::Key_D},
                  [this] { showBookmarks(); },
                  one});
  m_actions->add({"plot_table",
                  tr("Show the plot as a table"),
                  tr("The figures of the plot that has the keyboard, or of the first one, as rows"),
                  "query",
                  {Qt::CTRL | Qt::SHIFT | Qt::Key_T},
                  [this] { currentView()->showAsTable(); },
                  [this] { return currentView() != nullptr; }});
  m_actions->add({"tall_tabs",
                  tr("Tabs at full height"),
                  tr("The tables and maps of the view over the whole page, without the plot above"),
                  "tall",
                  {Qt::CTRL | Qt::Key_J},
                  [this] { currentView()->toggleTall(PagePart::Tabs); },
                  [this] { return currentView() != nullptr; }});
  m_actions->add({"tall_plot",
                  tr("Plot at full height"),
                  tr("The plot of the view over the whole page, without the tables below"),
                  "low",
                  {Qt::CTRL | Qt::SHIFT | Qt::Key_J},
                  [this] { currentView()->toggleTall(PagePart::Plot); },
                  [this] { return currentView() != nullptr; }});
  const auto show = [this](Shown shown) { return [this, shown] { m_state.setShown(shown); }; };
  m_actions->add({"show_a", tr("Show report A"), tr("In every view"), "compare", {Qt::ALT | Qt::Key_1}, show(Shown::Base), two});
  m_actions->add({"show_b", tr("Show report B"), tr("In every view"), "compare", {Qt::ALT | Qt::Key_2}, show(Shown::Other), two});
  m_actions->add({"show_difference",
                  tr("Show the difference"),
                  tr("From A to B, in every view"),
                  "compare",
                  {Qt::ALT | Qt::Key_3},
                  show(Shown::Difference),
                  two});
  m_actions->add({"fullest",
                  tr("Show the fullest tile"),
                  tr("In Memory"),
                  "memory",
                  {},
                  [this] { showFullestTile(); },
                  [this] {
                    const auto shown = shownSession();
                    return shown && shown->machine().tiles() > 0;
                  }});
  m_actions->add({"swap", tr("Swap reports"), tr("Exchange base and other"), "swap", {}, [this] { swapReports(); }, two});
}

void MainWindow::addLookActions() {
  const auto time = [this](theme::TimeUnit unit) {
    return [this, unit] { m_state.setUnits({unit, m_state.format().units().memory}); };
  };
  const auto memory = [this](theme::MemoryUnit unit) {
    return [this, unit] { m_state.setUnits({m_state.format().units().time, unit}); };
  };
  m_actions->add({"cycles", tr("Show cycles"), tr("Unit of time"), "units", {}, time(theme::TimeUnit::Cycles)});
  m_actions->add({"seconds", tr("Show time"), tr("Unit of time"), "units", {}, time(theme::TimeUnit::Seconds)});
  m_actions->add({"kib", tr("Show KiB"), tr("Unit of memory"), "units", {}, memory(theme::MemoryUnit::Binary)});
  m_actions->add({"kb", tr("Show kB"), tr("Unit of memory"), "units", {}, memory(theme::MemoryUnit::Decimal)});
  m_actions->add({"bytes", tr("Show bytes"), tr("Unit of memory"), "units", {}, memory(theme::MemoryUnit::Bytes)});
  m_actions->add(
      {"theme", tr("Light or dark"), tr("Change the theme"), "theme", {Qt::CTRL | Qt::Key_T}, [this] { toggleTheme(); }});
  m_actions->add({"system_theme", tr("Follow the desktop's theme"), tr("Light or dark as the desktop"), "theme", {}, [this] {
                    m_theme.setScheme(theme::Scheme::System);
                    m_settings.setScheme(theme::Scheme::System);
                  }});
  m_actions->add(
      {"fold_rail", tr("Fold the list of views"), tr("Icons alone, or with their names"), "rail", {Qt::CTRL | Qt::Key_B}, [this] {
         m_rail->setFolded(!m_rail->isFolded());
       }});
  m_actions->add(
      {"full_screen", tr("Full screen"), tr("Without the frame of the window, and back"), "view", {Qt::Key_F11}, [this] {
         isFullScreen() ? showNormal() : showFullScreen();
       }});
  m_actions->add(
      {"reset_panes", tr("Reset panes"), tr("The sizes of panes as they were at first"), "view", {}, [this] { resetPanes(); }});
}

std::vector<Command> MainWindow::commands() const {
  std::vector<Command> list;
  for (const WindowAction& action : m_actions->all())
    if (!action.isAvailable || action.isAvailable())
      list.push_back({action.title, action.detail, action.icon, m_actions->keysText(action), action.run, action.words});
  const ViewEntry* entry = entryOf(m_shown);
  if (const View* view = currentView(); view && entry)
    for (QAction* action : view->menuActions()) {
      const QString state = !action->isCheckable() ? entry->title
                            : action->isChecked()  ? tr("%1, on").arg(entry->title)
                                                   : tr("%1, off").arg(entry->title);
      list.push_back({action->text(), state, "view", {}, [at = QPointer<QAction>(action)] {
                        if (at) at->trigger();
                      }});
    }
  return list;
}

void MainWindow::showFullestTile() {
  m_state.messages().send(ShowAll{QStringLiteral("memory")});
  m_state.messages().send(ShowFullestTile{});
  showView(QStringLiteral("memory"));
}

void MainWindow::savePage(const SessionPointer& session) {
  if (!session) return;
  const QFileInfo report(QString::fromStdString(session->identity().path));
  QString file = theme::saveFileName(this, tr("Save as one web page"),
                                     report.absolutePath() + '/' + report.completeBaseName() + ".html", tr("Web pages (*.html)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".html");
  m_pages.save(session, file);
}

void MainWindow::resetPanes() {
  for (const auto& [made, view] : m_made) resetSplitters(*view);
  m_settings.remove(kSplitterSettings);
}

void MainWindow::showPalette() {
  m_finder->prepare();
  m_palette->open(commands(), [this](const QString& typed) {
    if (const auto link = parseLink(typed); link && !leadsSomewhere(*link))
      return std::vector<Command>{{tr("This link names no view"), link->place.view, "error", {}, {}}};
    else if (link)
      return std::vector<Command>{
          {tr("Go to this link"), linkTitle(*link), "forward", {}, [this, link = *link] { openLink(link); }}};
    if (isRemoteFile(typed))
      return std::vector<Command>{
          {tr("Open from another computer"), typed, "open", {}, [this, typed] { openReports({typed.trimmed()}); }}};
    return m_finder->find(typed);
  });
  m_palette->setReading(m_finder->isReading());
}

void MainWindow::showHelp() {
  const ViewEntry* entry = entryOf(m_shown);
  HelpText text;
  if (entry) text.title = entry->title, text.question = entry->question;
  if (const View* view = currentView()) text.viewKeys = view->keys();
  text.plotKeys = {{"Wheel", tr("zoom at the pointer")}, {"Drag", tr("pan")},
                   {"Shift+drag", tr("select a range")}, {"W S", tr("zoom in, out")},
                   {"A D", tr("pan left, right")},       {"F", tr("show everything")},
                   {"← →", tr("previous, next")},        {"Enter", tr("select or enter")},
                   {"Esc", tr("clear the selection")},   {"Right-click", tr("copy or save the picture")}};
  QStringList views; // keys of them, which come in one row
  for (const WindowAction& action : m_actions->all()) {
    const QString keys = m_actions->keysText(action);
    if (keys.isEmpty() || (action.isAvailable && !action.isAvailable())) continue;
    if (action.id.startsWith(kViewAction))
      views << keys;
    else
      text.windowKeys.emplace_back(keys, asHint(action.title));
  }
  if (!views.isEmpty())
    text.windowKeys.emplace_back(views.first() + QStringLiteral(" … ") + views.last(), tr("views of the report"));
  m_help->open(text);
}

void MainWindow::showManual() {
  if (!m_manual) m_manual = new Manual(m_theme, this);
  const ViewEntry* entry = entryOf(m_shown);
  m_manual->open(chapterOfView(entry ? entry->title : QString()));
}

void MainWindow::showPreferences() {
  auto* preferences = new Preferences(m_theme, m_settings, m_state, *m_actions, this);
  preferences->show();
}

void MainWindow::copyLink() {
  if (!m_sessions.base) return;
  QGuiApplication::clipboard()->setText(linkText(m_links->here()));
  const QString done =
      tr("A link to this view is in the clipboard. Paste it into the search field, or give it to tilescope --at.");
  const QStringList without = currentView() ? currentView()->fields().tooLongForLink() : QStringList();
  if (without.isEmpty()) return m_message->say(done, Tone::Neutral);
  m_message->say(tr("%1 It is without the text of %2, which is too long for a link.").arg(done, without.join(tr(" and "))),
                 Tone::Warning);
}

bool MainWindow::leadsSomewhere(const ViewLink& link) const { return link.place.view.isEmpty() || entryOf(link.place.view); }

void MainWindow::openLink(const ViewLink& link) {
  if (!leadsSomewhere(link))
    return m_message->say(tr("The link leads to “%1”; this window has no such view.").arg(link.place.view), Tone::Warning);
  if (link.reports.isEmpty() || link.reports == m_files) return m_links->follow(link);
  QStringList far = link.reports;
  far.removeIf([this](const QString& report) { return !isRemoteFile(report) || m_files.contains(report); });
  if (far.isEmpty()) return open(link.reports, Journey{link, false});
  m_message->say(tr("The link leads to another computer: %1").arg(far.join(QStringLiteral(", "))), Tone::Warning,
                 tr("Connect and open"), [this, link] {
                   open(link.reports, Journey{link, false});
                 });
}

void MainWindow::offerLink(const ViewLink& link) {
  const QString reports = link.reports.join(QStringLiteral(", "));
  m_message->say(
      tr("A link asks to show %1%2.").arg(linkTitle(link), reports.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(reports)),
      Tone::Neutral, tr("Open"), [this, link] { openLink(link); });
}

// Before the first place in a report that a link has opened comes the report that the link led away from.
void MainWindow::goBack() {
  if (m_state.canGoBack() || m_left.empty()) return m_state.goBack();
  open(m_left.back().reports, Journey{m_left.back(), true});
}

// A damaged list of bookmarks is said and not overwritten: nothing is added to it.
void MainWindow::showBookmarks() {
  if (m_files.isEmpty()) return;
  try {
    ViewLink here = m_links->here();
    if (here.reports.size() < 2) here.reports.clear(); // the report is the one that the file lies beside
    m_bookmarkFile = bookmarkFile(m_files.first());
    m_bookmarks->open(readBookmarks(m_bookmarkFile), here);
  } catch (const reports::Error& error) {
    m_message->say(error);
  }
}

void MainWindow::connectBookmarks() {
  const auto within = [this](auto&& work) {
    try {
      work();
    } catch (const reports::Error& error) {
      m_bookmarks->hide(); // the bar lies below it
      m_message->say(error);
    }
  };
  connect(m_bookmarks, &BookmarkSheet::chosen, this, &MainWindow::openLink);
  connect(&m_state.messages(), &ViewMessages::bookmarkAsked, this, [this, within](const ShowBookmark& asked) {
    within([&] {
      const std::vector<Bookmark> all = readBookmarks(bookmarkFile(m_files.first()));
      const auto at = std::size_t(asked.bookmark);
      if (asked.bookmark >= 0 && at < all.size()) openLink(all[at].link);
    });
  });
  connect(m_bookmarks, &BookmarkSheet::changed, this, [this, within](const std::vector<Bookmark>& bookmarks) {
    within([&] { writeBookmarks(m_bookmarkFile, bookmarks); });
    markBookmarks();
  });
  connect(m_bookmarks, &BookmarkSheet::exportRequested, this, [this, within] {
    const QString file =
        theme::saveFileName(this, tr("Export bookmarks"), QFileInfo(m_bookmarkFile).fileName(), tr("Bookmarks (*.json)"));
    if (!file.isEmpty()) within([&] { writeBookmarks(file, m_bookmarks->bookmarks()); });
  });
  connect(m_bookmarks, &BookmarkSheet::importRequested, this, [this, within] {
    const QString into = m_bookmarkFile;
    std::vector<Bookmark> all = m_bookmarks->bookmarks();
    const QString file = QFileDialog::getOpenFileName(this, tr("Import bookmarks"), {}, tr("Bookmarks (*.json)"));
    if (file.isEmpty()) return;
    within([&] {
      for (Bookmark& bookmark : readBookmarks(file))
        if (std::find(all.begin(), all.end(), bookmark) == all.end()) all.push_back(std::move(bookmark));
      writeBookmarks(into, all);
      markBookmarks();
      showBookmarks();
    });
  });
}

// Views mark where bookmarks lead. A list that cannot be read marks nothing: the command Bookmarks says why.
void MainWindow::markBookmarks() {
  std::vector<ReportNotes::Mark> marks;
  try {
    if (!m_files.isEmpty())
      for (const Bookmark& b : readBookmarks(bookmarkFile(m_files.first())))
        marks.push_back({b.note.isEmpty() ? linkTitle(b.link) : b.note, b.link.place});
  } catch (const reports::Error&) {
    marks.clear();
  }
  m_state.notes().setMarks(std::move(marks));
}

} // namespace ui::shell
