// Machine instructions of one instruction of IR, whatever is around it (decision 060, 5 to 9).
#pragma once

#include "simcore/native/count/function_costs.h"
#include "simcore/native/count/ir.h"

#include <set>

namespace simcore::native {

class InstructionCosts {
public:
  explicit InstructionCosts(const IrFunction& function);

  // Not of addresses, branches, calls of functions that the module has, and compares that a branch does itself.
  MachineCost of(const IrInstruction& instruction) const;
  bool isBranchOnZero(const IrInstruction& compare) const;

private:
  void findHalfArithmetic();
  bool isHalfSource(const IrOperand& operand) const;
  MachineCost floatCost(const IrInstruction& instruction) const;
  MachineCost castCost(const IrInstruction& instruction) const;
  MachineCost vectorCost(const IrInstruction& instruction) const;
  MachineCost integerCost(const IrInstruction& instruction) const;
  // The type in which the machine computes: half for what the host does in float between halves.
  IrType machineType(const IrInstruction& instruction) const;

  const IrFunction& m_function;
  std::vector<bool> m_isHalf; // by instruction: float on the host, half on the machine
};

int64_t accessPieces(const IrType& type, int64_t align);

} // namespace simcore::native
