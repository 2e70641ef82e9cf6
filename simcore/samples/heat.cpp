#include "simcore/samples/heat.h"

#include "reports/core/text.h"
#include "simcore/samples/stencil_grid.h"

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

// Explicit Euler with fixed values on the border. Two or three dimensions, row-major.
std::vector<HostTensor> heatStep(const HostTensor& in) {
  const bool flat = in.rank() == 2;
  const int64_t depth = flat ? 1 : in.dim(0), height = in.dim(in.rank() - 2), width = in.dim(in.rank() - 1);
  HostTensor result = in;
  const auto u = in.values<float>();
  auto out = result.mutableValues<float>();
  const float alpha = flat ? 0.2f : 0.1f;
  for (int64_t z = flat ? 0 : 1; z < (flat ? 1 : depth - 1); ++z)
    for (int64_t y = 1; y + 1 < height; ++y)
      for (int64_t x = 1; x + 1 < width; ++x) {
        const auto i = std::size_t((z * height + y) * width + x), row = std::size_t(width), plane = std::size_t(width * height);
        float sum = u[i - 1] + u[i + 1] + u[i - row] + u[i + row];
        if (!flat) sum += u[i - plane] + u[i + plane];
        out[i] = u[i] + alpha * (sum - (flat ? 4.0f : 6.0f) * u[i]);
      }
  return {result};
}

// One step of Aliev and Panfilov's model of heart tissue: `in` holds the potential and the recovery variable of each cell.
std::vector<HostTensor> alievPanfilovStep(const HostTensor& in) {
  const int64_t height = in.dim(0), width = in.dim(1);
  HostTensor result = in;
  const auto w = in.values<float>();
  auto out = result.mutableValues<float>();
  const float a = 0.1f, k = 8.0f, eps = 0.01f, mu1 = 0.07f, mu2 = 0.3f, dt = 0.01f, diffusion = 0.2f;
  for (int64_t y = 1; y + 1 < height; ++y)
    for (int64_t x = 1; x + 1 < width; ++x) {
      const auto i = std::size_t(2 * (y * width + x)), row = std::size_t(2 * width);
      const float e = w[i], r = w[i + 1];
      const float laplace = w[i - 2] + w[i + 2] + w[i - row] + w[i + row] - 4.0f * e;
      out[i] = e + diffusion * laplace - dt * (k * e * (e - a) * (e - 1.0f) + e * r);
      out[i + 1] = r + dt * (eps + mu1 * r / (e + mu2)) * (-r - k * e * (e - a - 1.0f));
    }
  return {result};
}

HostTensor warmSpot(const Shape& shape) {
  HostTensor t(ElementType::Float, shape);
  auto v = t.mutableValues<float>();
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 7 == 0 ? 1.0f : 0.0f;
  return t;
}

// Bundles of the inner loops as popc compiled the published vertices (codelets.S of simehaa/IPU: HeatEquation2D, HeatEquation3D,
// AlievPanfilovModel, all by the same compiler). Heat: 16 for two cells of a row, loads and stores most of them because even the
// coefficients find no registers; its first and last cell are done one by one and its rows are found through a list of pointers,
// twice: 46 bundles a row in two dimensions and 78 in three, less the step of the inner loop those two cells replace.
// Aliev-Panfilov: 38 a cell and 33 a row; a division is five instructions (10 for two elements, ipu-reference 9.1). Of its two
// words only the potential has a rim to be stitched to.
struct Equation {
  StencilGrid::Codelet codelet;
  int64_t channels = 1, wordsPerCell = 0;
};
Equation equationOf(bool aliev, bool flat) {
  Equation e;
  CompiledLoop& loop = e.codelet.loop;
  if (aliev) {
    e.codelet.name = "AlievPanfilov";
    loop.loads = 19;
    loop.stores = 2;
    loop.floatOperations = 12 + 5;
    loop.addressing = 3;
    loop.perCell = 1;
    loop.perRow = 33;
    e.codelet.flopsPerCell = 28;
    e.channels = 2;
    e.wordsPerCell = 8;
  } else {
    e.codelet.name = flat ? "Heat2d" : "Heat3d";
    loop.cellsPerStep = 2;
    loop.loads = flat ? 8 : 9;
    loop.stores = flat ? 3 : 2;
    loop.floatOperations = 3;
    loop.addressing = 1;
    loop.perCell = 1;
    loop.perRow = (flat ? 46 : 78) - loop.step();
    e.codelet.flopsPerCell = flat ? 6 : 8;
    e.wordsPerCell = flat ? 5 : 7;
  }
  e.codelet.diagonals = e.codelet.stitch = true; // the published vertices take whole slices, corners and all
  e.codelet.offGridWords = 1;
  return e;
}

} // namespace

