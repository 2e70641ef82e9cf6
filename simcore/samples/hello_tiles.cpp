#include "simcore/samples/hello_tiles.h"

#include <numeric>

namespace simcore::samples {

using namespace graph;

Sample helloTiles() {
  Sample s;
  s.name = "hello-tiles";
  s.title = "Hello tiles";
  s.text = "A constant on tile 0 is copied to four tiles, a host stream fills a second variable, their halves are swapped "
           "between tiles. Look at the program tree: a "
           "copy within a tile is an OnTileCopy, one between tiles a Sync and a DoExchange, and every stream a StreamCopyBegin, "
           "Mid and End.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "A copy within a tile is an OnTileCopy, one between tiles a Sync and a DoExchange; each stream has Begin, Mid "
               "and End."},
              {"tilescope:?view=trace&set.tab=range",
               "The host streams take most cycles: a transfer costs far more than a copy between tiles."},
              {"tilescope:?view=memory&set.breakdown=category", "Most of the memory is code; the variables hardly show."}};
  s.parameters = {{"elements", "16", "elements of each variable, a multiple of 4"}};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t n = p.integer("elements", 4, 1 << 20) / 4 * 4;
    auto g = std::make_shared<Graph>(o.machine);
    const auto root = g->addContext({}, "hello", "user", "");
    std::vector<float> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 1.0f);
    const Tensor c = g->addConstant(numerics::HostTensor::vector(values), "c", root);
    g->setTileMapping(c, TileId(0));
    const Tensor v = g->addVariable(ElementType::Float, {n}, "v", root), w = g->addVariable(ElementType::Float, {n}, "w", root);
    for (int64_t t = 0; t < 4; ++t) {
      g->setTileMapping(v.slice(t * n / 4, (t + 1) * n / 4), TileId(std::size_t(t)));
      g->setTileMapping(w.slice(t * n / 4, (t + 1) * n / 4), TileId(std::size_t(3 - t)));
    }
    const StreamId in = g->addHostToDeviceFifo("input", ElementType::Float, n),
                   out = g->addDeviceToHostFifo("output", ElementType::Float, n);
    Sequence main;
    main.add(program::copy(c, v, "spread", root));
    main.add(program::copy(in, w, "input", root));
    main.add(program::copy(w.slice(0, n / 2), v.slice(n / 2, n), "swapHalf", root));
    main.add(program::copy(v.slice(0, n / 2), w.slice(0, n / 2), "back", root));
    if (n <= 64) main.add(program::printTensor("w", w));
    main.add(program::copy(w, out, "output", root));
    Workload load;
    load.name = "hello-tiles";
    load.title = "Hello tiles";
    load.graph = g;
    load.programs = {{"main", main.program()}};
    std::vector<float> hundred(static_cast<std::size_t>(n));
    std::iota(hundred.begin(), hundred.end(), 100.0f);
    load.inputs["input"] = {numerics::HostTensor::vector(hundred)};
    load.outputs = {"output"};
    return load;
  };
  return s;
}

} // namespace simcore::samples
