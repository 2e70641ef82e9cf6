// The slices of a timeline that have been read: a worker requests three times the visible width from the source. Also finds the slice at a
// position.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/plot/time_scene.h"
#include "ui/plot/timeline_rows.h"

#include <memory>
#include <set>
#include <span>

namespace ui::plot {

class TimelineSlices : public QObject {
  Q_OBJECT

public:
  static constexpr int kLabelWidth = 40; // least pixels of a slice with a text
  struct Hit {
    int track = -1, lane = 0;
    Slice slice;
  };
  struct DrawnLane {
    int top = 0;                                // of the body
    std::span<const std::vector<Slice>> slices; // for a collapsed track: of all its lanes, which are drawn as one
    bool isFolded = false;
  };
  using Overview = std::vector<std::vector<std::vector<Slice>>>; // track, lane, slices of the whole extent

  TimelineSlices(const TimelineRows& rows, const QString& name, jobs::JobBoard* board);

  void setSource(std::shared_ptr<const SliceSource> source); // null: none
  const SliceSource* source() const { return m_source.get(); }
  void setHiddenColours(std::set<int> colours) { m_hidden = std::move(colours); }
  const std::set<int>& hiddenColours() const { return m_hidden; }
  void fetch(const TimeScene& scene); // unless a request already covers it
  void forgetRequest() { m_requested = {}; }
  void fetchOverview(reports::TickRange extent);
  bool isBusy() const { return m_job.isBusy() || m_overviewJob.isBusy(); }

  std::size_t size() const; // number of lanes whose slices are known
  const std::vector<Slice>& operator[](std::size_t lane) const { return m_lanes->lanes[lane]; } // not fetched: empty
  const std::shared_ptr<const Overview>& overview() const { return m_overview; }
  std::vector<DrawnLane> drawnLanes(const TimeScene& scene) const; // the lanes in sight
  bool isCovered(std::size_t row, const Slice& slice) const;
  std::optional<Hit> deepestAt(int track, int64_t tick) const;
  std::optional<Hit> hitAt(const QPoint& at, const TimeScene& scene) const;
  int64_t edgeNear(const QPoint& at, int64_t tick, const TimeScene& scene) const; // the tick itself if no edge is near

signals:
  void read();
  void overviewRead();
  void busyChanged();
  void failed(const QString& message);

private:
  struct Lanes { // slices of some lanes over one range
    reports::TickRange range;
    std::vector<std::vector<Slice>> lanes; // by index of the rows' lanes
    std::vector<bool> fetched;
  };
  bool covers(const TimeScene& scene) const;
  const Slice* sliceNear(std::size_t row, const QPoint& at, const TimeScene& scene) const;

  const TimelineRows& m_rows;
  std::shared_ptr<const SliceSource> m_source;
  std::set<int> m_hidden;
  std::shared_ptr<const Lanes> m_lanes;
  std::shared_ptr<const Overview> m_overview;
  reports::TickRange m_requested;
  int m_requestedTop = -1, m_requestedWidth = 0;
  jobs::LatestJob<Lanes> m_job;
  jobs::LatestJob<Overview> m_overviewJob;
};

} // namespace ui::plot
