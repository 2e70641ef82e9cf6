// Paints the rows and slices of a timeline. Cells go into an image by scan line; texts and the minimap are kept from frame to
// frame, because text takes most of a frame's time.
#pragma once

#include "ui/plot/shaped_words.h"
#include "ui/plot/timeline_selection.h"

#include <QImage>

namespace ui::plot {

class TimelinePainter {
public:
  // An arrow between two lanes and times: a slice that the selected one waited for or started.
  struct Arrow {
    int fromTrack = 0, fromLane = 0, toTrack = 0, toLane = 0;
    int64_t fromTick = 0, toTick = 0;
  };

  TimelinePainter(const theme::Theme& theme, const TimelineRows& rows, const TimelineSlices& slices,
                  const TimelineSelection& selection)
      : m_theme(theme), m_rows(rows), m_slices(slices), m_selection(selection) {}

  void setArrows(std::vector<Arrow> arrows) { m_arrows = std::move(arrows); }
  void forgetSource() { m_palette.clear(), m_minimapOf = {}; }
  void paintBody(QPainter& painter, const TimeScene& scene);
  void paintGutter(QPainter& painter, const QRect& area, const TimeScene& scene);
  void paintMinimap(QPainter& painter, const QRect& area, const TimeScene& scene);
  // Paints the dragged title paler, and a line in the gap where it would land.
  void paintLanding(QPainter& painter, const QRect& area, const TimeScene& scene, int track, int gap) const;

private:
  struct MinimapOf { // the inputs of a minimap
    std::shared_ptr<const TimelineSlices::Overview> overview;
    std::set<int> hidden;
    std::vector<QRgb> palette;
    QRgb surface = 0;
    QSize pixels;
    reports::TickRange extent;
    bool operator==(const MinimapOf&) const = default;
  };
  void paintLanes(QPainter& painter, const TimeScene& scene);
  // The lanes as rectangles, for an image that keeps shapes. False if there are too many; nothing is painted then.
  bool paintShapes(QPainter& painter, const TimeScene& scene) const;
  void paintLabels(QPainter& painter, const TimeScene& scene);
  void paintSelection(QPainter& painter, const TimeScene& scene) const;
  void paintArrows(QPainter& painter, const TimeScene& scene) const;
  void paintTitle(QPainter& painter, const Track& track, const QRect& line, bool folded);
  QImage minimapOf(const MinimapOf& what) const;
  static QString shortLabel(const QFontMetrics& metrics, const QString& label, int width);

  const theme::Theme& m_theme;
  const TimelineRows& m_rows;
  const TimelineSlices& m_slices;
  const TimelineSelection& m_selection;
  std::vector<Arrow> m_arrows;
  std::vector<QRgb> m_palette;
  bool m_paletteDark = false;
  ShapedWords m_labels{&TimelinePainter::shortLabel}, m_titles, m_headings;
  QImage m_lane; // the lane that is being painted
  QImage m_minimap;
  MinimapOf m_minimapOf;
};

} // namespace ui::plot
