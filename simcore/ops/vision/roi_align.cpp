#include "simcore/ops/vision/roi_align.h"

#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/plan/part_counts.h"
#include "simcore/ops/reduce/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace simcore::ops {

using codelets::RegionRead;
using graph::Box;
using numerics::HostTensor;
using numerics::RegionParameters;
using reports::ceilDiv;
using reports::MemoryCategory;
using reports::roundUp;

namespace {

constexpr int64_t kRegionBytes = 4; // bytes of a coordinate or of an image number, at most

// Number of positions that a bin reads along one direction.
int64_t samplesAlong(const RegionParameters& p, int64_t extent, int64_t bins) {
  return p.samples > 0 ? p.samples : std::max<int64_t>(1, ceilDiv(extent, 2 * bins));
}
int64_t samplesOf(const RegionParameters& p, const Shape& maps) {
  return samplesAlong(p, maps[2], p.height) * samplesAlong(p, maps[3], p.width);
}

// Number of parts if all parts have the size of the largest.
int64_t evened(int64_t extent, int64_t parts) { return ceilDiv(extent, ceilDiv(extent, parts)); }

// The tile with the largest part of everything.
struct RegionPart {
  int64_t regions, bins, channels, images, rows;
};
RegionPart largestPart(const RegionPlan& plan, const Shape& maps, int64_t regions, const RegionParameters& p, int64_t vector) {
  return {ceilDiv(regions, plan.regionCuts), ceilDiv(p.height, plan.binCuts) * p.width,
          std::min(maps[1], roundUp(ceilDiv(maps[1], plan.channelCuts), vector)), ceilDiv(maps[0], plan.imageCuts),
          ceilDiv(maps[2], plan.rowCuts)};
}

codelets::RegionBins workOf(const RegionPlan& plan, const Shape& maps, const RegionParameters& p, int64_t bins,
                            int64_t channels) {
  return {bins, samplesOf(p, maps), 1.0 / double(plan.partials()), channels};
}

void estimatePlan(const arch::Machine& m, ElementType type, RegionRead read, const Shape& maps, int64_t regions,
                  const RegionParameters& p, double availableMemory, RegionPlan& plan) {
  const int64_t size = elementBytes(type), vector = m.tile.vectorWidth(int(size));
  const RegionPart part = largestPart(plan, maps, regions, p, vector);
  const int64_t bytes = part.images * part.rows * maps[3] * part.channels * size + part.regions * 5 * kRegionBytes,
                made = part.regions * part.bins * part.channels;
  plan.exchangeCycles = exchangeEstimate(m, bytes);
  plan.computeCycles =
      codelets::regionBins(m.tile, read, type, workOf(plan, maps, p, part.regions * part.bins, part.channels)).cycles.value();
  plan.temporaryBytes = bytes;
  plan.reduceCycles = 0;
  if (plan.partials() > 1) { // a stage on the tiles of the partials, then each tile that shares a bin adds a share of it
    const codelets::ReduceTypes types{codelets::ReduceOp::Add, type, type};
    const auto stage = [&](int64_t outputs, int64_t partials) {
      return m.tile.workers *
             codelets::reduceBest(m.tile, types, ceilDiv(outputs, m.tile.workers), partials, true).cycles.value();
    };
    plan.reduceCycles =
        stage(made, 1) + exchangeEstimate(m, made * size) + stage(ceilDiv(made, plan.partials()), plan.partials());
    plan.temporaryBytes += 2 * made * size;
  }
  plan.fits = plan.temporaryBytes <= int64_t(availableMemory * double(m.tile.memory.value()));
}

// A planned read, during lowering: cells in the order partial, region, channel, row of bins.
class RegionLowering {
public:
  RegionLowering(const OpBuilder& b, RegionRead read, const Tensor& x, const Tensor& regions, const Tensor& images,
                 const RegionParameters& p)
      : m_b(b), m_read(read), m_p(p), m_x(x), m_regions(regions), m_images(images), m_maps(x.shape()), m_count(regions.dim(0)),
        m_plan(planRegions(b.machine(), x.elementType(), read, m_maps, m_count, p, b.availableMemoryProportion())) {
    const int64_t vector = b.tile().vectorWidth(int(elementBytes(x))),
                  first = b.graph().nextStartTile(m_plan.tiles()) % b.tiles();
    m_layout = Distribution({m_plan.partials(), m_count, m_maps[1], p.height, p.width},
                            {m_plan.partials(), m_plan.regionCuts, m_plan.channelCuts, m_plan.binCuts, 1}, {1, 1, vector, 1, 1},
                            first, b.tileRange());
    b.recordPlan(m_plan.partials() > 1 ? "regions of cut maps" : "regions",
                 fmt::format("regions/{} bins/{} channels/{} maps/{}x{} on {} tiles", m_plan.regionCuts, m_plan.binCuts,
                             m_plan.channelCuts, m_plan.imageCuts, m_plan.rowCuts, m_layout.cells()),
                 {{"partition",
                   {{"regions", m_plan.regionCuts},
                    {"bins", m_plan.binCuts},
                    {"channels", m_plan.channelCuts},
                    {"images", m_plan.imageCuts},
                    {"rows", m_plan.rowCuts}}},
                  {"predicted",
                   {{"exchange", m_plan.exchangeCycles}, {"compute", m_plan.computeCycles}, {"reduce", m_plan.reduceCycles}}}},
                 m_plan.cost());
  }

