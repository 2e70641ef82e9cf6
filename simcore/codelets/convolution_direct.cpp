// The forms of convolution.h without the matrix unit: horizontal and vertical multiply-accumulate, the short-kernel form, outer
// product and Winograd. All formulas: poplin PerformanceEstimation, reference 9.4.
#include "simcore/codelets/code_size.h"
#include "simcore/codelets/conv_rows.h"
#include "simcore/codelets/convolution.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>
#include <numeric>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

VertexState directState(const ConvChannels& c, int64_t kernelElements, int64_t rows, int64_t rowLength) {
  VertexState state;
  state.pointers(c.convGroups * c.inGroups);
  state.pointers(c.convGroups * c.outGroups);
  state.pointers(c.convGroups * c.inGroups * c.outGroups);
  const int64_t entries = kernelElements * worklistEntries(rows, rowLength);
  if (kernelElements == 1)
    state.constantVector(entries, 2);
  else
    state.constantList(kernelElements * worklists(rows, rowLength), entries, 2);
  state.scalar(4); // region to zero
  for (int i = 0; i < 6; ++i) state.scalar(2);
  return state;
}

VertexSpec directSpec(const std::string& base, const ConvDirect& conv) {
  return makeSpec("poplin::" + base + "<" + codeletTypeName(conv.types.input) + "," + codeletTypeName(conv.types.partials) + ">",
                  VertexKind::Supervisor, VertexFamily::Convolution, codeBytes(CodeClass::ConvWorker),
                  directState(conv.channels, std::max<int64_t>(conv.kernelElements, 1), conv.rows, conv.rowLength));
}

bool isEmpty(const ConvDirect& conv) {
  const ConvChannels& c = conv.channels;
  return c.convGroups <= 0 || c.inGroups <= 0 || c.outGroups <= 0 || c.inChannelsPerGroup <= 0 || c.outChannelsPerGroup <= 0 ||
         conv.rows <= 0 || conv.rowLength <= 0 || conv.kernelElements <= 0;
}

// A dot product of m elements into one partial: set-up and accumulation 3 + 4 (+1 half to half), then one beat per group of
// elements, whose size is the largest power of two that divides m. A whole 64-bit beat takes one cycle, a narrower one two; half
// inputs save one.
int64_t dotProduct(const arch::TileArchitecture& tile, const ConvTypes& types, int64_t m) {
  const int64_t v = vectorWidth(tile, types.input), wide = std::gcd(m, v);
  const bool halfToHalf = isHalf(types.input) && isHalf(types.partials);
  return 3 + 4 + (halfToHalf ? 1 : 0) + m / wide * (wide == v ? 1 : 2) - (isFloat(types.input) ? 0 : 1);
}

} // namespace

VertexSpec convHorizontalMacSpec(const ConvDirect& conv) {
  return directSpec(conv.is1x1() ? "ConvPartialHorizontalMac1x1" : "ConvPartialHorizontalMac", conv);
}

// overhead 58 float | 65 half (-10 for 1x1) + zeroing + G x (23 + I x (15 + O x (10 + 6 x worst))); worker = 16 + per row
// and kernel element (19 | 13 + size x (7 + outs x dot)) + 16.
VertexCost convHorizontalMac(const arch::TileArchitecture& tile, const ConvDirect& conv) {
  const ConvChannels& c = conv.channels;
  const bool floats = isFloat(conv.types.input);
  const int64_t overhead = (floats ? 58 : 65) - (conv.is1x1() ? 10 : 0);
  if (isEmpty(conv)) return {Cycles(overhead), Flops(0)};
  const int64_t perPosition = 7 + c.outChannelsPerGroup * dotProduct(tile, conv.types, c.inChannelsPerGroup);
  const WorkerSpread spread = spreadRows(conv.rows, conv.rowLength, tile.workers, 16 + 16,
                                         [&](int64_t e) { return conv.kernelElements * ((floats ? 19 : 13) + e * perPosition); });
  const int64_t positions = conv.rows * conv.rowLength;
  const Cycles zero = convZero(tile, conv.types.partials, positions * c.outGroups * c.outChannelsPerGroup).cycles;
  const int64_t cycles =
      overhead + c.convGroups * (zero.value() + 23 + c.inGroups * (15 + c.outGroups * (10 + tile.workers * spread.worst)));
  const int64_t flops = 2 * c.convGroups * c.inGroups * c.inChannelsPerGroup * c.outGroups * c.outChannelsPerGroup * positions *
                        conv.kernelElements;
  return {Cycles(cycles), Flops(flops)};
}

VertexSpec convVerticalMacSpec(const ConvDirect& conv, int64_t convGroupsPerBlock) {
  return directSpec("ConvPartialVerticalMac" + std::to_string(convGroupsPerBlock), conv);
}

