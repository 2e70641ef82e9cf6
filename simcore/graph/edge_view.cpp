#include "simcore/graph/edge_view.h"

namespace simcore::graph {

EdgeView::EdgeView(const Tensor& tensor) {
  if (const auto w = tensor.window())
    m_view = Stretch{w->region.variable, tensor.elementType(), w->region.begin, w->region.size(), w->variableElements};
  else
    m_view = tensor;
}

VariableId EdgeView::wholeVariable() const {
  const Stretch* s = stretch();
  if (!s) return std::get<Tensor>(m_view).wholeVariable();
  return s->size == s->variableElements ? s->variable : VariableId();
}

std::vector<VariableId> EdgeView::variables() const {
  return stretch() ? std::vector<VariableId>{stretch()->variable} : std::get<Tensor>(m_view).variables();
}

std::vector<Region> EdgeView::contiguousRegions() const {
  const Stretch* s = stretch();
  if (!s) return std::get<Tensor>(m_view).contiguousRegions();
  if (s->size == 0) return {};
  return {{s->variable, s->begin, s->begin + s->size}};
}

Tensor EdgeView::flatten() const {
  const Stretch* s = stretch();
  if (!s) return std::get<Tensor>(m_view).flatten();
  return Tensor({{s->variable, s->begin, s->begin + s->size}, s->variableElements}, s->type);
}

} // namespace simcore::graph
