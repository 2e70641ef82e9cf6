#include "ui/views/host/row_order.h"

#include "reports/core/range.h"
#include "ui/theme/format.h"

#include <algorithm>
#include <cstdlib>

namespace ui::host {

namespace {

// A process and its rows.
struct RowGroup {
  HostEntry heading;
  std::vector<HostEntry> rows;
  int64_t slices = 0;

  int64_t process() const { return rows.empty() ? heading.processId : rows.front().processId; }
};

struct OrderedRows {
  std::vector<HostEntry> pinned;
  std::vector<RowGroup> groups;
};

// The position of an item in an order made by hand. Items that are not in the order come last.
template<class Id> std::size_t placeIn(const std::vector<Id>& order, Id id) {
  return std::size_t(std::find(order.begin(), order.end(), id) - order.begin());
}

// A thread and the device rows below it.
std::vector<std::vector<HostEntry>> unitsOf(const std::vector<HostEntry>& rows) {
  std::vector<std::vector<HostEntry>> units;
  for (const HostEntry& row : rows) {
    if (units.empty() || !row.isDevice) units.emplace_back();
    units.back().push_back(row);
  }
  return units;
}

OrderedRows orderedGroups(const std::vector<HostEntry>& entries, const RowOrder& order) {
  std::vector<HostEntry> pinned;
  std::vector<RowGroup> groups;
  for (const HostEntry& e : entries) {
    if (e.entry.track.heading) {
      groups.push_back({e, {}, 0});
      const auto moved = order.offsets.find(e.processId);
      if (moved == order.offsets.end() || moved->second == 0) continue;
      const QString by = theme::Format().nanoseconds(reports::Nanoseconds(std::abs(moved->second)));
      groups.back().heading.entry.track.detail = (moved->second < 0 ? QStringLiteral("−") : QStringLiteral("+")) + by;
      continue;
    }
    if (order.hidden.contains(e.entry.id.value())) continue;
    if (order.pinned.contains(e.entry.id.value())) {
      pinned.push_back(e);
      continue;
    }
    if (groups.empty()) groups.emplace_back();
    groups.back().rows.push_back(e);
    groups.back().slices += e.slices;
  }
  // Processes with only instants come last: they would fill the first screen with very little.
  std::stable_partition(groups.begin(), groups.end(), [](const RowGroup& g) { return g.slices > 0; });
  if (order.byActivity) {
    std::stable_sort(groups.begin(), groups.end(), [](const RowGroup& a, const RowGroup& b) { return a.slices > b.slices; });
    for (RowGroup& g : groups)
      std::stable_sort(g.rows.begin(), g.rows.end(), [](const HostEntry& a, const HostEntry& b) { return a.slices > b.slices; });
  }
  if (!order.processes.empty())
    std::stable_sort(groups.begin(), groups.end(), [&](const RowGroup& a, const RowGroup& b) {
      return placeIn(order.processes, a.process()) < placeIn(order.processes, b.process());
    });
  for (RowGroup& g : groups) {
    if (order.threads.empty()) break;
    auto units = unitsOf(g.rows);
    std::stable_sort(units.begin(), units.end(), [&](const auto& a, const auto& b) {
      return placeIn(order.threads, a.front().entry.id.value()) < placeIn(order.threads, b.front().entry.id.value());
    });
    g.rows.clear();
    for (const auto& unit : units) g.rows.insert(g.rows.end(), unit.begin(), unit.end());
  }
  std::erase_if(groups, [](const RowGroup& g) { return g.rows.empty(); });
  return {std::move(pinned), std::move(groups)};
}

// Stores the displayed order as the order made by hand.
void keepShown(const std::vector<HostEntry>& shown, RowOrder& order) {
  order.processes.clear(), order.threads.clear();
  for (const HostEntry& row : shown) {
    if (row.entry.track.heading)
      order.processes.push_back(row.processId);
    else if (!row.isDevice && !order.pinned.contains(row.entry.id.value()))
      order.threads.push_back(row.entry.id.value());
  }
}

bool isHeading(const std::vector<HostEntry>& rows, int row) { return rows[std::size_t(row)].entry.track.heading; }

// The rows that move together with a row: a process with its threads, or a thread with its device. Empty: none.
reports::Range<int> movedRows(const std::vector<HostEntry>& shown, int row) {
  if (row < 0 || row >= int(shown.size())) return {0, 0};
  const int count = int(shown.size());
  int begin = row, end = row + 1;
  if (isHeading(shown, row)) {
    while (end < count && !isHeading(shown, end)) ++end;
    return {begin, end};
  }
  while (begin > 0 && shown[std::size_t(begin)].isDevice) --begin;
  while (end < count && shown[std::size_t(end)].isDevice) ++end;
  return {begin, end};
}

int rowOf(const std::vector<HostEntry>& shown, uint32_t track) {
  const auto found = std::find_if(shown.begin(), shown.end(), [&](const HostEntry& row) {
    return !row.entry.track.heading && !row.isDevice && row.entry.id.value() == track;
  });
  return found == shown.end() ? -1 : int(found - shown.begin());
}

int headingAbove(const std::vector<HostEntry>& shown, int row) {
  while (row >= 0 && !isHeading(shown, row)) --row;
  return row;
}

// Moves a row over the adjacent group of rows above or below it.
bool moveOver(const std::vector<HostEntry>& shown, RowOrder& order, int row, int by) {
  const reports::Range<int> own = movedRows(shown, row);
  if (own.empty()) return false;
  const reports::Range<int> next = movedRows(shown, by < 0 ? own.begin - 1 : own.end);
  const int gap = by >= 0 ? next.end : isHeading(shown, row) ? headingAbove(shown, own.begin - 1) : next.begin;
  if (next.empty() || gap < 0 || landingGap(shown, row, gap) != gap || (gap >= own.begin && gap <= own.end)) return false;
  moveRow(shown, order, row, gap);
  return true;
}

} // namespace

int landingGap(const std::vector<HostEntry>& shown, int row, int gap) {
  const reports::Range<int> own = movedRows(shown, row);
  const int heading = own.empty() ? -1 : headingAbove(shown, own.begin);
  if (heading < 0) return -1; // pinned rows stay in their order
  const int count = int(shown.size());
  if (isHeading(shown, row)) {
    int above = std::clamp(gap, 0, count);
    if (above < count) above = headingAbove(shown, above);
    const int below = above < 0 || above == count ? above : movedRows(shown, above).end;
    if (above >= 0) return gap - above <= below - gap ? above : below;
    int first = 0; // the rows above are pinned
    while (!isHeading(shown, first)) ++first;
    return first;
  }
  const reports::Range<int> process = movedRows(shown, heading);
  gap = std::clamp(gap, process.begin + 1, process.end);
  while (gap < process.end && shown[std::size_t(gap)].isDevice) ++gap;
  return gap;
}

void moveRow(const std::vector<HostEntry>& shown, RowOrder& order, int row, int gap) {
  const reports::Range<int> own = movedRows(shown, row);
  auto rows = shown;
  const auto at = [&](int place) { return rows.begin() + place; };
  if (gap < own.begin)
    std::rotate(at(gap), at(own.begin), at(own.end));
  else if (gap > own.end)
    std::rotate(at(own.begin), at(own.end), at(gap));
  keepShown(rows, order);
}

bool moveThread(const std::vector<HostEntry>& entries, RowOrder& order, uint32_t track, int by) {
  const auto shown = orderedEntries(entries, order);
  return moveOver(shown, order, rowOf(shown, track), by);
}

bool moveProcessOf(const std::vector<HostEntry>& entries, RowOrder& order, uint32_t track, int by) {
  const auto shown = orderedEntries(entries, order);
  return moveOver(shown, order, headingAbove(shown, rowOf(shown, track)), by);
}

std::vector<HostEntry> orderedEntries(const std::vector<HostEntry>& entries, const RowOrder& order) {
  auto [all, groups] = orderedGroups(entries, order);
  for (RowGroup& g : groups) {
    if (g.heading.entry.track.heading) all.push_back(g.heading);
    all.insert(all.end(), g.rows.begin(), g.rows.end());
  }
  return all;
}

} // namespace ui::host
