// The few findings that could save most, with a link to all of them. Reads its data itself, after the summary is shown.
#pragma once

#include "analyser/insights/insights.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/theme/format.h"

#include <QFrame>

class QLabel;

namespace ui::plot {
class BarList;
}
namespace ui::theme {
class Theme;
}

namespace ui::summary {

class FindingsCard : public QFrame {
  Q_OBJECT

public:
  FindingsCard(const theme::Theme& theme, jobs::JobBoard& board, QWidget* parent = nullptr);
  // Null: nothing is open.
  void read(std::shared_ptr<shell::WorkerSession> worker);
  void setFormat(const theme::Format& format);
  QLabel* title() const { return m_title; }
  jobs::JobBase& job() { return m_job; }
  std::shared_ptr<const analyser::insights::Insights> findings() const { return m_job.result(); }

signals:
  void chosen(int64_t finding); // the index of the clicked finding
  void found();

private:
  void show();

  const theme::Theme& m_theme;
  theme::Format m_format;
  jobs::LatestJob<analyser::insights::Insights> m_job;
  QLabel *m_title, *m_note;
  plot::BarList* m_bars;
};

} // namespace ui::summary
