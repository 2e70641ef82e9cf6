#include "simcore/graph/vertex_fields.h"

#include "reports/core/error.h"

#include <algorithm>

namespace simcore::graph {

using reports::Error;
using reports::ErrorCode;

std::size_t VertexFields::indexOf(std::string_view field) const {
  const auto& all = m_codelet->fields;
  const auto it = std::find_if(all.begin(), all.end(), [&](const CodeletField& f) { return f.name == field; });
  if (it == all.end())
    throw Error(ErrorCode::InvalidInput, "the codelet asks for a field it does not have ('" + std::string(field) + "')");
  return std::size_t(it - all.begin());
}

const VertexFields::Edge& VertexFields::edge(std::string_view field, int64_t vector) const {
  const std::size_t index = indexOf(field);
  const auto first = std::find_if(m_edges.begin(), m_edges.end(), [&](const Edge& e) { return e.field == index; });
  if (vector < 0 || vector >= m_edges.end() - first || first[vector].field != index)
    throw Error(ErrorCode::InvalidInput, "the codelet asks for vector " + std::to_string(vector) + " of field '" +
                                             std::string(field) + "', which has " + std::to_string(vectors(field)));
  return first[vector];
}

const VertexFields::Edge& VertexFields::edge(std::string_view field, int64_t vector, ElementType type, bool writes) const {
  const Edge& e = edge(field, vector);
  if (e.type != type)
    throw Error(ErrorCode::InvalidInput, "the codelet reads field '" + std::string(field) + "' as " +
                                             numerics::elementTypeName(type) + ", but it is " +
                                             numerics::elementTypeName(e.type));
  if (writes && m_codelet->fields[e.field].direction == FieldDirection::Input)
    throw Error(ErrorCode::InvalidInput, "the codelet writes to its input '" + std::string(field) + "'");
  return e;
}

int64_t VertexFields::vectors(std::string_view field) const {
  const std::size_t index = indexOf(field);
  return std::count_if(m_edges.begin(), m_edges.end(), [&](const Edge& e) { return e.field == index; });
}

double VertexFields::state(std::string_view name, int64_t element) const {
  const auto& all = m_codelet->state;
  const auto it = std::find_if(all.begin(), all.end(), [&](const StateField& f) { return f.name == name; });
  if (it == all.end())
    throw Error(ErrorCode::InvalidInput, "the codelet asks for a field it does not have ('" + std::string(name) + "')");
  double value = 0; // if a value was set several times, the last one
  for (const StateValue& v : m_state)
    if (v.field == it - all.begin() && v.element == uint32_t(element)) value = v.number();
  return value;
}

} // namespace simcore::graph