  Tensor run(HostKernel whole) {
    const OpBuilder parts = m_b.byCells() ? m_b : m_b.timeOnly();
    const Tensor in = gatherMaps();
    const Tensor bins = m_plan.partials() == 1 ? m_b.output(m_x.elementType(), resultShape(), "out", resultLayout())
                                               : m_b.output(m_x.elementType(), m_layout.shape(), "bins", m_layout);
    Superstep step(m_b, "readBins");
    std::map<std::pair<int64_t, int64_t>, codelets::VertexCost> costs;
    const bool maximum = m_read == RegionRead::Elements || m_p.takesMaximum;
    for (int64_t c = 0; c < m_layout.cells(); ++c) {
      const Box box = m_layout.cell(c);
      const int64_t count = box.dims[1].size() * box.dims[3].size() * box.dims[4].size(), channels = box.dims[2].size();
      const auto [cost, added] = costs.try_emplace({count, channels});
      if (added)
        cost->second = codelets::regionBins(m_b.tile(), m_read, m_x.elementType(), workOf(m_plan, m_maps, m_p, count, channels));
      step.add(codelets::regionBinsSpec(m_read, maximum, m_x.elementType()), cost->second,
               {m_layout.tileOf(c), m_layout.tileOf(c) + 1});
    }
    step.execute({m_x, m_regions, in}, {bins});
    const std::vector<Tensor> operands =
        m_images.valid() ? std::vector<Tensor>{m_x, m_regions, m_images.flatten()} : std::vector<Tensor>{m_x, m_regions};
    parts.compute(operands, {bins}, cells(bins.shape()));
    const auto reduction = maximum ? codelets::ReduceOp::Maximum : codelets::ReduceOp::Add;
    const Tensor out = m_plan.partials() == 1 ? bins : reduce(parts, bins, {0}, reduction, false);
    if (!m_b.byCells()) m_b.compute(operands, {out}, std::move(whole));
    return out;
  }

private:
  Shape resultShape() const { return {m_count, m_maps[1], m_p.height, m_p.width}; }
  // Without partial values the cells are the result's cells.
  Distribution resultLayout() const {
    const int64_t vector = m_b.tile().vectorWidth(int(elementBytes(m_x)));
    return Distribution(resultShape(), {m_plan.regionCuts, m_plan.channelCuts, m_plan.binCuts, 1}, {1, vector, 1, 1},
                        m_layout.firstTile(), m_b.tileRange());
  }

  // The part of the maps on a cell.
  Box mapsOf(int64_t cell) const {
    const Box bins = m_layout.cell(cell);
    const int64_t partial = bins.dims[0].begin, images = ceilDiv(m_maps[0], m_plan.imageCuts),
                  rows = ceilDiv(m_maps[2], m_plan.rowCuts), image = partial / m_plan.rowCuts * images,
                  row = partial % m_plan.rowCuts * rows;
    Box box;
    box.dims = {
        {image, std::min(m_maps[0], image + images)}, bins.dims[2], {row, std::min(m_maps[2], row + rows)}, {0, m_maps[3]}};
    return box;
  }

