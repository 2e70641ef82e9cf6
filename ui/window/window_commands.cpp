#include "ui/window/window_commands.h"

#include "analyser/session/session.h"
#include "ui/parts/page.h"
#include "ui/parts/splitter_places.h"
#include "ui/state/settings.h"
#include "ui/window/lesson_strip.h"
#include "ui/window/link_trail.h"
#include "ui/window/nav_rail.h"
#include "ui/window/open_reports.h"
#include "ui/window/report_bookmarks.h"
#include "ui/window/report_chooser.h"
#include "ui/window/view_stack.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_sheets.h"

#include <QCoreApplication>

namespace ui::shell {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("ui::shell::WindowCommands", text); }

auto isOne(const OpenReports& reports) {
  return [&reports] { return reports.sessions().base != nullptr; };
}
auto isTwo(const OpenReports& reports) {
  return [&reports] { return reports.sessions().other != nullptr; };
}
auto isShown(const ViewStack& views) {
  return [&views] { return views.current() != nullptr; };
}

} // namespace

void toggleTheme(theme::Theme& theme, Settings& settings) {
  theme.setScheme(theme.isDark() ? theme::Scheme::Light : theme::Scheme::Dark);
  settings.setScheme(theme.scheme());
}

void addViewCommands(WindowActions& actions, const ViewList& views, const std::function<void(const QString& id)>& show) {
  int key = 0;
  for (const ViewEntry& view : views) {
    QList<QKeySequence> keys;
    if (view.section == Section::Report && key < 9) keys << QKeySequence(Qt::Key_1 + key++);
    actions.add({kViewAction + view.id, view.title, view.question, view.id, keys, [show, id = view.id] { show(id); }});
  }
}

void addOpenCommands(WindowActions& actions, OpenReports& reports, ReportChooser& chooser) {
  actions.add({"open", tr("Open a report…"), tr("One file, or two to compare"), "open",
               QKeySequence::keyBindings(QKeySequence::Open), [&chooser] { chooser.open(); }});
  actions.add({"open_remote",
               tr("Open from another computer…"),
               tr("A report or trace over ssh"),
               "open",
               {Qt::CTRL | Qt::SHIFT | Qt::Key_O},
               [&chooser] { chooser.openRemote(); }});
  actions.add({"follow",
               tr("Follow a trace…"),
               tr("Shows a trace while a program writes it"),
               "host",
               {},
               [&chooser] { chooser.follow(); },
               {},
               tr("live tail record watch")});
  actions.add({"compare", tr("Compare with…"), tr("Opens a second report beside the first."), "compare", {}, [&chooser] {
                 chooser.compare();
               }});
  actions.add({"add_traces",
               tr("Add traces…"),
               tr("A recording of the host program beside the device, or several traces on one time axis"),
               "host",
               {},
               [&chooser] { chooser.addTracesToShown(); },
               isOne(reports),
               tr("host recording import beside device align")});
  actions.add({"reload",
               tr("Reload"),
               tr("Read the report again"),
               "reload",
               {Qt::CTRL | Qt::Key_R, Qt::Key_F5},
               [&reports] { reports.reload(); },
               isOne(reports)});
  // Closes the tab. If it is the only one and a comparison, closes only the report that was added last.
  actions.add({"close", tr("Close"), tr("Close the report, or the tab"), "close", QKeySequence::keyBindings(QKeySequence::Close),
               [&] {
                 if (reports.tabs().size() > 1)
                   chooser.closeTab(reports.currentTab());
                 else
                   chooser.close(reports.sessions().other ? 1 : 0);
               },
               isOne(reports)});
  const auto areSeveral = [&reports] { return reports.tabs().size() > 1; };
  const auto turn = [&reports](int by) {
    const int count = int(reports.tabs().size());
    if (count > 0) reports.switchTo((reports.currentTab() + by + count) % count);
  };
  actions.add({"next_tab",
               tr("Next report"),
               tr("The tab to the right"),
               "report",
               {Qt::CTRL | Qt::Key_PageDown, Qt::CTRL | Qt::Key_Tab},
               [turn] { turn(1); },
               areSeveral,
               tr("tab switch")});
  actions.add({"previous_tab",
               tr("Previous report"),
               tr("The tab to the left"),
               "report",
               {Qt::CTRL | Qt::Key_PageUp, Qt::CTRL | Qt::SHIFT | Qt::Key_Tab},
               [turn] { turn(-1); },
               areSeveral,
               tr("tab switch")});
}

