// Training of recurrent layers: the forward pass that keeps the values for the backward pass. It calls the functions of popops
// and poplin, so their ops decide numbers and cycles.
#pragma once

#include "popnn/Gru.hpp"
#include "popnn/Lstm.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace popnn {

namespace lstm {
std::pair<poplar::Tensor, poplar::Tensor> forwardForTraining(poplar::Graph& graph, const LstmParams& params,
                                                             const LstmState& stateInit, const poplar::Tensor& in,
                                                             const LstmWeights& weights, poplar::Tensor& intermediates,
                                                             poplar::program::Sequence& prog,
                                                             const poplar::DebugContext& debugContext);
} // namespace lstm
namespace gru {
// `attention` [N, T]: invalid for a plain GRU. `intermediates`: null for inference.
poplar::Tensor forwardForTraining(poplar::Graph& graph, const GruParams& params, const poplar::Tensor& stateInit,
                                  const poplar::Tensor& in, const GruWeights& weights, poplar::Tensor* intermediates,
                                  const poplar::Tensor& attention, poplar::program::Sequence& prog,
                                  const poplar::DebugContext& debugContext);
} // namespace gru

namespace training {

// [G, K, H] -> [K, G H], with the gates side by side; apart() is the inverse.
inline poplar::Tensor beside(const poplar::Tensor& gates) {
  return gates.dimShuffle({1, 0, 2}).reshape({gates.dim(1), gates.dim(0) * gates.dim(2)});
}
inline poplar::Tensor apart(const poplar::Tensor& matrix, std::size_t gates) {
  return matrix.reshape({matrix.dim(0), gates, matrix.dim(1) / gates}).dimShuffle({1, 0, 2});
}

// [N, G H] -> [N, G, H]: a softmax is over the units of one gate.
inline poplar::Tensor byGate(const poplar::Tensor& gates, std::size_t hidden) {
  return gates.reshape({gates.dim(0), gates.dim(1) / hidden, hidden});
}

// Selects columns of [.., G H] by gate; `order` is the order of the gates in the cell.
template<class Unit> class Columns {
public:
  Columns(const std::vector<Unit>& order, std::size_t hidden) : m_order(order), m_hidden(hidden) {}
  poplar::Tensor of(const poplar::Tensor& t, Unit unit) const {
    const auto at = std::size_t(std::find(m_order.begin(), m_order.end(), unit) - m_order.begin());
    return t.slice(at * m_hidden, (at + 1) * m_hidden, t.rank() - 1);
  }
  poplar::Tensor of(const poplar::Tensor& t, const std::vector<Unit>& units) const {
    std::vector<poplar::Tensor> parts;
    for (const Unit unit : units) parts.push_back(of(t, unit));
    return poplar::concat(parts, t.rank() - 1);
  }
  // Joins the values of `units` to [.., G H] in the order of the cell.
  poplar::Tensor ordered(const std::vector<Unit>& units, const std::vector<poplar::Tensor>& values) const {
    std::vector<poplar::Tensor> parts;
    for (const Unit unit : m_order)
      parts.push_back(values[std::size_t(std::find(units.begin(), units.end(), unit) - units.begin())]);
    return poplar::concat(parts, values[0].rank() - 1);
  }

private:
  const std::vector<Unit>& m_order;
  std::size_t m_hidden;
};

// Stacks K tensors [N, H] to [K, N, H].
inline poplar::Tensor stacked(const std::vector<poplar::Tensor>& parts) {
  std::vector<poplar::Tensor> rows;
  for (const poplar::Tensor& t : parts) rows.push_back(t.expand({0}));
  return poplar::concat(rows);
}
// Adds [C] to each row of [R, C].
void addToRows(poplar::Graph& graph, const poplar::Tensor& rows, const poplar::Tensor& bias, poplar::program::Sequence& prog,
               const poplar::DebugContext& debugContext);
poplar::Tensor sumOfRows(poplar::Graph& graph, const poplar::Tensor& rows, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext);

} // namespace training
} // namespace popnn
