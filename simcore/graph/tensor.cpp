// The methods of Tensor that slice, shuffle and join, under Poplar's names. They check their arguments; tensor_view.cpp makes the
// views.
#include "simcore/graph/tensor.h"

#include "reports/core/error.h"
#include "simcore/graph/tensor_error.h"
#include "simcore/graph/tensor_view.h"

#include <algorithm>
#include <unordered_set>

namespace simcore::graph {

using reports::Error;
using reports::ErrorCode;

namespace {
[[noreturn]] void noTensor() {
  throw Error(ErrorCode::InvalidInput, "the tensor was declared without a value", "tensor",
              "use addVariable, or a view of a tensor");
}

} // namespace

Tensor::Tensor(VariableId variable, ElementType type, Shape shape, std::shared_ptr<const std::string> name) {
  auto v = std::make_shared<View>();
  v->type = type;
  v->variable = variable;
  v->name = std::move(name);
  v->variableSize = numerics::elementCount(shape);
  v->strides = numerics::rowMajorStrides(shape);
  v->shape = std::move(shape);
  m_view = std::move(v);
}

Tensor::Tensor(const Window& window, ElementType type) {
  auto v = std::make_shared<View>();
  v->type = type;
  v->shape = {window.region.size()};
  v->variable = window.region.variable;
  v->variableSize = window.variableElements;
  v->offset = window.region.begin;
  v->strides = {1};
  m_view = std::move(v);
}

bool canReinterpret(ElementType from, ElementType to) {
  // Types that host and machine store in the same bytes; a half has four bytes on the host.
  const auto hasOwnBytes = [](ElementType t) {
    return t == ElementType::Float || t == ElementType::Bool || numerics::isInteger(t);
  };
  return hasOwnBytes(from) && hasOwnBytes(to) && numerics::hostSize(from) == numerics::hostSize(to) &&
         numerics::deviceSize(from) == numerics::deviceSize(to);
}

Tensor Tensor::reinterpret(ElementType type) const {
  if (type == elementType()) return *this;
  if (!canReinterpret(elementType(), type))
    badView(std::string("cannot be seen as ") + numerics::elementTypeName(type) + ": elements have other bytes", *this);
  return Tensor(retyped(*m_view, type));
}

ElementType Tensor::elementType() const {
  if (!m_view) noTensor();
  return m_view->type;
}
const Shape& Tensor::shape() const {
  if (!m_view) noTensor();
  return m_view->shape;
}
int64_t Tensor::numElements() const { return numerics::elementCount(shape(), 0, rank()); }
int64_t Tensor::pieces() const { return m_view ? m_view->pieces : 0; }

Tensor Tensor::slice(int64_t begin, int64_t end, std::size_t dimension) const {
  if (dimension >= rank() || begin < 0 || end < begin || end > dim(dimension))
    badView("slice [" + std::to_string(begin) + ", " + std::to_string(end) + ") of dimension " + std::to_string(dimension) +
                " is outside",
            *this);
  return Tensor(sliceView(*m_view, dimension, begin, end));
}

Tensor Tensor::slice(const std::vector<int64_t>& begin, const std::vector<int64_t>& end) const {
  if (begin.size() != end.size() || begin.size() > rank()) badView("slice has more ranges than there are dimensions", *this);
  Tensor t = *this;
  for (std::size_t d = 0; d < begin.size(); ++d) t = t.slice(begin[d], end[d], d);
  return t;
}

Tensor Tensor::operator[](int64_t index) const {
  if (rank() == 0) badView("a scalar cannot be indexed", *this);
  return slice(index, index + 1, 0).squeeze({0});
}

int64_t Tensor::noDimension(std::size_t d) const { badView("has no dimension " + std::to_string(d), *this); }

Tensor Tensor::reshape(Shape newShape) const {
  if (numerics::elementCount(newShape, 0, newShape.size()) != numElements())
    badView("cannot be reshaped to " + numerics::toString(newShape), *this);
  if (newShape == shape()) return *this;
  if (numElements() == 0) { // no element, so any position
    const View* first = m_view.get();
    while (!first->children.empty()) first = first->children[0].get();
    auto w = std::make_shared<View>(*first);
    w->strides = numerics::rowMajorStrides(newShape);
    w->shape = std::move(newShape);
    return Tensor(w);
  }
  if (m_view->children.empty())
    if (auto w = reshapeWindow(*m_view, newShape)) return Tensor(w);
  if (newShape.empty()) return reshape({1}).squeeze({0});
  return Tensor(shapeFlat(*flattenView(*m_view), newShape));
}

Tensor Tensor::flatten() const { return reshape({numElements()}); }

Tensor Tensor::dimShuffle(const std::vector<std::size_t>& order) const {
  std::vector<std::size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < rank(); ++i)
    if (sorted.size() != rank() || sorted[i] != i) badView("the order of a dimShuffle must name every dimension once", *this);
  return Tensor(shuffleView(*m_view, order));
}

