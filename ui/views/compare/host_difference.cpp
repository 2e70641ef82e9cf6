#include "ui/views/compare/host_difference.h"

#include "ui/views/compare/compare_tables.h"

namespace ui::compare {

HostDifference::HostDifference(const shell::ViewParts& parts)
    : TableDifference(
          parts, tr("Comparing the hosts"), new tables::FilteredTable(parts.theme, tr("Labels of the host in both reports")),
          QStringLiteral("labels"), [](const analyser::compare::HostDifference& found) { return found.verdict; }, &labelTable) {
  page().setBody(&table());
  table().view().setEmptyText(tr("Neither report holds slices of the host."));
}

HostDifference::Finder HostDifference::finder() const { return &analyser::compare::hostDifference; }

} // namespace ui::compare
