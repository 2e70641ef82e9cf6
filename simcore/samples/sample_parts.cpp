#include "simcore/samples/sample_parts.h"

#include "reports/core/error.h"
#include "reports/core/json.h"
#include "reports/core/option.h"
#include "reports/core/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

ElementType typeOf(const Parameters& p, const std::string& name) {
  const std::string text = p.choice(name, {"half", "float", "fp16", "float16", "fp32", "float32"});
  return text == "half" || text == "fp16" || text == "float16" ? ElementType::Half : ElementType::Float;
}

arch::Machine machineOf(const Parameters& p, const BuildOptions& o) {
  const int ipus = int(p.integer("ipus", 0, 4096));
  arch::Machine machine = o.machine;
  p.means("ipus", ipus ? ipus : machine.ipus);
  if (ipus == 0 || ipus == machine.ipus) return machine;
  if (std::find(machine.ipuCounts.begin(), machine.ipuCounts.end(), ipus) == machine.ipuCounts.end())
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "machine " + machine.name + " cannot have " + reports::counted(ipus, "IPU"),
                         reports::option("set") + " ipus");
  machine.ipus = ipus;
  return machine;
}

HostTensor uniformTensor(const Shape& shape, uint64_t seed) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 1);
  HostTensor t = HostTensor::uninitialised(ElementType::Float, shape);
  for (float& v : t.mutableValues<float>()) v = float(double(random() >> 11) * 0x1p-52 - 1.0);
  return t;
}

Parameter typeParameter(const std::string& value) { return {"type", value, "half or float"}; }
Parameter ipusParameter() { return {"ipus", "0", "IPUs; 0: as the machine has"}; }
Parameter ioParameter() {
  return {"io",
          "0",
          "on: brings the result to the host, in a program of its own after the last run; the stream's time is host time",
          {"0", "1"}};
}

int64_t tilesOf(const Parameters& p, const arch::Machine& machine) {
  const int64_t given = p.integer("tiles", 0, machine.tiles()), tiles = given ? given : machine.tiles();
  p.means("tiles", tiles);
  return tiles;
}

MeasuredGraph::MeasuredGraph(std::string name, std::string title, const arch::Machine& machine,
                             const graph::SourceLocation& source) {
  m_load.name = std::move(name);
  m_load.title = std::move(title);
  m_load.graph = std::make_shared<Graph>(machine);
  m_context = m_load.graph->addContext({}, m_load.name, "model", m_load.name, {}, source);
}

Tensor MeasuredGraph::perTile(ElementType type, const Shape& shape, const std::string& name) {
  std::vector<int64_t> splits(shape.size(), 1);
  splits[0] = shape[0];
  return laid(type, shape, name, Distribution(shape, splits, {}, 0, machine().tiles()));
}

Tensor MeasuredGraph::laid(ElementType type, const Shape& shape, const std::string& name, const Distribution& layout) {
  const Tensor t = graph().addVariable(type, shape, name, m_context);
  graph().setDistribution(t, layout);
  return t;
}

void MeasuredGraph::initialise(const Tensor& tensor, std::function<HostTensor()> value) {
  numbers(m_main, "initialise", {}, {tensor},
          [value = std::move(value)](const std::vector<HostTensor>&) { return std::vector<HostTensor>{value()}; });
}

void MeasuredGraph::initialiseUniform(const Tensor& tensor, uint64_t seed) {
  initialise(tensor, [shape = tensor.shape(), seed] { return uniformTensor(shape, seed); });
}

void MeasuredGraph::numbers(Sequence& program, const std::string& name, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                            HostKernel kernel) {
  program.add(program::hostCompute(name, m_context, std::move(inputs), std::move(outputs), std::move(kernel)));
}

void MeasuredGraph::moves(int64_t bytes) {
  Plan plan;
  plan.context = m_context;
  plan.method = "memory traffic";
  plan.text = std::to_string(bytes) + " bytes through the tiles' memory ports";
  plan.details = reports::jsonText(nlohmann::json{{"memory_bytes", bytes}});
  graph().addPlan(std::move(plan));
}

Workload MeasuredGraph::finish(const Tensor& result, bool io) {
  m_load.programs = {{"main", m_main.program()}};
  if (io) {
    const StreamId out = graph().addDeviceToHostFifo("result", result.elementType(), result.numElements());
    m_load.programs.push_back({"result to host", program::copy(result, out, "result", m_context)});
    m_load.after = {1};
    m_load.outputs = {"result"};
  }
  return std::move(m_load);
}

} // namespace simcore::samples