Tensor Tensor::transpose() const {
  std::vector<std::size_t> order(rank());
  for (std::size_t d = 0; d < rank(); ++d) order[d] = rank() - 1 - d;
  return dimShuffle(order);
}

Tensor Tensor::expand(const std::vector<std::size_t>& before) const {
  Shape s;
  for (std::size_t d = 0; d <= rank(); ++d) {
    s.insert(s.end(), std::size_t(std::count(before.begin(), before.end(), d)), 1);
    if (d < rank()) s.push_back(dim(d));
  }
  return reshape(s);
}

Tensor Tensor::squeeze(const std::vector<std::size_t>& dimensions) const {
  Shape s;
  for (std::size_t d = 0; d < rank(); ++d) {
    const bool drop = std::find(dimensions.begin(), dimensions.end(), d) != dimensions.end();
    if (drop && dim(d) != 1) badView("dimension " + std::to_string(d) + " is not of extent 1", *this);
    if (!drop) s.push_back(dim(d));
  }
  if (s.empty() && m_view->children.empty()) {
    auto w = std::make_shared<View>(*m_view);
    w->shape.clear();
    w->strides.clear();
    return Tensor(w);
  }
  return reshape(s);
}

Tensor Tensor::broadcast(int64_t n, std::size_t dimension) const {
  if (dimension >= rank() || n < 1)
    badView("cannot be broadcast " + std::to_string(n) + " times along dimension " + std::to_string(dimension), *this);
  if (dim(dimension) == 1 && m_view->children.empty()) {
    auto w = std::make_shared<View>(*m_view);
    w->shape[dimension] = n;
    w->strides[dimension] = 0;
    return Tensor(w);
  }
  return concat(std::vector<Tensor>(std::size_t(n), *this), dimension);
}

Tensor Tensor::reverse(std::size_t dimension) const {
  if (dimension >= rank()) badView("has no dimension " + std::to_string(dimension), *this);
  if (m_view->children.empty()) {
    auto w = std::make_shared<View>(*m_view);
    w->offset += (dim(dimension) - 1) * m_view->strides[dimension];
    w->strides[dimension] = -m_view->strides[dimension];
    return Tensor(w);
  }
  std::vector<Tensor> parts;
  for (const auto& c : m_view->children) parts.push_back(Tensor(c).reverse(dimension));
  if (dimension == m_view->dimension) std::reverse(parts.begin(), parts.end());
  return concat(parts, m_view->dimension);
}

Tensor Tensor::subSample(int64_t stride, std::size_t dimension) const {
  if (dimension >= rank() || stride < 1) badView("cannot be sampled with stride " + std::to_string(stride), *this);
  if (m_view->children.empty()) {
    auto w = std::make_shared<View>(*m_view);
    w->shape[dimension] = (dim(dimension) + stride - 1) / stride;
    w->strides[dimension] *= stride;
    return Tensor(w);
  }
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < dim(dimension); i += stride) rows.push_back(slice(i, i + 1, dimension));
  return concat(rows, dimension);
}

std::vector<Region> Tensor::contiguousRegions() const {
  std::vector<Region> regions;
  if (shape().empty()) {
    regions.push_back({m_view->variable, m_view->offset, m_view->offset + 1});
    return regions;
  }
  if (numElements() > 0) collectRegions(*flattenView(*m_view), regions);
  return regions;
}

