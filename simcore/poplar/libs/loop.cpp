#include "popops/Loop.hpp"

#include "popops/CircBuf.hpp"
#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Fill.hpp"
#include "popops/Zero.hpp"
#include "simcore/poplar/libs/library_call.h"

namespace popops {

using namespace simcore::poplar::names;

namespace {
// A variable of one element that `prog` sets to `first`.
Tensor counter(Graph& graph, const poplar::Type& type, long long first, Sequence& prog, const DebugContext& debugContext) {
  const Tensor count = graph.addVariable(type, {1}, poplar::VariableMappingMethod::LINEAR, DebugContext(debugContext, "count"));
  fill(graph, count, prog, first, debugContext);
  return count;
}
} // namespace

Sequence countedLoop(Graph& graph, std::size_t begin, std::size_t end, std::size_t step, const CountedLoopBodyType& body,
                     const DebugContext& debugContext) {
  if (step == 0) throw poputil::poplibs_error("popops::countedLoop: the step is 0");
  if (begin >= end) throw poputil::poplibs_error("popops::countedLoop: the begin must be less than the end");
  Sequence prog(debugContext);
  const Tensor count = counter(graph, poplar::UNSIGNED_INT, static_cast<long long>(begin), prog, debugContext);
  Sequence iteration(DebugContext(debugContext, "iteration"));
  iteration.add(body(count));
  addInPlace(graph, count, static_cast<unsigned>(step), iteration, DebugContext(debugContext, "next"));
  prog.add(poplar::program::Repeat(static_cast<unsigned>((end - begin + step - 1) / step), iteration, debugContext));
  return prog;
}
Sequence countedLoop(Graph& graph, std::size_t count, const CountedLoopBodyType& body, const DebugContext& debugContext) {
  return countedLoop(graph, 0, count, 1, body, debugContext);
}

Sequence countedForLoop(Graph& graph, const Tensor& count, int initialCount, const Tensor& countLimit, int countStep,
                        const Program& body, const DebugContext& debugContext) {
  if (countStep == 0) throw poputil::poplibs_error("popops::countedForLoop: the step is 0");
  Sequence prog(debugContext), condition(DebugContext(debugContext, "condition")),
      iteration(DebugContext(debugContext, "iteration"));
  fill(graph, count, prog, initialCount, debugContext);
  const Tensor goesOn = countStep > 0 ? lt(graph, count, countLimit, condition, DebugContext(debugContext, "goesOn"))
                                      : gt(graph, count, countLimit, condition, DebugContext(debugContext, "goesOn"));
  iteration.add(body);
  if (countStep > 0)
    addInPlace(graph, count, countStep, iteration, DebugContext(debugContext, "next"));
  else
    subInPlace(graph, count, -countStep, iteration, DebugContext(debugContext, "next"));
  prog.add(poplar::program::RepeatWhileTrue(condition, goesOn.flatten()[0], iteration, debugContext));
  return prog;
}
Sequence countedForLoop(Graph& graph, int initialCount, const Tensor& countLimit, int countStep, const Program& body,
                        const DebugContext& debugContext) {
  const Tensor count = graph.addVariable(countLimit.elementType(), countLimit.shape(), poplar::VariableMappingMethod::LINEAR,
                                         DebugContext(debugContext, "count"));
  return countedForLoop(graph, count, initialCount, countLimit, countStep, body, debugContext);
}

CircBuf::CircBuf(Graph& graph, const poplar::Type& dataType, unsigned size, const std::vector<std::size_t>& shape,
                 const DebugContext& debugContext)
    : m_graph(&graph), m_size(size), m_shape(shape) {
  std::vector<std::size_t> all{size};
  all.insert(all.end(), shape.begin(), shape.end());
  m_history = createSliceableTensor(graph, dataType, all, {0}, {1}, 0, DebugContext(debugContext, "history"));
  m_index =
      graph.addVariable(poplar::UNSIGNED_INT, {1}, poplar::VariableMappingMethod::LINEAR, DebugContext(debugContext, "index"));
  graph.setInitialValue(m_index, 0U);
}
Tensor CircBuf::prev(unsigned i, Sequence& prog, const DebugContext& debugContext) {
  if (i >= m_size)
    throw poputil::poplibs_error("popops::CircBuf::prev: value " + std::to_string(i) + " is not in the buffer of " +
                                 std::to_string(m_size));
  const Tensor at = map(*m_graph, (expr::_1 + (m_size - i)) % m_size, {m_index}, prog, debugContext);
  return dynamicSlice(*m_graph, m_history, at, {0}, {1}, prog, debugContext)[0];
}
void CircBuf::add(Tensor tensor, Sequence& prog, const DebugContext& debugContext) {
  mapInPlace(*m_graph, (expr::_1 + 1U) % m_size, {m_index}, prog, debugContext);
  dynamicUpdate(*m_graph, m_history, tensor.expand({0}), m_index, {0}, {1}, prog, debugContext);
}
Graph::TileToTensorMapping CircBuf::getTileMapping() { return m_graph->getTileMapping(m_history[0]); }

} // namespace popops
