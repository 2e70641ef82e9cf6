// The jobs of one owner: it is busy while one of them is, and drops them all when it shows another report.
#pragma once

#include "ui/jobs/latest_job.h"

#include <QPointer>

#include <vector>

namespace ui::jobs {

class JobSet : public QObject {
  Q_OBJECT

public:
  using QObject::QObject;
  // The jobs may go before the set does.
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
