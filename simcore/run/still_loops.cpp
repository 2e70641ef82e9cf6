#include "simcore/run/still_loops.h"

#include "reports/core/error.h"

#include <algorithm>

namespace simcore::run {

using compile::Step;
using compile::StepKind;

namespace {

bool isPure(const graph::Graph& graph, const graph::ComputeSet& set) {
  return std::all_of(set.vertices.begin(), set.vertices.end(), [&](const graph::UserVertex& vertex) {
    const graph::Codelet& codelet = graph.codeletOf(vertex);
    return codelet.native && !codelet.native->hooks;
  });
}

bool isAt(const StillLoops::Still& still, const TensorStore& first, const std::vector<TensorStore>& others) {
  return still.first.sameAs(first) && std::equal(still.others.begin(), still.others.end(), others.begin(), others.end(),
                                                 [](const TensorStore& a, const TensorStore& b) { return a.sameAs(b); });
}

} // namespace

bool StillLoops::dependsOnVariables(int index) const {
  const Step& s = m_program.steps[std::size_t(index)];
  switch (s.kind) {
  case StepKind::Function:
  case StepKind::Sequence:
  case StepKind::Repeat:
  case StepKind::Block: return std::all_of(s.children.begin(), s.children.end(), [&](int c) { return dependsOnVariables(c); });
  case StepKind::Call: return s.callee < 0 || dependsOnVariables(s.callee);
  case StepKind::OnTileExecute:
  case StepKind::OnTileCopy:
  case StepKind::DoExchange:
  case StepKind::GlobalExchange:
  case StepKind::Sync:
  case StepKind::WriteUndef:
  case StepKind::HostCompute: break;
  default: return false;
  }
  if (!s.action) return true;
  using Kind = graph::ProgramNode::Kind;
  switch (s.action->kind) {
  case Kind::Execute: return isPure(m_graph, m_graph.computeSet(s.action->computeSet));
  case Kind::HostCompute: // a kernel with a state, or random rounding, makes the values differ: see TensorStore::sameAs()
  case Kind::Rearrange:
  case Kind::Copy:
  case Kind::WriteUndef:
  case Kind::Sync: return true;
  default: return false;
  }
}

bool StillLoops::canStandStill(int repeat) {
  const auto [found, isNew] = m_can.emplace(repeat, false);
  if (isNew) found->second = dependsOnVariables(repeat);
  constexpr int kMostChanges = 16; // comparisons in a row that found a change, after which the loop is no longer compared
  return found->second && m_changed[repeat] < kMostChanges;
}

const StillLoops::Still* StillLoops::keptIf(bool same, int repeat) {
  int& changed = m_changed[repeat];
  changed = same ? 0 : changed + 1;
  return same ? &*m_still : nullptr;
}

const StillLoops::Still* StillLoops::compared(Still before, const TensorStore& first, const std::vector<TensorStore>& others) {
  const int repeat = before.repeat;
  const bool same = isAt(before, first, others);
  if (same) m_still.emplace(std::move(before));
  return keptIf(same, repeat);
}

const StillLoops::Still* StillLoops::standing(int repeat, const TensorStore& first, const std::vector<TensorStore>& others) {
  if (!m_still || m_still->repeat != repeat) return nullptr;
  return keptIf(isAt(*m_still, first, others), repeat);
}

std::optional<StillLoops::Still> StillLoops::before(int repeat, const TensorStore& first,
                                                    const std::vector<TensorStore>& others) {
  try {
    return Still{repeat, first, others, {}};
  } catch (const reports::Error& e) {
    if (e.code() != reports::ErrorCode::OutOfMemory) throw;
    return std::nullopt;
  }
}

} // namespace simcore::run
