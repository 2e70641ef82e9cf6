// The elements to which a field of a user vertex is connected, in order. They usually are one region of one variable, which takes
// 40 bytes here instead of several hundred in a Tensor: ten million vertices must fit in memory. The view's shape is dropped,
// because fields are flat.
#pragma once

#include "simcore/graph/tensor.h"

#include <variant>

namespace simcore::graph {

class EdgeView {
public:
  EdgeView() = default; // invalid: not connected yet
  EdgeView(const Tensor& tensor);

  bool valid() const { return stretch() || std::get<Tensor>(m_view).valid(); }
  ElementType elementType() const { return stretch() ? stretch()->type : std::get<Tensor>(m_view).elementType(); }
  int64_t numElements() const { return stretch() ? stretch()->size : std::get<Tensor>(m_view).numElements(); }
  VariableId wholeVariable() const;
  std::vector<VariableId> variables() const;
  std::vector<Region> contiguousRegions() const;
  template<class F> void forEachRegion(F f) const { // does not build a list
    if (const Stretch* s = stretch()) {
      if (s->size) f(Region{s->variable, s->begin, s->begin + s->size});
      return;
    }
    for (const Region& r : contiguousRegions()) f(r);
  }
  Tensor flatten() const; // as a tensor of one dimension
  operator Tensor() const { return flatten(); }

private:
  struct Stretch {
    VariableId variable;
    ElementType type;
    int64_t begin, size, variableElements;
  };
  const Stretch* stretch() const { return std::get_if<Stretch>(&m_view); }
  std::variant<Tensor, Stretch> m_view;
};

} // namespace simcore::graph
