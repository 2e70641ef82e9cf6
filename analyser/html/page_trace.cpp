#include "analyser/host/counters.h"
#include "analyser/host/host_columns.h"
#include "analyser/html/page_json.h"
#include "analyser/trace/trace_columns.h"

#include <nlohmann/json.hpp>

#include <map>

namespace analyser::html {

namespace {

constexpr int64_t kMostSlices = 40'000; // all lanes together; more are drawn as cells
constexpr int kMostLanes = 200, kCounterPoints = 600;
constexpr std::size_t kMostNames = 2000, kMostLabels = 2000, kMostCharts = 24;

// Lanes of tracks with their slices or, if there are too many, with cells of a fixed width.
class PageLanes {
public:
  struct TitledTrack {
    const trace::Track* track;
    std::string title;
  };

  // `range`: where the axis begins and ends.
  PageLanes(trace::Slices& slices, const std::vector<TitledTrack>& tracks, trace::TickRange range, const PagePart& page,
            const char* what)
      : m_slices(slices), m_range(range), m_page(page), m_what(what) {
    for (const auto& [track, title] : tracks) m_all += track->slices, m_lanes += track->depths;
    for (const auto& [track, title] : tracks) add(*track, title);
  }

  PageJson json() {
    m_page.cut(std::string("Lanes of the ") + m_what + ", the first", std::size_t(std::min(m_drawn, kMostLanes)),
               std::size_t(m_drawn));
    if (m_all > kMostSlices)
      m_page.cuts.push_back("Slices of the " + std::string(m_what) + ": " + formatCount(m_all) + " are drawn as " +
                            formatCount(m_cells) + " cells; short neighbours are one, under the name of the longest.");
    return {{"range", {m_range.begin, m_range.end}}, {"names", std::move(m_texts)}, {"tracks", std::move(m_tracks)}};
  }

private:
  void add(const trace::Track& track, const std::string& title) {
    PageJson lanes = PageJson::array();
    for (int depth = 0; depth < track.depths; ++depth) {
      if (m_drawn++ >= kMostLanes) break;
      reports::throwIfStopped(m_page.stop);
      lanes.push_back(m_all <= kMostSlices ? exactLane(track.id, depth) : cellLane(track.id, depth));
    }
    if (!lanes.empty()) m_tracks.push_back({{"title", title}, {"lanes", std::move(lanes)}});
  }
  std::size_t nameOf(StringId name) {
    const auto [at, isNew] = m_names.try_emplace(name.value(), m_names.size());
    if (isNew) m_texts.push_back(printable(m_page.session.text(name)));
    return at->second;
  }
  // [start after the previous begin, duration, name, category, slices] in one flat list; the first start counts from the range's.
  void put(PageJson& lane, int64_t& last, reports::TickRange ticks, StringId name, int category, int64_t slices) {
    for (const int64_t v : {ticks.begin - last, ticks.size(), int64_t(nameOf(name)), int64_t(category), slices})
      lane.push_back(v);
    last = ticks.begin;
    ++m_cells;
  }
  PageJson exactLane(reports::TrackId track, int depth) {
    PageJson lane = PageJson::array();
    int64_t last = m_range.begin;
    m_slices.forEach(track, depth, m_slices.range(), m_page.stop,
                     [&](const trace::Slice& s) { put(lane, last, s.ticks, s.name, s.category, 1); });
    return lane;
  }
  PageJson cellLane(reports::TrackId track, int depth) {
    PageJson lane = PageJson::array();
    const int pixels = int(std::clamp<int64_t>(kMostSlices / std::max(1, std::min(m_lanes, kMostLanes)), 100, 4000));
    int64_t last = m_range.begin;
    for (const trace::Cell& c : m_slices.cells(track, depth, m_slices.range(), pixels, m_page.stop).cells)
      put(lane, last, c.ticks, c.name, c.category, c.exact ? 1 : std::max<int64_t>(c.slices, 2));
    return lane;
  }

