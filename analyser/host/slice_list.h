// The slices of a range with their arguments: one by one, or grouped by the value of an argument.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/host/host_timeline.h"

#include <functional>
#include <optional>

namespace analyser::host {

// Keys for lists and groups of slices, besides paths of arguments.
inline constexpr std::string_view kByName = "=name", kByThread = "=thread";

struct SliceRow {
  trace::TrackId track;
  trace::Slice slice;
  int64_t begin = 0;  // nanoseconds from the start of the trace
  int64_t amount = 0; // of the value: nanoseconds, bytes or a count
  std::string name, thread;
  std::vector<columns::Cell> values; // by SliceList::keys
};
struct SliceList {
  std::vector<std::string> keys; // paths of arguments, the most frequent first
  std::vector<SliceRow> rows;    // by begin
  int64_t count = 0;             // number of matching slices in the range
  MeasuredValue value;           // what is listed
};
// A condition on one value of a slice: the argument with this path (empty without it), or the name or thread as for groupsBy.
struct SliceOnly {
  std::string key;
  std::function<bool(const std::string& value)> isMeant;
};
// One of the values of a trace: only its slices are listed, with its amounts. Without values: all slices, with their times.
struct ValueChoice {
  std::vector<MeasuredValue> values;
  std::size_t chosen = 0;
};
// The earliest `most` slices of threads that touch the range and meet the condition `only`.
SliceList slicesIn(HostTimeline& timeline, trace::TickRange range, std::size_t most, std::stop_token stop = {},
                   const std::optional<SliceOnly>& only = {}, const ValueChoice& value = {});
// The columns that every slice has, then one for each key.
columns::Columns<SliceRow> sliceColumns(const SliceList& list);

struct SliceGroup {
  std::string value;              // empty: slices without this argument
  int64_t count = 0, cut = 0;     // see LabelStatistics
  int64_t total = 0, longest = 0; // of the value; total: parts inside the range; longest: of slices entirely inside
  int64_t wholeSum = 0;
  int64_t whole() const { return count - cut; }
};
// Groups slices by the value of the argument with this path, or by name or thread if `key` is kByName or kByThread. Largest total
// first.
std::vector<SliceGroup> groupsBy(HostTimeline& timeline, trace::TickRange range, const std::string& key,
                                 std::stop_token stop = {}, const ValueChoice& value = {});
columns::Columns<SliceGroup> groupColumns(const MeasuredValue& value = {});

} // namespace analyser::host
