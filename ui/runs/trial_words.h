// The run that tries a change: the run that made a report, with the options of the trial instead of its own. A stranger may have made the
// report: analyser/session/repeat.h says which of its options are used. Files that it names are read only after the user agreed.
#pragma once

#include <QString>
#include <QStringList>

namespace analyser {
class Session;
}

namespace ui::shell {

struct TrialRun {
  QString graph;       // a sample's name or a file; empty: the report does not say what it was made from
  QStringList options; // words; they name no file
  QStringList reading; // words of the options that read files
  QStringList left;    // names of the report's options that a report may not set, but for those of one call (-o, --json, …)
  QStringList files;   // all that the run reads: of `reading`, and the graph if it is one; set by withWholeNames()

  QStringList words() const { return options + reading; }
};
// `commandLine` is the report's, `workload` the name of what ran. Options that the trial names are left out of the old ones.
TrialRun trialRun(const QString& commandLine, const QString& workload, const QStringList& trial);
// Where the run of a report looked for files: the folder that the report names, or its own where that is not on this computer.
QString folderOfRun(const analyser::Session& session);
// The run with whole names of the files in `folder` that it reads, so that it finds them from anywhere. The graph is a file where `isModel`
// says so or its name does: a sample keeps its name beside a folder that is called alike.
TrialRun withWholeNames(TrialRun run, const QString& folder, bool isModel);
// The same for the run that made an open report, with whole names.
TrialRun trialRun(const analyser::Session& session, const QStringList& trial);
// The command line of the trial, for people.
QString trialLine(const analyser::Session& session, const QStringList& trial);
// Whether the report says which run made it.
bool canRunAgain(const analyser::Session& session);

} // namespace ui::shell
