#include "ui/parts/result_slices.h"

#include "analyser/trace/slices.h"
#include "ui/theme/report_text.h"
#include "ui/theme/tokens.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace ui::shell {

using analyser::query::Result;
using analyser::query::Value;

namespace {

constexpr int kHues = 16;
constexpr std::size_t kMostLanes = 64;              // lanes of a track; the last one merges further overlaps
constexpr int64_t kFarthestTick = int64_t(1) << 62; // the limit of TimeScale: differences do not overflow

std::optional<int64_t> tickOf(const Value& value) {
  const auto isNear = [](auto number) { return number > -kFarthestTick && number < kFarthestTick; };
  if (const auto* whole = std::get_if<int64_t>(&value)) return isNear(*whole) ? std::optional(*whole) : std::nullopt;
  const auto* real = std::get_if<double>(&value);
  return real && std::abs(*real) < 4e18 ? std::optional(int64_t(std::llround(*real))) : std::nullopt; // false for NaN, too
}

int columnNamed(const Result& result, std::initializer_list<const char*> names) {
  for (const char* name : names)
    for (std::size_t c = 0; c < result.columns.size(); ++c)
      if (QString::fromStdString(result.columns[c]).compare(QLatin1String(name), Qt::CaseInsensitive) == 0) return int(c);
  return -1;
}

SpanColumns::Unit unitOf(const Result& result, const SpanColumns& columns, const HostTracks& tracks) {
  using Unit = SpanColumns::Unit;
  bool isTicks = true; // all names say "tick": the tracks decide the unit
  for (const int column : {columns.begin, columns.end, columns.duration}) {
    if (column < 0) continue;
    const QString name = QString::fromStdString(result.columns[std::size_t(column)]).toLower();
    if (name.endsWith(QLatin1String("_ns"))) return Unit::Nanoseconds;
    if (name.contains(QLatin1String("cycle"))) return Unit::Cycles;
    isTicks = isTicks && name.contains(QLatin1String("tick"));
  }
  if (!isTicks) return Unit::Unknown;
  bool isHost = false, isDevice = false;
  const auto add = [&](bool host) { (host ? isHost : isDevice) = true; };
  if (const int id = columnNamed(result, {"track_id"}); id >= 0) {
    for (const auto& row : result.rows) {
      const auto* track = std::get_if<int64_t>(&row[std::size_t(id)]);
      const auto known = track ? tracks.find(*track) : tracks.end();
      if (known == tracks.end()) return Unit::Unknown;
      add(known->second);
    }
  } else {
    for (const auto& [track, host] : tracks) add(host);
  }
  return isHost == isDevice ? Unit::Unknown : isHost ? Unit::Nanoseconds : Unit::Cycles;
}

QString cellText(const Value& value) { return theme::reportText(analyser::query::valueText(value)); }

} // namespace

ResultSlices::ResultSlices(const Result& result, const SpanColumns& columns)
    : m_unit(columns.unit), m_rows(int64_t(result.rows.size())) {
  std::map<QString, std::size_t> tracks;
  struct Span {
    int64_t begin, end;
    std::size_t track, row;
  };
  std::vector<Span> spans;
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    const auto& cells = result.rows[row];
    const auto cell = [&](int column) { return column < 0 ? std::nullopt : tickOf(cells[std::size_t(column)]); };
    const auto begin = cell(columns.begin), duration = cell(columns.duration);
    auto end = cell(columns.end);
    if (!end && begin && duration) end = *begin + *duration;
    if (!begin || !end || *end < *begin || *end >= kFarthestTick) continue;
    const QString track = columns.track < 0 ? QObject::tr("rows") : cellText(cells[std::size_t(columns.track)]);
    const auto [found, isNew] = tracks.emplace(track, m_tracks.size());
    if (isNew) m_tracks.push_back({track, {}, 1}), m_lanes.emplace_back(1);
    spans.push_back({*begin, std::max(*end, *begin + 1), found->second, row});
  }
  m_drawn = int64_t(spans.size());
  std::vector<int64_t> widest(m_tracks.size()); // by track: duration of the longest row that the last slice stands for
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return std::pair(a.begin, -a.end) < std::pair(b.begin, -b.end); });
  for (const Span& span : spans) {
    m_extent = m_extent.empty() ? reports::TickRange{span.begin, span.end}
                                : reports::TickRange{std::min(m_extent.begin, span.begin), std::max(m_extent.end, span.end)};
    auto& lanes = m_lanes[span.track];
    std::size_t lane = 0;
    while (lane < lanes.size() && !lanes[lane].empty() && lanes[lane].back().end > span.begin) ++lane;
    if (lane == lanes.size() && lane < kMostLanes) lanes.emplace_back();
    if (lane < lanes.size()) {
      lanes[lane].push_back(sliceOf(span.begin, span.end, span.row, result, columns));
      widest[span.track] = span.end - span.begin;
      continue;
    }
    ++m_folded;
    plot::Slice& folded = lanes.back().back();
    const int32_t count = folded.count + 1;
    const reports::TickRange all{folded.begin, std::max(folded.end, span.end)};
    if (span.end - span.begin > widest[span.track]) {
      widest[span.track] = span.end - span.begin;
      folded = sliceOf(span.begin, span.end, span.row, result, columns);
    }
    folded.begin = all.begin, folded.end = all.end, folded.count = count;
  }
  for (std::size_t track = 0; track < m_tracks.size(); ++track) {
    m_tracks[track].lanes = int(m_lanes[track].size());
    m_tracks[track].key = int64_t(track);
  }
}

