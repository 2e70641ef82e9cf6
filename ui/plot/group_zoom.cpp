#include "ui/plot/group_zoom.h"

#include "ui/plot/step_plot.h"

#include <algorithm>

namespace ui::plot {

reports::Range<int64_t> groupsInUse(const std::vector<const std::vector<int64_t>*>& curves, int64_t first, int64_t groupSize) {
  int64_t count = 0, from = -1, to = -1;
  for (const auto* values : curves) {
    count = std::max(count, int64_t(values->size()));
    const auto isUsed = [](int64_t value) { return value != 0; };
    const auto begin = std::find_if(values->begin(), values->end(), isUsed);
    if (begin == values->end()) continue;
    const auto last = std::find_if(values->rbegin(), values->rend(), isUsed);
    const int64_t at = begin - values->begin(), end = values->rend() - last;
    from = from < 0 ? at : std::min(from, at), to = std::max(to, end);
  }
  if (from < 0 || groupSize <= 0) return {0, count};
  const int64_t begin = (first + from) / groupSize * groupSize - first;
  const int64_t end = (first + to + groupSize - 1) / groupSize * groupSize - first;
  return reports::Range<int64_t>{begin, end}.clippedTo({0, count});
}

void showGroupsInUse(StepPlot& plot, const std::vector<const std::vector<int64_t>*>& curves, int64_t first, int64_t groupSize) {
  if (groupSize <= 0 || plot.scene().series.count() <= groupSize) return; // a single group keeps the zoom that the user chose
  plot.setVisible(groupsInUse(curves, first, groupSize));
}

std::vector<std::pair<int64_t, QString>> ipuMarks(int64_t firstTile, int64_t tiles, int tilesPerIpu) {
  std::vector<std::pair<int64_t, QString>> marks;
  if (tilesPerIpu <= 0 || tiles <= tilesPerIpu) return marks;
  for (int64_t at = 0; at < tiles; at += tilesPerIpu - (firstTile + at) % tilesPerIpu)
    marks.emplace_back(at, QObject::tr("IPU %1").arg((firstTile + at) / tilesPerIpu));
  return marks;
}

} // namespace ui::plot