  trace::Slices& m_slices;
  trace::TickRange m_range;
  const PagePart& m_page;
  const char* m_what;
  int64_t m_all = 0, m_cells = 0;
  int m_lanes = 0, m_drawn = 0;
  std::map<uint32_t, std::size_t> m_names;
  PageJson m_texts = PageJson::array(), m_tracks = PageJson::array();
};

PageJson activities() {
  PageJson list = PageJson::array();
  for (int a = 0; a < reports::kActivityCount; ++a)
    list.push_back(
        {{"name", reports::activityName(reports::Activity(a))}, {"paint", paint(activityColour(reports::Activity(a)))}});
  return list;
}

std::string trackTitle(const trace::Track& track) {
  if (!track.ipu) return printable(track.name);
  return "IPU " + std::to_string(track.ipu->value()) + (track.isIo() ? ", I/O tiles" : "");
}

PageJson stepsTable(trace::ExecutionTrace& trace, const PagePart& page) {
  const auto all = trace.statistics(trace.range(), {}, page.stop);
  const std::size_t kept = std::min(all.size(), kMostNames);
  page.cut("Names of steps, those with most cycles", kept, all.size());
  return pageTable("steps", "Steps by name", "trace",
                   columns::tableOf(columns::without(trace::statisticsColumns(), {"cut"}), std::span(all).first(kept), "total"));
}

} // namespace

PageJson tracePart(const PagePart& page) {
  trace::ExecutionTrace trace(page.session);
  if (trace.tracks().empty() || trace.range().empty()) return nullptr;
  std::vector<PageLanes::TitledTrack> tracks;
  for (const trace::Track& track : trace.tracks()) tracks.push_back({&track, trackTitle(track)});
  PageJson json = PageLanes(trace.slices(), tracks, trace.slices().range(), page, "trace").json();
  const trace::Proportions shares = trace.proportions(trace.range(), page.stop);
  json["verdict"] = shares.verdict.text();
  json["unit"] = "cycles";
  json["clock"] = page.session.machine().clockHz;
  json["categories"] = activities();
  json["shares"] = PageJson::array();
  for (const trace::IpuProportions& ipu : shares.ipus) {
    PageJson parts = PageJson::array();
    for (const trace::ActivityShare& s : ipu.shares)
      if (s.cycles > Cycles()) parts.push_back({int(s.activity), s.cycles.value()});
    json["shares"].push_back({{"title", "IPU " + std::to_string(ipu.ipu.value()) + (ipu.io ? ", I/O tiles" : "")},
                              {"parts", std::move(parts)},
                              {"busy", ipu.tileUtilisation},
                              {"in", ipu.bytesIn.value()},
                              {"out", ipu.bytesOut.value()}});
  }
  json["tables"] = PageJson::array({stepsTable(trace, page)});
  return json;
}

PageJson pipelinePart(const PagePart& page) {
  trace::ExecutionTrace trace(page.session);
  if (trace.tracks().empty()) return nullptr;
  const auto pipeline = trace::pipeline(trace, page.stop);
  if (!pipeline) return nullptr;
  PageJson json = {{"verdict", pipeline->verdict.text()},
                   {"bubble", pipeline->bubble},
                   {"micro_batches", pipeline->microBatches},
                   {"slowest", pipeline->slowest}};
  json["phases"] = {{{"name", "Fill"}, {"paint", paint(seriesColour(5))}, {"value", pipeline->fill.value()}},
                    {{"name", "Main"}, {"paint", paint(seriesColour(0))}, {"value", pipeline->main.value()}},
                    {{"name", "Flush"}, {"paint", paint(seriesColour(4))}, {"value", pipeline->flush.value()}},
                    {{"name", "Outside"}, {"paint", paint(seriesColour(7))}, {"value", pipeline->outside.value()}}};
  PageJson table =
      pageTable("stages", "Stages", "pipeline",
                columns::tableOf(columns::without(trace::stageColumns(), {"holds", "overTheMean"}), trace::stagesOf(*pipeline)));
  json["tables"] = PageJson::array({std::move(table)});
  return json;
}

PageJson blocksPart(const PagePart& page) {
  if (!trace::hasBlockRecords(page.session)) return nullptr;
  const trace::BlockProfile profile = trace::blockProfile(page.session, page.stop);
  const std::size_t kept = std::min(profile.blocks.size(), kMostNames);
  page.cut("Blocks, those with most cycles", kept, profile.blocks.size());
  const auto shown = std::span(profile.blocks).first(kept);
  PageJson table = pageTable("block-times", "Blocks", "blocks",
                             columns::tableOf(columns::without(trace::blockColumns(), {"mean", "deviation"}), shown, "total"));
  table["columns"].push_back(column("Durations", "bars", "How many executions took how long"));
  for (std::size_t i = 0; i < kept; ++i) {
    PageJson bars = PageJson::array();
    for (const trace::DurationBar& bar : shown[i].histogram) bars.push_back(bar.executions);
    table["rows"][i].push_back(std::move(bars));
  }
  return {{"verdict", profile.verdict.text()}, {"tables", PageJson::array({std::move(table)})}};
}

namespace {

PageJson labelsTable(host::HostTimeline& host, const std::vector<host::MeasuredValue>& values, const PagePart& page) {
  const auto all = host.statistics(host.range(), values, 0, page.stop);
  const std::size_t kept = std::min(all.size(), kMostLabels);
  page.cut(values.front().isPlainTime() ? "Labels of the host, those with most time" : "Labels of the host, the largest", kept,
           all.size());
  return pageTable("labels", "Labels", "host",
                   columns::tableOf(columns::without(host::labelColumns(values.front()), {"cut", "shortest"}),
                                    std::span(all).first(kept), "total"));
}

PageJson counters(host::HostTimeline& host, const PagePart& page) {
  PageJson charts = PageJson::array();
  const auto all = host::counterCharts(page.session);
  const std::size_t kept = std::min(all.size(), kMostCharts);
  page.cut("Counters of the host, the first", kept, all.size());
  for (const host::Chart& chart : std::span(all).first(kept)) {
    PageJson series = PageJson::array();
    for (const host::Series& s : chart.series) {
      PageJson points = PageJson::array(); // [start, least, most, last] in one flat list
      for (const auto& p : host::counterPoints(page.session, s.id, host.range(), kCounterPoints, page.stop))
        for (const double v : {double(p.ticks.begin), p.min, p.max, p.last}) points.push_back(v);
      series.push_back(
          {{"name", printable(s.name)}, {"paint", paint(seriesColour(int(series.size())))}, {"points", std::move(points)}});
    }
    charts.push_back({{"name", printable(chart.name)}, {"unit", printable(chart.unit)}, {"series", std::move(series)}});
  }
  return charts;
}

} // namespace

PageJson hostPart(const PagePart& page) {
  host::HostTimeline host(page.session);
  if (host.range().empty()) return nullptr;
  const auto values = host::valuesOf(host, page.stop);
  const host::MeasuredValue& shown = values.front();
  // Stacks without times have an axis of their own, in the unit of their value: as in the window, one value is drawn.
  const auto isDrawn = [&](const trace::Track& track) {
    return shown.isInTime || std::any_of(shown.tracks.begin(), shown.tracks.end(),
                                         [&](const trace::CalledTrack& own) { return own.id == track.id; });
  };
  std::vector<PageLanes::TitledTrack> tracks;
  int mostChannel = 0;
  for (const host::Process& process : host.processes())
    for (const host::Thread& thread : process.threads)
      if (const trace::Track* track = host.slices().track(thread.track); track && isDrawn(*track))
        tracks.push_back({track, printable(process.name + ", " + thread.name)});
  PageJson json = PageLanes(host.slices(), tracks, shown.isInTime ? host.range() : shown.range, page, "host").json();
  json["verdict"] = host.verdict(values, 0, page.stop).text();
  using Unit = host::MeasuredValue::Unit;
  json["unit"] = shown.isInTime || shown.unit == Unit::Time ? "nanoseconds" : shown.unit == Unit::Bytes ? "bytes" : "count";
  json["ticks_per_unit"] = shown.isInTime ? 1 : shown.ticksPerUnit;
  json["categories"] = PageJson::array();
  for (const host::LabelStatistics& s : host.statistics(host.range(), page.stop))
    mostChannel = std::max(mostChannel, int(s.category));
  for (int c = 0; c <= mostChannel; ++c)
    json["categories"].push_back({{"name", printable(host.channel(uint8_t(c)))}, {"paint", paint(seriesColour(8 + c % 8))}});
  json["counters"] = counters(host, page);
  json["tables"] = PageJson::array({labelsTable(host, values, page)});
  return json;
}

} // namespace analyser::html
