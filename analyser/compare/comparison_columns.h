// The columns of tables of two reports, A and B: operations, variables, labels of the host, the memory of tiles.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/compare/compare.h"
#include "analyser/compare/memory_difference.h"

namespace analyser::compare {

const columns::Columns<OperationDifference>& operationColumns();
const columns::Columns<VariableDifference>& variableColumns();
const columns::Columns<LabelDifference>& labelColumns();
const columns::Columns<DetailsDifferenceRow>& detailsColumns();

} // namespace analyser::compare
