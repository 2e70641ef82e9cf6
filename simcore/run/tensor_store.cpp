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

TensorStore::TensorStore(const graph::Graph& graph, bool checkReads, uint64_t seed)
    : m_graph(&graph), m_values(graph.variables().size()), m_present(graph.variables().size(), false), m_checkReads(checkReads),
      m_written(checkReads ? graph.variables().size() : 0), m_seed(seed) {
  for (std::size_t v = 0; v < m_values.size(); ++v) {
    const auto& variable = graph.variables()[v];
    if (variable.initial) {
      m_values[v] = converted(*variable.initial, variable.type);
      m_present[v] = true;
    }
    if (!m_checkReads) continue;
    const auto& parts = variable.initialParts;
    m_written[v].assign(std::size_t(variable.elements()), variable.initial && parts.empty());
    for (const graph::Interval& part : parts) std::fill(m_written[v].begin() + part.begin, m_written[v].begin() + part.end, true);
  }
}

void TensorStore::setReplica(std::size_t replica) {
  for (std::size_t v = 0; v < m_values.size(); ++v)
    if (const auto& variable = m_graph->variables()[v]; variable.replicaIndex)
      m_values[v] = HostTensor::full(variable.type, variable.shape, double(replica));
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

void TensorStore::requireWritten(const Tensor& view) const {
  for (const Region& r : view.contiguousRegions()) {
    const auto& written = m_written[r.variable.value()];
    const auto hole = std::find(written.begin() + r.begin, written.begin() + r.end, false);
    if (hole != written.begin() + r.end)
      throw Error(ErrorCode::InvalidInput,
                  "element " + std::to_string(hole - written.begin()) + " of variable '" + m_graph->fullName(r.variable) +
                      "' is read and nothing wrote it",
                  m_where.empty() ? "the host" : m_where, "write it first, or set an initial value");
  }
}

HostTensor TensorStore::read(const Tensor& view) const {
  requireKnown(view);
  if (m_checkReads) requireWritten(view);
  return peek(view);
}

HostTensor TensorStore::peek(const Tensor& view) const {
  if (const auto id = view.wholeVariable(); id.valid()) return value(id).reshaped(view.shape());
  HostTensor out = HostTensor::uninitialised(keptAs(view.elementType()), view.shape());
  const std::size_t size = numerics::hostSize(out.type());
  auto bytes = out.mutableRaw();
  std::size_t at = 0;
  for (const Region& r : view.contiguousRegions()) {
    const auto raw = value(r.variable).raw();
    std::memcpy(bytes.data() + at, raw.data() + std::size_t(r.begin) * size, std::size_t(r.size()) * size);
    at += std::size_t(r.size()) * size;
  }
  return out;
}

void TensorStore::write(const Tensor& view, const HostTensor& given) {
  requireKnown(view);
  keep(view, given, converted(given, view.elementType()));
}

void TensorStore::writeResult(const Tensor& view, const HostTensor& given) {
  const bool special = m_floatingPoint.esr || m_floatingPoint.nanoo;
  if (!special || view.elementType() != ElementType::Half) return write(view, given);
  HostTensor rounded = given.cast(ElementType::Float);
  roundToHalf(rounded.mutableValues<float>(), m_floatingPoint, m_seed, m_results++);
  keep(view, given, rounded);
}

void TensorStore::keep(const Tensor& view, const HostTensor& given, const HostTensor& in) {
  if (given.count() != view.numElements())
    throw Error(ErrorCode::InvalidInput,
                "value of shape " + numerics::toString(given.shape()) + " does not fit tensor " + view.getDebugStr());
  if (m_checkReads)
    for (const Region& r : view.contiguousRegions()) {
      auto& written = m_written[r.variable.value()];
      std::fill(written.begin() + r.begin, written.begin() + r.end, true);
    }
  if (const auto id = view.wholeVariable(); id.valid()) {
    m_values[id.value()] = in.reshaped(m_graph->variable(id).shape);
    m_present[id.value()] = true;
    return;
  }
  const std::size_t size = numerics::hostSize(in.type());
  std::size_t at = 0;
  for (const Region& r : view.contiguousRegions()) {
    auto raw = value(r.variable).mutableRaw();
    std::memcpy(raw.data() + std::size_t(r.begin) * size, in.raw().data() + at, std::size_t(r.size()) * size);
    at += std::size_t(r.size()) * size;
  }
}

bool TensorStore::sameAs(const TensorStore& other) const {
  if (m_results != other.m_results || m_remembered != other.m_remembered || m_written != other.m_written) return false;
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
