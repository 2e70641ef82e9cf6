// A library call on a small machine, run as a program: what tests of ops share. `bothWays` runs one on several machines, at once
// and vertex by vertex, and compares with numbers worked out by hand.
#pragma once

#include "simcore/ops/op_builder.h"
#include "simcore/run/engine.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

namespace tests {

class LibraryWorld {
public:
  using Tensor = simcore::graph::Tensor;
  using HostTensor = simcore::numerics::HostTensor;

  explicit LibraryWorld(int tiles, bool vertexByVertex = false)
      : graph(std::make_shared<simcore::graph::Graph>(simcore::arch::tinyMachine(tiles))),
        builder(*graph, program, graph->addContext({}, "test", "model", "Test")) {
    graph->setVertexByVertex(vertexByVertex);
  }
  // A variable spread over the tiles, with this initial value.
  Tensor input(simcore::numerics::ElementType type, const HostTensor& value) {
    const Tensor t = graph->addVariable(type, value.shape(), "input" + std::to_string(m_inputs.size()));
    graph->mapTensorLinearly(t);
    m_inputs.emplace_back(t, value);
    return t;
  }
  Tensor floats(const simcore::numerics::Shape& shape, const std::vector<float>& values) {
    return input(simcore::numerics::ElementType::Float, HostTensor::of(shape, values));
  }
  // The values of the tensors after one run of the program.
  std::vector<HostTensor> run(const std::vector<Tensor>& results) {
    simcore::run::Engine engine(simcore::compile::compile(graph, {{"main", program.program()}}), {}, nullptr);
    for (const auto& [tensor, value] : m_inputs) engine.writeTensor(tensor, value);
    engine.run();
    std::vector<HostTensor> values;
    for (const Tensor& t : results) values.push_back(engine.readTensor(t));
    return values;
  }
  // Compute sets the program executes.
  std::size_t computeSets() const { return graph->computeSets().size(); }

  std::shared_ptr<simcore::graph::Graph> graph;
  simcore::graph::Sequence program;
  simcore::ops::OpBuilder builder;

private:
  std::vector<std::pair<Tensor, HostTensor>> m_inputs;
};

// `build` makes the program and returns the result tensors; they must equal `expected` on every machine, in both ways.
inline void bothWays(const char* what, const std::function<std::vector<LibraryWorld::Tensor>(LibraryWorld&)>& build,
                     const std::vector<std::vector<double>>& expected, double tolerance = 1e-5) {
  for (const int tiles : {1, 3, 16, 61})
    for (const bool cells : {false, true}) {
      LibraryWorld world(tiles, cells);
      const auto results = world.run(build(world));
      QCOMPARE(results.size(), expected.size());
      for (std::size_t r = 0; r < results.size(); ++r) {
        const std::vector<double> values = results[r].toDoubles();
        QCOMPARE(values.size(), expected[r].size());
        for (std::size_t i = 0; i < values.size(); ++i)
          if (!(std::abs(values[i] - expected[r][i]) <= tolerance * (1 + std::abs(expected[r][i]))))
            QFAIL(qPrintable(QString("%1 on %2 tiles%3: element %4 of result %5 is %6, not %7")
                                 .arg(what)
                                 .arg(tiles)
                                 .arg(cells ? " by cells" : "")
                                 .arg(i)
                                 .arg(r)
                                 .arg(values[i])
                                 .arg(expected[r][i])));
      }
    }
}

} // namespace tests
