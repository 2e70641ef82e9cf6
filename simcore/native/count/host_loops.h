// Loops that were vectorised for the machine and are followed by a scalar loop. The counting copy runs the scalar loop instead,
// because the host's compiler vectorises it to its own width.
#pragma once

#include "simcore/native/count/loops.h"

namespace simcore::native {

struct HostLoop {
  int from = -1;     // the block that enters the vectorised loop
  int vector = -1;   // its only block
  int middle = -1;   // the block after it: the end, or the way to the remaining iterations
  int resume = -1;   // the block before the scalar loop, which runs the remaining iterations
  int scalar = -1;   // its only block
  int64_t width = 0; // scalar iterations that equal one iteration of the vectorised loop
  bool alwaysResumes = false;
  std::map<int, std::string> starts; // by phi of `resume`: its value if no iteration has run yet
};

std::vector<HostLoop> hostLoops(const IrFunction& function, const Loops& loops);

// A phi's values as text, in the order of IrInstruction::labels, with the text before and after them.
struct PhiText {
  std::string head;
  std::vector<std::string> values;
  std::string tail;
};
PhiText phiText(const IrInstruction& phi);

// The operand of a phi for the edge from a block; null: no such edge.
const IrOperand* incomingFrom(const IrInstruction& phi, int block);

} // namespace simcore::native
