#include "ui/views/run/run_estimate.h"

#include "ui/shell/cli_call.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace ui::run {

namespace {

constexpr int kPauseMilliseconds = 400; // of typing
constexpr int kWaitedFor = 10'000;      // milliseconds
constexpr int kNice = 10;               // runs and the window come first

reports::Bytes bytesOf(const QJsonObject& object, const char* key) { return reports::Bytes(object.value(key).toInteger()); }

std::vector<Estimate::Values> valuesOf(const QJsonArray& list) {
  std::vector<Estimate::Values> values;
  for (const QJsonValue value : list) {
    const QJsonObject v = value.toObject();
    values.push_back({v.value("name").toString(), v.value("type").toString(), v.value("shape").toString(),
                      v.value("elements").toInteger(), bytesOf(v, "bytes")});
  }
  return values;
}

// The words of a run without files to write, which a dry run refuses.
QStringList dryRun(RunRequest request) {
  request.report.clear();
  request.numbers = true;
  for (const QString& file :
       {QStringLiteral("-o"), QStringLiteral("--report"), QStringLiteral("--outputs"), QStringLiteral("--save-model")})
    for (qsizetype at = request.options.indexOf(file); at >= 0; at = request.options.indexOf(file))
      request.options.remove(at, std::min<qsizetype>(2, request.options.size() - at));
  return request.arguments() + QStringList{QStringLiteral("--dry-run"), QStringLiteral("--json")};
}

} // namespace

std::optional<Estimate> parseEstimate(const QByteArray& json) {
  const QJsonObject o = QJsonDocument::fromJson(json).object();
  const QJsonObject memory = o.value("memory").toObject(), weights = o.value("weights").toObject();
  if (memory.isEmpty()) return std::nullopt;
  Estimate e;
  e.fits = o.value("state").toString() == QStringLiteral("fits");
  e.tiles = o.value("tiles").toInteger();
  e.maxTile = memory.value("max_tile").toInteger(), e.overflowTiles = memory.value("overflow_tiles").toInteger();
  e.maxTileBytes = bytesOf(memory, "max_tile_bytes"), e.tileBytes = bytesOf(memory, "tile_bytes");
  e.totalBytes = bytesOf(memory, "total_bytes"), e.alwaysLiveBytes = bytesOf(memory, "always_live_bytes");
  e.weightElements = weights.value("elements").toInteger(), e.weightBytes = bytesOf(weights, "bytes");
  e.inputs = valuesOf(o.value("inputs").toArray()), e.outputs = valuesOf(o.value("outputs").toArray());
  const QJsonObject kinds = o.value("kinds").toObject();
  for (auto it = kinds.begin(); it != kinds.end(); ++it) e.kinds.emplace_back(it.key(), it.value().toInteger());
  std::stable_sort(e.kinds.begin(), e.kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const QJsonValue value : o.value("operations").toArray()) {
    const QJsonObject v = value.toObject();
    e.operations.push_back({v.value("name").toString(), v.value("kind").toString(), bytesOf(v, "bytes")});
  }
  return e;
}

RunEstimate::RunEstimate(QObject* parent) : QObject(parent) {
  m_wait.setSingleShot(true);
  m_wait.setInterval(kPauseMilliseconds);
  connect(&m_wait, &QTimer::timeout, this, &RunEstimate::start);
}

RunEstimate::~RunEstimate() { end(); }

void RunEstimate::ask(const QString& program, const RunRequest& request) {
  const QStringList arguments = dryRun(request);
  if (program == m_program && arguments == m_arguments) return;
  m_program = program, m_arguments = arguments;
  end();
  m_wait.start();
  m_since.start();
  emit busyChanged();
}

bool RunEstimate::isBusy() const { return (m_wait.isActive() || m_process) && !m_since.hasExpired(kWaitedFor); }

void RunEstimate::cancel() {
  m_wait.stop();
  end();
  m_arguments.clear();
  emit busyChanged();
}

void RunEstimate::end() {
  QProcess* process = std::exchange(m_process, nullptr);
  if (!process) return;
  process->disconnect(this);
  process->kill(); // it writes nothing
  process->waitForFinished(1000);
  process->deleteLater();
}

void RunEstimate::start() {
  m_errors.clear(), m_lastLine.clear();
  m_process = new QProcess(this);
  connect(m_process, &QProcess::readyReadStandardError, this, &RunEstimate::read);
  connect(m_process, &QProcess::finished, this, &RunEstimate::finish);
  connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    std::exchange(m_process, nullptr)->deleteLater();
    emit failed(tr("tilescope-cli could not be started"));
    emit busyChanged();
  });
  shell::endWithWindow(*m_process, kNice);
  emit begun();
  m_process->start(m_program, m_arguments, QIODevice::ReadOnly);
}

void RunEstimate::read() {
  m_errors += m_process->readAllStandardError();
  for (qsizetype end = m_errors.indexOf('\n'); end >= 0; end = m_errors.indexOf('\n')) {
    const QByteArray line = m_errors.left(end).trimmed();
    m_errors.remove(0, end + 1);
    if (const ProgressLine progress = parseProgress(line); !progress.phase.isEmpty())
      emit progressed(progress.phase, progress.fraction);
    else if (!line.isEmpty())
      m_lastLine = QString::fromUtf8(line);
  }
}

void RunEstimate::finish(int code, QProcess::ExitStatus status) {
  read();
  QProcess* process = std::exchange(m_process, nullptr);
  const auto estimate = parseEstimate(process->readAllStandardOutput());
  process->deleteLater();
  if (status == QProcess::NormalExit && code <= 1 && estimate)
    emit estimated(*estimate);
  else
    emit failed(m_lastLine.isEmpty() ? tr("tilescope-cli gave no answer")
                                     : QString(m_lastLine).remove(QStringLiteral("tilescope-cli: ")));
  emit busyChanged();
}

} // namespace ui::run
