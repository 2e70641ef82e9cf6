#include "simcore/samples/heat.h"

#include "reports/core/text.h"
#include "simcore/samples/stencil_grid.h"
#include "simcore/samples/work.h"

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

// An explicit Euler step in two or three dimensions; the border is fixed.
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

// One step of Aliev and Panfilov's model of heart tissue: the potential and the recovery variable of each cell.
std::vector<HostTensor> alievPanfilovStep(const HostTensor& potential, const HostTensor& recovery) {
  const int64_t height = potential.dim(0), width = potential.dim(1);
  HostTensor result = potential, recovered = recovery;
  const auto w = potential.values<float>(), s = recovery.values<float>();
  auto out = result.mutableValues<float>(), back = recovered.mutableValues<float>();
  const float a = 0.1f, k = 8.0f, eps = 0.01f, mu1 = 0.07f, mu2 = 0.3f, dt = 0.01f, diffusion = 0.2f;
  for (int64_t y = 1; y + 1 < height; ++y)
    for (int64_t x = 1; x + 1 < width; ++x) {
      const auto i = std::size_t(y * width + x), row = std::size_t(width);
      const float e = w[i], r = s[i];
      const float laplace = w[i - 1] + w[i + 1] + w[i - row] + w[i + row] - 4.0f * e;
      out[i] = e + diffusion * laplace - dt * (k * e * (e - a) * (e - 1.0f) + e * r);
      back[i] = r + dt * (eps + mu1 * r / (e + mu2)) * (-r - k * e * (e - a - 1.0f));
    }
  return {result, recovered};
}

HostTensor warmSpot(const Shape& shape) {
  HostTensor t(ElementType::Float, shape);
  auto v = t.mutableValues<float>();
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 7 == 0 ? 1.0f : 0.0f;
  return t;
}

// Bundles of the inner loops as popc compiled the published vertices (codelets.S of simehaa/IPU: HeatEquation2D, HeatEquation3D,
// AlievPanfilovModel, all by the same compiler). Heat takes 16 bundles for two cells of a row, mostly loads and stores, because
// even the coefficients are not kept in registers. The first and last cell of a row (with odd length only the first) are computed
// outside the loop, and rows are found twice through a list of pointers. This costs 46 bundles per row in two dimensions (odd:
// 38) and 78 in three (odd: 59), less the loop step that these cells replace. Aliev-Panfilov takes 38 bundles per cell and 33 per
// row; a division is five instructions (10 for two elements, ipu-reference 9.1).
struct Equation {
  StencilGrid::Codelet codelet;
  int64_t wordsPerCell = 0; // loads and stores as the published rates count them
};
Equation equationOf(bool aliev, bool flat) {
  Equation e;
  CompiledLoop& loop = e.codelet.loop;
  loop.perCell = 1;
  if (aliev) {
    e.codelet.name = "AlievPanfilov";
    loop.loads = 19;
    loop.stores = 2;
    loop.floatOperations = 12 + 5;
    loop.addressing = 3;
    loop.perRow = 33;
    e.codelet.flopsPerCell = 28;
    e.wordsPerCell = 8;
  } else {
    e.codelet.name = flat ? "Heat2d" : "Heat3d";
    loop.cellsPerStep = 2;
    loop.loads = flat ? 8 : 9;
    loop.stores = flat ? 3 : 2;
    loop.floatOperations = 3;
    loop.addressing = 1;
    loop.perRow = (flat ? 46 : 78) - loop.step();
    loop.lessPerOddRow = flat ? 46 - 38 : 78 - 59;
    e.codelet.flopsPerCell = flat ? 6 : 8;
    e.wordsPerCell = flat ? 5 : 7;
  }
  e.codelet.diagonals = e.codelet.stitch = true; // the published vertices read whole slices with their corners
  e.codelet.wordRows = true;
  return e;
}

// The published programs cut the innermost dimension over IPUs, then the grid without its border over tiles. In Aliev-Panfilov
// the border is not part of the grid.
StencilGrid gridOf(MeasuredGraph& g, int64_t size, bool flat, bool rows, bool aliev) {
  const auto& machine = g.machine();
  const Shape shape(flat ? 2 : 3, size);
  Shape inside(shape.size(), std::max<int64_t>(1, size - 2));
  inside.back() = std::max<int64_t>(1, inside.back() / machine.ipus);
  std::vector<int64_t> blocks = blocksByFactors(inside, machine.tilesPerIpu);
  if (rows) {
    blocks.assign(shape.size(), 1);
    blocks[0] = std::min<int64_t>(size, machine.tilesPerIpu);
  }
  return {g, shape, shape.size() - 1, blocks, ElementType::Float, 1, aliev ? 0 : 1};
}

