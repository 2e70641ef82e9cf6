#include "simcore/run/program_length.h"

#include <algorithm>

namespace simcore::run {

using compile::Step;
using compile::StepKind;

ProgramLength::ProgramLength(const compile::LoweredProgram& program, int64_t shownIterations)
    : m_shown(shownIterations), m_lengths(program.steps.size()), m_measured(program.steps.size(), false),
      m_dependent(program.steps.size(), false), m_folded(program.steps.size(), false) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) measure(program, int(i));
}

// Functions cannot be recursive, so the walk through callees ends.
void ProgramLength::measure(const compile::LoweredProgram& program, int index) {
  const auto at = std::size_t(index);
  if (m_measured[at]) return;
  m_measured[at] = true;
  const Step& s = program.steps[at];
  const bool branches = s.kind == StepKind::If || s.kind == StepKind::Switch;
  bool dependent = branches || s.kind == StepKind::RepeatWhile;
  Length sum;
  const auto add = [&](int below) {
    measure(program, below);
    const Length& length = of(below);
    dependent |= bool(m_dependent[std::size_t(below)]);
    const auto join = [&](double& whole, double part) { whole = branches ? std::max(whole, part) : whole + part; };
    join(sum.walked, length.walked);
    join(sum.executions, length.executions);
    join(sum.cycles, length.cycles);
  };
  for (const int child : s.children) add(child);
  if (s.callee >= 0) add(s.callee);
  m_dependent[at] = dependent;
  if (s.kind == StepKind::Repeat) {
    m_folded[at] = m_shown > 0 && !dependent && s.repeat > m_shown;
    sum.walked *= double(isFolded(index) ? m_shown + 1 : s.repeat);
    sum.executions *= double(s.repeat);
    sum.cycles *= double(s.repeat);
  }
  m_lengths[at] = compile::isControl(s.kind) ? sum : Length{1, 1, double(s.duration.value())};
}

} // namespace simcore::run
