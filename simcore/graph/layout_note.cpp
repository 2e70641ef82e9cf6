#include "simcore/graph/layout_note.h"

#include "simcore/graph/distribution.h"

#include <algorithm>

namespace simcore::graph {

namespace {

// The name of dimension d. Grids of convolutions are [batch, channels, rows, columns], those of products [1, columns, rows, 1].
std::string dimensionName(const Shape& shape, std::size_t d) {
  static constexpr const char *kMatrix[] = {"rows", "columns"}, *kMatrices[] = {"batch", "rows", "columns"},
                              *kImages[] = {"batch", "channels", "rows", "columns"};
  switch (shape.size()) {
  case 1: return "elements";
  case 2: return kMatrix[d];
  case 3: return kMatrices[d];
  case 4: return shape[0] == 1 && shape[3] == 1 && d == 1 ? "columns" : kImages[d];
  default: return "dimension " + std::to_string(d + 1);
  }
}

} // namespace

std::string cutText(const Shape& shape, std::span<const int64_t> parts) {
  std::string text;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (parts[d] > 1) text += (text.empty() ? "" : ", ") + dimensionName(shape, d) + " in " + std::to_string(parts[d]);
  return text.empty() ? "whole" : text;
}

LayoutNote noteOf(const Distribution& given) {
  const Distribution& layout = given.grid() ? *given.grid() : given;
  if (given.laidFor()) return {"slices of a product", std::min(given.cells(), given.tiles().size())};
  if (layout.isEstimate() || given.isEstimate()) return {"", std::min(given.cells(), given.tiles().size())};
  return {cutText(layout.shape(), layout.splits()), std::min(layout.cells(), layout.tiles().size())};
}

LayoutNote noteOf(const Shape& shape, std::span<const Box> boxes) {
  LayoutNote note;
  std::vector<int64_t> parts, begins;
  for (const Box& box : boxes) note.tiles += box.volume() > 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    begins.clear();
    for (const Box& box : boxes)
      if (box.volume() > 0 && (begins.empty() || begins.back() != box.dims[d].begin)) begins.push_back(box.dims[d].begin);
    std::sort(begins.begin(), begins.end());
    parts.push_back(std::unique(begins.begin(), begins.end()) - begins.begin());
  }
  note.cut = cutText(shape, parts);
  return note;
}

LayoutNote noteOf(const PerTile& wanted, int64_t all) {
  const auto takesAll = [&](const PerTile::Run& run) { return run.value >= all; };
  return {std::all_of(wanted.runs().begin(), wanted.runs().end(), takesAll) ? "whole" : "", wanted.activeTiles()};
}

} // namespace simcore::graph
