// How a PrintTensor writes its elements. The default is that of a PrintTensor without a format: all elements, floats with seven
// decimals, not aligned. formatted() has the defaults of Poplar's PrintTensorFmt, whose names the fields have.
#pragma once

#include "simcore/graph/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simcore::graph {

struct PrintFormat {
  enum class Floats { Auto, Fixed, Scientific, None };

  int64_t threshold = 0; // with more elements only those at the edges are printed; 0: all are printed
  int64_t edgeItems = 3;
  int64_t lineWidth = 0; // characters of a line; 0: no limit
  int64_t digits = 8;    // of a float, one of them before the point; 0: the default format of C++ streams, not aligned
  Floats floats = Floats::Fixed;
  // elements have equal width; with fixed floats, `digits` includes all digits before the point of the largest element
  bool isAligned = false;
  char separator = ' ', open = '[', close = ']';
  bool operator==(const PrintFormat&) const = default;
  static PrintFormat formatted() {
    PrintFormat f;
    f.threshold = 1000;
    f.lineWidth = 75;
    f.floats = Floats::Auto;
    f.isAligned = true;
    return f;
  }

  // The format as a program keeps it in ProgramNode::cases; empty for the default.
  std::vector<int64_t> numbers() const {
    if (*this == PrintFormat()) return {};
    return {threshold, edgeItems, lineWidth, digits, int64_t(floats), isAligned, separator, open, close};
  }
  static PrintFormat ofNumbers(const std::vector<int64_t>& n) {
    if (n.size() != 9) return {};
    return {n[0], n[1], n[2], n[3], Floats(n[4]), n[5] != 0, char(n[6]), char(n[7]), char(n[8])};
  }
};

namespace program {
Program printTensor(std::string title, const Tensor& tensor, const PrintFormat& format);
}

} // namespace simcore::graph
