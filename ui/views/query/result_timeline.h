// The tab that draws the rows of a query as slices.
#pragma once

#include "ui/parts/result_slices.h"
#include "ui/plot/timeline.h"

#include <memory>

class QLabel;
class QPushButton;

namespace ui::query {

class ResultTimeline : public QWidget {
  Q_OBJECT

public:
  ResultTimeline(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);
  ~ResultTimeline() override;
  void setSlices(const std::shared_ptr<shell::ResultSlices>& slices); // null: the result has none
  void setNone();
  void setFormat(const theme::Format& format);
  plot::Timeline& timeline() const { return *m_timeline; }

signals:
  void rowChosen(int64_t row);
  void traceAsked(); // show the rows as a track of the execution trace

private:
  theme::Format m_format;
  std::shared_ptr<shell::ResultSlices> m_shown;
  plot::Timeline* m_timeline;
  QLabel* m_note;
  QPushButton* m_toTrace;
};

} // namespace ui::query
