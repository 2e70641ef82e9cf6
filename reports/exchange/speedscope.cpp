#include "reports/exchange/speedscope.h"

#include "reports/exchange/begin_end.h"
#include "reports/exchange/details_json.h"
#include "reports/exchange/folded_stacks.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/stack_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace reports::exchange {

namespace {

constexpr std::size_t kMostFileBytes = std::size_t(1) << 30; // the whole file is read into memory

// Calls f(key, value) for each member of an object. If the text ends inside an object or array, f gets the part that is present.
// Returns the position after the object, or null if the text ends inside it.
template<class F> const char* forEachPart(std::string_view json, F&& f) {
  JsonCursor cursor(json);
  cursor.skipSpace();
  if (cursor.atEnd() || cursor.peek() != '{') return nullptr;
  cursor.skip();
  JsonToken key, value;
  for (bool first = true;; first = false) {
    if (cursor.key(key, first) != Scan::Good) return nullptr;
    if (!key) return cursor.at();
    cursor.skipSpace();
    const std::string_view rest = json.substr(std::size_t(cursor.at() - json.data()));
    const bool isWhole = cursor.value(value) == Scan::Good;
    if (!isWhole && !rest.starts_with('{') && !rest.starts_with('[')) return nullptr;
    f(key, isWhole ? value : JsonToken{rest, rest.front() == '{' ? JsonToken::Object : JsonToken::Array});
    if (!isWhole) return nullptr;
  }
}

// The members of a profile.
struct SpeedscopeProfile {
  JsonToken type, name, unit, start, end, events, samples, weights;

  explicit SpeedscopeProfile(std::string_view json) {
    const std::pair<const char*, JsonToken*> members[] = {{"type", &type},        {"name", &name},      {"unit", &unit},
                                                          {"startValue", &start}, {"endValue", &end},   {"events", &events},
                                                          {"samples", &samples},  {"weights", &weights}};
    forEachPart(json, [&](const JsonToken& key, const JsonToken& value) {
      for (const auto& [member, token] : members)
        if (key.text == member) *token = value;
    });
  }
  // Files of the first version have no type.
  bool isEvented() const { return type ? type.text == "evented" : bool(events); }
  bool isSampled() const { return type ? type.text == "sampled" : !events && samples; }
  std::string unitName() const { return unit.kind == JsonToken::String ? textOf(unit) : "none"; }
};

std::string_view wholeText(Window& window) {
  while (window.size() < kMostFileBytes && window.grow()) {
  }
  if (!window.atEnd() && window.size() >= kMostFileBytes)
    throw Error(ErrorCode::Unsupported, "speedscope file is larger than 1 GiB", "", "export a part of it");
  return {window.at(), window.size()};
}

class SpeedscopeReader {
public:
  SpeedscopeReader(std::string_view json, TraceAssembly& assembly) : m_json(json), m_assembly(assembly) {}

  void read() {
    JsonToken frames, profiles;
    const char* const behind = forEachPart(m_json, [&](const JsonToken& key, const JsonToken& value) {
      if (key.text == "profiles") profiles = value;
      if (key.text == "name" && value.kind == JsonToken::String) m_title = textOf(value);
      if (key.text == "frames" && !frames) frames = value; // frames of the first version of the format
      if (key.text == "shared")
        forEachPart(value.text, [&](const JsonToken& inner, const JsonToken& list) {
          if (inner.text == "frames") frames = list;
        });
    });
    m_isTorn = !behind;
    if (m_isTorn) m_assembly.counts().mend(Mend::TornFile);
    const std::string_view trailing = behind ? m_json.substr(std::size_t(behind - m_json.data())) : std::string_view();
    if (trailing.find_first_not_of(" \t\r\n") != std::string_view::npos) m_assembly.counts().mend(Mend::TrailingContent);
    readFrames(frames.text);
    m_assembly.source().clock = "none";
    const std::vector<SpeedscopeProfile> all =
        profiles.kind == JsonToken::Array ? profilesIn(profiles.text) : std::vector{SpeedscopeProfile(m_json)};
    findUnits(all);
    for (const SpeedscopeProfile& profile : all) readProfile(profile);
    for (const auto& [unit, of] : m_units)
      if (!of.nanoseconds && of.profiles > 0)
        m_assembly.sink().add(ReportIssueRow{0, "notice", m_assembly.source().name,
                                             "profiles in the unit “" + unit + "” have no time: 1 is drawn as 1 µs",
                                             "read durations as values", of.profiles});
  }

private:
  // Profiles of one unit share a process, so that bytes are not added to milliseconds.
  struct Unit {
    std::optional<int64_t> nanoseconds; // empty if the values are not times
    std::optional<std::size_t> process;
    int64_t profiles = 0;
    std::map<double, int32_t> details; // details of samples, by weight
  };