  Tensor gatherMaps() {
    std::vector<Box> boxes;
    std::vector<int64_t> elements(std::size_t(m_b.tiles()), 0), corners = elements, numbers = elements;
    for (int64_t c = 0; c < m_layout.cells(); ++c) {
      const auto tile = std::size_t(m_layout.tileOf(c) - m_b.tileRange().begin);
      boxes.push_back(mapsOf(c));
      elements[tile] = boxes.back().volume();
      numbers[tile] = m_layout.cell(c).dims[1].size();
      corners[tile] = numbers[tile] * m_regions.dim(1);
    }
    const PerTile maps = m_b.perTile(elements), coordinates = m_b.perTile(corners), images = m_b.perTile(numbers);
    const Distribution source = m_b.layoutOf(m_x);
    Traffic traffic = m_b.trafficTo(source, m_maps, boxes, m_layout.firstTile(), maps, elementBytes(m_x));
    traffic.add(m_b.trafficBlind(m_b.layoutOf(m_regions), coordinates, elementBytes(m_regions)));
    PerTile bytes;
    bytes.add(maps, elementBytes(m_x));
    bytes.add(coordinates, elementBytes(m_regions));
    std::vector<Tensor> from{m_x, m_regions};
    if (m_images.valid()) {
      traffic.add(m_b.trafficBlind(m_b.layoutOf(m_images), images, elementBytes(m_images)));
      bytes.add(images, elementBytes(m_images));
      from.push_back(m_images);
    }
    const Tensor in = m_b.buffer(m_x.elementType(), "in", bytes, MemoryCategory::Message);
    m_b.exchange("gatherMaps", from, {in}, traffic);
    return in;
  }

  // Computes every cell from its own maps; the reduction adds the contributions of other maps.
  HostKernel cells(const Shape& made) const {
    std::vector<Box> maps;
    for (int64_t c = 0; c < m_layout.cells(); ++c) maps.push_back(mapsOf(c));
    return oneResult([maps, made, layout = m_layout, source = m_b.layoutOf(m_x), shape = m_maps, read = m_read,
                      p = m_p](const std::vector<HostTensor>& in) {
      const HostTensor regions = in[1].cast(ElementType::Float);
      Pieces out(ElementType::Float, layout);
      const HostTensor x = Pieces(in[0], source).assemble(shape); // assembled from the pieces that tiles hold
      for (int64_t c = 0; c < layout.cells(); ++c) {
        const Box cell = layout.cell(c), &held = maps[std::size_t(c)];
        const HostTensor here = takeBox(x, held);
        std::vector<float> values;
        for (int64_t r = cell.dims[1].begin; r < cell.dims[1].end; ++r) {
          const int64_t image = numerics::regionImage(in.size() > 2 ? double(in[2].integerAt(r)) : regions.at(5 * r), shape);
          for (int64_t channel = 0; channel < cell.dims[2].size(); ++channel)
            for (int64_t i = cell.dims[3].begin; i < cell.dims[3].end; ++i)
              for (int64_t j = 0; j < p.width; ++j) {
                const auto bin = read == RegionRead::Elements ? numerics::pooledBin(regions, r, i, j, shape, p)
                                                              : numerics::alignedBin(regions, r, i, j, shape, p);
                values.push_back(partial(bin, here, held, image, channel));
              }
        }
        out.put(c, HostTensor::vector(values));
      }
      return out.assemble(made);
    });
  }

  // A bin's value from the rows on this tile.
  static float partial(const numerics::RegionBin& bin, const HostTensor& here, const Box& held, int64_t image, int64_t channel) {
    if (bin.taps.empty()) return 0;
    double sum = 0, most = bin.reachesOutside ? 0 : -std::numeric_limits<double>::infinity();
    for (const numerics::RegionTap& t : bin.taps) {
      if (!held.dims[0].contains(image) || !held.dims[2].contains(t.row)) continue;
      const double term =
          t.weight * here.at((((image - held.dims[0].begin) * held.dims[1].size() + channel) * held.dims[2].size() + t.row -
                              held.dims[2].begin) *
                                 held.dims[3].size() +
                             t.column);
      sum += term;
      most = std::max(most, term);
    }
    return float(bin.takesMaximum ? most : sum / bin.divisor);
  }

