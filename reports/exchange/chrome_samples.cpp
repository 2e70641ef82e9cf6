#include "reports/exchange/chrome_samples.h"

#include "reports/exchange/name_cache.h"
#include "reports/exchange/stack_timeline.h"

#include <algorithm>
#include <map>

namespace reports::exchange {

namespace {

constexpr std::size_t kMostFrames = 4096; // of one stack: a chain of parents that is longer goes round in a circle

struct ChromeFrame {
  uint32_t name = 0;
  std::string parent;
};
using FrameTable = std::unordered_map<std::string, ChromeFrame, TextHash, std::equal_to<>>;

FrameTable readFrames(std::string_view json, TraceAssembly& assembly) {
  FrameTable frames;
  forEachMember(json, [&](const JsonToken& key, const JsonToken& value) {
    const JsonToken name = memberOf(value.text, "name"), parent = memberOf(value.text, "parent");
    frames[std::string(key.text)] = {assembly.string(name ? textOf(name) : "(no name)"), std::string(parent.text)};
  });
  return frames;
}

std::vector<uint32_t> stackOf(const FrameTable& frames, std::string_view leaf) {
  std::vector<uint32_t> stack;
  for (auto at = frames.find(leaf); at != frames.end() && stack.size() < kMostFrames; at = frames.find(at->second.parent)) {
    stack.push_back(at->second.name);
    if (at->second.parent.empty()) break;
  }
  std::reverse(stack.begin(), stack.end());
  return stack;
}

struct ChromeSample {
  int64_t time = 0;
  std::string frame;
};

} // namespace

void ChromeSamples::addTo(TraceAssembly& assembly, const std::function<std::size_t(const JsonToken& pid)>& processOf) const {
  if (m_samples.empty()) return;
  const FrameTable frames = readFrames(m_frames, assembly);
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
    for (const ChromeSample& s : list) timeline.add(s.time, stackOf(frames, s.frame));
    const int64_t period = list.size() > 1 ? (list.back().time - list.front().time) / int64_t(list.size() - 1) : 1000;
    timeline.finish(timeline.lastTime() + period);
  }
}

} // namespace reports::exchange
