// The run that tries a change: the command line a report was made with, and the options of the trial in place of its own.
#pragma once

#include <QString>
#include <QStringList>

namespace analyser {
class Session;
}

namespace ui::shell {

struct TrialRun {
  QString graph; // a sample's name or a file; empty: the report does not say what it was made from
  QStringList options;
};
// `commandLine` is the report's, `workload` the name of what ran. Options that the trial names, and those that say where to
// write, are left out of the old ones.
TrialRun trialRun(const QString& commandLine, const QString& workload, const QStringList& trial);
// Where the run of a report looked for files: the folder that the report names, or its own where that is not on this computer.
QString folderOfRun(const analyser::Session& session);
// The run with whole names of the files in `folder` that it reads, so that it finds them from anywhere. The graph is a file where `isModel`
// says so or its name does: a sample keeps its name beside a folder that is called alike.
TrialRun withWholeNames(TrialRun run, const QString& folder, bool isModel);
// The same for the run that made an open report, with whole names.
TrialRun trialRun(const analyser::Session& session, const QStringList& trial);

// The same for ViewState::requestRun: the graph and the words of the options, a line each. Empty: the report cannot be run again.
QString trialRequest(const analyser::Session& session, const QStringList& trial);

} // namespace ui::shell
