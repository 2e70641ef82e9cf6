// Machine instructions on the two pipelines of a worker (decision 060, 2).
#pragma once

#include <cstdint>
#include <vector>

namespace simcore::native {

struct MachineOp {
  enum class Pipe { Main, Aux };
  Pipe pipe = Pipe::Main;
  int slots = 1;               // slots during which a long instruction occupies both pipes; another can share its first bundle
  bool alone = false;          // shares no bundle, like a call
  std::vector<int> after = {}; // indices of operations it depends on: it starts one bundle after them, or after their slots
};

// Number of bundles of a block whose operations stay in order.
int64_t scheduledSlots(const std::vector<MachineOp>& ops);

} // namespace simcore::native
