// The window: rail, top bar, content, status line. It opens reports in the background, hands them to the views, and turns
// every failure into a bar over the content. It knows views only through ViewList.
#pragma once

#include "ui/jobs/job_board.h"
#include "ui/jobs/latest_job.h"
#include "ui/shell/findings_reader.h"
#include "ui/shell/page_saver.h"
#include "ui/shell/trace_follower.h"
#include "ui/shell/view.h"
#include "ui/shell/view_link.h"
#include "ui/shell/view_state.h"
#include "ui/theme/theme.h"

#include <QMainWindow>

#include <map>
#include <optional>
#include <set>

class QStackedWidget;
class QTimer;

namespace ui::shell {

class BookmarkSheet;
class CommandPalette;
class DropSheet;
class FileWatch;
class Finder;
class HelpSheet;
class LinkNavigator;
class Manual;
class MessageBar;
class NavRail;
class RemoteSheet;
class StatePage;
class StatusLine;
class TopBar;
class WindowActions;
struct Command;
struct DropPlan;

class MainWindow : public QMainWindow {
  Q_OBJECT

public:
  MainWindow(theme::Theme& theme, Settings& settings, ViewList views);
  ~MainWindow() override;

  // One report, or up to kMostReports to compare, the first being the base; a model goes to Run. Reports end with openFinished; on failure
  // what was open stays. `view`: shown once they are open; empty: the one that a new report begins with.
  void openReports(const QStringList& files, const QString& view = {});
  // Shows a trace while it is written: each state takes the place of the one before, and what is shown stays where it is. A file that is not
  // there yet is waited for.
  void follow(const QString& file, TraceFollower::StateOf stateOf);
  // Shows a view; an unknown id is ignored.
  void showView(const QString& id);
  bool hasView(const QString& id) const;
  // Remembers geometry and place for the next window; done by itself soon after every change, and when the window is closed.
  void keep();
  // The same of the place alone; done every few seconds too, since filters and tabs tell nobody that they changed.
  void keepPlace();
  View* currentView() const;
  const ViewList& views() const { return m_views; }
  bool isOpening() const { return m_open.isBusy(); }
  // Opens the link's reports if they are not open, and goes where it leads.
  // A link to a view that this window does not have changes nothing and is said.
  // A report on another computer is fetched only once the user agreed.
  void openLink(const ViewLink& link);
  // A link that came from outside, from a web page or a mail: it is shown, and followed when the user says so.
  void offerLink(const ViewLink& link);
  // Offers to open what was open when the last windows ended, each in a window of its own; says `before` first where it is not empty.
  void offerSession(const QString& before = {});
  ViewState& state() { return m_state; }
  // The text of the message bar; empty when none is shown.
  QString message() const;

signals:
  void openFinished(bool ok);
  void newWindowRequested(const QStringList& files); // none: an empty one
  void reportsChanged(const QStringList& files);     // other ones are open now
  void logFolderRequested();

protected:
  void moveEvent(QMoveEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

private:
  struct Sessions {
    SessionPointer base, other;
    std::vector<SessionPointer> further; // the third to eighth
  };
  void buildLayout();
  void buildActions();
  void addActions();
  void addViewActions();
  void addReportActions();
  void addLookActions();
  // A link to other reports; or one back to those that an earlier link led away from.
  struct Journey {
    ViewLink link;
    bool isBack = false;
  };
  // `reload`: what is on another computer is copied again.
  void open(const QStringList& files, const std::optional<Journey>& journey, const QString& view = {}, bool reload = false);
  bool leadsSomewhere(const ViewLink& link) const;
  void keepLeft(const std::optional<Journey>& journey);
  void adopt(const Sessions& sessions, const QStringList& files, const std::optional<Journey>& journey = {});
  // The pairs made by hand that still hold for these files: those of the same two reports, also when they are swapped.
  analyser::compare::PairingRules pairingFor(const QStringList& files) const;
  void adoptGrown(const SessionPointer& session);
  void setFigures(const SessionPointer& shown);
  void updateChips();
  void present(const QString& id);
  void readFindings(const ViewEntry& entry);
  View* viewFor(const ViewEntry& entry, bool difference);
  // Whether a view shows, now, one of two reports, and which.
  bool showsDifference(const ViewEntry& entry) const;
  SessionPointer shownSession() const;
  void changeShown(Shown shown);
  void updateShown();
  const ViewEntry* entryOf(const QString& id) const;
  bool meets(const ViewEntry& entry) const;
  void takeDrop(const DropPlan& plan, bool besideOpen);
  void chooseAndOpen();
  void chooseRemote();
  void chooseAndCompare();
  void closeReport(int which);
  void reload();
  void swapReports();
  void runAgain(int report);
  void makeOther(int report); // one of the further reports becomes B
  void toggleTheme();
  void showPalette();
  void showHelp();
  void showManual();
  void showPreferences();
  void copyLink();
  void goBack();
  void savePage(const SessionPointer& session);
  void showBookmarks();
  void markBookmarks();
  void connectBookmarks();
  void updateSelection();
  void showFullestTile();
  QString outOfMemoryText() const;
  void warnOfMemory();
  // Without room for what Summary and Memory begin with, too: 1024x600 and 1080p at 200 % are.
  bool isLow() const { return height() < 640; }
  void resetPanes();
  std::vector<Command> commands() const;

  theme::Theme& m_theme;
  Settings& m_settings;
  ViewList m_views;
  jobs::JobBoard m_jobs;
  ViewState m_state;
  jobs::LatestJob<Sessions> m_open;
  PageSaver m_pages;
  FindingsReader m_findings;
  Sessions m_sessions;
  QStringList m_files;
  using Made = std::pair<QString, bool>; // a view by its id, and whether it is the one of its difference
  std::map<Made, View*> m_made;
  std::set<Made> m_stale; // views that have not seen the present sessions
  QString m_shown;
  bool m_narrow = false;
  bool m_closingAsked = false;
  bool m_adopting = false; // other reports are being handed out
  NavRail* m_rail;
  TopBar* m_top;
  StatusLine* m_status;
  MessageBar* m_message = nullptr;
  bool m_isWarningDismissed = false; // that these reports do not fit
  QStackedWidget* m_stack;
  StatePage* m_unmet;
  WindowActions* m_actions;
  CommandPalette* m_palette;
  HelpSheet* m_help;
  BookmarkSheet* m_bookmarks;
  QString m_bookmarkFile; // of the list that the sheet shows, whatever report was opened since
  RemoteSheet* m_remote;
  Manual* m_manual = nullptr; // made when first asked for
  LinkNavigator* m_links;
  std::vector<ViewLink> m_left; // places of other reports that links led away from, for Back
  DropSheet* m_drop;
  FileWatch* m_watch;
  std::unique_ptr<TraceFollower> m_follower;
  QStringList m_followed; // what is open, if it is of the follower
  Finder* m_finder;
  QStringList m_offered; // sessions by their processes: gone once something is open here
  QTimer* m_geometry;    // the place is remembered soon after every change: a crash must not lose it
};

} // namespace ui::shell
