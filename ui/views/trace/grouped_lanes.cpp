// Groups equal steps of the trace into bands; see trace_sources.h.
#include "ui/views/trace/trace_sources.h"

#include <algorithm>

namespace ui::trace {

using analyser::trace::RepeatedSteps;

namespace {
constexpr int kBandLane = 1 << 20; // added to the lane of a band, so that its key differs from a slice's
}

GroupedLanes::GroupedLanes(std::shared_ptr<OpenTrace> trace, std::vector<shell::TrackEntry> entries, Name name)
    : TrackSource(trace, std::move(entries), trace->range(), name, activityPalette), m_trace(trace), m_nameOf(std::move(name)) {}

void GroupedLanes::setGrouped(bool grouped) {
  const std::scoped_lock lock(m_bandMutex);
  m_grouped = grouped;
  m_opened.clear();
}

bool GroupedLanes::isGrouped() const {
  const std::scoped_lock lock(m_bandMutex);
  return m_grouped;
}

void GroupedLanes::closeBands() {
  const std::scoped_lock lock(m_bandMutex);
  m_opened.clear();
}

bool GroupedLanes::openBand(const plot::Slice& slice) {
  const std::scoped_lock lock(m_bandMutex);
  for (const auto& [lane, bands] : m_bands)
    for (const Band& band : bands)
      if (m_grouped && band.id == slice.id) return m_opened.insert(band.id).second;
  return false;
}

// The bands of a lane, read at first use. Reads without the lock, so that other lanes and tooltips need not wait. Only one thread
// at a time requests a lane.
const std::vector<GroupedLanes::Band>& GroupedLanes::bandsOf(int track, int lane, const std::stop_token& stop) const {
  {
    const std::scoped_lock lock(m_bandMutex);
    if (const auto known = m_bands.find({track, lane}); known != m_bands.end()) return known->second;
  }
  std::vector<Band> bands;
  if (const reports::TrackId id = trackId(track); id.valid())
    m_trace->use([&](analyser::trace::Slices& slices) {
      for (RepeatedSteps& steps : analyser::trace::repeatedSteps(slices, id, lane, kMostSlices, stop)) {
        const int64_t key = shell::sliceKey(track, lane + kBandLane, steps.ticks.begin);
        bands.push_back({std::move(steps), key});
      }
    });
  const std::scoped_lock lock(m_bandMutex);
  return m_bands.emplace(std::pair(track, lane), std::move(bands)).first->second;
}

QString GroupedLanes::title(const RepeatedSteps& steps) const {
  QStringList names;
  for (const reports::StringId name : steps.names) names << shell::lastPart(m_nameOf(name));
  const QString times = theme::count(int64_t(steps.repeat.times)) + QStringLiteral(" × ");
  if (steps.repeat.period == 1) return times + names.front();
  if (steps.repeat.period <= steps.names.size()) return times + u'(' + names.join(QStringLiteral(", ")) + u')';
  return times + QObject::tr("(%1 … %2 steps)").arg(names.front(), theme::count(int64_t(steps.repeat.period)));
}

std::vector<plot::Slice> GroupedLanes::slices(int track, int lane, reports::TickRange range, int pixels, int64_t labelTicks,
                                              std::stop_token stop) const {
  std::vector<plot::Slice> all = TrackSource::slices(track, lane, range, pixels, labelTicks, stop);
  if (!isGrouped() || labelTicks > extent().size()) return all; // the minimap above the lanes shows the steps themselves
  std::vector<const Band*> shown;
  std::vector<reports::TickRange> covered; // by collapsed bands of this lane and the lanes above
  for (int above = 0; above <= lane; ++above) {
    const std::vector<Band>& bands = bandsOf(track, above, stop);
    const std::scoped_lock lock(m_bandMutex);
    std::vector<reports::TickRange> own;
    for (const Band& band : bands) {
      const auto& ticks = band.steps.ticks;
      if (m_opened.contains(band.id) || !ticks.overlaps(range)) continue;
      const auto over = std::partition_point(covered.begin(), covered.end(), [&](const auto& c) { return c.end <= ticks.begin; });
      if (over != covered.end() && over->begin <= ticks.begin) continue; // a band above covers it
      own.push_back(ticks);
      if (above == lane) shown.push_back(&band);
    }
    const auto middle = std::ptrdiff_t(covered.size());
    covered.insert(covered.end(), own.begin(), own.end());
    std::inplace_merge(covered.begin(), covered.begin() + middle, covered.end(),
                       [](const auto& a, const auto& b) { return a.begin < b.begin; });
  }
  std::erase_if(all, [&](const plot::Slice& s) {
    const auto over = std::partition_point(covered.begin(), covered.end(), [&](const auto& c) { return c.end <= s.begin; });
    return over != covered.end() && over->begin <= s.begin;
  });
  for (const Band* band : shown) {
    const RepeatedSteps& steps = band->steps;
    plot::Slice slice;
    slice.begin = steps.ticks.begin, slice.end = std::max(steps.ticks.end, steps.ticks.begin + 1);
    slice.id = band->id;
    slice.colour = steps.category;
    slice.count = int32_t(std::min<std::size_t>(steps.repeat.size(), INT32_MAX));
    if (slice.end - slice.begin >= labelTicks) slice.label = title(steps);
    all.push_back(std::move(slice));
  }
  std::sort(all.begin(), all.end(), [](const plot::Slice& a, const plot::Slice& b) { return a.begin < b.begin; });
  // Cells that sum several slices may overlap a band; drawn slices are disjoint.
  for (std::size_t i = 0; i + 1 < all.size(); ++i) all[i].end = std::clamp(all[i + 1].begin, all[i].begin, all[i].end);
  return all;
}

plot::Card GroupedLanes::card(int track, int lane, const plot::Slice& slice) const {
  const RepeatedSteps* found = nullptr;
  {
    const std::scoped_lock lock(m_bandMutex);
    if (const auto bands = m_bands.find({track, lane}); m_grouped && bands != m_bands.end())
      for (const Band& band : bands->second)
        if (band.id == slice.id) found = &band.steps;
  }
  if (!found) return TrackSource::card(track, lane, slice);
  const auto cycles = [this](int64_t ticks) { return m_format.cycles(reports::Cycles(ticks)); };
  const int64_t times = int64_t(found->repeat.times);
  plot::Card card{title(*found)};
  card.rows = {{QObject::tr("together"), cycles(found->ticks.size())},
               {QObject::tr("one iteration, on average"), cycles(found->ticks.size() / std::max<int64_t>(1, times))},
               {QObject::tr("shortest, longest"), QObject::tr("%1, %2").arg(cycles(found->shortest), cycles(found->longest))},
               {QObject::tr("steps"), theme::count(int64_t(found->repeat.size()))}};
  card.hint = QObject::tr("Double-click opens it, click selects the longest step");
  return card;
}

} // namespace ui::trace
