// Element-wise kernels. Binary kernels broadcast as numpy does. Half and BFloat16 are computed in float and rounded once. Integer
// arithmetic wraps; integer division by zero gives 0. All throw reports::Error: InvalidInput for incompatible shapes or types,
// Unsupported for an element type that the kernel is not defined for.
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

enum class UnaryKind {
  Abs,
  Neg,
  Sign,
  Floor,
  Ceil,
  Round, // Abs to Round take any numeric type; Round: halves to even
  Exp,
  Log,
  Sqrt,
  Reciprocal,
  Erf,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Relu,
  Sigmoid,
  Softplus,
  Softsign,
  HardSwish,
  Mish,
  Gelu,
  GeluTanh,
  LeakyRelu,       // alpha x below 0
  Elu,             // alpha (e^x - 1) below 0
  Celu,            // alpha (e^(x/alpha) - 1) below 0
  Selu,            // beta (alpha (e^x - 1)) below 0, beta x above
  HardSigmoid,     // max(0, min(1, alpha x + beta))
  ThresholdedRelu, // x above alpha, else 0
  Shrink,          // x + beta below -alpha, x - beta above alpha, else 0
  Not,             // Bool
  IsNaN,
  IsInf, // IsNaN and IsInf return Bool; IsInf: alpha != 0 finds -inf, beta != 0 finds +inf
};
HostTensor unary(UnaryKind kind, const HostTensor& x, double alpha = 0, double beta = 0);
// Relu in place. Returns false and changes nothing if the elements are not floats.
bool rectify(HostTensor& x);
// The gradient of Relu, Sigmoid or Tanh, computed from the result, or of Gelu or GeluTanh, computed from the input.
HostTensor activationGradient(UnaryKind kind, const HostTensor& gradient, const HostTensor& at);

enum class BinaryKind {
  Add,
  Sub,
  Mul,
  Div,
  Min,
  Max,
  Pow,   // the result has the type of the base, for any exponent type
  Mod,   // sign of the divisor (integers, and floats)
  Fmod,  // sign of the dividend
  PRelu, // slope b for a below 0
  And,
  Or,
  Xor, // And, Or and Xor take Bool
  BitShiftLeft,
  BitShiftRight, // shifts take unsigned integers
  Equal,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual, // Equal to GreaterOrEqual return Bool
};
HostTensor binary(BinaryKind kind, const HostTensor& a, const HostTensor& b);

// a where `condition` (Bool), else b; all three broadcast.
HostTensor where(const HostTensor& condition, const HostTensor& a, const HostTensor& b);

// x limited to [low, high]; either may be null for "no limit". Limits are scalars of x's type.
HostTensor clip(const HostTensor& x, const HostTensor* low, const HostTensor* high);

// Broadcasts x to `shape`.
HostTensor expand(const HostTensor& x, const Shape& shape);

// Multiplies x by the factor of each index of `axis`.
HostTensor scaledAlong(const HostTensor& x, const std::vector<double>& factor, std::size_t axis);

} // namespace simcore::numerics
