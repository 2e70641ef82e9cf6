// The report's slices as a timeline draws them: one entry per track, read on the timeline's worker. The facts for tooltips are
// kept in memory, so that the pointer never waits for the report. Execution and host traces differ only in their texts.
#pragma once

#include "analyser/trace/slices.h"
#include "ui/plot/slice_source.h"

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace ui::shell {

// A slice's identity in a plot: stable over zooms, different on every lane. Never negative.
int64_t sliceKey(int track, int lane, int64_t begin);

// The facts of a drawn slice that are known without reading the report again.
struct SliceNote {
  reports::StringId name;
  uint8_t category = 0;
  int64_t ref = -1, widest = 0;
  double density = 1;
};

struct Wanted;
struct Meant;

// Slices behind a lock that lets one thread in at a time.
class SliceAccess {
public:
  virtual ~SliceAccess() = default;
  virtual void use(const std::function<void(analyser::trace::Slices&)>& f) = 0;
  // Adds the slices whose arguments match. Reads all arguments: call it on a worker, within use(). Default: slices have none.
  virtual void addArguments(Meant&, analyser::Session&, const Wanted&, const std::stop_token&) const {}
};

// "IPU 3", "IPU 3, I/O tiles", or the name of a thread.
QString trackTitle(const analyser::trace::Track& track);

struct TrackEntry {
  reports::TrackId id; // invalid: a heading
  plot::Track track;
};

// A search for names that contain `text`, or that match it as a regular expression. Both ignore case.
struct Wanted {
  QString text;
  bool isExpression = false;
};
// Which slices of a report match a search; evaluated once per name, context and profile instead of once per slice.
struct Meant {
  std::vector<bool> names;    // by string id
  std::vector<bool> contexts; // by debug context: its path matches, and the path of the scope around it does not
  std::vector<bool> profiles; // by step profile: the path of its step matches, and those of all scopes around it do not
  std::vector<bool> details;  // by details id of host slices: an argument matches
  bool isEmpty() const { return names.empty(); }
  bool has(reports::StringId name, uint8_t category, int64_t ref) const;
};

class TrackSource : public plot::SliceSource {
public:
  using Name = std::function<QString(reports::StringId)>;
  using CardOf = std::function<plot::Card(const plot::Slice&, const SliceNote&)>;
  using Palette = std::function<std::vector<QColor>(bool dark)>;

  TrackSource(std::shared_ptr<SliceAccess> access, std::vector<TrackEntry> entries, reports::TickRange extent, Name name,
              Palette palette);
  void setCard(CardOf card) { m_card = std::move(card); }
  // By step profile: how many executions a slice stands for, if more than one; shown in the label. Call before it is shown.
  void setFolded(std::unordered_map<int64_t, int64_t> executions) { m_folded = std::move(executions); }

  reports::TrackId trackId(int track) const { return m_entries[std::size_t(track)].id; }
  // The index of a track; -1 if it is not shown.
  int trackOf(reports::TrackId id) const;
  SliceNote note(int64_t key) const;
  // Dims all other slices; empty: dims none. Slices that are already drawn must be requested again.
  void setHighlighted(Meant meant);
  // A lane may hold marks that are not slices; a click on one emits SliceBrowser::marked.
  virtual bool holdsSlices(int track, int lane) const { return track >= 0 && lane >= 0; }

  reports::TickRange extent() const override { return m_extent; }
  std::vector<plot::Track> tracks() const override;
  std::vector<plot::Slice> slices(int track, int lane, reports::TickRange range, int pixels, int64_t labelTicks,
                                  std::stop_token stop) const override;
  plot::Card card(int track, int lane, const plot::Slice& slice) const override;
  std::vector<QColor> palette(bool dark) const override { return m_palette(dark); }

protected:
  const TrackEntry& entry(int track) const { return m_entries[std::size_t(track)]; }
  void remember(int64_t key, const SliceNote& note) const;
  // Index into the palette. Called on the worker.
  virtual int colourOf(int /*track*/, const analyser::trace::Cell& cell) const { return cell.category; }
  // Whether `ref` of the track's slices is an id of details, which a search in arguments needs.
  virtual bool hasDetails(int /*track*/) const { return true; }
  // Cells in the form a lane draws.
  std::vector<plot::Slice> drawn(int track, int lane, const analyser::trace::Cells& cells, int64_t labelTicks) const;

private:
  std::shared_ptr<SliceAccess> m_access;
  std::vector<TrackEntry> m_entries;
  reports::TickRange m_extent;
  Name m_name;
  Palette m_palette;
  CardOf m_card;
  std::unordered_map<int64_t, int64_t> m_folded;
  QString labelOf(const analyser::trace::Cell& cell) const;
  mutable std::mutex m_mutex; // protects m_notes (written by the worker, read for tooltips) and m_highlighted
  Meant m_highlighted;
  mutable std::unordered_map<int64_t, SliceNote> m_notes;
};

// The slice that a click selects: the exact one, or the longest of the slices that are drawn as `drawn`.
std::optional<analyser::trace::Slice> meantSlice(analyser::trace::Slices& slices, reports::TrackId track, int depth,
                                                 const plot::Slice& drawn, std::stop_token stop);
// The displayed name of a slice: the span "step #0" is shown as "Engine::run #0".
QString sliceTitle(const std::string& name);
// The last part of a slash path, short enough for a lane.
QString lastPart(const QString& path);

struct Found {
  reports::TrackId track;
  analyser::trace::Slice slice;
};
using SliceMatch = std::function<bool(const analyser::trace::Slice&)>;
// `isHost`: slices have no debug contexts. Throws reports::Error if the expression is invalid.
Meant meant(analyser::Session& session, const Wanted& wanted, bool isHost, std::stop_token stop = {});
SliceMatch nameMatch(Meant meant);
// Slices that refer to one of these step profiles (ascending).
SliceMatch profileMatch(std::vector<int64_t> profiles);
// All matching slices that touch a range: their number, their duration, and the earliest of them.
struct FoundAll {
  std::vector<Found> first;
  int64_t count = 0;
  int64_t ticks = 0; // inside the range; a match inside another counts once
};
FoundAll findAll(analyser::trace::Slices& slices, const std::vector<reports::TrackId>& tracks, const SliceMatch& matches,
                 reports::TickRange range, std::size_t most, std::stop_token stop);
// About `enough` of the earliest matches, for a list that is filled while the rest is counted. Reads at most a 16th of the range,
// so it may find none although later ones exist.
FoundAll findEarliest(analyser::trace::Slices& slices, const std::vector<reports::TrackId>& tracks, const SliceMatch& matches,
                      reports::TickRange range, std::size_t enough, std::stop_token stop);
// The first matching slice after `from` (or the last before it, if not `forward`), over all tracks; continues at the other end of
// the range.
std::optional<Found> findSlice(analyser::trace::Slices& slices, const std::vector<reports::TrackId>& tracks,
                               const SliceMatch& matches, int64_t from, bool forward, std::stop_token stop);

} // namespace ui::shell
