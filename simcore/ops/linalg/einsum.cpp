#include "simcore/ops/linalg/einsum.h"

#include "simcore/numerics/einsum.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/reduce/reduce.h"

namespace simcore::ops {

using numerics::HostTensor;

namespace {

// A tensor whose dimensions have the labels of an Einsum.
struct Labelled {
  Tensor x;
  std::string labels;
};
bool carries(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

// x with its labels in another order; repeated labels become their diagonal.
Labelled ordered(const OpBuilder& b, const Labelled& given, const std::string& to) {
  if (given.labels == to) return given;
  if (given.labels.size() == to.size()) {
    std::vector<std::size_t> order;
    for (const char c : to) order.push_back(given.labels.find(c));
    return {transpose(b, given.x, order), to};
  }
  std::string equation; // in letters, because labels of an ellipsis are not letters
  Shape shape;
  const auto letter = [&](char label) { return char('a' + given.labels.find(label)); };
  for (const char c : given.labels) equation += letter(c);
  equation += "->";
  for (const char c : to) {
    equation += letter(c);
    shape.push_back(given.x.dim(given.labels.find(c)));
  }
  return {move(b, "diagonal", {given.x}, given.x.elementType(), shape, 1,
               {partKernel(b, [equation](const std::vector<HostTensor>& in) { return numerics::einsum(equation, {in[0]}); })}),
          to};
}
Labelled withoutRepeats(const OpBuilder& b, const Labelled& given) {
  std::string once;
  for (const char c : given.labels)
    if (!carries(once, c)) once += c;
  return ordered(b, given, once);
}

// Sums over all labels that are not in `needed`.
Labelled summed(const OpBuilder& b, const Labelled& given, const std::string& needed) {
  std::vector<std::size_t> gone;
  std::string left;
  for (std::size_t d = 0; d < given.labels.size(); ++d)
    if (carries(needed, given.labels[d]))
      left += given.labels[d];
    else
      gone.push_back(d);
  return gone.empty() ? given : Labelled{reduce(b, given.x, gone, codelets::ReduceOp::Add, false), left};
}

// One product of groups of dimensions.
Labelled product(const OpBuilder& builder, const Labelled& left, const Labelled& right, const std::string& needed,
                 const ConvOptions& options) {
  Labelled in[2] = {summed(builder, left, needed + right.labels), summed(builder, right, needed + left.labels)};
  for (std::size_t d = 0; d < in[0].labels.size(); ++d) { // an ellipsis dimension of size 1 may broadcast
    const std::size_t other = in[1].labels.find(in[0].labels[d]);
    if (other == std::string::npos || in[0].x.dim(d) == in[1].x.dim(other)) continue;
    if (in[0].x.dim(d) == 1)
      in[0].x = in[0].x.broadcast(in[1].x.dim(other), d);
    else
      in[1].x = in[1].x.broadcast(in[0].x.dim(d), other);
  }
  std::string batch, rows, columns, inner;
  int64_t sizes[4] = {1, 1, 1, 1};
  for (std::size_t d = 0; d < in[0].labels.size(); ++d) {
    const bool both = carries(in[1].labels, in[0].labels[d]), kept = carries(needed, in[0].labels[d]);
    (both ? kept ? batch : inner : rows) += in[0].labels[d];
    sizes[both ? kept ? 0 : 3 : 1] *= in[0].x.dim(d);
  }
  for (std::size_t d = 0; d < in[1].labels.size(); ++d)
    if (!carries(in[0].labels, in[1].labels[d])) {
      columns += in[1].labels[d];
      sizes[2] *= in[1].x.dim(d);
    }
  const Tensor a = ordered(builder, in[0], batch + rows + inner).x.reshape({sizes[0], sizes[1], sizes[3]}),
               b = ordered(builder, in[1], batch + inner + columns).x.reshape({sizes[0], sizes[3], sizes[2]});
  const std::string made = batch + rows + columns;
  Shape shape;
  for (const char c : made) {
    const auto at = in[0].labels.find(c);
    shape.push_back(at != std::string::npos ? in[0].x.dim(at) : in[1].x.dim(in[1].labels.find(c)));
  }
  return {matmul(builder, a, b, {}, options).reshape(shape), made};
}

} // namespace

Tensor einsum(const OpBuilder& b, const std::string& equation, const std::vector<Tensor>& operands, const ConvOptions& options) {
  std::vector<Shape> shapes;
  for (const Tensor& operand : operands) shapes.push_back(operand.shape());
  const numerics::EinsumTerms terms = numerics::einsumTerms(equation, shapes);
  Labelled current = withoutRepeats(b, {operands[0], terms.operands[0]});
  for (std::size_t i = 1; i < operands.size(); ++i) {
    std::string needed = terms.result;
    for (std::size_t k = i + 1; k < operands.size(); ++k) needed += terms.operands[k];
    current = product(b, current, withoutRepeats(b, {operands[i], terms.operands[i]}), needed, options);
  }
  return ordered(b, summed(b, current, terms.result), terms.result).x;
}

} // namespace simcore::ops
