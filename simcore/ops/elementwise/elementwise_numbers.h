// The numbers of element-wise codelets, for every operation that can be planned. Half tensors are stored as float on the host, so
// half operations are computed in float and rounded once.
#pragma once

#include "simcore/codelets/elementwise.h"
#include "simcore/numerics/host_tensor.h"

namespace simcore::ops {

// Whether the result is Bool for any operand.
bool isTest(codelets::UnaryOp op);

numerics::HostTensor unaryNumbers(codelets::UnaryOp op, const numerics::HostTensor& x);
// Broadcasts like numpy; a and b have one type. Shifts treat words as unsigned.
numerics::HostTensor binaryNumbers(codelets::BinaryOp op, const numerics::HostTensor& a, const numerics::HostTensor& b);

} // namespace simcore::ops
