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

LanePainter::LanePainter(const TimeScale& scale, std::span<const QRgb> palette, const std::set<int>& hidden, QRgb surface,
                         QRgb unknown)
    : m_scale(scale), m_palette(palette), m_hidden(hidden), m_surface(surface), m_unknown(unknown) {}

QRgb LanePainter::colourOf(const Slice& slice) const {
  const QRgb full =
      slice.colour >= 0 && std::size_t(slice.colour) < m_palette.size() ? m_palette[std::size_t(slice.colour)] : m_unknown;
  return slice.share >= 1 ? full : blend(m_surface, full, kFaintest + (1 - kFaintest) * std::max(0.0f, slice.share));
}

void LanePainter::begin(int width) { m_line.assign(std::size_t(width), m_surface); }

void LanePainter::add(std::span<const Slice> slices, bool separate) {
  const int width = int(m_line.size());
  m_widest.assign(m_line.size(), 0);
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
    if (separate && slice.count == 1 && end - columns.begin >= 4 && end == columns.end && m_scale.visible().end > slice.end)
      m_line[std::size_t(end) - 1] = m_surface;
  }
}

void LanePainter::write(QImage& image, int top, int height) const {
  const int first = std::max(top, 0), last = std::min(top + height, image.height());
  for (int y = first; y < last; ++y) std::memcpy(image.scanLine(y), m_line.data(), m_line.size() * sizeof(QRgb));
}

void LanePainter::paint(QImage& image, int top, int height, std::span<const Slice> slices) {
  begin(std::min(image.width(), m_scale.width()));
  add(slices, true);
  write(image, top, height);
}

void LanePainter::paintStacked(QImage& image, int top, int height, std::span<const std::vector<Slice>> lanes) {
  begin(std::min(image.width(), m_scale.width()));
  for (const std::vector<Slice>& lane : lanes) add(lane, false);
  write(image, top, height);
}

} // namespace ui::plot
