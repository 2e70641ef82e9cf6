// The rows of a query as slices on a timeline: a column of begins with one of ends or durations, a track for each value of a column such as
// "track" or "thread".
#pragma once

#include "analyser/query/query.h"
#include "ui/plot/timeline.h"

#include <map>
#include <memory>
#include <optional>

class QLabel;

namespace ui::query {

// The unit of ticks by track id: nanoseconds (threads of the host) or cycles (IPUs).
using HostTracks = std::map<int64_t, bool>;
HostTracks hostTracks(analyser::Session& session);

// The columns that a timeline needs; by index, -1: none.
struct SpanColumns {
  enum class Unit { Unknown, Cycles, Nanoseconds };
  int begin = -1, end = -1, duration = -1, name = -1, track = -1;
  Unit unit = Unit::Unknown; // what the names of the columns say, else the tracks
};
// None: no column is a begin, or none beside it an end or a duration.
std::optional<SpanColumns> spanColumns(const analyser::query::Result& result, const HostTracks& tracks);

// Slices laid on lanes. Null: the result has no such columns.
class ResultSlices;
std::shared_ptr<ResultSlices> resultSlices(const analyser::query::Result& result, const HostTracks& tracks);

class ResultTimeline : public QWidget {
  Q_OBJECT

public:
  ResultTimeline(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);
  ~ResultTimeline() override;
  void setSlices(const std::shared_ptr<ResultSlices>& slices); // null: the result has none
  void setNone();
  void setFormat(const theme::Format& format);
  plot::Timeline& timeline() const { return *m_timeline; }

signals:
  void rowChosen(int64_t row);

private:
  theme::Format m_format;
  std::shared_ptr<ResultSlices> m_shown;
  plot::Timeline* m_timeline;
  QLabel* m_note;
};

} // namespace ui::query
