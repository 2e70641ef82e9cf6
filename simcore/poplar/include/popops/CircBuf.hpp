// A ring buffer of the last values of a tensor.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <vector>

namespace popops {

class CircBuf {
public:
  CircBuf(poplar::Graph& graph, const poplar::Type& dataType, unsigned size, const std::vector<std::size_t>& shape,
          const poplar::DebugContext& debugContext = {});
  // The value added `i` additions before the last one.
  poplar::Tensor prev(unsigned i, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
  void add(poplar::Tensor tensor, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
  poplar::Tensor getIndex() const { return m_index; } // of the last value
  unsigned size() const { return m_size; }
  poplar::Graph::TileToTensorMapping getTileMapping();

private:
  poplar::Graph* m_graph;
  unsigned m_size;
  std::vector<std::size_t> m_shape;
  poplar::Tensor m_index, m_history;
};

} // namespace popops
