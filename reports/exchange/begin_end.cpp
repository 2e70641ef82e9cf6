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

BeginEndStack::Result BeginEndStack::pair(TraceAssembly& assembly, int64_t lastTime, std::vector<TraceSlice>& slices,
                                          uint32_t* asyncGroup) {
  const auto earlier = [](const Mark& a, const Mark& b) { return a.time < b.time; };
  if (!std::is_sorted(m_marks.begin(), m_marks.end(), earlier)) std::stable_sort(m_marks.begin(), m_marks.end(), earlier);
  Result result;
  std::vector<std::pair<const Mark*, std::size_t>> open; // with the place of its slice
  for (const Mark& mark : m_marks) {
    if (mark.isBegin) {
      TraceSlice slice;
      slice.start = mark.time;
      slice.name = mark.name;
      slice.channel = mark.channel;
      slice.order = asyncGroup ? *asyncGroup + (open.empty() ? 1 : 0) : mark.order;
      if (asyncGroup) {
        *asyncGroup = slice.order;
        slice.level = uint8_t(std::min<std::size_t>(open.size(), 255));
      }
      open.emplace_back(&mark, slices.size());
      slices.push_back(slice);
    } else if (open.empty()) {
      ++result.unmatched;
    } else {
      TraceSlice& slice = slices[open.back().second];
      slice.end = mark.time;
      const std::string_view of = detailsOf(*open.back().first), at = detailsOf(mark);
      slice.details = assembly.details(at.empty() ? of : of.empty() ? at : joinObjects(of, at));
      open.pop_back();
      ++result.pairs;
    }
  }
  result.unclosed = int64_t(open.size());
  for (const auto& [mark, place] : open) {
    slices[place].end = std::max(lastTime, mark->time);
    slices[place].details = assembly.details(detailsOf(*mark));
  }
  m_marks = {};
  m_texts = {};
  return result;
}

} // namespace reports::exchange
