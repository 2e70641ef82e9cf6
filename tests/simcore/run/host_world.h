// A small machine with two codelets, like the start of a Poplar tutorial; shared by tests of the engine.
#pragma once

#include "simcore/run/engine.h"
#include "tests/support/error_text.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tests {

struct HostWorld {
  std::shared_ptr<simcore::graph::Graph> graph;
  simcore::graph::Sequence main;
  std::shared_ptr<simcore::compile::Executable> executable;

  explicit HostWorld(int tiles = 4, int ipus = 1) : HostWorld(simcore::arch::tinyMachine(tiles, ipus)) {}
  explicit HostWorld(const simcore::arch::Machine& machine) : graph(std::make_shared<simcore::graph::Graph>(machine)) {
    using namespace simcore::graph;
    Codelet add;
    add.name = "AddOne";
    add.fields = {{"x", FieldDirection::InOut}};
    add.compute = [](VertexFields& f) {
      if (f.type("x") == ElementType::Int32)
        for (int32_t& v : f.mutableValues<int32_t>("x")) v += 1;
      else
        for (float& v : f.mutableValues<float>("x")) v += 1;
    };
    add.cycles = [](const auto& sizes) { return 5 + sizes.at("x"); };
    graph->addCodelet(add);
  }
  simcore::graph::Tensor variable(simcore::graph::ElementType type, simcore::graph::Shape shape, const std::string& name,
                                  int tile = 0) {
    const auto t = graph->addVariable(type, std::move(shape), name);
    graph->setTileMapping(t, reports::TileId(std::size_t(tile)));
    return t;
  }
  simcore::graph::Program addOne(const simcore::graph::Tensor& x, int tile = 0) {
    const auto set = graph->addComputeSet("addOne");
    graph->setTileMapping(graph->addVertex(set, "AddOne", {{"x", x}}), reports::TileId(std::size_t(tile)));
    return simcore::graph::program::execute(set);
  }
  const simcore::compile::Executable& compile(std::vector<simcore::graph::NamedProgram> programs = {}) {
    reports::NoProgress none;
    if (programs.empty()) programs = {{"main", main.program()}};
    executable = std::make_shared<simcore::compile::Executable>(simcore::compile::compile(graph, programs, {}, none));
    return *executable;
  }
};

inline void runOnce(simcore::run::Engine& engine, std::size_t program = 0) {
  reports::NoProgress none;
  engine.run(program, "run", {}, none);
}

} // namespace tests
