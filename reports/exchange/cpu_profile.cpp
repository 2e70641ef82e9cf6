#include "reports/exchange/cpu_profile.h"

#include "reports/exchange/details_json.h"
#include "reports/exchange/stack_timeline.h"

#include <algorithm>
#include <map>

namespace reports::exchange {

namespace {

constexpr std::size_t kMostProfileBytes = std::size_t(1) << 30; // the whole file is read into memory
constexpr std::size_t kMostProfileFrames = 4096;                // of one stack
constexpr int64_t kMostHits = 10'000'000;                       // of a profile without samples
constexpr int64_t kNanosecondsPerMicrosecond = 1000;
constexpr int64_t kV8Interval = 1'000'000; // nanoseconds between samples by default

// The location of a function, as JSON; lines and columns count from 1.
std::string placeOf(std::string_view callFrame) {
  std::string place;
  if (const JsonToken url = memberOf(callFrame, "url"); url.kind == JsonToken::String && !url.text.empty())
    addMember(place, "file", quotedJson(textOf(url)));
  for (const auto& [key, shown] : {std::pair("lineNumber", "line"), std::pair("columnNumber", "col")})
    if (const auto n = wholeOf(memberOf(callFrame, key)); n && *n >= 0) addMember(place, shown, std::to_string(*n + 1));
  return place;
}

// The profile itself: some writers wrap it in an object, like an answer of the protocol.
std::string_view profileIn(std::string_view json) {
  for (const char* wrapper : {"result", "cpuProfile", "profile"})
    if (const JsonToken inner = memberOf(json, wrapper); inner.kind == JsonToken::Object) json = inner.text;
  return json;
}

} // namespace

void CpuProfile::setStart(const JsonToken& microseconds) {
  if (const auto start = scaledOf(microseconds, kNanosecondsPerMicrosecond)) m_start = start;
}

// Old files have the members of callFrame directly in the node.
void CpuProfile::addNode(std::string_view json, std::optional<int64_t> parent) {
  const auto id = wholeOf(memberOf(json, "id"));
  if (!id) return m_assembly.counts().mend(Mend::UnreadableEvents);
  const JsonToken callFrame = memberOf(json, "callFrame");
  const std::string_view frame = callFrame ? callFrame.text : json;
  std::string name = textOf(memberOf(frame, "functionName"));
  Node& node = m_nodes[*id];
  node.isRoot = name == "(root)";
  if (name.empty()) name = "(anonymous)";
  node.name = m_assembly.string(name);
  node.details = m_assembly.details(placeOf(frame));
  if (const auto hits = wholeOf(memberOf(json, "hitCount")); hits && *hits > 0) m_hits.emplace_back(*id, *hits);
  if (const auto above = wholeOf(memberOf(json, "parent"))) node.parent = *above;
  if (parent) node.parent = *parent;
  forEachElement(memberOf(json, "children").text, [&](const JsonToken& child) {
    if (const auto number = wholeOf(child)) m_nodes[*number].parent = *id;
  });
}

void CpuProfile::addTree(std::string_view head) {
  std::vector<std::pair<std::string_view, std::optional<int64_t>>> todo{{head, std::nullopt}};
  while (!todo.empty()) {
    const auto [json, parent] = todo.back();
    todo.pop_back();
    addNode(json, parent);
    const auto id = wholeOf(memberOf(json, "id"));
    forEachElement(memberOf(json, "children").text, [&](const JsonToken& child) {
      if (child.kind == JsonToken::Object) todo.emplace_back(child.text, id);
    });
  }
}

void CpuProfile::add(std::string_view json) {
  const auto addTimes = [&](const JsonToken& list) {
    forEachElement(list.text,
                   [&](const JsonToken& t) { m_times.push_back(scaledOf(t, kNanosecondsPerMicrosecond).value_or(0)); });
  };
  bool isOld = false;
  JsonToken start, end;
  forEachMember(json, [&](const JsonToken& key, const JsonToken& value) {
    if (key.text == "nodes") forEachElement(value.text, [&](const JsonToken& node) { addNode(node.text, {}); });
    if (key.text == "head") isOld = true, addTree(value.text);
    if (key.text == "samples")
      forEachElement(value.text, [&](const JsonToken& id) { m_samples.push_back(wholeOf(id).value_or(-1)); });
    if (key.text == "timeDeltas") addTimes(value);
    if (key.text == "timestamps") m_areAbsolute = true, addTimes(value);
    if (key.text == "startTime") start = value;
    if (key.text == "endTime") end = value;
  });
  if (isOld) return; // start and end of old files are in seconds; each sample has its own time
  setStart(start);
  if (const auto time = scaledOf(end, kNanosecondsPerMicrosecond)) m_end = time;
}

// Breaks circles of callers: the node with the smallest number loses its caller, because numbers grow from the root.
void CpuProfile::cutCircles() {
  std::unordered_map<int64_t, int64_t> seenFrom; // for each visited node, the start of the walk that visited it first
  for (const auto& [start, ignored] : m_nodes) {
    auto at = m_nodes.find(start);
    while (at != m_nodes.end() && seenFrom.try_emplace(at->first, start).second) at = m_nodes.find(at->second.parent);
    if (at == m_nodes.end() || seenFrom[at->first] != start) continue;
    auto first = at;
    for (auto other = m_nodes.find(at->second.parent); other != at; other = m_nodes.find(other->second.parent))
      if (other->first < first->first) first = other;
    first->second.parent = kNoNode;
    m_assembly.counts().mend(Mend::StacksCut);
  }
}

void CpuProfile::takeHitsAsSamples() {
  int64_t sum = 0;
  for (const auto& [node, hits] : m_hits)
    if (hits > kMostHits || (sum += hits) > kMostHits) return m_assembly.counts().mend(Mend::ProfilesNotRead);
  for (const auto& [node, hits] : m_hits) m_samples.insert(m_samples.end(), std::size_t(hits), node);
}

void CpuProfile::shareTime() {
  const auto count = int64_t(m_samples.size());
  const int64_t start = m_start.value_or(0);
  const bool isTimed = m_end && *m_end - start >= count;
  if (!isTimed) m_end = start + count * kV8Interval;
  m_areAbsolute = true;
  for (int64_t i = 0; i < count; ++i) m_times.push_back(start + int64_t(double(*m_end - start) * double(i) / double(count)));
  m_assembly.counts().mend(isTimed ? Mend::SamplesWithoutTime : Mend::SamplesOfUnknownTime, count);
}

void CpuProfile::addTo(std::size_t track, bool counted) {
  m_assembly.tracks()[track].rowKind = "sample";
  if (m_samples.empty()) takeHitsAsSamples();
  if (!m_samples.empty() && m_times.empty()) shareTime();
  if (m_samples.size() > m_times.size())
    m_assembly.counts().mend(Mend::EventsWithoutTime, int64_t(m_samples.size() - m_times.size()));
  struct Sample {
    int64_t time, node;
  };
  std::vector<Sample> samples;
  int64_t time = m_areAbsolute ? 0 : m_start.value_or(0);
  for (std::size_t i = 0; i < std::min(m_samples.size(), m_times.size()); ++i) {
    time = std::clamp(m_areAbsolute ? m_times[i] : time + m_times[i], -kMostScaled, kMostScaled);
    samples.push_back({time, m_samples[i]});
  }
  if (samples.empty()) return;
  std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.time < b.time; });
  const int64_t gaps = int64_t(samples.size()) - 1, last = samples.back().time;
  const int64_t usual = gaps > 0 ? (last - samples.front().time) / gaps : kNanosecondsPerMicrosecond;
  const int64_t end = m_end && *m_end > last ? *m_end : last + std::max<int64_t>(usual, 1);
  cutCircles();
  StackTimeline timeline(m_assembly, track, m_assembly.channel("call stack"), counted);
  std::map<int64_t, int32_t> weights; // details of a sample
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<StackTimeline::Frame> stack;
    auto at = m_nodes.find(samples[i].node);
    for (; at != m_nodes.end() && stack.size() < kMostProfileFrames; at = m_nodes.find(at->second.parent))
      if (!at->second.isRoot) stack.emplace_back(at->second.name, at->second.details);
    if (at != m_nodes.end()) m_assembly.counts().mend(Mend::StacksCut);
    if (!m_nodes.contains(samples[i].node)) {
      m_assembly.counts().mend(Mend::UnknownNames);
      stack.emplace_back(m_assembly.string("#" + std::to_string(samples[i].node)));
    }
    if (stack.empty()) stack.emplace_back(m_assembly.string("(root)"));
    std::reverse(stack.begin(), stack.end());
    const int64_t weight = (i + 1 < samples.size() ? samples[i + 1].time : end) - samples[i].time;
    const auto [details, isNew] = weights.try_emplace(weight, -1);
    if (isNew) details->second = m_assembly.details("{\"weight\":" + std::to_string(weight) + ",\"unit\":\"nanoseconds\"}");
    timeline.add(samples[i].time, stack, details->second);
  }
  timeline.finish(end);
}