void addSaveCommands(WindowActions& actions, const OpenReports& reports, const ViewStack& views, LinkTrail& links,
                     ReportBookmarks& bookmarks, const std::function<void()>& savePage) {
  actions.add({"save_picture", tr("Save image…"), tr("The view as it is, as PNG, SVG or PDF"), "save",
               QKeySequence::keyBindings(QKeySequence::Save), [&views] { views.current()->savePicture(); }, isShown(views),
               tr("export png svg pdf picture screenshot")});
  actions.add({"save_page",
               tr("Save as one web page…"),
               tr("The whole report in an HTML file that any browser shows"),
               "save",
               {Qt::CTRL | Qt::SHIFT | Qt::Key_S},
               savePage,
               isOne(reports),
               tr("export html share")});
  actions.add({"save_table",
               tr("Save table…"),
               tr("All rows of the table with the keyboard focus, otherwise of the first table, as CSV, Markdown or JSON"),
               "save",
               {},
               [&views] { views.current()->saveTable(); },
               [&views] { return views.current() && views.current()->tableToSave(); },
               tr("export csv json markdown")});
  actions.add({"copy_link",
               tr("Copy link to this view"),
               tr("Report, view, range and selection as text"),
               "copy",
               {Qt::CTRL | Qt::Key_L},
               [&links] { links.copy(); },
               isOne(reports),
               tr("share url")});
  actions.add({"bookmarks",
               tr("Bookmarks…"),
               tr("Add a note to the current view, to come back to it"),
               "recent",
               {Qt::CTRL | Qt::Key_D},
               [&bookmarks] { bookmarks.show(); },
               isOne(reports)});
}

void addPageCommands(WindowActions& actions, const ViewStack& views) {
  actions.add({"plot_table",
               tr("Show the plot as a table"),
               tr("The values of the plot with the keyboard focus, otherwise of the first plot, as rows"),
               "query",
               {Qt::CTRL | Qt::SHIFT | Qt::Key_T},
               [&views] { views.current()->showAsTable(); },
               isShown(views)});
  actions.add({"tall_tabs",
               tr("Tabs at full height"),
               tr("The tables and maps of the view over the whole page, without the plot above"),
               "tall",
               {Qt::CTRL | Qt::Key_J},
               [&views] { views.current()->toggleTall(PagePart::Tabs); },
               isShown(views)});
  actions.add({"tall_plot",
               tr("Plot at full height"),
               tr("The plot of the view over the whole page, without the tables below"),
               "low",
               {Qt::CTRL | Qt::SHIFT | Qt::Key_J},
               [&views] { views.current()->toggleTall(PagePart::Plot); },
               isShown(views)});
}

void addCompareCommands(WindowActions& actions, const OpenReports& reports, ReportChooser& chooser, ViewState& state,
                        const std::function<void()>& showFullest) {
  const auto show = [&state](Shown shown) { return [&state, shown] { state.setShown(shown); }; };
  actions.add(
      {"show_a", tr("Show report A"), tr("In every view"), "compare", {Qt::ALT | Qt::Key_1}, show(Shown::Base), isTwo(reports)});
  actions.add(
      {"show_b", tr("Show report B"), tr("In every view"), "compare", {Qt::ALT | Qt::Key_2}, show(Shown::Other), isTwo(reports)});
  actions.add({"show_difference",
               tr("Show the difference"),
               tr("From A to B, in every view"),
               "compare",
               {Qt::ALT | Qt::Key_3},
               show(Shown::Difference),
               isTwo(reports)});
  actions.add({"fullest", tr("Show the fullest tile"), tr("In Memory"), "memory", {}, showFullest, [&reports] {
                 const auto shown = reports.shown();
                 return shown && shown->machine().tiles() > 0;
               }});
  actions.add(
      {"swap", tr("Swap reports"), tr("Exchange base and other"), "swap", {}, [&chooser] { chooser.swap(); }, isTwo(reports)});
}

void addLessonCommands(WindowActions& actions, LessonStrip& lesson) {
  const auto has = [&lesson] { return lesson.hasLesson(); };
  const auto go = [&lesson](int by) {
    lesson.bringBack();
    lesson.go(lesson.step() + by);
  };
  actions.add({"lesson",
               tr("Show the lesson"),
               tr("What to look at in the report of a sample, step by step"),
               "help",
               {},
               [&lesson] { lesson.bringBack(); },
               has,
               tr("tutorial story sample start")});
  actions.add({"next_step",
               tr("Next step of the lesson"),
               tr("Opens the view that the step explains"),
               "forward",
               {Qt::Key_F4},
               [go] { go(1); },
               has});
  actions.add({"previous_step",
               tr("Previous step of the lesson"),
               tr("Opens the view that the step explains"),
               "back",
               {Qt::SHIFT | Qt::Key_F4},
               [go] { go(-1); },
               has});
}

