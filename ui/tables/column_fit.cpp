#include "ui/tables/column_fit.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace ui::tables {

namespace {

constexpr int kBarWeight = 3;
constexpr int kNameTenths = 24;                          // the name may be 2.4 times as wide as other texts
constexpr int kReadableName = 360, kReadableWords = 160; // pixels; below these, optional columns are dropped

// Adds the slack to the widths, in proportion to the natural widths; a bar counts kBarWeight times.
void spread(const std::vector<ColumnNeed>& needs, std::vector<int>& widths, int slack) {
  int64_t weights = 0;
  for (const ColumnNeed& need : needs) weights += int64_t(need.natural) * (need.isBar ? kBarWeight : 1);
  int64_t seen = 0, given = 0; // running sums, so that rounding loses no pixel
  for (std::size_t c = 0; c < needs.size(); ++c) {
    seen += int64_t(needs[c].natural) * (needs[c].isBar ? kBarWeight : 1);
    const int64_t upTo = weights > 0 ? slack * seen / weights : 0;
    widths[c] += int(upTo - given);
    given = upTo;
  }
}

// Texts shrink to the common width `level`, the widest first; the name shrinks to 2.4 times that. No text gets narrower than its
// least width.
int atLevel(const ColumnNeed& need, int level) {
  return std::clamp(need.isName ? level * kNameTenths / 10 : level, std::min(need.least, need.natural), need.natural);
}

// Bars shrink before texts: a shorter bar still shows the same share, half a word cannot be read.
void shortenBars(std::vector<ColumnNeed>& needs, int over) {
  for (ColumnNeed& need : needs) {
    if (!need.isBar || over <= 0) continue;
    const int given = std::min(over, need.natural - std::min(need.least, need.natural));
    need.natural -= given, over -= given;
  }
  for (ColumnNeed& need : needs)
    if (need.isBar) need.least = need.natural;
}

int readable(const ColumnNeed& need) {
  return need.isBar ? need.least : std::min(need.natural, std::max(need.least, need.isName ? kReadableName : kReadableWords));
}

// Drops optional columns, the last one first, until the others have a readable width.
void leaveOut(std::vector<ColumnNeed>& needs, int room) {
  int over = -room;
  for (const ColumnNeed& need : needs) over += readable(need);
  for (auto need = needs.rbegin(); need != needs.rend() && over > 0; ++need)
    if (need->isOptional) {
      over -= readable(*need);
      need->natural = need->least = 0;
    }
}

} // namespace

std::vector<int> fittedWidths(const std::vector<ColumnNeed>& columns, int room) {
  std::vector<ColumnNeed> asked = columns;
  leaveOut(asked, room);
  shortenBars(asked,
              std::accumulate(asked.begin(), asked.end(), -room, [](int sum, const ColumnNeed& n) { return sum + n.natural; }));
  std::vector<ColumnNeed> needs = asked;
  for (ColumnNeed& need : needs)
    if (need.isFirm) need.least = need.natural;
  if (std::accumulate(needs.begin(), needs.end(), 0, [](int sum, const ColumnNeed& n) { return sum + n.least; }) > room)
    needs = asked;
  std::vector<int> widths;
  for (const ColumnNeed& need : needs) widths.push_back(need.natural);
  const int wanted = std::accumulate(widths.begin(), widths.end(), 0);
  if (wanted <= room) {
    spread(needs, widths, room - wanted);
    return widths;
  }
  const auto sumAt = [&](int level) {
    int sum = 0;
    for (const ColumnNeed& need : needs) sum += atLevel(need, level);
    return sum;
  };
  int low = 0, high = room;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (sumAt(middle) <= room ? low : high) = middle;
  }
  for (std::size_t c = 0; c < needs.size(); ++c) widths[c] = atLevel(needs[c], low);
  const int left = room - std::accumulate(widths.begin(), widths.end(), 0);
  // The remaining pixels of the rounding go to the first column that can use all of them.
  for (std::size_t c = 0; c < needs.size() && left > 0; ++c)
    if (widths[c] + left <= needs[c].natural) {
      widths[c] += left;
      break;
    }
  return widths;
}

} // namespace ui::tables
