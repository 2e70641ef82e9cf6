// Writes the report that is shown as one HTML page, for those who have a browser only.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/state/report_file.h"

#include <QObject>

namespace ui::shell {

class PageSaver : public QObject {
  Q_OBJECT

public:
  PageSaver(jobs::JobBoard& jobs, QObject* parent);
  // Asks for a file first. A session that is null is not saved.
  void ask(const SessionPointer& session, QWidget* window);
  // In the background. One page is written at a time: a second asked for meanwhile is an error.
  void save(const SessionPointer& session, const QString& file);

signals:
  void saved(const QString& file, qint64 bytes);
  void failed(const reports::Error& error);

private:
  jobs::LatestJob<qint64> m_job;
};

} // namespace ui::shell
