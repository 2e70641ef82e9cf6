#include "simcore/samples/attention.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "simcore/samples/sample_parts.h"
#include "simcore/samples/transformer.h"

#include <fmt/format.h>

namespace simcore::samples {

using numerics::ElementType;
using numerics::HostTensor;

namespace {

graph::Workload buildAttention(const Parameters& p, const BuildOptions& o) {
  TransformerShape s;
  s.batch = p.integer("batch", 1, 4096);
  s.sequence = p.integer("sequence", 1, 1 << 14);
  s.heads = p.integer("heads", 1, 1024);
  s.hidden = p.integer("hidden", 1, 1 << 16);
  if (s.hidden % s.heads)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         fmt::format("{} heads cannot share a hidden size of {}", s.heads, s.hidden),
                         reports::option("set") + " heads", "the hidden size must be a multiple of the heads");
  AttentionForm form;
  form.grouped = p.choice("heads-as") == "group";
  form.fused = fusedProjections(p);
  Network net("attention", uint64_t(o.seed) + 61);
  const std::string x = net.input("x", ElementType::Float, {s.tokens(), s.hidden});
  const std::string y = selfAttention(net, "attention", x, s, form);
  net.graph().output(net.graph().add("Add", {x, y}, {}, "result"));
  graph::Workload load = inferenceOf(net, o, [&](int64_t i) {
    const numerics::Shape shape{s.tokens(), s.hidden};
    const uint64_t seed = uint64_t(o.seed * 100'000 + i) + 3;
    return std::map<std::string, HostTensor>{
        {"x", HostTensor::deferred(ElementType::Float, shape, [shape, seed] { return uniformTensor(shape, seed); })}};
  });
  load.title =
      fmt::format("Self-attention, batch {} x {} tokens, {} heads of {}", s.batch, s.sequence, s.heads, s.hidden / s.heads);
  return load;
}

} // namespace

Sample attention() {
  Sample s;
  s.name = "attention";
  s.title = "Self-attention";
  s.text = "Projections, scores, softmax and context of one attention layer. Head by head, every product is small: look at the "
           "tiles in use and at the many short steps with their syncs and exchanges. The scores grow with the square of the "
           "sequence: watch the peak in Liveness when you set sequence=512.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
               "The softmaxes take more cycles than the projections (Gemm), although they compute only a small part of the "
               "projections' FLOPs."},
              {"tilescope:?view=trace&set.tab=range",
               "The heads follow one another with the same short steps, each after a sync and an exchange."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in a projection: its received operands (in) are the largest variable."},
              {"tilescope:?view=insights&set.list=findings",
               "Waiting for the host is the costliest finding, then exchange: one layer is little work for all tiles."}};
  s.parameters = {{"batch", "1", "sequences"},
                  {"sequence", "128", "tokens of a sequence"},
                  {"hidden", "512", "hidden size, a multiple of the heads"},
                  {"heads", "8", "attention heads"},
                  {"heads-as", "loop", "loop: products head by head; group: all heads in one grouped product", {"loop", "group"}},
                  projectionParameter("separate")};
  s.build = buildAttention;
  s.distributes = true;
  s.variant = {
      "tuned",
      {{"heads-as", "group"}, {"projections", "fused"}},
      "The products of all heads become one grouped product and the three projections one: the same flops in a fraction of "
      "the steps, on all tiles at once. Cycles fall.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
