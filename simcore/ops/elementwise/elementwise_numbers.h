// The numbers of element-wise codelets, for every operation that can be planned. Half tensors are kept as float on the
// host, so half operations are computed in float and rounded once.
#pragma once

#include "simcore/codelets/elementwise.h"
#include "simcore/numerics/host_tensor.h"

namespace simcore::ops {

// Whether the result is Bool whatever the operand is.
bool isTest(codelets::UnaryOp op);

numerics::HostTensor unaryNumbers(codelets::UnaryOp op, const numerics::HostTensor& x);
// Broadcasts as numpy does; both have one type. Shifts are those of unsigned words.
numerics::HostTensor binaryNumbers(codelets::BinaryOp op, const numerics::HostTensor& a, const numerics::HostTensor& b);

} // namespace simcore::ops
