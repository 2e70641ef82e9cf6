// Vertices of convolution and matrix multiplication: the accumulating matrix product (AMP) in its 1x1 and nx1 form, the forms
// without it, and the small vertices around them. All return tile cycles (Supervisor or MultiVertex) unless stated. A matrix
// product [N, K] x [K, M] is the 1x1 form with N positions, K input and M output channels. Source: ipu-reference 9.4 (poplin
// PerformanceEstimation).
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

// Units that work in parallel, input channels read and output channels made per pass. Half: 16 x 16 on GC200, 16 x 8 on GC2.
// Float: 16 x 8 and 16 x 4 (input group from peak flops: 8 cycles per position at 2 elements per cycle). 8-bit floats: 32 x 16 on
// the C600, with half partial sums.
int64_t ampUnits(const arch::TileArchitecture& tile, ElementType input);
int64_t ampInputChannels(const arch::TileArchitecture& tile, ElementType input);

struct ConvTypes {
  ElementType input = ElementType::Half;
  ElementType partials = ElementType::Float;
};

// Channels of a vertex: `inGroups` blocks of `inChannelsPerGroup`, likewise for outputs; `convGroups` independent groups.
struct ConvChannels {
  int64_t convGroups = 1;
  int64_t inGroups = 1, inChannelsPerGroup = 16;
  int64_t outGroups = 1, outChannelsPerGroup = 16;
};

struct Conv1x1 {
  ConvTypes types;
  ConvChannels channels;
  int64_t positions = 0;  // output positions (batch x field)
  bool wideLoads = false; // 128-bit weight loads from interleaved memory
};
VertexSpec convPartial1x1Spec(const Conv1x1& conv);
VertexCost convPartial1x1(const arch::TileArchitecture& tile, const Conv1x1& conv);

struct ConvNx1 {
  ConvTypes types;
  ConvChannels channels;
  int64_t rows = 1, rowLength = 1;          // output rows (batch and outer field dimensions) and positions in each
  int64_t kernelOuter = 1, kernelInner = 1; // loops over kernel positions; kernelOuter is already divided by weightHeight
  int64_t weightHeight = 1;                 // kernel rows packed into one pass: 1, 2 or 4
  bool wideLoads = false;
};
VertexSpec convPartialNx1Spec(const ConvNx1& conv);
VertexCost convPartialNx1(const arch::TileArchitecture& tile, const ConvNx1& conv);

// The forms without the matrix unit.
struct ConvDirect {
  ConvTypes types;
  ConvChannels channels;
  int64_t rows = 1, rowLength = 1;
  int64_t kernelElements = 1;
  bool is1x1() const { return kernelElements == 1; }
};
VertexSpec convHorizontalMacSpec(const ConvDirect& conv);
VertexCost convHorizontalMac(const arch::TileArchitecture& tile, const ConvDirect& conv);
// Depthwise-like: one input and one output channel per conv group. `convGroupsPerBlock` (4, 8 or 16) groups run together;
// channels.convGroups counts the blocks.
VertexSpec convVerticalMacSpec(const ConvDirect& conv, int64_t convGroupsPerBlock);
VertexCost convVerticalMac(const arch::TileArchitecture& tile, const ConvDirect& conv, int64_t convGroupsPerBlock);

// Short-kernel grouped convolution: half inputs, a window of four kernel elements, 4 channels of up to 4 groups at once.
struct ConvSlic {
  ElementType partials = ElementType::Float;
  int64_t convGroupBlocks = 1;      // total number of blocks of 4 channels
  int64_t channelsPerConvGroup = 4; // 1, 2 or 4
  int64_t rows = 1, rowLength = 1;
  int64_t subKernels = 1;     // ceil(kernel width / 4) x kernel height
  int64_t kernelElements = 4; // without padding, for flops
  int stride = 1;             // 1 or 2
  int chains = 4;             // 2 or 4 accumulator chains
};
VertexSpec convSlicSpec(const ConvSlic& conv);
VertexCost convSlic(const arch::TileArchitecture& tile, const ConvSlic& conv);

// Worker: outer product of `width` positions with `channels` output channels.
VertexSpec outerProductSpec(ElementType type);
VertexCost outerProduct(const arch::TileArchitecture& tile, ElementType type, int64_t width, int64_t groups,
                        int64_t channelsPerGroup);

VertexCost convZero(const arch::TileArchitecture& tile, ElementType partials, int64_t elements);
VertexSpec convCastSpec(ElementType from, ElementType to);
VertexCost convCast(const arch::TileArchitecture& tile, ElementType from, ElementType to, int64_t elements);

} // namespace simcore::codelets
