#include "simcore/numerics/einsum.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/reduce.h"

#include <algorithm>

namespace simcore::numerics {

namespace {

// The dimensions of an ellipsis get the labels 1, 2, 3 … counted from the back.
std::string expanded(const std::string& term, std::size_t rank) {
  const std::size_t at = term.find("...");
  if (at == std::string::npos) return term;
  if (term.size() - 3 > rank)
    failKernel("the term '" + term + "' of Einsum has more indices than its operand, which has " + std::to_string(rank) +
               " dimensions");
  const std::size_t dims = rank - (term.size() - 3);
  std::string labels = term.substr(0, at);
  for (std::size_t i = 0; i < dims; ++i) labels += char(dims - i);
  return labels + term.substr(at + 3);
}

} // namespace

EinsumTerms einsumTerms(const std::string& text, const std::vector<Shape>& shapes) {
  std::string compact;
  for (const char c : text) {
    if (c == ' ') continue;
    const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!isLetter && c != ',' && c != '.' && c != '-' && c != '>')
      failKernel("the equation '" + text + "' of Einsum is malformed");
    compact += c;
  }
  const std::size_t arrow = compact.find("->");
  std::vector<std::string> terms;
  const std::string left = compact.substr(0, arrow);
  for (std::size_t at = 0; at <= left.size();) {
    const std::size_t end = std::min(left.find(',', at), left.size());
    terms.push_back(left.substr(at, end - at));
    at = end + 1;
  }
  if (terms.size() != shapes.size())
    failKernel("the equation '" + text + "' of Einsum has " + std::to_string(terms.size()) + " operands, the node " +
               std::to_string(shapes.size()));
  std::size_t ellipsis = 0;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (terms[i].find("...") != std::string::npos && shapes[i].size() + 3 >= terms[i].size())
      ellipsis = std::max(ellipsis, shapes[i].size() + 3 - terms[i].size());
  if (ellipsis > 30) failKernel("the ellipsis of Einsum stands for more than 30 dimensions");
  EinsumTerms equation;
  std::map<char, int> uses;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    equation.operands.push_back(expanded(terms[i], shapes[i].size()));
    const std::string& labels = equation.operands.back();
    if (labels.size() != shapes[i].size())
      failKernel("the term '" + terms[i] + "' of Einsum has " + std::to_string(labels.size()) + " indices for an operand of " +
                 toString(shapes[i]));
    for (std::size_t k = 0; k < labels.size(); ++k) {
      std::int64_t& size = equation.sizes.emplace(labels[k], shapes[i][k]).first->second;
      if (size == 1) size = shapes[i][k];
      if (shapes[i][k] != size && shapes[i][k] != 1) failKernel("an index of Einsum has two sizes");
      ++uses[labels[k]];
    }
  }
  if (arrow != std::string::npos) {
    equation.result = expanded(compact.substr(arrow + 2), compact.size() - arrow - 2 - 3 + ellipsis);
  } else {
    for (std::size_t i = ellipsis; i > 0; --i) equation.result += char(i);
    for (const auto& [label, count] : uses)
      if (count == 1 && label > 31) equation.result += label;
  }
  for (const char label : equation.result)
    if (!equation.sizes.count(label)) failKernel("the result of Einsum has an index that no operand has");
  return equation;
}

