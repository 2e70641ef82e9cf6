// The execution trace for two linked plots: slices per IPU for the flame view and tiles by cycles below it.
#pragma once

#include "analyser/trace/execution_trace.h"
#include "analyser/trace/repeats.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/track_source.h"
#include "ui/plot/slice_source.h"
#include "ui/theme/format.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace ui::trace {

inline constexpr int kIdleStrength = 40; // strength, out of 255, of the grey of an idle tile

using TraceReader = shell::OnWorker<analyser::trace::ExecutionTrace>;

// The trace of the open report: the constant data, read once, and the reader that lanes and details share. Counting and the tiles
// of a long range have separate readers.
class OpenTrace : public shell::SliceAccess {
public:
  // Call on a worker.
  explicit OpenTrace(std::shared_ptr<const analyser::Session> base);
  void use(const std::function<void(analyser::trace::Slices&)>& f) override;

  TraceReader& reader() { return m_reader; }
  const std::vector<analyser::trace::Track>& tracks() const { return m_tracks; }
  reports::TickRange range() const { return m_range; }
  const analyser::Session& session() const { return m_reader.base(); } // for machine and names

private:
  TraceReader m_reader;
  std::vector<analyser::trace::Track> m_tracks;
  reports::TickRange m_range;
};

// Lanes in which repeated steps are one band, "12 × (exchange, matmul)", that hides the slices below it. An opened band shows its
// steps, which may again be bands.
class GroupedLanes : public shell::TrackSource {
public:
  static constexpr int64_t kMostSlices = 200'000; // of a lane: a longer one is drawn without bands

  GroupedLanes(std::shared_ptr<OpenTrace> trace, std::vector<shell::TrackEntry> entries, Name name);
  void setGrouped(bool grouped);
  bool isGrouped() const;
  // Opens the slice if it is a band.
  bool openBand(const plot::Slice& slice);
  void closeBands();

  std::vector<plot::Slice> slices(int track, int lane, reports::TickRange range, int pixels, int64_t labelTicks,
                                  std::stop_token stop) const override;
  plot::Card card(int track, int lane, const plot::Slice& slice) const override;
  void setFormat(const theme::Format& format) { m_format = format; }

private:
  struct Band {
    analyser::trace::RepeatedSteps steps;
    int64_t id = -1;
  };
  const std::vector<Band>& bandsOf(int track, int lane, const std::stop_token& stop) const;
  QString title(const analyser::trace::RepeatedSteps& steps) const;

  std::shared_ptr<OpenTrace> m_trace;
  Name m_nameOf;
  theme::Format m_format;
  mutable std::mutex m_bandMutex;
  bool m_grouped = false;
  std::set<int64_t> m_opened;                                       // by id
  mutable std::map<std::pair<int, int>, std::vector<Band>> m_bands; // by track and lane; a lane is read only once
};

// Rows are the tiles of one IPU, or of all (`ipu` below 0).
class TileCells : public plot::CellSource {
public:
  // `trace` has the constant data, `reader` reads the cells.
  TileCells(std::shared_ptr<OpenTrace> trace, std::shared_ptr<TraceReader> reader, int ipu);
  int firstTile() const { return m_first; }
  reports::Range<int> rowsOf(reports::TrackId track) const; // empty: none of its tiles is shown
  // Sorts rows by the idle cycles of their tiles in the visible range, the most idle first, instead of by number.
  void setSorted(bool sorted) { m_sorted = sorted; }
  // Makes the tooltip of a tile at a time. Without this function a tooltip has only the tile's name.
  using CardOf = std::function<plot::Card(reports::TileId tile, reports::Activity activity, int64_t tick)>;
  void setCard(CardOf card) { m_card = std::move(card); }

  reports::TickRange extent() const override { return m_trace->range(); }
  int rows() const override { return m_tiles; }
  QString rowTitle(int row) const override;
  std::vector<std::pair<int, QString>> groups() const override; // IPUs, if there are several
  Picture cells(reports::Range<int> rows, reports::TickRange range, int width, int height, Detail detail,
                std::stop_token stop) const override;
  plot::Card card(int row, int64_t tick, plot::Cell cell) const override;
  std::vector<QColor> palette(bool dark) const override;

private:
  std::shared_ptr<OpenTrace> m_trace;
  std::shared_ptr<TraceReader> m_reader;
  CardOf m_card;
  int m_first = 0, m_tiles = 0;
  std::atomic<bool> m_sorted = false; // read on the worker
};

// Colours by reports::Activity.
std::vector<QColor> activityPalette(bool dark);
// The name of a tile, with a mark for I/O tiles.
QString tileTitle(const analyser::Machine& machine, reports::TileId tile);
std::vector<shell::TrackEntry> trackEntries(const OpenTrace& trace, int ipu);

} // namespace ui::trace
