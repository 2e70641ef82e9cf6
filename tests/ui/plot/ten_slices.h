// A source of slices for tests of the timeline.
#pragma once

#include "ui/plot/slice_source.h"
#include "ui/plot/timeline.h"

#include <memory>

namespace tests {

// Two tracks of ten slices of 100 ticks each.
class TenSlices : public ui::plot::SliceSource {
public:
  reports::TickRange extent() const override { return {0, 1000}; }
  std::vector<ui::plot::Track> tracks() const override { return {{"first", {}, 1, false}, {"second", {}, 2, false}}; }
  std::vector<ui::plot::Slice> slices(int track, int lane, reports::TickRange range, int, int64_t,
                                      std::stop_token) const override {
    std::vector<ui::plot::Slice> list;
    for (int i = 0; i < 10; ++i) {
      ui::plot::Slice s;
      s.begin = i * 100, s.end = s.begin + 90, s.id = track * 100 + lane * 10 + i, s.colour = i % 2, s.label = QString::number(i);
      if (s.end > range.begin && s.begin < range.end) list.push_back(s);
    }
    return list;
  }
  ui::plot::Card card(int, int, const ui::plot::Slice& slice) const override { return {slice.label, {}, {}}; }
  std::vector<QColor> palette(bool) const override { return {Qt::red, Qt::blue}; }
};

// A timeline of these slices. Its gutter is 192 pixels wide, and it is shown.
inline std::unique_ptr<ui::plot::Timeline> tenSlicesTimeline(const ui::theme::Theme& theme) {
  auto timeline = std::make_unique<ui::plot::Timeline>(theme, "Trace", nullptr);
  timeline->resize(1192, 300);
  timeline->setSource(std::make_shared<TenSlices>());
  timeline->show();
  return timeline;
}
// The position in the widget of a tick in the lane with this top (first lane of the first track: 70).
inline QPoint placeOf(const ui::plot::Timeline& t, int64_t tick, int y = 70) { return {192 + int(t.scale().xOf(tick)), y}; }

} // namespace tests
