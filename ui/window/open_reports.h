// The reports that are open in a window, one tab for each report or comparison. Opens them in the background, follows a trace
// while it is written, and calls a list of steps in order when the reports change. Other parts of the window know only the
// current tab; ReportTab keeps the data of the others.
#pragma once

#include "analyser/compare/pairing.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/view.h"
#include "ui/runs/trace_follower.h"
#include "ui/state/view_link.h"
#include "ui/state/view_state.h"
#include "ui/window/file_watch.h"

#include <map>
#include <optional>
#include <vector>

namespace ui::shell {

struct ReportSessions {
  SessionPointer base, other;
  std::vector<SessionPointer> further; // the third to eighth
  std::vector<SessionPointer> all() const;
};

// A link that leads to other reports, or (isBack) the way back to the reports before an earlier link.
struct Journey {
  ViewLink link;
  bool isBack = false;
};

// The change that the steps get: other reports are open, or the same reports were read again.
struct ReportChange {
  ReportSessions sessions;
  QStringList files;
  std::optional<Journey> journey = {};
  bool isSame = false;                          // the same files
  bool isExchanged = false;                     // the same files in another order
  analyser::compare::PairingRules pairing = {}; // made by hand, and valid for these files
};

struct ReportTab {
  QStringList files;
  ReportSessions sessions;                      // shared with other tabs that have the same file
  analyser::compare::PairingRules pairing = {}; // kept while the tab is not current
  ViewState::Trail trail = {};                  // Back and Forward, kept while the tab is not current
};

class OpenReports : public QObject {
  Q_OBJECT

public:
  using Step = std::function<void(const ReportChange&)>;
  struct Steps {
    std::vector<Step> leave; // called while the previous reports are open
    std::vector<Step> take;  // called once the new ones are open
    std::vector<Step> show;  // called after all of `take`
    std::vector<Step> grow;  // called instead of the others: a followed trace has grown
  };

  OpenReports(ViewState& state, jobs::JobBoard& jobs);
  void setSteps(Steps steps) { m_steps = std::move(steps); }

  // The files of the current tab; empty if nothing is open.
  const QStringList& files() const { return current().files; }
  const ReportSessions& sessions() const { return current().sessions; }
  const std::vector<ReportTab>& tabs() const { return m_tabs; }
  int currentTab() const { return m_current; } // -1: none
  SessionPointer shown() const;                // A or B
  bool isOpening() const { return m_open.isBusy(); }
  bool isTaking() const { return m_isTaking; } // the steps of `take` are running

  // Opens one report, or up to kMostReports to compare, in the tab that has them or else in a new one; a model goes to Run.
  // `view` is shown once they are open. `reload` copies files on another computer again.
  void open(const QStringList& files, const QString& view = {}, const std::optional<Journey>& journey = {}, bool reload = false);
  // Opens reports in place of those of the current tab.
  void change(const QStringList& files);
  void reload();
  void switchTo(int tab);
  void closeTab(int tab); // its neighbour becomes the current tab
  void close() { closeTab(m_current); }
  // Compares the reports of two tabs, in a tab of their own.
  void compareTabs(int tab, int with);
  // Opens the tabs of an earlier window, one after the other.
  void restore(QList<QStringList> tabs);
  // Waits for a file that does not exist yet.
  void follow(const QString& file, TraceFollower::StateOf stateOf);
  // Watches the open files from now on, and signals files that have changed since they were opened.
  void watch();

signals:
  void tabsChanged();
  void finished(bool ok);
  void failed(const reports::Error& error, const QStringList& files);
  void viewRequested(const QString& id);
  // The reason why a followed trace could not be read; followMissed(): why it does not exist.
  void followFailed(const reports::Error& error);
  void followMissed(const QString& why);
  void changedOnDisk(const QString& file);
  void deletedOnDisk(const QString& file);
  void cancelled();

private:
  enum class Where { OwnTab, Here };
  void start(const QStringList& files, const QString& view, const std::optional<Journey>& journey, bool reload, Where where);
  void take(ReportChange change, Where where = Where::OwnTab);
  void hand(ReportChange change, int tab, bool hasLeft = false); // hasLeft: the steps of `leave` have run
  void keepCurrent();
  void restoreNext();
  void takeGrown(const SessionPointer& session);
  int tabOf(const QStringList& files) const; // -1: none
  const ReportTab& current() const { return m_current < 0 ? m_none : m_tabs[std::size_t(m_current)]; }
  std::map<QString, SessionPointer> known(const QStringList& files) const;
  analyser::compare::PairingRules pairingFor(const QStringList& files, int tab) const;

  ViewState& m_state;
  jobs::LatestJob<ReportSessions> m_open;
  Steps m_steps;
  std::vector<ReportTab> m_tabs;
  int m_current = -1;
  const ReportTab m_none;
  QList<QStringList> m_toRestore; // the next one is the last of the list
  bool m_isTaking = false;
  FileWatch m_watch;
  std::unique_ptr<TraceFollower> m_follower;
  QStringList m_followed; // the files of the tab that comes from the follower
};

} // namespace ui::shell
