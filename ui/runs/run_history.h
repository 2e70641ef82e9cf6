// The runs of this window and of those before it: settings, outcome, figures and report, in one JSON file that survives restarts.
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace ui::shell {

enum class Outcome { Running, Finished, DoesNotFit, Failed, Crashed, Cancelled, Queued };

// Figures of the report that a run wrote.
struct RunResult {
  int64_t cycles = 0;               // of all runs of the program
  double seconds = 0;               // time of these cycles at the machine's clock
  std::optional<double> sampleTime; // seconds for each sample; nothing: the report does not say how many samples it processed
  int64_t fullestTile = 0;          // bytes without gaps
  friend bool operator==(const RunResult&, const RunResult&) = default;
};

struct PastRun {
  int64_t id = -1;                             // given by the history; not the same after a restart
  QString title, commandLine, report, message; // message: the last output line of a failed run
  QString startedUtc;                          // ISO 8601
  Outcome outcome = Outcome::Running;
  double seconds = 0;
  QString name, note, tags; // set by the user; an empty name shows the title; commas separate tags
  std::optional<RunResult> result;

  const QString& shownName() const { return name.isEmpty() ? title : name; }
};

QString runsFolder(); // folder of the reports of runs, and of the history

class RunHistory {
public:
  explicit RunHistory(QString file = runsFolder() + QStringLiteral("/history.json"));
  const std::vector<PastRun>& runs() const { return m_runs; } // oldest first
  const PastRun* find(int64_t id) const;                      // valid until the next change; null: there is none
  int64_t add(PastRun run);                                   // returns its id
  void change(const PastRun& run);                            // replaces the run with this id; does nothing if that was removed
  void remove(const std::vector<int64_t>& ids);               // the list only: reports are files

private:
  void load();
  void save() const;
  QString m_file;
  std::vector<PastRun> m_runs;
  int64_t m_next = 0;
};

} // namespace ui::shell
