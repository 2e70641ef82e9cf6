#include "analyser/host/values.h"

#include "analyser/host/arguments.h"
#include "analyser/host/host_timeline.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

namespace analyser::host {

namespace {

constexpr int64_t kTicksPerValue = 1000; // importers draw a value that is not a time as a microsecond

// Returns the channel whose outermost slices last longest in total; -1 if the thread has no slices.
int mostUsed(HostTimeline& timeline, const Thread& thread, std::stop_token stop) {
  const auto busy = timeline.slices().busyTicks(thread.track, 0, timeline.range(), std::move(stop));
  const auto most = std::max_element(std::begin(busy.ticks), std::end(busy.ticks));
  return *most > 0 ? int(most - std::begin(busy.ticks)) : -1;
}
std::string channelOf(HostTimeline& timeline, const Thread& thread, std::stop_token stop) {
  const int channel = mostUsed(timeline, thread, std::move(stop));
  return channel >= 0 ? timeline.channel(uint8_t(channel)) : std::string();
}

// The member of the details of a sample: {"weight":500,"unit":"cache-misses"}.
std::string memberOf(const std::string& details, std::string_view key) {
  for (const Argument& argument : argumentsOf(details))
    if (argument.path == key) return argument.value;
  return {};
}

bool beginsWith(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return name.starts_with(p); });
}
// An event of perf without its unit of the processor: "cpu_core/cycles/u" is "cycles/u".
std::string_view withoutUnit(std::string_view event) {
  const std::size_t slash = event.find('/');
  return slash != std::string_view::npos && slash + 1 < event.size() && event.find(':') == std::string_view::npos
             ? event.substr(slash + 1)
             : event;
}
// Events that tick while a thread runs: their samples stand for time.
bool isClock(std::string_view event) {
  return beginsWith(withoutUnit(event), {"cpu-clock", "task-clock", "cycles", "cpu-cycles", "ref-cycles", "bus-cycles"});
}
// Events of perf (perf-list(1)) that count, for samples without a number of events.
bool isCounter(std::string_view event) {
  return beginsWith(withoutUnit(event), {"cache-",
                                         "instructions",
                                         "branch",
                                         "page-faults",
                                         "faults",
                                         "minor-faults",
                                         "major-faults",
                                         "context-switches",
                                         "cs",
                                         "cpu-migrations",
                                         "migrations",
                                         "alignment-faults",
                                         "emulation-faults",
                                         "stalled-cycles-",
                                         "L1-",
                                         "LLC-",
                                         "dTLB-",
                                         "iTLB-",
                                         "node-",
                                         "mem-"});
}
enum class Counting { No, Samples, Events };
// Whether the samples of a thread in this channel count events.
Counting countingOf(HostTimeline& timeline, const Thread& thread, const std::string& channel, std::stop_token stop) {
  if (thread.instants == 0 || isClock(channel)) return Counting::No;
  const auto first = timeline.instants(
      thread.track, {std::numeric_limits<int64_t>::min() / 2, std::numeric_limits<int64_t>::max() / 2}, 1, std::move(stop));
  const std::string details = first.empty() ? std::string() : timeline.details(first.front().details);
  if (!details.empty() && memberOf(details, "unit") == channel) return Counting::Events;
  return details.empty() && isCounter(channel) ? Counting::Samples : Counting::No;
}

bool isOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Reads name and unit of a value from its channel: "inuse_space (bytes)".
void describe(MeasuredValue& value, bool isInTime) {
  const std::size_t open = value.name.rfind(" (");
  std::string unit;
  if (!isInTime && open != std::string::npos && value.name.ends_with(')')) {
    unit = value.name.substr(open + 2, value.name.size() - open - 3);
    value.name.resize(open);
  }
  value.isInTime = isInTime;
  if (isOf(value.name, {"call stack", "frame"})) value.name = isOf(unit, {"none", ""}) ? "samples" : "all stacks";
  if (isInTime || isOf(unit, {"nanoseconds", "microseconds", "milliseconds", "seconds"})) return;
  value.ticksPerUnit = kTicksPerValue;
  // Periods of these events of perf are nanoseconds.
  const bool isTime = unit.empty() && (value.name.starts_with("cpu-clock") || value.name.starts_with("task-clock"));
  value.unit = isTime                          ? MeasuredValue::Unit::Time
               : isOf(unit, {"bytes", "byte"}) ? MeasuredValue::Unit::Bytes
                                               : MeasuredValue::Unit::Count;
}

} // namespace

