// LSTM, GRU and RNN: each direction is a layer of the library; their outputs side by side are the node's.
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/parameters.h"

namespace simcore::model {

using graph::Tensor;
using numerics::RecurrentDirection;
using numerics::RecurrentKind;

namespace {

// The state tensors of both directions as ONNX wants them: [D, B, H], or [B, D, H] with the batch first.
Tensor together(const std::vector<Tensor>& states, bool batchFirst) {
  std::vector<Tensor> parts;
  for (const Tensor& t : states) parts.push_back(t.reshape({1, t.dim(0), t.dim(1)}));
  const Tensor all = parts.size() == 1 ? parts[0] : graph::concat(parts, 0);
  return batchFirst ? all.dimShuffle({1, 0, 2}) : all;
}

template<RecurrentKind kind> void lowerRecurrent(NodeLowering& n) {
  const auto p = recurrentParameters(n.call(), kind);
  const bool batchFirst = n.call().attributes().integer("layout", 0) != 0;
  const std::size_t directions = p.direction == RecurrentDirection::Bidirectional ? 2 : 1;
  // The batch second, the direction first.
  const auto ordered = [&](const Tensor& t) { return batchFirst ? t.dimShuffle({1, 0, 2}) : t; };
  const auto direction = [&](std::size_t i, std::size_t d, bool isState) -> Tensor {
    if (!n.has(i)) return {};
    const Tensor all = isState ? ordered(n.input(i)) : n.input(i);
    if (directions > 1) n.time().layoutOf(all); // a weight is placed as a whole before its halves are read
    return all.dim(0) == 1 ? all.reshape(numerics::Shape(all.shape().begin() + 1, all.shape().end())) : all[std::int64_t(d)];
  };
  std::vector<Tensor> steps, hidden, cells;
  for (std::size_t d = 0; d < directions; ++d) {
    ops::RecurrentLayer layer;
    layer.parameters = p;
    layer.reverse = p.direction == RecurrentDirection::Reverse || d == 1;
    const std::size_t each = kind == RecurrentKind::Lstm ? 3 : kind == RecurrentKind::Gru ? 2 : 1;
    for (std::size_t i = d * each; i < (d + 1) * each && i < p.activations.size(); ++i)
      layer.activations.push_back(p.activations[i]);
    layer.x = ordered(n.input(0));
    layer.weights = direction(1, d, false);
    layer.recurrence = direction(2, d, false);
    layer.bias = direction(3, d, false);
    if (n.has(4)) layer.lengths = n.input(4);
    layer.hidden = direction(5, d, true);
    if (kind == RecurrentKind::Lstm) {
      layer.cell = direction(6, d, true);
      layer.peepholes = direction(7, d, false);
    }
    const auto out = ops::recurrent(n.parts(), layer);
    steps.push_back(out.steps.reshape({out.steps.dim(0), 1, out.steps.dim(1), out.steps.dim(2)}));
    hidden.push_back(out.hidden);
    cells.push_back(out.cell);
  }
  if (n.call().wantsOutput(0)) {
    const Tensor all = directions == 1 ? steps[0] : graph::concat(steps, 1); // [T, D, B, H]
    n.give(gathered(n, batchFirst ? all.dimShuffle({2, 0, 1, 3}) : all), 0);
  }
  if (n.call().wantsOutput(1)) n.give(together(hidden, batchFirst), 1);
  if (n.call().wantsOutput(2)) n.give(together(cells, batchFirst), 2);
}

constexpr LoweringEntry kRecurrentLowerings[] = {
    {"LSTM", lowerRecurrent<RecurrentKind::Lstm>},
    {"GRU", lowerRecurrent<RecurrentKind::Gru>},
    {"RNN", lowerRecurrent<RecurrentKind::Rnn>},
};

} // namespace

std::span<const LoweringEntry> recurrentLowerings() { return kRecurrentLowerings; }

} // namespace simcore::model
