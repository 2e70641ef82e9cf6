#include "analyser/host/slice_list.h"

#include "analyser/host/arguments.h"
#include "analyser/host/host_columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace analyser::host {

namespace {

constexpr std::size_t kMostKeys = 12;

std::unordered_map<uint32_t, std::string> threadNames(const HostTimeline& timeline) {
  std::unordered_map<uint32_t, std::string> names;
  for (const Process& process : timeline.processes())
    for (const Thread& thread : process.threads) names[thread.track.value()] = thread.name;
  return names;
}

columns::Cell cellOfArgument(const Argument& argument) {
  if (!argument.isNumber) return argument.value;
  const char *begin = argument.value.data(), *end = begin + argument.value.size();
  int64_t whole = 0;
  if (const auto parsed = std::from_chars(begin, end, whole); parsed.ec == std::errc() && parsed.ptr == end) return whole;
  double real = 0;
  if (const auto parsed = std::from_chars(begin, end, real); parsed.ec == std::errc() && parsed.ptr == end) return real;
  return argument.value;
}

// Slices that touch the range, with their track.
template<class F>
void forEachIn(HostTimeline& timeline, const ValueChoice& value, trace::TickRange range, const std::stop_token& stop, F f) {
  for (const trace::TrackId track :
       value.values.empty() ? timeline.countedTracks() : timeline.countedTracks(value.values, value.chosen))
    for (int depth = 0; depth < timeline.slices().track(track)->depths; ++depth)
      timeline.slices().forEach(track, depth, range, stop, [&](const trace::Slice& s) {
        if (s.duration() == 0 || !s.ticks.clippedTo(range).empty()) f(track, s);
      });
}

// The value of a slice by a key; details are read one by one.
class ValueOfSlice {
public:
  ValueOfSlice(const HostTimeline& timeline, Session& session, std::string key)
      : m_session(session), m_details(session), m_key(std::move(key)), m_threads(threadNames(timeline)) {}
  std::string operator()(trace::TrackId track, const trace::Slice& s) {
    if (m_key == kByName) return m_session.text(s.name);
    if (m_key == kByThread) {
      const auto thread = m_threads.find(track.value());
      return thread == m_threads.end() ? std::string() : thread->second;
    }
    for (const Argument& argument : argumentsOf(m_details.text(s.ref)))
      if (argument.isLeaf && argument.path == m_key) return argument.value;
    return {};
  }

private:
  Session& m_session;
  DetailsReader m_details;
  std::string m_key;
  std::unordered_map<uint32_t, std::string> m_threads;
};

// Tests a slice; each name, thread and id of details is tested once.
class IsMeant {
public:
  IsMeant(const HostTimeline& timeline, Session& session, const SliceOnly& only)
      : m_valueOf(timeline, session, only.key), m_only(only) {}
  bool operator()(trace::TrackId track, const trace::Slice& s) {
    const int64_t place = m_only.key == kByName     ? int64_t(s.name.value())
                          : m_only.key == kByThread ? int64_t(track.value())
                                                    : s.ref;
    const auto [known, isNew] = m_known.try_emplace(place, false);
    if (isNew) known->second = m_only.isMeant(m_valueOf(track, s));
    return known->second;
  }

private:
  ValueOfSlice m_valueOf;
  const SliceOnly& m_only;
  std::unordered_map<int64_t, bool> m_known;
};

} // namespace

SliceList slicesIn(HostTimeline& timeline, trace::TickRange range, std::size_t most, std::stop_token stop,
                   const std::optional<SliceOnly>& only, const ValueChoice& value) {
  SliceList list;
  if (!value.values.empty()) list.value = value.values.at(value.chosen);
  std::optional<IsMeant> isMeant;
  if (only) isMeant.emplace(timeline, timeline.slices().session(), *only);
  const auto isEarlier = [](const SliceRow& a, const SliceRow& b) { return a.slice.ticks.begin < b.slice.ticks.begin; };
  const auto trim = [&] {
    std::stable_sort(list.rows.begin(), list.rows.end(), isEarlier);
    if (list.rows.size() > most) list.rows.resize(most);
  };
  forEachIn(timeline, value, range, stop, [&](trace::TrackId track, const trace::Slice& s) {
    if (isMeant && !(*isMeant)(track, s)) return;
    ++list.count;
    SliceRow& row = list.rows.emplace_back();
    row.track = track, row.slice = s;
    if (list.rows.size() > 2 * most + 1) trim();
  });
  trim();
  const auto threads = threadNames(timeline);
  Session& session = timeline.slices().session();
  DetailsReader details(session);
  std::vector<std::vector<Argument>> arguments;
  std::map<std::string, int64_t> counts;
  for (SliceRow& row : list.rows) {
    reports::throwIfStopped(stop);
    row.name = session.text(row.slice.name);
    row.begin = row.slice.ticks.begin - timeline.range().begin;
    row.amount = list.value.amountIn(row.track, row.slice.ticks);
    if (const auto thread = threads.find(row.track.value()); thread != threads.end()) row.thread = thread->second;
    for (const Argument& argument : arguments.emplace_back(argumentsOf(details.text(row.slice.ref))))
      if (argument.isLeaf) ++counts[argument.path];
  }
  for (const auto& [path, count] : counts) list.keys.push_back(path);
  std::stable_sort(list.keys.begin(), list.keys.end(),
                   [&](const std::string& a, const std::string& b) { return counts[a] > counts[b]; });
  if (const auto asked = only ? std::find(list.keys.begin(), list.keys.end(), only->key) : list.keys.end();
      asked != list.keys.end() && asked - list.keys.begin() >= std::ptrdiff_t(kMostKeys))
    std::rotate(list.keys.begin(), asked, asked + 1); // the requested argument gets a column in any case
  if (list.keys.size() > kMostKeys) list.keys.resize(kMostKeys);
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    list.rows[i].values.resize(list.keys.size());
    for (const Argument& argument : arguments[i])
      if (const auto key = std::find(list.keys.begin(), list.keys.end(), argument.path);
          argument.isLeaf && key != list.keys.end())
        list.rows[i].values[std::size_t(key - list.keys.begin())] = cellOfArgument(argument);
  }
  return list;
}

