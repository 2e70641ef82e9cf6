#include "ui/views/run/run_history.h"
#include "ui/theme/whole_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

namespace ui::run {

namespace {

constexpr std::size_t kMostRuns = 500;
constexpr qint64 kMostBytes = 64 * 1024 * 1024; // read: a longer file is not a list of runs

const std::pair<Outcome, const char*> kOutcomes[] = {{Outcome::Finished, "finished"},   {Outcome::DoesNotFit, "does_not_fit"},
                                                     {Outcome::Failed, "failed"},       {Outcome::Crashed, "crashed"},
                                                     {Outcome::Cancelled, "cancelled"}, {Outcome::Running, "running"},
                                                     {Outcome::Queued, "queued"}};

QString outcomeName(Outcome outcome) {
  for (const auto& [value, name] : kOutcomes)
    if (value == outcome) return QString::fromLatin1(name);
  return {};
}

// A run that was under way or waited when the window ended has ended with it.
Outcome outcomeOf(const QString& name) {
  for (const auto& [value, known] : kOutcomes)
    if (name == QLatin1String(known)) return value == Outcome::Running || value == Outcome::Queued ? Outcome::Cancelled : value;
  return Outcome::Cancelled;
}

} // namespace

QString runsFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/tilescope/runs");
}

RunHistory::RunHistory(QString file) : m_file(std::move(file)) { load(); }

std::size_t RunHistory::add(PastRun run) {
  m_runs.push_back(std::move(run));
  save();
  return m_runs.size() - 1;
}

void RunHistory::change(std::size_t index, const PastRun& run) {
  m_runs.at(index) = run;
  save();
}

void RunHistory::load() {
  QFile file(m_file);
  if (!QFileInfo(m_file).isFile()) return; // opening a FIFO would wait for somebody to write into it
  if (!file.open(QIODevice::ReadOnly) || file.size() > kMostBytes) return;
  for (const QJsonValue value : QJsonDocument::fromJson(file.readAll()).array()) {
    const QJsonObject run = value.toObject();
    const auto text = [&](const char* name) { return run.value(QLatin1String(name)).toString(); };
    if (text("title").isEmpty()) continue;
    m_runs.push_back({text("title"), text("command_line"), text("report"), text("message"), text("started_utc"),
                      outcomeOf(text("outcome")), run.value(QStringLiteral("seconds")).toDouble()});
  }
  if (m_runs.size() > kMostRuns) m_runs.erase(m_runs.begin(), m_runs.end() - kMostRuns);
}

// Errors are ignored: a history that cannot be written must not stop a run.
void RunHistory::save() const {
  QJsonArray list;
  for (std::size_t i = m_runs.size() > kMostRuns ? m_runs.size() - kMostRuns : 0; i < m_runs.size(); ++i) {
    const PastRun& run = m_runs[i];
    list.append(QJsonObject{{"title", run.title},
                            {"command_line", run.commandLine},
                            {"report", run.report},
                            {"message", run.message},
                            {"started_utc", run.startedUtc},
                            {"outcome", outcomeName(run.outcome)},
                            {"seconds", run.seconds}});
  }
  QDir().mkpath(QFileInfo(m_file).absolutePath());
  theme::writeWhole(m_file, QJsonDocument(list).toJson()); // where it cannot be written, the runs of before stay
}

} // namespace ui::run
