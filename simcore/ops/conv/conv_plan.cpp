#include "simcore/ops/conv/conv_problem.h"
#include "simcore/ops/conv/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

namespace simcore::ops {

using reports::ceilDiv;
using reports::roundUp;

const char* convMethodName(ConvMethod method) {
  static constexpr const char* kNames[] = {"AMP", "AMP (kernel expanded into channels)", "SLIC", "VMAC", "HMAC", "outer product"};
  return kNames[std::size_t(method)];
}

std::string ConvPlan::text() const {
  std::string extra = combineGroups > 1 ? fmt::format(", {} groups joined", combineGroups) : "";
  if (serial() > 1)
    extra += fmt::format(", {} serial slices (groups {}, out {}, in {})", serial(), groupSerial, outSerial, inSerial);
  if (swapped) extra += ", operands swapped (the rows of the first are the weights)";
  const std::string kernel =
      kernelSplit[0] * kernelSplit[1] > 1 ? fmt::format(" kernel/{}x{}", kernelSplit[0], kernelSplit[1]) : "";
  std::string why = fits ? "" : fmt::format("; does not fit the {} KiB it may use", memoryBound / 1024);
  why += nextMethod.empty() ? "; no other method fits" : fmt::format("; {} would take {} cycles", nextMethod, nextCycles);
  return fmt::format("{} on {} tiles: batch/{} groups/{} field/{}x{} out-channels/{} in-channels/{}{}{}{}",
                     convMethodName(method), tiles(), batchSplit, groupSplit, fieldSplit[0], fieldSplit[1], outSplit, inSplit,
                     kernel, extra, why);
}

PlanFacts ConvPlan::details() const {
  const PlanValue next = nextMethod.empty() ? PlanValue() : PlanValue{{"cycles", nextCycles}, {"method", nextMethod}};
  return {{"combine_groups", combineGroups},
          {"compared_plans", considered},
          {"memory_bound_bytes", memoryBound},
          {"method", convMethodName(method)},
          {"next_method", next},
          {"operands_swapped", swapped},
          {"partition",
           {{"batch", batchSplit},
            {"field", fieldSplit},
            {"groups", groupSplit},
            {"in_channels", inSplit},
            {"kernel", kernelSplit},
            {"out_channels", outSplit}}},
          {"predicted",
           {{"compute", computeCycles}, {"exchange", exchangeCycles}, {"reduce", reduceCycles}, {"transform", transformCycles}}},
          {"serial", {{"groups", groupSerial}, {"in_channels", inSerial}, {"out_channels", outSerial}}},
          {"temporary_bytes", temporaryBytes},
          {"tiles", tiles()},
          {"within_memory_bound", fits}};
}

namespace {

using Candidates = std::vector<int64_t>;
// Numbers of parts with distinct part sizes, in whole grains: about 2 sqrt(extent) of them.
Candidates splitsOf(int64_t extent, int64_t grain, int64_t limit) {
  const int64_t grains = ceilDiv(extent, grain);
  Candidates c;
  for (int64_t part = grains; part >= 1;) {
    const int64_t parts = ceilDiv(grains, part);
    if (parts > limit) break;
    if (c.empty() || c.back() != parts) c.push_back(parts);
    const int64_t nextParts = parts + 1;
    part = std::min(part - 1, ceilDiv(grains, nextParts));
  }
  return c;
}

// Number of further halvings of slices if only dot products fit.
constexpr int64_t kFurtherSlices = 3;

class Planner {
public:
  Planner(const arch::Machine& machine, const ConvParams& params, double availableMemory)
      : m_machine(machine), m_whole(params), m_bound(int64_t(availableMemory * double(machine.tile.memory.value()))) {}

