// Names of the functions of expressions, as in the enumerations.
#pragma once

#include "popops/ExprOp.hpp"

#include <iosfwd>

namespace popops {
namespace expr {
namespace ostream_ext {

std::ostream& operator<<(std::ostream& out, const UnaryOpType& type);
std::ostream& operator<<(std::ostream& out, const BinaryOpType& type);
std::ostream& operator<<(std::ostream& out, const TernaryOpType& type);

} // namespace ostream_ext
} // namespace expr
} // namespace popops
