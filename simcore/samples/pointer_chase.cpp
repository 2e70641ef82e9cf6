#include "simcore/samples/pointer_chase.h"

#include "simcore/samples/sample_parts.h"

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

Sample pointerChase() {
  Sample s;
  s.name = "pointer-chase";
  s.title = "A chain of loads";
  s.text = "One worker follows a chain of indices. A load is done when the worker's next turn comes, one turn in six cycles, so "
           "each link of the chain takes six cycles.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "One compute set follows a chain: each load needs the address that the load before it found."},
              {"tilescope:?view=insights&set.list=findings", "Unused tiles are the only finding: one tile works."},
              {"tilescope:?view=memory&set.breakdown=category", "Most of the memory is code; the chain itself has 400 bytes."}};
  s.parameters = {{"loads", "100", "links of the chain"}, ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t loads = p.integer("loads", 1, 1 << 15);
    MeasuredGraph g("pointer-chase", "A chain of " + std::to_string(loads) + " loads", o.machine);
    Codelet codelet;
    codelet.name = "PointerChase";
    codelet.fields = {{"next", FieldDirection::Input}, {"last", FieldDirection::Output}};
    codelet.cycles = [](const std::map<std::string, int64_t>& sizes) { return sizes.at("next"); }; // an iteration is one load
    codelet.compute = [](VertexFields& f) {
      const auto next = f.values<int32_t>("next");
      int32_t at = 0;
      for (std::size_t i = 0; i < next.size(); ++i) at = next[std::size_t(at)];
      f.mutableValues<int32_t>("last")[0] = at;
    };
    g.graph().addCodelet(codelet);
    const Tensor next = g.graph().addVariable(ElementType::Int32, {loads}, "next", g.context()),
                 last = g.graph().addVariable(ElementType::Int32, {1}, "last", g.context());
    g.graph().setTileMapping(next, TileId(0));
    g.graph().setTileMapping(last, TileId(0));
    g.initialise(next, [loads] { // a single cycle through all elements
      HostTensor t(ElementType::Int32, {loads});
      auto v = t.mutableValues<int32_t>();
      for (int64_t i = 0; i < loads; ++i) v[std::size_t(i)] = int32_t((i + 1) % loads);
      return t;
    });
    const ComputeSetId set = g.graph().addComputeSet("chase", g.context());
    g.graph().setTileMapping(g.graph().addVertex(set, codelet.name, {{"next", next}, {"last", last}}), TileId(0));
    g.main().add(program::execute(set, g.context()));
    return g.finish(last, p.integer("io", 0, 1));
  };
  return s;
}

} // namespace simcore::samples