Sample heat() {
  Sample s;
  s.name = "heat";
  s.title = "Heat equation";
  s.text = "A regular grid in two or three dimensions, stepped many times: each step exchanges the rims of the blocks and then "
           "computes. Look at how little of a step is exchange, and at "
           "what changes when a slab's rim has to cross to another IPU.";
  s.parameters = {
      {"dims", "2", "2 or 3"},
      {"size", "256", "cells along each dimension"},
      {"steps", "50", "time steps"},
      {"equation", "heat", "heat or aliev-panfilov (two dimensions)"},
      {"blocks", "squares", "squares: the cut whose slowest tile has the least to do; rows: each tile has whole rows"},
      ipusParameter(),
      ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t dims = p.integer("dims", 2, 3), size = p.integer("size", 1, dims == 2 ? 100'000 : 2'000),
                  steps = p.integer("steps", 1, 10'000'000);
    const bool aliev = p.choice("equation", {"heat", "aliev-panfilov"}) == "aliev-panfilov", flat = dims == 2 || aliev;
    const arch::Machine machine = machineOf(p, o);
    const Equation equation = equationOf(aliev, flat);
    const Shape shape(flat ? 2 : 3, size);
    Shape slab = shape;
    slab[0] = reports::ceilDiv(size, machine.ipus);
    MeasuredGraph g("heat",
                    std::string(aliev ? "Aliev-Panfilov " : "Heat equation ") + std::to_string(size) + (flat ? "^2, " : "^3, ") +
                        reports::counted(steps, "step"),
                    machine);
    std::vector<int64_t> blocks = blocksByWork(slab, machine.tilesPerIpu, machine.tile.workers, equation.codelet);
    if (p.choice("blocks", {"squares", "rows"}) == "rows") {
      blocks.assign(slab.size(), 1);
      blocks[0] = std::min<int64_t>(slab[0], machine.tilesPerIpu);
    }
    StencilGrid grid(g, shape, 0, blocks, ElementType::Float, equation.channels);
    g.initialise(grid.front(), [full = grid.front().shape()] { return warmSpot(full); });
    g.initialise(grid.back(), [full = grid.front().shape()] { return warmSpot(full); });
    const HostKernel kernel = [aliev](const std::vector<HostTensor>& in) {
      return aliev ? alievPanfilovStep(in[0]) : heatStep(in[0]);
    };
    Sequence pair;
    grid.step(pair, equation.codelet, false, kernel);
    grid.step(pair, equation.codelet, true, kernel);
    if (steps > 1) g.main().add(program::repeat(steps / 2, pair, "steps", g.context()));
    if (steps % 2) grid.step(g.main(), equation.codelet, false, kernel);
    g.moves(equation.wordsPerCell * 4 * steps * numerics::elementCount(shape));
    return g.finish(steps % 2 ? grid.back() : grid.front(), p.integer("io", 0, 1));
  };
  s.variant = {"naive",
               {{"blocks", "rows"}},
               "Each tile has whole rows, so its rim is as long as the grid is wide. The default cuts nearly square blocks: its "
               "exchange, and with it cycles, are less.",
               "exchange_cycles"};
  return s;
}

} // namespace simcore::samples
