// Writes slices into an image by scan line. No slice is lost: a slice of less than a pixel still paints its column. A column
// shows the slice that fills most of it. A slice that has no such column takes one from a neighbour that keeps two others, so
// that a single cycle between long slices is visible. A slice that stands for several has a colour as strong as its busy share.
#pragma once

#include "ui/plot/slice_source.h"
#include "ui/plot/time_scale.h"

#include <QImage>

#include <set>
#include <span>
#include <vector>

namespace ui::plot {

class LanePainter {
public:
  LanePainter(const TimeScale& scale, std::span<const QRgb> palette, const std::set<int>& hidden, QRgb surface, QRgb unknown);
  // Paints one lane at [top, top + height) of an RGB32 image as wide as the scale.
  void paint(QImage& image, int top, int height, std::span<const Slice> slices);

  // Like paint(), for several lanes in one strip: a deeper lane covers a shallower one, so that the strip shows the innermost
  // slices and not their scopes.
  void paintStacked(QImage& image, int top, int height, std::span<const std::vector<Slice>> lanes);

  // A stretch of one colour in a lane; the background is left out.
  struct Run {
    int begin = 0, end = 0; // columns
    QRgb colour = 0;
  };
  std::vector<Run> runs(std::span<const Slice> slices);
  std::vector<Run> stackedRuns(std::span<const std::vector<Slice>> lanes);

private:
  std::vector<Run> runsOfLine() const;
  void begin(int width);
  void add(std::span<const Slice> slices, bool separate);
  void share(std::span<const Slice> slices);
  void rescue(std::span<const Slice> slices);
  struct Place {
    reports::Range<int> columns; // that the slice touches
    double begin = 0, end = 0;   // in columns
    int shown = 0;               // columns that show it
  };
  static float partOf(const Place& place, int column, float share);
  void write(QImage& image, int top, int height) const;
  QRgb colourOf(const Slice& slice) const;
  TimeScale m_scale;
  std::span<const QRgb> m_palette;
  const std::set<int>& m_hidden;
  QRgb m_surface, m_unknown;
  std::vector<QRgb> m_line;
  std::vector<int> m_owner;    // by column: the slice it shows; -1: no slice of this lane
  std::vector<float> m_part;   // by column: the share that its slice covers
  std::vector<Place> m_places; // by slice
};

} // namespace ui::plot
