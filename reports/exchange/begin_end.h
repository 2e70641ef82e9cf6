// Pairs begins with ends, for every importer. Where events of a thread come in the order of time, OpenSlices pairs them as they come. Where
// tracers write threads out of order, BeginEndStack keeps them, sorts them by time, stably, and gives them to OpenSlices.
#pragma once

#include "reports/exchange/trace_assembly.h"

#include <optional>
#include <string>
#include <vector>

namespace reports::exchange {

// Ends that found their begin, begins without an end, ends without a begin.
struct PairCounts {
  int64_t pairs = 0, unclosed = 0, unmatched = 0;
};
// Counts those without a partner among what was mended.
void mendUnpaired(ImportCounts& counts, const PairCounts& pairs, bool isAsync = false);

// The slices of one stack (a thread, an asynchronous id) that have begun and not ended. `slices` is the list they are kept in, always the
// same one; places are indices of it.
class OpenSlices {
public:
  // Appends a slice that has begun.
  void begin(std::vector<TraceSlice>& slices, const TraceSlice& slice);
  // Ends the innermost open slice and returns its place.
  std::optional<std::size_t> end(std::vector<TraceSlice>& slices, int64_t time);
  // Ends the innermost open slice with this name and channel, wherever it lies.
  std::optional<std::size_t> endNamed(std::vector<TraceSlice>& slices, int64_t time, uint32_t name, uint8_t channel);
  // Slices that are still open last until `lastTime`. Returns the counts of all.
  PairCounts finish(std::vector<TraceSlice>& slices, int64_t lastTime);
  const std::vector<std::size_t>& places() const { return m_open; } // outermost first

private:
  std::vector<std::size_t> m_open;
  PairCounts m_counts;
};

// A begin or an end, kept until all are known. Texts of details stay in an arena, as those of both are joined.
class BeginEndStack {
public:
  void begin(int64_t time, uint32_t name, uint8_t channel, std::string_view details, uint32_t order) {
    m_marks.push_back({time, keep(details), name, order, uint32_t(details.size()), channel, true});
  }
  void end(int64_t time, std::string_view details) {
    m_marks.push_back({time, keep(details), 0, 0, uint32_t(details.size()), 0, false});
  }

  // Appends a slice for each pair, and one to `lastTime` for each begin without an end; names are not compared. `asyncGroup`: slices get their
  // level and a group number counted up from it, one a slice of level 0; else they keep the order of their begins. Empties the stack.
  PairCounts pair(TraceAssembly& assembly, int64_t lastTime, std::vector<TraceSlice>& slices, uint32_t* asyncGroup = nullptr);

private:
  struct Mark {
    int64_t time;
    std::size_t detailsAt;
    uint32_t name, order, detailsSize;
    uint8_t channel;
    bool isBegin;
  };
  std::size_t keep(std::string_view details) {
    const std::size_t at = m_texts.size();
    m_texts += details;
    return at;
  }
  std::string_view detailsOf(const Mark& mark) const {
    return std::string_view(m_texts).substr(mark.detailsAt, mark.detailsSize);
  }
  std::vector<Mark> m_marks;
  std::string m_texts;
};

// The members of two JSON objects as one object; either may be empty.
std::string joinObjects(std::string_view a, std::string_view b);

} // namespace reports::exchange
