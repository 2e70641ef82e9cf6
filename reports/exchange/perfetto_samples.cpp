#include "reports/exchange/perfetto_samples.h"

#include "reports/core/text.h"
#include "reports/exchange/stack_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace reports::exchange {

namespace {

constexpr std::size_t kMostStackFrames = 1024; // of one stack: more than any sampler records
constexpr char kRowPrefix[] = "call stacks of ";

} // namespace

std::pair<uint64_t, std::string> internedText(std::string_view bytes) {
  std::pair<uint64_t, std::string> text;
  forEachField(bytes, [&](const ProtoField& f) {
    if (f.number == 1) text.first = f.value;
    if (f.number == 2 && f.isBytes) text.second = validUtf8(f.bytes);
  });
  return text;
}

void PerfettoStacks::add(const ProtoField& interned) {
  if (!interned.isBytes) return;
  m_known.clear();
  uint64_t number = 0;
  switch (interned.number) {
  case 5:
  case 17: {
    auto [id, text] = internedText(interned.bytes);
    (interned.number == 5 ? m_functions : m_paths)[id] = std::move(text);
    break;
  }
  case 19: { // a mapping: the file that contains the code
    std::string path;
    forEachField(interned.bytes, [&](const ProtoField& f) {
      if (f.number == 1) number = f.value;
      if (f.number != 7) return;
      const auto part = [&](uint64_t id) {
        if (const auto found = m_paths.find(id); found != m_paths.end()) path = found->second; // the last part is the file's name
      };
      f.isBytes ? forEachPacked(f.bytes, part) : part(f.value);
    });
    m_mappings[number] = path.substr(path.rfind('/') + 1);
    break;
  }
  case 6: {
    Frame frame;
    forEachField(interned.bytes, [&](const ProtoField& f) {
      if (f.number == 1) number = f.value;
      if (f.number == 2) frame.function = f.value;
      if (f.number == 3) frame.mapping = f.value;
      if (f.number == 4) frame.offset = f.value;
    });
    m_frames[number] = frame;
    break;
  }
  case 7: {
    std::vector<uint64_t> frames;
    forEachField(interned.bytes, [&](const ProtoField& f) {
      if (f.number == 1) number = f.value;
      if (f.number != 2) return;
      const auto add = [&](uint64_t id) {
        if (frames.size() < kMostStackFrames) frames.push_back(id);
      };
      f.isBytes ? forEachPacked(f.bytes, add) : add(f.value);
    });
    m_stacks[number] = std::move(frames);
    break;
  }
  default: break;
  }
}

std::string PerfettoStacks::nameOf(const Frame& frame) const {
  if (const auto name = m_functions.find(frame.function); name != m_functions.end() && !name->second.empty()) return name->second;
  const auto mapping = m_mappings.find(frame.mapping);
  const std::string file = mapping == m_mappings.end() ? std::string() : mapping->second;
  return file.empty() ? fmt::format("0x{:x}", frame.offset) : fmt::format("{}+0x{:x}", file, frame.offset);
}

std::optional<std::vector<std::string>> PerfettoStacks::stack(uint64_t number) const {
  const auto found = m_stacks.find(number);
  if (found == m_stacks.end()) return std::nullopt;
  std::vector<std::string> names;
  for (const uint64_t id : found->second) {
    const auto frame = m_frames.find(id);
    if (frame == m_frames.end()) return std::nullopt;
    names.push_back(nameOf(frame->second));
  }
  return names;
}

std::size_t PerfettoSamples::numberOf(const std::vector<std::string>& stack) {
  std::vector<uint32_t> names;
  for (const std::string& frame : stack) names.push_back(m_assembly.string(frame));
  const auto [number, isNew] = m_numbers.try_emplace(std::move(names), m_stacks.size());
  if (isNew) m_stacks.push_back(&number->first);
  return number->second;
}

void PerfettoSamples::add(ThreadKey thread, int64_t time, std::size_t stack) {
  m_assembly.source().see(time);
  m_threads[thread].push_back({time, stack});
}

void PerfettoSamples::finish() {
  std::map<Session, std::vector<int64_t>> gaps;
  std::set<Session> sessions;
  for (auto& [thread, samples] : m_threads) {
    std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.time < b.time; });
    for (std::size_t i = 1; i < samples.size(); ++i) gaps[thread.session].push_back(samples[i].time - samples[i - 1].time);
    sessions.insert(thread.session);
  }
  std::map<std::string, int> writers; // by event
  for (const Session& session : sessions) ++writers[session.event];
  const auto labelOf = [&](const Session& session) {
    if (sessions.size() < 2) return std::string();
    const std::string writer =
        session.writer != 0 && writers[session.event] > 1 ? "writer " + std::to_string(session.writer) : "";
    return session.event + (session.event.empty() || writer.empty() ? "" : ", ") + writer;
  };
  for (auto& [thread, samples] : m_threads) {
    const std::string label = labelOf(thread.session);
    std::string name = m_rows.threadName(thread.tid, thread.pid);
    if (name.empty()) name = "thread " + std::to_string(PerfettoRows::plain(thread.tid));
    if (!name.starts_with(kRowPrefix)) name = kRowPrefix + name;
    if (!label.empty()) name += ": " + label;
    const std::size_t track = m_assembly.addTrack(m_rows.process(thread.pid), std::move(name), PerfettoRows::plain(thread.tid));
    m_assembly.tracks()[track].rowKind = "sample";
    const std::string& event = label.empty() ? thread.session.event : label; // says what the samples count
    StackTimeline timeline(m_assembly, track, m_assembly.channel(event.empty() ? "call stack" : event), false);
    const int64_t period = gaps[thread.session].empty() ? 1000 : usualGap(gaps[thread.session]);
    timeline.setUsualGap(period);
    for (const Sample& sample : samples) timeline.add(sample.time, *m_stacks[sample.stack]);
    timeline.finish(timeline.lastTime() + period);
  }
}

} // namespace reports::exchange
