#include "ui/views/compare/compare_tables.h"

#include "analyser/compare/comparison_columns.h"
#include "ui/parts/sentence_text.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

#include <QObject>

namespace ui::compare {

using theme::reportText;

namespace {

// The column kinds of a row that has its own unit.
template<class R>
std::vector<tables::Kind> kindsOf(const analyser::columns::Columns<R>& described, analyser::compare::Unit unit) {
  std::vector<tables::Kind> kinds;
  for (const auto& column : described) kinds.push_back(analyser::compare::kindIn(unit, column.kind));
  return kinds;
}

} // namespace

std::shared_ptr<const tables::Table> findingTable(const analyser::compare::Comparison& comparison, const theme::Format& format) {
  const auto columns = analyser::compare::findingColumns(comparison);
  const tables::Look look{
      .bars = {"effect"},
      .widths = {{"a", 92}, {"b", 92}, {"difference", 104}, {"relative", 84}, {"effect", 76}, {"perSample", 84}}};
  return tables::tableOf(columns, comparison.findings, look, [&](tables::Row& row, const auto& finding) {
    row.kinds = kindsOf(columns, finding.unit);
    row.cells.back() = shell::sentenceText(finding.reason, format, analyser::Sentence::kNameWidth);
  });
}

std::shared_ptr<const tables::Table> figureTable(const std::vector<analyser::compare::Figure>& figures, const QString& base,
                                                 const QString& other) {
  const auto columns = analyser::compare::figureColumns(figures, base.toStdString(), other.toStdString());
  std::vector<analyser::compare::Figure> known = figures;
  std::erase_if(known, [](const auto& figure) { return !figure.missing.empty(); }); // a missing figure is not 0
  const tables::Look look{.bars = {"relative"},
                          .widths = {{"a", 150}, {"b", 150}, {"difference", 150}, {"relative", 110}, {"perSample", 110}}};
  return tables::tableOf(columns, known, look,
                         [&](tables::Row& row, const auto& figure) { row.kinds = kindsOf(columns, figure.unit); });
}

std::shared_ptr<const tables::Table> textTable(const analyser::compare::Comparison& comparison, const QString& base,
                                               const QString& other) {
  return tables::tableOf(analyser::compare::settingColumns(base.toStdString(), other.toStdString()),
                         analyser::compare::settingsOf(comparison), {.widths = {{"a", 260}, {"b", 260}}});
}

std::shared_ptr<const tables::Table> labelTable(const analyser::compare::HostDifference& found) {
  const tables::Look look{.bars = {"difference"},
                          .widths = {{"timeA", 104}, {"timeB", 104}, {"difference", 112}, {"meanA", 96}, {"meanB", 96}}};
  return tables::tableOf(analyser::compare::labelColumns(found.unit), found.labels, look);
}

std::shared_ptr<const tables::Table> insightTable(const std::vector<analyser::compare::InsightDifference>& list) {
  const tables::Look look{.bars = {"cost"}, .widths = {{"a", 88}, {"b", 88}, {"cost", 104}}};
  return tables::tableOf(analyser::compare::insightColumns(), list, look, [](tables::Row& row, const auto& d) {
    const QString words = shell::sentenceText(d.shown().what, theme::Format(), analyser::Sentence::kNameWidth);
    row.cells.back() = d.isMoved ? QObject::tr("From %1: %2").arg(reportText(d.base.where), words) : words;
  });
}

} // namespace ui::compare