// 61 + 14 + 25 + G x (zero + 32 + I x (24 + inner)). A worker takes 13 (8 groups), 25 (16), 18 | 19 (4, half | float partials),
// and per row and kernel element 7 + x + 3 + 3 (size-1) per 8 channels or 2 (size-1) per 4. The reference gives x as 3..15; here
// it is 3, 9, 15 for 4, 8, 16 groups.
VertexCost convVerticalMac(const arch::TileArchitecture& tile, const ConvDirect& conv, int64_t convGroupsPerBlock) {
  const ConvChannels& c = conv.channels;
  if (isEmpty(conv) || convGroupsPerBlock <= 0) return {Cycles(61 + 14 + 25), Flops(0)};
  const bool narrow = convGroupsPerBlock <= 4, wide = convGroupsPerBlock > 8;
  const int64_t fixed = narrow ? (isHalf(conv.types.partials) ? 18 : 19) : wide ? 25 : 13;
  const int64_t rowSetUp = 7 + (narrow ? 3 : wide ? 15 : 9) + 3;
  const int64_t perPosition = narrow ? 2 : 3 * ceilDiv(convGroupsPerBlock, 8);
  const WorkerSpread spread = spreadRows(conv.rows, conv.rowLength, tile.workers, fixed,
                                         [&](int64_t e) { return conv.kernelElements * (rowSetUp + perPosition * (e - 1)); });
  const int64_t positions = conv.rows * conv.rowLength;
  const int64_t outputs = ceilDiv(positions * convGroupsPerBlock, tile.workers);
  const int64_t zero = tile.workers * (4 + ceilDiv(outputs, vectorWidth(tile, conv.types.partials)));
  const int64_t cycles = 61 + 14 + 25 + c.convGroups * (zero + 32 + c.inGroups * (24 + tile.workers * spread.worst));
  const int64_t flops = 2 * c.convGroups * convGroupsPerBlock * c.inGroups * positions * conv.kernelElements;
  return {Cycles(cycles), Flops(flops)};
}

VertexSpec convSlicSpec(const ConvSlic& conv) {
  ConvChannels channels;
  channels.convGroups = std::max<int64_t>(conv.convGroupBlocks, 1);
  return makeSpec(std::string("poplin::ConvPartial1x4SLIC<half,") + codeletTypeName(conv.partials) + "," +
                      std::to_string(conv.stride) + "," + std::to_string(conv.channelsPerConvGroup) + ">",
                  VertexKind::Supervisor, VertexFamily::Convolution, codeBytes(CodeClass::ConvSupervisor),
                  directState(channels, std::max<int64_t>(conv.subKernels, 1), conv.rows, conv.rowLength));
}

namespace {
// One row of e outputs; the window's pipeline needs a few steps to fill.
int64_t slicRow(const ConvSlic& conv, int64_t e) {
  const int64_t base = conv.stride == 2 ? (e >= 3 ? 15 + 2 * (e - 3) : 13 + e) : (e >= 5 ? 15 + (e - 5) : 13 + e);
  return base + (isFloat(conv.partials) ? -1 + 3 : 0);
}
} // namespace

// Supervisor 28 (25 float partials) + G x 15 (12) + per sub-kernel (weight load + 20 + 6 x worst) + 6 per loop repeat. Where the
// reference has ranges: the worker preamble "19..24" is 21 here, the single-channel weight load "10..13" is 13, the two-channel
// one 10.
VertexCost convSlic(const arch::TileArchitecture& tile, const ConvSlic& conv) {
  const bool floats = isFloat(conv.partials);
  const int64_t base = floats ? 25 : 28;
  if (conv.convGroupBlocks <= 0 || conv.rows <= 0 || conv.rowLength <= 0 || conv.subKernels <= 0) return {Cycles(base), Flops(0)};
  const int64_t load = conv.channelsPerConvGroup == 4 ? 16 + 18 : 16 + 21 + 6 * (conv.channelsPerConvGroup == 1 ? 13 : 10);
  const int64_t passes = conv.chains == 4 ? 1 : 2;
  const WorkerSpread spread =
      spreadRows(conv.rows, conv.rowLength, tile.workers, 21, [&](int64_t e) { return 10 + passes * slicRow(conv, e); });
  const int64_t perSubKernel = load + 20 + tile.workers * spread.worst + 6;
  const int64_t cycles = base + conv.convGroupBlocks * ((floats ? 12 : 15) + conv.subKernels * perSubKernel);
  const int64_t flops =
      2 * conv.convGroupBlocks * 4 * conv.channelsPerConvGroup * conv.rows * conv.rowLength * conv.kernelElements;
  return {Cycles(cycles), Flops(flops)};
}

VertexSpec outerProductSpec(ElementType type) {
  VertexState state;
  state.onePtr().span().vectorList(1).scalar(4);
  return makeSpec(std::string("poplin::OuterProduct<") + codeletTypeName(type) + ">", VertexKind::Worker,
                  VertexFamily::Convolution, codeBytes(CodeClass::ConvWorker), state);
}

// Worker: 25 + groups x (11 fp32 | 10 fp16 + width x (6 + (c-6)/2 | 6 + (c-12)/4)); slow path 10 + 2 c | 10 + 2.5 c per
// position. The fast path needs c >= 6 and even (fp32) or c >= 12 and a multiple of 4, and a stride below 512 words.
VertexCost outerProduct(const arch::TileArchitecture&, ElementType type, int64_t width, int64_t groups,
                        int64_t channelsPerGroup) {
  width = std::max<int64_t>(width, 0);
  groups = std::max<int64_t>(groups, 0);
  const int64_t c = std::max<int64_t>(channelsPerGroup, 0);
  const bool half = isHalf(type);
  const bool fast = half ? c >= 12 && c % 4 == 0 && c / 4 + 1 < 512 : c >= 6 && c % 2 == 0 && c / 2 + 1 < 512;
  const int64_t position = fast ? (half ? 6 + (c - 12) / 4 : 6 + (c - 6) / 2) : half ? 10 + ceilDiv(5 * c, 2) : 10 + 2 * c;
  return {Cycles(25 + groups * ((half ? 10 : 11) + width * position)), Flops(groups * width * c)};
}

} // namespace simcore::codelets
