// Inputs that an operator does not have are refused: a third one of Relu is a mistake in the file, not something to leave out.
#pragma once

#include "simcore/model/operator.h"
#include "simcore/numerics/elementwise.h"

namespace simcore::model {

// Throws reports::Error(InvalidInput) if inputs from `most` on are there.
inline void requireNoMoreInputs(const Call& call, std::size_t most) {
  for (std::size_t i = most; i < call.inputCount(); ++i)
    if (call.has(i))
      throw reports::Error(reports::ErrorCode::InvalidInput, call.node().opType + " has " + std::to_string(most) +
                                                                 (most == 1 ? " input" : " inputs") + ", not " +
                                                                 std::to_string(call.inputCount()));
}

inline Types inferUnary(const Call& call) {
  requireNoMoreInputs(call, 1);
  return inferSame(call);
}
template<numerics::UnaryKind kind> Tensors unary(const Call& call) { return {numerics::unary(kind, call.value(0))}; }

} // namespace simcore::model
