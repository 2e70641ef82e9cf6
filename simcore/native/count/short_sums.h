// Sums of 32 bits in loops of the counting copy. A vector of counts is then as wide as one of floats, so a loop with a branch is
// vectorised to the same width as without counts. The loop becomes two: the outer one adds the sum to the count of 64 bits before
// the sum can overflow.
#pragma once

#include "simcore/native/count/loops.h"

#include <functional>

namespace simcore::native {

class ShortSum {
public:
  // Makes a short sum for a counted loop whose blocks add at most `added` per iteration. nullopt if the loop contains loops or
  // calls, so that it is not vectorised, or if a sum of 32 bits would hold too few iterations.
  static std::optional<ShortSum> of(const IrFunction& function, const Loops& loops, int loop, int64_t added, bool opaquePointers);

  int latch() const { return m_latch; }
  std::string start() const; // label of the block before the inner loop
  std::string end() const;   // label of the block after the inner loop
  std::string variable() const;
  // Returns the text of a phi's value and its label, for an edge into the header.
  using Incoming = std::function<std::string(const IrInstruction& phi, std::size_t edge)>;
  // `trips`: for the label of each edge from outside, the number of iterations or a lower bound.
  std::string startBlock(const Incoming& incoming, const std::map<std::string, std::string>& trips) const;
  std::string headerPhi(const IrInstruction& phi, const Incoming& incoming) const;
  std::string iterationPhi(const std::string& latchLabel) const;                      // behind the phis of the header
  std::string added(const std::string& id, int64_t amount) const;                     // in a block of the loop
  std::string latchBranch(const std::string& rest) const;                             // `rest`: behind the labels of its branch
  std::string endBlock(const std::string& total, const std::string& exitLabel) const; // `total`: the variable of 64 bits

private:
  ShortSum(const IrFunction& function, const Loop& loop, bool opaquePointers);

  const IrFunction& m_function;
  const Loop& m_loop;
  int m_header, m_latch;        // blocks
  int64_t m_iterations = 0;     // upper bound, of the inner loop
  const char *m_short, *m_long; // types of pointers to integers
};

// Changes `rest`, the end of a latch's branch, so that the loop stays scalar if the host's compiler would vectorise it only for
// its count, at a loss.
std::string endOfScalarLatch(const IrFunction& function, const Loops& loops, int loop, const std::string& rest);

// Returns the metadata nodes for the latches of loops with a short sum and of scalar loops. `text` is the module, `nodes` its
// other metadata. Loops with a short sum are interleaved, because adding vectors takes two cycles on some processors.
std::string nodesOfCountingLoops(std::string_view text, const std::vector<std::string>& nodes);

} // namespace simcore::native