bool looksLikeCpuProfile(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] != '{' || head.find("\"traceEvents\"") != std::string_view::npos)
    return false;
  const auto has = [&](const char* key) { return head.find(key) != std::string_view::npos; };
  if (has("\"selfSize\"")) return false; // a profile of the heap
  return (has("\"callFrame\"") && has("\"nodes\"")) || (has("\"head\"") && has("\"callUID\""));
}

void readCpuProfile(Window& window, TraceAssembly& assembly) {
  while (window.size() < kMostProfileBytes && window.grow()) {
  }
  if (!window.atEnd() && window.size() >= kMostProfileBytes)
    throw Error(ErrorCode::Unsupported, "the profile is larger than 1 GiB", "", "record a shorter time");
  JsonCursor cursor(window.at(), window.end());
  std::string json(window.at(), window.size());
  JsonToken whole;
  if (cursor.value(whole) != Scan::Good) {
    assembly.counts().mend(Mend::TornFile);
    json = closedJson(json);
  }
  CpuProfile profile(assembly);
  profile.add(profileIn(json));
  const std::size_t process = assembly.addProcess("JavaScript");
  assembly.source().clock = "monotonic";
  if (profile.isEmpty()) return assembly.counts().mend(Mend::ProfilesNotRead);
  ++assembly.counts().processes;
  ++assembly.counts().threads;
  profile.addTo(assembly.addTrack(process, "JavaScript thread"), true);
}

} // namespace reports::exchange
