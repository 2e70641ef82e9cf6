// A track below the lanes of the trace: the rows of a query that have a start and an end, on the axis of the trace. A link keeps the query.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/result_slices.h"
#include "ui/plot/timeline.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace ui::shell {
class ViewFields;
class ViewState;
} // namespace ui::shell

namespace ui::trace {

class SqlLane : public QWidget {
  Q_OBJECT

public:
  SqlLane(const theme::Theme& theme, jobs::JobBoard& jobs, shell::ViewState& state);
  QWidget* below(QWidget& lanes); // returns one widget with `lanes` and this track below
  void addFields(shell::ViewFields& fields);
  // The session of the trace above; null if none is shown.
  void setTrace(const std::shared_ptr<const analyser::Session>& session, reports::TickRange extent);
  // Takes the query that another view asked to show, and runs it.
  void takeTrack();
  void setFormat(const theme::Format& format);
  jobs::JobBase& job() { return m_job; }
  plot::Timeline& timeline() const { return *m_timeline; }
  int wantedHeight() const; // 0: hidden

signals:
  void heightChanged();

private:
  struct Track {
    std::shared_ptr<shell::ResultSlices> slices; // null: the rows have no start and end
    int64_t rows = 0;
  };
  void run();
  void forget(); // the rows; the query stays
  void remove();
  void showTrack(const Track& track);
  void showNote(const QString& note);

  shell::ViewState& m_state;
  std::shared_ptr<shell::WorkerSession> m_worker;
  reports::TickRange m_extent;
  theme::Format m_format;
  std::shared_ptr<shell::ResultSlices> m_slices;
  jobs::LatestJob<Track> m_job;
  QLineEdit* m_sql;
  QLabel* m_note;
  plot::Timeline* m_timeline;
};

} // namespace ui::trace
