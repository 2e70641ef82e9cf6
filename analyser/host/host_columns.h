// The columns of tables of the host's timeline.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/host/host_timeline.h"

namespace analyser::host {

const columns::Columns<LabelStatistics>& labelColumns();

} // namespace analyser::host
