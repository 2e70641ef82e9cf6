#include "reports/exchange/chrome_samples.h"

#include "reports/exchange/details_json.h"
#include "reports/exchange/stack_timeline.h"

#include <algorithm>
#include <map>

namespace reports::exchange {

namespace {

constexpr std::size_t kMostFrames = 4096; // of one stack: a longer chain of parents is a cycle

struct ChromeSample {
  int64_t time = 0;
  std::string frame;
};

} // namespace

void ChromeSamples::setFrames(std::string_view json) {
  forEachMember(json, [&](const JsonToken& key, const JsonToken& value) {
    const JsonToken name = memberOf(value.text, "name"), parent = memberOf(value.text, "parent");
    m_frames[std::string(key.text)] = {name ? textOf(name) : "(no name)", std::string(parent.text)};
  });
}

std::vector<const ChromeSamples::Frame*> ChromeSamples::stackOf(std::string_view leaf) const {
  std::vector<const Frame*> stack;
  for (auto at = m_frames.find(leaf); at != m_frames.end() && stack.size() < kMostFrames; at = m_frames.find(at->second.parent)) {
    stack.push_back(&at->second);
    if (at->second.parent.empty()) break;
  }
  std::reverse(stack.begin(), stack.end());
  return stack;
}

std::optional<std::string> ChromeSamples::stackJson(const std::string& id) const {
  const auto stack = stackOf(id);
  if (stack.empty()) return std::nullopt;
  std::string list;
  for (const Frame* frame : stack) list += (list.empty() ? "[" : ",") + quotedJson(frame->name);
  return list + "]";
}

void ChromeSamples::addTo(TraceAssembly& assembly, const std::function<std::size_t(const JsonToken& pid)>& processOf) const {
  if (m_samples.empty()) return;
  std::map<std::pair<std::size_t, std::string>, std::vector<ChromeSample>> byThread;
  forEachElement(m_samples, [&](const JsonToken& sample) {
    const auto time = scaledOf(memberOf(sample.text, "ts"), 1000);
    if (!time) return assembly.counts().mend(Mend::EventsWithoutTime);
    const JsonToken tid = memberOf(sample.text, "tid");
    byThread[{processOf(memberOf(sample.text, "pid")), textOf(tid)}].push_back(
        {*time, std::string(memberOf(sample.text, "sf").text)});
  });
  for (auto& [thread, list] : byThread) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    const std::size_t track = assembly.addTrack(thread.first, "call stacks of thread " + thread.second);
    assembly.tracks()[track].rowKind = "sample";
    StackTimeline timeline(assembly, track, assembly.channel("call stack"), false);
    for (const ChromeSample& s : list) {
      std::vector<uint32_t> names;
      for (const Frame* frame : stackOf(s.frame)) names.push_back(assembly.string(frame->name));
      timeline.add(s.time, names);
    }
    const int64_t period = list.size() > 1 ? (list.back().time - list.front().time) / int64_t(list.size() - 1) : 1000;
    timeline.finish(timeline.lastTime() + period);
  }
}

} // namespace reports::exchange
