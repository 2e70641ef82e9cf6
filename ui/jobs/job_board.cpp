#include "ui/jobs/job_board.h"

#include "ui/jobs/latest_job.h"

#include <algorithm>

namespace ui::jobs {

void JobBoard::add(JobBase* job) {
  if (std::find(m_running.begin(), m_running.end(), job) != m_running.end()) return;
  m_running.push_back(job);
  connect(job, &JobBase::progressed, this, &JobBoard::changed);
  emit changed();
}

void JobBoard::remove(JobBase* job) {
  if (std::erase(m_running, job) == 0) return;
  disconnect(job, nullptr, this, nullptr);
  emit changed();
}

void JobBoard::cancelAll() {
  const auto running = m_running;
  for (JobBase* job : running) job->cancel();
}

} // namespace ui::jobs
