// Pairs begins with ends, for every importer. If the events of a thread come in order of time, OpenSlices pairs them as they
// come. If a tracer writes the events of threads out of order, BeginEndStack keeps them, sorts them by time (stably), and gives
// them to OpenSlices.
#pragma once

#include "reports/exchange/details_json.h"
#include "reports/exchange/trace_assembly.h"

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace reports::exchange {

// Ends paired with a begin, begins without an end, ends without a begin. `misnamed`: ends that name no open slice and ended the
// innermost. `endedWithin`: slices that ended together with an outer one.
struct PairCounts {
  int64_t pairs = 0, unclosed = 0, unmatched = 0, misnamed = 0, endedWithin = 0;
};

// The treatment of slices that are open inside a slice that ends: they wait for their own ends, as in Chrome's JSON, or end too,
// as in Perfetto's track events.
enum class WithinEnded { WaitForOwnEnd, EndToo };
// Adds begins and ends without a partner to the counts of repairs.
void mendUnpaired(ImportCounts& counts, const PairCounts& pairs, bool isAsync = false);

// The open slices of one stack (a thread, an asynchronous id). `slices` is the list that holds them; pass the same list to every
// call. Positions ("places") are indices in this list.
class OpenSlices {
public:
  explicit OpenSlices(WithinEnded within = WithinEnded::WaitForOwnEnd) : m_within(within) {}
  // Appends a slice that has begun.
  void begin(std::vector<TraceSlice>& slices, const TraceSlice& slice);
  // Ends the innermost open slice and returns its index; nothing if none is open.
  std::optional<std::size_t> end(std::vector<TraceSlice>& slices, int64_t time);
  // Ends the innermost open slice with this name and channel, at any depth; any name or channel if none is given.
  std::optional<std::size_t> endNamed(std::vector<TraceSlice>& slices, int64_t time, std::optional<uint32_t> name,
                                      std::optional<uint8_t> channel);
  // Like endNamed(), but ends the innermost open slice if none matches.
  std::optional<std::size_t> endNamedOrLast(std::vector<TraceSlice>& slices, int64_t time, std::optional<uint32_t> name,
                                            std::optional<uint8_t> channel);
  // Ends all slices that are still open at `lastTime`. Returns the counts.
  PairCounts finish(std::vector<TraceSlice>& slices, int64_t lastTime);
  std::vector<std::size_t> places() const; // indices of the open slices, outermost first
  const std::vector<std::size_t>& endedWithin() const {
    return m_endedWithin;
  } // indices of slices that ended together with an outer one

private:
  static constexpr std::size_t kOver = std::size_t(-1); // entry of m_open: the slice ended while inner slices were open
  std::optional<std::size_t> find(const std::vector<TraceSlice>& slices, std::optional<uint32_t> name,
                                  std::optional<uint8_t> channel);
  std::size_t close(std::vector<TraceSlice>& slices, std::size_t at, int64_t time);

  WithinEnded m_within;
  std::vector<std::size_t> m_open, m_endedWithin;
  static uint64_t keyOf(std::optional<uint32_t> name, std::optional<uint8_t> channel) {
    return (name ? uint64_t(*name) : uint64_t(1) << 32) << 9 | (channel ? *channel : 0x100u);
  }
  // Indices in m_open by name, used once many are open; ended slices are removed when they are found.
  std::unordered_map<uint64_t, std::vector<std::size_t>> m_byName;
  std::size_t m_named = 0; // entries of m_open that are in m_byName
  PairCounts m_counts;
};

// A begin or an end, kept until all events are known. Texts of details stay in an arena, because those of begin and end are
// joined.
class BeginEndStack {
public:
  static constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
  struct End {
    std::optional<uint32_t> name = {}; // of the slice that it ends, if given
    std::optional<uint8_t> channel = {};
    int64_t threadTime = kNoTime;
    uint32_t order = 0; // for append()
  };
  // `threadTime`: reading of the thread's own processor clock, in nanoseconds.
  void begin(int64_t time, uint32_t name, uint8_t channel, std::string_view details, uint32_t order,
             int64_t threadTime = kNoTime) {
    m_marks.push_back({time, threadTime, keep(details), name, order, uint32_t(details.size()), channel, true, true, true});
  }
  void end(int64_t time, std::string_view details) { end(time, details, End{}); }
  void end(int64_t time, std::string_view details, const End& end) {
    m_marks.push_back({time, end.threadTime, keep(details), end.name.value_or(0), end.order, uint32_t(details.size()),
                       end.channel.value_or(0), false, end.name.has_value(), end.channel.has_value()});
  }
  bool isEmpty() const { return m_marks.empty(); }
  // Takes over the events of another stack of the same thread. Events of equal time are then sorted by `order`, so ends need an
  // order, too.
  void append(BeginEndStack&& other);

  // Changes the details of the begin with this order, which may refer to later parts of a file.
  using Amend = std::function<void(uint32_t order, std::string& details)>;
  // Appends a slice for each pair, and one up to `lastTime` for each begin without an end. `asyncGroup`: slices get levels, and
  // group numbers starting at it (see groupAsync); else they keep the order of their begins. Empties the stack.
  PairCounts pair(TraceAssembly& assembly, int64_t lastTime, std::vector<TraceSlice>& slices, uint32_t* asyncGroup = nullptr,
                  const Amend& amend = {}, WithinEnded within = WithinEnded::WaitForOwnEnd);

private:
  struct Mark {
    int64_t time, threadTime;
    std::size_t detailsAt;
    uint32_t name, order, detailsSize;
    uint8_t channel;
    bool isBegin, hasName, hasChannel;
  };
  std::size_t keep(std::string_view details) {
    const std::size_t at = m_texts.size();
    m_texts += details;
    return at;
  }
  std::string_view detailsOf(const Mark& mark) const {
    return std::string_view(m_texts).substr(mark.detailsAt, mark.detailsSize);
  }
  int32_t joinedDetails(TraceAssembly& assembly, const Mark& begin, const Mark* end, const Amend& amend) const;
  std::vector<Mark> m_marks;
  std::string m_texts;
  bool m_isMerged = false;
};

// Adds times of the thread's own clock to details: "thread_start_ns", and "thread_duration_ns" if known.
void addThreadTime(std::string& details, int64_t start, std::optional<int64_t> duration);

} // namespace reports::exchange
