// What the tiles of a planned convolution send to each other: operands, shares of rearranged data, partial sums. Pairs of sender
// and receiver are empty where they are unknown.
#pragma once

#include "simcore/ops/conv/conv_anew.h"
#include "simcore/ops/conv/conv_grid.h"
#include "simcore/ops/conv/conv_pairs.h"

namespace simcore::ops {

class ConvTraffic {
public:
  // `given`: the variable that was given as the weights; invalid if they are a view.
  ConvTraffic(const OpBuilder& b, const ConvGrid& grid, const ConvOptions& options, graph::VariableId given)
      : m_b(b), m_grid(grid), m_options(options), m_given(given) {}

  // The senders are the tiles that hold the operand, either as given or rearranged.
  Traffic input(const Tensor& x, bool isAnew) const;
  Traffic weights(const Tensor& of, bool isAnew) const;

  // Every tile takes its shares of the rearranged operands: of the input, and of the weights that it needs.
  graph::SharedPairs operandPairs(const Tensor& input, const Tensor& weights, const RearrangeCosts& anew,
                                  const PerTile& bytesIn) const;
  // Every tile of the result takes its cell from the tiles that made it.
  graph::SharedPairs resultPairs(const graph::Distribution& result, const PerTile& bytesIn) const;
  // Pairs of a stage of the reduction: every tile takes its share from each other tile of its group.
  graph::Pairs partialPairs(std::size_t stage) const;
  ConvWeightPairs weightPairsOf(const Tensor& weights) const;

  // Records for the report the layout that an operand has and the layout that the plan's tiles need.
  void note(Traffic& t, const Tensor& of, graph::LayoutNote held, graph::LayoutNote wanted) const;
  graph::LayoutNote heldNote(const Tensor& of) const;

private:
  // Serial slices of groups or input channels read different channels.
  bool isInputInOrder() const { return m_grid.plan.groupSerial * m_grid.plan.inSerial == 1 && m_options.inputInOrder; }
  AnewOrder inputAnew() const;
  Traffic inputOf(const Tensor& x, bool withPairs) const;
  graph::SharedPairs inputPairs(const Tensor& input, const AnewOrder& to, const PerTile& bytesIn) const;
  graph::SharedPairs weightPairs(const Tensor& weights, const PerTile& slices, const PerTile& bytesIn, bool isAnew) const;
  template<class Order> void takeInputs(graph::PlannedPairs& pairs, const Order& order) const;
  template<class F> PerTile sharedOnBus(F shareOf, const PerTile& received) const;
  PerTile sentOf(const Tensor& weights) const;
  graph::LayoutNote weightsWanted() const;

  const OpBuilder& m_b;
  const ConvGrid& m_grid;
  const ConvOptions& m_options;
  graph::VariableId m_given;
};

} // namespace simcore::ops
