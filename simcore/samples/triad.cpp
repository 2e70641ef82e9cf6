#include "simcore/samples/triad.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/vertex_state.h"
#include "simcore/samples/sample_parts.h"

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

namespace {

struct Kernel {
  const char* name;
  int loads, stores, flops; // per element
};
constexpr Kernel kKernels[] = {{"triad", 2, 1, 2}, {"add", 2, 1, 1}, {"scale", 1, 1, 1}, {"copy", 1, 1, 0}, {"read", 1, 0, 1}};

// Worker cycles for `n` fp32 elements. Assembly: one bundle issues two 64-bit loads, or two loads and the store
// (ipu-reference 1.1: 24 bytes a cycle), set up in the 25 cycles of a ScaledAdd worker (9.1). Compiled: one 32-bit load or
// store a bundle, float work beside it, and a branch for every 64 elements of the unrolled loop.
constexpr int64_t kWorkerStart = 25;
int64_t workerCycles(const Kernel& k, bool compiled, int64_t n) {
  if (compiled) return kWorkerStart + n * (k.loads + k.stores) + reports::ceilDiv(n, 64);
  const int64_t vectors = reports::ceilDiv(n, 2);
  return kWorkerStart + (k.loads == 1 && k.stores == 0 ? reports::ceilDiv(vectors, 2) : vectors);
}

std::vector<HostTensor> numbersOf(const std::string& kernel, const std::vector<HostTensor>& in) {
  const auto b = in[0].values<float>(), c = in[1].values<float>();
  HostTensor out = HostTensor::uninitialised(ElementType::Float, in[0].shape());
  auto a = out.mutableValues<float>();
  const float scale = 3.0f;
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = kernel == "triad"   ? b[i] + scale * c[i]
           : kernel == "add"   ? b[i] + c[i]
           : kernel == "scale" ? scale * b[i]
           : kernel == "copy"  ? b[i]
                               : (i ? a[i - 1] : 0.0f) + b[i];
  return {out};
}

} // namespace

Sample triad() {
  Sample s;
  s.name = "triad";
  s.title = "Stream triad";
  s.text = "a = b + s c, the loop that measures memory bandwidth. Two loads and a store fit into one bundle when the operands "
           "lie in different memory elements, so a tile moves 24 "
           "bytes in a cycle. The compiled form loads one word at a time and reaches a fraction of that.";
  s.parameters = {{"n", "7500", "elements of each worker"},
                  {"kernel", "triad", "triad, add, scale, copy or read"},
                  {"via", "assembly", "assembly or compiled"},
                  {"tiles", "0", "tiles that compute; 0: all"},
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t n = p.integer("n", 1, 1 << 22), tiles = tilesOf(p, o.machine), workers = o.machine.tile.workers;
    const std::string name = p.choice("kernel", {"triad", "add", "scale", "copy", "read"});
    const bool compiled = p.choice("via", {"assembly", "compiled"}) == "compiled";
    const Kernel* kernel = kKernels;
    while (kernel->name != name) ++kernel;
    MeasuredGraph g("triad", "Stream " + name + ", " + std::to_string(n) + " elements a worker", o.machine);
    std::vector<Tensor> t;
    for (const char* variable : {"b", "c", "a"}) t.push_back(g.perTile(ElementType::Float, {tiles, workers * n}, variable));
    g.initialiseUniform(t[0], uint64_t(o.seed) + 1);
    g.initialiseUniform(t[1], uint64_t(o.seed) + 2);
    codelets::VertexState state;
    state.onePtr().onePtr().onePtr().scalar(4).scalar(4);
    const auto spec =
        codelets::makeSpec("Stream_" + name + (compiled ? "_compiled" : ""), codelets::VertexKind::Worker,
                           codelets::VertexFamily::Elementwise, codelets::codeBytes(codelets::CodeClass::AssemblyLoop), state);
    const ops::OpBuilder builder = g.builder(g.main());
    ops::Superstep step(builder, name);
    step.add(spec, {reports::Cycles(workerCycles(*kernel, compiled, n)), reports::Flops(kernel->flops * n)}, {0, tiles}, workers);
    g.numbers(g.main(), name, {t[0], t[1]}, {t[2]}, [name](const std::vector<HostTensor>& in) { return numbersOf(name, in); });
    step.execute({t[0], t[1]}, {t[2]});
    g.moves(int64_t(kernel->loads + kernel->stores) * 4 * n * workers * tiles);
    return g.finish(t[2], p.integer("io", 0, 1));
  };
  s.variant = {
      "naive",
      {{"via", "compiled"}},
      "The loop as a C++ compiler makes it, which hardly ever fills both pipes. The default is assembly and takes fewer cycles.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
