#include "ui/views/memory/memory_geometry.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace ui::memory {

TileAxis tileAxis(const analyser::Machine& machine, int ipu, Order order) {
  TileAxis axis;
  axis.positionOf.assign(std::size_t(machine.tiles()), -1);
  const auto add = [&](int tile) {
    if (ipu >= 0 && tile / std::max(1, machine.tilesPerIpu) != ipu) return;
    axis.positionOf[std::size_t(tile)] = axis.size();
    axis.tiles.push_back(tile);
  };
  if (order == Order::Ipus) axis.tilesAPosition = std::max(1, machine.tilesPerIpu);
  if (order == Order::Physical)
    for (const reports::TileId tile : analyser::memory::physicalOrder(machine)) add(int(tile.value()));
  else
    for (int tile = 0; tile < machine.tiles(); ++tile) add(tile);
  return axis;
}

std::shared_ptr<const std::vector<int64_t>> valuesAlong(const TileAxis& axis, const std::vector<reports::Bytes>& byTile) {
  auto values = std::make_shared<std::vector<int64_t>>();
  values->assign(std::size_t(axis.size()), 0);
  for (std::size_t i = 0; i < axis.tiles.size(); ++i)
    if (const auto tile = std::size_t(axis.tiles[i]); tile < byTile.size())
      (*values)[i / std::size_t(axis.tilesAPosition)] += byTile[tile].value();
  return values;
}

std::vector<reports::Range<int64_t>> selectionAlong(const TileAxis& axis, std::span<const reports::TileId> tiles) {
  std::vector<int64_t> positions;
  for (const reports::TileId tile : tiles)
    if (tile.value() < axis.positionOf.size() && axis.positionOf[tile.value()] >= 0)
      positions.push_back(axis.positionOf[tile.value()]);
  std::sort(positions.begin(), positions.end());
  std::vector<reports::Range<int64_t>> spans;
  for (const int64_t p : positions) {
    if (!spans.empty() && p <= spans.back().end)
      spans.back().end = std::max(spans.back().end, p + 1);
    else
      spans.push_back({p, p + 1});
  }
  return spans;
}

std::vector<std::pair<int64_t, QString>> ipuMarks(const analyser::Machine& machine, const TileAxis& axis) {
  std::vector<std::pair<int64_t, QString>> marks;
  if (machine.ipus < 2 || axis.tilesAPosition > 1) return marks;
  int last = -1;
  for (int p = 0; p < axis.size(); ++p) {
    const int ipu = axis.tilesAt(p).front() / std::max(1, machine.tilesPerIpu);
    if (ipu != last) marks.emplace_back(p, QStringLiteral("IPU %1").arg(ipu));
    last = ipu;
  }
  return marks.size() > 1 ? marks : decltype(marks){};
}

std::vector<reports::Bytes> sumOfShown(const std::vector<analyser::memory::TileSeries>& parts, const std::vector<bool>& shown) {
  std::vector<reports::Bytes> sum;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (p < shown.size() && !shown[p]) continue;
    sum.resize(std::max(sum.size(), parts[p].values.size()));
    for (std::size_t tile = 0; tile < parts[p].values.size(); ++tile) sum[tile] += parts[p].values[tile];
  }
  if (!parts.empty()) sum.resize(std::max(sum.size(), parts.front().values.size()));
  return sum;
}

std::vector<Percentiles> percentiles(std::span<const int64_t> along, std::span<const double> shares,
                                     std::vector<int64_t> starts) {
  const auto end = int64_t(along.size());
  if (starts.empty() || starts.front() != 0) starts.insert(starts.begin(), 0);
  std::vector<Percentiles> groups;
  for (std::size_t g = 0; g < starts.size(); ++g) {
    const int64_t first = std::min(starts[g], end), next = g + 1 < starts.size() ? std::min(starts[g + 1], end) : end;
    std::vector<int64_t> values(along.begin() + first, along.begin() + next);
    std::sort(values.begin(), values.end());
    Percentiles group{{first, next}, {}};
    for (const double share : shares) {
      const auto at = std::size_t(std::ceil(share * double(values.size())));
      group.at.emplace_back(values.empty() ? 0 : values[std::clamp<std::size_t>(at, 1, values.size()) - 1]);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<analyser::memory::TileSeries> foldSmallParts(std::vector<analyser::memory::TileSeries> parts, std::size_t most) {
  if (parts.size() <= most + 1) return parts; // a single remaining part keeps its name
  std::vector<reports::Bytes> sizes;
  for (const auto& part : parts) sizes.push_back(part.sum);
  std::nth_element(sizes.begin(), sizes.begin() + std::ptrdiff_t(most), sizes.end(), std::greater<>());
  const reports::Bytes least = sizes[most];
  std::vector<analyser::memory::TileSeries> kept;
  analyser::memory::TileSeries rest;
  int64_t folded = 0;
  for (auto& part : parts) {
    if (part.sum > least && kept.size() < most) {
      kept.push_back(std::move(part));
      continue;
    }
    ++folded;
    rest.sum += part.sum;
    rest.values.resize(std::max(rest.values.size(), part.values.size()));
    for (std::size_t tile = 0; tile < part.values.size(); ++tile) rest.values[tile] += part.values[tile];
  }
  for (std::size_t tile = 0; tile < rest.values.size(); ++tile)
    if (rest.values[tile] > rest.max) rest.max = rest.values[tile], rest.maxTile = reports::TileId(tile);
  rest.title = std::to_string(folded) + " smaller categories";
  kept.push_back(std::move(rest));
  return kept;
}

reports::Range<int64_t> stripExtent(const analyser::memory::TileLayout& layout) {
  int64_t end = std::max<int64_t>(1, layout.capacity.value());
  for (const auto& v : layout.variables)
    if (!v.isGap) end = std::max(end, (v.address + v.size).value());
  return {0, end};
}

int64_t addressStep(reports::Range<int64_t> addresses, double width, double spacing) {
  int64_t step = 1;
  while (double(step) / double(std::max<int64_t>(1, addresses.size())) * width < spacing && step < (int64_t(1) << 60)) step *= 2;
  return step;
}

Strip layoutStrip(const analyser::memory::TileLayout& layout, reports::Range<int64_t> addresses, double width, int mostLanes) {
  Strip strip;
  strip.addresses = addresses;
  const double scale = width / double(std::max<int64_t>(1, addresses.size()));
  std::vector<int64_t> free; // by lane: the first address after its last piece
  int64_t reach = INT64_MIN; // the end of the group so far
  std::size_t stretch = 0;   // its first piece
  const auto close = [&] {
    for (; stretch < strip.pieces.size(); ++stretch) strip.pieces[stretch].lanes = std::max<int>(1, int(free.size()));
  };
  for (std::size_t i = 0; i < layout.variables.size(); ++i) {
    const auto& v = layout.variables[i];
    const int64_t begin = v.address.value(), end = begin + std::max<int64_t>(1, v.size.value());
    if (v.isGap || end <= addresses.begin || begin >= addresses.end) continue;
    if (begin >= reach) close(), free.clear();
    reach = std::max(reach, end);
    std::size_t lane = 0;
    while (lane < free.size() && free[lane] > begin) ++lane;
    if (lane == free.size() && int(lane) < mostLanes) free.push_back(0);
    lane = std::min(lane, free.size() - 1);
    free[lane] = std::max(free[lane], end);
    const double left = double(begin - addresses.begin) * scale;
    strip.pieces.push_back({int(i), left, std::max(left + 1, double(end - addresses.begin) * scale), int(lane), 1});
  }
  close();
  return strip;
}

} // namespace ui::memory