Workload buildHeat(const Parameters& p, const BuildOptions& o) {
  const int64_t dims = p.integer("dims", 2, 3), size = p.integer("size", 1, dims == 2 ? 100'000 : 2'000),
                steps = p.integer("steps", 1, 10'000'000);
  const bool aliev = p.choice("equation") == "aliev-panfilov", flat = dims == 2 || aliev;
  Equation equation = equationOf(aliev, flat);
  MeasuredGraph g("heat",
                  std::string(aliev ? "Aliev-Panfilov " : "Heat equation ") + std::to_string(size) + (flat ? "^2, " : "^3, ") +
                      reports::counted(steps, "step"),
                  machineOf(p, o));
  equation.codelet.shifted = g.machine().ipus > 1; // there, the published programs round vertices and tiles differently
  StencilGrid grid = gridOf(g, size, flat, p.choice("blocks") == "rows", aliev);
  std::vector<Tensor> besides;
  if (aliev) besides.push_back(grid.another("recovery"));
  for (const Tensor& t : {grid.front(), grid.back(), aliev ? besides[0] : grid.back()})
    g.initialise(t, [full = t.shape()] { return warmSpot(full); });
  const HostKernel kernel = [aliev](const std::vector<HostTensor>& in) {
    return aliev ? alievPanfilovStep(in[0], in[1]) : heatStep(in[0]);
  };
  Sequence pair;
  grid.step(pair, equation.codelet, false, kernel, besides);
  grid.step(pair, equation.codelet, true, kernel, besides);
  if (steps > 1) g.main().add(program::repeat(steps / 2, pair, "steps", g.context()));
  if (steps % 2) grid.step(g.main(), equation.codelet, false, kernel, besides);
  // The published rates count all cells; in two dimensions of the heat equation, only computed cells.
  const int64_t counted = flat && !aliev ? std::max<int64_t>(1, size - 2) * std::max<int64_t>(1, size - 2)
                                         : numerics::elementCount(grid.front().shape());
  tellWork(g.graph(), g.context(), equation.codelet.flopsPerCell * steps * counted);
  g.moves(equation.wordsPerCell * 4 * steps * numerics::elementCount(grid.front().shape()));
  return g.finish(steps % 2 ? grid.back() : grid.front(), p.integer("io", 0, 1));
}

} // namespace

Sample heat() {
  Sample s;
  s.name = "heat";
  s.title = "Heat equation";
  s.text = "A regular grid in two or three dimensions, stepped many times: each step exchanges the rims of the blocks and "
           "then computes. Look at the small share of exchange in a step, and at the difference when the rim of a slab has "
           "to cross to another IPU.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "A repeat of two supersteps: the rims are exchanged, then each cell is updated from one grid into the other."},
              {"tilescope:?view=trace&set.tab=range", "Computing takes several times as long as the exchange of the rims."},
              {"tilescope:?view=insights&set.list=findings",
               "Copies within tiles are the costliest finding: received rims are put beside the block before a vertex reads "
               "them."},
              {"tilescope:?view=memory&set.breakdown=category",
               "Vertex code takes more than the grid: the problem is small for the machine."}};
  s.parameters = {{"dims", "2", "2 or 3", {"2", "3"}},
                  {"size", "256", "cells along each dimension"},
                  {"steps", "50", "time steps"},
                  {"equation", "heat", "heat or aliev-panfilov (two dimensions)", {"heat", "aliev-panfilov"}},
                  {"blocks",
                   "squares",
                   "squares: as many blocks as tiles, with the least surface; rows: each tile has whole rows",
                   {"squares", "rows"}},
                  ipusParameter(),
                  ioParameter()};
  s.build = buildHeat;
  s.variant = {"naive",
               {{"blocks", "rows"}},
               "Each tile has whole rows, so its rim is as long as the grid is wide. The default cuts nearly square blocks, "
               "which take fewer exchange cycles and so fewer cycles.",
               "exchange_cycles"};
  return s;
}

} // namespace simcore::samples
