// Sums of operations, shared by the sources of this module.
#pragma once

#include "analyser/operations/operations.h"

#include <span>

namespace analyser::operations {

// Adds the countable fields; balance and utilisation are not sums.
void addTo(Operation& sum, const Operation& o);
// FLOPs / (peak FLOPs of its IPUs in its time).
double utilisation(Session& session, const Operation& o);
// Bytes that all tiles of its IPUs could receive in the cycles of its exchanges.
double exchangeableBytes(const Machine& machine, const Operation& o);
// The sum of the rows `members`, e.g. of a kind or a folder; the caller names it.
Operation totalsOf(const Operations& all, std::span<const int> members);
// The sum of some of `all`, with the share of the peak that they reach together.
Operation sumOf(const Operations& all, const std::vector<const Operation*>& members);
inline constexpr auto kOperations = "operations";
// Shares, totals and the verdict, from rows with sums. `what`: the noun for the rows in the verdict.
void finish(Session& session, Operations& all, const std::string& what = kOperations);

} // namespace analyser::operations
