// Matrix products, Einsum, determinants, and the attention that fusion makes from two products and a softmax.
#include "simcore/model/operators/family.h"
#include "simcore/numerics/determinant.h"
#include "simcore/numerics/einsum.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace simcore::model {

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// Attention(q, k, v, mask?): softmax(scale q k^T + mask) v over the last two dimensions, with the heads before them. If the mask is
// Boolean, `fill` replaces the scores with a false mask. `q_order`, `k_order`, `v_order` permute the inputs first, `out_order` the
// result, so splitting heads moves no elements by itself.
Shape permuted(const Shape& shape, const std::vector<std::int64_t>& order) {
  Shape result;
  for (const std::int64_t axis : order) result.push_back(shape[std::size_t(axis)]);
  return order.empty() ? shape : result;
}
HostTensor permuted(const HostTensor& x, const std::vector<std::int64_t>& order) {
  return order.empty() ? x : numerics::transpose(x, std::vector<std::size_t>(order.begin(), order.end()));
}
// Additional attributes of MatMul and Gemm: whether a MatMul reads its operands transposed, and which product of a layer it is.
constexpr const char *kTransposed[] = {"transposed_a", "transposed_b"}, *kPass = "pass";
bool isTransposed(const Call& call, std::size_t i) { return call.attributes().integer(kTransposed[i], 0) != 0; }
std::vector<std::size_t> swappedOrder(std::size_t rank) {
  std::vector<std::size_t> order = dimensions(0, rank);
  std::swap(order.at(rank - 1), order.at(rank - 2));
  return order;
}

Types inferAttention(const Call& call) {
  const Attributes& a = call.attributes();
  Shape keys = permuted(call.shape(1), a.integers("k_order"));
  std::swap(keys[keys.size() - 1], keys[keys.size() - 2]);
  const Shape scores = numerics::matmulShape(permuted(call.shape(0), a.integers("q_order")), keys);
  const Shape out = numerics::matmulShape(scores, permuted(call.shape(2), a.integers("v_order")));
  return {{call.elementType(0), permuted(out, a.integers("out_order"))}};
}
Tensors attention(const Call& call) {
  const Attributes& a = call.attributes();
  const HostTensor q = permuted(call.value(0), a.integers("q_order")), k = permuted(call.value(1), a.integers("k_order"));
  HostTensor scores = numerics::matmul(q, numerics::transpose(k, swappedOrder(k.rank())));
  if (const double scale = double(a.real("scale", 1)); scale != 1)
    scores = numerics::binary(BinaryKind::Mul, scores, HostTensor::full(scores.type(), {}, scale));
  if (call.has(3))
    scores = call.elementType(3) == ElementType::Bool
                 ? numerics::where(call.value(3), scores, HostTensor::full(scores.type(), {}, double(a.real("fill", 0))))
                 : numerics::binary(BinaryKind::Add, scores, call.value(3));
  Node softmax;
  softmax.opType = "Softmax";
  softmax.opset = 13;
  softmax.outputs = {"p"};
  softmax.attributes.set("axis", std::int64_t(-1));
  const Tensors p =
      operatorFor(softmax).evaluate(Call(softmax, {Call::Operand{{scores.type(), scores.shape()}, &scores}}, {}, {}));
  return {permuted(numerics::matmul(p[0], permuted(call.value(2), a.integers("v_order"))), a.integers("out_order"))};
}

Types inferMatmul(const Call& call) {
  const auto shape = [&](std::size_t i) {
    Shape s = call.shape(i);
    if (isTransposed(call, i)) std::swap(s.at(s.size() - 1), s.at(s.size() - 2));
    return s;
  };
  return {{productType(call), numerics::matmulShape(shape(0), shape(1))}};
}
Tensors matmul(const Call& call) {
  const auto operand = [&](std::size_t i) {
    const HostTensor x = productOperand(call, i);
    return isTransposed(call, i) ? numerics::transpose(x, swappedOrder(x.rank())) : x;
  };
  return {numerics::matmul(operand(0), operand(1)).cast(productType(call))};
}

