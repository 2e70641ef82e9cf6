#include "simcore/native/count/schedule.h"

#include <algorithm>

namespace simcore::native {

namespace {

using Pipe = MachineOp::Pipe;

// Slots from the start of each operation to the end of the block, along its longest path.
std::vector<int64_t> heights(const std::vector<MachineOp>& ops) {
  std::vector<int64_t> result(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) result[i] = ops[i].slots;
  for (std::size_t i = ops.size(); i-- > 0;) {
    for (const int before : ops[i].after) result[before] = std::max(result[before], result[i] + ops[before].slots);
    for (const int before : ops[i].notBefore) result[before] = std::max(result[before], result[i]);
  }
  return result;
}

} // namespace

// Time advances bundle by bundle; ready operations wait in one list per pipe.
int64_t scheduledSlots(const std::vector<MachineOp>& ops) {
  const auto height = heights(ops);
  std::vector<int64_t> start(ops.size(), -1);
  std::vector<std::vector<int>> readers(ops.size());
  std::vector<int> missing(ops.size(), 0);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    missing[i] = static_cast<int>(ops[i].after.size() + ops[i].notBefore.size());
    for (const int before : ops[i].after) readers[before].push_back(static_cast<int>(i));
    for (const int before : ops[i].notBefore) readers[before].push_back(static_cast<int>(i));
  }
  const auto earliest = [&](int i) {
    int64_t time = 0;
    for (const int before : ops[i].after) time = std::max(time, start[before] + ops[before].slots);
    for (const int before : ops[i].notBefore) time = std::max(time, start[before]);
    return time;
  };
  std::vector<int> ready;
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (missing[i] == 0) ready.push_back(static_cast<int>(i));
  int64_t now = 0;
  for (std::size_t done = 0; done < ops.size();) {
    int64_t length = 1;
    bool taken[2] = {false, false};
    while (true) { // an operation that may share the bundle of another becomes ready inside the bundle
      int best = -1;
      for (const int i : ready) {
        const int pipe = ops[i].pipe == Pipe::Main ? 0 : 1;
        if (taken[pipe] || (ops[i].alone && (taken[0] || taken[1])) || earliest(i) > now) continue;
        if (best < 0 || height[i] > height[best] || (height[i] == height[best] && i < best)) best = i;
      }
      if (best < 0) break;
      start[best] = now;
      length = std::max<int64_t>(length, ops[best].slots);
      taken[ops[best].pipe == Pipe::Main ? 0 : 1] = true;
      if (ops[best].alone) taken[0] = taken[1] = true;
      ready.erase(std::find(ready.begin(), ready.end(), best));
      for (const int reader : readers[best])
        if (--missing[reader] == 0) ready.push_back(reader);
      ++done;
    }
    now += length;
  }
  return now;
}

} // namespace simcore::native
