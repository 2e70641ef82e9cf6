#include "simcore/graph/tensor_view.h"

#include "reports/core/error.h"

#include <algorithm>

namespace simcore::graph {

using reports::Error;
using reports::ErrorCode;

namespace {
int64_t count(const Shape& s) { return numerics::elementCount(s, 0, s.size()); }

// Children that are themselves joined along the same dimension are replaced by their children.
void splice(const ViewPtr& v, std::size_t dimension, std::vector<ViewPtr>& children) {
  if (v->children.empty() || v->dimension != dimension) return children.push_back(v);
  for (const auto& c : v->children) splice(c, dimension, children);
}

int depthOf(const std::vector<ViewPtr>& children) {
  int depth = 0;
  for (const auto& c : children) depth = std::max(depth, c->depth + 1);
  return depth;
}

// The pieces of all children. Throws for too many: each join of a tensor with itself doubles its pieces, so forty joins exceed
// any memory, and every pass would visit each piece.
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
} // namespace

ViewPtr join(std::vector<ViewPtr> children, std::size_t dimension) {
  constexpr int kDeep = 64; // deeper trees are flattened, to bound recursion; flattening at every append would be quadratic
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

namespace {
template<class F> ViewPtr mapChildren(const View& v, std::size_t dimension, F f) {
  std::vector<ViewPtr> children;
  for (const auto& c : v.children) children.push_back(f(*c));
  return join(std::move(children), dimension);
}
} // namespace

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

namespace {
// The common stride of dimensions [first, end) of a window, or nothing if their strides do not nest.
std::optional<int64_t> nestedStride(const View& v, std::size_t first, std::size_t end) {
  int64_t stride = 0, expected = 0; // stride of the innermost dimension; stride that the next outer dimension must have
  for (std::size_t d = end; d-- > first;) {
    if (v.shape[d] == 1) continue; // its stride has no meaning
    if (expected == 0)
      stride = v.strides[d];
    else if (v.strides[d] != expected)
      return std::nullopt;
    expected = v.strides[d] * v.shape[d];
    if (v.strides[d] != 0) continue;
    // A broadcast dimension only nests with another broadcast dimension.
    for (std::size_t o = first; o < d; ++o)
      if (v.shape[o] != 1 && v.strides[o] != 0) return std::nullopt;
    break;
  }
  return stride;
}
} // namespace

// Runs of old dimensions with nested strides become runs of new dimensions.
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

namespace {
// One-dimensional pieces in row-major order.
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
    // Drops the leading extent of 1 so that the recursion ends.
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
} // namespace

ViewPtr flattenView(const View& v) {
  if (v.shape.size() == 1 && v.children.empty()) return std::make_shared<View>(v);
  std::vector<ViewPtr> pieces;
  flattenInto(v, pieces);
  return join(std::move(pieces), 0);
}

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
      const int64_t whole = (end - row * inner) / inner; // rows that end inside this piece
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

ViewPtr retyped(const View& v, ElementType type) {
  auto w = std::make_shared<View>(v);
  w->type = type;
  for (auto& child : w->children) child = retyped(*child, type);
  return w;
}

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

namespace {
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
    double least = double(v->offset), most = least; // lowest and highest index of the view's elements in the variable
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

ViewPtr readView(std::span<const int64_t> numbers, const std::function<int64_t(VariableId)>& elementsOf) {
  ViewReader reader(numbers, elementsOf);
  ViewPtr view = reader.read();
  reader.requireEnd();
  return view;
}

} // namespace simcore::graph