  // The profiles of the list, including a last one that the end of a truncated file cuts.
  static std::vector<SpeedscopeProfile> profilesIn(std::string_view list) {
    std::vector<SpeedscopeProfile> profiles;
    const char* after = list.data() + 1;
    const bool isWhole = forEachElement(list, [&](const JsonToken& profile) {
      after = profile.text.data() + profile.text.size();
      profiles.emplace_back(profile.text);
    });
    const std::string_view rest = list.substr(std::size_t(after - list.data()));
    if (const std::size_t start = rest.find('{'); !isWhole && start != std::string_view::npos)
      profiles.emplace_back(rest.substr(start));
    return profiles;
  }

  void readFrames(std::string_view json) {
    forEachElement(json, [&](const JsonToken& frame) {
      const JsonToken name = memberOf(frame.text, "name");
      m_frames.emplace_back(m_assembly.string(name ? textOf(name) : "(no name)"), m_assembly.details(sourceOf(frame.text)));
    });
  }
  // The location of a frame's code, as JSON; empty if unknown.
  static std::string sourceOf(std::string_view frame) {
    std::string source;
    for (const char* const key : {"file", "line", "col"})
      if (const JsonToken value = memberOf(frame, key); value.kind == JsonToken::String || value.kind == JsonToken::Number)
        source += (source.empty() ? "{" : ",") + quotedJson(key) + ":" +
                  (value.kind == JsonToken::String ? quotedJson(textOf(value)) : std::string(value.text));
    return source.empty() ? source : source + "}";
  }
  // The frame of an event. An unknown frame is counted when it opens, not when it ends.
  StackTimeline::Frame frameAt(const JsonToken& token, bool isEnd = false) {
    const auto index = wholeOf(token);
    if (index && *index >= 0 && *index < int64_t(m_frames.size())) return m_frames[std::size_t(*index)];
    if (!isEnd) m_assembly.counts().mend(Mend::UnknownNames);
    return m_assembly.string("frame " + std::string(token.text));
  }

  // Profiles without times (bytes, none) are drawn from the earliest start of the profiles with times.
  void findUnits(const std::vector<SpeedscopeProfile>& profiles) {
    std::optional<int64_t> first;
    for (const SpeedscopeProfile& profile : profiles) {
      if (!profile.isEvented() && !profile.isSampled()) continue;
      const std::string name = profile.unitName();
      Unit& unit = m_units[name];
      unit.nanoseconds = speedscopeNanoseconds(name);
      if (!unit.nanoseconds) continue;
      if (const auto start = scaledOf(profile.start, *unit.nanoseconds)) first = std::min(first.value_or(*start), *start);
    }
    m_valuesStart = first.value_or(0);
  }
  std::size_t processOf(const std::string& name, Unit& unit) {
    if (!unit.process) {
      unit.process = m_assembly.addProcess(m_title + (m_units.size() > 1 ? " (" + name + ")" : ""));
      ++m_assembly.counts().processes;
    }
    ++unit.profiles;
    return *unit.process;
  }

  void readProfile(const SpeedscopeProfile& profile) {
    if (!profile.isEvented() && !profile.isSampled()) {
      if (!m_isTorn) m_assembly.counts().mend(Mend::ProfilesNotRead);
      return;
    }
    const std::string unitName = profile.unitName();
    Unit& unit = m_units[unitName];
    m_scale = unit.nanoseconds.value_or(kNanosecondsPerFoldedSample);
    const std::size_t track =
        m_assembly.addTrack(processOf(unitName, unit), profile.name.kind == JsonToken::String ? textOf(profile.name) : "profile");
    const std::string kind = profile.isEvented() ? "frame" : "call stack";
    const uint8_t channel = m_assembly.channel(unit.nanoseconds ? kind : kind + " (" + unitName + ")");
    const int64_t shift = unit.nanoseconds ? 0 : m_valuesStart;
    const auto start = timeOf(profile.start, shift), end = timeOf(profile.end, shift);
    if (start) m_assembly.source().see(*start);
    if (end) m_assembly.source().see(*end);
    if (profile.isEvented()) {
      // The exporter of folded stacks treats slices of this kind, without instants, as values, not as times.
      if (!unit.nanoseconds) m_assembly.tracks()[track].rowKind = "sample";
      readEvents(profile.events.text, track, channel, shift, end);
    } else {
      readSamples(profile.samples.text, profile.weights.text, track, channel, start.value_or(shift), unitName, unit);
    }
  }
  std::optional<int64_t> timeOf(const JsonToken& token, int64_t shift) const {
    const auto time = scaledOf(token, m_scale);
    return time ? std::optional(*time + shift) : std::nullopt;
  }

