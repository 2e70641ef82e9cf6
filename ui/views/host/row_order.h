// The order of the host's rows: by activity, by hand, with pinned or hidden threads. A device always stays below the thread that
// runs it, and a thread in its process.
#pragma once

#include "ui/views/host/host_source.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ui::host {

// Pinned rows come first, without headings.
struct RowOrder {
  bool byActivity = false;            // processes and threads with most slices first
  std::set<uint32_t> pinned, hidden;  // track ids
  std::vector<int64_t> processes;     // by hand: process ids from the top; others follow
  std::vector<uint32_t> threads;      // by hand: track ids, within their process
  std::map<int64_t, int64_t> offsets; // nanoseconds by process id, shown beside its heading
};
std::vector<HostEntry> orderedEntries(const std::vector<HostEntry>& entries, const RowOrder& order);

// Moves a thread, or its process, one position up (-1) or down (1). False at the end of the list, and for a pinned or hidden thread.
bool moveThread(const std::vector<HostEntry>& entries, RowOrder& order, uint32_t track, int by);
bool moveProcessOf(const std::vector<HostEntry>& entries, RowOrder& order, uint32_t track, int by);

// For a dragged row: gap 0 is above the first of the shown rows, gap 1 below it. A heading moves with its process. Returns the
// gap where it would land, the nearest one that keeps rows together; -1: the row cannot be moved.
int landingGap(const std::vector<HostEntry>& shown, int row, int gap);
// Moves a row into a gap from landingGap(). `shown` is the result of orderedEntries.
void moveRow(const std::vector<HostEntry>& shown, RowOrder& order, int row, int gap);

} // namespace ui::host
