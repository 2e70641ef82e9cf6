// Linear quantisation on the machine (numerics/quantise.h): maps with a scale and a zero point for the whole tensor, or for each
// index of `axis`; an invalid zero point means 0.
#pragma once

#include "simcore/ops/op_builder.h"

#include <optional>

namespace simcore::ops {

// `rounded`: the 8-bit float to which values are rounded if `to` is a wider type that holds it.
Tensor quantise(const OpBuilder& builder, const Tensor& x, const Tensor& scale, const Tensor& zeroPoint, std::size_t axis,
                ElementType to, std::optional<ElementType> rounded = {});
// Converts back, to the scale's type.
Tensor dequantise(const OpBuilder& builder, const Tensor& x, const Tensor& scale, const Tensor& zeroPoint, std::size_t axis);
// Integers as floats minus their zero point. Sums of products of 8-bit integers are exact in float up to 2^24; toIntegers()
// converts them back.
Tensor centred(const OpBuilder& builder, const Tensor& x, const Tensor& zeroPoint, std::size_t axis);
Tensor toIntegers(const OpBuilder& builder, const Tensor& x, ElementType to);

// The range of x by two reductions, then scale and zero point of UInt8, then the map.
struct QuantisedTensor {
  Tensor values, scale, zeroPoint;
};
QuantisedTensor quantiseDynamically(const OpBuilder& builder, const Tensor& x);

} // namespace simcore::ops
