// Finds instructions that only compute addresses that loads and stores compute themselves (decision 060, 4).
#pragma once

#include "simcore/native/count/loops.h"

namespace simcore::native {

class Addresses {
public:
  Addresses(const IrFunction& function, const Loops& loops, bool countedLoops);

  // Whether the instruction only computes an address within a loop, or is an induction variable that only counts iterations.
  bool isFree(int instruction) const { return m_free[instruction]; }
  // Main-pipe instructions for an address that is not free.
  int64_t addressOps(const IrInstruction& address) const;
  // Number of pointers that the entry of the loop must set: one for each different base of the loop's varying addresses.
  int64_t pointers(int loop) const { return m_pointers[loop]; }

private:
  bool isCandidate(const IrInstruction& instruction) const;
  bool isAddressUse(const IrInstruction& user, int value) const;
  void countPointers();

  const IrFunction& m_function;
  const Loops& m_loops;
  bool m_countedLoops;
  std::vector<bool> m_free;
  std::vector<int64_t> m_pointers;
};

} // namespace simcore::native
