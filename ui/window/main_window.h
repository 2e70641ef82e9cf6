// The window: rail, top bar, content, status line. It composes the parts that open reports, show views and follow links, sets the
// order in which they take over other reports, and shows every failure as a bar over the content. It knows views only through
// ViewList.
#pragma once

#include "ui/jobs/job_board.h"
#include "ui/state/view_state.h"
#include "ui/tables/row_menu.h"
#include "ui/theme/theme.h"
#include "ui/window/findings_reader.h"
#include "ui/window/link_trail.h"
#include "ui/window/memory_warning.h"
#include "ui/window/open_reports.h"
#include "ui/window/page_saver.h"
#include "ui/window/session_offer.h"
#include "ui/window/view_stack.h"
#include "ui/window/window_caption.h"

#include <QMainWindow>

class QTimer;

namespace ui::shell {

class Finder;
class LessonStrip;
class LinkNavigator;
class MessageBar;
class NavRail;
class ReportBookmarks;
class ReportChooser;
class StatusLine;
class SubjectWays;
class TabStrip;
class TopBar;
class WindowActions;
class WindowSheets;

class MainWindow : public QMainWindow, public tables::RowGuide {
  Q_OBJECT

public:
  MainWindow(theme::Theme& theme, Settings& settings, ViewList views);
  ~MainWindow() override;

  // Opens one report, or up to kMostReports to compare, the first being the base; a model goes to Run. Emits openFinished at the
  // end; after a failure the open reports stay. `view` is shown once the reports are open; empty: the initial view of a new
  // report.
  void openReports(const QStringList& files, const QString& view = {}) { m_reports.open(files, view); }
  // Shows a trace while it is written: each state replaces the previous one, and the visible part stays the same. Waits for a
  // file that does not exist yet.
  void follow(const QString& file, TraceFollower::StateOf stateOf);
  // Shows a view; an unknown id is ignored.
  void showView(const QString& id);
  bool hasView(const QString& id) const { return m_stack->entryOf(id) != nullptr; }
  // Stores geometry and location for the next window. Called soon after every change, and when the window is closed.
  void keep();
  // Stores only the location. Called every few seconds, because filters and tabs do not signal their changes.
  void keepPlace();
  View* currentView() const { return m_stack->current(); }
  const ViewList& views() const { return m_stack->list(); }
  bool isOpening() const { return m_reports.isOpening(); }
  const std::vector<ReportTab>& openTabs() const { return m_reports.tabs(); }
  // See LinkTrail.
  void openLink(const ViewLink& link) { m_trail.open(link); }
  void offerLink(const ViewLink& link) { m_trail.offer(link); }
  // See SessionOffer::make.
  void offerSession(const QString& before = {}) { m_offer.make(before); }
  ViewState& state() { return m_state; }
  // The menu entries from a row of any table to the views.
  std::vector<Way> waysOf(const analyser::columns::Subject& subject) const override;
  QString titleOf(const analyser::columns::Subject& subject) const override;
  // The text of the message bar; empty when none is shown.
  QString message() const;

signals:
  void openFinished(bool ok);
  void newWindowRequested(const QStringList& files); // none: an empty one
  void reportsChanged(const QStringList& files);     // other reports are open now
  void logFolderRequested();
  void followRequested(const QString& file); // the user wants to follow a trace; answered by follow()

protected:
  void moveEvent(QMoveEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

private:
  void buildLayout();
  void setSteps();
  void connectReports();
  void connectViews();
  void connectTop();
  void addCommands();
  void begin(const ReportChange& change);
  void present(const QString& id);
  void changeShown();
  void readFindings();
  void updateSelection();
  void showFullestTile();

  theme::Theme& m_theme;
  Settings& m_settings;
  jobs::JobBoard m_jobs;
  ViewState m_state;
  OpenReports m_reports;
  PageSaver m_pages;
  FindingsReader m_findings;
  ViewStack* m_stack;
  NavRail* m_rail;
  TopBar* m_top;
  TabStrip* m_tabs;
  StatusLine* m_status;
  MessageBar* m_message;
  LessonStrip* m_lesson;
  LinkNavigator* m_links;
  LinkTrail m_trail;
  SubjectWays* m_ways;
  WindowCaption m_caption;
  MemoryWarning m_warning;
  SessionOffer m_offer;
  ReportBookmarks* m_bookmarks;
  ReportChooser* m_chooser;
  Finder* m_finder;
  WindowActions* m_actions;
  WindowSheets* m_sheets;
  QTimer* m_geometry; // the geometry is stored soon after every change: a crash must not lose it
  bool m_narrow = false;
  bool m_closingAsked = false;
};

} // namespace ui::shell
