// The tables and bars under the trace, made on a worker: shares of the visible range per IPU and statistics by name.
#pragma once

#include "analyser/trace/execution_trace.h"
#include "ui/plot/bar_list.h"
#include "ui/shell/fact_list.h"
#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <memory>
#include <set>

namespace ui::trace {

// Row ids are track ids.
std::shared_ptr<const tables::Table> proportionsTable(const analyser::trace::Proportions& proportions);
std::vector<plot::Bar> proportionBars(const analyser::trace::Proportions& proportions, const theme::Theme& theme,
                                      const theme::Format& format);
// Row ids are indices of `statistics`.
std::shared_ptr<const tables::Table> statisticsTable(const std::vector<analyser::trace::NameStatistics>& statistics,
                                                     const std::set<int>& hidden, bool dark);

// The name of an activity as the title of a row: "On-tile copy".
QString activityTitle(reports::Activity activity);
// The facts of one slice.
std::vector<shell::Fact> sliceFacts(const analyser::trace::SliceDetails& details, const theme::Format& format);

} // namespace ui::trace
