// How far a run has to go, known before it starts but for loops that end by their data, which count once. Progress is measured
// with it, and a program of years is refused by it. All are doubles: nested loops of 2^40 turns are legal programs.
#pragma once

#include "simcore/compile/lowered_program.h"

#include <cstdint>
#include <vector>

namespace simcore::run {

struct Length {
  double walked = 0;     // steps that the engine goes through one by one
  double executions = 0; // of steps, as the program says
  double cycles = 0;     // if every step took as long as its slowest tile
};

class ProgramLength {
public:
  // `shownIterations` of a loop are walked through when there are no numbers to compute, the rest is folded into one; 0: all are.
  ProgramLength(const compile::LoweredProgram& program, int64_t shownIterations);

  // Of one execution of step `index`, with all below it.
  const Length& of(int index) const { return m_lengths[std::size_t(index)]; }
  // Whether the loop is walked through `shownIterations` times only.
  bool isFolded(int index) const { return m_folded[std::size_t(index)]; }

private:
  void measure(const compile::LoweredProgram& program, int index);

  int64_t m_shown;
  std::vector<Length> m_lengths;
  std::vector<char> m_measured, m_dependent, m_folded;
};

} // namespace simcore::run
