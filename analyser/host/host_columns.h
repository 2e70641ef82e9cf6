// The columns of tables of the host's timeline.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/host/host_timeline.h"

namespace analyser::host {

const columns::Columns<LabelStatistics>& labelColumns(); // columns if the value is time
columns::Columns<LabelStatistics> labelColumns(const MeasuredValue& value);
// The kind of a column of its amounts.
columns::Kind kindOf(const MeasuredValue& value);

} // namespace analyser::host
