// Names of activation functions.
#pragma once

#include "popnn/NonLinearityDef.hpp"

#include <istream>
#include <ostream>

namespace popnn {

const char* asString(const NonLinearityType& type);
std::ostream& operator<<(std::ostream& out, const NonLinearityType& type);
std::istream& operator>>(std::istream& in, NonLinearityType& type); // "relu", "softmax_stable"; throws poplibs_error for others

} // namespace popnn
