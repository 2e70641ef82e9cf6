// Internals of convolution planning, shared by the search and by lowering: the possible forms of a convolution, the part of one
// tile, and its cost.
#pragma once

#include "simcore/ops/conv/convolution.h"

namespace simcore::ops {

// A method for a convolution on a tile, with the channel counts and grains after its transform.
struct ConvForm {
  ConvMethod method = ConvMethod::Hmac;
  int64_t groups = 1, inChannels = 1, outChannels = 1, taps = 1;
  int64_t groupGrain = 1, inGrain = 1, outGrain = 1, rowGrain = 1;
  int64_t combineGroups = 1; // conv groups joined
  int64_t expansion = 1;     // taps turned into input channels
  // The operands of a product change roles on a tile: it holds rows of the first as weights, and the columns of the second pass
  // by them, as (B'A')' instead of AB (poplin ConvPlan.cpp, getSwapOperandCandidates). A single row, as in a model that decodes,
  // then loads each element of the second operand once at the full rate; otherwise a block of weights is loaded for one position.
  // Rows fill groups of `rowGrain`.
  bool swapped = false;
  bool padsRows(int64_t rows) const { return swapped && rows % rowGrain != 0; }
};
std::vector<ConvForm> formsOf(const arch::TileArchitecture& tile, const ConvParams& params);

// Least bytes per tile for weights that many tiles need, to limit messages (the linear mapping's rule, ipu-reference 8).
inline constexpr int64_t kLeastConvShare = 128;

// The part of one tile.
struct ConvPart {
  int64_t batch = 1, groups = 1, rows = 1, columns = 1, outChannels = 1, inChannels = 1;
  std::array<int64_t, 2> kernel{1, 1}; // taps; a single one if the form turned them into channels
  int64_t taps() const { return kernel[0] * kernel[1]; }
  bool isIdle() const { return batch == 0; } // the tile has no work
  auto operator<=>(const ConvPart&) const = default;
};
ConvPart largestPart(const ConvParams& params, const ConvForm& form, const ConvPlan& plan);

struct PartBytes {
  int64_t input = 0, held = 0, transformed = 0, zeroed = 0, weights = 0, weightsPadded = 0, partials = 0, output = 0;
  int64_t filling = 0; // bytes in `partials` of rows that only fill a group
};
PartBytes bytesOf(const ConvParams& params, const ConvForm& form, const ConvPart& part);
// Elements of a tile's partial sums: with swapped operands the matrix unit makes whole groups of rows.
int64_t partialElements(const ConvForm& form, const ConvPart& part);
// Cycles on a tile to bring its operands into the form's order: taps that become channels, groups of rows that are filled with zeros.
int64_t arrangeCycles(const arch::TileArchitecture& tile, const ConvParams& params, const PartBytes& bytes);

codelets::VertexSpec partialSpec(const arch::TileArchitecture& tile, const ConvParams& params, const ConvForm& form,
                                 const ConvPart& part);
codelets::VertexCost partialCost(const arch::TileArchitecture& tile, const ConvParams& params, const ConvForm& form,
                                 const ConvPart& part);
// Lower bound of the cycles of a tile's vertices for `positions` of the field in any cut: all in one row, because every further
// row adds cycles. 0 if the cycles depend on more than positions and rows.
int64_t leastPartialCycles(const arch::TileArchitecture& tile, const ConvParams& p, const ConvForm& f, ConvPart part,
                           int64_t positions);

// The reduction of `ways` partial sums of `elements` each, on `ways` tiles: in one stage, in two from 16 ways, in three from 125
// ways, so that a tile receives from few other tiles (poplin ConvReducePlan). In a stage every tile adds `fanIn` partial
// sums of `share` elements.
struct ConvReduceStage {
  int64_t share = 0, fanIn = 1;
};
class ConvReduceStages {
public:
  void add(const ConvReduceStage& stage) { m_stages[m_size++] = stage; }
  std::size_t size() const { return m_size; }
  const ConvReduceStage& operator[](std::size_t i) const { return m_stages[i]; }
  const ConvReduceStage* begin() const { return m_stages.data(); }
  const ConvReduceStage* end() const { return m_stages.data() + m_size; }
  const ConvReduceStage& back() const { return m_stages[m_size - 1]; }

private:
  std::array<ConvReduceStage, 3> m_stages;
  std::size_t m_size = 0;
};
ConvReduceStages reduceStages(int64_t elements, int64_t ways);

// One iteration of a plan with serial splits: the same convolution with fewer groups and channels.
ConvParams slicedParams(const ConvParams& params, const ConvPlan& plan);

// Whether neighbours on an exchange bus (tiles 2 k and 2 k + 1) need the same input or the same weights. The split that varies
// fastest from tile to tile decides, if it is even. Such neighbours receive at twice the rate (ipu-reference 5.3).
struct BusSharing {
  bool input = false, weights = false;
};
BusSharing busSharing(const ConvParams& params, const ConvPlan& plan);

// Extra costs of the serial slices of a layer's product: weights are laid out once for slicing, an even share on each tile, and a
// vertex takes each slice; the input is sliced too if its channels are cut (poplin ConvModel.cpp,
// addRearrangeBeforeSliceEstimate and addDynamicSliceEstimate). `slice` is slicedParams() of the plan.
struct SliceCosts {
  int64_t weightElements = 0, weightSlice = 0, inputSlice = 0; // of a tile
};
SliceCosts sliceCosts(const ConvParams& slice, const ConvPlan& plan);

// Costs of rearranging the operands of one serial slice and the whole result (poplin ConvModel.cpp, addTransformCycleEstimate):
// each element is sent to its tile and copied there separately, at 5/4 cycles, or 5/3 cycles if channels are not whole vectors.
// Poplin rearranges the input of a layer's backward product, the input and the result of its weight gradient, and all data whose
// channels do not fill the groups of the matrix unit. Its planner may also plan the three products of a layer together, which
// saves some of these costs (isJointPlan); here each product is planned separately.
struct RearrangeCosts {
  int64_t operandElements = 0, resultElements = 0; // of a tile
  bool input = false, weights = false;             // the operands that are rearranged
  int64_t operandCycles = 0, resultCycles = 0;     // on the tile, without the exchange
};
RearrangeCosts rearrangeCosts(const ConvParams& slice, const ConvForm& form, const ConvPlan& plan);

// The weights of a layer's backward product are those of the forward product, transposed in blocks of a group of channels in both
// directions (poplin MatMul.cpp, fullyConnectedWeightTranspose). No planner counts this transposition. 0 elements: no transpose
// is needed.
struct TransposeCost {
  int64_t elements = 0; // of a tile
  codelets::VertexSpec spec;
  codelets::VertexCost cost;
};
TransposeCost weightTransposeCost(const arch::TileArchitecture& tile, const ConvParams& whole, const ConvForm& form,
                                  const ConvPlan& plan);

// Sets the cycles and bytes of a plan with given splits. `slice` is slicedParams() of the plan, `form` a form of it. Returns
// false as soon as it is known to take more than `mostCycles`: then not all members are set.
bool estimate(const arch::Machine& machine, const ConvParams& slice, const ConvForm& form, ConvPlan& plan,
              int64_t mostCycles = INT64_MAX);

} // namespace simcore::ops
