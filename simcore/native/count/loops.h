// Loops of a function, and the values that are affine in their induction variables (decision 060, 3 and 4).
#pragma once

#include "simcore/native/count/ir.h"

#include <set>

namespace simcore::native {

struct Loop {
  int header = -1, parent = -1; // parent: a loop, -1: none
  std::set<int> blocks;
  std::vector<int> latches;
  // The loop has one latch, which is also its only exit, and exits by comparing an induction variable with a loop-invariant
  // value.
  bool isCounted = false;
  int compare = -1;              // the instruction
  int induction = -1;            // the phi
  int64_t step = 0;              // of the induction variable, per iteration
  bool comparesNext = false;     // compares the value after the step instead of before
  bool inductionIsFirst = false; // operand of the compare
  bool staysOnTrue = false;      // the loop continues if the compare is true
};

// A linear expression: values of the function times coefficients (`terms`), plus the address of `global`, plus `constant`.
// `varies`: a term contains an induction variable of the loop.
struct Affine {
  std::map<int, int64_t> terms;
  std::string global; // a base that is a global variable
  int64_t constant = 0;
  bool varies = false;
  bool isLow = false; // the expression is right only in the lower 32 bits, the size of a register of the machine
};

class Loops {
public:
  explicit Loops(const IrFunction& function);

  const std::vector<Loop>& all() const { return m_loops; }
  int innermost(int block) const { return m_innermost[block]; } // -1: none
  bool dominates(int a, int b) const;
  // The operand as a linear expression in `loop`; nullopt if it is not linear.
  std::optional<Affine> affine(const IrOperand& operand, int loop) const;
  // Whether an `or` adds a constant, because the bits it sets are 0.
  bool isSum(const IrInstruction& instruction) const;
  bool isInvariant(const IrOperand& operand, int loop) const;
  // An upper bound of the iterations of a counted loop, if known.
  std::optional<int64_t> mostIterations(int loop) const;

  // The operand of a phi in the loop's header for the edge from the latch, or for the edge from outside.
  const IrOperand& incoming(const IrInstruction& phi, int loop, bool fromLatch) const;

private:
  void findDominators();
  void findLoops();
  void findCounted(Loop& loop, int index);
  std::optional<Affine> affineOf(const IrInstruction& instruction, int loop, int depth) const;
  std::optional<Affine> wordOf(const IrInstruction& instruction, int loop, int depth) const;
  std::optional<Affine> affineAt(const IrOperand& operand, int loop, int depth) const;
  bool isInduction(const IrInstruction& phi, int loop) const;
  int lowZeros(const IrOperand& operand, int depth) const;
  std::optional<int64_t> mostOf(const IrOperand& operand, int depth) const;

  const IrFunction& m_function;
  std::vector<int> m_order, m_position; // blocks in reverse postorder; position of each block, -1: unreachable
  std::vector<int> m_dominator;
  std::vector<int> m_innermost;
  std::vector<Loop> m_loops;                                            // outer ones first
  mutable std::map<std::pair<int, int>, std::optional<Affine>> m_known; // by value and loop
};

} // namespace simcore::native
