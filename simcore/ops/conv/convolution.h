// Convolution and matrix multiplication: one planner for both (a product is a convolution over a 1-wide field). The planner cuts
// batch, groups, output field, kernel, output and input channels over tiles, and chooses the on-tile method with the fewest
// cycles whose temporaries fit the allowed memory; if none fits at once, the work is cut into serial slices. Cost items:
// ipu-reference 9.4, programming-model 2.1.
#pragma once

#include "simcore/codelets/convolution.h"
#include "simcore/ops/op_builder.h"

#include <array>
#include <optional>

namespace simcore::ops {

// The pass in which a layer computes a product; None: not known. PopART and TensorFlow pass it to poplin (option fullyConnectedPass).
enum class ProductPass { None, Forward, Backward, Update };

struct ConvParams {
  ElementType type = ElementType::Float;
  ElementType partials = ElementType::Float;
  int64_t batch = 1, groups = 1;
  int64_t inChannels = 1, outChannels = 1; // of one group
  std::array<int64_t, 2> in{1, 1}, kernel{1, 1}, stride{1, 1}, dilation{1, 1}, padLow{0, 0}, padHigh{0, 0};
  // A product of matrices. Its result is not read as a grid of rows and columns, so tiles can be numbered with output channels
  // innermost, which puts tiles that need the same rows on one exchange bus (poplin's numbering).
  bool product = false;
  // For the product of a layer, poplin cannot rely on weights in the layout of serial slices, and it rearranges operands and
  // results of products in the backward pass.
  ProductPass pass = ProductPass::None;

  int64_t out(std::size_t d) const {
    return (in[d] + padLow[d] + padHigh[d] - (dilation[d] * (kernel[d] - 1) + 1)) / stride[d] + 1;
  }
  // The type of the result: half for products of 8-bit floats.
  ElementType result() const { return numerics::isQuarter(type) ? ElementType::Half : type; }
  auto operator<=>(const ConvParams&) const = default;
  int64_t flops() const { return 2 * batch * groups * out(0) * out(1) * outChannels * inChannels * kernel[0] * kernel[1]; }
};

enum class ConvMethod { Amp, AmpExpanded, Slic, Vmac, Hmac, OuterProduct };
const char* convMethodName(ConvMethod method);

struct ConvPlan : PlanEstimate {
  ConvMethod method = ConvMethod::Hmac;
  int64_t combineGroups = 1; // conv groups joined into one, block-diagonal
  int64_t inGrain = 0;       // a tile's input channels are padded to a multiple of it; 0: the method chooses
  bool swapped = false;      // on a tile, rows of the first operand take the role of weights (ConvForm)
  int64_t batchSplit = 1, groupSplit = 1, outSplit = 1, inSplit = 1;
  std::array<int64_t, 2> fieldSplit{1, 1}, kernelSplit{1, 1};
  // Serial splits: the product runs in a loop over slices of groups, output or input channels, to need less memory at once.
  int64_t groupSerial = 1, outSerial = 1, inSerial = 1;
  int64_t serial() const { return groupSerial * outSerial * inSerial; }
  // Reasons for the choice: memory limit, number of plans compared, and the best plan of another method.
  int64_t memoryBound = 0, considered = 0;
  std::string nextMethod; // empty: no other method fits
  int64_t nextCycles = 0;
  int64_t partialSums() const { return inSplit * kernelSplit[0] * kernelSplit[1]; } // per output; the reduction sums them
  int64_t tiles() const { return batchSplit * groupSplit * outSplit * fieldSplit[0] * fieldSplit[1] * partialSums(); }
  PlanCost cost() const { return PlanEstimate::cost(tiles()); }
  std::string text() const;
  PlanFacts details() const;
};

struct ConvOptions {
  // Share of a tile's memory for temporary data; default: that of the builder (in planConvolution(): kAvailableMemoryProportion).
  std::optional<double> availableMemoryProportion = {};
  ElementType partials = ElementType::
      Float; // type of the partial sums (partialsType): half only if the operands are half, always if they are 8-bit floats
  ProductPass pass = ProductPass::None; // ConvParams, for matmul()
  // Vertex by vertex: converts operands whose element order is not the problem's (swapped roles, reversed kernels), and the result.
  using Arrange = std::function<numerics::HostTensor(const numerics::HostTensor&)>;
  Arrange arrangeInput = {}, arrangeWeights = {}, arrangeResult = {};
  // Maps a box [batch, channels, rows, columns] of the problem's input to a box of the given input, which has `shape`. Default:
  // the given input is the problem's. `key` identifies the mapping.
  struct InputPlace {
    Shape shape;
    std::function<graph::Box(const graph::Box&)> boxOf;
    std::vector<int64_t> key;
  };
  InputPlace inputPlace = {};
  // Maps a box [groups, input channels, output channels] of a product's weights to a box of the given weights, as inputPlace
  // does.
  InputPlace weightsPlace = {};
  // Whether the rows of the input, and the result, are in the order of the problem.
  bool inputInOrder = true, resultInOrder = true;
  double productScale = 1; // factor of the matrix unit for products of 8-bit floats, a power of two
};

// The parameters with the type of partial sums from the options.
ConvParams withPartials(ConvParams params, const ConvOptions& options);

ConvPlan planConvolution(const arch::Machine& machine, const ConvParams& params, const ConvOptions& options = {});

// x [N, G*Cin, H, W], weights [G*Cout, Cin, kh, kw] -> [N, G*Cout, oh, ow]. Unmapped weights are mapped for the plan. `kernel`
// replaces the numbers (e.g. for a node with more spatial dimensions).
Tensor convolution(const OpBuilder& builder, const Tensor& x, const Tensor& weights, const ConvParams& params,
                   HostKernel kernel = {}, const ConvOptions& options = {});
// Product [.., M, K] x [.., K, N]. Batch dimensions broadcast; if those of `b` are 1 or absent, its matrix is shared.
Tensor matmul(const OpBuilder& builder, const Tensor& a, const Tensor& b, HostKernel kernel = {},
              const ConvOptions& options = {});

} // namespace simcore::ops
