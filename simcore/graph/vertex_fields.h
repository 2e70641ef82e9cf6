// A vertex as its body sees it at run time: fields as memory ranges, and plain state. Nothing is copied. Half fields are floats
// here; the engine rounds them after the body, like the machine's store.
#pragma once

#include "simcore/graph/codelet.h"

#include <span>
#include <string_view>

namespace simcore::graph {

class VertexFields {
public:
  // A Vector or Scalar field, or one vector of a VectorList.
  struct Edge {
    uint16_t field = 0;
    ElementType type = ElementType::Float;
    std::byte* elements = nullptr;
    int64_t count = 0;
  };
  // `edges` in the order of the codelet's fields. All arguments must outlive the view.
  VertexFields(const Codelet& codelet, std::span<const Edge> edges, std::span<const StateValue> state = {})
      : m_codelet(&codelet), m_edges(edges), m_state(state) {}

  // The elements of a field, or of one vector of a VectorList. Both throw Error(InvalidInput) for an unknown field and for
  // elements of another type; mutableValues() also for an Input.
  template<class T> std::span<const T> values(std::string_view field, int64_t vector = 0) const {
    const Edge& e = edge(field, vector, numerics::ElementTypeOf<T>::kType, false);
    return {reinterpret_cast<const T*>(e.elements), std::size_t(e.count)};
  }
  template<class T> std::span<T> mutableValues(std::string_view field, int64_t vector = 0) const {
    const Edge& e = edge(field, vector, numerics::ElementTypeOf<T>::kType, true);
    return {reinterpret_cast<T*>(e.elements), std::size_t(e.count)};
  }
  ElementType type(std::string_view field) const { return edge(field, 0).type; }
  int64_t size(std::string_view field, int64_t vector = 0) const { return edge(field, vector).count; }
  int64_t vectors(std::string_view field) const; // number of vectors of a VectorList
  // The value of a state member; 0 if it was never set.
  double state(std::string_view name, int64_t element = 0) const;

private:
  std::size_t indexOf(std::string_view field) const;
  const Edge& edge(std::string_view field, int64_t vector) const;
  const Edge& edge(std::string_view field, int64_t vector, ElementType type, bool writes) const;

  const Codelet* m_codelet;
  std::span<const Edge> m_edges;
  std::span<const StateValue> m_state;
};

} // namespace simcore::graph
