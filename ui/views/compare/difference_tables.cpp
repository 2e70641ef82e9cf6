#include "ui/views/compare/difference_tables.h"

#include "ui/shell/report_text.h"
#include "ui/shell/sentence_text.h"

namespace ui::compare {

using analyser::compare::Presence;
using shell::reportText;
using tables::Kind;

namespace {

const char* kDeltaTip = QT_TR_NOOP("Blue is less, orange is more");

tables::Cell relative(int64_t base, int64_t difference) {
  return tables::cellIf(base != 0, base != 0 ? double(difference) / double(base) : 0.0);
}

} // namespace

std::shared_ptr<const tables::Tree> detailsTree(const std::vector<analyser::compare::DetailsDifferenceRow>& rows) {
  auto tree = std::make_shared<tables::Tree>();
  tree->columns = {{"memory", QObject::tr("Memory"), Kind::Text, {}, 0, false},
                   {"a", QObject::tr("A"), Kind::Bytes, QObject::tr("In the base"), 120, false},
                   {"b", QObject::tr("B"), Kind::Bytes, QObject::tr("In the other report"), 120, false},
                   {"bA", QObject::tr("B − A"), Kind::BytesDelta, QObject::tr(kDeltaTip), 120, true},
                   {"relative", QObject::tr("Relative"), Kind::PercentDelta, QObject::tr("To A"), 110, false}};
  std::vector<int> open; // the last row of every depth
  for (const auto& row : rows) {
    tables::TreeRow out;
    out.id = int64_t(tree->rows.size());
    out.cells = {reportText(row.title)};
    out.cells.push_back(tables::cellIf(row.presence != Presence::OtherOnly, row.base.value()));
    out.cells.push_back(tables::cellIf(row.presence != Presence::BaseOnly, row.other.value()));
    out.cells.emplace_back(row.difference().value());
    out.cells.push_back(relative(row.base.value(), row.difference().value()));
    const auto depth = std::min(std::size_t(std::max(0, row.depth)), open.size());
    out.parent = depth > 0 ? open[depth - 1] : -1;
    open.resize(depth);
    open.push_back(int(tree->rows.size()));
    tree->rows.push_back(std::move(out));
  }
  return tree;
}

std::shared_ptr<const tables::Table> labelTable(const std::vector<analyser::compare::LabelDifference>& labels) {
  auto table = std::make_shared<tables::Table>();
  const QString total = QObject::tr("Total; a label inside itself counts once"), calls = QObject::tr("How often it ran");
  table->columns = {{"label", QObject::tr("Label"), Kind::Name, {}, 0, false},
                    {"channel", QObject::tr("Channel"), Kind::Text, {}, 0, false},
                    {"timeA", QObject::tr("Time A"), Kind::Nanoseconds, total, 104, false},
                    {"timeB", QObject::tr("Time B"), Kind::Nanoseconds, total, 104, false},
                    {"bA", QObject::tr("B − A"), Kind::NanosecondsDelta, QObject::tr(kDeltaTip), 112, true},
                    {"callsA", QObject::tr("Calls A"), Kind::Count, calls, 0, false},
                    {"callsB", QObject::tr("Calls B"), Kind::Count, calls, 0, false},
                    {"meanA", QObject::tr("Mean A"), Kind::Nanoseconds, QObject::tr("Of one call"), 96, false},
                    {"meanB", QObject::tr("Mean B"), Kind::Nanoseconds, QObject::tr("Of one call"), 96, false}};
  for (const auto& l : labels) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    const bool inBase = l.presence != Presence::OtherOnly, inOther = l.presence != Presence::BaseOnly;
    row.cells = {reportText(l.label), reportText(l.channel)};
    row.cells.push_back(tables::cellIf(inBase, l.base.value()));
    row.cells.push_back(tables::cellIf(inOther, l.other.value()));
    row.cells.emplace_back(l.difference().value());
    row.cells.push_back(tables::cellIf(inBase, l.baseCount));
    row.cells.push_back(tables::cellIf(inOther, l.otherCount));
    row.cells.push_back(tables::cellIf(inBase, l.baseMean.value()));
    row.cells.push_back(tables::cellIf(inOther, l.otherMean.value()));
    table->rows.push_back(std::move(row));
  }
  return table;
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
