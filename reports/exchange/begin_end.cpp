#include "reports/exchange/begin_end.h"

#include <algorithm>

namespace reports::exchange {

namespace {
// The inside of an object, without space at its ends; empty if there is no member.
std::string_view membersOf(std::string_view object) {
  if (object.size() < 2 || object.front() != '{' || object.back() != '}') return {};
  object = object.substr(1, object.size() - 2);
  const auto first = object.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view()
                                         : object.substr(first, object.find_last_not_of(" \t\r\n") - first + 1);
}
} // namespace

std::string joinObjects(std::string_view a, std::string_view b) {
  const std::string_view first = membersOf(a), second = membersOf(b);
  if (first.empty()) return std::string(b);
  if (second.empty()) return std::string(a);
  return "{" + std::string(first) + "," + std::string(second) + "}";
}

void mendUnpaired(ImportCounts& counts, const PairCounts& pairs, bool isAsync) {
  counts.mend(isAsync ? Mend::UnclosedAsync : Mend::UnclosedBegins, pairs.unclosed);
  counts.mend(isAsync ? Mend::UnmatchedAsyncEnds : Mend::UnmatchedEnds, pairs.unmatched);
}

void OpenSlices::begin(std::vector<TraceSlice>& slices, const TraceSlice& slice) {
  m_open.push_back(slices.size());
  slices.push_back(slice);
}

std::optional<std::size_t> OpenSlices::end(std::vector<TraceSlice>& slices, int64_t time) {
  if (m_open.empty()) {
    ++m_counts.unmatched;
    return std::nullopt;
  }
  const std::size_t place = m_open.back();
  m_open.pop_back();
  slices[place].end = time;
  ++m_counts.pairs;
  return place;
}

std::optional<std::size_t> OpenSlices::endNamed(std::vector<TraceSlice>& slices, int64_t time, uint32_t name, uint8_t channel) {
  const auto found = std::find_if(m_open.rbegin(), m_open.rend(), [&](std::size_t place) {
    return slices[place].name == name && slices[place].channel == channel;
  });
  if (found == m_open.rend()) {
    ++m_counts.unmatched;
    return std::nullopt;
  }
  std::rotate(m_open.rbegin(), found, found + 1); // to the top
  return end(slices, time);
}

PairCounts OpenSlices::finish(std::vector<TraceSlice>& slices, int64_t lastTime) {
  for (const std::size_t place : m_open) slices[place].end = std::max(lastTime, slices[place].start);
  m_counts.unclosed = int64_t(m_open.size());
  m_open.clear();
  return m_counts;
}

PairCounts BeginEndStack::pair(TraceAssembly& assembly, int64_t lastTime, std::vector<TraceSlice>& slices, uint32_t* asyncGroup) {
  const auto earlier = [](const Mark& a, const Mark& b) { return a.time < b.time; };
  if (!std::is_sorted(m_marks.begin(), m_marks.end(), earlier)) std::stable_sort(m_marks.begin(), m_marks.end(), earlier);
  OpenSlices open;
  std::vector<const Mark*> begins; // of the open slices
  for (const Mark& mark : m_marks) {
    if (mark.isBegin) {
      TraceSlice slice;
      slice.start = mark.time;
      slice.name = mark.name;
      slice.channel = mark.channel;
      slice.order = asyncGroup ? *asyncGroup + (begins.empty() ? 1 : 0) : mark.order;
      if (asyncGroup) {
        *asyncGroup = slice.order;
        slice.level = uint8_t(std::min<std::size_t>(begins.size(), 255));
      }
      begins.push_back(&mark);
      open.begin(slices, slice);
    } else if (const auto place = open.end(slices, mark.time)) {
      const std::string_view of = detailsOf(*begins.back()), at = detailsOf(mark);
      slices[*place].details = assembly.details(at.empty() ? of : of.empty() ? at : joinObjects(of, at));
      begins.pop_back();
    }
  }
  for (std::size_t i = 0; i < begins.size(); ++i) slices[open.places()[i]].details = assembly.details(detailsOf(*begins[i]));
  m_marks = {};
  m_texts = {};
  return open.finish(slices, lastTime);
}

} // namespace reports::exchange