Types inferGemm(const Call& call) {
  const Shape &a = call.shape(0), &b = call.shape(1);
  if (a.size() != 2 || b.size() != 2)
    refuseNode("Gemm multiplies matrices, not " + numerics::toString(a) + " by " + numerics::toString(b));
  const bool transposeA = call.attributes().integer("transA", 0) != 0, transposeB = call.attributes().integer("transB", 0) != 0;
  if (a[transposeA ? 0 : 1] != b[transposeB ? 1 : 0])
    refuseNode("Gemm cannot multiply " + numerics::toString(a) + " by " + numerics::toString(b));
  const Shape result{a[transposeA ? 1 : 0], b[transposeB ? 0 : 1]};
  requireBroadcast(call, 2, result);
  return {{productType(call), result}};
}
Tensors gemm(const Call& call) {
  const HostTensor c = call.has(2) ? productOperand(call, 2) : HostTensor();
  return {numerics::gemm(productOperand(call, 0), productOperand(call, 1), call.has(2) ? &c : nullptr, real(call, "alpha", 1),
                         real(call, "beta", 1), call.attributes().integer("transA", 0) != 0,
                         call.attributes().integer("transB", 0) != 0)
              .cast(productType(call))};
}

Types inferEinsum(const Call& call) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < call.inputCount(); ++i) shapes.push_back(call.shape(i));
  return {{call.elementType(0), numerics::einsumShape(call.attributes().text("equation", ""), shapes)}};
}
Tensors einsum(const Call& call) { return {numerics::einsum(call.attributes().text("equation", ""), call.values())}; }

Types inferDeterminant(const Call& call) {
  const Shape& x = call.shape(0);
  if (x.size() < 2 || x[x.size() - 1] != x[x.size() - 2]) refuseNode("Det needs square matrices, not " + numerics::toString(x));
  return {{call.elementType(0), Shape(x.begin(), x.end() - 2)}};
}
Tensors determinant(const Call& call) { return {numerics::determinant(call.value(0))}; }

// ---- plan ------------------------------------------------------------------------------------------------------------------

// Scales the scores and applies the mask, if there is one: it is added, or selects scores.
ops::HostKernel scaleAndMask(const NodeLowering& n) {
  const double scale = real(n.call(), "scale", 1), fill = real(n.call(), "fill", 0);
  return partKernel(n, [scale, fill](const Tensors& in) {
    const HostTensor y = numerics::binary(BinaryKind::Mul, in[0], HostTensor::full(in[0].type(), {}, scale));
    if (in.size() < 2) return y;
    return in[1].type() == ElementType::Bool ? numerics::where(in[1], y, HostTensor::full(y.type(), {}, fill))
                                             : numerics::binary(BinaryKind::Add, y, in[1]);
  });
}

// PopART and TensorFlow pass poplin the training pass of every product in a network (fullyConnectedPass).
ops::ConvOptions productOptions(const NodeLowering& n) {
  ops::ConvOptions options = planOptions(n);
  options.pass = ops::ProductPass(n.call().attributes().integer(kPass, std::int64_t(ops::ProductPass::Forward)));
  return options;
}

// Heads are groups of one product each; permuted inputs are views, so they are rearranged on the way to the product.
void lowerAttention(NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  const auto ordered = [&](std::size_t i, const char* attribute) {
    const auto order = a.integers(attribute);
    const Tensor x = n.input(i);
    return order.empty() ? x : x.dimShuffle(std::vector<std::size_t>(order.begin(), order.end()));
  };
  const Tensor q = ordered(0, "q_order"), k = ordered(1, "k_order"), v = ordered(2, "v_order");
  const Tensor scores = ops::matmul(partOf(n, "MatMul"), q, k.dimShuffle(swappedOrder(k.rank())), {}, productOptions(n));
  const bool selects = n.has(3) && n.call().elementType(3) == ElementType::Bool;
  std::vector<MapStep> steps;
  std::vector<Tensor> operands{scores};
  if (a.real("scale", 1) != 1) steps.push_back({BinaryOp::Multiply, scores.elementType()});
  if (n.has(3)) {
    if (selects)
      steps.push_back({codelets::TernaryOp::Select, scores.elementType()});
    else
      steps.push_back({BinaryOp::Add, scores.elementType()});
    operands.push_back(n.input(3));
  }
  const char* owner = selects ? "Where" : n.has(3) ? "Add" : "Mul";
  if (!steps.empty()) ops::mapInPlace(partOf(n, owner), "scale and mask", steps, operands, scaleAndMask(n));
  const Tensor p = ops::softmax(partOf(n, "Softmax"), scores, scores.rank() - 1, false);
  const Tensor out = ops::matmul(partOf(n, "MatMul", true), p, v, {}, productOptions(n));
  const auto order = a.integers("out_order");
  n.give(order.empty() ? out
                       : ops::transpose(partOf(n, "Transpose", true), out, std::vector<std::size_t>(order.begin(), order.end())));
}

