#include "simcore/samples/custom_vertex.h"

#include <numeric>

namespace simcore::samples {

using namespace graph;

Sample customVertex() {
  Sample s;
  s.name = "custom-vertex";
  s.title = "Custom vertex: suffix sums";
  s.text = "A codelet written for this sample sums each suffix of a vector. Element i needs all elements after it, so the "
           "vertices differ in work: look at the tile-by-cycle view for the imbalance, and at the exchange that brings each "
           "vertex its suffix.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "One step runs all vertices (OnTileExecute), after one exchange that brings each its suffix."},
              {"tilescope:?view=trace&set.tab=range",
               "Computing takes more than ten times the cycles of the exchange, and the host streams more than both."},
              {"tilescope:?view=memory&set.breakdown=category",
               "Most of the memory is vertex code, nearly all of it the runtime that each tile has; the vector hardly shows."}};
  s.parameters = {{"n", "64", "elements of the vector"}, {"tiles", "4", "tiles the vertices are spread over"}};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t n = p.integer("n", 1, 4096), tiles = p.integer("tiles", 1, o.machine.tiles());
    auto g = std::make_shared<Graph>(o.machine);
    const auto root = g->addContext({}, "suffixSums", "user", "");
    Codelet codelet;
    codelet.name = "SumSuffix<float>";
    codelet.fields = {{"in", FieldDirection::Input}, {"out", FieldDirection::Output}};
    codelet.compute = [](VertexFields& f) {
      const auto in = f.values<float>("in");
      f.mutableValues<float>("out")[0] = std::accumulate(in.begin(), in.end(), 0.0f);
    };
    codelet.cycles = [](const std::map<std::string, int64_t>& sizes) { return 12 + 2 * sizes.at("in"); }; // load, add; one worker
    codelet.flops = [](const std::map<std::string, int64_t>& sizes) { return sizes.at("in") - 1; };
    g->addCodelet(codelet);
    const Tensor in = g->addVariable(ElementType::Float, {n}, "in", root),
                 out = g->addVariable(ElementType::Float, {n}, "out", root);
    const ComputeSetId set = g->addComputeSet("suffixSums", root);
    for (int64_t i = 0; i < n; ++i) {
      const TileId tile(std::size_t(i * tiles / n));
      g->setTileMapping(in.slice(i, i + 1), tile);
      g->setTileMapping(out.slice(i, i + 1), tile);
      g->setTileMapping(g->addVertex(set, codelet.name, {{"in", in.slice(i, n)}, {"out", out.slice(i, i + 1)}}), tile);
    }
    const StreamId input = g->addHostToDeviceFifo("input", ElementType::Float, n),
                   output = g->addDeviceToHostFifo("output", ElementType::Float, n);
    Sequence main;
    main.add(program::copy(input, in, "input", root));
    main.add(program::execute(set, root));
    main.add(program::copy(out, output, "output", root));
    Workload load;
    load.name = "custom-vertex";
    load.title = "Custom vertex";
    load.graph = g;
    load.programs = {{"main", main.program()}};
    std::vector<float> ones(static_cast<std::size_t>(n));
    std::iota(ones.begin(), ones.end(), 1.0f);
    load.inputs["input"] = {numerics::HostTensor::vector(ones)};
    load.outputs = {"output"};
    return load;
  };
  s.variant = {"tuned",
               {{"tiles", "64"}},
               "One vertex per tile instead of sixteen: the six workers of a tile no longer take turns, and only the longest "
               "suffix counts. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
