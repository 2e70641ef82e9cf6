#include "simcore/run/tensor_store.h"

#include "reports/core/error.h"
#include "simcore/run/rounding.h"

#include <algorithm>
#include <cstring>

namespace simcore::run {

using graph::Region;
using graph::Tensor;
using numerics::ElementType;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {
ElementType keptAs(ElementType type) { return type == ElementType::Half ? ElementType::Float : type; }

HostTensor converted(const HostTensor& value, ElementType type) {
  if (type == ElementType::Half) return value.cast(ElementType::Float).roundedToHalf();
  return value.cast(type);
}
} // namespace

TensorStore::TensorStore(const graph::Graph& graph, bool checkReads, uint64_t seed, bool runsVertices)
    : m_graph(&graph), m_values(graph.variables().size()), m_present(graph.variables().size(), false), m_checkReads(checkReads),
      m_vertexMemory(graph, runsVertices), m_written(checkReads ? graph.variables().size() : 0), m_seed(seed) {
  m_vertexMemory.seed = seed;
  for (std::size_t v = 0; v < m_values.size(); ++v) {
    const auto& variable = graph.variables()[v];
    if (variable.initial) give(graph::VariableId(v), *variable.initial);
    if (!m_checkReads) continue;
    const auto& parts = variable.initialParts;
    m_written[v].assign(std::size_t(variable.elements()), variable.initial && parts.empty());
    for (const graph::Interval& part : parts) std::fill(m_written[v].begin() + part.begin, m_written[v].begin() + part.end, true);
  }
}

void TensorStore::setReplica(std::size_t replica) {
  m_vertexMemory.replica = replica;
  for (std::size_t v = 0; v < m_values.size(); ++v)
    if (const auto& variable = m_graph->variables()[v]; variable.replicaIndex)
      give(graph::VariableId(v), HostTensor::full(variable.type, variable.shape, double(replica)));
}

void TensorStore::give(graph::VariableId id, const HostTensor& given) {
  const auto& variable = m_graph->variables()[id.value()];
  const HostTensor value = converted(given, variable.type);
  if (m_vertexMemory.has(id)) return store({id, 0, variable.elements()}, variable.type, value.raw().data());
  m_values[id.value()] = value;
  m_present[id.value()] = true;
}

HostTensor& TensorStore::value(graph::VariableId id) const {
  const std::size_t v = id.value();
  if (!m_present[v]) {
    const auto& variable = m_graph->variables()[v];
    m_values[v] = HostTensor(keptAs(variable.type), variable.shape);
    m_present[v] = true;
  }
  return m_values[v];
}

void TensorStore::requireKnown(const Tensor& view) const {
  if (!view.valid()) throw Error(ErrorCode::InvalidInput, "the tensor is empty: it is a view of no variable", "tensor");
  for (const graph::VariableId v : view.variables())
    if (v.value() >= m_values.size())
      throw Error(ErrorCode::InvalidInput, "the tensor was made after the engine", "variable " + std::to_string(v.value()),
                  "an engine runs the graph as it was when it was compiled: compile again");
}

void TensorStore::requireWritten(const graph::EdgeView& view) const {
  view.forEachRegion([&](const Region& r) {
    const auto& written = m_written[r.variable.value()];
    const auto hole = std::find(written.begin() + r.begin, written.begin() + r.end, false);
    if (hole != written.begin() + r.end)
      throw Error(ErrorCode::InvalidInput,
                  "element " + std::to_string(hole - written.begin()) + " of variable '" + m_graph->fullName(r.variable) +
                      "' is read, but nothing wrote it",
                  m_where.empty() ? "the host" : m_where, "write it first, or set an initial value");
  });
}

void TensorStore::noteWritten(const graph::EdgeView& view) {
  view.forEachRegion([&](const Region& r) {
    auto& written = m_written[r.variable.value()];
    std::fill(written.begin() + r.begin, written.begin() + r.end, true);
  });
}

HostTensor TensorStore::read(const Tensor& view) const {
  requireKnown(view);
  if (m_checkReads) requireWritten(view);
  return peek(view);
}

HostTensor TensorStore::peek(const Tensor& view) const {
  const auto isWhole = view.wholeVariable();
  if (isWhole.valid() && !m_vertexMemory.has(isWhole) && m_graph->variable(isWhole).type == view.elementType())
    return value(isWhole).reshaped(view.shape());
  HostTensor out = HostTensor::uninitialised(keptAs(view.elementType()), view.shape());
  const std::size_t size = numerics::hostSize(out.type());
  auto bytes = out.mutableRaw();
  std::size_t at = 0;
  for (const Region& r : view.contiguousRegions()) {
    load(r, view.elementType(), bytes.data() + at);
    at += std::size_t(r.size()) * size;
  }
  return out;
}

// Copy elements of a variable to or from host memory.
void TensorStore::load(const Region& r, ElementType type, std::byte* to) const {
  const std::size_t kept = numerics::hostSize(keptAs(type)), n = std::size_t(r.size());
  if (!m_vertexMemory.has(r.variable)) {
    std::memcpy(to, value(r.variable).raw().data() + std::size_t(r.begin) * kept, n * kept);
    return;
  }
  const std::size_t size = numerics::hostSize(type);
  const std::byte* const from = m_vertexMemory.begin() + m_vertexMemory.placeOf(r.variable) + std::size_t(r.begin) * size;
  if (type != ElementType::Half) {
    std::memcpy(to, from, n * size);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    numerics::Half half;
    std::memcpy(&half, from + i * size, size);
    const float value(half);
    std::memcpy(to + i * kept, &value, kept);
  }
}

void TensorStore::store(const Region& r, ElementType type, const std::byte* from) {
  const std::size_t kept = numerics::hostSize(keptAs(type)), n = std::size_t(r.size());
  if (!m_vertexMemory.has(r.variable)) {
    std::memcpy(value(r.variable).mutableRaw().data() + std::size_t(r.begin) * kept, from, n * kept);
    return;
  }
  const std::size_t size = numerics::hostSize(type);
  std::byte* const to = m_vertexMemory.begin() + m_vertexMemory.placeOf(r.variable) + std::size_t(r.begin) * size;
  if (type != ElementType::Half) {
    std::memcpy(to, from, n * size);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    float value;
    std::memcpy(&value, from + i * kept, kept);
    const numerics::Half half(value);
    std::memcpy(to + i * size, &half, size);
  }
}

void TensorStore::write(const Tensor& view, const HostTensor& given) {
  requireKnown(view);
  keep(view, given, converted(given, view.elementType()));
}

void TensorStore::writeResult(const Tensor& view, const HostTensor& given) {
  if (!roundsSpecially() || view.elementType() != ElementType::Half) return write(view, given);
  HostTensor rounded = given.cast(ElementType::Float);
  roundToHalf(rounded.mutableValues<float>(), m_floatingPoint, m_seed, m_results++);
  keep(view, given, rounded);
}

void TensorStore::roundResult(std::span<float> halves, uint64_t number) const {
  if (roundsSpecially()) return roundToHalf(halves, m_floatingPoint, m_seed, number);
  for (float& v : halves) v = float(numerics::Half(v));
}

uint64_t TensorStore::reserveResults(int64_t count) {
  const uint64_t first = m_results;
  if (roundsSpecially()) m_results += uint64_t(count);
  return first;
}

void TensorStore::keep(const Tensor& view, const HostTensor& given, const HostTensor& in) {
  if (given.count() != view.numElements())
    throw Error(ErrorCode::InvalidInput,
                "value of shape " + numerics::toString(given.shape()) + " does not fit tensor " + view.getDebugStr());
  if (m_checkReads) noteWritten(view);
  const auto id = view.wholeVariable();
  if (id.valid() && !m_vertexMemory.has(id) && m_graph->variable(id).type == view.elementType()) {
    m_values[id.value()] = in.reshaped(m_graph->variable(id).shape);
    m_present[id.value()] = true;
    return;
  }
  const std::size_t size = numerics::hostSize(in.type());
  std::size_t at = 0;
  for (const Region& r : view.contiguousRegions()) {
    store(r, view.elementType(), in.raw().data() + at);
    at += std::size_t(r.size()) * size;
  }
}

bool TensorStore::sameAs(const TensorStore& other) const {
  if (m_results != other.m_results || m_remembered != other.m_remembered || m_written != other.m_written ||
      !m_vertexMemory.sameAs(other.m_vertexMemory))
    return false;
  const auto same = [](const HostTensor& a, const HostTensor& b) { return (a.waits() && b.waits()) || a.identicalTo(b); };
  for (std::size_t v = 0; v < m_values.size(); ++v)
    if (m_present[v] != other.m_present[v] || (m_present[v] && !same(m_values[v], other.m_values[v]))) return false;
  return true;
}

void TensorStore::forget(const Tensor& view) {
  if (!m_checkReads) return;
  for (const Region& r : view.contiguousRegions()) {
    auto& written = m_written[r.variable.value()];
    std::fill(written.begin() + r.begin, written.begin() + r.end, false);
  }
}

} // namespace simcore::run
