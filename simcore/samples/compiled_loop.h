// Cycles of loops that a C++ compiler made, in contrast to a library's assembly. A worker issues once in six cycles, and compiled
// code rarely fills both pipes of a bundle. So the cost is a count of instructions: loads, stores, float operations, address
// arithmetic, and the loop around them. Float operations that share a bundle with a load do not count. The two address constants
// are calibrated (help page model-fidelity).
#pragma once

#include "reports/core/units.h"

#include <cstdint>

namespace simcore::samples {

struct CompiledLoop {
  int64_t loads = 0, stores = 0, floatOperations = 0; // of one vector step
  int64_t vectorSteps = 1;                            // per cell: 4 for four separate channels, 1 for all channels at once
  int64_t addressing = 0;                             // index arithmetic per vector step, without the loads
  int64_t perCell = 0;                                // loop control per cell, or per vector step if a step makes two cells
  int64_t cellsPerStep = 1;                           // 2: a vector step makes two cells of a row
  int64_t perRow = 8;                                 // entering the inner loop
  int64_t lessPerOddRow = 0; // saved per row of odd length, if steps make two cells and the last cell is made outside the loop
  int64_t start = 30;        // entering the vertex and reading its fields

  int64_t step() const { return vectorSteps * (loads + stores + floatOperations + addressing) + perCell; }
  // Worker cycles of `rows` rows of `columns` cells.
  int64_t cycles(int64_t rows, int64_t columns) const {
    const int64_t row = perRow - (columns % 2 ? lessPerOddRow : 0) + reports::ceilDiv(columns, cellsPerStep) * step();
    return start + rows * row;
  }
};

} // namespace simcore::samples
