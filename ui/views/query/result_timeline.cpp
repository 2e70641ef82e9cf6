#include "ui/views/query/result_timeline.h"

#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/tokens.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ui::query {

using analyser::query::Result;
using analyser::query::Value;

namespace {

constexpr int kHues = 16;
constexpr std::size_t kMostLanes = 64; // of a track; slices that overlap more share the last one

std::optional<int64_t> wholeOf(const Value& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return *whole;
  const auto* real = std::get_if<double>(&value);
  constexpr double kMost = 9e18;
  return real && std::isfinite(*real) && std::abs(*real) < kMost ? std::optional(std::llround(*real)) : std::nullopt;
}

int columnNamed(const Result& result, std::initializer_list<const char*> names) {
  for (const char* name : names)
    for (std::size_t c = 0; c < result.columns.size(); ++c)
      if (QString::fromStdString(result.columns[c]).compare(QLatin1String(name), Qt::CaseInsensitive) == 0) return int(c);
  return -1;
}

// The slices of a result, laid on lanes.
class ResultSlices : public plot::SliceSource {
public:
  ResultSlices(const Result& result, const SpanColumns& columns, const theme::Format& format)
      : m_isNanoseconds(columns.isNanoseconds), m_format(format) {
    std::map<QString, std::size_t> tracks;
    struct Span {
      int64_t begin, end;
      std::size_t track, row;
    };
    std::vector<Span> spans;
    for (std::size_t row = 0; row < result.rows.size(); ++row) {
      const auto& cells = result.rows[row];
      const auto begin = wholeOf(cells[std::size_t(columns.begin)]);
      auto end = wholeOf(cells[std::size_t(columns.end >= 0 ? columns.end : columns.duration)]);
      if (!begin || !end) continue;
      if (columns.end < 0) end = *end > INT64_MAX - std::max<int64_t>(*begin, 0) ? INT64_MAX : *begin + *end;
      if (*end < *begin) continue;
      const QString track = columns.track < 0 ? QObject::tr("rows") : textOf(cells[std::size_t(columns.track)]);
      const auto [found, isNew] = tracks.emplace(track, m_tracks.size());
      if (isNew) m_tracks.push_back({track, {}, 1}), m_lanes.emplace_back(1);
      spans.push_back({*begin, std::max(*end, *begin + 1), found->second, row});
      m_names.emplace(row, columns.name < 0 ? QString() : textOf(cells[std::size_t(columns.name)]));
    }
    std::stable_sort(spans.begin(), spans.end(),
                     [](const Span& a, const Span& b) { return std::pair(a.begin, -a.end) < std::pair(b.begin, -b.end); });
    for (const Span& span : spans) {
      m_extent = m_extent.empty() ? reports::TickRange{span.begin, span.end}
                                  : reports::TickRange{std::min(m_extent.begin, span.begin), std::max(m_extent.end, span.end)};
      auto& lanes = m_lanes[span.track];
      std::size_t lane = 0;
      while (lane < lanes.size() && !lanes[lane].empty() && lanes[lane].back().end > span.begin) ++lane;
      if (lane == lanes.size() && lane < kMostLanes) lanes.emplace_back();
      lane = std::min(lane, lanes.size() - 1);
      plot::Slice slice;
      slice.begin = span.begin, slice.end = span.end, slice.id = int64_t(span.row);
      slice.label = m_names[span.row];
      slice.colour = int(qHash(slice.label, 0) % kHues);
      if (lanes[lane].empty() || lanes[lane].back().end <= span.begin) lanes[lane].push_back(std::move(slice));
    }
    for (std::size_t track = 0; track < m_tracks.size(); ++track) {
      m_tracks[track].lanes = int(m_lanes[track].size());
      m_tracks[track].key = int64_t(track);
    }
  }
  bool isEmpty() const { return m_extent.empty(); }
  reports::TickRange extent() const override { return m_extent; }
  std::vector<plot::Track> tracks() const override { return m_tracks; }
  std::vector<plot::Slice> slices(int track, int lane, reports::TickRange range, int, int64_t, std::stop_token) const override {
    const auto& all = m_lanes[std::size_t(track)][std::size_t(lane)];
    const auto first = std::partition_point(all.begin(), all.end(), [&](const plot::Slice& s) { return s.end <= range.begin; });
    const auto last = std::partition_point(first, all.end(), [&](const plot::Slice& s) { return s.begin < range.end; });
    return {first, last};
  }
  plot::Card card(int, int, const plot::Slice& slice) const override {
    const auto time = [&](int64_t ticks) {
      return m_isNanoseconds ? m_format.nanoseconds(reports::Nanoseconds(ticks)) : m_format.cyclesExact(reports::Cycles(ticks));
    };
    return {slice.label.isEmpty() ? QObject::tr("row %1").arg(slice.id + 1) : slice.label,
            {{QObject::tr("takes"), time(slice.end - slice.begin), {}}, {QObject::tr("from"), time(slice.begin), {}}},
            QObject::tr("Click shows its row")};
  }
  std::vector<QColor> palette(bool dark) const override {
    std::vector<QColor> colours;
    for (int hue = 0; hue < kHues; ++hue) colours.push_back(theme::seriesColour(hue, dark));
    return colours;
  }

private:
  static QString textOf(const Value& value) { return theme::reportText(analyser::query::valueText(value)); }