  ConvPlan run() {
    // The fewest serial slices that fit; if none fits, the plan that needs least memory. Dot products take ten times as long as
    // the matrix unit, so if only they fit, kFurtherSlices more numbers of slices are tried.
    int64_t further = 0;
    for (int64_t slices = 1; slices <= 1024; slices *= 2) {
      if (m_best.found() && m_best.cost().fits && (m_unitFits || further++ == kFurtherSlices)) break;
      for (int64_t groups = 1; groups <= std::min(slices, m_whole.groups); groups *= 2)
        for (int64_t outs = 1; groups * outs <= slices; outs *= 2) {
          const int64_t ins = slices / (groups * outs);
          if (outs > m_whole.outChannels || ins > m_whole.inChannels) continue;
          m_serial = ConvPlan();
          m_serial.groupSerial = groups;
          m_serial.outSerial = outs;
          m_serial.inSerial = ins;
          m_params = slicedParams(m_whole, m_serial);
          for (const ConvForm& form : formsOf(m_machine.tile, m_params)) search(form);
        }
    }
    ConvPlan best = m_best.plan();
    best.memoryBound = m_bound;
    best.considered = m_considered;
    for (std::size_t i = 0; i < m_fewest.size(); ++i)
      if (m_fewest[i] && ConvMethod(i) != best.method && (best.nextMethod.empty() || m_fewest[i] < best.nextCycles)) {
        best.nextMethod = convMethodName(ConvMethod(i));
        best.nextCycles = m_fewest[i];
      }
    return best;
  }

private:
  void search(const ConvForm& f) {
    const int64_t tiles = m_machine.tilesPerIpu;
    const Candidates groups = splitsOf(f.groups, f.groupGrain, tiles), batches = splitsOf(m_params.batch, 1, tiles),
                     outs = splitsOf(f.outChannels, f.outGrain, tiles), ins = splitsOf(f.inChannels, f.inGrain, tiles),
                     rows = splitsOf(m_params.out(0), f.rowGrain, tiles), columns = splitsOf(m_params.out(1), 1, tiles);
    const auto kernels = kernelSplits(f);
    for (int64_t g : groups)
      for (int64_t n : batches) {
        if (g * n > tiles) break;
        for (int64_t o : outs) {
          if (g * n * o > tiles) break;
          for (int64_t i : ins) {
            if (g * n * o * i > tiles) break;
            ConvPlan plan = m_serial;
            plan.method = f.method;
            plan.combineGroups = f.combineGroups;
            plan.inGrain = f.inGrain;
            plan.swapped = f.swapped;
            plan.groupSplit = g;
            plan.batchSplit = n;
            plan.outSplit = o;
            plan.inSplit = i;
            for (const auto& kernel : kernels) {
              plan.kernelSplit = kernel;
              searchField(f, plan, rows, columns);
            }
          }
        }
      }
  }

  // Splits of the kernel: by rows, and also by columns once every row is separate. The short-kernel and depthwise forms need
  // whole kernels.
  std::vector<std::array<int64_t, 2>> kernelSplits(const ConvForm& f) const {
    std::vector<std::array<int64_t, 2>> splits{{1, 1}};
    if (f.taps == 1 || (f.method != ConvMethod::Amp && f.method != ConvMethod::Hmac)) return splits;
    const int64_t tiles = m_machine.tilesPerIpu;
    for (int64_t h : splitsOf(m_params.kernel[0], 1, tiles))
      if (h > 1) splits.push_back({h, 1});
    for (int64_t w : splitsOf(m_params.kernel[1], 1, tiles))
      if (w > 1) splits.push_back({m_params.kernel[0], w});
    return splits;
  }

  void searchField(const ConvForm& f, ConvPlan plan, const Candidates& rows, const Candidates& columns) {
    const bool isDear = takesMoreOnAnyField(f, plan);
    plan.fieldSplit = {1, 1};
    const int64_t tiles = m_machine.tilesPerIpu, used = plan.tiles();
    const auto offer = [&] {
      ++m_considered;
      if (!isDear) consider(f, plan);
    };
    for (int64_t h : rows) {
      if (used * h > tiles) break;
      // For the innermost split, only the finest one that fits the tiles can be best in cycles; for memory all splits matter.
      const auto last = std::upper_bound(columns.begin(), columns.end(), tiles / (used * h));
      plan.fieldSplit = {h, *std::prev(last)};
      offer();
      if (std::prev(last) != columns.begin() && h == 1) {
        plan.fieldSplit[1] = 1;
        offer();
      }
    }
  }