// Products need [.., m, k] x [.., k, n]; a right operand without batches is shared by all batches of the left one.
Tensor product(NodeLowering& n, const Tensor& a, const Tensor& b) {
  return ops::matmul(n.builder(), a.rank() == 1 ? a.reshape({1, a.dim(0)}) : a, b.rank() == 1 ? b.reshape({b.dim(0), 1}) : b, {},
                     productOptions(n));
}
// Transposed operands are views: the product sets their layout (PopART, TransposeInplace before a MatMul).
void lowerMatmul(NodeLowering& n) {
  const auto operand = [&](std::size_t i) {
    const Tensor x = n.input(i);
    return isTransposed(n.call(), i) ? x.dimShuffle(swappedOrder(x.rank())) : x;
  };
  n.give(product(n, operand(0), operand(1)));
}

void lowerGemm(NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  const double alpha = double(a.real("alpha", 1)), beta = double(a.real("beta", 1));
  Tensor left = n.input(0), right = n.input(1);
  ops::ConvOptions options = productOptions(n);
  if (a.integer("transA", 0)) left = left.transpose();
  // A transposed weight stays one variable, and the planner chooses a mapping for both orientations.
  if (a.integer("transB", 0)) {
    if (right.wholeVariable().valid()) {
      options.arrangeWeights = [shape = right.shape()](const HostTensor& v) {
        return numerics::transpose(v.reshaped(shape), {1, 0});
      };
      options.weightsPlace = {right.shape(), [](const graph::Box& box) { return graph::Box{{box.dims[2], box.dims[1]}}; }, {1}};
      right = right.reshape({right.dim(1), right.dim(0)});
    } else {
      right = right.transpose();
    }
  }
  if (alpha != 1) options.arrangeResult = [alpha](const HostTensor& v) { return scaled(v, alpha); };
  Tensor y = ops::matmul(n.builder(), left, right, {}, options);
  if (n.has(2) && beta != 0) {
    const Tensor c = n.input(2);
    if (c.numElements() == y.dim(1) && c.rank() > 0 && c.shape().back() == y.dim(1) && beta == 1)
      ops::addBias(n.builder(), y, c.flatten(), 1);
    else
      ops::mapInPlace(n.builder(), "add", {{BinaryOp::Add, y.elementType()}}, {y, c},
                      n.byVertices() ? ops::oneResult([beta](const Tensors& in) {
                        return numerics::binary(BinaryKind::Add, in[0], scaled(in[1], beta));
                      })
                                     : ops::HostKernel{});
  }
  n.give(y);
}

void lowerEinsum(NodeLowering& n) {
  std::vector<Tensor> operands;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) operands.push_back(n.input(i));
  const Tensor y = ops::einsum(n.builder(), n.call().attributes().text("equation", ""), operands, planOptions(n));
  if (y.wholeVariable().valid() && y.wholeVariable() == operands[0].wholeVariable()) return n.giveView(y);
  n.give(y);
}

void lowerDeterminant(NodeLowering& n) { n.give(ops::determinant(n.builder(), n.input(0))); }

// ---- gradient --------------------------------------------------------------------------------------------------------------

Attributes withPass(Attributes a, ops::ProductPass pass) {
  a.set(kPass, std::int64_t(pass));
  return a;
}
// Attributes of the products for the gradients of an input and of weights.
Attributes ofInput(Attributes a) { return withPass(std::move(a), ops::ProductPass::Backward); }
Attributes ofWeights(Attributes a) { return withPass(std::move(a), ops::ProductPass::Update); }

Attributes gemmAttributes(bool transposeA, bool transposeB, double alpha = 1) {
  return attributes({{"transA", std::int64_t(transposeA)}, {"transB", std::int64_t(transposeB)}, {"alpha", float(alpha)}});
}

void gemmBack(const GradientCall& c) {
  const Attributes& a = c.call().attributes();
  const bool ta = a.integer("transA", 0) != 0, tb = a.integer("transB", 0) != 0;
  const float alpha = a.real("alpha", 1);
  const double inputFactor = double(a.real(kUnitInput, alpha)), weightFactor = double(a.real(kUnitWeights, alpha));
  const ProductGradient p(c);
  const auto product = [&](const std::vector<std::string>& operands, const Attributes& attributes) {
    return c.graph().add("Gemm", operands, attributes);
  };
  if (c.wants(0))
    c.give(0, ta ? product(p.weightsDy(c.input(1), p.dy), p.withWeights(ofInput(gemmAttributes(tb, true, inputFactor))))
                 : product(p.dyWeights(p.dy, c.input(1)), p.withWeights(ofInput(gemmAttributes(false, !tb, inputFactor)))));
  if (c.wants(1))
    c.give(1, tb ? product(p.dyInput(p.dy, c.input(0)), p.withInput(ofWeights(gemmAttributes(true, ta, weightFactor))))
                 : product(p.inputDy(c.input(0), p.dy), p.withInput(ofWeights(gemmAttributes(!ta, false, weightFactor)))));
  if (c.wants(2)) {
    const double ofBias = double(a.real(kUnitBias, a.real("beta", 1)));
    c.give(2, c.graph().reduceTo(c.graph().scaled(c.gradient(), ofBias), c.call().shape(2)));
  }
}

