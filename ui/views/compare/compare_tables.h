// The rows of a comparison: base, other and the change, with sign. Largest effect first, in the analyser's order.
#pragma once

#include "analyser/compare/host_difference.h"
#include "analyser/compare/insights_difference.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::theme {
class Format;
}

namespace ui::compare {

std::shared_ptr<const tables::Table> figureTable(const std::vector<analyser::compare::Figure>& figures, const QString& base,
                                                 const QString& other);
// Why the totals differ; a row's id is its index in Comparison::findings.
std::shared_ptr<const tables::Table> findingTable(const analyser::compare::Comparison& comparison, const theme::Format& format);
// Machine, options and metadata that differ.
std::shared_ptr<const tables::Table> textTable(const analyser::compare::Comparison& comparison, const QString& base,
                                               const QString& other);

std::shared_ptr<const tables::Table> labelTable(const analyser::compare::HostDifference& found);
// A row's id is its index in the list.
std::shared_ptr<const tables::Table> insightTable(const std::vector<analyser::compare::InsightDifference>& list);

} // namespace ui::compare