  // Events open and close frames by number. They should be in order of time.
  void readEvents(std::string_view json, std::size_t track, uint8_t channel, int64_t shift, std::optional<int64_t> end) {
    struct Event {
      int64_t time;
      StackTimeline::Frame frame;
      bool opens;
    };
    std::vector<Event> events;
    forEachElement(json, [&](const JsonToken& event) {
      const auto time = timeOf(memberOf(event.text, "at"), shift);
      if (!time) return m_assembly.counts().mend(Mend::EventsWithoutTime);
      const JsonToken type = memberOf(event.text, "type");
      if (type.text != "O" && type.text != "C") return m_assembly.counts().mend(Mend::EventsOfUnknownKind);
      events.push_back({*time, frameAt(memberOf(event.text, "frame"), type.text == "C"), type.text == "O"});
      m_assembly.see(*time, events.back().frame.name);
    });
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
    auto& slices = m_assembly.tracks()[track].slices;
    OpenSlices open;
    uint32_t order = 0;
    for (const Event& event : events)
      if (event.opens)
        open.begin(slices, {event.time, event.time, event.frame.name, event.frame.details, order++, channel, 0});
      else
        open.endNamed(slices, event.time, event.frame.name, channel);
    const auto result = open.finish(slices, end.value_or(m_assembly.source().last));
    m_assembly.counts().slices += result.pairs;
    m_assembly.counts().threads += !slices.empty() && !m_assembly.tracks()[track].rowKind.empty();
    mendUnpaired(m_assembly.counts(), result);
  }

  void readSamples(std::string_view samples, std::string_view weightList, std::size_t track, uint8_t channel, int64_t time,
                   const std::string& unitName, Unit& unit) {
    m_assembly.tracks()[track].rowKind = "sample";
    std::vector<std::optional<double>> weights;
    std::vector<int64_t> ticks;
    forEachElement(weightList, [&](const JsonToken& weight) {
      const auto value = realOf(weight);
      const bool isWeight = value && *value >= 0;
      weights.push_back(isWeight ? value : std::nullopt);
      ticks.push_back(isWeight ? scaledOf(weight, m_scale).value_or(0) : 0);
    });
    StackTimeline timeline(m_assembly, track, channel, true);
    std::size_t i = 0;
    std::vector<StackTimeline::Frame> stack;
    forEachElement(samples, [&](const JsonToken& sample) {
      stack.clear();
      forEachElement(sample.text, [&](const JsonToken& frame) { stack.push_back(frameAt(frame)); });
      const bool isWeighted = i < weights.size() && weights[i];
      if (!weights.empty() && !isWeighted) m_assembly.counts().mend(Mend::WeightsNotNumbers);
      const double weight = weights.empty() ? 1 : isWeighted ? *weights[i] : 0;
      timeline.add(time, stack, detailsOf(weight, unitName, unit));
      time = std::min(time + (weights.empty() ? m_scale : isWeighted ? ticks[i] : 0), kMostScaled);
      ++i;
    });
    timeline.finish(time);
    m_assembly.counts().threads += i > 0;
  }
  // Details are made once per weight, because weights often repeat.
  int32_t detailsOf(double weight, const std::string& unitName, Unit& unit) {
    const auto [found, isNew] = unit.details.try_emplace(weight, -1);
    if (isNew) found->second = m_assembly.details(fmt::format("{{\"weight\":{},\"unit\":{}}}", weight, quotedJson(unitName)));
    return found->second;
  }

  std::string_view m_json;
  std::string m_title = "speedscope";
  TraceAssembly& m_assembly;
  std::vector<StackTimeline::Frame> m_frames;
  std::map<std::string, Unit> m_units;
  bool m_isTorn = false;
  int64_t m_scale = 1;       // nanoseconds per unit of the current profile
  int64_t m_valuesStart = 0; // start of the profiles without times
};

} // namespace

std::optional<int64_t> speedscopeNanoseconds(std::string_view unit) {
  if (unit == "seconds") return 1'000'000'000;
  if (unit == "milliseconds") return 1'000'000;
  if (unit == "microseconds") return 1000;
  if (unit == "nanoseconds") return 1;
  return std::nullopt;
}

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
