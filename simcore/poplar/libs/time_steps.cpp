#include "simcore/poplar/libs/time_steps.h"

#include "popops/Cast.hpp"
#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Fill.hpp"
#include "popops/Zero.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace simcore::poplar {

using ::poplar::DebugContext;
using ::poplar::Tensor;
using ::poplar::program::Copy;
using ::poplar::program::Sequence;
namespace pe = ::popops::expr;

namespace {
constexpr auto kLinear = ::poplar::VariableMappingMethod::LINEAR;

std::size_t product(const std::vector<std::size_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t(1), std::multiplies<>());
}
std::vector<std::size_t> withFirst(std::size_t first, std::vector<std::size_t> shape) {
  shape.insert(shape.begin(), first);
  return shape;
}
} // namespace

TimeSteps::TimeSteps(::poplar::Graph& graph, const ::popnn::rnn::RnnParams& params, bool backwards, Sequence& prog,
                     const DebugContext& debugContext)
    : body(DebugContext(debugContext, "step")), m_graph(graph), m_params(params), m_prog(prog), m_context(debugContext),
      m_backwards(backwards), m_step(graph.addVariable(::poplar::UNSIGNED_INT, {1}, kLinear, named("stepNumber"))) {
  ::popops::fill(graph, m_step, prog, backwards ? unsigned(params.maxTimeSteps - 1) : 0U, named("firstStep"));
}

void TimeSteps::finish() {
  if (m_backwards)
    ::popops::subInPlace(m_graph, m_step, 1U, body, named("nextStep"));
  else
    ::popops::addInPlace(m_graph, m_step, 1U, body, named("nextStep"));
  m_prog.add(::poplar::program::Repeat(unsigned(m_params.maxTimeSteps), body, named("steps")));
}

Tensor TimeSteps::sequence(const std::vector<std::size_t>& shape, const std::string& name) {
  return ::popops::createSliceableTensor(m_graph, m_params.dataType, {m_params.maxTimeSteps, product(shape)}, {0}, {1}, 0,
                                         named(name))
      .reshape(withFirst(m_params.maxTimeSteps, shape));
}
Tensor TimeSteps::copied(const Tensor& steps, const std::string& name) {
  const std::vector<std::size_t> shape = steps.shape();
  const Tensor copy = sequence({shape.begin() + 1, shape.end()}, name);
  m_prog.add(Copy(steps, copy, false, named(name)));
  return copy;
}
Tensor TimeSteps::slice(const Tensor& steps, const std::string& name) {
  const std::vector<std::size_t> shape = steps.shape();
  return ::popops::dynamicSlice(m_graph, steps.flatten(1, unsigned(shape.size())), m_step, {0}, {1}, body, named(name))
      .reshape(std::vector<std::size_t>(shape.begin() + 1, shape.end()));
}
void TimeSteps::put(const Tensor& value, const Tensor& steps, const std::string& name) {
  ::popops::dynamicUpdate(m_graph, steps.flatten(1, steps.rank()), value.flatten().expand({0}), m_step, {0}, {1}, body,
                          named(name));
}
Tensor TimeSteps::state(const Tensor& initial, const std::vector<std::size_t>& shape, const std::string& name) {
  const Tensor state = m_graph.addVariable(m_params.dataType, shape, kLinear, named(name));
  if (initial.valid())
    m_prog.add(Copy(initial.reshape(shape), state, false, named(name)));
  else
    ::popops::zero(m_graph, state, m_prog, named(name));
  return state;
}

Tensor TimeSteps::running() {
  if (!m_params.variableTimeSteps()) return {};
  Tensor lengths = m_params.varTimeSteps.flatten();
  if (lengths.numElements() != m_params.batchSize) lengths = lengths.broadcast(unsigned(m_params.batchSize), 0);
  if (lengths.elementType() != ::poplar::UNSIGNED_INT)
    lengths = ::popops::cast(m_graph, lengths, ::poplar::UNSIGNED_INT, body, named("lengths"));
  return ::popops::gt(m_graph, lengths, m_step.broadcast(unsigned(m_params.batchSize), 0), body, named("running")).expand({1});
}
void TimeSteps::advance(const Tensor& state, const Tensor& value, const Tensor& running, const std::string& name) {
  if (running.valid())
    ::popops::mapInPlace(m_graph, pe::Select(pe::_2, pe::_1, pe::_3),
                         {state, value, running.broadcast(unsigned(state.dim(1)), 1)}, body, named(name));
  else
    body.add(Copy(value, state, false, named(name)));
}

Tensor before(const Tensor& first, const Tensor& steps) {
  return ::poplar::concat({first.expand({0}), steps.slice(0, steps.dim(0) - 1, 0)});
}
Tensor rows(const Tensor& steps) {
  return steps.reshape({steps.dim(0) * steps.dim(1), steps.numElements() / (steps.dim(0) * steps.dim(1))});
}

Tensor masked(::poplar::Graph& graph, const Tensor& value, const Tensor& running, Sequence& prog,
              const DebugContext& debugContext) {
  if (!running.valid()) return value;
  return ::popops::map(graph, pe::Select(pe::_1, pe::Const(value.elementType(), 0), pe::_2),
                       {value, running.broadcast(unsigned(value.dim(1)), 1)}, prog, debugContext);
}

} // namespace simcore::poplar
