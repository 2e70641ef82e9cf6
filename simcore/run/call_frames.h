// The stack of open calls. It tells for which layer a step of a shared function runs.
#pragma once

#include "simcore/compile/lowered_program.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace simcore::run {

// A frame is a chain of calls that name the operations they run for (graph::CalledFor); frames are numbered in order of appearance.
class CallFrames {
public:
  static constexpr int kNone = -1;

  void begin(const compile::Step& call);
  void end() { m_open.pop_back(); }
  void clear() { m_open.clear(); }
  int current() const { return m_open.empty() ? kNone : m_open.back(); }
  // The operation for which an operation of a function runs in this frame; the operation itself if no call of the frame names it.
  int64_t caller(int frame, int64_t operation) const;

private:
  struct Frame {
    int outer = kNone;
    std::unordered_map<int64_t, int64_t> callers; // by operation in the function
  };
  std::vector<Frame> m_frames;
  std::map<std::pair<int, const compile::Step*>, int> m_frameOf; // by outer frame and call
  std::vector<int> m_open;
};

} // namespace simcore::run