void matmulBack(const GradientCall& c) {
  Shape a = c.call().shape(0), b = c.call().shape(1);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const std::int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  GraphBuilder& g = c.graph();
  if (b.size() == 2) { // one matrix on the right: everything before it is rows
    const std::int64_t rows = numerics::elementCount(a) / std::max<std::int64_t>(1, k);
    const ProductGradient p(c);
    const std::string dy = g.reshape(p.dy, {rows, n});
    if (c.wants(0))
      c.give(0, g.reshape(
                    g.add("Gemm", p.dyWeights(dy, g.reshape(c.input(1), b)), p.withWeights(ofInput(gemmAttributes(false, true)))),
                    c.call().shape(0)));
    if (c.wants(1))
      c.give(1, g.reshape(g.add("Gemm", p.inputDy(g.reshape(c.input(0), {rows, k}), dy),
                                p.withInput(ofWeights(gemmAttributes(true, false)))),
                          c.call().shape(1)));
    return;
  }
  Shape batch = numerics::broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  const auto matrices = [&](std::int64_t rows, std::int64_t columns) {
    Shape s = batch;
    s.push_back(rows);
    s.push_back(columns);
    return s;
  };
  const std::string dy = g.reshape(c.gradient(), matrices(m, n));
  const auto product = [&](const std::string& left, const std::string& right, std::size_t transposed) {
    const Attributes how = attributes({{kTransposed[transposed], std::int64_t(1)}});
    return g.add("MatMul", {left, right}, transposed == 1 ? ofInput(how) : ofWeights(how));
  };
  if (c.wants(0)) c.give(0, g.reshape(g.reduceTo(product(dy, c.input(1), 1), a), c.call().shape(0)));
  if (c.wants(1)) c.give(1, g.reduceTo(product(g.reshape(c.input(0), a), dy, 0), b));
}

// The terms of the equation as letters: dimensions of an ellipsis get unused capitals, a free last dimension gets Z.
numerics::EinsumTerms letteredTerms(const GradientCall& c) {
  const std::string text = c.call().attributes().text("equation", "");
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < c.node().inputs.size(); ++i) shapes.push_back(c.call().shape(i));
  numerics::EinsumTerms terms = numerics::einsumTerms(text, shapes);
  std::string free;
  for (char letter = 'Z'; letter >= 'A'; --letter)
    if (text.find(letter) == std::string::npos) free += letter;
  const auto spell = [&](std::string& labels) {
    for (char& label : labels)
      if (label < 'A') label = free.at(std::size_t(label - 1));
  };
  for (std::string& operand : terms.operands) spell(operand);
  spell(terms.result);
  return terms;
}

// A letter that occurs twice in one operand takes the operand's diagonal. Its gradient is the gradient of an equation with a new
// letter for the second occurrence, in which the operand is multiplied by a unit matrix. Returns whether there are such letters;
// if so, the gradients are given.
bool diagonalsBack(const GradientCall& c, const numerics::EinsumTerms& e) {
  std::string used = e.result;
  for (const std::string& operand : e.operands) used += operand;
  const auto fresh = [&] {
    for (char letter = 'z'; letter >= 'A'; --letter)
      if (std::isalpha(static_cast<unsigned char>(letter)) && used.find(letter) == std::string::npos)
        return used += letter, letter;
    c.fail("its equation uses all letters, so none is free for a diagonal");
  };
  struct Pair {
    std::size_t operand, first, second;
  };
  std::vector<Pair> pairs;
  std::string equation;
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    std::string own = e.operands[i];
    for (std::size_t d = 1; d < own.size(); ++d)
      if (const std::size_t first = own.find(own[d]); first < d) {
        pairs.push_back({i, first, d});
        own[d] = fresh();
      }
    equation += (i ? "," : "") + own;
  }
  if (pairs.empty()) return false;
  GraphBuilder& g = c.graph();
  c.through([&] {
    std::vector<std::string> operands = c.node().inputs;
    for (const Pair& p : pairs) {
      Shape shape(c.call().shape(p.operand).size(), 1);
      const std::int64_t n = shape[p.first] = shape[p.second] = c.call().shape(p.operand)[p.first];
      HostTensor unit(c.elementType(), {n, n});
      std::vector<double> ones(std::size_t(n * n), 0);
      for (std::int64_t i = 0; i < n; ++i) ones[std::size_t(i * (n + 1))] = 1;
      const std::string mask = g.constant("diagonal", HostTensor::of({n, n}, ones).cast(c.elementType()).reshaped(shape));
      operands[p.operand] = g.add("Mul", {operands[p.operand], mask});
    }
    return std::vector{g.add("Einsum", operands, attributes({{"equation", equation + "->" + e.result}}))};
  });
  return true;
}

