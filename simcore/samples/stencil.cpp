#include "simcore/samples/stencil.h"

#include "simcore/samples/stencil_grid.h"

#include <fmt/format.h>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

// One step of diffusion with the nine-point Laplacian (4 (N + S + E + W) + corners - 20 centre) / 6; the border stays.
std::vector<HostTensor> diffuse(const HostTensor& in, float rate) {
  const int64_t height = in.dim(0), width = in.dim(1);
  HostTensor result = in;
  const auto u = in.values<float>();
  auto out = result.mutableValues<float>();
  for (int64_t y = 1; y + 1 < height; ++y)
    for (int64_t x = 1; x + 1 < width; ++x) {
      const auto i = std::size_t(y * width + x), row = std::size_t(width);
      const float sides = u[i - 1] + u[i + 1] + u[i - row] + u[i + row];
      const float corners = u[i - row - 1] + u[i - row + 1] + u[i + row - 1] + u[i + row + 1];
      out[i] = u[i] + rate / 6.0f * (4.0f * sides + corners - 20.0f * u[i]);
    }
  return {result};
}

HostTensor drops(const Shape& shape) {
  HostTensor t(ElementType::Float, shape);
  auto v = t.mutableValues<float>();
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 11 == 0 ? 1.0f : 0.0f;
  return t;
}

// The three columns of the window stay in registers, so a cell loads three values. Then it sums sides and corners, takes a
// multiply and an add for each, and adds the scaled centre.
CompiledLoop nineLoads() {
  CompiledLoop loop;
  loop.loads = 3;
  loop.stores = 1;
  loop.floatOperations = 9;
  return loop;
}

Workload buildStencil(const Parameters& p, const BuildOptions& o) {
  const int64_t width = p.integer("width", 1, 100'000), height = p.integer("height", 1, 100'000),
                steps = p.integer("steps", 1, 10'000'000);
  const bool rows = p.choice("blocks") == "rows", stitched = p.choice("rim") == "stitched";
  const float rate = float(p.number("rate", 0, 0.3));
  const arch::Machine machine = machineOf(p, o);
  StencilGrid::Codelet codelet;
  codelet.name = "NinePoint";
  codelet.loop = nineLoads();
  codelet.flopsPerCell = 11;
  codelet.diagonals = true;
  codelet.stitch = stitched;
  MeasuredGraph g("stencil", fmt::format("Nine-point stencil {} x {}, {} steps, {}", width, height, steps, p.text("blocks")),
                  machine);
  const Shape shape{height, width}, slab{reports::ceilDiv(height, machine.ipus), width};
  const std::vector<int64_t> blocks = rows ? std::vector<int64_t>{std::min<int64_t>(slab[0], machine.tilesPerIpu), 1}
                                           : blocksByWork(slab, machine.tilesPerIpu, machine.tile.workers, codelet);
  StencilGrid grid(g, shape, 0, blocks, ElementType::Float, 1);
  for (const Tensor& t : {grid.front(), grid.back()}) g.initialise(t, [shape] { return drops(shape); });
  const HostKernel kernel = [rate](const std::vector<HostTensor>& in) { return diffuse(in[0], rate); };
  Sequence pair;
  grid.step(pair, codelet, false, kernel);
  grid.step(pair, codelet, true, kernel);
  if (steps > 1) g.main().add(program::repeat(steps / 2, pair, "steps", g.context()));
  if (steps % 2) grid.step(g.main(), codelet, false, kernel);
  g.moves(16 * steps * numerics::elementCount(shape));
  return g.finish(steps % 2 ? grid.back() : grid.front(), p.integer("io", 0, 1));
}

} // namespace

Sample stencil() {
  Sample s;
  s.name = "stencil";
  s.title = "Nine-point stencil";
  s.text = "Diffusion on an image: a cell needs its eight neighbours, so each tile's block needs a rim of cells from the tiles "
           "around it. With blocks=rows a block is nearly all rim; with rim=stitched block and rim are copied together before a "
           "vertex may run. Look at the shares of exchange, on-tile copies and compute in a step, and at the bytes each tile "
           "receives.";
  s.lesson = {
      {"tilescope:?view=program&set.list=steps",
       "A repeat of two supersteps: rims are exchanged, then each cell is computed from one grid into the other."},
      {"tilescope:?view=trace&set.tab=range", "Computing takes more than six times as many cycles as the exchange of the rims."},
      {"tilescope:?view=trace&set.tab=range",
       "Copies within tiles take about four fifths of the exchange's cycles: rims are put beside the block."},
      {"tilescope:?view=liveness&set.tab=notAlways",
       "The received rim is the largest variable at the peak, nearly twice as large as a grid."}};
  s.parameters = {{"width", "1024", "cells of a row"},
                  {"height", "1024", "rows"},
                  {"steps", "20", "time steps"},
                  {"rate", "0.1", "rate of diffusion, up to 0.3"},
                  {"blocks",
                   "rows",
                   "rows: each tile has whole rows; squares: the cut whose slowest tile has the least to do",
                   {"rows", "squares"}},
                  {"rim",
                   "stitched",
                   "stitched: a block is copied together with its rim; wired: the vertex reads rim and block where "
                   "they are",
                   {"stitched", "wired"}},
                  ipusParameter(),
                  ioParameter()};
  s.build = buildStencil;
  s.variant = {
      "tuned",
      {{"blocks", "squares"}, {"rim", "wired"}},
      "Blocks are nearly square, so a rim is a fraction of the block, and vertices read it where the exchange puts it. The "
      "exchange shrinks and the copies disappear: cycles fall.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