QString ResultSlices::note() const {
  QStringList notes;
  if (m_drawn < m_rows)
    notes << QObject::tr("%1 of %2 rows are not drawn: their begin or end is unknown, too far away or in the wrong order.")
                 .arg(theme::count(m_rows - m_drawn), theme::count(m_rows));
  if (m_folded > 0)
    notes << QObject::tr("More than %1 rows overlap: %2 are grouped into slices of the last lane.")
                 .arg(theme::count(int64_t(kMostLanes)), theme::count(m_folded));
  return notes.join(' ');
}

std::vector<plot::Slice> ResultSlices::slices(int track, int lane, reports::TickRange range, int, int64_t,
                                              std::stop_token) const {
  const auto& all = m_lanes[std::size_t(track)][std::size_t(lane)];
  const auto first = std::partition_point(all.begin(), all.end(), [&](const plot::Slice& s) { return s.end <= range.begin; });
  const auto last = std::partition_point(first, all.end(), [&](const plot::Slice& s) { return s.begin < range.end; });
  return {first, last};
}

plot::Card ResultSlices::card(int, int, const plot::Slice& slice) const {
  const auto time = [&](int64_t ticks) {
    switch (m_unit) {
    case Unit::Nanoseconds: return m_format.nanoseconds(reports::Nanoseconds(ticks));
    case Unit::Cycles: return m_format.cyclesExact(reports::Cycles(ticks));
    default: return QObject::tr("%1 ticks").arg(theme::count(ticks));
    }
  };
  const bool isFolded = slice.count > 1;
  return {isFolded                ? QObject::tr("%1 rows").arg(theme::count(slice.count))
          : slice.label.isEmpty() ? QObject::tr("row %1").arg(slice.id + 1)
                                  : slice.label,
          {{isFolded ? QObject::tr("take together") : QObject::tr("takes"), time(slice.end - slice.begin), {}},
           {QObject::tr("from"), time(slice.begin), {}}},
          m_isAligned ? QString()
          : isFolded  ? QObject::tr("Click shows the row of the longest")
                      : QObject::tr("Click shows its row")};
}

std::vector<QColor> ResultSlices::palette(bool dark) const {
  std::vector<QColor> colours;
  for (int hue = 0; hue < kHues; ++hue) colours.push_back(theme::seriesColour(hue, dark));
  return colours;
}

plot::Slice ResultSlices::sliceOf(int64_t begin, int64_t end, std::size_t row, const Result& result, const SpanColumns& columns) {
  plot::Slice slice;
  slice.begin = begin, slice.end = end, slice.id = int64_t(row);
  if (columns.name >= 0) slice.label = cellText(result.rows[row][std::size_t(columns.name)]);
  slice.colour = int(qHash(slice.label, 0) % kHues);
  return slice;
}

HostTracks hostTracks(analyser::Session& session) {
  HostTracks tracks;
  for (const char* kind : {"ipu", "host_thread"}) {
    const analyser::trace::Slices slices(session, kind);
    for (const auto& track : slices.tracks()) tracks[int64_t(track.id.value())] = track.tickUnit == "nanosecond";
  }
  return tracks;
}

std::optional<SpanColumns> spanColumns(const Result& result, const HostTracks& tracks) {
  SpanColumns columns;
  columns.begin = columnNamed(result, {"start_tick", "start_cycle", "start_ns", "start", "begin", "ts", "from"});
  columns.end = columnNamed(result, {"end_tick", "end_cycle", "end_ns", "end", "until", "to"});
  columns.duration = columnNamed(result, {"duration_ticks", "duration_ns", "duration", "dur", "cycles"});
  if (columns.begin < 0 || (columns.end < 0 && columns.duration < 0)) return std::nullopt;
  columns.name = columnNamed(result, {"name", "label", "slice", "kind"});
  columns.track = columnNamed(result, {"track", "thread", "lane", "ipu", "track_id", "process"});
  columns.unit = unitOf(result, columns, tracks);
  return columns;
}

std::shared_ptr<ResultSlices> resultSlices(const Result& result, const HostTracks& tracks) {
  const auto columns = spanColumns(result, tracks);
  return columns && !result.rows.empty() ? std::make_shared<ResultSlices>(result, *columns) : nullptr;
}

} // namespace ui::shell
