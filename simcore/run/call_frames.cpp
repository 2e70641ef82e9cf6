#include "simcore/run/call_frames.h"

namespace simcore::run {

void CallFrames::begin(const compile::Step& call) {
  const int outer = current();
  if (!call.action || call.action->calledFor.empty()) return m_open.push_back(outer);
  const auto [it, added] = m_frameOf.emplace(std::pair(outer, &call), int(m_frames.size()));
  if (added) {
    Frame& frame = m_frames.emplace_back();
    frame.outer = outer;
    for (const auto& pair : call.action->calledFor)
      frame.callers.emplace(int64_t(pair.inFunction.value()), int64_t(pair.caller.value()));
  }
  m_open.push_back(it->second);
}

int64_t CallFrames::caller(int frame, int64_t operation) const {
  for (; frame != kNone; frame = m_frames[std::size_t(frame)].outer) {
    const auto& callers = m_frames[std::size_t(frame)].callers;
    if (const auto it = callers.find(operation); it != callers.end()) operation = it->second;
  }
  return operation;
}

} // namespace simcore::run