  // Whether the vertices alone take longer than a known plan of this method, for any split of the field over the remaining tiles.
  bool takesMoreOnAnyField(const ConvForm& f, const ConvPlan& plan) const {
    const int64_t fewest = m_fewest[std::size_t(plan.method)], left = m_machine.tilesPerIpu / plan.tiles();
    if (!fewest || left == 0) return false;
    const ConvPart part = largestPart(m_params, f, plan);
    const int64_t positions = part.batch * ceilDiv(m_params.out(0) * m_params.out(1), left);
    return leastPartialCycles(m_machine.tile, m_params, f, part, positions) > fewest / plan.serial();
  }

  // Dot products without the matrix unit are a fallback (programming-model 2.1): their worklists, one for each tap and worker,
  // take memory permanently, so this method must save more than 1/50 of the cycles.
  static PlanCost costOf(const ConvPlan& plan) {
    PlanCost cost = plan.cost();
    if (plan.method == ConvMethod::Hmac) cost.cycles += cost.cycles / 50;
    return cost;
  }

  void consider(const ConvForm& f, ConvPlan plan) {
    // A slower plan is irrelevant if another plan of the same method fits.
    int64_t& fewest = m_fewest[std::size_t(plan.method)];
    if (!estimate(m_machine, m_params, f, plan, fewest ? fewest : INT64_MAX)) return;
    plan.fits = plan.temporaryBytes <= m_bound;
    m_unitFits = m_unitFits || (plan.fits && plan.method != ConvMethod::Hmac);
    if (plan.fits) {
      fewest = fewest ? std::min(fewest, plan.cycles()) : plan.cycles();
    }
    m_best.offer(plan, costOf(plan));
  }

