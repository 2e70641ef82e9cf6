#include "ui/parts/track_source.h"

#include "analyser/session/debug_contexts.h"
#include "analyser/trace/execution_trace.h"
#include "reports/core/error.h"
#include "ui/tables/typed_pattern.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

#include <algorithm>
#include <limits>

namespace ui::shell {

using analyser::trace::Slices;

namespace {
constexpr std::size_t kMostNotes = 400'000; // about ten times the slices on a wide screen with many lanes
constexpr float kStepsBack = 0.15f;         // strength that a slice without a match keeps
constexpr std::size_t kPage = 4096;         // slices between two checks of the stop token
} // namespace

QString trackTitle(const analyser::trace::Track& track) {
  if (!track.ipu) return theme::reportText(track.name);
  return (track.isIo() ? QObject::tr("IPU %1, I/O tiles") : QObject::tr("IPU %1")).arg(track.ipu->value());
}

int64_t sliceKey(int track, int lane, int64_t begin) {
  // splitmix64: similar numbers give very different keys.
  uint64_t x = uint64_t(begin) * 0x9E3779B97F4A7C15u + uint64_t(uint32_t(track)) * 0xD1B54A32D192ED03u +
               uint64_t(uint32_t(lane)) * 0x8CB92BA72F3D8DD7u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return int64_t((x ^ (x >> 31)) >> 1);
}

namespace {
constexpr std::string_view kRun = "step #"; // as reports call a run
} // namespace

QString sliceTitle(const std::string& name) {
  if (!name.starts_with(kRun)) return theme::reportText(name);
  return QStringLiteral("Engine::run #") + theme::reportText(name.substr(kRun.size()));
}

QString lastPart(const QString& path) {
  const qsizetype slash = path.lastIndexOf('/');
  return slash < 0 || slash + 1 == path.size() ? path : path.mid(slash + 1);
}

TrackSource::TrackSource(std::shared_ptr<SliceAccess> access, std::vector<TrackEntry> entries, reports::TickRange extent,
                         Name name, Palette palette)
    : m_access(std::move(access)), m_entries(std::move(entries)), m_extent(extent), m_name(std::move(name)),
      m_palette(std::move(palette)) {}

int TrackSource::trackOf(reports::TrackId id) const {
  for (std::size_t i = 0; i < m_entries.size(); ++i)
    if (m_entries[i].id.valid() && m_entries[i].id == id) return int(i);
  return -1;
}

std::vector<plot::Track> TrackSource::tracks() const {
  std::vector<plot::Track> tracks;
  for (const TrackEntry& entry : m_entries) tracks.push_back(entry.track);
  return tracks;
}

std::vector<plot::Slice> TrackSource::slices(int track, int lane, reports::TickRange range, int pixels, int64_t labelTicks,
                                             std::stop_token stop) const {
  if (!m_entries[std::size_t(track)].id.valid()) return {};
  analyser::trace::Cells cells;
  m_access->use([&](Slices& slices) { cells = slices.cells(m_entries[std::size_t(track)].id, lane, range, pixels, stop); });
  return drawn(track, lane, cells, labelTicks);
}

std::vector<plot::Slice> TrackSource::drawn(int track, int lane, const analyser::trace::Cells& cells, int64_t labelTicks) const {
  std::vector<plot::Slice> out;
  out.reserve(cells.cells.size());
  const std::scoped_lock lock(m_mutex);
  if (m_notes.size() > kMostNotes) m_notes.clear();
  for (const auto& cell : cells.cells) {
    plot::Slice slice;
    slice.begin = cell.ticks.begin;
    slice.end = std::max(cell.ticks.end, cell.ticks.begin + 1); // a slice without duration is drawn, too
    slice.id = sliceKey(track, lane, slice.begin);
    slice.colour = colourOf(track, cell);
    slice.count = cell.exact ? 1 : int32_t(std::clamp<int64_t>(cell.slices, 2, INT32_MAX));
    slice.share = cell.exact ? 1.0f : float(cell.density());
    // A grouped slice has the name of its longest slice.
    const int64_t ref = cell.exact && (m_highlighted.details.empty() || hasDetails(track)) ? cell.ref : -1;
    if (!m_highlighted.isEmpty() && !m_highlighted.has(cell.name, cell.category, ref)) slice.share *= kStepsBack;
    if (cell.exact && slice.end - slice.begin >= labelTicks) slice.label = labelOf(cell);
    m_notes[slice.id] = {cell.name, cell.category, cell.exact ? cell.ref : -1, cell.widest, cell.density()};
    out.push_back(std::move(slice));
  }
  return out;
}

QString TrackSource::labelOf(const analyser::trace::Cell& cell) const {
  const QString name = m_name(cell.name);
  if (reports::Activity(cell.category) == reports::Activity::Scope) return name;
  const auto folded = m_folded.find(cell.ref);
  return folded == m_folded.end() ? name : QStringLiteral("%1 × %2").arg(name, theme::count(folded->second));
}

void TrackSource::setHighlighted(Meant meant) {
  const std::scoped_lock lock(m_mutex);
  m_highlighted = std::move(meant);
}

void TrackSource::remember(int64_t key, const SliceNote& note) const {
  const std::scoped_lock lock(m_mutex);
  if (m_notes.size() > kMostNotes) m_notes.clear();
  m_notes[key] = note;
}

SliceNote TrackSource::note(int64_t key) const {
  const std::scoped_lock lock(m_mutex);
  const auto at = m_notes.find(key);
  return at == m_notes.end() ? SliceNote{} : at->second;
}

plot::Card TrackSource::card(int, int, const plot::Slice& slice) const {
  return m_card ? m_card(slice, note(slice.id)) : plot::Card{};
}

std::optional<analyser::trace::Slice> meantSlice(Slices& slices, reports::TrackId track, int depth, const plot::Slice& drawn,
                                                 std::stop_token stop) {
  if (drawn.count <= 1) return slices.sliceAt(track, depth, drawn.begin);
  std::optional<analyser::trace::Slice> longest;
  slices.forEach(track, depth, {drawn.begin, drawn.end}, std::move(stop), [&](const analyser::trace::Slice& s) {
    if (!longest || s.duration() > longest->duration()) longest = s;
  });
  return longest;
}

bool Meant::has(reports::StringId name, uint8_t category, int64_t ref) const {
  if (name.value() < names.size() && names[name.value()]) return true;
  if (!details.empty()) return ref >= 0 && std::size_t(ref) < details.size() && details[std::size_t(ref)];
  const auto& meant = reports::Activity(category) == reports::Activity::Scope ? contexts : profiles;
  return ref >= 0 && std::size_t(ref) < meant.size() && meant[std::size_t(ref)];
}

Meant meant(analyser::Session& session, const Wanted& wanted, bool isHost, std::stop_token stop) {
  const QString& text = wanted.text;
  const bool isExpression = wanted.isExpression; // clang 14 cannot capture names of a structured binding
  const tables::TypedPattern expression(isExpression ? text : QString());
  if (const QString why = expression.problem(); !why.isEmpty())
    throw reports::Error(reports::ErrorCode::InvalidInput, why.toStdString(), text.toStdString(),
                         "a regular expression is e.g. ^fwd/.*(conv|matmul)");
  const auto& texts = session.texts();
  const auto isMeant = [&, words = text.toStdString()](const std::string& name) {
    return isExpression ? expression.matches(name) : analyser::containsText(name, words);
  };
  // A run matches by its displayed name and by its name in the report.
  const auto isShownAs = [&](const std::string& name) {
    return !isHost && name.starts_with(kRun) && isMeant(sliceTitle(name).toStdString());
  };
  Meant all;
  all.names.resize(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) all.names[i] = isMeant(texts[i]) || isShownAs(texts[i]);
  if (isHost) return all;
  all.contexts = analyser::outermostContexts(session, isMeant, stop);
  all.profiles = analyser::trace::profilesOfSteps(session, isMeant, stop);
  return all;
}

SliceMatch nameMatch(Meant meant) {
  return [meant = std::move(meant)](const analyser::trace::Slice& s) { return meant.has(s.name, s.category, s.ref); };
}

SliceMatch profileMatch(std::vector<int64_t> profiles) {
  return [profiles = std::move(profiles)](const analyser::trace::Slice& s) {
    return reports::Activity(s.category) != reports::Activity::Scope &&
           std::binary_search(profiles.begin(), profiles.end(), s.ref);
  };
}

namespace {

// The first match that starts in the range.
std::optional<analyser::trace::Slice> firstIn(Slices& slices, reports::TrackId track, int depth, reports::TickRange range,
                                              const SliceMatch& matches, const std::stop_token& stop) {
  while (!range.empty()) {
    reports::throwIfStopped(stop);
    const auto page = slices.slices(track, depth, range, kPage, stop);
    for (const auto& s : page)
      if (s.ticks.begin >= range.begin && matches(s)) return s;
    if (page.size() < kPage) break;
    range.begin = std::max(page.back().ticks.begin + 1, range.begin + 1);
  }
  return std::nullopt;
}

std::optional<analyser::trace::Slice> lastIn(Slices& slices, reports::TrackId track, int depth, reports::TickRange range,
                                             const SliceMatch& matches, const std::stop_token& stop) {
  std::optional<analyser::trace::Slice> last;
  slices.forEach(track, depth, range, stop, [&](const analyser::trace::Slice& s) {
    if (range.contains(s.ticks.begin) && matches(s)) last = s;
  });
  return last;
}

bool isEarlier(const Found& a, const Found& b) { return a.slice.ticks.begin < b.slice.ticks.begin; }

// Keeps the earliest `most` of the added matches, which come track by track and depth by depth.
class Earliest {
public:
  explicit Earliest(std::size_t most) : m_most(most) {}
  void add(const Found& found) {
    if (found.slice.ticks.begin >= m_latest) return; // m_most matches that begin no later are already kept
    m_found.push_back(found);
    if (m_found.size() >= 2 * m_most + 1) trim();
  }
  std::vector<Found> inOrder() {
    trim();
    return std::move(m_found);
  }

private:
  void trim() {
    std::stable_sort(m_found.begin(), m_found.end(), isEarlier);
    m_found.resize(std::min(m_found.size(), m_most));
    if (m_found.size() == m_most) m_latest = m_found.empty() ? 0 : m_found.back().slice.ticks.begin;
  }
  std::size_t m_most;
  int64_t m_latest = std::numeric_limits<int64_t>::max(); // begin of the latest kept match, once m_most are kept
  std::vector<Found> m_found;
};

} // namespace

FoundAll findAll(Slices& slices, const std::vector<reports::TrackId>& tracks, const SliceMatch& matches, reports::TickRange range,
                 std::size_t most, std::stop_token stop) {
  FoundAll all;
  Earliest first(most);
  for (const reports::TrackId id : tracks) {
    const auto* track = slices.track(id);
    std::vector<reports::TickRange> covered; // by matches at outer depths; ascending and disjoint
    for (int depth = 0; track && depth < track->depths; ++depth) {
      std::vector<reports::TickRange> own;
      slices.forEach(id, depth, range, stop, [&](const analyser::trace::Slice& s) {
        if (!matches(s)) return;
        ++all.count;
        first.add({id, s});
        const auto inside = s.ticks.clippedTo(range);
        const auto above =
            std::partition_point(covered.begin(), covered.end(), [&](const auto& c) { return c.end <= inside.begin; });
        if (inside.empty() || (above != covered.end() && above->begin <= inside.begin)) return;
        all.ticks += inside.size();
        own.push_back(inside);
      });
      const auto middle = std::ptrdiff_t(covered.size());
      covered.insert(covered.end(), own.begin(), own.end());
      std::inplace_merge(covered.begin(), covered.begin() + middle, covered.end(),
                         [](const auto& a, const auto& b) { return a.begin < b.begin; });
    }
  }
  all.first = first.inOrder();
  return all;
}

FoundAll findEarliest(Slices& slices, const std::vector<reports::TrackId>& tracks, const SliceMatch& matches,
                      reports::TickRange range, std::size_t enough, std::stop_token stop) {
  constexpr int64_t kFirstPart = 4096, kLastPart = 16; // divisors of the range, tried in steps of 4
  FoundAll found;
  for (int64_t part = kFirstPart; part >= kLastPart && found.first.size() < enough; part /= 4) {
    const reports::TickRange begin{range.begin, range.begin + std::max<int64_t>(1, range.size() / part)};
    found = findAll(slices, tracks, matches, begin, enough, stop);
  }
  return found;
}

std::optional<Found> findSlice(Slices& slices, const std::vector<reports::TrackId>& tracks, const SliceMatch& matches,
                               int64_t from, bool forward, std::stop_token stop) {
  const auto all = slices.range();
  for (reports::TickRange range : {forward ? reports::TickRange{from + 1, all.end} : reports::TickRange{all.begin, from}, all}) {
    std::optional<Found> best;
    for (const reports::TrackId id : tracks) {
      const auto* track = slices.track(id);
      for (int depth = 0; track && depth < track->depths; ++depth) {
        const auto s =
            forward ? firstIn(slices, id, depth, range, matches, stop) : lastIn(slices, id, depth, range, matches, stop);
        if (!s) continue;
        best = Found{id, *s};
        // The next lanes are searched only for slices nearer than this one.
        (forward ? range.end : range.begin) = s->ticks.begin + (forward ? 0 : 1);
      }
    }
    if (best) return best;
  }
  return std::nullopt;
}

} // namespace ui::shell
