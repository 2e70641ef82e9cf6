// The jobs in the background, for the status line: every LatestJob enters itself here while it works.
#pragma once

#include <QObject>
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

signals:
  void changed(); // a job began, ended or moved on

private:
  std::vector<JobBase*> m_running;
};

} // namespace ui::jobs
