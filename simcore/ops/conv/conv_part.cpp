// The part of a convolution on one tile: its vertices and their cost, by method.
#include "simcore/ops/conv/conv_problem.h"

namespace simcore::ops {

using reports::ceilDiv;

namespace {
// Kernel rows in one pass of the matrix unit: with few fp16 channels, further rows replace channels (ipu-reference 9.4, weight
// height 1, 2 or 4).
int64_t rowsPacked(const ConvParams& p, const ConvForm& f, const ConvPart& part) {
  if (p.type != ElementType::Half || part.kernel[0] == 1) return 1;
  if (f.inChannels * 4 <= f.inGrain && part.kernel[0] > 2) return 4;
  return f.inChannels * 2 <= f.inGrain ? 2 : 1;
}

// The problem of one tile in the matrix unit's terms.
codelets::ConvChannels ampChannels(const ConvForm& f, const ConvPart& part) {
  return {part.groups, ceilDiv(part.inChannels, f.inGrain), f.inGrain, ceilDiv(part.outChannels, f.outGrain), f.outGrain};
}
bool isPointwise(const ConvParams& p, const ConvForm& f, const ConvPart& part) {
  return f.method == ConvMethod::AmpExpanded || (part.taps() == 1 && p.stride[0] == 1 && p.stride[1] == 1);
}
codelets::Conv1x1 pointwise(const codelets::ConvTypes& types, const ConvForm& f, const ConvPart& part) {
  return {types, ampChannels(f, part), part.batch * part.rows * part.columns, false};
}
codelets::ConvNx1 kernelwise(const codelets::ConvTypes& types, const ConvParams& p, const ConvForm& f, const ConvPart& part) {
  const int64_t packed = rowsPacked(p, f, part);
  return {
      types, ampChannels(f, part), part.batch * part.rows, part.columns, ceilDiv(part.kernel[0], packed), part.kernel[1], packed,
      false};
}
codelets::ConvSlic slic(const ConvParams& p, const ConvForm& f, const ConvPart& part) {
  codelets::ConvSlic c;
  c.partials = p.partials;
  c.convGroupBlocks = ceilDiv(part.groups * p.inChannels, 4);
  c.channelsPerConvGroup = p.inChannels;
  c.rows = part.batch * part.rows;
  c.rowLength = part.columns;
  c.subKernels = ceilDiv(p.kernel[1], 4) * p.kernel[0];
  c.kernelElements = f.taps;
  c.stride = int(p.stride[1]);
  return c;
}
codelets::ConvDirect direct(const codelets::ConvTypes& types, const ConvForm& f, const ConvPart& part) {
  const codelets::ConvChannels channels =
      f.method == ConvMethod::Vmac
          ? codelets::ConvChannels{ceilDiv(part.groups, f.groupGrain), 1, 1, 1, 1}
          : codelets::ConvChannels{part.groups, 1, reports::roundUp(part.inChannels, f.inGrain), 1, part.outChannels};
  return {types, channels, part.batch * part.rows, part.columns, part.taps()};
}

// The part as the vertices of a tile see it: with swapped operands, columns of the second operand are positions, and rows of the
// first are output channels.
ConvPart seenPart(const ConvForm& f, const ConvPart& part) {
  if (!f.swapped) return part;
  ConvPart seen = part;
  seen.outChannels = part.batch * part.rows * part.columns;
  seen.batch = seen.rows = 1;
  seen.columns = part.outChannels;
  return seen;
}
// The form with the grains of the vertices.
ConvForm seenForm(const ConvForm& f) {
  ConvForm seen = f;
  if (f.swapped) std::swap(seen.outGrain, seen.rowGrain);
  return seen;
}

codelets::VertexCost methodCost(const arch::TileArchitecture& tile, const ConvParams& p, const ConvForm& ofPlan,
                                const ConvPart& ofTile) {
  const codelets::ConvTypes types{p.type, p.partials};
  const ConvPart part = seenPart(ofPlan, ofTile);
  const ConvForm f = seenForm(ofPlan);
  switch (f.method) {
  case ConvMethod::Amp:
  case ConvMethod::AmpExpanded:
    return isPointwise(p, f, part) ? codelets::convPartial1x1(tile, pointwise(types, f, part))
                                   : codelets::convPartialNx1(tile, kernelwise(types, p, f, part));
  case ConvMethod::Vmac: return codelets::convVerticalMac(tile, direct(types, f, part), f.groupGrain);
  case ConvMethod::Slic: return codelets::convSlic(tile, slic(p, f, part));
  case ConvMethod::OuterProduct: {
    // Worker vertices: one per worker over the positions.
    const int64_t positions = part.batch * part.rows * part.columns;
    auto cost = codelets::outerProduct(tile, p.type, ceilDiv(positions, tile.workers), 1, part.outChannels);
    cost.cycles = cost.cycles * tile.workers;
    return cost;
  }
  case ConvMethod::Hmac: break;
  }
  return codelets::convHorizontalMac(tile, direct(types, f, part));
}
} // namespace

// The codelets' estimators count all products of the matrix unit, including those of padding. The FLOPs in reports are only those
// of the problem.
codelets::VertexCost partialCost(const arch::TileArchitecture& tile, const ConvParams& p, const ConvForm& f,
                                 const ConvPart& part) {
  codelets::VertexCost cost = methodCost(tile, p, f, part);
  cost.flops = reports::Flops(2 * part.batch * part.groups * part.rows * part.columns * part.outChannels * part.inChannels *
                              part.taps() / f.combineGroups);
  return cost;
}

int64_t leastPartialCycles(const arch::TileArchitecture& tile, const ConvParams& p, const ConvForm& f, ConvPart part,
                           int64_t positions) {
  // A worker of the matrix unit may take fewer cycles for three positions than for two (worker1x1()); from three on, cycles only
  // rise with the positions.
  const bool onlyPositions = f.swapped || f.method == ConvMethod::Hmac ||
                             (f.method == ConvMethod::Amp && isPointwise(p, f, part) && positions >= 3 * tile.workers);
  if (!onlyPositions || f.taps > 1) return 0;
  part.batch = part.rows = 1;
  part.columns = positions;
  return methodCost(tile, p, f, part).cycles.value();
}

codelets::VertexSpec partialSpec(const arch::TileArchitecture&, const ConvParams& p, const ConvForm& ofPlan,
                                 const ConvPart& ofTile) {
  const codelets::ConvTypes types{p.type, p.partials};
  const ConvPart part = seenPart(ofPlan, ofTile);
  const ConvForm f = seenForm(ofPlan);
  switch (f.method) {
  case ConvMethod::Amp:
  case ConvMethod::AmpExpanded:
    return isPointwise(p, f, part) ? codelets::convPartial1x1Spec(pointwise(types, f, part))
                                   : codelets::convPartialNx1Spec(kernelwise(types, p, f, part));
  case ConvMethod::Vmac: return codelets::convVerticalMacSpec(direct(types, f, part), f.groupGrain);
  case ConvMethod::Slic: return codelets::convSlicSpec(slic(p, f, part));
  case ConvMethod::OuterProduct: {
    auto spec = codelets::outerProductSpec(p.type);
    spec.kind = codelets::VertexKind::Multi;
    return spec;
  }
  case ConvMethod::Hmac: break;
  }
  return codelets::convHorizontalMacSpec(direct(types, f, part));
}

} // namespace simcore::ops
