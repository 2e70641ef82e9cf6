// The execution trace for two linked pictures: slices per IPU for the flame view and tiles by cycles under it. Both ask one
// ExecutionTrace, which keeps decoded chunks; it lives as long as any picture and lets one worker in at a time.
#pragma once

#include "analyser/trace/execution_trace.h"
#include "ui/plot/slice_source.h"
#include "ui/shell/track_source.h"
#include "ui/theme/format.h"

#include <functional>
#include <mutex>

namespace ui::trace {

class SharedTrace : public shell::SliceAccess {
public:
  // On a worker: opens the file again.
  explicit SharedTrace(const analyser::Session& base);
  void use(const std::function<void(analyser::trace::Slices&)>& f) override;

  template<class F> auto with(F&& f) {
    const std::scoped_lock lock(m_mutex);
    return std::forward<F>(f)(m_trace);
  }
  // Read once; never change.
  const std::vector<analyser::trace::Track>& tracks() const { return m_tracks; }
  reports::TickRange range() const { return m_range; }
  const analyser::Session& session() const { return *m_session; }

private:
  std::mutex m_mutex;
  std::shared_ptr<analyser::Session> m_session;
  analyser::trace::ExecutionTrace m_trace;
  std::vector<analyser::trace::Track> m_tracks;
  reports::TickRange m_range;
};

// Another trace of the same report, opened when it is first asked. One lets in one worker at a time, so what reads long has a
// spare one of its own: the tiles of a long range, and the counting of its slices, must not keep the flame view waiting.
class SpareTrace {
public:
  explicit SpareTrace(std::shared_ptr<const analyser::Session> base) : m_base(std::move(base)) {}
  template<class F> auto with(F&& f) { // on a worker
    const std::scoped_lock lock(m_mutex);
    if (!m_trace) m_trace = std::make_unique<SharedTrace>(*m_base);
    return m_trace->with(std::forward<F>(f));
  }

private:
  std::mutex m_mutex;
  std::shared_ptr<const analyser::Session> m_base;
  std::unique_ptr<SharedTrace> m_trace;
};

// Rows are the tiles of one IPU, or of all (`ipu` below 0).
class TileCells : public plot::CellSource {
public:
  // `trace` knows the report, `reader` reads it.
  TileCells(std::shared_ptr<SharedTrace> trace, std::shared_ptr<SpareTrace> reader, int ipu);
  int firstTile() const { return m_first; }
  // What a tile does at a time; without it a card has the tile's name alone.
  using CardOf = std::function<plot::Card(reports::TileId tile, reports::Activity activity, int64_t tick)>;
  void setCard(CardOf card) { m_card = std::move(card); }

  reports::TickRange extent() const override { return m_trace->range(); }
  int rows() const override { return m_tiles; }
  QString rowTitle(int row) const override;
  std::vector<plot::Cell> cells(reports::Range<int> rows, reports::TickRange range, int width, int height,
                                std::stop_token stop) const override;
  plot::Card card(int row, int64_t tick, plot::Cell cell) const override;
  std::vector<QColor> palette(bool dark) const override;

private:
  std::shared_ptr<SharedTrace> m_trace;
  std::shared_ptr<SpareTrace> m_reader;
  CardOf m_card;
  int m_first = 0, m_tiles = 0;
};

// Colours by reports::Activity.
std::vector<QColor> activityPalette(bool dark);
// What a tile is called: those that only serve the host say so.
QString tileTitle(const analyser::Machine& machine, reports::TileId tile);
std::vector<shell::TrackEntry> trackEntries(const SharedTrace& trace, int ipu);

} // namespace ui::trace
