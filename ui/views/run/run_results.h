// Reads the figures of finished runs from their reports in the background, one report after the other.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/views/run/run_process.h"

#include <QObject>

#include <deque>

namespace ui::run {

class RunResults : public QObject {
  Q_OBJECT

public:
  explicit RunResults(jobs::JobBoard& board, QObject* parent = nullptr);
  void ask(int64_t id, const QString& report);
  bool isBusy() const { return !m_waiting.empty(); }
  jobs::JobBase& job() { return m_job; }

signals:
  void read(qint64 id, const ui::shell::RunResult& result); // not for a report that cannot be read
  void busyChanged();

private:
  void next();

  std::deque<std::pair<int64_t, QString>> m_waiting; // the first is being read
  jobs::LatestJob<RunResult> m_job;
};

} // namespace ui::run
