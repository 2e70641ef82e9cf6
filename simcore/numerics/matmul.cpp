#include "simcore/numerics/matmul.h"
#include "simcore/numerics/dnnl_support.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/layout.h"

#include <type_traits>

namespace simcore::numerics {

namespace {

// Shapes padded with ones to equal rank, at least 2: in front, or at the end for a right operand of rank 1.
Shape asMatrices(const Shape& shape, std::size_t rank, bool isRight) {
  Shape result = shape;
  if (result.size() == 1) result.insert(isRight ? result.end() : result.begin(), 1);
  result.insert(result.begin(), rank > result.size() ? rank - result.size() : 0, 1);
  return result;
}

struct Product {
  Shape left, right, result; // of equal rank
};
Product productOf(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) failKernel("MatMul needs operands of rank 1 or more");
  const std::size_t rank = std::max({a.size(), b.size(), std::size_t(2)});
  Product product{asMatrices(a, rank, false), asMatrices(b, rank, true), {}};
  if (product.left[rank - 1] != product.right[rank - 2])
    failKernel("MatMul cannot multiply " + toString(a) + " by " + toString(b));
  product.result =
      broadcast(Shape(product.left.begin(), product.left.end() - 2), Shape(product.right.begin(), product.right.end() - 2));
  product.result.push_back(product.left[rank - 2]);
  product.result.push_back(product.right[rank - 1]);
  return product;
}

void multiplyFloat(const HostTensor& a, const Shape& leftStrides, const HostTensor& b, const Shape& rightStrides,
                   const Product& product, HostTensor& result) {
  withDnnlErrors("a matrix product", [&] {
    // oneDNN supports neither strides of broadcast dimensions nor more than 12 dimensions.
    const auto left = dnnlStrided(product.left, leftStrides), right = dnnlStrided(product.right, rightStrides);
    const auto target = dnnlPlain(product.result);
    const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(left, right, target), dnnlEngine());
    dnnl::matmul(description)
        .execute(dnnlStream(), {{DNNL_ARG_SRC, dnnlView(left, a)},
                                {DNNL_ARG_WEIGHTS, dnnlView(right, b)},
                                {DNNL_ARG_DST, dnnlTarget(target, result)}});
    dnnlStream().wait();
  });
}

template<class T>
void multiplyPlain(const HostTensor& a, const Shape& leftStrides, const HostTensor& b, const Shape& rightStrides,
                   const Product& product, HostTensor& result) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;
  const std::size_t rank = product.result.size();
  const std::int64_t m = product.left[rank - 2], k = product.left[rank - 1], n = product.right[rank - 1];
  const std::int64_t batches = elementCount(product.result, 0, rank - 2);
  const T* left = a.values<T>().data();
  const T* right = b.values<T>().data();
  T* target = result.mutableValues<T>().data();
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    std::int64_t rest = batch, leftAt = 0, rightAt = 0;
    for (std::size_t axis = rank - 2; axis-- > 0;) {
      const std::int64_t i = rest % product.result[axis];
      rest /= product.result[axis];
      if (product.left[axis] > 1) leftAt += i * leftStrides[axis];
      if (product.right[axis] > 1) rightAt += i * rightStrides[axis];
    }
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        Sum sum{};
        for (std::int64_t l = 0; l < k; ++l)
          sum += Sum(left[leftAt + i * leftStrides[rank - 2] + l * leftStrides[rank - 1]]) *
                 Sum(right[rightAt + l * rightStrides[rank - 2] + j * rightStrides[rank - 1]]);
        *target++ = T(sum);
      }
  }
}

HostTensor multiply(const HostTensor& a, const Shape& leftStrides, const HostTensor& b, const Shape& rightStrides,
                    const Product& product, Shape shape) {
  HostTensor result = HostTensor::uninitialised(a.type(), std::move(shape));
  if (result.count() == 0) return result;
  if (a.count() == 0) return HostTensor(a.type(), result.shape());
  if (a.type() == ElementType::Float && product.result.size() <= 12)
    multiplyFloat(a, leftStrides, b, rightStrides, product, result);
  else
    visitNumeric("MatMul", a.type(),
                 [&](auto zero) { multiplyPlain<decltype(zero)>(a, leftStrides, b, rightStrides, product, result); });
  return result;
}

} // namespace

Shape matmulShape(const Shape& a, const Shape& b) {
  Shape shape = productOf(a, b).result;
  if (b.size() == 1) shape.pop_back();
  if (a.size() == 1) shape.erase(shape.end() - (b.size() == 1 ? 1 : 2));
  return shape;
}

HostTensor matmul(const HostTensor& a, const HostTensor& b) {
  requireSameType(a, b, "MatMul");
  if (isNarrowFloat(a.type())) return matmul(a.cast(ElementType::Float), b.cast(ElementType::Float)).cast(a.type());
  Product product = productOf(a.shape(), b.shape());
  Shape shape = matmulShape(a.shape(), b.shape());
  const std::size_t rank = product.result.size();
  // With a single right matrix, all left batches are rows of one product.
  if (rank > 2 && elementCount(product.right, 0, rank - 2) == 1) {
    const std::int64_t rows = elementCount(product.left, 0, rank - 1), k = product.left[rank - 1], n = product.right[rank - 1];
    product = {{rows, k}, {k, n}, {rows, n}};
  }
  return multiply(a, rowMajorStrides(product.left), b, rowMajorStrides(product.right), product, std::move(shape));
}

HostTensor gemm(const HostTensor& a, const HostTensor& b, const HostTensor* c, double alpha, double beta, bool transposeA,
                bool transposeB) {
  requireRank(a, 2, "the first matrix of Gemm");
  requireRank(b, 2, "the second matrix of Gemm");
  requireSameType(a, b, "Gemm");
  if (isNarrowFloat(a.type())) {
    const HostTensor bias = c ? c->cast(ElementType::Float) : HostTensor();
    return gemm(a.cast(ElementType::Float), b.cast(ElementType::Float), c ? &bias : nullptr, alpha, beta, transposeA, transposeB)
        .cast(a.type());
  }
  const auto oriented = [](const HostTensor& x, bool transposed) {
    return transposed ? std::pair<Shape, Shape>{{x.dim(1), x.dim(0)}, {1, x.dim(1)}}
                      : std::pair<Shape, Shape>{x.shape(), {x.dim(1), 1}};
  };
  const auto [left, leftStrides] = oriented(a, transposeA);
  const auto [right, rightStrides] = oriented(b, transposeB);
  if (left[1] != right[0]) failKernel("Gemm cannot multiply " + toString(left) + " by " + toString(right));
  const Product product{left, right, {left[0], right[1]}};
  HostTensor result = multiply(a, leftStrides, b, rightStrides, product, product.result);
  const auto scaled = [&](const HostTensor& x, double factor) {
    return factor == 1 ? x : binary(BinaryKind::Mul, x, HostTensor::full(x.type(), {}, factor));
  };
  result = scaled(result, alpha);
  if (!c || beta == 0) return result;
  if (broadcast(product.result, c->shape()) != product.result)
    failKernel("Gemm's third matrix of " + toString(c->shape()) + " does not broadcast to " + toString(product.result));
  return binary(BinaryKind::Add, result, scaled(*c, beta));
}

} // namespace simcore::numerics