  const OpBuilder& m_b;
  const RegionRead m_read;
  const RegionParameters m_p;
  const Tensor m_x, m_regions, m_images;
  const Shape m_maps;
  const int64_t m_count;
  const RegionPlan m_plan;
  Distribution m_layout;
};

HostTensor asFloats(const HostTensor& t) { return t.cast(ElementType::Float); }

Tensor regionsBack(const OpBuilder& b, RegionRead read, const std::vector<Tensor>& in, const RegionParameters& p,
                   HostKernel whole) {
  const Tensor& x = in[1];
  const Tensor out = b.output(x.elementType(), {x.numElements()}, "gradient", b.linear(x.numElements(), x.elementType()));
  const OpBuilder time = b.timeOnly();
  RegionLowering(time, read, x, in[2], in.size() > 3 ? in[3] : Tensor(), p).run({});
  binary(time, codelets::BinaryOp::Add, out, out);
  b.compute(in, {out}, std::move(whole));
  return out.reshape(x.shape());
}

} // namespace

RegionPlan planRegions(const arch::Machine& machine, ElementType type, RegionRead read, const Shape& maps, int64_t regions,
                       const RegionParameters& p, double availableMemory) {
  const int64_t tiles = machine.tilesPerIpu, vector = machine.tile.vectorWidth(int(elementBytes(type))),
                grains = ceilDiv(maps[1], vector);
  Cheapest<RegionPlan> best;
  for (const int64_t i : partCounts(std::min(tiles, maps[0])))
    for (const int64_t m : partCounts(i == maps[0] ? std::min(tiles / i, maps[2]) : 1))
      for (const int64_t c : partCounts(std::min(tiles / (i * m), grains)))
        for (const int64_t r : partCounts(std::min(tiles / (i * m * c), std::max<int64_t>(1, regions))))
          for (const int64_t h : partCounts(std::min(tiles / (i * m * c * r), p.height))) {
            RegionPlan plan;
            plan.imageCuts = evened(maps[0], i);
            plan.rowCuts = plan.imageCuts == maps[0] ? evened(maps[2], m) : 1;
            plan.channelCuts = evened(grains, c);
            plan.regionCuts = evened(std::max<int64_t>(1, regions), r);
            plan.binCuts = evened(p.height, h);
            estimatePlan(machine, type, read, maps, regions, p, availableMemory, plan);
            best.offer(plan);
          }
  return best.plan();
}

Tensor alignRegions(const OpBuilder& builder, const Tensor& x, const Tensor& regions, const Tensor& images,
                    const RegionParameters& p) {
  const OpBuilder b = builder.within("alignRegions", "regions");
  return RegionLowering(b, RegionRead::Bilinear, x, regions, images, p).run(oneResult([p](const std::vector<HostTensor>& in) {
    return numerics::alignRegions(asFloats(in[0]), asFloats(in[1]), in[2], p);
  }));
}

Tensor alignRegionsGradient(const OpBuilder& builder, const Tensor& gradient, const Tensor& x, const Tensor& regions,
                            const Tensor& images, const RegionParameters& p) {
  const OpBuilder b = builder.within("alignRegionsGradient", "regions");
  return regionsBack(
      b, RegionRead::Bilinear, {gradient, x, regions, images.flatten()}, p,
      oneResult([p, type = x.elementType(), count = x.numElements()](const std::vector<HostTensor>& in) {
        return numerics::alignRegionsGradient(in[0], asFloats(in[1]), asFloats(in[2]), in[3], p).cast(type).reshaped({count});
      }));
}

Tensor maxPoolRegionsGradient(const OpBuilder& builder, const Tensor& gradient, const Tensor& x, const Tensor& regions,
                              const RegionParameters& p) {
  const OpBuilder b = builder.within("maxPoolRegionsGradient", "regions");
  return regionsBack(
      b, RegionRead::Elements, {gradient, x, regions}, p,
      oneResult([p, type = x.elementType(), count = x.numElements()](const std::vector<HostTensor>& in) {
        return numerics::maxPoolRegionsGradient(in[0], asFloats(in[1]), asFloats(in[2]), p).cast(type).reshaped({count});
      }));
}

Tensor maxPoolRegions(const OpBuilder& builder, const Tensor& x, const Tensor& regions, const RegionParameters& p) {
  const OpBuilder b = builder.within("maxPoolRegions", "regions");
  return RegionLowering(b, RegionRead::Elements, x, regions, {}, p).run(oneResult([p](const std::vector<HostTensor>& in) {
    return numerics::maxPoolRegions(asFloats(in[0]), asFloats(in[1]), p);
  }));
}

} // namespace simcore::ops
