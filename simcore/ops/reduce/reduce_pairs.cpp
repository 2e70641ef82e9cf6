#include "simcore/ops/reduce/reduce_pairs.h"

#include "simcore/graph/pair_memory.h"
#include "simcore/graph/row_boxes.h"

#include <algorithm>

namespace simcore::ops {

using graph::Box;
using graph::Distribution;
using graph::PlannedPairs;
using graph::Shape;
using reports::Range;

PartialPlaces::PartialPlaces(const Distribution& layout, const Shape& shape, const std::vector<std::size_t>& axes)
    : m_source(layout) {
  bool isLeading = true, isTrailing = true; // the axes come first, or last
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool isReduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (isReduced && shape[d] > 1 && m_outputs > 1) isLeading = false;
    if (!isReduced && shape[d] > 1 && m_partials > 1) isTrailing = false;
    (isReduced ? m_reducedDims : m_keptDims).push_back(d);
    (isReduced ? m_partials : m_outputs) *= shape[d];
  }
  m_isGrid = layout.shape() == shape && shape.size() > 1;
  if (m_isGrid) {
    Shape extents = shape;
    std::vector<int64_t> grains;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const bool isReduced = std::find(axes.begin(), axes.end(), d) != axes.end();
      if (isReduced) extents[d] = layout.splits()[d];
      grains.push_back(isReduced ? 1 : layout.part(d));
      (isReduced ? m_reduced : m_kept).push_back(extents[d]);
    }
    m_source = Distribution(extents, layout.splits(), grains, layout.firstTile(), layout.tiles());
    m_isKnown = m_source.cells() == layout.cells() && layout.isCertain();
    m_apart.resize(shape.size());
    int64_t apart = 1;
    for (std::size_t d = shape.size(); d-- > 0; apart *= m_source.splits()[d]) m_apart[d] = apart;
    m_reducedCells.resize(std::size_t(numerics::elementCount(m_reduced)));
    for (std::size_t p = 0; p < m_reducedCells.size(); ++p) {
      auto rest = int64_t(p);
      for (std::size_t i = m_reducedDims.size(); i-- > 0; rest /= m_reduced[i])
        m_reducedCells[p] += rest % m_reduced[i] * m_apart[m_reducedDims[i]];
    }
    return;
  }
  m_outputsInnermost = !isTrailing;
  m_isKnown = layout.shape().size() == 1 && (isLeading || isTrailing) && layout.isCertain() && graph::liesInRows(layout);
}

// Takes all partials of these outputs.
void PartialPlaces::take(PlannedPairs& pairs, Range<int64_t> outputs) const {
  if (m_isGrid) {
    Box box;
    for (const int64_t extent : m_source.shape()) box.dims.push_back({0, extent});
    graph::forEachRowBox(outputs, m_kept, [&](const Box& kept) {
      for (std::size_t i = 0; i < m_keptDims.size(); ++i) box.dims[m_keptDims[i]] = kept.dims[i];
      pairs.take(box);
    });
  } else if (!m_outputsInnermost) {
    for (int64_t o = outputs.begin; o < outputs.end && !pairs.failed(); ++o)
      pairs.takeEach({o * m_partials, (o + 1) * m_partials});
  } else if (m_source.part(0) >= m_outputs) {
    pairs.takeEach({0, m_outputs * m_partials}); // every tile has all outputs
  } else {
    for (int64_t k = 0; k < m_partials && !pairs.failed(); ++k)
      pairs.take(Range<int64_t>{k * m_outputs + outputs.begin, k * m_outputs + outputs.end});
  }
}

// Takes some partials of one output, in the order of cells.
void PartialPlaces::takePart(PlannedPairs& pairs, int64_t output, Range<int64_t> partials) const {
  if (m_isGrid) {
    int64_t cell = 0; // the first cell with elements of the output
    for (std::size_t i = m_keptDims.size(); i-- > 0; output /= m_kept[i])
      cell += output % m_kept[i] / m_source.part(m_keptDims[i]) * m_apart[m_keptDims[i]];
    partials.end = std::min(partials.end, int64_t(m_reducedCells.size()));
    for (int64_t p = partials.begin; p < partials.end && !pairs.failed(); ++p)
      pairs.takeFrom(m_source.tileOf(cell + m_reducedCells[std::size_t(p)]), 1, 1, 1);
    return;
  }
  const int64_t share = m_source.part(0);
  if (!m_outputsInnermost) {
    const int64_t first = output * m_partials / share * share, end = (output + 1) * m_partials;
    pairs.takeEach({std::max(output * m_partials, first + partials.begin * share), std::min(end, first + partials.end * share)});
  } else if (share >= m_outputs) {
    pairs.takeEach({partials.begin * share, std::min(m_outputs * m_partials, partials.end * share)});
  } else {
    for (int64_t k = partials.begin; k < std::min(m_partials, partials.end) && !pairs.failed(); ++k)
      pairs.takeEach({k * m_outputs + output, k * m_outputs + output + 1});
  }
}

graph::SharedPairs PartialPlaces::pairsTo(const Distribution& out, int64_t parts, int64_t group,
                                          const graph::PerTile& bytesIn) const {
  if (!m_isKnown) return {};
  const auto make = [&] {
    PlannedPairs pairs(m_source, bytesIn);
    pairs.inOrderOf(out, [&](Range<int64_t> elements) {
      elements.end = std::min(elements.end, m_outputs * parts);
      if (parts == 1) return take(pairs, elements);
      for (int64_t at = elements.begin; at < elements.end && !pairs.failed(); ++at)
        takePart(pairs, at / parts, {at % parts * group, (at % parts + 1) * group});
    });
    return pairs.finish();
  };
  graph::PairKey key(m_source.tiles().begin);
  key.add(2).add(m_source).add(out).add(bytesIn).add(parts).add(group).add(m_kept).add(m_reduced);
  key.add(m_outputs).add(m_partials).add(m_isGrid).add(m_outputsInnermost);
  for (const std::size_t d : m_keptDims) key.add(int64_t(d));
  return graph::remembered(key, make);
}

} // namespace simcore::ops
