#include "ui/runs/run_history.h"

#include "ui/theme/whole_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

#include <algorithm>

namespace ui::shell {

namespace {

constexpr std::size_t kMostRuns = 500;
constexpr qint64 kMostBytes = 64 * 1024 * 1024; // largest file that is read: a longer one is not a list of runs

const std::pair<Outcome, const char*> kOutcomes[] = {{Outcome::Finished, "finished"},   {Outcome::DoesNotFit, "does_not_fit"},
                                                     {Outcome::Failed, "failed"},       {Outcome::Crashed, "crashed"},
                                                     {Outcome::Cancelled, "cancelled"}, {Outcome::Running, "running"},
                                                     {Outcome::Queued, "queued"}};

QString outcomeName(Outcome outcome) {
  for (const auto& [value, name] : kOutcomes)
    if (value == outcome) return QString::fromLatin1(name);
  return {};
}

// A stored run that is running or queued was cancelled when its window ended.
Outcome outcomeOf(const QString& name) {
  for (const auto& [value, known] : kOutcomes)
    if (name == QLatin1String(known)) return value == Outcome::Running || value == Outcome::Queued ? Outcome::Cancelled : value;
  return Outcome::Cancelled;
}

// Results with the older key "fullest_tile_bytes" count gaps, so they are read again from their reports.
const QString kFullest = QStringLiteral("fullest_tile_without_gaps_bytes");

// A JSON number is a double, which holds whole numbers up to 2^53.
std::optional<RunResult> resultOf(const QJsonObject& result) {
  const double cycles = result.value(QStringLiteral("cycles")).toDouble(-1);
  const double fullest = result.value(kFullest).toDouble(-1);
  constexpr double kMost = 9007199254740992;
  if (!(cycles >= 0 && cycles <= kMost && fullest >= 0 && fullest <= kMost)) return std::nullopt;
  RunResult read{int64_t(cycles), result.value(QStringLiteral("seconds")).toDouble(), std::nullopt, int64_t(fullest)};
  if (const double time = result.value(QStringLiteral("seconds_per_sample")).toDouble(); time > 0) read.sampleTime = time;
  return read;
}

QJsonObject jsonOf(const RunResult& result) {
  QJsonObject json{{"cycles", double(result.cycles)}, {"seconds", result.seconds}, {kFullest, double(result.fullestTile)}};
  if (result.sampleTime) json["seconds_per_sample"] = *result.sampleTime;
  return json;
}

} // namespace

QString runsFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/tilescope/runs");
}

RunHistory::RunHistory(QString file) : m_file(std::move(file)) { load(); }

const PastRun* RunHistory::find(int64_t id) const {
  const auto found = std::find_if(m_runs.begin(), m_runs.end(), [&](const PastRun& run) { return run.id == id; });
  return found == m_runs.end() ? nullptr : &*found;
}

int64_t RunHistory::add(PastRun run) {
  run.id = m_next++;
  m_runs.push_back(std::move(run));
  save();
  return m_runs.back().id;
}

void RunHistory::change(const PastRun& run) {
  for (PastRun& known : m_runs)
    if (known.id == run.id) known = run;
  save();
}

void RunHistory::remove(const std::vector<int64_t>& ids) {
  std::erase_if(m_runs, [&](const PastRun& run) { return std::find(ids.begin(), ids.end(), run.id) != ids.end(); });
  save();
}

void RunHistory::load() {
  QFile file(m_file);
  if (!QFileInfo(m_file).isFile()) return; // opening a FIFO would wait for a writer
  if (!file.open(QIODevice::ReadOnly) || file.size() > kMostBytes) return;
  for (const QJsonValue value : QJsonDocument::fromJson(file.readAll()).array()) {
    const QJsonObject run = value.toObject();
    const auto text = [&](const char* name) { return run.value(QLatin1String(name)).toString(); };
    if (text("title").isEmpty()) continue;
    m_runs.push_back({m_next++, text("title"), text("command_line"), text("report"), text("message"), text("started_utc"),
                      outcomeOf(text("outcome")), run.value(QStringLiteral("seconds")).toDouble(), text("name"), text("note"),
                      text("tags"), resultOf(run.value(QStringLiteral("result")).toObject())});
  }
  if (m_runs.size() > kMostRuns) m_runs.erase(m_runs.begin(), m_runs.end() - kMostRuns);
}

// Errors are ignored: an unwritable history must not stop a run.
void RunHistory::save() const {
  QJsonArray list;
  for (std::size_t i = m_runs.size() > kMostRuns ? m_runs.size() - kMostRuns : 0; i < m_runs.size(); ++i) {
    const PastRun& run = m_runs[i];
    QJsonObject json{{"title", run.title},     {"command_line", run.commandLine}, {"report", run.report},
                     {"message", run.message}, {"started_utc", run.startedUtc},   {"outcome", outcomeName(run.outcome)},
                     {"seconds", run.seconds}};
    if (!run.name.isEmpty()) json["name"] = run.name;
    if (!run.note.isEmpty()) json["note"] = run.note;
    if (!run.tags.isEmpty()) json["tags"] = run.tags;
    if (run.result) json["result"] = jsonOf(*run.result);
    list.append(json);
  }
  QDir().mkpath(QFileInfo(m_file).absolutePath());
  theme::writeWhole(m_file, QJsonDocument(list).toJson()); // if writing fails, the old list stays
}

} // namespace ui::shell
