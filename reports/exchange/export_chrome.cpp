#include "reports/exchange/export_rows.h"
#include "reports/exchange/perfetto_debug.h"
#include "reports/exchange/text_sink.h"

#include <fmt/format.h>

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
    for (int64_t i = 0; i < m_rows.size(); ++i) {
      progress.update(double(i) / double(m_rows.size()));
      writeTrack(m_rows.track(i, stop));
    }
    writeCounters(stop);
    writeFlows();
    m_text += "\n]}\n";
    m_text.finish();
    return m_counts;
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
    return json.front() == '{' ? ",\"args\":" + json : ",\"args\":{\"value\":" + json + "}";
  }

  void nameTrack(const ExportTrack& t) {
    const auto name = [&](const char* what, const std::string& value, bool withThread) {
      event(fmt::format(R"("ph":"M","name":"{}","pid":{},)", what, t.pid) +
            (withThread ? fmt::format("\"tid\":{},", t.tid) : "") + "\"args\":{\"name\":" + quotedJson(value) + "}");
    };
    if (m_named.emplace(t.pid, true).second) name("process_name", t.processName, false);
    if (t.isAsync()) return;
    name("thread_name", t.name, true);
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

  void writeCounters(const std::stop_token& stop) {
    std::map<int64_t, CounterSeriesRow> series;
    m_rows.reader().forEach<CounterSeriesRow>({}, {}, [&](CounterSeriesRow& row) { series[row.id] = std::move(row); });
    m_rows.reader().forEach<CounterChunkRow>(
        {}, {},
        [&](const CounterChunkRow& chunk) {
          const auto found = series.find(chunk.seriesId);
          if (found == series.end()) return;
          const CounterSeriesRow& row = found->second;
          const std::string head = "\"ph\":\"C\",\"name\":" + quotedJson(row.graph) +
                                   fmt::format(",\"pid\":{},\"ts\":", m_rows.processPid(row.processId));
          const std::string key = quotedJson(row.name.empty() ? "value" : row.name);
          for (const CounterSample& s : decodeCounter(chunk)) {
            if (!m_rows.isInRange(s.tick, s.tick)) continue;
            ++m_counts.counterSamples;
            event(head + micros(s.tick) + ",\"args\":{" + key + ":" + fmt::format("{}", s.value) + "}");
          }
        },
        stop);
  }

  void writeFlows() {
    m_rows.forEachFlow([&](const Flow& flow) {
      const auto from = m_places.find(flow.from.track), to = m_places.find(flow.to.track);
      if (from == m_places.end() || to == m_places.end() || !m_rows.isInRange(flow.fromTick, flow.toTick)) return;
      const std::string name = flow.to.track == flow.from.track || flow.name ? m_rows.reader().text(flow.name) : "run";
      const std::string head = "\"name\":" + quotedJson(name) + ",\"cat\":" + quotedJson(m_rows.channel(flow.category)) +
                               fmt::format(",\"id\":{}", ++m_counts.flows);
      event("\"ph\":\"s\"," + head + fmt::format(",\"pid\":{},\"tid\":{},\"ts\":", from->second.first, from->second.second) +
            micros(flow.fromTick));
      event("\"ph\":\"f\",\"bp\":\"e\"," + head +
            fmt::format(",\"pid\":{},\"tid\":{},\"ts\":", to->second.first, to->second.second) + micros(flow.toTick));
    });
  }

  ExportRows m_rows;
  ExportCounts m_counts;
  TextSink m_text;
  bool m_first = true;
  int64_t m_asyncIds = 0;
  std::map<int64_t, bool> m_named;
  std::map<int64_t, std::pair<int64_t, int64_t>> m_places; // pid and tid by track
};

} // namespace

ExportCounts exportChromeJson(Reader& reader, const ExportRequest& request, std::ostream& out, Progress& progress,
                              std::stop_token stop) {
  return ChromeExport(reader, request, out).write(progress, stop);
}

} // namespace reports::exchange
