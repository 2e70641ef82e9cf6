#include "reports/exchange/details_json.h"
#include "reports/exchange/export_rows.h"
#include "reports/exchange/text_sink.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace reports::exchange {

namespace {

class ChromeExport {
public:
  ChromeExport(Reader& reader, const ExportRequest& request, std::ostream& out) : m_rows(reader, request), m_text(out) {}

  ExportCounts write(Progress& progress, const std::stop_token& stop) {
    progress.phase("exporting");
    m_text += "{\"displayTimeUnit\":\"ns\",";
    if (const auto unix = m_rows.unixOffset()) m_text += fmt::format("\"baseTimeNanoseconds\":{},", *unix);
    m_text += "\"traceEvents\":[";
    m_rows.forEachProcess([&](int64_t pid, const std::string& name) { nameProcess(pid, name); });
    m_flows = m_rows.flows();
    for (const auto& flow : m_flows)
      for (const auto& point : flow.points) m_ofFlows[placeOf(point.slice)];
    for (int64_t i = 0; i < m_rows.size(); ++i) {
      progress.update(double(i) / double(m_rows.size()));
      writeTrack(m_rows.track(i, stop));
    }
    if (m_rows.hasHost()) writeCounters(stop);
    writeFlows();
    m_text += "\n]}\n";
    m_text.finish();
    return m_rows.checked(m_counts);
  }

private:
  void event(const std::string& members) {
    m_text += m_first ? "\n{" : ",\n{";
    m_first = false;
    m_text += members;
    m_text += '}';
    m_text.pass();
  }
  std::string micros(int64_t ns) const { return plainMicros(ns + m_rows.base()); }
  static std::string plainMicros(int64_t ns) {
    const uint64_t size = ns < 0 ? uint64_t(-(ns + 1)) + 1 : uint64_t(ns);
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
  }
  std::string quoted(uint32_t name) { return quotedJson(m_rows.reader().text(name)); }
  std::string argsOf(int32_t ref, bool isDevice) {
    const std::string json = isDevice ? std::string() : m_rows.details(ref);
    if (json.empty()) return {};
    // Some tools write invalid JSON, such as NaN; a strict reader would reject the whole file.
    if (!nlohmann::json::accept(json)) return ",\"args\":{\"value\":" + quotedJson(json) + "}";
    return json.front() == '{' ? ",\"args\":" + json : ",\"args\":{\"value\":" + json + "}";
  }

  void nameProcess(int64_t pid, const std::string& name) {
    if (m_named.emplace(pid, true).second)
      event(fmt::format(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", pid, quotedJson(name)));
  }
  void nameTrack(const ExportTrack& t) {
    nameProcess(t.pid, t.processName);
    if (t.isAsync()) return;
    event(
        fmt::format(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}})", t.pid, t.tid, quotedJson(t.name)));
    if (t.sortOrder)
      event(fmt::format(R"("ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})", t.pid, t.tid,
                        *t.sortOrder));
  }

  void writeTrack(const ExportTrack& t) {
    if (t.slices.empty() && t.instants.empty()) return;
    ++m_counts.tracks;
    nameTrack(t);
    m_places[t.trackId] = {t.pid, t.tid};
    for (const ExportSlice& s : t.slices) {
      ++m_counts.slices;
      if (const auto found = m_ofFlows.find({t.trackId, s.depth, s.number}); found != m_ofFlows.end())
        found->second = TickRange{s.start, s.end};
      const std::string head = "\"name\":" + quoted(s.name) + ",\"cat\":" + quotedJson(m_rows.category(t, s.category)) +
                               fmt::format(",\"pid\":{},\"tid\":{}", t.pid, t.tid);
      if (t.isAsync()) {
        const std::string id = fmt::format(",\"id\":\"{}\"", ++m_asyncIds);
        event("\"ph\":\"b\"," + head + id + ",\"ts\":" + micros(s.start) + argsOf(s.ref, false));
        event("\"ph\":\"e\"," + head + id + ",\"ts\":" + micros(s.end));
      } else {
        event("\"ph\":\"X\"," + head + ",\"ts\":" + micros(s.start) + ",\"dur\":" + plainMicros(s.end - s.start) +
              argsOf(s.ref, t.isDevice));
      }
    }
    for (const Instant& i : t.instants) {
      ++m_counts.instants;
      static const char* const scopes[] = {"t", "p", "g"};
      const std::string kind = t.isAsync()          ? fmt::format("\"ph\":\"n\",\"id\":\"{}\"", ++m_asyncIds)
                               : t.kind == "sample" ? std::string("\"ph\":\"P\"")
                                                    : fmt::format("\"ph\":\"i\",\"s\":\"{}\"", scopes[int(i.scope)]);
      event(kind + ",\"name\":" + quoted(i.name) + ",\"cat\":" + quotedJson(m_rows.channel(i.category)) +
            fmt::format(",\"pid\":{},\"tid\":{},\"ts\":", t.pid, t.tid) + micros(i.tick) + argsOf(i.details, false));
    }
  }