// The gradient of one operand is the Einstein sum of the result's gradient and the other operands. It is repeated along
// dimensions that only this operand has, because these were summed.
void einsumBack(const GradientCall& c) {
  const numerics::EinsumTerms e = letteredTerms(c);
  if (diagonalsBack(c, e)) return;
  GraphBuilder& g = c.graph();
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    if (!c.wants(i)) continue;
    const std::string& own = e.operands[i];
    std::string equation = e.result, present;
    std::vector<std::string> inputs{c.gradient()};
    std::set<char> known(e.result.begin(), e.result.end());
    for (std::size_t other = 0; other < e.operands.size(); ++other) {
      if (other == i) continue;
      equation += "," + e.operands[other];
      inputs.push_back(c.input(other));
      known.insert(e.operands[other].begin(), e.operands[other].end());
    }
    Shape kept = c.call().shape(i);
    for (std::size_t d = 0; d < own.size(); ++d) {
      if (known.count(own[d]))
        present += own[d];
      else
        kept[d] = 1;
    }
    std::string dx = g.add("Einsum", inputs, attributes({{"equation", equation + "->" + present}}));
    // A broadcast dimension of 1 gets its full size here.
    Shape full = kept;
    for (std::size_t d = 0, at = 0; d < own.size(); ++d)
      if (known.count(own[d])) full[d] = g.shape(dx)[at++];
    dx = g.reduceTo(g.reshape(dx, full), kept);
    c.give(i, g.expand(dx, c.call().shape(i)));
  }
}

// The gradient of an element is its cofactor: the determinant without its row and column, with alternating sign; singular matrices too.
void determinantBack(const GradientCall& c) {
  constexpr std::int64_t kLargest = 64; // needs n^2 matrices of n - 1 rows
  const Shape& x = c.call().shape(0);
  const std::int64_t n = x.back(), matrices = numerics::elementCount(x, 0, x.size() - 2);
  if (n > kLargest) c.fail(fmt::format("its matrices have {} rows, more than {}", n, kLargest));
  GraphBuilder& g = c.graph();
  const std::string dy = g.reshape(c.gradient(), {matrices, 1});
  if (n == 0) return; // an empty determinant is 1
  if (n == 1) return c.give(0, g.reshape(dy, x));
  std::vector<std::int64_t> places;
  std::vector<double> signs;
  for (std::int64_t e = 0; e < n * n; ++e) {
    signs.push_back((e / n + e % n) % 2 ? -1 : 1);
    for (std::int64_t i = 0; i < n * n; ++i)
      if (i / n != e / n && i % n != e % n) places.push_back(i);
  }
  const std::string at = g.constant("minors", HostTensor::of({n * n, n - 1, n - 1}, places)),
                    minors =
                        g.add("Gather", {g.reshape(c.input(0), {matrices, n * n}), at}, attributes({{"axis", std::int64_t(1)}})),
                    sign = g.constant("signs", HostTensor::of({n * n}, signs).cast(c.elementType()));
  c.give(0, g.reshape(g.add("Mul", {g.add("Mul", {g.add("Det", {minors}), sign}), dy}), x));
}

constexpr Operator kProductsOperators[] = {
    {"MatMul", 1, inferMatmul, matmul, lowerMatmul, matmulBack},
    {"Gemm", 1, inferGemm, gemm, lowerGemm, gemmBack},
    {"Einsum", 12, inferEinsum, einsum, lowerEinsum, einsumBack},
    {"Attention", 1, inferAttention, attention, lowerAttention, nullptr, kPlain, kOwnDomain},
    {"Det", 11, inferDeterminant, determinant, lowerDeterminant, determinantBack},
};

} // namespace

std::span<const Operator> productsOperators() { return kProductsOperators; }

} // namespace simcore::model
