#include "ui/jobs/job_set.h"

#include <algorithm>

namespace ui::jobs {

void JobSet::add(const std::vector<JobBase*>& jobs) {
  for (JobBase* job : jobs) {
    m_jobs.emplace_back(job);
    connect(job, &JobBase::busyChanged, this, &JobSet::busyChanged);
  }
}

bool JobSet::isBusy() const {
  return std::any_of(m_jobs.begin(), m_jobs.end(), [](const auto& job) { return job && job->isBusy(); });
}

void JobSet::drop() {
  for (const auto& job : m_jobs)
    if (job) job->drop();
}

} // namespace ui::jobs
