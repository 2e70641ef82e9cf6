// Small float models for tests of fusion passes, and their run on a machine.
#pragma once

#include "simcore/compile/compiler.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/run/engine.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace tests {

using namespace simcore;

// A float model with one output and random constants.
struct Sketch {
  Sketch() : builder(model.graph) { model.file = "sketch"; }
  std::string input(const std::string& name, const numerics::Shape& shape) {
    values[name] = random(shape);
    model.inputTypes[name] = {numerics::ElementType::Float, shape};
    return builder.input(name, numerics::ElementType::Float, shape);
  }
  std::string weight(const std::string& name, const numerics::Shape& shape, float low = -1, float high = 1) {
    return builder.constant(name, random(shape, low, high));
  }
  std::string number(double value) { return builder.number(value, numerics::ElementType::Float); }
  std::string op(const char* type, const std::string& a, const std::string& b = {}, model::Attributes more = {}) {
    return builder.add(type, b.empty() ? std::vector{a} : std::vector{a, b}, std::move(more));
  }
  numerics::HostTensor random(const numerics::Shape& shape, float low = -1, float high = 1) {
    std::vector<float> made(std::size_t(numerics::elementCount(shape)));
    for (float& v : made) v = low + (high - low) * float(m_random() % 4096) / 4096;
    return numerics::HostTensor::of(shape, made);
  }
  int nodes(const std::string& type) const {
    return int(
        std::count_if(model.graph.nodes.begin(), model.graph.nodes.end(), [&](const auto& n) { return n.opType == type; }));
  }

  model::Model model;
  model::GraphBuilder builder;
  std::unordered_map<std::string, numerics::HostTensor> values;

private:
  std::mt19937 m_random{5};
};

struct MachineRun {
  numerics::HostTensor output;
  std::int64_t cycles = 0;
  std::size_t steps = 0;
  std::set<std::string> contexts; // names in layer "onnx"
};
inline MachineRun onMachine(const Sketch& s) {
  const auto workload = model::lower(s.model, arch::findMachine("gc200", 1));
  std::vector<compile::NamedProgram> programs;
  for (const auto& named : workload.programs) programs.push_back({named.name, named.program});
  reports::NoProgress quiet;
  const auto executable = compile::compile(workload.graph, programs, {}, quiet);
  run::Engine engine(executable, {}, nullptr);
  for (const auto& [name, value] : s.values) engine.connectInput(name, {value});
  engine.run(0, "inference", {}, quiet);
  MachineRun run{engine.received(workload.outputs.at(0)).at(0), engine.cycle(), executable.program.steps.size(), {}};
  for (const auto& context : workload.graph->contexts())
    if (context.layer == "onnx") run.contexts.insert(context.name);
  return run;
}

inline double distance(const numerics::HostTensor& a, const numerics::HostTensor& b) {
  double worst = a.count() == b.count() ? 0 : 1e30;
  for (std::int64_t i = 0; i < a.count() && i < b.count(); ++i) worst = std::max(worst, std::abs(a.at(i) - b.at(i)));
  return worst;
}

} // namespace tests
