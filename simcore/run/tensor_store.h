// The values of all variables while a program runs, in host memory and logical order. Half variables are kept as float
// values that are exactly representable in half: kernels stay fast and the rounding is the machine's.
#pragma once

#include "simcore/graph/graph.h"

#include <vector>

namespace simcore::run {

class TensorStore {
public:
  explicit TensorStore(const graph::Graph& graph);

  // Elements of a view in its row-major order; never-written variables read as zero.
  numerics::HostTensor read(const graph::Tensor& view) const;
  // Converts to the variable's type; element count must match the view (throws Error(InvalidInput)).
  void write(const graph::Tensor& view, const numerics::HostTensor& value);

private:
  numerics::HostTensor& value(graph::VariableId id) const;
  const graph::Graph& m_graph;
  mutable std::vector<numerics::HostTensor> m_values;
  mutable std::vector<bool> m_present;
};

} // namespace simcore::run
