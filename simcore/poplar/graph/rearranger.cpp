#include "poplar/TensorRearranger.hpp"

#include "poplar/Graph.hpp"
#include "poplar/exceptions.hpp"
#include "simcore/poplar/inner.h"

#include <algorithm>
#include <numeric>

namespace poplar {

namespace {

// For each interval of `from`, where it begins in the other order.
struct Piece {
  Interval from;
  std::size_t to;
};

std::vector<Piece> piecesOf(const std::vector<Interval>& order, bool isUndo) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  for (const Interval& interval : order) {
    const Interval moved(at, at + interval.size());
    pieces.push_back(isUndo ? Piece{moved, interval.begin()} : Piece{interval, at});
    at += interval.size();
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.to < b.to; });
  return pieces;
}

Tensor reordered(const Tensor& tensor, const std::vector<Interval>& order, bool isUndo) {
  const std::size_t elements = std::accumulate(order.begin(), order.end(), std::size_t(0),
                                               [](std::size_t sum, const Interval& i) { return sum + i.size(); });
  if (tensor.numElements() != elements)
    throw poplar_error("TensorRearranger is for tensors of " + std::to_string(elements) + " elements; " + tensor.getDebugStr() +
                       " has " + std::to_string(tensor.numElements()));
  const Tensor flat = tensor.flatten();
  if (order.empty()) return flat;
  std::vector<Tensor> parts;
  for (const Piece& piece : piecesOf(order, isUndo)) parts.push_back(flat.slice(piece.from));
  return concat(parts);
}

// Sorted, with neighbours joined.
std::vector<Interval> reordered(ArrayRef<Interval> intervals, const std::vector<Interval>& order, bool isUndo) {
  std::vector<Interval> moved;
  const std::vector<Piece> pieces = piecesOf(order, isUndo);
  for (const Interval& interval : intervals)
    for (const Piece& piece : pieces) {
      const std::size_t begin = std::max(interval.begin(), piece.from.begin()), end = std::min(interval.end(), piece.from.end());
      if (begin < end) moved.emplace_back(begin - piece.from.begin() + piece.to, end - piece.from.begin() + piece.to);
    }
  std::sort(moved.begin(), moved.end());
  std::vector<Interval> joined;
  for (const Interval& interval : moved)
    if (!joined.empty() && joined.back().end() == interval.begin())
      joined.back() = Interval(joined.back().begin(), interval.end());
    else
      joined.push_back(interval);
  return joined;
}

} // namespace

Tensor TensorRearranger::rearrange(const Tensor& tensor) const { return reordered(tensor, m_order, false); }
Tensor TensorRearranger::undoRearrangement(const Tensor& tensor) const { return reordered(tensor, m_order, true); }
std::vector<Interval> TensorRearranger::rearrange(ArrayRef<Interval> intervals) const {
  return reordered(intervals, m_order, false);
}
std::vector<Interval> TensorRearranger::undoRearrangement(ArrayRef<Interval> intervals) const {
  return reordered(intervals, m_order, true);
}

TensorRearranger Graph::getSimplifyingRearranger(const Tensor& tensor) const {
  struct Part {
    VariableInterval place;
    Interval elements;
  };
  std::vector<Part> parts;
  std::size_t at = 0;
  for (const VariableInterval& region : tensor.getVarRegions()) {
    parts.push_back({region, Interval(at, at + region.interval.size())});
    at += region.interval.size();
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.place < b.place; });
  std::vector<Interval> order;
  for (const Part& part : parts) order.push_back(part.elements);
  return TensorRearranger(std::move(order));
}

void Graph::reorderToSimplify(Tensor* tensor, ArrayRef<Tensor*> others, bool) const {
  const TensorRearranger rearranger = getSimplifyingRearranger(*tensor);
  *tensor = rearranger.rearrange(*tensor);
  for (Tensor* other : others) *other = rearranger.rearrange(*other);
}

Tensor Graph::getVariable(VariableRef variable) const {
  return simcore::poplar::asPoplar([&] {
    const reports::VariableId id(std::size_t(variable.id()));
    const auto& known = simcore::poplar::inner(*this).variable(id);
    return simcore::poplar::outer(simcore::graph::Tensor(id, known.type, known.shape));
  });
}

} // namespace poplar
