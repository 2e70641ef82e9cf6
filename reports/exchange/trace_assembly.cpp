#include "reports/exchange/trace_assembly.h"

#include "reports/core/text.h"
#include "reports/exchange/details_json.h"

namespace reports::exchange {

namespace {
constexpr std::size_t kMostChannels = 255; // channel.id is 0 to 254
}

std::size_t TraceAssembly::addSource(std::string name) {
  m_sources.emplace_back();
  m_sources.back().name = std::move(name);
  return m_sources.size() - 1;
}

std::size_t TraceAssembly::addProcess(std::string name, std::optional<int64_t> pid) {
  m_processes.push_back({m_sources.size() - 1, std::move(name), pid, {}});
  return m_processes.size() - 1;
}

std::size_t TraceAssembly::addTrack(std::size_t process, std::string name, std::optional<int64_t> tid) {
  TraceTrack track;
  track.process = process;
  track.name = std::move(name);
  track.tid = tid;
  m_tracks.push_back(std::move(track));
  return m_tracks.size() - 1;
}

std::size_t TraceAssembly::addAsyncTrack(std::size_t process, std::string name, std::string rowKind) {
  TraceTrack track;
  track.process = process;
  track.name = std::move(name);
  track.kind = TraceTrack::Kind::Async;
  track.rowKind = std::move(rowKind);
  m_tracks.push_back(std::move(track));
  return m_tracks.size() - 1;
}

std::size_t TraceAssembly::addCounter(std::optional<std::size_t> process, std::string graph, std::string name, std::string unit) {
  m_counters.push_back({m_sources.size() - 1, process, std::move(graph), std::move(name), std::move(unit), {}});
  return m_counters.size() - 1;
}

std::size_t TraceAssembly::addHeatmap(std::size_t process, std::string name, std::string unit, std::vector<double> edges) {
  m_heatmaps.push_back({m_sources.size() - 1, process, std::move(name), std::move(unit), std::move(edges), {}});
  return m_heatmaps.size() - 1;
}

uint8_t TraceAssembly::channel(std::string_view name) {
  const std::string text = name.empty() ? std::string("(no category)") : validUtf8(name);
  if (const auto found = m_channels.find(text); found != m_channels.end()) return found->second;
  const std::size_t id = m_channels.size();
  if (id >= kMostChannels - 1) { // the last channel takes all further names
    counts().mend(Mend::ChannelsMerged);
    if (id == kMostChannels - 1) {
      m_channels.emplace("(other categories)", uint8_t(id));
      m_sink.add(ChannelRow{int64_t(id), "(other categories)"});
    }
    return uint8_t(kMostChannels - 1);
  }
  m_channels.emplace(text, uint8_t(id));
  m_sink.add(ChannelRow{int64_t(id), text});
  return uint8_t(id);
}

void TraceAssembly::addFact(const std::string& name, const JsonToken& value) {
  std::string key = "trace." + validUtf8(name);
  if (const int n = m_facts[key]++; n > 0) key += " (" + std::to_string(n + 1) + ", " + source().name + ")";
  const bool isWhole = value.kind != JsonToken::Object || isPlainObject(value.text);
  m_sink.add(MetadataRow{key, value.kind == JsonToken::String ? textOf(value)
                              : isWhole                       ? validUtf8(value.text)
                                                              : mendedObject(value.text)});
}

int32_t TraceAssembly::details(std::string_view text) {
  if (text.empty() || text == "{}") return -1;
  int64_t id = -1;
  if (m_details.isLast(text) || isPlainObject(text)) {
    id = m_details.add(text);
  } else {
    counts().mend(Mend::DetailsMended);
    id = m_details.add(mendedObject(text));
  }
  if (id < 0) counts().mend(Mend::DetailsTooLarge);
  return int32_t(id);
}

} // namespace reports::exchange
