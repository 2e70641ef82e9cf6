#include "ui/plot/lane_painter.h"

#include <algorithm>
#include <cstring>

namespace ui::plot {

namespace {
constexpr float kFaintest = 0.35f; // a bucket that is hardly busy is still seen

QRgb blend(QRgb a, QRgb b, float share) {
  const auto channel = [share](int x, int y) { return int(float(x) + float(y - x) * share); };
  return qRgb(channel(qRed(a), qRed(b)), channel(qGreen(a), qGreen(b)), channel(qBlue(a), qBlue(b)));
}
} // namespace

LanePainter::LanePainter(const TimeScale& scale, std::span<const QRgb> palette, const std::set<int>& hidden, QRgb surface, QRgb unknown)
    : m_scale(scale), m_palette(palette), m_hidden(hidden), m_surface(surface), m_unknown(unknown) {}

QRgb LanePainter::colourOf(const Slice& slice) const {
  const QRgb full = slice.colour >= 0 && std::size_t(slice.colour) < m_palette.size() ? m_palette[std::size_t(slice.colour)] : m_unknown;
  return slice.share >= 1 ? full : blend(m_surface, full, kFaintest + (1 - kFaintest) * std::max(0.0f, slice.share));
}

void LanePainter::paint(QImage& image, int top, int height, std::span<const Slice> slices) {
  const int width = std::min(image.width(), m_scale.width());
  m_line.assign(std::size_t(width), m_surface);
  m_widest.assign(std::size_t(width), 0);
  for (const Slice& slice : slices) {
    if (m_hidden.contains(slice.colour)) continue;
    const auto columns = m_scale.columnsOf({slice.begin, slice.end});
    const QRgb colour = colourOf(slice);
    const int64_t duration = slice.end - slice.begin;
    const int end = std::min(columns.end, width);
    for (int x = columns.begin; x < end; ++x) {
      if (duration <= m_widest[std::size_t(x)]) continue;
      m_line[std::size_t(x)] = colour, m_widest[std::size_t(x)] = duration;
    }
    // Neighbours of one colour stay apart where there is room for it.
    if (slice.count == 1 && end - columns.begin >= 4 && end == columns.end && m_scale.visible().end > slice.end)
      m_line[std::size_t(end) - 1] = m_surface;
  }
  const int first = std::max(top, 0), last = std::min(top + height, image.height());
  for (int y = first; y < last; ++y) std::memcpy(image.scanLine(y), m_line.data(), std::size_t(width) * sizeof(QRgb));
}

} // namespace ui::plot
