// Pairs begins with ends. Each stack of them (a thread, an asynchronous id) is sorted by time first, stably, as tracers write threads
// out of order; names are not compared.
#pragma once

#include "reports/exchange/trace_assembly.h"

#include <string>
#include <vector>

namespace reports::exchange {

// A begin or an end, kept until all are known. Texts of details stay in an arena, as those of both are joined.
class BeginEndStack {
public:
  void begin(int64_t time, uint32_t name, uint8_t channel, std::string_view details, uint32_t order) {
    m_marks.push_back({time, keep(details), name, order, uint32_t(details.size()), channel, true});
  }
  void end(int64_t time, std::string_view details) {
    m_marks.push_back({time, keep(details), 0, 0, uint32_t(details.size()), 0, false});
  }

  struct Result {
    int64_t pairs = 0, unclosed = 0, unmatched = 0;
  };
  // Appends a slice for each pair, and one to `lastTime` for each begin without an end. `asyncGroup`: slices get their level and a group
  // number counted up from it, one a slice of level 0; else they keep the order of their begins. Empties the stack.
  Result pair(TraceAssembly& assembly, int64_t lastTime, std::vector<TraceSlice>& slices, uint32_t* asyncGroup = nullptr);

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
