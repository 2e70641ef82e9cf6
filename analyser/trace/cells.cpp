#include "analyser/trace/cells.h"

namespace analyser::trace {

void CellMerger::add(const Slice& s) {
  const auto column = static_cast<int64_t>(double(s.ticks.begin - m_begin) / m_pixel);
  const bool narrow = double(s.duration()) < m_pixel;
  if (m_open.slices && (!narrow || column != m_openColumn)) flush();
  if (!m_open.slices) {
    m_open.ticks = s.ticks;
    m_open.exact = true;
    m_open.category = s.category;
    m_open.name = s.name;
    m_open.ref = s.ref;
    m_open.widest = s.duration();
    m_openColumn = column;
  } else {
    m_open.exact = false;
    m_open.ref = -1;
    m_open.ticks.end = s.ticks.end;
    if (s.duration() > m_open.widest) {
      m_open.widest = s.duration();
      m_open.name = s.name;
    }
  }
  ++m_open.slices;
  m_open.busy += s.duration();
  const auto it = std::find_if(m_openBusy.begin(), m_openBusy.end(), [&](const auto& b) { return b.first == s.category; });
  if (it == m_openBusy.end())
    m_openBusy.emplace_back(s.category, s.duration());
  else
    it->second += s.duration();
  if (!narrow) flush();
}

void CellMerger::flush() {
  const auto most =
      std::max_element(m_openBusy.begin(), m_openBusy.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != m_openBusy.end()) m_open.category = most->first;
  m_cells.push_back(m_open);
  m_open = Cell();
  m_openBusy.clear();
}

std::vector<Cell> CellMerger::take() {
  if (m_open.slices) flush();
  return std::move(m_cells);
}

std::vector<Cell> bucketCells(const reports::SliceLevel& level, TickRange range) {
  std::vector<Cell> cells;
  bool lastInside = false; // the last cell is only a part of a long slice
  auto it = std::partition_point(level.buckets.begin(), level.buckets.end(),
                                 [&](const reports::SliceBucket& b) { return level.ticks(b).end <= range.begin; });
  for (; it != level.buckets.end() && level.ticks(*it).begin < range.end; ++it) {
    Cell c;
    c.ticks = level.ticks(*it);
    c.slices = it->slices;
    c.widest = it->widestTicks;
    c.name = StringId(it->widestName);
    int64_t most = -1;
    for (const auto& share : level.sharesOf(*it)) {
      c.busy += share.busyTicks;
      if (share.busyTicks <= most) continue;
      most = share.busyTicks;
      c.category = share.category;
    }
    const bool inside = c.slices == 0 && c.busy == c.ticks.size() && it->shareCount == 1;
    Cell* last = cells.empty() ? nullptr : &cells.back();
    if (inside && lastInside && last->ticks.end == c.ticks.begin && last->name == c.name && last->widest == c.widest &&
        last->category == c.category) {
      last->ticks.end = c.ticks.end;
      last->busy += c.busy;
      continue;
    }
    lastInside = inside;
    cells.push_back(c);
  }
  return cells;
}

} // namespace analyser::trace