void EventTally::add(HostTimeline& timeline, trace::TrackId track, std::stop_token stop) {
  DetailsReader details(timeline.slices().session());
  std::unordered_map<int64_t, int64_t> weights; // by details id: few, because weights repeat
  Sums& sums = m_tracks[track.value()];
  int64_t upTo = 0;
  for (const reports::Instant& instant :
       timeline.instants(track, {std::numeric_limits<int64_t>::min() / 2, std::numeric_limits<int64_t>::max() / 2},
                         std::numeric_limits<std::size_t>::max(), stop)) {
    const auto [known, isNew] = weights.try_emplace(instant.details, 1);
    if (isNew && instant.details >= 0) {
      const std::string text = memberOf(details.text(instant.details), "weight");
      double weight = 1;
      if (std::from_chars(text.data(), text.data() + text.size(), weight).ec == std::errc() && weight >= 0 && weight < 1e18)
        known->second = int64_t(weight);
    }
    upTo += known->second;
    sums.ticks.push_back(instant.tick), sums.upTo.push_back(upTo);
  }
}

int64_t EventTally::within(trace::TrackId track, trace::TickRange ticks) const {
  const auto found = m_tracks.find(track.value());
  if (found == m_tracks.end()) return 0;
  const Sums& sums = found->second;
  const auto before = [&](int64_t tick) {
    const auto at = std::lower_bound(sums.ticks.begin(), sums.ticks.end(), tick) - sums.ticks.begin();
    return at == 0 ? int64_t(0) : sums.upTo[std::size_t(at) - 1];
  };
  return ticks.empty() ? 0 : before(ticks.end) - before(ticks.begin);
}

trace::Weigh MeasuredValue::weigh() const {
  if (!events) return {};
  return [tally = events](trace::TrackId track, trace::TickRange ticks) { return tally->within(track, ticks); };
}

std::vector<MeasuredValue> valuesOf(HostTimeline& timeline, std::stop_token stop) {
  std::vector<MeasuredValue> values;
  const auto add = [&](const std::string& id, const Thread& thread) -> MeasuredValue& {
    auto found = std::find_if(values.begin(), values.end(), [&](const MeasuredValue& v) { return v.id == id; });
    if (found == values.end())
      found = values.insert(id.empty() ? values.begin() : values.end(), MeasuredValue{id, id, {}, 1, true, {}, {}, nullptr, {}});
    found->tracks.push_back({thread.track, thread.depths});
    const trace::TickRange own = timeline.slices().track(thread.track)->range;
    found->range = found->tracks.size() == 1
                       ? own
                       : trace::TickRange{std::min(found->range.begin, own.begin), std::max(found->range.end, own.end)};
    return *found;
  };
  bool hasSlices = false;
  std::map<std::string, std::shared_ptr<EventTally>> tallies; // by id of the value
  for (const Process& process : timeline.processes())
    for (const Thread& thread : process.threads) {
      if (isWorkOfNoThread(thread) || thread.slices == 0) continue;
      const bool isSample = thread.kind == "sample";
      const int number = isSample ? mostUsed(timeline, thread, stop) : -1;
      const std::string channel = number >= 0 ? timeline.channel(uint8_t(number)) : std::string();
      const bool isNamed = !channel.empty() && !isOf(channel, {"call stack", "frame"});
      // Without a clock, samples with instants have weights that are times, and stacks without instants are sums.
      const bool isInTime = !isSample || process.clock != "none" || (thread.instants > 0 && !channel.ends_with(')'));
      const std::string id = isNamed ? channel : std::string();
      MeasuredValue& value = add(id, thread);
      hasSlices = hasSlices || !isSample;
      if (number >= 0) value.channels.insert(uint8_t(number));
      if (value.tracks.size() == 1) {
        describe(value, isInTime);
        if (!isNamed) value.name = isInTime ? "call stacks" : "samples";
      } else if (isInTime && !value.isInTime) { // times and sums without a name: both are drawn
        value.unit = MeasuredValue::Unit::Time, value.ticksPerUnit = 1, value.isInTime = true;
      }
      if (!isNamed || !isInTime) continue;
      if (value.tracks.size() == 1)
        if (const Counting counting = countingOf(timeline, thread, channel, stop); counting != Counting::No) {
          value.unit = MeasuredValue::Unit::Count;
          value.events = tallies[id] = std::make_shared<EventTally>();
          if (counting == Counting::Samples) value.name += " samples";
        }
      if (value.events) tallies[id]->add(timeline, thread.track, stop);
    }
  if (values.empty()) values.push_back({"", "slices", MeasuredValue::Unit::Time, 1, true, {}, {}, nullptr, {}});
  if (hasSlices) values.front().name = "slices";
  return values;
}

