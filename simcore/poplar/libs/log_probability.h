// Sums of probabilities in logarithms, for the loss and the beam search of CTC.
#pragma once

#include "simcore/ops/elementwise/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simcore::poplar {

inline constexpr double kImpossible = -std::numeric_limits<double>::infinity(); // the logarithm of 0

inline double sumOfLogs(double a, double b) {
  const double most = std::max(a, b);
  return most == kImpossible ? most : most + std::log1p(std::exp(std::min(a, b) - most));
}

// Adds the time of one such sum for each element of `logs`.
inline void timeSumOfLogs(const ops::OpBuilder& step, const graph::Tensor& logs) {
  using codelets::BinaryOp;
  using codelets::UnaryOp;
  const graph::Tensor sum = ops::binary(step, BinaryOp::Add, ops::unary(step, UnaryOp::Exp, logs), logs);
  ops::binary(step, BinaryOp::Add, ops::unary(step, UnaryOp::Log, sum), logs);
}

} // namespace simcore::poplar
