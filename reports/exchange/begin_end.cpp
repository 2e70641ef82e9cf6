#include "reports/exchange/begin_end.h"

#include "reports/exchange/slice_layout.h"

#include <algorithm>

namespace reports::exchange {

namespace {
constexpr std::size_t kFewOpen = 16; // searched one by one up to this number
}

void mendUnpaired(ImportCounts& counts, const PairCounts& pairs, bool isAsync) {
  counts.mend(isAsync ? Mend::UnclosedAsync : Mend::UnclosedBegins, pairs.unclosed);
  counts.mend(isAsync ? Mend::UnmatchedAsyncEnds : Mend::UnmatchedEnds, pairs.unmatched);
  counts.mend(Mend::MisnamedEnds, pairs.misnamed);
  counts.mend(Mend::EndedWithin, pairs.endedWithin);
}

void OpenSlices::begin(std::vector<TraceSlice>& slices, const TraceSlice& slice) {
  m_open.push_back(slices.size());
  slices.push_back(slice);
}

std::size_t OpenSlices::close(std::vector<TraceSlice>& slices, std::size_t at, int64_t time) {
  const std::size_t place = m_open[at];
  slices[place].end = time;
  m_open[at] = kOver;
  if (m_within == WithinEnded::EndToo)
    for (; m_open.size() > at + 1; m_open.pop_back()) {
      if (m_open.back() == kOver) continue;
      slices[m_open.back()].end = time;
      m_endedWithin.push_back(m_open.back());
    }
  while (!m_open.empty() && m_open.back() == kOver) m_open.pop_back();
  m_named = std::min(m_named, m_open.size());
  ++m_counts.pairs;
  return place;
}

std::optional<std::size_t> OpenSlices::end(std::vector<TraceSlice>& slices, int64_t time) {
  if (!m_open.empty()) return close(slices, m_open.size() - 1, time);
  ++m_counts.unmatched;
  return std::nullopt;
}

std::optional<std::size_t> OpenSlices::find(const std::vector<TraceSlice>& slices, std::optional<uint32_t> name,
                                            std::optional<uint8_t> channel) {
  const auto isMeant = [&](std::size_t at) {
    const std::size_t place = m_open[at];
    return place != kOver && (!name || slices[place].name == *name) && (!channel || slices[place].channel == *channel);
  };
  for (std::size_t i = 0; i < std::min(kFewOpen, m_open.size()); ++i)
    if (isMeant(m_open.size() - 1 - i)) return m_open.size() - 1 - i;
  if (m_open.size() <= kFewOpen) return std::nullopt;
  for (; m_named < m_open.size(); ++m_named) {
    if (m_open[m_named] == kOver) continue;
    const TraceSlice& slice = slices[m_open[m_named]];
    m_byName[keyOf(slice.name, slice.channel)].push_back(m_named);
    m_byName[keyOf(slice.name, {})].push_back(m_named);
    m_byName[keyOf({}, slice.channel)].push_back(m_named);
  }
  auto& places = m_byName[keyOf(name, channel)];
  for (; !places.empty(); places.pop_back()) // drops entries whose slice has ended, or whose index has another slice now
    if (places.back() < m_open.size() && isMeant(places.back())) return places.back();
  return std::nullopt;
}

std::optional<std::size_t> OpenSlices::endNamed(std::vector<TraceSlice>& slices, int64_t time, std::optional<uint32_t> name,
                                                std::optional<uint8_t> channel) {
  if (const auto at = find(slices, name, channel)) return close(slices, *at, time);
  ++m_counts.unmatched;
  return std::nullopt;
}

std::optional<std::size_t> OpenSlices::endNamedOrLast(std::vector<TraceSlice>& slices, int64_t time, std::optional<uint32_t> name,
                                                      std::optional<uint8_t> channel) {
  if (!name && !channel) return end(slices, time);
  auto at = find(slices, name, channel);
  if (!at && name && channel) at = find(slices, name, {});
  if (at) return close(slices, *at, time);
  m_counts.misnamed += name && !m_open.empty();
  return end(slices, time);
}

std::vector<std::size_t> OpenSlices::places() const {
  std::vector<std::size_t> open = m_open;
  std::erase(open, kOver);
  return open;
}

PairCounts OpenSlices::finish(std::vector<TraceSlice>& slices, int64_t lastTime) {
  const auto open = places();
  for (const std::size_t place : open) slices[place].end = std::max(lastTime, slices[place].start);
  m_counts.unclosed = int64_t(open.size()), m_counts.endedWithin = int64_t(m_endedWithin.size());
  m_open.clear();
  return m_counts;
}

void addThreadTime(std::string& details, int64_t start, std::optional<int64_t> duration) {
  addMember(details, "thread_start_ns", std::to_string(start));
  if (duration) addMember(details, "thread_duration_ns", std::to_string(*duration));
}

int32_t BeginEndStack::joinedDetails(TraceAssembly& assembly, const Mark& begin, const Mark* end, const Amend& amend) const {
  const std::string_view of = detailsOf(begin), at = end ? detailsOf(*end) : std::string_view();
  const bool endsThreadTime = begin.threadTime == kNoTime && end && end->threadTime != kNoTime;
  if (begin.threadTime == kNoTime && !endsThreadTime && !amend && (of.empty() || at.empty()))
    return assembly.details(at.empty() ? of : at);
  std::string first(of);
  if (amend) amend(begin.order, first);
  std::string details = at.empty() ? first : first.empty() ? std::string(at) : joinObjects(first, at);
  if (begin.threadTime != kNoTime)
    addThreadTime(details, begin.threadTime,
                  end && end->threadTime != kNoTime ? std::optional(end->threadTime - begin.threadTime) : std::nullopt);
  if (endsThreadTime) {
    if (!details.empty() && !isPlainObject(details)) details = mendedObject(details);
    addMember(details, "thread_end_ns", std::to_string(end->threadTime));
  }
  return assembly.details(details);
}

void BeginEndStack::append(BeginEndStack&& other) {
  if (m_marks.empty()) {
    *this = std::move(other);
    return;
  }
  m_isMerged = true;
  for (Mark mark : other.m_marks) {
    mark.detailsAt += m_texts.size();
    m_marks.push_back(mark);
  }
  m_texts += other.m_texts;
}

PairCounts BeginEndStack::pair(TraceAssembly& assembly, int64_t lastTime, std::vector<TraceSlice>& slices, uint32_t* asyncGroup,
                               const Amend& amend, WithinEnded within) {
  const auto earlier = [isMerged = m_isMerged](const Mark& a, const Mark& b) {
    return a.time != b.time ? a.time < b.time : isMerged && a.order < b.order;
  };
  if (!std::is_sorted(m_marks.begin(), m_marks.end(), earlier)) std::stable_sort(m_marks.begin(), m_marks.end(), earlier);
  OpenSlices open(within);
  const std::size_t first = slices.size();
  std::vector<const Mark*> begins; // of the slices from `first` on
  for (const Mark& mark : m_marks) {
    if (mark.isBegin) {
      begins.push_back(&mark);
      open.begin(slices, {mark.time, mark.time, mark.name, -1, mark.order, mark.channel, 0});
      continue;
    }
    const auto channel = mark.hasChannel ? std::optional(mark.channel) : std::nullopt;
    const auto place = open.endNamedOrLast(slices, mark.time, mark.hasName ? std::optional(mark.name) : std::nullopt, channel);
    if (place) slices[*place].details = joinedDetails(assembly, *begins[*place - first], &mark, amend);
  }
  for (const auto& places : {open.places(), open.endedWithin()}) // slices without their own end
    for (const std::size_t place : places)
      slices[place].details = joinedDetails(assembly, *begins[place - first], nullptr, amend);
  const PairCounts counts = open.finish(slices, lastTime);
  if (asyncGroup) groupAsync(slices, first, *asyncGroup);
  m_marks = {};
  m_texts = {};
  return counts;
}

} // namespace reports::exchange
