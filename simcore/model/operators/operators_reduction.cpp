// Reductions, orderings and softmax.
#include "simcore/model/parameters.h"

namespace simcore::model {

using numerics::ElementType;
using numerics::ReduceKind;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

namespace {

Types inferReduce(const Call& call) {
  const ReduceParameters p = reduceParameters(call);
  return {{call.elementType(0), numerics::reducedShape(call.shape(0), p.axes, p.keepDims)}};
}
template<ReduceKind kind> Tensors reduce(const Call& call) {
  const ReduceParameters p = reduceParameters(call);
  // "No axes, do nothing" means the input itself, without the function of the reduction.
  if (p.axes.empty() && !call.shape(0).empty()) return {call.value(0)};
  return {numerics::reduce(kind, call.value(0), p.axes, p.keepDims)};
}

Types inferArg(const Call& call) {
  const std::size_t axis = axisOf(call, 0, call.shape(0).size());
  return {{ElementType::Int64, numerics::reducedShape(call.shape(0), {axis}, call.attributes().integer("keepdims", 1) != 0)}};
}
template<bool largest> Tensors arg(const Call& call) {
  return {numerics::argReduce(call.value(0), axisOf(call, 0, call.shape(0).size()), largest,
                              call.attributes().integer("keepdims", 1) != 0,
                              call.attributes().integer("select_last_index", 0) != 0)};
}

Types inferSoftmax(const Call& call) {
  softmaxParameters(call); // looks at the axis
  return inferSame(call);
}
template<numerics::HostTensor (*kernel)(const numerics::HostTensor&, std::size_t)> Tensors softmax(const Call& call) {
  const SoftmaxParameters p = softmaxParameters(call);
  return {kernel(call.value(0).reshaped(p.shape), p.axis).reshaped(call.shape(0))};
}

Tensors cumulativeSum(const Call& call) {
  const std::size_t axis = numerics::normaliseAxis(call.value(1).integerAt(0), call.shape(0).size());
  return {numerics::cumulativeSum(call.value(0), axis, call.attributes().integer("exclusive", 0) != 0,
                                  call.attributes().integer("reverse", 0) != 0)};
}

std::int64_t topKCount(const Call& call) {
  return call.has(1) ? call.value(1).integerAt(0) : call.attributes().requiredInteger("k");
}
Types inferTopK(const Call& call) {
  Shape shape = call.shape(0);
  std::int64_t& size = shape[axisOf(call, -1, shape.size())];
  const std::int64_t count = topKCount(call);
  if (count < 0 || count > size)
    throw Error(ErrorCode::InvalidInput, "TopK of " + std::to_string(count) + " among " + std::to_string(size) + " elements");
  size = count;
  return {{call.elementType(0), shape}, {ElementType::Int64, shape}};
}
Tensors topK(const Call& call) {
  const auto result = numerics::topK(call.value(0), topKCount(call), axisOf(call, -1, call.shape(0).size()),
                                     call.attributes().integer("largest", 1) != 0);
  return {result.values, result.indices};
}

constexpr Operator kReductionOperators[] = {
    {"ReduceSum", inferReduce, reduce<ReduceKind::Sum>},
    {"ReduceMean", inferReduce, reduce<ReduceKind::Mean>},
    {"ReduceMax", inferReduce, reduce<ReduceKind::Max>},
    {"ReduceMin", inferReduce, reduce<ReduceKind::Min>},
    {"ReduceProd", inferReduce, reduce<ReduceKind::Prod>},
    {"ReduceL1", inferReduce, reduce<ReduceKind::L1>},
    {"ReduceL2", inferReduce, reduce<ReduceKind::L2>},
    {"ReduceLogSum", inferReduce, reduce<ReduceKind::LogSum>},
    {"ReduceLogSumExp", inferReduce, reduce<ReduceKind::LogSumExp>},
    {"ReduceSumSquare", inferReduce, reduce<ReduceKind::SumSquare>},
    {"ArgMax", inferArg, arg<true>},
    {"ArgMin", inferArg, arg<false>},
    {"Softmax", inferSoftmax, softmax<numerics::softmax>},
    {"LogSoftmax", inferSoftmax, softmax<numerics::logSoftmax>},
    {"Hardmax", inferSoftmax, softmax<numerics::hardmax>},
    {"CumSum", inferSame, cumulativeSum},
    {"TopK", inferTopK, topK},
};

} // namespace

std::span<const Operator> reductionOperators() { return kReductionOperators; }

} // namespace simcore::model
