#include "reports/exchange/speedscope.h"

#include "reports/exchange/begin_end.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/stack_timeline.h"

#include <algorithm>

namespace reports::exchange {

namespace {

constexpr std::size_t kMostBytes = std::size_t(1) << 30; // it is read whole

// Nanoseconds a unit; one microsecond where values are no times (counts, bytes).
int64_t unitNanoseconds(std::string_view unit) {
  if (unit == "seconds") return 1'000'000'000;
  if (unit == "milliseconds") return 1'000'000;
  if (unit == "nanoseconds") return 1;
  return 1000;
}

std::string_view wholeText(Window& window) {
  while (window.size() < kMostBytes && window.grow()) {
  }
  if (!window.atEnd() && window.size() >= kMostBytes)
    throw Error(ErrorCode::Unsupported, "speedscope file is larger than 1 GiB", "", "export a part of it");
  return {window.at(), window.size()};
}

class SpeedscopeReader {
public:
  SpeedscopeReader(std::string_view json, TraceAssembly& assembly) : m_json(json), m_assembly(assembly) {}

  void read() {
    JsonToken profiles = memberOf(m_json, "profiles"), shared = memberOf(m_json, "shared");
    const JsonToken frames = shared ? memberOf(shared.text, "frames") : memberOf(m_json, "frames");
    if (!profiles && !memberOf(m_json, "events")) return m_assembly.counts().mend(Mend::TornFile);
    if (frames) readFrames(frames.text);
    m_process = m_assembly.addProcess("speedscope");
    m_assembly.counts().processes = 1;
    if (const JsonToken name = memberOf(m_json, "name")) m_assembly.processes()[m_process].name = textOf(name);
    if (profiles)
      forEachElement(profiles.text, [&](const JsonToken& profile) { readProfile(profile.text); });
    else
      readProfile(m_json); // one profile, without a list
  }

private:
  void readFrames(std::string_view json) {
    forEachElement(json, [&](const JsonToken& frame) {
      const JsonToken name = memberOf(frame.text, "name");
      m_frames.push_back(m_assembly.string(name ? textOf(name) : "(no name)"));
    });
  }
  uint32_t frameAt(const JsonToken& token) {
    const auto index = wholeOf(token);
    if (index && *index >= 0 && *index < int64_t(m_frames.size())) return m_frames[std::size_t(*index)];
    m_assembly.counts().mend(Mend::UnknownNames);
    return m_assembly.string("frame " + std::string(token.text));
  }

  void readProfile(std::string_view json) {
    const JsonToken name = memberOf(json, "name");
    const std::size_t track = m_assembly.addTrack(m_process, name ? textOf(name) : "profile");
    m_unit = unitNanoseconds(memberOf(json, "unit").text);
    m_assembly.source().clock = "none";
    const auto start = scaledOf(memberOf(json, "startValue"), m_unit), end = scaledOf(memberOf(json, "endValue"), m_unit);
    if (start) m_assembly.source().see(*start);
    if (end) m_assembly.source().see(*end);
    if (const JsonToken events = memberOf(json, "events"))
      readEvents(events.text, track, end);
    else
      readSamples(json, track, start.value_or(0));
  }

  void readEvents(std::string_view json, std::size_t track, std::optional<int64_t> end) {
    BeginEndStack stack;
    const uint8_t channel = m_assembly.channel("frame");
    uint32_t order = 0;
    forEachElement(json, [&](const JsonToken& event) {
      const auto time = scaledOf(memberOf(event.text, "at"), m_unit);
      if (!time) return m_assembly.counts().mend(Mend::EventsWithoutTime);
      const JsonToken type = memberOf(event.text, "type");
      if (type.text == "O") {
        const uint32_t frame = frameAt(memberOf(event.text, "frame"));
        m_assembly.see(*time, frame);
        stack.begin(*time, frame, channel, {}, order++);
      } else if (type.text == "C") {
        m_assembly.source().see(*time);
        stack.end(*time, {});
      } else {
        m_assembly.counts().mend(Mend::EventsOfUnknownKind);
      }
    });
    const auto result = stack.pair(m_assembly, end.value_or(m_assembly.source().last), m_assembly.tracks()[track].slices);
    m_assembly.counts().slices += result.pairs;
    mendUnpaired(m_assembly.counts(), result);
  }

  void readSamples(std::string_view json, std::size_t track, int64_t time) {
    m_assembly.tracks()[track].rowKind = "sample";
    std::vector<int64_t> weights;
    forEachElement(memberOf(json, "weights").text, [&](const JsonToken& weight) {
      const auto ticks = scaledOf(weight, m_unit);
      if (!ticks || *ticks < 0) m_assembly.counts().mend(Mend::WeightsNotNumbers);
      weights.push_back(std::max<int64_t>(0, ticks.value_or(0)));
    });
    StackTimeline timeline(m_assembly, track, m_assembly.channel("call stack"), true);
    std::size_t i = 0;
    std::vector<uint32_t> stack;
    forEachElement(memberOf(json, "samples").text, [&](const JsonToken& sample) {
      stack.clear();
      forEachElement(sample.text, [&](const JsonToken& frame) { stack.push_back(frameAt(frame)); });
      timeline.add(time, stack);
      time += i < weights.size() ? weights[i] : m_unit;
      ++i;
    });
    timeline.finish(time);
    m_assembly.counts().threads += i > 0;
  }

  std::string_view m_json;
  TraceAssembly& m_assembly;
  std::vector<uint32_t> m_frames;
  std::size_t m_process = 0;
  int64_t m_unit = 1;
};

} // namespace

bool looksLikeSpeedscope(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] != '{' || head.find("\"traceEvents\"") != std::string_view::npos)
    return false;
  return head.find("speedscope.app/file-format-schema") != std::string_view::npos ||
         (head.find("\"profiles\"") != std::string_view::npos && head.find("\"shared\"") != std::string_view::npos) ||
         (head.find("\"evented\"") != std::string_view::npos) || head.find("\"sampled\"") != std::string_view::npos;
}

void readSpeedscope(Window& window, TraceAssembly& assembly) { SpeedscopeReader(wholeText(window), assembly).read(); }

} // namespace reports::exchange
