#include "ui/views/run/run_results.h"

#include "analyser/compare/samples.h"
#include "analyser/session/session.h"
#include "analyser/summary/summary.h"

namespace ui::run {

namespace {
RunResult resultOf(const std::string& report, std::stop_token stop, reports::Progress& progress) {
  const auto session = analyser::Session::open(report, stop, progress);
  const auto summary = analyser::summary::summarise(*session, stop);
  RunResult result{summary.cycles.total.value(), summary.seconds, std::nullopt, summary.memory.fullestWithoutGaps.bytes.value()};
  if (const auto samples = analyser::compare::sampleCounts(*session).run; samples && summary.seconds > 0)
    result.sampleTime = summary.seconds / double(*samples);
  return result;
}
} // namespace

RunResults::RunResults(jobs::JobBoard& board, QObject* parent)
    : QObject(parent), m_job(tr("Reading the figures of runs"), &board) {
  m_job.giveWay();
  connect(&m_job, &jobs::JobBase::cancelled, this, [this] {
    m_waiting.clear();
    emit busyChanged();
  });
}

void RunResults::ask(int64_t id, const QString& report) {
  m_waiting.emplace_back(id, report);
  if (m_waiting.size() > 1) return;
  next();
  emit busyChanged();
}

void RunResults::next() {
  const auto [id, report] = m_waiting.front();
  const auto go = [this] {
    m_waiting.pop_front();
    m_waiting.empty() ? emit busyChanged() : next();
  };
  m_job.start(
      [path = report.toStdString()](std::stop_token stop, reports::Progress& progress) { return resultOf(path, stop, progress); },
      [this, go, id = id](const RunResult& result) {
        emit read(id, result);
        go();
      },
      [go](const reports::Error&) { go(); }); // opening the report shows the error
}

} // namespace ui::run