columns::Columns<SliceRow> sliceColumns(const SliceList& list) {
  using columns::Kind;
  using Row = SliceRow;
  columns::Columns<Row> columns = {
      {"name", "Name", Kind::Name, "", &Row::name},
      {"thread", "Thread", Kind::Text, "", &Row::thread},
      {"begin", "Begins at", Kind::Nanoseconds, "", &Row::begin},
      {"duration", list.value.isPlainTime() ? "Duration" : list.value.name, kindOf(list.value), "", &Row::amount}};
  if (!list.value.isInTime) columns = columns::without(columns, {"begin"});
  std::set<std::string> ids;
  for (const auto& column : columns) ids.insert(column.id);
  for (std::size_t key = 0; key < list.keys.size(); ++key) {
    const auto has = [&](auto is) {
      return std::any_of(list.rows.begin(), list.rows.end(), [&](const Row& row) { return is(row.values[key]); });
    };
    const bool hasText = has([](const columns::Cell& c) { return std::holds_alternative<std::string>(c); });
    const bool hasReal = has([](const columns::Cell& c) { return std::holds_alternative<double>(c); });
    std::string id = columns::idOf("argument " + list.keys[key]);
    while (!ids.insert(id).second) id += 'X';
    columns.push_back({id, list.keys[key],
                       hasText   ? Kind::Text
                       : hasReal ? Kind::Number
                                 : Kind::Count,
                       "Argument of the slice",
                       [key, hasText, hasReal](const Row& row) -> columns::Cell { // all cells of a column have one type
                         const columns::Cell& cell = row.values[key];
                         const auto* whole = std::get_if<int64_t>(&cell);
                         const auto* real = std::get_if<double>(&cell);
                         if (hasText && whole) return std::to_string(*whole);
                         if (hasText && real) return std::to_string(*real);
                         if (hasReal && whole) return double(*whole);
                         return cell;
                       }});
  }
  return columns;
}

std::vector<SliceGroup> groupsBy(HostTimeline& timeline, trace::TickRange range, const std::string& key, std::stop_token stop,
                                 const ValueChoice& choice) {
  ValueOfSlice valueOf(timeline, timeline.slices().session(), key);
  std::unordered_map<std::string, SliceGroup> groups;
  const MeasuredValue counted = choice.values.empty() ? MeasuredValue() : choice.values.at(choice.chosen);
  forEachIn(timeline, choice, range, stop, [&](trace::TrackId track, const trace::Slice& s) {
    const std::string value = valueOf(track, s);
    SliceGroup& group = groups[value];
    group.value = value;
    ++group.count;
    const trace::TickRange part = s.ticks.clippedTo(range);
    const int64_t inside = part.empty() ? 0 : counted.amountIn(track, part);
    group.total += inside;
    if (std::max<int64_t>(0, part.size()) < s.duration()) {
      ++group.cut;
    } else {
      group.wholeSum += inside;
      group.longest = std::max(group.longest, inside);
    }
  });
  std::vector<SliceGroup> list;
  for (auto& [value, group] : groups) list.push_back(std::move(group));
  std::sort(list.begin(), list.end(),
            [](const SliceGroup& a, const SliceGroup& b) { return std::tie(b.total, a.value) < std::tie(a.total, b.value); });
  return list;
}

columns::Columns<SliceGroup> groupColumns(const MeasuredValue& value) {
  using columns::Kind;
  using Row = SliceGroup;
  const Kind kind = kindOf(value);
  return {
      {"value", "Value", Kind::Name, "", [](const Row& g) { return g.value.empty() ? std::string("(none)") : g.value; }},
      {"count", "Count", Kind::Count, "Slices that touch the range", &Row::count, columns::Sum::Yes},
      {"cut", "Cut", Kind::Count, "Slices that an end of the range cuts; Total counts only the part inside the range", &Row::cut,
       columns::Sum::Yes},
      {"total", "Total", kind, "Sum of the slices' parts inside the range; a slice inside another one counts, too", &Row::total},
      {"mean", "Mean", kind, "Of slices entirely inside the range",
       [](const Row& g) {
         return columns::knownIf(g.whole() > 0, g.whole() > 0 ? std::llround(double(g.wholeSum) / double(g.whole())) : 0LL);
       }},
      {"longest", "Longest", kind, "Of slices entirely inside the range",
       [](const Row& g) { return columns::knownIf(g.whole() > 0, g.longest); }}};
}

} // namespace analyser::host
