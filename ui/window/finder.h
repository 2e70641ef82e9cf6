// The search over the open report, as commands of the palette: each result opens its view. Names are read in the background when
// the palette is first opened, so that a window without a search has no cost.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/state/report_file.h"
#include "ui/window/command_palette.h"
#include "ui/window/report_index.h"

namespace ui::shell {

class ViewState;

class Finder : public QObject {
  Q_OBJECT

public:
  Finder(ViewState& state, jobs::JobBoard& jobs, QObject* parent = nullptr);
  void setSession(SessionPointer session);
  // Starts to read the names unless that has begun.
  void prepare();
  bool isReading() const { return m_job.isBusy(); }
  // The tiles, operations, program steps and variables that match the typed text.
  std::vector<Command> find(const QString& typed);

signals:
  void changed(); // more can be found
  void viewRequested(const QString& id);

private:
  Command commandOf(const NamedThing& thing);
  void addTiles(std::vector<Command>& list, const QString& typed);
  void addRange(std::vector<Command>& list, const QString& typed);

  ViewState& m_state;
  SessionPointer m_session;
  QString m_problem; // why the names could not be read
  jobs::LatestJob<ReportIndex> m_job;
};

} // namespace ui::shell