namespace {

// A tensor with labelled dimensions.
struct Labelled {
  HostTensor tensor;
  std::string labels;
};

std::vector<std::size_t> positions(const std::string& labels, const std::string& wanted) {
  std::vector<std::size_t> result;
  for (const char label : wanted) result.push_back(labels.find(label));
  return result;
}

// Takes diagonals of labels that occur twice.
Labelled withoutRepeats(Labelled x) {
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    const std::size_t j = x.labels.find(x.labels[i], i + 1);
    if (j == std::string::npos) continue;
    std::string rest;
    for (std::size_t k = 0; k < x.labels.size(); ++k)
      if (k != i && k != j) rest += x.labels[k];
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < x.labels.size(); ++k)
      if (k != i && k != j) order.push_back(k);
    order.insert(order.end(), {i, j});
    const std::int64_t n = x.tensor.dim(i), outer = n ? x.tensor.count() / (n * n) : 0;
    Shape shape = transpose(x.tensor, order).shape();
    const HostTensor flat = transpose(x.tensor, order).reshaped({outer, n * n});
    shape.pop_back();
    const HostTensor diagonal = slice(flat, {{1, 0, n * n, n + 1}});
    x = withoutRepeats({diagonal.reshaped(shape), rest + x.labels[i]});
    break;
  }
  return x;
}

// Sums over labels that are neither in `needed` nor in the result.
Labelled summed(const Labelled& x, const std::string& needed) {
  std::vector<std::size_t> axes;
  std::string kept;
  for (std::size_t i = 0; i < x.labels.size(); ++i)
    if (needed.find(x.labels[i]) == std::string::npos)
      axes.push_back(i);
    else
      kept += x.labels[i];
  if (axes.empty()) return x;
  return {reduce(ReduceKind::Sum, x.tensor, axes, false), kept};
}

Labelled product(const Labelled& a, const Labelled& b, const std::string& needed, const EinsumTerms& equation) {
  const Labelled left = summed(a, needed + b.labels), right = summed(b, needed + a.labels);
  std::string batch, contracted, onlyLeft, onlyRight;
  for (const char label : left.labels) {
    const bool both = right.labels.find(label) != std::string::npos, stays = needed.find(label) != std::string::npos;
    (both ? (stays ? batch : contracted) : onlyLeft) += label;
  }
  for (const char label : right.labels)
    if (left.labels.find(label) == std::string::npos) onlyRight += label;
  const auto arranged = [&](const Labelled& x, const std::string& first, const std::string& second) {
    // A dimension of size 1 is repeated if its label is larger.
    Shape full;
    for (const char label : x.labels) full.push_back(equation.sizes.at(label));
    const HostTensor tensor = full == x.tensor.shape() ? x.tensor : expand(x.tensor, full);
    const HostTensor moved = transpose(tensor, positions(x.labels, batch + first + second));
    const std::size_t b0 = batch.size(), b1 = b0 + first.size();
    return moved.reshaped(
        {elementCount(moved.shape(), 0, b0), elementCount(moved.shape(), b0, b1), elementCount(moved.shape(), b1, moved.rank())});
  };
  const HostTensor result = matmul(arranged(left, onlyLeft, contracted), arranged(right, contracted, onlyRight));
  Shape shape;
  const std::string labels = batch + onlyLeft + onlyRight;
  for (const char label : labels) shape.push_back(equation.sizes.at(label));
  return {result.reshaped(shape), labels};
}

} // namespace

Shape einsumShape(const std::string& equation, const std::vector<Shape>& operands) {
  const EinsumTerms e = einsumTerms(equation, operands);
  Shape shape;
  for (const char label : e.result) shape.push_back(e.sizes.at(label));
  return shape;
}

HostTensor einsum(const std::string& text, const std::vector<HostTensor>& operands) {
  std::vector<Shape> shapes;
  shapes.reserve(operands.size());
  for (const HostTensor& operand : operands) shapes.push_back(operand.shape());
  const EinsumTerms equation = einsumTerms(text, shapes);
  Labelled current = withoutRepeats({operands[0], equation.operands[0]});
  for (std::size_t i = 1; i < operands.size(); ++i) {
    std::string needed = equation.result;
    for (std::size_t k = i + 1; k < operands.size(); ++k) needed += equation.operands[k];
    current = product(current, withoutRepeats({operands[i], equation.operands[i]}), needed, equation);
  }
  current = summed(current, equation.result);
  return transpose(current.tensor, positions(current.labels, equation.result));
}

} // namespace simcore::numerics
