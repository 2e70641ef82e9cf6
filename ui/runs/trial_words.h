// The run that tries a change: the run that made a report, with the options of the trial added or replaced. A stranger may have
// made the report: analyser/session/repeat.h says which of its options are used. Files that it names are read only after the user
// agreed.
#pragma once

#include <QString>
#include <QStringList>

namespace analyser {
class Session;
}

namespace ui::shell {

struct TrialRun {
  QString graph;       // a sample's name or a file; empty: the report does not name it
  QStringList options; // words; none names a file
  QStringList reading; // words of the options that read files
  QStringList left;    // names of the options that a report may not set, except those of one call (-o, --json, …)
  QStringList files;   // all files that the run reads: those of `reading`, and the graph if it is a file; set by withWholeNames()

  QStringList words() const { return options + reading; }
};
// `commandLine` is the report's, `workload` the name of what ran. Options of the trial replace the old ones.
TrialRun trialRun(const QString& commandLine, const QString& workload, const QStringList& trial);
// The working directory of a report's run. If it does not exist here, the report's own folder.
QString folderOfRun(const analyser::Session& session);
// The same run with absolute names of the files that it reads, so that it can start in any folder; relative names start at
// `folder`. The graph is a file if `isModel` says so or if its name shows it; a sample keeps its name even if `folder` contains a
// folder of that name.
TrialRun withWholeNames(TrialRun run, const QString& folder, bool isModel);
// Like the other trialRun(), for the run that made an open report, with absolute names.
TrialRun trialRun(const analyser::Session& session, const QStringList& trial);
// The command line of the trial, to be displayed.
QString trialLine(const analyser::Session& session, const QStringList& trial);
// The title of a trial on a button: several changes on several lines.
QString inLines(const QString& title);
// Whether the report names the run that made it.
bool canRunAgain(const analyser::Session& session);

} // namespace ui::shell
