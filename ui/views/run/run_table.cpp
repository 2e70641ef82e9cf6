#include "ui/views/run/run_table.h"

#include "ui/theme/format.h"
#include "ui/views/run/run_changes.h"
#include "ui/views/run/run_settings.h"

#include <QDateTime>
#include <QFileInfo>
#include <QHash>
#include <QObject>

namespace ui::run {

namespace {
QString outcomeText(Outcome outcome) {
  switch (outcome) {
  case Outcome::Running: return QObject::tr("running");
  case Outcome::Finished: return QObject::tr("finished");
  case Outcome::DoesNotFit: return QObject::tr("does not fit");
  case Outcome::Failed: return QObject::tr("failed");
  case Outcome::Crashed: return QObject::tr("crashed");
  case Outcome::Cancelled: return QObject::tr("cancelled");
  case Outcome::Queued: return QObject::tr("waiting");
  }
  return {};
}

// For each run, the settings that changed since the previous run of the same graph.
std::vector<QString> changesOf(const std::vector<PastRun>& runs) {
  std::vector<QString> changes(runs.size());
  QHash<QString, RunRequest> last;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto request = requestFromCommandLine(runs[i].commandLine, shell::runsFolder());
    if (!request) continue;
    if (const auto before = last.find(request->graph); before != last.end()) changes[i] = changesBetween(*before, *request);
    last[request->graph] = *request;
  }
  return changes;
}
} // namespace

QString progressText(const QString& phase, double fraction, double seconds) {
  const auto whole = int64_t(seconds);
  const QString since = whole < 60 ? QObject::tr("%1 s").arg(whole) : QObject::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
  const QString now = phase.isEmpty() ? QObject::tr("starting")
                      : fraction > 0  ? QStringLiteral("%1 %2").arg(phase, theme::percent(fraction))
                                      : phase;
  return QStringLiteral("%1, %2").arg(since, now); // a narrow cell cuts off the phase, not the time
}

std::shared_ptr<const tables::Table> runTable(const std::vector<PastRun>& runs, const std::map<int64_t, QString>& progress) {
  using tables::Kind;
  auto table = std::make_shared<tables::Table>();
  const auto number = [](const char* id, const QString& title, Kind kind, const QString& tip) {
    return tables::optional({QString::fromLatin1(id), title, kind, tip, 72});
  };
  table->columns = {
      {"run", QObject::tr("Run"), Kind::Text, QObject::tr("Graph and settings of the run, or the name that you gave it")},
      tables::optional({"changed", QObject::tr("Changed"), Kind::Text,
                        QObject::tr("Settings that differ from those of the previous run of the same graph")}),
      {"outcome", QObject::tr("Outcome"), Kind::Text,
       QObject::tr("How the run ended; while it runs, the elapsed time and the phase")},
      {"cycles", QObject::tr("Cycles"), Kind::Count, QObject::tr("Simulated cycles of all iterations"), 72},
      {"fullest", QObject::tr("Fullest tile"), Kind::Bytes,
       QObject::tr("Memory of the fullest tile, without gaps, as in Summary and in the forecast"), 80},
      number("sample", QObject::tr("Per sample"), Kind::Nanoseconds, QObject::tr("Simulated time of each sample")),
      tables::optional({"note", QObject::tr("Note"), Kind::Text, QObject::tr("Your note on the run")}),
      tables::optional({"tags", QObject::tr("Tags"), Kind::Text, QObject::tr("Your tags, which Ctrl+K and the filter find")}),
      number("time", QObject::tr("Time"), Kind::Nanoseconds,
             QObject::tr("Simulated time: cycles / clock frequency of the machine")),
      tables::optional({"started", QObject::tr("Started"), Kind::Text, QObject::tr("Local time")}),
      number("took", QObject::tr("Took"), Kind::Nanoseconds, QObject::tr("Time of the whole run on this computer")),
      number("report", QObject::tr("Report"), Kind::Bytes, QObject::tr("Size of the report"))};
  const std::vector<QString> changes = changesOf(runs);
  for (std::size_t i = runs.size(); i-- > 0;) {
    const PastRun& run = runs[i];
    const QFileInfo report(run.report);
    tables::Row row;
    row.id = run.id;
    const QDateTime started = QDateTime::fromString(run.startedUtc, Qt::ISODate).toLocalTime();
    const bool isToday = started.date() == QDate::currentDate();
    const RunResult result = run.result.value_or(RunResult());
    const auto now = progress.find(run.id);
    const auto nanoseconds = [](double seconds) { return tables::cellIf(seconds > 0, int64_t(seconds * 1e9)); };
    row.cells = {run.shownName(),
                 changes[i],
                 now != progress.end() ? now->second : outcomeText(run.outcome),
                 tables::cellIf(run.result.has_value(), result.cycles),
                 tables::cellIf(run.result.has_value(), result.fullestTile),
                 nanoseconds(result.sampleTime.value_or(0)),
                 run.note,
                 run.tags,
                 nanoseconds(result.seconds),
                 started.toString(isToday ? QStringLiteral("hh:mm") : QStringLiteral("MM-dd hh:mm")),
                 nanoseconds(run.seconds)};
    row.cells.push_back(tables::cellIf(report.exists(), int64_t(report.size())));
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::run
