// Sums of 32 bits in loops of the counting copy: a vector of counts is then as wide as one of floats, so that a loop with a branch in it
// is vectorised to the same width as without counts. Such a loop becomes two: the outer one adds the sum to the count of 64 bits
// before enough iterations for an overflow.
#pragma once

#include "simcore/native/count/loops.h"

#include <functional>

namespace simcore::native {

class ShortSum {
public:
  // For a counted loop whose blocks add at most `added` in an iteration. Nothing if no vectorised loop has its shape (loops or calls
  // in it), or if a sum of 32 bits holds few iterations.
  static std::optional<ShortSum> of(const IrFunction& function, const Loops& loops, int loop, int64_t added, bool opaquePointers);

  int latch() const { return m_latch; }
  std::string start() const; // label of the block in front of the inner loop
  std::string end() const;   // and of the one behind it
  std::string variable() const;
  // `value` is the text of the phi's value, and its label, for an edge into the header.
  using Incoming = std::function<std::string(const IrInstruction& phi, std::size_t edge)>;
  // `trips`: by label of each edge from outside, the loop's number of iterations, or less.
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
  int64_t m_iterations = 0;     // of the inner loop, at most
  const char *m_short, *m_long; // types of pointers to integers
};

// `rest` of a latch's branch, for a loop that the host's compiler would vectorise for its count alone, at a loss.
std::string endOfScalarLatch(const IrFunction& function, const Loops& loops, int loop, const std::string& rest);

// The metadata nodes that the latches of loops with such a sum, and of scalar loops, refer to, for the `text` of a module whose other metadata
// is `nodes`. Loops with such a sum are interleaved, because an addition of vectors takes two cycles on some processors.
std::string nodesOfCountingLoops(std::string_view text, const std::vector<std::string>& nodes);

} // namespace simcore::native
