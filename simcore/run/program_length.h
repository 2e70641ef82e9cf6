// The length of a run, computed before it starts; data-dependent loops count once. Progress is measured with it, and a program
// that would run for years is refused. All values are doubles, because nested loops of 2^40 iterations are legal programs.
#pragma once

#include "simcore/compile/lowered_program.h"

#include <cstdint>
#include <vector>

namespace simcore::run {

struct Length {
  double walked = 0;     // steps that the engine executes one by one
  double executions = 0; // executions of steps in the program
  double cycles = 0;     // if every step took as long as its slowest tile
};

class ProgramLength {
public:
  // If no numbers are computed, `shownIterations` iterations of a loop are walked and the others are folded; 0: all are walked.
  ProgramLength(const compile::LoweredProgram& program, int64_t shownIterations);

  // Length of one execution of step `index`, including the steps inside it.
  const Length& of(int index) const { return m_lengths[std::size_t(index)]; }
  // Whether only `shownIterations` iterations of the loop are walked.
  bool isFolded(int index) const { return m_folded[std::size_t(index)]; }

private:
  void measure(const compile::LoweredProgram& program, int index);

  int64_t m_shown;
  std::vector<Length> m_lengths;
  std::vector<char> m_measured, m_dependent, m_folded;
};

} // namespace simcore::run
