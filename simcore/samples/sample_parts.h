// Common parts of the measured samples: a graph whose steps are runs of library vertices. Numbers are computed only on request,
// and without `io` = 1 there are no host streams, so a run costs what the published program cost.
#pragma once

#include "simcore/ops/op_builder.h"
#include "simcore/samples/sample.h"

#include <span>

namespace simcore::samples {

// "half" or "float", also as fp16, float16, fp32, float32; throws Error(InvalidInput) naming the parameter otherwise.
numerics::ElementType typeOf(const Parameters& parameters, const std::string& name = "type");
// The machine of the run, with the number of IPUs in the parameter `ipus` (0: unchanged). Throws Error(InvalidInput) for a number
// that this machine cannot have.
arch::Machine machineOf(const Parameters& parameters, const BuildOptions& options);
// Uniform numbers in [-1, 1).
numerics::HostTensor uniformTensor(const numerics::Shape& shape, uint64_t seed);

Parameter typeParameter(const std::string& value);
Parameter ipusParameter();
Parameter ioParameter();
// The parameter `tiles`: 0 for all tiles, else a number of tiles that the machine has.
int64_t tilesOf(const Parameters& parameters, const arch::Machine& machine);

// A graph under construction, with one debug context and one main program.
class MeasuredGraph {
public:
  MeasuredGraph(std::string name, std::string title, const arch::Machine& machine,
                const graph::SourceLocation& source = graph::SourceLocation::current());

  graph::Graph& graph() { return *m_load.graph; }
  graph::Sequence& main() { return m_main; }
  graph::DebugContextId context() const { return m_context; }
  const arch::Machine& machine() const { return m_load.graph->machine(); }
  // Appends to `program`.
  ops::OpBuilder builder(graph::Sequence& program) { return ops::OpBuilder(*m_load.graph, program, m_context); }

  // `shape[0]` equal parts, one on each tile from tile 0.
  graph::Tensor perTile(numerics::ElementType type, const numerics::Shape& shape, const std::string& name);
  graph::Tensor laid(numerics::ElementType type, const numerics::Shape& shape, const std::string& name,
                     const graph::Distribution& layout);
  // Sets the initial values of a tensor; `value` is called only if numbers are computed.
  void initialise(const graph::Tensor& tensor, std::function<numerics::HostTensor()> value);
  void initialiseUniform(const graph::Tensor& tensor, uint64_t seed);
  // Adds the function that computes the numbers of a step to `program`.
  void numbers(graph::Sequence& program, const std::string& name, std::vector<graph::Tensor> inputs,
               std::vector<graph::Tensor> outputs, graph::HostKernel kernel);
  // Sets the bytes that loads and stores of one run move through the tiles' memory ports, for terabytes_per_second.
  void moves(int64_t bytes);

  // Returns the workload. With `io` a program sends `result` to the stream "result" once, after all iterations.
  graph::Workload finish(const graph::Tensor& result, bool io);

private:
  graph::Workload m_load;
  graph::DebugContextId m_context;
  graph::Sequence m_main;
};

} // namespace simcore::samples