std::optional<Window> Tensor::window() const {
  if (!m_view || !m_view->children.empty()) return std::nullopt;
  int64_t expected = 1;
  for (std::size_t d = rank(); d-- > 0;) {
    if (dim(d) != 1 && m_view->strides[d] != expected) return std::nullopt;
    expected *= dim(d);
  }
  return Window{{m_view->variable, m_view->offset, m_view->offset + expected}, m_view->variableSize};
}

std::optional<StridedWindow> Tensor::stridedWindow() const {
  if (!m_view || !m_view->children.empty()) return std::nullopt;
  return StridedWindow{m_view->variable, m_view->variableSize, m_view->offset, m_view->strides};
}

VariableId Tensor::wholeVariable() const {
  const auto w = window();
  return w && w->region.begin == 0 && w->region.end == w->variableElements ? w->region.variable : VariableId();
}

std::vector<VariableId> Tensor::variables() const {
  constexpr std::size_t kFew = 16;
  std::vector<VariableId> found;
  std::unordered_set<uint32_t> known; // used for more than kFew variables
  bool isAscending = true;            // ascending variables, as in a join of values in the order they were made, are not repeated
  const auto isNew = [&](VariableId id) {
    if (isAscending && (found.empty() || found.back().value() < id.value())) return true;
    isAscending = false;
    if (found.size() < kFew) return std::find(found.begin(), found.end(), id) == found.end();
    if (known.empty())
      for (const VariableId other : found) known.insert(other.value());
    return known.insert(id.value()).second;
  };
  auto visit = [&](auto&& self, const View& v) -> void {
    if (v.children.empty()) {
      if (isNew(v.variable)) found.push_back(v.variable);
    } else {
      for (const auto& c : v.children) self(self, *c);
    }
  };
  if (m_view) visit(visit, *m_view);
  return found;
}

std::string Tensor::getDebugStr() const {
  if (!m_view) return "no tensor";
  std::vector<std::string> names;
  auto visit = [&](auto&& self, const View& v) -> void {
    if (names.size() > 3) return;
    for (const auto& c : v.children) self(self, *c);
    if (!v.children.empty()) return;
    std::string name = v.name && !v.name->empty() ? *v.name : "variable " + std::to_string(v.variable.value());
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  };
  visit(visit, *m_view);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, names.size()); ++i) text += (i ? ", " : "") + names[i];
  return text + (names.size() > 3 ? ", ..." : "") + " [" + shapeToString() + "]";
}

std::vector<int64_t> Tensor::toNumbers() const {
  std::vector<int64_t> numbers;
  if (m_view) writeView(*m_view, numbers);
  return numbers;
}

Tensor Tensor::ofNumbers(std::span<const int64_t> numbers, const std::function<int64_t(VariableId)>& elementsOf) {
  if (numbers.empty()) return {};
  return Tensor(readView(numbers, elementsOf));
}

Tensor concat(const std::vector<Tensor>& tensors, std::size_t dimension) {
  if (tensors.empty()) throw Error(ErrorCode::InvalidInput, "concat needs at least one tensor");
  const Shape& first = tensors[0].shape();
  std::vector<ViewPtr> children;
  children.reserve(tensors.size());
  for (const Tensor& t : tensors) {
    const Shape& shape = t.shape();
    if (dimension >= shape.size() || shape.size() != first.size())
      badView("cannot be joined along dimension " + std::to_string(dimension), t);
    const auto at = std::ptrdiff_t(dimension);
    if (!std::equal(shape.begin(), shape.begin() + at, first.begin()) ||
        !std::equal(shape.begin() + at + 1, shape.end(), first.begin() + at + 1))
      badView("does not match " + numerics::toString(first) + " outside the dimension of the concat", t);
    if (t.elementType() != tensors[0].elementType()) badView("has another element type than the first of the concat", t);
    if (shape[dimension] > 0 || tensors.size() == 1) children.push_back(t.m_view);
  }
  if (children.empty()) children.push_back(tensors[0].m_view);
  return Tensor(join(std::move(children), dimension));
}

} // namespace simcore::graph
