// Recurrent layers and Einstein sums.
#include "simcore/model/parameters.h"
#include "simcore/numerics/einsum.h"
#include "simcore/numerics/recurrent.h"

namespace simcore::model {

using numerics::HostTensor;
using numerics::RecurrentKind;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

namespace {

bool isBatchFirst(const Call& call) { return call.attributes().integer("layout", 0) != 0; }

void requireOperand(const Call& call, std::size_t i, const Shape& shape) {
  if (call.shape(i) != shape)
    throw Error(ErrorCode::InvalidInput, "input " + std::to_string(i) + " of " + call.node().opType + " is " +
                                             numerics::toString(call.shape(i)) + " instead of " + numerics::toString(shape));
}

template<RecurrentKind kind> Types inferRecurrent(const Call& call) {
  const auto p = recurrentParameters(call, kind);
  const Shape& x = call.shape(0);
  if (x.size() != 3) throw Error(ErrorCode::InvalidInput, "a recurrent operator needs an input of rank 3");
  const std::int64_t directions = p.direction == numerics::RecurrentDirection::Bidirectional ? 2 : 1, n = p.hiddenSize;
  const std::int64_t rows = n * (kind == RecurrentKind::Lstm ? 4 : kind == RecurrentKind::Gru ? 3 : 1);
  const std::int64_t batch = isBatchFirst(call) ? x[0] : x[1];
  const Shape state = isBatchFirst(call) ? Shape{batch, directions, n} : Shape{directions, batch, n};
  requireOperand(call, 1, {directions, rows, x[2]});
  requireOperand(call, 2, {directions, rows, n});
  if (call.has(3)) requireOperand(call, 3, {directions, 2 * rows});
  if (call.has(4)) requireOperand(call, 4, {batch});
  if (call.has(5)) requireOperand(call, 5, state);
  if (kind == RecurrentKind::Lstm && call.has(6)) requireOperand(call, 6, state);
  if (kind == RecurrentKind::Lstm && call.has(7)) requireOperand(call, 7, {directions, 3 * n});
  const auto type = call.elementType(0);
  if (isBatchFirst(call))
    return {{type, {x[0], x[1], directions, n}}, {type, {x[0], directions, n}}, {type, {x[0], directions, n}}};
  return {{type, {x[0], directions, x[1], n}}, {type, {directions, x[1], n}}, {type, {directions, x[1], n}}};
}

template<RecurrentKind kind> Tensors recurrent(const Call& call) {
  const bool batchFirst = isBatchFirst(call);
  const auto type = call.elementType(0);
  std::vector<std::optional<HostTensor>> given(8);
  for (std::size_t i = 0; i < 8; ++i) {
    if (!call.has(i)) continue;
    given[i] = i == 4 ? call.value(i) : call.value(i).cast(numerics::ElementType::Float);
    if (batchFirst && (i == 0 || i == 5 || i == 6)) given[i] = numerics::transpose(*given[i], {1, 0, 2});
  }
  if (!given[0] || !given[1] || !given[2])
    throw Error(ErrorCode::InvalidInput, "a recurrent operator needs its input and two weights");
  const auto at = [&](std::size_t i) { return given[i] ? &*given[i] : nullptr; };
  const bool isLstm = kind == RecurrentKind::Lstm;
  const auto result =
      numerics::recurrent({at(0), at(1), at(2), at(3), at(4), at(5), isLstm ? at(6) : nullptr, isLstm ? at(7) : nullptr},
                          recurrentParameters(call, kind));
  Tensors outputs{result.outputs, result.hidden, result.cell};
  if (batchFirst)
    outputs = {numerics::transpose(outputs[0], {2, 0, 1, 3}), numerics::transpose(outputs[1], {1, 0, 2}),
               numerics::transpose(outputs[2], {1, 0, 2})};
  for (HostTensor& output : outputs) output = output.cast(type);
  return outputs;
}

Types inferEinsum(const Call& call) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < call.inputCount(); ++i) shapes.push_back(call.shape(i));
  return {{call.elementType(0), numerics::einsumShape(call.attributes().text("equation", ""), shapes)}};
}
Tensors einsum(const Call& call) { return {numerics::einsum(call.attributes().text("equation", ""), call.values())}; }

constexpr Operator kSequenceOperators[] = {
    {"LSTM", inferRecurrent<RecurrentKind::Lstm>, recurrent<RecurrentKind::Lstm>},
    {"GRU", inferRecurrent<RecurrentKind::Gru>, recurrent<RecurrentKind::Gru>},
    {"RNN", inferRecurrent<RecurrentKind::Rnn>, recurrent<RecurrentKind::Rnn>},
    {"Einsum", inferEinsum, einsum},
};

} // namespace

std::span<const Operator> sequenceOperators() { return kSequenceOperators; }

} // namespace simcore::model
