#include "reports/exchange/chrome_samples.h"

#include "reports/exchange/details_json.h"
#include "reports/exchange/stack_timeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

namespace reports::exchange {

namespace {

constexpr std::size_t kMostFrames = 4096; // of one stack

struct ChromeSample {
  int64_t time = 0;
  std::string frame;
  int32_t weight = -1; // details
};

} // namespace

void ChromeSamples::setFrames(std::string_view json) {
  forEachMember(json, [&](const JsonToken& key, const JsonToken& value) {
    const JsonToken name = memberOf(value.text, "name"), parent = memberOf(value.text, "parent");
    m_frames[std::string(key.text)] = {name ? textOf(name) : "(no name)", std::string(parent.text)};
  });
}

std::vector<const ChromeSamples::Frame*> ChromeSamples::stackOf(std::string_view leaf, ImportCounts& counts) const {
  std::vector<const Frame*> stack;
  std::unordered_set<const Frame*> seen;
  for (auto at = m_frames.find(leaf); at != m_frames.end(); at = m_frames.find(at->second.parent)) {
    if (stack.size() >= kMostFrames || !seen.insert(&at->second).second) {
      counts.mend(Mend::StacksCut);
      break;
    }
    stack.push_back(&at->second);
    if (at->second.parent.empty()) break;
  }
  std::reverse(stack.begin(), stack.end());
  return stack;
}

std::optional<std::string> ChromeSamples::stackJson(const std::string& id, ImportCounts& counts) const {
  const auto stack = stackOf(id, counts);
  if (stack.empty()) return std::nullopt;
  std::string list;
  for (const Frame* frame : stack) list += (list.empty() ? "[" : ",") + quotedJson(frame->name);
  return list + "]";
}

void ChromeSamples::addTo(TraceAssembly& assembly, const ProcessOf& processOf) const {
  if (m_samples.empty()) return;
  struct Row {
    std::optional<int64_t> tid;
    std::vector<ChromeSample> samples;
  };
  std::map<std::tuple<std::size_t, std::string, std::string>, Row> rows; // by process, thread and event
  std::set<std::string> events;
  forEachElement(m_samples, [&](const JsonToken& sample) {
    const auto time = scaledOf(memberOf(sample.text, "ts"), 1000);
    if (!time) return assembly.counts().mend(Mend::EventsWithoutTime);
    const JsonToken pid = memberOf(sample.text, "pid"), tid = memberOf(sample.text, "tid"), name = memberOf(sample.text, "name");
    const std::string event = name ? textOf(name) : "call stack";
    events.insert(event);
    Row& row = rows[{processOf(pid, tid), textOf(tid), event}];
    row.tid = wholeOf(tid);
    ChromeSample& one = row.samples.emplace_back();
    one.time = *time;
    one.frame = memberOf(sample.text, "sf").text;
    const JsonToken weight = memberOf(sample.text, "weight");
    if (!weight) return;
    const auto number = realOf(weight);
    const bool isWeight = number && *number >= 0;
    if (!isWeight) assembly.counts().mend(Mend::WeightsNotNumbers);
    std::string details;
    addMember(details, "weight", isWeight ? weight.text : "0");
    if (name) addMember(details, "unit", quotedJson(event));
    one.weight = assembly.details(details);
  });
  for (auto& [key, row] : rows) {
    const auto& [process, thread, event] = key;
    auto& list = row.samples;
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    const std::string ofEvent = events.size() > 1 ? ": " + event : std::string();
    const std::size_t track = assembly.addTrack(process, "call stacks of thread " + thread + ofEvent, row.tid);
    assembly.tracks()[track].rowKind = "sample";
    StackTimeline timeline(assembly, track, assembly.channel(event), false);
    for (const ChromeSample& s : list) {
      std::vector<StackTimeline::Frame> frames;
      for (const Frame* frame : stackOf(s.frame, assembly.counts())) frames.emplace_back(assembly.string(frame->name));
      timeline.add(s.time, frames, s.weight);
    }
    const int64_t period = list.size() > 1 ? (list.back().time - list.front().time) / int64_t(list.size() - 1) : 1000;
    timeline.finish(timeline.lastTime() + period);
  }
}

} // namespace reports::exchange
