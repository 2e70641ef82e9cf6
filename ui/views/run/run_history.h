// The runs of this window and of those before it: settings, outcome and report, in one JSON file that survives restarts.
#pragma once

#include "ui/views/run/run_process.h"

#include <optional>
#include <vector>

namespace ui::run {

struct PastRun {
  QString title, commandLine, report, message; // message: what a failed run said last
  QString startedUtc;                          // ISO 8601
  Outcome outcome = Outcome::Running;
  double seconds = 0;
};

QString runsFolder(); // reports of runs, and the history

class RunHistory {
public:
  explicit RunHistory(QString file = runsFolder() + QStringLiteral("/history.json"));
  const std::vector<PastRun>& runs() const { return m_runs; } // oldest first
  std::size_t add(PastRun run);                               // its index
  void change(std::size_t index, const PastRun& run);

private:
  void load();
  void save() const;
  QString m_file;
  std::vector<PastRun> m_runs;
};

} // namespace ui::run
