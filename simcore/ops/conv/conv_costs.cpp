// Costs of a plan of a convolution or product: cycles and bytes of each step.
#include "simcore/codelets/copy.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/reduce.h"
#include "simcore/codelets/slice.h"
#include "simcore/ops/conv/conv_problem.h"
#include "simcore/ops/plan/exchange_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace simcore::ops {

using reports::ceilDiv;

namespace {
// Depths after each stage except the last, and the total number of messages that a tile receives.
std::pair<std::vector<int64_t>, double> reduceDepths(int64_t depth, int stages) {
  if (stages == 1) return {{}, double(depth)};
  const auto down = std::max<int64_t>(1, int64_t(std::pow(double(depth), (stages - 1.0) / stages)));
  std::pair<std::vector<int64_t>, double> best{{}, std::numeric_limits<double>::max()};
  for (const int64_t next : {down + 1, down}) {
    auto rest = reduceDepths(next, stages - 1);
    rest.second += double(depth) / double(next);
    if (rest.second >= best.second) continue;
    rest.first.insert(rest.first.begin(), next);
    best = std::move(rest);
  }
  return best;
}

// Depths after each stage. Cached, because planning needs the same ones thousands of times.
const std::vector<int64_t>& depthsOf(int64_t ways) {
  thread_local std::unordered_map<int64_t, std::vector<int64_t>> known;
  std::vector<int64_t>& depths = known[ways];
  if (depths.empty()) {
    depths = reduceDepths(ways, ways >= 125 ? 3 : ways >= 16 ? 2 : 1).first;
    depths.push_back(1);
  }
  return depths;
}
} // namespace

ConvReduceStages reduceStages(int64_t elements, int64_t ways) {
  ConvReduceStages stages;
  int64_t depth = ways;
  for (const int64_t next : depthsOf(ways)) {
    stages.add({ceilDiv(elements * next, ways), ceilDiv(depth, next)});
    depth = next;
  }
  return stages;
}

namespace {
// Estimated number of senders to a tile: assumes the input in equal parts on all tiles, and weights on the tiles that share them.
int64_t sendersTo(const arch::Machine& machine, const ConvParams& p, const PartBytes& part, int64_t sharing) {
  const int64_t input = p.batch * p.groups * p.inChannels * p.in[0] * p.in[1] * elementBytes(p.type);
  const int64_t ofInput = ceilDiv(part.input, std::max<int64_t>(4, input / machine.tilesPerIpu));
  const int64_t ofWeights = sharing > 1 ? std::min(sharing, ceilDiv(part.weights, kLeastConvShare)) : 0;
  return std::min<int64_t>(ofInput, machine.tilesPerIpu) + ofWeights;
}
} // namespace

int64_t arrangeCycles(const arch::TileArchitecture& tile, const ConvParams& p, const PartBytes& b) {
  if (b.zeroed > 0) return codelets::convZero(tile, p.type, b.zeroed / elementBytes(p.type)).cycles.value();
  const int64_t halves = elementBytes(p.type) <= 2 ? b.transformed : 0;
  return b.transformed > 0 ? codelets::rearrangementCycles(halves, b.transformed - halves, 0).value() : 0;
}

SliceCosts sliceCosts(const ConvParams& p, const ConvPlan& plan) {
  if (p.pass == ProductPass::None || plan.serial() == 1) return {};
  const int64_t weights = p.groups * p.inChannels * p.outChannels * p.kernel[0] * p.kernel[1],
                input = p.batch * p.groups * p.inChannels * p.in[0] * p.in[1];
  return {ceilDiv(weights * plan.serial(), plan.tiles()), ceilDiv(weights, plan.tiles()),
          plan.inSerial > 1 ? ceilDiv(input, plan.tiles()) : 0};
}

