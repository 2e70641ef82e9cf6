// Writes the displayed report as one HTML page, for readers who have only a browser.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/state/report_file.h"

#include <QObject>

namespace ui::shell {

class PageSaver : public QObject {
  Q_OBJECT

public:
  PageSaver(jobs::JobBoard& jobs, QObject* parent);
  // Asks for a file, then calls save(). Does nothing if the session is null.
  void ask(const SessionPointer& session, QWidget* window);
  // Writes in the background. One page is written at a time: a second request meanwhile is an error.
  void save(const SessionPointer& session, const QString& file);

signals:
  void saved(const QString& file, qint64 bytes);
  void failed(const reports::Error& error);

private:
  jobs::LatestJob<qint64> m_job;
};

} // namespace ui::shell
