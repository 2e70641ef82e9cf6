// Operators that move elements without computing.
#include "simcore/model/parameters.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;

namespace {

Tensors identity(const Call& call) { return {call.value(0)}; }

Types inferReshape(const Call& call) { return {{call.elementType(0), reshapedShape(call)}}; }
Tensors reshape(const Call& call) { return {call.value(0).reshaped(reshapedShape(call))}; }

Types inferTranspose(const Call& call) {
  Shape shape;
  for (const std::size_t axis : permutation(call)) shape.push_back(call.shape(0)[axis]);
  return {{call.elementType(0), shape}};
}
Tensors transpose(const Call& call) { return {numerics::transpose(call.value(0), permutation(call))}; }

Types inferConcat(const Call& call) {
  Shape shape = call.shape(0);
  const std::size_t axis = axisOf(call, 1, shape.size());
  for (std::size_t i = 1; i < call.inputCount(); ++i) {
    Shape other = call.shape(i);
    if (other.size() != shape.size())
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           "Concat cannot join " + numerics::toString(shape) + " and " + numerics::toString(other));
    const std::int64_t size = other[axis];
    other[axis] = shape[axis];
    if (other != shape)
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           "Concat cannot join " + numerics::toString(shape) + " and " + numerics::toString(call.shape(i)));
    shape[axis] += size;
  }
  return {{call.elementType(0), shape}};
}
Tensors concat(const Call& call) { return {numerics::concat(call.values(), axisOf(call, 1, call.shape(0).size()))}; }

Types inferSlice(const Call& call) {
  Shape shape = call.shape(0);
  for (const auto& range : sliceRanges(call)) shape[range.axis] = numerics::resolve(range, call.shape(0)[range.axis]).count;
  return {{call.elementType(0), shape}};
}
Tensors slice(const Call& call) { return {numerics::slice(call.value(0), sliceRanges(call))}; }

Types inferSplit(const Call& call) {
  const SplitParameters split = splitParameters(call);
  Types types;
  for (const std::int64_t size : split.sizes) {
    types.push_back(call.type(0));
    types.back().shape[split.axis] = size;
  }
  return types;
}
Tensors split(const Call& call) {
  const SplitParameters parameters = splitParameters(call);
  Tensors parts;
  std::int64_t at = 0;
  for (const std::int64_t size : parameters.sizes) {
    parts.push_back(numerics::slice(call.value(0), parameters.axis, at, size));
    at += size;
  }
  return parts;
}

std::int64_t paddedSize(std::int64_t size, std::int64_t before, std::int64_t after) {
  std::int64_t padded = 0;
  if (__builtin_add_overflow(size, before, &padded) || __builtin_add_overflow(padded, after, &padded))
    throw reports::Error(reports::ErrorCode::InvalidInput, "pads of " + std::to_string(before) + " and " + std::to_string(after) +
                                                               " around " + std::to_string(size) + " elements are beyond 2^63");
  return padded;
}
Types inferPad(const Call& call) {
  const PadParameters pad = padParameters(call);
  Shape shape = call.shape(0);
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = paddedSize(shape[i], pad.before[i], pad.after[i]);
  return {{call.elementType(0), shape}};
}
Tensors pad(const Call& call) {
  const PadParameters parameters = padParameters(call);
  return {numerics::pad(call.value(0), parameters.before, parameters.after, parameters.mode,
                        parameters.value ? &*parameters.value : nullptr)};
}

Types inferTile(const Call& call) {
  const std::vector<std::int64_t> repeats = call.value(1).toIntegers();
  Shape shape = call.shape(0);
  if (repeats.size() != shape.size())
    throw reports::Error(reports::ErrorCode::InvalidInput, "Tile needs one repeat count per dimension");
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = numerics::elementCount({shape[i], repeats[i]});
  return {{call.elementType(0), shape}};
}
Tensors tile(const Call& call) { return {numerics::tile(call.value(0), call.value(1).toIntegers())}; }

