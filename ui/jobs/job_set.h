// The jobs of one owner. The set is busy while one of its jobs is busy, and drops all jobs when the owner shows another report.
#pragma once

#include "ui/jobs/latest_job.h"

#include <QPointer>

#include <vector>

namespace ui::jobs {

class JobSet : public QObject {
  Q_OBJECT

public:
  using QObject::QObject;
  // The jobs may be destroyed before the set.
  void add(const std::vector<JobBase*>& jobs);
  bool isBusy() const;
  // See JobBase::drop().
  void drop();

signals:
  void busyChanged();

private:
  std::vector<QPointer<JobBase>> m_jobs;
};

} // namespace ui::jobs