  // Writes the counters. An event has the values of all series of its counter at one time.
  void writeCounters(const std::stop_token& stop) {
    std::map<std::pair<int64_t, std::string>, std::vector<CounterSeriesRow>> counters; // by process and name
    m_rows.reader().forEach<CounterSeriesRow>({}, {}, [&](CounterSeriesRow& row) {
      const std::pair key(m_rows.processPid(row.processId), row.graph);
      counters[key].push_back(std::move(row));
    });
    struct Value {
      int64_t tick = 0;
      std::size_t series = 0;
      double value = 0;
    };
    for (const auto& [key, series] : counters) {
      std::vector<Value> values;
      for (std::size_t i = 0; i < series.size(); ++i)
        m_rows.reader().forEach<CounterChunkRow>(
            "series_id = ?", {series[i].id},
            [&](const CounterChunkRow& chunk) {
              for (const CounterSample& s : decodeCounter(chunk))
                if (!m_rows.isInRange(s.tick, s.tick))
                  continue;
                else if (std::isfinite(s.value))
                  values.push_back({s.tick, i, s.value});
                else
                  ++m_counts.notFinite; // JSON has no such numbers
            },
            stop);
      std::stable_sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return a.tick < b.tick; });
      const std::string head = "\"ph\":\"C\",\"name\":" + quotedJson(key.second) + fmt::format(",\"pid\":{},\"ts\":", key.first);
      for (std::size_t i = 0; i < values.size();) {
        const int64_t tick = values[i].tick;
        std::string args;
        std::vector<bool> has(series.size()); // a second value of a series needs another event
        for (; i < values.size() && values[i].tick == tick && !has[values[i].series]; ++i) {
          const Value& v = values[i];
          const std::string& name = series[v.series].name;
          has[v.series] = true;
          args += (args.empty() ? "" : ",") + quotedJson(name.empty() ? "value" : name) + fmt::format(":{}", v.value);
        }
        ++m_counts.counterSamples;
        event(head + micros(tick) + ",\"args\":{" + args + "}");
      }
    }
  }

  // A point belongs to the slice around it, so its time must be inside the slice, not at its end.
  void writeFlows() {
    for (const auto& flow : m_flows) {
      if (!std::all_of(flow.points.begin(), flow.points.end(), [&](const auto& p) { return m_places.contains(p.slice.track); }))
        continue;
      const std::string head = "\"name\":" + quotedJson(flow.startsRun ? "run" : m_rows.reader().text(flow.name)) +
                               ",\"cat\":" + quotedJson(m_rows.channel(flow.category)) +
                               fmt::format(",\"id\":{}", ++m_counts.flows);
      for (std::size_t i = 0; i < flow.points.size(); ++i) {
        const auto& point = flow.points[i];
        const auto& [pid, tid] = m_places.at(point.slice.track);
        const auto slice = m_ofFlows[placeOf(point.slice)];
        const int64_t tick = slice ? std::clamp(point.tick, slice->begin, std::max(slice->begin, slice->end - 1)) : point.tick;
        const char* kind = i == 0 ? R"("ph":"s",)" : point.goesOn ? R"("ph":"t",)" : R"("ph":"f","bp":"e",)";
        event(kind + head + fmt::format(",\"pid\":{},\"tid\":{},\"ts\":", pid, tid) + micros(tick));
      }
    }
  }

  // Track, depth (-1 for instants) and number. An arrow from or to an instant is written at the instant's time, because the
  // format has only arrows between slices.
  using Place = std::tuple<int64_t, int, int64_t>;
  static Place placeOf(const SlicePlace& at) { return {at.track, at.isInstant ? -1 : int(at.depth), at.slice}; }

  ExportRows m_rows;
  ExportCounts m_counts;
  TextSink m_text;
  bool m_first = true;
  int64_t m_asyncIds = 0;
  std::map<int64_t, bool> m_named;
  std::vector<ExportRows::ExportFlow> m_flows;
  std::map<Place, std::optional<TickRange>> m_ofFlows;     // slices with flows, with their ranges once written
  std::map<int64_t, std::pair<int64_t, int64_t>> m_places; // pid and tid by track
};

} // namespace

ExportCounts exportChromeJson(Reader& reader, const ExportRequest& request, std::ostream& out, Progress& progress,
                              std::stop_token stop) {
  return ChromeExport(reader, request, out).write(progress, stop);
}

} // namespace reports::exchange
