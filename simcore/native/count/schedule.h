// Machine instructions on the two pipelines of a worker (decision 060, 2).
#pragma once

#include <cstdint>
#include <vector>

namespace simcore::native {

struct MachineOp {
  enum class Pipe { Main, Aux };
  Pipe pipe = Pipe::Main;
  int slots = 1;                   // for which a long instruction keeps both pipes; another one can share its first bundle
  bool alone = false;              // a call
  bool isBranch = false;           // the end of the block
  std::vector<int> after = {};     // operations whose results it needs: one bundle later, or after their slots
  std::vector<int> notBefore = {}; // operations it may share a bundle with, but not overtake
};

// Bundles of a block: list scheduling in order, the longest path first.
int64_t scheduledSlots(const std::vector<MachineOp>& ops);

} // namespace simcore::native