RearrangeCosts rearrangeCosts(const ConvParams& p, const ConvForm& f, const ConvPlan& plan) {
  RearrangeCosts costs;
  const bool isLayer = p.pass != ProductPass::None, isUpdate = p.pass == ProductPass::Update,
             fillsIn = isLayer && f.inChannels % f.inGrain != 0,
             fillsOut = f.swapped ? f.padsRows(p.out(0)) : isLayer && f.outChannels % f.outGrain != 0;
  const auto ofATile = [&](int64_t elements) { return ceilDiv(elements, plan.tiles()); };
  if (!isLayer && !fillsOut) return costs;
  costs.input = isUpdate || p.pass == ProductPass::Backward || fillsIn;
  costs.weights = fillsIn || fillsOut;
  if (f.swapped) std::swap(costs.input, costs.weights);
  if (costs.input) costs.operandElements += p.batch * p.groups * p.inChannels * p.in[0] * p.in[1];
  if (costs.weights) costs.operandElements += p.groups * p.inChannels * p.outChannels * p.kernel[0] * p.kernel[1];
  if (isUpdate || fillsOut)
    costs.resultElements = p.batch * p.groups * plan.groupSerial * p.outChannels * plan.outSerial * p.out(0) * p.out(1);
  costs.operandElements = ofATile(costs.operandElements);
  costs.resultElements = ofATile(costs.resultElements);
  const int64_t vector = p.type == ElementType::Float ? 2 : 4;
  const auto cycles = [&](int64_t elements, int64_t channels) { return ceilDiv(elements * 5, channels % vector == 0 ? 4 : 3); };
  costs.operandCycles = cycles(costs.operandElements, p.inChannels * p.outChannels);
  costs.resultCycles = cycles(costs.resultElements, p.outChannels);
  return costs;
}

TransposeCost weightTransposeCost(const arch::TileArchitecture& tile, const ConvParams& p, const ConvForm& f,
                                  const ConvPlan& plan) {
  TransposeCost t;
  if (p.pass != ProductPass::Backward) return t;
  if (f.inGrain == 1 || (f.swapped ? f.rowGrain : f.outGrain) == 1) return t; // a block of one row is its own transpose
  const int64_t rows = std::max<int64_t>(1, f.inGrain), columns = std::max<int64_t>(1, f.swapped ? f.rowGrain : f.outGrain);
  t.elements = ceilDiv(p.groups * p.inChannels * p.outChannels, plan.tiles());
  t.spec = codelets::transposeSpec(p.type, codelets::hasFastTranspose(p.type, rows, columns));
  t.cost = codelets::transpose(tile, p.type, rows, columns, ceilDiv(t.elements, rows * columns));
  return t;
}

