// The background jobs that are working. Every LatestJob adds itself here while it works, so that the status line can show it, and
// delivers its result through `deliveries()`.
#pragma once

#include "ui/jobs/delivery_queue.h"

#include <QString>

#include <vector>

namespace ui::jobs {

class JobBase;

class JobBoard : public QObject {
  Q_OBJECT

public:
  using QObject::QObject;
  const std::vector<JobBase*>& running() const { return m_running; }
  void add(JobBase* job);
  void remove(JobBase* job);
  void cancelAll();
  DeliveryQueue& deliveries() { return m_deliveries; }

signals:
  void changed(); // a job began, ended or reported progress

private:
  std::vector<JobBase*> m_running;
  DeliveryQueue m_deliveries;
};

} // namespace ui::jobs
