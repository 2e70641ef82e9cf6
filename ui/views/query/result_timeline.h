// The rows of a query as slices on a timeline: a column of begins with one of ends or durations, a track for each value of the first text column
// that is no name.
#pragma once

#include "analyser/query/query.h"
#include "ui/plot/timeline.h"

#include <memory>
#include <optional>

class QLabel;

namespace ui::query {

// The columns that a timeline needs; by index, -1: none.
struct SpanColumns {
  int begin = -1, end = -1, duration = -1, name = -1, track = -1;
  bool isNanoseconds = false; // else cycles
};
// None: no column is a begin, or none beside it an end or a duration.
std::optional<SpanColumns> spanColumns(const analyser::query::Result& result);

class ResultTimeline : public QWidget {
  Q_OBJECT

public:
  ResultTimeline(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);
  ~ResultTimeline() override;
  bool setResult(const analyser::query::Result& result); // false: its rows are no slices
  void setNone();
  void setFormat(const theme::Format& format);
  plot::Timeline& timeline() const { return *m_timeline; }

signals:
  void rowChosen(int64_t row);

private:
  theme::Format m_format;
  plot::Timeline* m_timeline;
  QLabel* m_note;
};

} // namespace ui::query
