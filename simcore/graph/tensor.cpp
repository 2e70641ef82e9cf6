// Slices, shuffles and joins of variables; over 500 lines because they all use View, which is private to this source.
#include "simcore/graph/tensor.h"

#include "reports/core/error.h"
#include "simcore/graph/tensor_error.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_set>

namespace simcore::graph {

using reports::Error;
using reports::ErrorCode;

// Either a window (without children): element i of the view is element offset + sum(index[d] * strides[d]) of the variable. Or
// children joined along `dimension`.
struct Tensor::View {
  ElementType type;
  Shape shape;
  VariableId variable;
  std::shared_ptr<const std::string> name; // of the variable
  int64_t variableSize = 0;
  int64_t offset = 0;
  Shape strides;
  std::size_t dimension = 0;
  std::vector<std::shared_ptr<const View>> children;
  int depth = 0;      // of the tree
  int64_t pieces = 1; // windows of the tree; a child that occurs twice counts twice
};

namespace {

[[noreturn]] void noTensor() {
  throw Error(ErrorCode::InvalidInput, "the tensor was declared without a value", "tensor",
              "use addVariable, or a view of a tensor");
}

using View = Tensor::View;
using ViewPtr = std::shared_ptr<const View>;

int64_t count(const Shape& s) { return std::accumulate(s.begin(), s.end(), int64_t(1), std::multiplies<>()); }

// Replaces children that are joined along the same dimension by their own children.
void splice(const ViewPtr& v, std::size_t dimension, std::vector<ViewPtr>& children) {
  if (v->children.empty() || v->dimension != dimension) return children.push_back(v);
  for (const auto& c : v->children) splice(c, dimension, children);
}

int depthOf(const std::vector<ViewPtr>& children) {
  int depth = 0;
  for (const auto& c : children) depth = std::max(depth, c->depth + 1);
  return depth;
}

// Counts pieces and refuses too many: a tensor joined to itself has twice the pieces, and forty such steps would exceed any
// memory.
int64_t piecesOf(const std::vector<ViewPtr>& children) {
  constexpr int64_t kMostPieces = int64_t(1) << 20;
  int64_t pieces = 0;
  for (const auto& c : children) pieces += c->pieces;
  if (pieces > kMostPieces)
    throw Error(ErrorCode::Unsupported,
                "a tensor of " + std::to_string(pieces) + " pieces is more than the " + std::to_string(kMostPieces) +
                    " that can be planned",
                "tensor", "concatenate or repeat it less often");
  return pieces;
}

ViewPtr join(std::vector<ViewPtr> children, std::size_t dimension) {
  constexpr int kDeep = 64; // deeper trees are flattened to limit recursion; flattening at every append would be quadratic
  if (children.size() == 1) return children[0];
  auto v = std::make_shared<View>();
  if (depthOf(children) > kDeep) {
    std::vector<ViewPtr> flat;
    for (const auto& c : children) splice(c, dimension, flat);
    children = std::move(flat);
  }
  v->depth = depthOf(children);
  v->pieces = piecesOf(children);
  v->type = children[0]->type;
  v->shape = children[0]->shape;
  v->shape[dimension] = 0;
  for (const auto& c : children) v->shape[dimension] += c->shape[dimension];
  v->dimension = dimension;
  v->children = std::move(children);
  return v;
}

template<class F> ViewPtr mapChildren(const View& v, std::size_t dimension, F f) {
  std::vector<ViewPtr> children;
  for (const auto& c : v.children) children.push_back(f(*c));
  return join(std::move(children), dimension);
}

ViewPtr sliceView(const View& v, std::size_t dimension, int64_t begin, int64_t end) {
  if (v.children.empty()) {
    auto w = std::make_shared<View>(v);
    w->offset += begin * v.strides[dimension];
    w->shape[dimension] = end - begin;
    return w;
  }
  if (dimension != v.dimension)
    return mapChildren(v, v.dimension, [&](const View& c) { return sliceView(c, dimension, begin, end); });
  std::vector<ViewPtr> kept;
  int64_t at = 0;
  for (const auto& c : v.children) {
    const int64_t extent = c->shape[dimension];
    const int64_t b = std::max(begin - at, int64_t(0)), e = std::min(end - at, extent);
    if (b < e || (begin == end && kept.empty() && b == e))
      kept.push_back(b == 0 && e == extent ? c : sliceView(*c, dimension, b, e));
    at += extent;
  }
  return join(std::move(kept), dimension);
}

ViewPtr shuffleView(const View& v, const std::vector<std::size_t>& order) {
  auto w = std::make_shared<View>(v);
  for (std::size_t i = 0; i < order.size(); ++i) {
    w->shape[i] = v.shape[order[i]];
    if (v.children.empty()) w->strides[i] = v.strides[order[i]];
  }
  if (!v.children.empty()) {
    w->dimension = std::size_t(std::find(order.begin(), order.end(), v.dimension) - order.begin());
    for (auto& c : w->children) c = shuffleView(*c, order);
  }
  return w;
}

// The common stride of dimensions [first, end) of a window; nullopt if their strides do not nest.
std::optional<int64_t> nestedStride(const View& v, std::size_t first, std::size_t end) {
  int64_t stride = 0, expected = 0; // stride of the innermost dimension; expected stride of the next one outwards
  for (std::size_t d = end; d-- > first;) {
    if (v.shape[d] == 1) continue; // its stride has no meaning
    if (expected == 0)
      stride = v.strides[d];
    else if (v.strides[d] != expected)
      return std::nullopt;
    expected = v.strides[d] * v.shape[d];
    if (v.strides[d] != 0) continue;
    // A broadcast dimension only nests with other broadcast dimensions.
    for (std::size_t o = first; o < d; ++o)
      if (v.shape[o] != 1 && v.strides[o] != 0) return std::nullopt;
    break;
  }
  return stride;
}

// Reshapes a window without splitting it: runs of old dimensions with nested strides become runs of new ones. Null if impossible.
ViewPtr reshapeWindow(const View& v, const Shape& shape) {
  auto w = std::make_shared<View>(v);
  w->shape = shape;
  w->strides.assign(shape.size(), 0);
  std::size_t i = 0, j = 0;
  while (i < v.shape.size() || j < shape.size()) {
    if (i < v.shape.size() && v.shape[i] == 1) {
      ++i;
      continue;
    }
    if (j < shape.size() && shape[j] == 1) {
      ++j;
      continue;
    }
    if (i == v.shape.size() || j == shape.size()) return nullptr;
    const std::size_t oldFirst = i, newFirst = j;
    int64_t oldSize = v.shape[i++], newSize = shape[j++];
    while (oldSize != newSize) {
      if (oldSize < newSize) {
        if (i == v.shape.size()) return nullptr;
        oldSize *= v.shape[i++];
      } else {
        if (j == shape.size()) return nullptr;
        newSize *= shape[j++];
      }
    }
    const auto nested = nestedStride(v, oldFirst, i);
    if (!nested) return nullptr;
    int64_t stride = *nested;
    for (std::size_t d = j; d-- > newFirst;) {
      w->strides[d] = stride;
      stride *= shape[d];
    }
  }
  return w;
}

ViewPtr flattenView(const View& v);

// Appends the one-dimensional pieces of a view in row-major order.
void flattenInto(const View& v, std::vector<ViewPtr>& pieces) {
  if (v.children.empty()) {
    if (auto w = reshapeWindow(v, {count(v.shape)})) {
      pieces.push_back(w);
      return;
    }
  } else if (v.dimension == 0 ||
             std::all_of(v.shape.begin(), v.shape.begin() + std::ptrdiff_t(v.dimension), [](int64_t e) { return e == 1; })) {
    for (const auto& c : v.children) flattenInto(*c, pieces);
    return;
  }
  for (int64_t i = 0; i < v.shape[0]; ++i) {
    ViewPtr row = sliceView(v, 0, i, i + 1);
    // Drops the leading dimension of extent 1, so that the recursion ends.
    auto drop = [](auto&& self, const View& x) -> ViewPtr {
      auto y = std::make_shared<View>(x);
      y->shape.erase(y->shape.begin());
      if (x.children.empty()) {
        y->strides.erase(y->strides.begin());
      } else {
        --y->dimension;
        for (auto& c : y->children) c = self(self, *c);
      }
      return y;
    };
    flattenInto(*drop(drop, *row), pieces);
  }
}

// A window, or windows joined without nesting.
ViewPtr flattenView(const View& v) {
  if (v.shape.size() == 1 && v.children.empty()) return std::make_shared<View>(v);
  std::vector<ViewPtr> pieces;
  flattenInto(v, pieces);
  return join(std::move(pieces), 0);
}

// Gives a one-dimensional view a shape. Splits it along the first dimension where pieces end inside a row.
ViewPtr shapeFlat(const View& flat, const Shape& shape) {
  if (shape.size() == 1) return std::make_shared<View>(flat);
  if (flat.children.empty())
    if (auto w = reshapeWindow(flat, shape)) return w;
  const int64_t rows = shape[0], inner = count(shape) / std::max<int64_t>(1, rows);
  auto rowsOf = [&](int64_t begin, int64_t end) {
    const ViewPtr part = sliceView(flat, 0, begin * inner, end * inner);
    Shape s = shape;
    s[0] = end - begin;
    if (part->children.empty())
      if (auto w = reshapeWindow(*part, s)) return w;
    const ViewPtr row = shapeFlat(*part, Shape(shape.begin() + 1, shape.end())); // at most one row here
    auto lift = [](auto&& self, const View& x) -> ViewPtr {
      auto y = std::make_shared<View>(x);
      y->shape.insert(y->shape.begin(), 1);
      if (x.children.empty()) {
        y->strides.insert(y->strides.begin(), 0);
      } else {
        ++y->dimension;
        for (auto& c : y->children) c = self(self, *c);
      }
      return y;
    };
    return lift(lift, *row);
  };
  std::vector<ViewPtr> parts;
  int64_t row = 0, at = 0;
  for (const auto& c : flat.children) {
    const int64_t end = at + c->shape[0];
    while (row < rows && row * inner < end) {
      const int64_t whole = (end - row * inner) / inner; // complete rows inside this piece
      const bool startsHere = row * inner >= at;
      const int64_t n = startsHere && whole > 0 ? whole : 1;
      parts.push_back(rowsOf(row, row + n));
      row += n;
    }
    at = end;
  }
  return join(std::move(parts), 0);
}

void collectRegions(const View& flat, std::vector<Region>& regions) {
  if (!flat.children.empty()) {
    for (const auto& c : flat.children) collectRegions(*c, regions);
    return;
  }
  const int64_t n = flat.shape[0], stride = flat.strides[0];
  auto push = [&](int64_t begin, int64_t end) {
    if (begin == end) return;
    if (!regions.empty() && regions.back().variable == flat.variable && regions.back().end == begin)
      regions.back().end = end;
    else
      regions.push_back({flat.variable, begin, end});
  };
  if (stride == 1 || n == 1)
    push(flat.offset, flat.offset + n);
  else
    for (int64_t i = 0; i < n; ++i) push(flat.offset + i * stride, flat.offset + i * stride + 1);
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

namespace {
ViewPtr retyped(const View& v, ElementType type) {
  auto w = std::make_shared<View>(v);
  w->type = type;
  for (auto& child : w->children) child = retyped(*child, type);
  return w;
}
} // namespace

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
int64_t Tensor::numElements() const { return count(shape()); }
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
  if (count(newShape) != numElements()) badView("cannot be reshaped to " + numerics::toString(newShape), *this);
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

namespace {

void writeView(const View& v, std::vector<int64_t>& out) {
  const auto list = [&](const Shape& numbers) { out.insert(out.end(), numbers.begin(), numbers.end()); };
  out.push_back(int64_t(v.children.size()));
  if (v.children.empty()) {
    out.insert(out.end(), {int64_t(v.type), int64_t(v.variable.value()), v.offset, int64_t(v.shape.size())});
    list(v.shape);
    list(v.strides);
    return;
  }
  out.push_back(int64_t(v.dimension));
  for (const auto& c : v.children) writeView(*c, out);
}

// Reads trees from files, which are untrusted.
class ViewReader {
public:
  ViewReader(std::span<const int64_t> numbers, const std::function<int64_t(VariableId)>& elementsOf)
      : m_numbers(numbers), m_elementsOf(elementsOf) {}
  ViewPtr read(int depth = 0) {
    constexpr int kDeepest = 4096;
    const int64_t children = next(0, int64_t(m_numbers.size()));
    if (depth > kDeepest) refuse();
    return children == 0 ? window() : joined(children, depth);
  }
  void requireEnd() const {
    if (m_at != m_numbers.size()) refuse();
  }

private:
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::Damaged, "the numbers of a tensor do not fit its variables", "tensor");
  }
  int64_t next(int64_t least, int64_t most) {
    if (m_at >= m_numbers.size()) refuse();
    const int64_t n = m_numbers[m_at++];
    if (n < least || n > most) refuse();
    return n;
  }
  ViewPtr window() {
    constexpr int64_t kMost = int64_t(1) << 40;
    auto v = std::make_shared<View>();
    v->type = ElementType(next(0, numerics::kElementTypeCount - 1));
    v->variable = VariableId(std::size_t(next(0, VariableId::kNone)));
    v->variableSize = m_elementsOf(v->variable);
    if (v->variableSize < 0) refuse();
    v->offset = next(0, kMost);
    const int64_t rank = next(0, int64_t(m_numbers.size()));
    for (int64_t d = 0; d < rank; ++d) v->shape.push_back(next(0, kMost));
    for (int64_t d = 0; d < rank; ++d) v->strides.push_back(next(-kMost, kMost));
    if (std::find(v->shape.begin(), v->shape.end(), 0) != v->shape.end()) return v;
    double least = double(v->offset), most = least; // of its elements
    for (std::size_t d = 0; d < v->shape.size(); ++d) {
      const double extent = double(v->shape[d] - 1) * double(v->strides[d]);
      (extent < 0 ? least : most) += extent;
    }
    if (least < 0 || most >= double(v->variableSize)) refuse();
    numerics::elementCount(v->shape);
    return v;
  }
  ViewPtr joined(int64_t count, int depth) {
    const auto dimension = std::size_t(next(0, int64_t(m_numbers.size())));
    std::vector<ViewPtr> children;
    for (int64_t i = 0; i < count; ++i) {
      children.push_back(read(depth + 1));
      Shape first = children.front()->shape, shape = children.back()->shape;
      if (dimension >= shape.size() || shape.size() != first.size() || children.back()->type != children.front()->type) refuse();
      first[dimension] = shape[dimension] = 0;
      if (first != shape) refuse();
    }
    return join(std::move(children), dimension);
  }

  std::span<const int64_t> m_numbers;
  std::size_t m_at = 0;
  const std::function<int64_t(VariableId)>& m_elementsOf;
};

} // namespace

std::vector<int64_t> Tensor::toNumbers() const {
  std::vector<int64_t> numbers;
  if (m_view) writeView(*m_view, numbers);
  return numbers;
}

Tensor Tensor::ofNumbers(std::span<const int64_t> numbers, const std::function<int64_t(VariableId)>& elementsOf) {
  if (numbers.empty()) return {};
  ViewReader reader(numbers, elementsOf);
  Tensor tensor(reader.read());
  reader.requireEnd();
  return tensor;
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
