// The commands of the window: what the palette lists, what help says of keys, links, bookmarks, manual and preferences.
#include "ui/shell/bookmark_sheet.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/finder.h"
#include "ui/shell/help_sheet.h"
#include "ui/shell/link_navigator.h"
#include "ui/shell/main_window.h"
#include "ui/shell/manual.h"
#include "ui/shell/message_bar.h"
#include "ui/shell/preferences.h"
#include "ui/shell/remote_files.h"
#include "ui/shell/settings.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>

namespace ui::shell {

std::vector<Command> MainWindow::commands() {
  std::vector<Command> list;
  int key = 0;
  for (const ViewEntry& view : m_views)
    list.push_back({view.title, view.question, view.id,
                    view.section == Section::Report && key < 9 ? QString::number(++key) : QString(),
                    [this, id = view.id] { showView(id); }});
  list.push_back({tr("Open a report…"), tr("One file, or two to compare"), "open", "Ctrl+O", [this] { chooseAndOpen(); }});
  list.push_back(
      {tr("Open from another computer…"), tr("A report or trace over ssh"), "open", "Ctrl+Shift+O", [this] { chooseRemote(); }});
  list.push_back({tr("Compare with…"), tr("A second report beside the first"), "compare", {}, [this] { chooseAndCompare(); }});
  if (m_sessions.base) {
    list.push_back({tr("Reload"), tr("Read the report again"), "reload", "Ctrl+R", [this] { reload(); }});
    list.push_back({tr("Close"), tr("Close the report"), "close", "Ctrl+W", [this] { closeReport(m_sessions.other ? 1 : 0); }});
  }
  if (m_sessions.other) {
    list.push_back({tr("Show report A"), tr("In every view"), "compare", "Alt+1", [this] { m_state.setShown(Shown::Base); }});
    list.push_back({tr("Show report B"), tr("In every view"), "compare", "Alt+2", [this] { m_state.setShown(Shown::Other); }});
    list.push_back({tr("Show the difference"), tr("From A to B, in every view"), "compare", "Alt+3",
                    [this] { m_state.setShown(Shown::Difference); }});
  }
  if (m_sessions.other)
    list.push_back({tr("Swap reports"), tr("Exchange base and other"), "swap", {}, [this] { swapReports(); }});
  const auto units = m_state.format().units();
  list.push_back({tr("Show cycles"), tr("Unit of time"), "units", {}, [this, units] {
                    m_state.setUnits({theme::TimeUnit::Cycles, units.memory});
                  }});
  list.push_back({tr("Show time"), tr("Unit of time"), "units", {}, [this, units] {
                    m_state.setUnits({theme::TimeUnit::Seconds, units.memory});
                  }});
  list.push_back({tr("Show KiB"), tr("Unit of memory"), "units", {}, [this, units] {
                    m_state.setUnits({units.time, theme::MemoryUnit::Binary});
                  }});
  list.push_back({tr("Show kB"), tr("Unit of memory"), "units", {}, [this, units] {
                    m_state.setUnits({units.time, theme::MemoryUnit::Decimal});
                  }});
  list.push_back({tr("Show bytes"), tr("Unit of memory"), "units", {}, [this, units] {
                    m_state.setUnits({units.time, theme::MemoryUnit::Bytes});
                  }});
  list.push_back({tr("Light or dark"), tr("Change the theme"), "theme", "Ctrl+T", [this] { toggleTheme(); }});
  list.push_back({tr("Follow the desktop's theme"), tr("Light or dark as the desktop"), "theme", {}, [this] {
                    m_theme.setScheme(theme::Scheme::System);
                    m_settings.setScheme(theme::Scheme::System);
                  }});
  if (View* view = currentView())
    list.push_back(
        {tr("Save picture…"), tr("The view as it is, as PNG, SVG or PDF"), "save", "Ctrl+S", [view] { view->savePicture(); }});
  if (m_sessions.base) {
    list.push_back({tr("Copy link to this view"), tr("Report, view, range and selection as text"), "copy", "Ctrl+L",
                    [this] { copyLink(); }});
    list.push_back(
        {tr("Bookmarks…"), tr("Note what is shown, and come back to it"), "recent", "Ctrl+D", [this] { showBookmarks(); }});
  }
  list.push_back(
      {tr("New window"), tr("A second window beside this one"), "open", "Ctrl+N", [this] { emit newWindowRequested(); }});
  list.push_back(
      {tr("Preferences…"), tr("Theme, text size, units, recent reports"), "view", "Ctrl+,", [this] { showPreferences(); }});
  list.push_back({tr("Manual"), tr("The chapter of this view, and all others"), "help", "F1", [this] { showManual(); }});
  list.push_back({tr("Keys"), tr("Every key of this view"), "keys", "?", [this] { showHelp(); }});
  list.push_back({tr("Show the folder of the log"), tr("Messages, and the notes of crashes"), "open", {}, [this] {
                    emit logFolderRequested();
                  }});
  list.push_back({tr("Quit"), tr("Close the window"), "close", "Ctrl+Q", [this] { close(); }});
  return list;
}

void MainWindow::showPalette() {
  m_finder->prepare();
  m_palette->open(commands(), [this](const QString& typed) {
    if (const auto link = parseLink(typed))
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
  text.windowKeys = {{"1 … 9", tr("views of the report")},
                     {"Ctrl+K", tr("find anything: views, names, tiles")},
                     {"Ctrl+F", tr("search in the view")},
                     {"Ctrl+O", tr("open reports")},
                     {"Ctrl+Shift+O", tr("open from another computer")},
                     {"Ctrl+R, F5", tr("reload")},
                     {"Ctrl+S", tr("save a picture of the view")},
                     {"Ctrl+W", tr("close")},
                     {"Ctrl+L", tr("copy a link to this view")},
                     {"Ctrl+D", tr("bookmarks")},
                     {"Ctrl+N", tr("new window")},
                     {"Ctrl+Q", tr("close the window")},
                     {"Ctrl+,", tr("preferences")},
                     {"F1", tr("manual")},
                     {"Alt+← Alt+→", tr("back, forward")},
                     {"Alt+1 2 3", tr("of two reports: A, B, difference")},
                     {"Ctrl+B", tr("fold the rail")},
                     {"Ctrl+T", tr("light or dark")},
                     {"F11", tr("full screen")}};
  m_help->open(text);
}

void MainWindow::showManual() {
  if (!m_manual) m_manual = new Manual(m_theme, this);
  const ViewEntry* entry = entryOf(m_shown);
  m_manual->open(chapterOfView(entry ? entry->title : QString()));
}

void MainWindow::showPreferences() {
  auto* preferences = new Preferences(m_theme, m_settings, m_state, this);
  preferences->show();
}

void MainWindow::copyLink() {
  if (!m_sessions.base) return;
  QGuiApplication::clipboard()->setText(linkText(m_links->here()));
  m_message->say(tr("A link to this view is in the clipboard. Paste it into the search field, or give it to tilescope --at."),
                 Tone::Neutral);
}

void MainWindow::openLink(const ViewLink& link) {
  if (link.reports.isEmpty() || link.reports == m_files) return m_links->follow(link);
  m_pendingLink = link;
  openReports(link.reports);
}

// A damaged list of bookmarks is said and not overwritten: nothing is added to it.
void MainWindow::showBookmarks() {
  if (m_files.isEmpty()) return;
  try {
    ViewLink here = m_links->here();
    if (here.reports.size() < 2) here.reports.clear(); // the report is the one that the file lies beside
    m_bookmarks->open(readBookmarks(bookmarkFile(m_files.first())), here);
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
  connect(m_bookmarks, &BookmarkSheet::changed, this, [this, within](const std::vector<Bookmark>& bookmarks) {
    within([&] { writeBookmarks(bookmarkFile(m_files.first()), bookmarks); });
  });
  connect(m_bookmarks, &BookmarkSheet::exportRequested, this, [this, within] {
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Export bookmarks"), QFileInfo(bookmarkFile(m_files.first())).fileName(), tr("Bookmarks (*.json)"));
    if (!file.isEmpty()) within([&] { writeBookmarks(file, m_bookmarks->bookmarks()); });
  });
  connect(m_bookmarks, &BookmarkSheet::importRequested, this, [this, within] {
    const QString file = QFileDialog::getOpenFileName(this, tr("Import bookmarks"), {}, tr("Bookmarks (*.json)"));
    if (file.isEmpty()) return;
    within([&] {
      std::vector<Bookmark> all = m_bookmarks->bookmarks();
      for (Bookmark& bookmark : readBookmarks(file))
        if (std::find(all.begin(), all.end(), bookmark) == all.end()) all.push_back(std::move(bookmark));
      writeBookmarks(bookmarkFile(m_files.first()), all);
      showBookmarks();
    });
  });
}

} // namespace ui::shell
