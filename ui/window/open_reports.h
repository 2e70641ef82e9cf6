// The reports that are open in a window: opens them in the background, follows a trace while it is written, and hands new reports over in the
// order of a list of steps.
#pragma once

#include "analyser/compare/pairing.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/view.h"
#include "ui/runs/trace_follower.h"
#include "ui/state/view_link.h"
#include "ui/window/file_watch.h"

#include <optional>

namespace ui::shell {

struct ReportSessions {
  SessionPointer base, other;
  std::vector<SessionPointer> further; // the third to eighth
};

// A link to other reports; or one back to the reports before an earlier link.
struct Journey {
  ViewLink link;
  bool isBack = false;
};

// Other reports replace the open ones, or the same ones are read again.
struct ReportChange {
  ReportSessions sessions;
  QStringList files;
  std::optional<Journey> journey = {};
  bool isSame = false;                          // the same files
  bool isExchanged = false;                     // the same files in another order
  analyser::compare::PairingRules pairing = {}; // made by hand, and valid for these files
};

class OpenReports : public QObject {
  Q_OBJECT

public:
  using Step = std::function<void(const ReportChange&)>;
  struct Steps {
    std::vector<Step> leave; // the previous reports are still open
    std::vector<Step> take;  // the new ones are open
    std::vector<Step> show;  // every part has the new ones
    std::vector<Step> grow;  // instead of all these: a followed trace has grown
  };

  OpenReports(ViewState& state, jobs::JobBoard& jobs);
  void setSteps(Steps steps) { m_steps = std::move(steps); }

  const QStringList& files() const { return m_files; }
  const ReportSessions& sessions() const { return m_sessions; }
  SessionPointer shown() const; // A or B
  bool isOpening() const { return m_open.isBusy(); }
  bool isTaking() const { return m_isTaking; } // the steps of `take` are running

  // One report, or up to kMostReports to compare; a model goes to Run. `view`: shown once they are open. `reload`: copies files on another
  // computer again.
  void open(const QStringList& files, const QString& view = {}, const std::optional<Journey>& journey = {}, bool reload = false);
  void reload();
  void close() { take({}); }
  // Waits for a file that does not exist yet.
  void follow(const QString& file, TraceFollower::StateOf stateOf);
  // Watches the open files from now on, and reports those that changed since they were opened.
  void watch();

signals:
  void finished(bool ok);
  void failed(const reports::Error& error, const QStringList& files);
  void viewRequested(const QString& id);
  // A followed trace could not be read, or does not appear, with the reason.
  void followFailed(const reports::Error& error);
  void followMissed(const QString& why);
  void changedOnDisk(const QString& file);
  void deletedOnDisk(const QString& file);
  void cancelled();

private:
  void take(ReportChange change);
  void takeGrown(const SessionPointer& session);
  analyser::compare::PairingRules pairingFor(const QStringList& files) const;

  ViewState& m_state;
  jobs::LatestJob<ReportSessions> m_open;
  Steps m_steps;
  ReportSessions m_sessions;
  QStringList m_files;
  bool m_isTaking = false;
  FileWatch m_watch;
  std::unique_ptr<TraceFollower> m_follower;
  QStringList m_followed; // the open files, if they come from the follower
};

} // namespace ui::shell
