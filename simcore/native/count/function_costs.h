// Machine instructions of calls to functions outside the module: intrinsics, the C library, the machine's builtins.
#pragma once

#include "simcore/native/count/ir.h"
#include "simcore/native/count/schedule.h"

namespace simcore::native {

struct MachineCost {
  std::vector<MachineOp> ops; // the first op needs the operands
  bool isChain = true;        // each op needs the previous one; false: they only need the operands
  bool isKnown = true;
};

MachineCost mainOps(int64_t count); // independent of one another
MachineCost auxOps(int64_t count, int slots = 1);
MachineCost callOps(int64_t slots);   // for a call: it shares no bundle
int64_t auxWords(const IrType& type); // aux instructions for all lanes: two floats or four halves each

// No work at run time: markers, assumptions, debugging.
bool isMarker(std::string_view callee);
// memcpy, memmove, memset; operand 2 is the length. Slots for 8 bytes, 0: another function.
int copySlots(std::string_view callee);

// isKnown is false if the function has no cost here.
MachineCost functionCost(const IrInstruction& call);
MachineCost divisionCost(const IrType& type); // of floats or halves

} // namespace simcore::native
