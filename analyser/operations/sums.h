// Sums of operations, shared by the sources of this room.
#pragma once

#include "analyser/operations/operations.h"

namespace analyser::operations {

// Adds the countable fields; balance and utilisation are no sums.
void addTo(Operation& sum, const Operation& o);
// FLOPs over what the IPUs that it runs on could do in the time.
double utilisation(Session& session, const Operation& o);
// Its tile-cycles: what sums of operations share; its cycles where a report has none.
double spent(const Operation& o);
// Mean over operations that compute, weighted by their compute cycles.
std::optional<double> meanBalance(const std::vector<const Operation*>& rows);
inline constexpr auto kOperations = "operations";
// Shares, totals and the verdict, from rows whose sums are there. `what`: what the verdict calls the rows.
void finish(Session& session, Operations& all, const std::string& what = kOperations);

} // namespace analyser::operations
