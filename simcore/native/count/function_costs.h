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

// Functions without work at run time: markers, assumptions, debugging.
bool isMarker(std::string_view callee);
// Slots per 8 bytes of memcpy, memmove and memset, whose operand 2 is the length; 0 for other functions.
int copySlots(std::string_view callee);

// isKnown is false for a function without a cost in the tables.
MachineCost functionCost(const IrInstruction& call);
MachineCost divisionCost(const IrType& type); // of floats or halves

} // namespace simcore::native