Shape expandShape(const Call& call) { return numerics::broadcast(call.shape(0), call.value(1).toIntegers()); }
Types inferExpand(const Call& call) { return {{call.elementType(0), expandShape(call)}}; }
Tensors expand(const Call& call) { return {numerics::expand(call.value(0), expandShape(call))}; }

// A shape is known as soon as the input's type is, so Shape and Size give values even where the input has none.
std::vector<std::int64_t> shapeValues(const Call& call) {
  const Shape& shape = call.shape(0);
  const auto rank = std::int64_t(shape.size());
  const auto clamped = [&](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const std::int64_t start = clamped(call.attributes().integer("start", 0)),
                     end = clamped(call.attributes().integer("end", rank));
  if (end <= start) return {};
  return {shape.begin() + start, shape.begin() + end};
}
Types inferShapeValues(const Call& call) { return {{ElementType::Int64, {std::int64_t(shapeValues(call).size())}}}; }
Tensors evaluateShape(const Call& call) { return {HostTensor::vector(shapeValues(call))}; }
Types inferSize(const Call&) { return {{ElementType::Int64, {}}}; }
Tensors sizeOf(const Call& call) { return {HostTensor::scalar(numerics::elementCount(call.shape(0)))}; }

std::int64_t blockSize(const Call& call) {
  const std::int64_t block = call.attributes().requiredInteger("blocksize");
  if (block < 1 || block > 4096 || call.shape(0).size() != 4)
    throw reports::Error(reports::ErrorCode::InvalidInput, "the block size does not fit the input");
  return block;
}
Types inferDepthToSpace(const Call& call) {
  const std::int64_t b = blockSize(call);
  const Shape& x = call.shape(0);
  return {{call.elementType(0), {x[0], x[1] / (b * b), x[2] * b, x[3] * b}}};
}
Tensors depthToSpace(const Call& call) {
  return {numerics::depthToSpace(call.value(0), blockSize(call), call.attributes().text("mode", "DCR") == "CRD")};
}
Types inferSpaceToDepth(const Call& call) {
  const std::int64_t b = blockSize(call);
  const Shape& x = call.shape(0);
  return {{call.elementType(0), {x[0], x[1] * b * b, x[2] / b, x[3] / b}}};
}
Tensors spaceToDepth(const Call& call) { return {numerics::spaceToDepth(call.value(0), blockSize(call))}; }

Tensors triangle(const Call& call) {
  const std::int64_t k = call.has(1) ? call.value(1).integerAt(0) : 0;
  return {numerics::triangle(call.value(0), call.attributes().integer("upper", 1) != 0, k)};
}

Tensors reverseSequence(const Call& call) {
  const auto batch = std::size_t(call.attributes().integer("batch_axis", 1));
  const auto time = std::size_t(call.attributes().integer("time_axis", 0));
  return {numerics::reverseSequence(call.value(0), call.value(1).toIntegers(), batch, time)};
}

constexpr Operator kLayoutOperators[] = {
    {"Identity", inferSame, identity},
    {"Reshape", inferReshape, reshape},
    {"Flatten", inferReshape, reshape},
    {"Squeeze", inferReshape, reshape},
    {"Unsqueeze", inferReshape, reshape},
    {"Transpose", inferTranspose, transpose},
    {"Concat", inferConcat, concat},
    {"Slice", inferSlice, slice},
    {"Split", inferSplit, split},
    {"Pad", inferPad, pad},
    {"Tile", inferTile, tile},
    {"Expand", inferExpand, expand},
    {"Shape", inferShapeValues, evaluateShape},
    {"Size", inferSize, sizeOf},
    {"DepthToSpace", inferDepthToSpace, depthToSpace},
    {"SpaceToDepth", inferSpaceToDepth, spaceToDepth},
    {"Trilu", inferSame, triangle},
    {"ReverseSequence", inferSame, reverseSequence},
};

} // namespace

std::span<const Operator> layoutOperators() { return kLayoutOperators; }

} // namespace simcore::model
