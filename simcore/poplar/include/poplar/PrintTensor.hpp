// How tensors are printed.
#pragma once

#include "poplar/Program.hpp"

#include <cstddef>
#include <string>

namespace poplar {

enum class FloatFormat { Auto, Fixed, Scientific, None };

// Stored unchanged; tensors are printed with seven decimals and in full.
struct PrintTensorFmt {
  unsigned summariseThreshold = 1000, edgeItems = 3, maxLineWidth = 75, digits = 8;
  FloatFormat floatFormat = FloatFormat::Auto;
  char separator = ' ', openBracket = '[', closeBracket = ']';
};

} // namespace poplar
