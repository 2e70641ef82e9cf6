// The matrix-unit forms: 1x1 and nx1. The forms without it are in convolution_direct.cpp.
#include "simcore/codelets/convolution.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/conv_rows.h"
#include "simcore/codelets/op_costs.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>

namespace simcore::codelets {

using reports::ceilDiv;

namespace {

constexpr int64_t kRetention = 7;      // cycles saved, because workers keep their state between passes, for half activations
constexpr int64_t kWideLoadBytes = 16; // ld128 from interleaved memory

int64_t coefficientRate(const arch::TileArchitecture& tile, bool wide) {
  return wide ? kWideLoadBytes : std::max(tile.coefficientBytesPerCycle, 1);
}

// Cycles to load the weights of one pass into all units: L in the reference.
int64_t weightLoad(const arch::TileArchitecture& tile, const ConvTypes& types, int64_t inChannels, int64_t rate) {
  return ceilDiv(ampUnits(tile, types.input) * inChannels * elementBytes(types.input), rate);
}

int64_t convFlops(const ConvChannels& c, int64_t positions, int64_t kernelElements) {
  return 2 * c.convGroups * c.inGroups * c.inChannelsPerGroup * c.outGroups * c.outChannelsPerGroup * positions * kernelElements;
}

bool isEmpty(const ConvChannels& c) {
  return c.convGroups <= 0 || c.inGroups <= 0 || c.outGroups <= 0 || c.inChannelsPerGroup <= 0 || c.outChannelsPerGroup <= 0;
}

// Cycles of one worker for e positions of a 1x1 pass. Table "Worker with e output positions", reference 9.4.
int64_t worker1x1(const arch::TileArchitecture& tile, const ConvTypes& types, int64_t e, bool zeroing) {
  const int64_t units = ampUnits(tile, types.input), beyond = std::max<int64_t>(e - 3, 0);
  const size_t at = size_t(std::min<int64_t>(e, 3));
  if (numerics::isQuarter(types.input)) {
    static constexpr int64_t kQuarter[] = {4, 18, 23, 27};
    return 17 + kQuarter[at] + 4 * beyond - (zeroing && e > 0 ? 5 : 0);
  }
  if (isHalf(types.input)) {
    if (units >= 16 || isFloat(types.partials)) {
      static constexpr int64_t kZeroing[] = {21, 32, 41, 37};
      return kZeroing[at] + (zeroing ? 0 : 1) + 4 * beyond - kRetention;
    }
    static constexpr int64_t kHalf[] = {24, 39, 40, 41};
    return kHalf[at] + 4 * beyond + (zeroing ? 2 + 2 * e : 0) - kRetention;
  }
  // "8 or 4" stores per position while zeroing: the outputs of one position in 64-bit words.
  static constexpr int64_t kFloat[] = {24, 47, 46, 46};
  const int64_t stores = std::max<int64_t>(4, units * elementBytes(types.partials) / tile.dataPathBytes);
  return kFloat[at] + 8 * beyond + (zeroing ? 2 + stores * e : 0);
}

// max(6 x worst worker, 6 x best worker + 14); the best is 0 if a worker has no positions.
int64_t inner1x1(const arch::TileArchitecture& tile, const ConvTypes& types, int64_t positions, bool zeroing) {
  const int64_t workers = tile.workers, few = positions / workers, many = ceilDiv(positions, workers);
  const int64_t a = worker1x1(tile, types, few, zeroing), b = worker1x1(tile, types, many, zeroing);
  const int64_t best = few == 0 ? 0 : std::min(a, b);
  const int64_t worst = few == 0 ? b : std::max(a, b);
  return std::max(workers * worst, workers * best + 14);
}

std::string convName(const char* base, const ConvTypes& types, const std::string& more) {
  return std::string("poplin::") + base + "<" + codeletTypeName(types.input) + "," + codeletTypeName(types.partials) + more + ">";
}

// Fields of an AMP supervisor without its worklists: pointers to inputs, weights and outputs, packed sizes and strides.
VertexState ampState(const ConvChannels& c) {
  VertexState state;
  state.pointers(c.convGroups * c.inGroups);
  state.pointers(c.convGroups * c.outGroups);
  state.pointers(c.convGroups * c.inGroups * c.outGroups);
  for (int i = 0; i < 8; ++i) state.scalar(2);
  return state;
}

} // namespace

int64_t ampUnits(const arch::TileArchitecture& tile, ElementType input) {
  if (numerics::isQuarter(input)) return std::max(tile.convUnitsQuarter, 1);
  return std::max(isHalf(input) ? tile.convUnitsHalf : tile.convUnitsFloat, 1);
}

int64_t ampInputChannels(const arch::TileArchitecture& tile, ElementType input) {
  const int64_t cyclesPerPosition = isFloat(input) ? 8 : 4; // slope of the worker tables
  if (numerics::isQuarter(input)) return tile.convInputsQuarter * cyclesPerPosition;
  return (isHalf(input) ? tile.convInputsHalf : tile.convInputsFloat) * cyclesPerPosition;
}

VertexSpec convPartial1x1Spec(const Conv1x1& conv) {
  VertexState state = ampState(conv.channels);
  state.constantVector(worklistEntries(1, conv.positions), 2);
  return makeSpec(convName("ConvPartial1x1Out", conv.types, conv.wideLoads ? ",true" : ",false"), VertexKind::Supervisor,
                  VertexFamily::Convolution, codeBytes(CodeClass::ConvSupervisor), state);
}

namespace {

// 46 + G x (21 + O x (46 + [131 + L + inner_zero] + (I-1) x [108 + L + inner_acc])); the constants assume 6 workers. poplin
// PerformanceEstimation getConvPartial1x1SupervisorOuterLoopCycleEstimateQuarter, reference 9.4.
int64_t quarter1x1(const arch::TileArchitecture& tile, const Conv1x1& conv) {
  const ConvChannels& c = conv.channels;
  const int64_t workers = tile.workers, passes = ceilDiv(c.outChannelsPerGroup, ampUnits(tile, conv.types.input));
  const int64_t load = weightLoad(tile, conv.types, c.inChannelsPerGroup, coefficientRate(tile, conv.wideLoads));
  const int64_t first = 14 * workers + 11 + 6 * workers + load + inner1x1(tile, conv.types, conv.positions, true);
  const int64_t later = 11 * workers + 6 + 6 * workers + load + inner1x1(tile, conv.types, conv.positions, false);
  return 46 + c.convGroups * (2 * workers + 9 + c.outGroups * passes * (6 * workers + 10 + first + (c.inGroups - 1) * later));
}

} // namespace

// 50 + 6 x (7 + 3 x (I x G - 1)) [half] + G x { 12 + h + (I-1) x [15 - h + 1 + O x (19 + p x (6 + L + inner_acc))] + [11 + O x
// (19 - h + p x (7 + L + inner_zero))] }; h = 1 on the path that half and float partials share. poplin PerformanceEstimation
// getConvPartial1x1SupervisorCycleEstimate, reference 9.4.
VertexCost convPartial1x1(const arch::TileArchitecture& tile, const Conv1x1& conv) {
  const ConvChannels& c = conv.channels;
  if (isEmpty(c) || conv.positions <= 0) return {Cycles(50), Flops(0)};
  const ConvTypes& types = conv.types;
  if (numerics::isQuarter(types.input)) return {Cycles(quarter1x1(tile, conv)), Flops(convFlops(c, conv.positions, 1))};
  const int64_t units = ampUnits(tile, types.input);
  const int64_t passes = ceilDiv(c.outChannelsPerGroup, units);
  const int64_t load = weightLoad(tile, types, c.inChannelsPerGroup, coefficientRate(tile, conv.wideLoads));
  const bool half = isHalf(types.input);
  const int64_t h = half && (units >= 16 || isFloat(types.partials)) ? 1 : 0;

  const int64_t zeroingPass = inner1x1(tile, types, conv.positions, true);
  const int64_t laterPass = inner1x1(tile, types, conv.positions, false);
  const int64_t later = 15 - h + 1 + c.outGroups * (19 + passes * (6 + load + laterPass));
  const int64_t first = 11 + c.outGroups * (19 - h + passes * (7 + load + zeroingPass));
  int64_t cycles = 50 + c.convGroups * (12 + h + (c.inGroups - 1) * later + first);
  if (half) cycles += tile.workers * (7 + 3 * (c.inGroups * c.convGroups - 1));
  return {Cycles(cycles), Flops(convFlops(c, conv.positions, 1))};
}

VertexSpec convPartialNx1Spec(const ConvNx1& conv) {
  const int64_t kernel = std::max<int64_t>(conv.kernelOuter * conv.kernelInner, 1);
  VertexState state = ampState(conv.channels);
  state.constantList(kernel * worklists(conv.rows, conv.rowLength), kernel * worklistEntries(conv.rows, conv.rowLength), 2);
  state.scalar(4); // region to zero
  return makeSpec(convName("ConvPartialnx1", conv.types, conv.wideLoads ? ",true" : ",false"), VertexKind::Supervisor,
                  VertexFamily::Convolution, codeBytes(CodeClass::ConvSupervisor), state);
}

namespace {

// One partition of e positions, nx1: 3 + table - 9. Reference 9.4.
int64_t partitionNx1(bool half, int64_t e) {
  static constexpr int64_t kHalf[] = {17, 29, 33, 34}, kFloat[] = {17, 33, 44, 45};
  const size_t at = size_t(std::min<int64_t>(e, 3));
  const int64_t beyond = std::max<int64_t>(e - 3, 0);
  return 3 + (half ? kHalf[at] + 4 * beyond : kFloat[at] + 8 * beyond) - 9;
}

// Fixed part of a weight load by the number of kernel rows packed into one pass.
int64_t weightLoadOverhead(int64_t height) {
  switch (height) {
  case 1: return 15;
  case 2: return 46;
  case 4: return 60;
  default: return 20 * height;
  }
}

int64_t zeroRegion(const arch::TileArchitecture& tile, ElementType partials, int64_t elements) {
  const int64_t vectors = ceilDiv(ceilDiv(elements * elementBytes(partials), tile.dataPathBytes), tile.workers);
  const int64_t halfPartials = isHalf(partials) ? 1 : 0;
  return tile.workers * (vectors + 14 + halfPartials - (9 + halfPartials));
}

// 83 + G x (37 + O x (58 + I x (61 + inner))), inner = KO x (33 + 103 + L + (KI-1) x (86 + L)) + KI x KO x passes x
// max(6 worst, 6 best + 9), worker 18 + per partition 22 + {0, 17, 22, 29 + 4(e-3)}; the constants assume 6 workers. poplin
// PerformanceEstimation getConvPartialnx1SupervisorOuterLoopCycleEstimateQuarter and ...WorkerCyclesQuarter.
// Difference: here weights are loaded at every kernel position; the source counts two loads per kernel row.
int64_t quarterNx1(const arch::TileArchitecture& tile, const ConvNx1& conv, int64_t load) {
  const ConvChannels& c = conv.channels;
  const int64_t workers = tile.workers, kernelOuter = std::max<int64_t>(conv.kernelOuter, 1),
                kernelInner = std::max<int64_t>(conv.kernelInner, 1),
                passes = ceilDiv(c.outChannelsPerGroup, ampUnits(tile, conv.types.input));
  const WorkerSpread spread = spreadRows(conv.rows, conv.rowLength, tile.workers, 18, [](int64_t e) {
    static constexpr int64_t kQuarter[] = {0, 17, 22, 29};
    return 22 + kQuarter[std::min<int64_t>(e, 3)] + 4 * std::max<int64_t>(e - 3, 0);
  });
  const int64_t first = 9 * workers + 13 + 6 * workers + load, later = 7 * workers + 8 + 6 * workers + load;
  const int64_t inner = kernelOuter * (5 * workers + 3 + passes * (first + (kernelInner - 1) * later)) +
                        kernelInner * kernelOuter * passes * std::max(workers * spread.worst, workers * spread.best + 9);
  return 83 + c.convGroups * (5 * workers + 7 + c.outGroups * (8 * workers + 10 + c.inGroups * (8 * workers + 13 + inner)));
}

} // namespace

// inner = KO x (14 + KI x (12 + passes x load)) + KI x KO x passes x max(6 worst, 6 best + 9);
// total = 109 + 6 x 9 + 6 x (9|10) + G (17 O + 6 (O-1) + 1) + 6 (G-1) + 1 + G (16 + I (14 + O (14 + inner))) + zeroing.
// poplin PerformanceEstimation getConvPartialnx1SupervisorCycleEstimate, reference 9.4.
VertexCost convPartialNx1(const arch::TileArchitecture& tile, const ConvNx1& conv) {
  const ConvChannels& c = conv.channels;
  if (isEmpty(c) || conv.rows <= 0 || conv.rowLength <= 0) return {Cycles(109), Flops(0)};
  if (numerics::isQuarter(conv.types.input)) {
    const int64_t load = weightLoad(tile, conv.types, c.inChannelsPerGroup, coefficientRate(tile, conv.wideLoads));
    const int64_t zero =
        c.convGroups * zeroRegion(tile, conv.types.partials, conv.rows * conv.rowLength * c.outGroups * c.outChannelsPerGroup);
    return {
        Cycles(quarterNx1(tile, conv, load) + zero),
        Flops(convFlops(c, conv.rows * conv.rowLength,
                        std::max<int64_t>(conv.kernelOuter, 1) * conv.weightHeight * std::max<int64_t>(conv.kernelInner, 1)))};
  }
  const bool half = isHalf(conv.types.input);
  const int64_t halfPartials = isHalf(conv.types.partials) ? 1 : 0;
  const int64_t kernelOuter = std::max<int64_t>(conv.kernelOuter, 1), kernelInner = std::max<int64_t>(conv.kernelInner, 1);
  int64_t rate = coefficientRate(tile, conv.wideLoads);
  if (conv.weightHeight == 4 && rate == kWideLoadBytes) rate /= 2;
  const int64_t load = weightLoad(tile, conv.types, c.inChannelsPerGroup, rate) + weightLoadOverhead(conv.weightHeight) + 3;
  const int64_t passes = ceilDiv(c.outChannelsPerGroup, ampUnits(tile, conv.types.input));
  const WorkerSpread spread =
      spreadRows(conv.rows, conv.rowLength, tile.workers, 17 + halfPartials, [half](int64_t e) { return partitionNx1(half, e); });
  const int64_t workers = tile.workers;
  const int64_t pass = std::max(workers * spread.worst, workers * spread.best + 9);
  const int64_t inner = kernelOuter * (14 + kernelInner * (12 + passes * load)) + kernelInner * kernelOuter * passes * pass;

  const int64_t g = c.convGroups, o = c.outGroups;
  int64_t cycles = 109 + workers * 9 + workers * (9 + halfPartials) + g * (17 * o + 6 * (o - 1) + 1) + 6 * (g - 1) + 1;
  cycles += g * (16 + c.inGroups * (14 + o * (14 + inner)));
  const int64_t positions = conv.rows * conv.rowLength;
  cycles += g * zeroRegion(tile, conv.types.partials, positions * o * c.outChannelsPerGroup);
  return {Cycles(cycles), Flops(convFlops(c, positions, kernelOuter * conv.weightHeight * kernelInner))};
}

// 6 x (vectors + 14|15 - 9|10). Reference 9.4 "Zero one region".
VertexCost convZero(const arch::TileArchitecture& tile, ElementType partials, int64_t elements) {
  return {Cycles(zeroRegion(tile, partials, std::max<int64_t>(elements, 0))), Flops(0)};
}

VertexSpec convCastSpec(ElementType from, ElementType to) {
  VertexState state;
  state.onePtr().onePtr().scalar(4);
  return makeSpec(std::string("poplin::Cast<") + codeletTypeName(from) + "," + codeletTypeName(to) + ">", VertexKind::Multi,
                  VertexFamily::Convolution, codeBytes(CodeClass::AssemblyLoop), state);
}

// 6 x (elements per worker / vector + 26); the wider type decides the vector. Reference 9.4 "Cast after conv".
VertexCost convCast(const arch::TileArchitecture& tile, ElementType from, ElementType to, int64_t elements) {
  const int64_t v = std::min(vectorWidth(tile, from), vectorWidth(tile, to));
  const int64_t mine = ceilDiv(std::max<int64_t>(elements, 0), tile.workers);
  return {Cycles(tile.workers * (ceilDiv(mine, v) + 26)), Flops(0)};
}

} // namespace simcore::codelets
