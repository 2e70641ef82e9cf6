#include "simcore/native/count/schedule.h"

#include <algorithm>

namespace simcore::native {

// Fills bundle after bundle. An operation that cannot share the current bundle begins the next one; later operations never move
// before it.
int64_t scheduledSlots(const std::vector<MachineOp>& ops) {
  std::vector<int64_t> start(ops.size(), 0);
  int64_t now = 0, length = 0; // of the current bundle
  bool taken[2] = {true, true};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const MachineOp& op = ops[i];
    bool& pipe = taken[op.pipe == MachineOp::Pipe::Main ? 0 : 1];
    int64_t earliest = 0;
    for (const int before : op.after) earliest = std::max(earliest, start[before] + ops[before].slots);
    const bool shares = !pipe && earliest <= now && !(op.alone && (taken[0] || taken[1]));
    if (!shares) {
      now = std::max(now + length, earliest);
      length = 0;
      taken[0] = taken[1] = false;
    }
    start[i] = now;
    length = std::max<int64_t>(length, op.slots);
    pipe = true;
    if (op.alone) taken[0] = taken[1] = true;
  }
  return now + length;
}

} // namespace simcore::native
