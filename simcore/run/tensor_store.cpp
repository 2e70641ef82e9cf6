#include "simcore/run/tensor_store.h"

#include "reports/core/error.h"

#include <cstring>

namespace simcore::run {

using graph::Region;
using graph::Tensor;
using numerics::ElementType;
using numerics::HostTensor;

namespace {
ElementType keptAs(ElementType type) { return type == ElementType::Half ? ElementType::Float : type; }

HostTensor converted(const HostTensor& value, ElementType type) {
  if (type == ElementType::Half) return value.cast(ElementType::Float).roundedToHalf();
  return value.cast(type);
}
} // namespace

TensorStore::TensorStore(const graph::Graph& graph)
    : m_graph(graph), m_values(graph.variables().size()), m_present(graph.variables().size(), false) {
  for (std::size_t v = 0; v < m_values.size(); ++v)
    if (const auto& initial = graph.variables()[v].initial) {
      m_values[v] = converted(*initial, graph.variables()[v].type);
      m_present[v] = true;
    }
}

HostTensor& TensorStore::value(graph::VariableId id) const {
  const std::size_t v = id.value();
  if (!m_present[v]) {
    const auto& variable = m_graph.variables()[v];
    m_values[v] = HostTensor(keptAs(variable.type), variable.shape);
    m_present[v] = true;
  }
  return m_values[v];
}

HostTensor TensorStore::read(const Tensor& view) const {
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
  if (given.count() != view.numElements())
    throw reports::Error(reports::ErrorCode::InvalidInput, "value of shape " + numerics::toString(given.shape()) +
                                                               " does not fit a tensor of shape " +
                                                               numerics::toString(view.shape()));
  const HostTensor in = converted(given, view.elementType());
  if (const auto id = view.wholeVariable(); id.valid()) {
    m_values[id.value()] = in.reshaped(m_graph.variable(id).shape);
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

} // namespace simcore::run
