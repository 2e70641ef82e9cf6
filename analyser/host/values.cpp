#include "analyser/host/values.h"

#include "analyser/host/host_timeline.h"

#include <algorithm>

namespace analyser::host {

namespace {

constexpr int64_t kTicksPerValue = 1000; // importers draw a value that is not a time as a microsecond

std::string channelOf(HostTimeline& timeline, const Thread& thread, std::stop_token stop) {
  const auto busy = timeline.slices().busyTicks(thread.track, 0, timeline.range(), std::move(stop));
  const auto most = std::max_element(std::begin(busy.ticks), std::end(busy.ticks));
  return *most > 0 ? timeline.channel(uint8_t(most - std::begin(busy.ticks))) : std::string();
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

std::vector<MeasuredValue> valuesOf(HostTimeline& timeline, std::stop_token stop) {
  std::vector<MeasuredValue> values;
  const auto add = [&](const std::string& id, const Thread& thread) -> MeasuredValue& {
    auto found = std::find_if(values.begin(), values.end(), [&](const MeasuredValue& v) { return v.id == id; });
    if (found == values.end())
      found = values.insert(id.empty() ? values.begin() : values.end(), MeasuredValue{id, id, {}, 1, true, {}});
    found->tracks.push_back({thread.track, thread.depths});
    return *found;
  };
  bool hasSlices = false;
  for (const Process& process : timeline.processes())
    for (const Thread& thread : process.threads) {
      if (isWorkOfNoThread(thread) || thread.slices == 0) continue;
      const bool isSample = thread.kind == "sample";
      const std::string channel = isSample ? channelOf(timeline, thread, stop) : std::string();
      const bool isNamed = !channel.empty() && !isOf(channel, {"call stack", "frame"});
      // Without a clock, samples with instants have weights that are times, and stacks without instants are sums.
      const bool isInTime = !isSample || process.clock != "none" || (thread.instants > 0 && !channel.ends_with(')'));
      MeasuredValue& value = add(isNamed ? channel : std::string(), thread);
      hasSlices = hasSlices || !isSample;
      if (value.tracks.size() == 1) {
        describe(value, isInTime);
        if (!isNamed) value.name = isInTime ? "call stacks" : "samples";
      } else if (isInTime && !value.isInTime) { // times and sums without a name: both are drawn
        value.unit = MeasuredValue::Unit::Time, value.ticksPerUnit = 1, value.isInTime = true;
      }
    }
  if (values.empty()) values.push_back({"", "slices", MeasuredValue::Unit::Time, 1, true, {}});
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
  const auto list = trace::statisticsByName(timeline.slices(), tracks, all, {}, stop);
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
  if (value.isInTime) {
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
  if (value.isInTime && !isOnly) verdict << " (" << Sentence::Name{value.name} << ")";
  verdict << ": ";
  add(longest->self);
  verdict << (longest->self < longest->total ? " without what runs inside it" : "");
  const double share = whole > 0 ? double(longest->self) / double(whole) : 0;
  // The time of several threads together is not a share of the elapsed time. A sum of stacks has no occurrences.
  const bool isShare = (tracks.size() == 1 || !value.isInTime) && share <= 1;
  const bool hasCount = value.isInTime && longest->count > 1;
  if (isShare || hasCount) {
    verdict << " (";
    if (isShare) verdict << Sentence::Percent{share} << (hasCount ? ", " : "");
    if (hasCount) verdict << longest->count << " times";
    verdict << ")";
  }
  return verdict << ".";
}

} // namespace analyser::host