void addUnitCommands(WindowActions& actions, ViewState& state) {
  const auto time = [&state](theme::TimeUnit unit) {
    return [&state, unit] { state.setUnits({unit, state.format().units().memory}); };
  };
  const auto memory = [&state](theme::MemoryUnit unit) {
    return [&state, unit] { state.setUnits({state.format().units().time, unit}); };
  };
  actions.add({"cycles", tr("Show cycles"), tr("Unit of time"), "units", {}, time(theme::TimeUnit::Cycles)});
  actions.add({"seconds", tr("Show time"), tr("Unit of time"), "units", {}, time(theme::TimeUnit::Seconds)});
  actions.add({"kib", tr("Show KiB"), tr("Unit of memory"), "units", {}, memory(theme::MemoryUnit::Binary)});
  actions.add({"kb", tr("Show kB"), tr("Unit of memory"), "units", {}, memory(theme::MemoryUnit::Decimal)});
  actions.add({"bytes", tr("Show bytes"), tr("Unit of memory"), "units", {}, memory(theme::MemoryUnit::Bytes)});
}

void addLookCommands(WindowActions& actions, theme::Theme& theme, Settings& settings, NavRail& rail, ViewStack& views,
                     QMainWindow& window) {
  actions.add({"theme", tr("Light or dark"), tr("Change the theme"), "theme", {Qt::CTRL | Qt::Key_T}, [&] {
                 toggleTheme(theme, settings);
               }});
  actions.add({"system_theme", tr("Follow the desktop's theme"), tr("Light or dark, as the desktop is"), "theme", {}, [&] {
                 theme.setScheme(theme::Scheme::System);
                 settings.setScheme(theme::Scheme::System);
               }});
  actions.add({"fold_rail",
               tr("Collapse or expand the list of views"),
               tr("Shows only the icons, or icons and names"),
               "rail",
               {Qt::CTRL | Qt::Key_B},
               [&rail] { rail.setFolded(!rail.isFolded()); }});
  actions.add(
      {"full_screen", tr("Full screen"), tr("Without the frame of the window, and back"), "view", {Qt::Key_F11}, [&window] {
         window.isFullScreen() ? window.showNormal() : window.showFullScreen();
       }});
  actions.add({"reset_panes", tr("Reset panes"), tr("Gives all panes their default sizes"), "view", {}, [&] {
                 resetSplitters(views);
                 settings.remove(kSplitterSettings);
               }});
}

void addWayCommands(WindowActions& actions, ViewState& state, const ViewStack& views, LinkTrail& links, WindowSheets& sheets) {
  actions.add(
      {"search", tr("Search"), tr("Finds views, commands, names and tiles."), "search", {Qt::CTRL | Qt::Key_K}, [&sheets] {
         sheets.showPalette();
       }});
  actions.add(
      {"filter", tr("Filter of the view"), tr("Keeps the rows that contain the words"), "search", {Qt::CTRL | Qt::Key_F}, [&] {
         if (View* view = views.current(); !view || !view->openFilter()) sheets.showPalette();
       }});
  actions.add(
      {"back", tr("Back"), tr("Go to the previous view state"), "back", {Qt::ALT | Qt::Key_Left}, [&links] { links.goBack(); }});
  actions.add(
      {"forward", tr("Forward"), tr("Return to the view state that Back left"), "forward", {Qt::ALT | Qt::Key_Right}, [&state] {
         state.goForward();
       }});
  actions.add({"manual", tr("Manual"), tr("The chapter of this view, and all others"), "help", {Qt::Key_F1}, [&sheets] {
                 sheets.showManual();
               }});
  actions.add({"keys", tr("Keys"), tr("Every key of this view"), "keys", {QKeySequence(QStringLiteral("?"))}, [&sheets] {
                 sheets.showKeys();
               }});
  actions.add({"preferences",
               tr("Preferences…"),
               tr("Theme, text size, units, recent reports, keys"),
               "view",
               {Qt::CTRL | Qt::Key_Comma},
               [&sheets] { sheets.showPreferences(); }});
}

} // namespace ui::shell
