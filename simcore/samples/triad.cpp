#include "simcore/samples/triad.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/vertex_state.h"
#include "simcore/samples/sample_parts.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

struct Kernel {
  const char* name;
  int loads, stores, flops; // per element
};
constexpr Kernel kKernels[] = {{"triad", 2, 1, 2}, {"add", 2, 1, 1}, {"scale", 1, 1, 1}, {"copy", 1, 1, 0}, {"read", 1, 0, 1}};

// Worker cycles for `n` fp32 elements. Assembly: one bundle issues two 64-bit loads, or two loads and a store (ipu-reference 1.1:
// 24 bytes per cycle); entering takes the 25 cycles of a ScaledAdd worker (9.1). Compiled: one 32-bit load or store per bundle,
// together with float work, and a branch per 64 elements of the unrolled loop.
constexpr int64_t kWorkerStart = 25;
int64_t workerCycles(const Kernel& k, bool compiled, int64_t n) {
  if (compiled) return kWorkerStart + n * (k.loads + k.stores) + reports::ceilDiv(n, 64);
  const int64_t vectors = reports::ceilDiv(n, 2);
  return kWorkerStart + (k.loads == 1 && k.stores == 0 ? reports::ceilDiv(vectors, 2) : vectors);
}

// `read` gives one sum per worker, the other kernels one result per element.
std::vector<HostTensor> numbersOf(const Kernel& kernel, const std::vector<HostTensor>& in, const Shape& result) {
  const auto b = in[0].values<float>(), c = in.back().values<float>();
  HostTensor out(ElementType::Float, result);
  auto a = out.mutableValues<float>();
  const std::string_view name = kernel.name;
  const float scale = name == "copy" ? 1.0f : 3.0f;
  const std::size_t each = b.size() / a.size();
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (name == "read")
      a[i / each] += b[i];
    else
      a[i] = name == "triad" ? b[i] + scale * c[i] : name == "add" ? b[i] + c[i] : scale * b[i];
  }
  return {out};
}

Workload buildTriad(const Parameters& p, const BuildOptions& o) {
  const int64_t n = p.integer("n", 1, 1 << 22), tiles = tilesOf(p, o.machine), workers = o.machine.tile.workers;
  const std::string name = p.choice("kernel");
  const bool compiled = p.choice("via") == "compiled";
  const Kernel& kernel = *std::find_if(std::begin(kKernels), std::end(kKernels), [&](const Kernel& k) { return k.name == name; });
  MeasuredGraph g("triad", "Stream " + name + ", " + std::to_string(n) + " elements a worker", o.machine);
  const Shape all{tiles, workers * n};
  std::vector<Tensor> in;
  for (int i = 0; i < kernel.loads; ++i) {
    in.push_back(g.perTile(ElementType::Float, all, i == 0 ? "b" : "c"));
    g.initialiseUniform(in.back(), uint64_t(o.seed) + 1 + uint64_t(i));
  }
  const Tensor out = g.perTile(ElementType::Float, kernel.stores ? all : Shape{tiles, workers}, "a");
  codelets::VertexState state;
  state.onePtr().onePtr().onePtr().scalar(4).scalar(4);
  const auto spec =
      codelets::makeSpec("Stream_" + name + (compiled ? "_compiled" : ""), codelets::VertexKind::Worker,
                         codelets::VertexFamily::Elementwise, codelets::codeBytes(codelets::CodeClass::AssemblyLoop), state);
  const ops::OpBuilder builder = g.builder(g.main());
  ops::Superstep step(builder, name);
  step.add(spec, {reports::Cycles(workerCycles(kernel, compiled, n)), reports::Flops(kernel.flops * n)}, {0, tiles}, workers);
  g.numbers(g.main(), name, in, {out},
            [&kernel, shape = out.shape()](const std::vector<HostTensor>& values) { return numbersOf(kernel, values, shape); });
  step.execute(in, {out});
  g.moves(int64_t(kernel.loads + kernel.stores) * 4 * n * workers * tiles);
  return g.finish(out, p.integer("io", 0, 1));
}

} // namespace

Sample triad() {
  Sample s;
  s.name = "triad";
  s.title = "Stream triad";
  s.text = "a = b + s c, the loop that measures memory bandwidth. Two loads and a store fit into one bundle if the operands "
           "are in different memory elements, so a tile moves 24 bytes per cycle. The compiled form loads one word at a "
           "time and reaches a fraction of that.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "Every tile reads two vectors and writes a third in its own memory: one compute set, no exchange."},
              {"tilescope:?view=memory&set.breakdown=category", "Variables take more than 99 % of the memory in use."},
              {"tilescope:?view=memory&set.tab=largest",
               "The vectors a, b and c are equally large, and no other variable has a hundredth of their size."}};
  s.parameters = {{"n", "7500", "elements of each worker"},
                  {"kernel", "triad", "triad, add, scale, copy or read", {"triad", "add", "scale", "copy", "read"}},
                  {"via", "assembly", "assembly or compiled", {"assembly", "compiled"}},
                  {"tiles", "0", "tiles that compute; 0: all"},
                  ioParameter()};
  s.build = buildTriad;
  s.variant = {
      "naive",
      {{"via", "compiled"}},
      "The loop as a C++ compiler makes it, which hardly ever fills both pipes. The default is assembly and takes fewer cycles.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