bool estimate(const arch::Machine& machine, const ConvParams& p, const ConvForm& f, ConvPlan& plan, int64_t mostCycles) {
  const ConvPart part = largestPart(p, f, plan);
  const auto takesMore = [&](int64_t cycles) { return cycles > mostCycles / plan.serial(); };
  plan.computeCycles = partialCost(machine.tile, p, f, part).cycles.value();
  // The last tile's channels are fewer, but a dot product of an odd number takes longer.
  if (const int64_t last = f.inChannels - (f.inChannels - 1) / part.inChannels * part.inChannels;
      f.method == ConvMethod::Hmac && last != part.inChannels) {
    ConvPart rest = part;
    rest.inChannels = last;
    plan.computeCycles = std::max(plan.computeCycles, partialCost(machine.tile, p, f, rest).cycles.value());
  }
  if (takesMore(plan.computeCycles)) return false;
  const PartBytes b = bytesOf(p, f, part);
  const auto transferCycles = [&](double bytes) { return int64_t(machine.exchange.transferCycles(bytes)); };
  const int64_t sharing = plan.batchSplit * plan.fieldSplit[0] * plan.fieldSplit[1]; // tiles that need the same weights
  const double weightsIn = double(b.weights) * (1.0 - 1.0 / double(sharing)),
               inputIn = double(b.input) * (1.0 - 1.0 / double(plan.tiles()));
  const BusSharing shared = busSharing(p, plan);
  const auto widthOf = [&](bool both) { return both ? double(machine.exchange.tilesPerBus) : 1.0; };
  // The barrier is left out, because the validation figures depend on plans chosen this way.
  plan.exchangeCycles = exchangeEstimate(machine, weightsIn / widthOf(shared.weights) + inputIn / widthOf(shared.input),
                                         sendersTo(machine, p, b, sharing), Barrier::LeftOut);
  plan.transformCycles = arrangeCycles(machine.tile, p, b);
  if (f.combineGroups > 1) plan.transformCycles += codelets::memcpyCycles(machine.tile, b.weightsPadded, 4).cycles.value();
  const RearrangeCosts anew = rearrangeCosts(p, f, plan);
  plan.transformCycles += anew.operandCycles;
  plan.exchangeCycles += transferCycles(double(anew.operandElements * elementBytes(p.type)));
  if (takesMore(plan.computeCycles + plan.exchangeCycles + plan.transformCycles)) return false;
  plan.reduceCycles = 0;
  const int64_t outputs = partialElements(f, part);
  const int64_t ways = plan.partialSums();
  if (ways > 1) {
    const auto stages = reduceStages(outputs, ways);
    for (const ConvReduceStage& stage : stages) {
      const ElementType result = &stage == &stages.back() ? p.result() : p.partials;
      const int64_t bytes = stage.share * elementBytes(p.partials);
      // Every further sender costs cycles, like in the exchange itself.
      plan.reduceCycles +=
          exchangeEstimate(machine, double(bytes * (stage.fanIn - 1)), stage.fanIn - 1) +
          codelets::memcpyCycles(machine.tile, bytes, 8).cycles.value() +
          codelets::convReduceSingleInput(machine.tile, result, p.partials, stage.share, stage.fanIn).cycles.value();
    }
  } else if (p.partials != p.result()) {
    plan.reduceCycles = codelets::convCast(machine.tile, p.partials, p.result(), outputs).cycles.value();
  }
  plan.temporaryBytes = b.held + b.transformed + (sharing > 1 ? b.weightsPadded : 0) +
                        (ways > 1 || p.partials != p.result() ? b.partials * (ways > 1 ? 2 : 1) : b.filling);
  // Rearranged operands exist twice during the rearrangement, but not during the product.
  plan.temporaryBytes =
      std::max(plan.temporaryBytes, 2 * std::max(anew.operandElements, anew.resultElements) * elementBytes(p.type));
  const auto layResultAnew = [&] {
    plan.transformCycles += anew.resultCycles;
    plan.exchangeCycles += transferCycles(double(anew.resultElements * elementBytes(p.result())));
    return true;
  };
  if (plan.serial() == 1) return layResultAnew();
  // Each iteration fetches its slices; its result is added to the sum (input channels) or copied into the output.
  plan.temporaryBytes += b.output;
  const int64_t update = plan.inSerial > 1 ? codelets::binaryOp1D(machine.tile, codelets::BinaryOp::Add, p.result(),
                                                                  ceilDiv(outputs, ways), codelets::Placement::InPlace)
                                                 .cycles.value()
                                           : codelets::memcpyCycles(machine.tile, ceilDiv(b.output, ways), 8).cycles.value();
  plan.reduceCycles += update;
  const SliceCosts slices = sliceCosts(p, plan);
  for (const int64_t n : {slices.weightSlice, slices.inputSlice})
    if (n > 0)
      plan.transformCycles +=
          codelets::dynamicSlice1D(machine.tile, codelets::SliceDirection::Slice, p.type, n, 1).cycles.value();
  for (int64_t* cycles : {&plan.exchangeCycles, &plan.transformCycles, &plan.computeCycles, &plan.reduceCycles})
    *cycles *= plan.serial();
  const int64_t arranged = slices.weightElements * elementBytes(p.type);
  plan.exchangeCycles += transferCycles(double(arranged));
  plan.transformCycles += slices.weightElements; // one element per cycle, poplin's estimate
  return layResultAnew();
}

} // namespace simcore::ops