  bool m_isNanoseconds;
  theme::Format m_format;
  reports::TickRange m_extent;
  std::vector<plot::Track> m_tracks;
  std::vector<std::vector<std::vector<plot::Slice>>> m_lanes; // by track and lane
  std::map<std::size_t, QString> m_names;                     // by row
};

} // namespace

std::optional<SpanColumns> spanColumns(const Result& result) {
  SpanColumns columns;
  columns.begin = columnNamed(result, {"start_tick", "start_cycle", "start_ns", "start", "begin", "ts", "from"});
  columns.end = columnNamed(result, {"end_tick", "end_cycle", "end_ns", "end", "until", "to"});
  columns.duration = columnNamed(result, {"duration_ticks", "duration_ns", "duration", "dur", "cycles"});
  if (columns.begin < 0 || (columns.end < 0 && columns.duration < 0)) return std::nullopt;
  columns.name = columnNamed(result, {"name", "label", "slice", "kind"});
  columns.track = columnNamed(result, {"track", "thread", "lane", "ipu", "track_id", "process"});
  // What counts cycles says so; ticks of a host are nanoseconds.
  columns.isNanoseconds = columnNamed(result, {"start_cycle", "end_cycle", "cycles"}) < 0;
  return columns;
}

ResultTimeline::ResultTimeline(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_timeline(new plot::Timeline(theme, tr("Rows of the query as slices"), &jobs)),
      m_note(theme::plainLabel()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->addWidget(m_note);
  column->addWidget(m_timeline, 1);
  m_note->setProperty("role", "secondary");
  m_note->setWordWrap(true);
  connect(m_timeline, &plot::Timeline::sliceClicked, this,
          [this](int, int, const plot::Slice& slice) { emit rowChosen(slice.id); });
  setNone();
}

ResultTimeline::~ResultTimeline() = default;

bool ResultTimeline::setResult(const Result& result) {
  setNone();
  const auto columns = spanColumns(result);
  if (!columns) return false;
  auto source = std::make_shared<ResultSlices>(result, *columns, m_format);
  if (source->isEmpty()) return false;
  m_timeline->setNanoseconds(columns->isNanoseconds);
  m_timeline->setSource(std::move(source));
  m_timeline->show(), m_note->hide();
  return true;
}

void ResultTimeline::setNone() {
  m_timeline->setSource(nullptr);
  m_timeline->hide(), m_note->show();
  m_note->setText(
      tr("A result with a column start_tick or start, and one of end or duration, becomes slices here: a track for each value of "
         "track, thread or ipu, labelled by name."));
}

void ResultTimeline::setFormat(const theme::Format& format) {
  m_format = format;
  m_timeline->setFormat(format);
}

} // namespace ui::query