  const arch::Machine& m_machine;
  const ConvParams m_whole;
  ConvParams m_params; // of one serial slice
  ConvPlan m_serial;
  const int64_t m_bound;
  Cheapest<ConvPlan> m_best;
  int64_t m_considered = 0;
  std::array<int64_t, 6> m_fewest{}; // cycles of the best fitting plan, by method; 0: none fits
  bool m_unitFits = false;           // whether a plan other than dot products fits
};

} // namespace

namespace {
// Products with swapped operands: rows fill groups of the matrix unit's output channels. Columns and dot products are cut in words of
// the data path.
std::vector<ConvForm> swappedForms(const arch::TileArchitecture& tile, const ConvParams& p, const std::vector<ConvForm>& plain) {
  std::vector<ConvForm> forms;
  if (!p.product || p.batch != 1 || p.out(1) != 1) return forms;
  for (ConvForm f : plain) {
    if (f.combineGroups > 1 || (f.method != ConvMethod::Amp && f.method != ConvMethod::Hmac)) continue;
    f.swapped = true;
    f.rowGrain = f.outGrain;
    f.outGrain = std::max<int64_t>(1, tile.dataPathBytes / elementBytes(p.type));
    f.inGrain = std::max(f.inGrain, f.outGrain); // dot products of whole words
    forms.push_back(f);
  }
  return forms;
}
} // namespace

std::vector<ConvForm> formsOf(const arch::TileArchitecture& tile, const ConvParams& p) {
  std::vector<ConvForm> forms;
  const bool half = p.type == ElementType::Half, isQuarter = numerics::isQuarter(p.type) && tile.hasQuarter(),
             direct = half || isQuarter || p.type == ElementType::Float;
  const int64_t taps = p.kernel[0] * p.kernel[1];
  ConvForm base;
  base.groups = p.groups;
  base.inChannels = p.inChannels;
  base.outChannels = p.outChannels;
  base.taps = taps;
  if (direct) {
    const int64_t inGroup = codelets::ampInputChannels(tile, p.type), outGroup = codelets::ampUnits(tile, p.type);
    ConvForm amp = base;
    amp.method = ConvMethod::Amp;
    amp.inGrain = inGroup;
    amp.outGrain = outGroup;
    forms.push_back(amp);
    // Few channels per group: joins groups into one block-diagonal product so that the matrix unit's inputs are used.
    for (int64_t join = 2; join <= inGroup; join *= 2) {
      if (p.groups % join || p.inChannels * join > inGroup) continue;
      ConvForm joined = amp;
      joined.combineGroups = join;
      joined.groups = p.groups / join;
      joined.inChannels = p.inChannels * join;
      joined.outChannels = p.outChannels * join;
      forms.push_back(joined);
    }
    // Few input channels and many taps, as in a first layer: taps become channels of a 1x1 product.
    if (taps > 1 && p.inChannels < inGroup) {
      ConvForm expanded = amp;
      expanded.method = ConvMethod::AmpExpanded;
      expanded.inChannels = p.inChannels * taps;
      expanded.taps = 1;
      expanded.expansion = taps;
      forms.push_back(expanded);
    }
  }
  const auto withSwapped = [&] {
    const std::vector<ConvForm> swapped = direct ? swappedForms(tile, p, forms) : std::vector<ConvForm>();
    forms.insert(forms.end(), swapped.begin(), swapped.end());
    return forms;
  };
  if (isQuarter) return withSwapped(); // without the matrix unit, no vertex supports 8-bit floats
  const bool depthwise = p.inChannels == 1 && p.outChannels == 1;
  if (half && depthwise && p.groups >= 4) {
    ConvForm vmac = base;
    vmac.method = ConvMethod::Vmac;
    vmac.groupGrain = p.groups % 16 == 0 ? 16 : p.groups % 8 == 0 ? 8 : 4;
    forms.push_back(vmac);
  }
  const bool hasSlic = tile.architecture != "gc2"; // the short-kernel instructions exist since the second generation
  if (hasSlic && half && p.inChannels == p.outChannels && (p.inChannels == 1 || p.inChannels == 2 || p.inChannels == 4) &&
      p.groups * p.inChannels % 4 == 0 && p.stride[0] == p.stride[1] && p.stride[1] <= 2 && p.dilation[0] == 1 &&
      p.dilation[1] == 1 && taps > 1) {
    ConvForm slic = base;
    slic.method = ConvMethod::Slic;
    slic.groupGrain = std::max<int64_t>(1, 4 / p.inChannels);
    forms.push_back(slic);
  }
  if (p.inChannels == 1 && taps == 1 && p.groups == 1) {
    ConvForm outer = base;
    outer.method = ConvMethod::OuterProduct;
    forms.push_back(outer);
  }
  ConvForm hmac = base;
  hmac.method = ConvMethod::Hmac;
  forms.push_back(hmac);
  // A dot product of halves reads four at once; of a number that is not a multiple it reads one or two at a time.
  if (const int64_t vector = tile.dataPathBytes / elementBytes(p.type); half && p.inChannels > vector) {
    hmac.inGrain = vector;
    forms.push_back(hmac);
  }
  return withSwapped();
}

int64_t partialElements(const ConvForm& f, const ConvPart& part) {
  return part.batch * roundUp(part.rows, f.rowGrain) * part.columns * part.groups * part.outChannels;
}

ConvPart largestPart(const ConvParams& p, const ConvForm& f, const ConvPlan& plan) {
  auto part = [](int64_t extent, int64_t grain, int64_t split) {
    return std::min(extent, roundUp(ceilDiv(extent, split), grain));
  };
  return {part(p.batch, 1, plan.batchSplit),
          part(f.groups, f.groupGrain, plan.groupSplit),
          part(p.out(0), f.rowGrain, plan.fieldSplit[0]),
          part(p.out(1), 1, plan.fieldSplit[1]),
          part(f.outChannels, f.outGrain, plan.outSplit),
          part(f.inChannels, f.inGrain, plan.inSplit),
          f.taps == 1
              ? std::array<int64_t, 2>{1, 1}
              : std::array<int64_t, 2>{part(p.kernel[0], 1, plan.kernelSplit[0]), part(p.kernel[1], 1, plan.kernelSplit[1])}};
}

PartBytes bytesOf(const ConvParams& p, const ConvForm& f, const ConvPart& part) {
  const int64_t size = elementBytes(p.type);
  auto field = [&](std::size_t d, int64_t outs) {
    const int64_t taps = f.taps == 1 ? p.kernel[d] : part.kernel[d];
    return std::min(p.in[d], (outs - 1) * p.stride[d] + p.dilation[d] * (taps - 1) + 1);
  };
  PartBytes b;
  const int64_t patch = field(0, part.rows) * field(1, part.columns);
  b.input = part.batch * part.groups * ceilDiv(part.inChannels, f.expansion) * patch * size;
  b.transformed = f.expansion > 1 ? part.batch * part.groups * part.inChannels * part.rows * part.columns * size : 0;
  if (f.padsRows(part.rows)) b.zeroed = part.groups * roundUp(part.inChannels, f.inGrain) * roundUp(part.rows, f.rowGrain) * size;
  b.held = std::max(b.input, b.zeroed);
  b.weights = ceilDiv(part.groups * part.inChannels * part.outChannels * part.taps(), f.combineGroups) * size;
  b.weightsPadded =
      part.groups * roundUp(part.inChannels, f.inGrain) * roundUp(part.outChannels, f.outGrain) * part.taps() * size;
  b.partials = partialElements(f, part) * elementBytes(p.partials);
  b.filling = b.partials - part.batch * part.rows * part.columns * part.groups * part.outChannels * elementBytes(p.partials);
  b.output = part.batch * part.rows * part.columns * part.groups * part.outChannels * elementBytes(p.result());
  return b;
}

ConvParams slicedParams(const ConvParams& params, const ConvPlan& plan) {
  ConvParams p = params;
  p.groups = ceilDiv(params.groups, plan.groupSerial);
  p.outChannels = ceilDiv(params.outChannels, plan.outSerial);
  p.inChannels = ceilDiv(params.inChannels, plan.inSerial);
  return p;
}

BusSharing busSharing(const ConvParams& p, const ConvPlan& plan) {
  enum class Split { Input, Weights, Nothing }; // the operand that neighbouring tiles share if this split varies fastest
  const std::pair<int64_t, Split> outs{plan.outSplit, Split::Input}, batch{plan.batchSplit, Split::Weights},
      field{plan.fieldSplit[0] * plan.fieldSplit[1], Split::Weights}, ins{plan.partialSums(), Split::Nothing};
  for (const auto& [split, common] : p.product ? std::array{outs, batch, ins, field} : std::array{ins, field, outs, batch})
    if (split > 1) return {common == Split::Input && split % 2 == 0, common == Split::Weights && split % 2 == 0};
  return {};
}

namespace {
// Returns every member, so that plans for machines that differ in any member stay separate. A new member must be added here: a
// binding with too few names does not compile.
auto valuesOf(const arch::TileArchitecture& tile) {
  const auto& [architecture, workers, memory, interleavedStart, elementSize, dataPath, unitsHalf, unitsFloat, unitsQuarter,
               inputsHalf, inputsFloat, inputsQuarter, chain, coefficients, rptLimit] = tile;
  return std::tuple(architecture, workers, memory, interleavedStart, elementSize, dataPath, unitsHalf, unitsFloat, unitsQuarter,
                    inputsHalf, inputsFloat, inputsQuarter, chain, coefficients, rptLimit);
}
auto valuesOf(const arch::ExchangeFabric& exchange) {
  const auto& [bytesPerCycle, tilesPerBus, baseLatency, internalSync, messageOverhead] = exchange;
  return std::tuple(bytesPerCycle, tilesPerBus, baseLatency, internalSync, messageOverhead);
}
} // namespace

ConvParams withPartials(ConvParams params, const ConvOptions& options) {
  if (numerics::isQuarter(params.type) || (options.partials == ElementType::Half && params.type == ElementType::Half))
    params.partials = ElementType::Half;
  return params;
}

ConvPlan planConvolution(const arch::Machine& machine, const ConvParams& params, const ConvOptions& options) {
  const ConvParams p = withPartials(params, options);
  // The planning cache: networks repeat layers.
  using Key = decltype(std::tuple_cat(valuesOf(machine.tile), valuesOf(machine.exchange), std::tuple<int, ConvParams, double>()));
  static std::mutex mutex;
  static std::map<Key, ConvPlan> cache;
  const double availableMemory = options.availableMemoryProportion.value_or(kAvailableMemoryProportion);
  const Key key =
      std::tuple_cat(valuesOf(machine.tile), valuesOf(machine.exchange), std::tuple(machine.tilesPerIpu, p, availableMemory));
  {
    const std::lock_guard lock(mutex);
    if (const auto it = cache.find(key); it != cache.end()) return it->second;
  }
  const ConvPlan plan = Planner(machine, p, availableMemory).run();
  const std::lock_guard lock(mutex);
  return cache.emplace(key, plan).first->second;
}

} // namespace simcore::ops
