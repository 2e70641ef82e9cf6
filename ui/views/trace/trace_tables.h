// The tables and bars below the trace, made on a worker: shares of the visible range per IPU and statistics by name.
#pragma once

#include "analyser/trace/tile_cycles.h"
#include "ui/parts/fact_list.h"
#include "ui/plot/bar_list.h"
#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <memory>
#include <set>

namespace ui::trace {

// Row ids are track ids.
std::shared_ptr<const tables::Table> proportionsTable(const analyser::trace::Proportions& proportions);
std::vector<plot::Bar> proportionBars(const analyser::trace::Proportions& proportions, const theme::Theme& theme,
                                      const theme::Format& format);
// The use of the range's tile-cycles by IPU; row ids are track ids. If there are several, the first row has their sum (id -1).
std::shared_ptr<const tables::Table> wasteTable(const std::vector<analyser::trace::IpuTileCycles>& ipus);
// Row ids are indices of `statistics`. `subjectOf` returns what a row is about, for its menu.
std::shared_ptr<const tables::Table>
statisticsTable(const std::vector<analyser::trace::NameStatistics>& statistics, const std::set<int>& hidden,
                const std::function<analyser::columns::Subjects(const analyser::trace::NameStatistics&)>& subjectOf);

// The name of an activity as the title of a row: "On-tile copy".
QString activityTitle(reports::Activity activity);
// The facts of one slice; `cost`: its tile-cycles, if known.
std::vector<shell::Fact> sliceFacts(const analyser::trace::SliceDetails& details,
                                    const std::optional<analyser::trace::TileCycles>& cost, const theme::Format& format);

} // namespace ui::trace
