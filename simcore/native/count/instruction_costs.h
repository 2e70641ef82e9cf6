// Machine instructions of one IR instruction, independent of its neighbours (decision 060, 5 to 9).
#pragma once

#include "simcore/native/count/function_costs.h"
#include "simcore/native/count/ir.h"

#include <set>

namespace simcore::native {

class InstructionCosts {
public:
  explicit InstructionCosts(const IrFunction& function);

  // Addresses, branches, calls of functions in the module, and compares that are part of a branch have no cost here.
  MachineCost of(const IrInstruction& instruction) const;
  bool isBranchOnZero(const IrInstruction& compare) const;

private:
  void findHalfArithmetic();
  bool isHalfSource(const IrOperand& operand) const;
  MachineCost floatCost(const IrInstruction& instruction) const;
  MachineCost castCost(const IrInstruction& instruction) const;
  MachineCost vectorCost(const IrInstruction& instruction) const;
  MachineCost integerCost(const IrInstruction& instruction) const;
  // The type in which the machine computes: half if the host computes in float between halves.
  IrType machineType(const IrInstruction& instruction) const;

  const IrFunction& m_function;
  std::vector<bool> m_isHalf; // by instruction: float on the host, half on the machine
};

int64_t accessPieces(const IrType& type, int64_t align);

} // namespace simcore::native
