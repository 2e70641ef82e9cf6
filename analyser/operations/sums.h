// Sums of operations, shared by the sources of this module.
#pragma once

#include "analyser/operations/operations.h"

namespace analyser::operations {

// Adds the countable fields; balance and utilisation are not sums.
void addTo(Operation& sum, const Operation& o);
// FLOPs / (peak FLOPs of its IPUs in its time).
double utilisation(Session& session, const Operation& o);
// Bytes that all tiles of its IPUs could receive in the cycles of its exchanges.
double exchangeableBytes(const Machine& machine, const Operation& o);
// Its tile-cycles, the basis for shares of sums; its cycles if a report has no tile-cycles.
double spent(const Operation& o);
// Mean over operations that compute, weighted by their compute cycles.
std::optional<double> meanBalance(const std::vector<const Operation*>& rows);
inline constexpr auto kOperations = "operations";
// Shares, totals and the verdict, from rows with sums. `what`: the noun for the rows in the verdict.
void finish(Session& session, Operations& all, const std::string& what = kOperations);

} // namespace analyser::operations