std::set<std::string> sampleChannels(HostTimeline& timeline, std::stop_token stop) {
  std::set<std::string> channels;
  for (const Process& process : timeline.processes())
    for (const Thread& thread : process.threads)
      if (thread.kind == "sample" && thread.slices > 0) channels.insert(channelOf(timeline, thread, stop));
  return channels;
}

Sentence verdictOf(HostTimeline& timeline, const MeasuredValue& value, bool isOnly, std::stop_token stop) {
  const trace::TickRange all = timeline.range();
  std::vector<trace::TrackId> tracks;
  for (const trace::CalledTrack& track : value.tracks) tracks.push_back(track.id);
  Sentence verdict;
  if (tracks.empty()) return verdict << Nanoseconds(all.size()) << " without slices of threads.";
  const auto list = trace::statisticsByName(timeline.slices(), tracks, all, {}, stop, false, {}, value.weigh());
  const auto longest = std::max_element(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.self < b.self; });
  const auto add = [&](int64_t ticks) {
    const int64_t amount = value.amount(ticks);
    if (value.unit == MeasuredValue::Unit::Bytes)
      verdict << Bytes(amount);
    else if (value.unit == MeasuredValue::Unit::Time)
      verdict << Nanoseconds(amount);
    else
      verdict << amount;
  };
  int64_t whole = all.size();
  if (value.events) {
    whole = 0;
    for (const trace::TrackId track : tracks) whole += value.events->within(track, all);
    verdict << whole << " " << Sentence::Name{value.name} << " on " << static_cast<int64_t>(tracks.size())
            << (tracks.size() == 1 ? " thread" : " threads");
  } else if (value.isInTime) {
    verdict << Nanoseconds(whole) << " on " << static_cast<int64_t>(tracks.size())
            << (tracks.size() == 1 ? " thread" : " threads");
  } else {
    whole = 0;
    for (const auto& s : list) whole += s.self;
    add(whole);
    verdict << (value.unit == MeasuredValue::Unit::Count ? " " : " of ") << Sentence::Name{value.name};
  }
  if (longest == list.end() || longest->self <= 0) return verdict << ".";
  verdict << "; “" << Sentence::Name{longest->text} << "” takes most";
  if (value.isInTime && !value.events && !isOnly) verdict << " (" << Sentence::Name{value.name} << ")";
  verdict << ": ";
  add(longest->self);
  verdict << (longest->self < longest->total ? " without what runs inside it" : "");
  const double share = whole > 0 ? double(longest->self) / double(whole) : 0;
  // The time of several threads together is not a share of the elapsed time. A sum of stacks has no occurrences.
  const bool isShare = (tracks.size() == 1 || !value.isInTime || value.events) && share <= 1;
  const bool hasCount = value.isInTime && !value.events && longest->count > 1;
  if (isShare || hasCount) {
    verdict << " (";
    if (isShare) verdict << Sentence::Percent{share} << (hasCount ? ", " : "");
    if (hasCount) verdict << longest->count << " times";
    verdict << ")";
  }
  return verdict << ".";
}

} // namespace analyser::host
