#include "ui/views/compare/difference_tables.h"

#include "analyser/compare/comparison_columns.h"
#include "ui/parts/sentence_text.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

#include <QObject>

#include <algorithm>

namespace ui::compare {

using analyser::compare::Presence;
using tables::Kind;
using theme::reportText;

namespace {

// Parents of rows that know their depth alone, in depth-first order.
class Nesting {
public:
  int parentOf(int row, int depth) {
    const auto at = std::min(std::size_t(std::max(0, depth)), m_open.size());
    m_open.resize(at);
    m_open.push_back(row);
    return at > 0 ? m_open[at - 1] : -1;
  }

private:
  std::vector<int> m_open; // the last row of every depth
};

} // namespace

std::shared_ptr<const tables::Tree> detailsTree(const std::vector<analyser::compare::DetailsDifferenceRow>& rows) {
  const tables::Look look{.bars = {"difference"}, .widths = {{"a", 120}, {"b", 120}, {"difference", 120}, {"relative", 110}}};
  return tables::treeOf(analyser::compare::detailsColumns(), rows, look,
                        [nesting = Nesting()](tables::TreeRow& row, const auto& details) mutable {
                          row.parent = nesting.parentOf(int(row.id), details.depth);
                        });
}

std::shared_ptr<const tables::Table> labelTable(const std::vector<analyser::compare::LabelDifference>& labels) {
  const tables::Look look{.bars = {"difference"},
                          .widths = {{"timeA", 104}, {"timeB", 104}, {"difference", 112}, {"meanA", 96}, {"meanB", 96}}};
  return tables::tableOf(analyser::compare::labelColumns(), labels, look);
}

std::shared_ptr<const tables::Table> insightTable(const std::vector<analyser::compare::InsightDifference>& list) {
  auto table = std::make_shared<tables::Table>();
  const QString share = QObject::tr("What could be saved, as a part of the run or of the memory");
  table->columns = {
      {"change", QObject::tr("Change"), Kind::Text, {}, 0, false},
      {"finding", QObject::tr("Finding"), Kind::Text, {}, 0, false},
      {"where", QObject::tr("Where"), Kind::Name, {}, 0, false},
      {"a", QObject::tr("A"), Kind::Percent, share, 88, false},
      {"b", QObject::tr("B"), Kind::Percent, share, 88, false},
      {"cost", QObject::tr("Cost"), Kind::PercentDelta,
       QObject::tr(
           "Of the cycles or bytes that could be saved, as a part of A's; cycles a sample where both reports count samples"),
       104, true},
      {"inWords", QObject::tr("In words"), Kind::Text, {}, 0, false}};
  for (const auto& d : list) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    const bool inBase = d.presence != Presence::OtherOnly, inOther = d.presence != Presence::BaseOnly;
    const QString change = !inBase         ? QObject::tr("new")
                           : !inOther      ? QObject::tr("gone")
                           : d.isMoved     ? QObject::tr("moved")
                           : !d.change     ? QObject::tr("in both")
                           : *d.change > 0 ? QObject::tr("costs more")
                           : *d.change < 0 ? QObject::tr("costs less")
                                           : QObject::tr("the same");
    row.cells = {change, reportText(d.shown().title), reportText(d.shown().where)};
    row.cells.push_back(tables::cellIf(inBase, d.base.share));
    row.cells.push_back(tables::cellIf(inOther, d.other.share));
    row.cells.push_back(tables::cellIf(d.change.has_value(), d.change.value_or(0)));
    const QString words = shell::sentenceText(d.shown().what, theme::Format(), analyser::Sentence::kNameWidth);
    row.cells.emplace_back(d.isMoved ? QObject::tr("From %1: %2").arg(reportText(d.base.where), words) : words);
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::compare
