#include "ui/plot/lane_painter.h"

#include <algorithm>
#include <cstring>

namespace ui::plot {

namespace {
constexpr float kFaintest = 0.35f; // a bucket that is hardly busy is still visible

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

// The share of a column that the slice covers, multiplied by `share`, the slice's busy share.
float LanePainter::partOf(const Place& place, int column, float share) {
  return float(std::min(place.end, column + 1.0) - std::max(place.begin, double(column))) * share;
}

// Gives every column to the slice that fills most of it; if two fill it equally, to the later one.
void LanePainter::share(std::span<const Slice> slices) {
  const int width = int(m_line.size());
  const double perTick = 1 / m_scale.ticksPerPixel();
  const reports::TickRange visible = m_scale.visible();
  m_owner.assign(m_line.size(), -1), m_part.assign(m_line.size(), 0), m_places.assign(slices.size(), {});
  for (int i = 0; i < int(slices.size()); ++i) {
    const Slice& slice = slices[std::size_t(i)];
    if (m_hidden.contains(slice.colour)) continue;
    Place& place = m_places[std::size_t(i)];
    place.columns = m_scale.columnsOf({slice.begin, slice.end});
    place.columns.end = std::min(place.columns.end, width);
    const auto inside = reports::TickRange{slice.begin, slice.end}.clippedTo(visible); // a damaged slice may begin at any tick
    place.begin = double(inside.begin - visible.begin) * perTick, place.end = double(inside.end - visible.begin) * perTick;
    for (int x = place.columns.begin; x < place.columns.end; ++x) {
      const float part = partOf(place, x, slice.share);
      int& owner = m_owner[std::size_t(x)];
      if (owner >= 0 && part < m_part[std::size_t(x)]) continue;
      if (owner >= 0) --m_places[std::size_t(owner)].shown;
      owner = i, m_part[std::size_t(x)] = part, ++place.shown;
    }
  }
}

// A slice without a column takes the column that it covers most, from a slice that keeps at least two others.
void LanePainter::rescue(std::span<const Slice> slices) {
  constexpr int kKeeps = 2;
  for (int i = 0; i < int(slices.size()); ++i) {
    Place& place = m_places[std::size_t(i)];
    if (place.shown > 0) continue;
    int best = -1;
    float most = -1;
    for (int x = place.columns.begin; x < place.columns.end; ++x) {
      if (m_places[std::size_t(m_owner[std::size_t(x)])].shown <= kKeeps) continue;
      if (const float part = partOf(place, x, slices[std::size_t(i)].share); part > most) best = x, most = part;
    }
    if (best < 0) continue;
    --m_places[std::size_t(m_owner[std::size_t(best)])].shown;
    m_owner[std::size_t(best)] = i, ++place.shown;
  }
}

void LanePainter::add(std::span<const Slice> slices, bool separate) {
  share(slices);
  rescue(slices);
  const int width = int(m_line.size());
  for (int x = 0, last = -1; x < width; last = m_owner[std::size_t(x)], ++x) {
    const int owner = m_owner[std::size_t(x)];
    if (owner < 0) continue;
    m_line[std::size_t(x)] = owner == last ? m_line[std::size_t(x) - 1] : colourOf(slices[std::size_t(owner)]);
  }
  if (!separate) return;
  // Neighbours of one colour are separated if there is room.
  for (int x = 0; x + 1 < width; ++x) {
    const int owner = m_owner[std::size_t(x)];
    if (owner < 0 || owner == m_owner[std::size_t(x) + 1]) continue;
    const Slice& slice = slices[std::size_t(owner)];
    if (slice.count == 1 && m_places[std::size_t(owner)].shown >= 4) m_line[std::size_t(x)] = m_surface;
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

std::vector<LanePainter::Run> LanePainter::runsOfLine() const {
  std::vector<Run> runs;
  for (int x = 0; x < int(m_line.size()); ++x) {
    const QRgb colour = m_line[std::size_t(x)];
    if (!runs.empty() && runs.back().end == x && runs.back().colour == colour)
      ++runs.back().end;
    else if (colour != m_surface)
      runs.push_back({x, x + 1, colour});
  }
  return runs;
}

std::vector<LanePainter::Run> LanePainter::runs(std::span<const Slice> slices) {
  begin(m_scale.width());
  add(slices, true);
  return runsOfLine();
}

std::vector<LanePainter::Run> LanePainter::stackedRuns(std::span<const std::vector<Slice>> lanes) {
  begin(m_scale.width());
  for (const std::vector<Slice>& lane : lanes) add(lane, false);
  return runsOfLine();
}

void LanePainter::paintStacked(QImage& image, int top, int height, std::span<const std::vector<Slice>> lanes) {
  begin(std::min(image.width(), m_scale.width()));
  for (const std::vector<Slice>& lane : lanes) add(lane, false);
  write(image, top, height);
}

} // namespace ui::plot
