#include "ui/views/compare/compare_tables.h"

#include "ui/shell/report_text.h"

#include <cmath>

namespace ui::compare {

using analyser::compare::Presence;
using analyser::compare::Unit;
using shell::reportText;
using tables::Cell;
using tables::Kind;

namespace {

Kind kindOf(Unit unit) {
  switch (unit) {
  case Unit::Cycles: return Kind::Cycles;
  case Unit::Bytes: return Kind::Bytes;
  case Unit::Seconds: return Kind::Nanoseconds;
  case Unit::Flops: return Kind::Flops;
  case Unit::Count: break;
  }
  return Kind::Count;
}

Kind deltaOf(Unit unit) {
  switch (unit) {
  case Unit::Cycles: return Kind::CyclesDelta;
  case Unit::Bytes: return Kind::BytesDelta;
  case Unit::Seconds: return Kind::NanosecondsDelta;
  case Unit::Flops: return Kind::FlopsDelta;
  case Unit::Count: break;
  }
  return Kind::CountDelta;
}

// Whole numbers of the unit the column prints: seconds become nanoseconds.
int64_t whole(Unit unit, double value) { return std::llround(unit == Unit::Seconds ? value * 1e9 : value); }

} // namespace

std::shared_ptr<const tables::Table> figureTable(const std::vector<analyser::compare::Figure>& figures, const QString& source,
                                                 const QString& target) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {QObject::tr("Figure"), Kind::Text, {}, 0, false},
      {QObject::tr("Source"), Kind::Count, source, 150, false},
      {QObject::tr("Target"), Kind::Count, target, 150, false},
      {QObject::tr("Difference"), Kind::CountDelta, QObject::tr("Target less source: blue is less, orange is more"), 150, false},
      {QObject::tr("Relative"), Kind::PercentDelta, QObject::tr("To the source"), 100, false}};
  for (const auto& figure : figures) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.kinds = {Kind::Text, kindOf(figure.unit), kindOf(figure.unit), deltaOf(figure.unit), Kind::PercentDelta};
    Cell relative;
    if (const auto r = figure.relative()) relative = *r;
    row.cells = {reportText(figure.title), whole(figure.unit, figure.source), whole(figure.unit, figure.target)};
    row.cells.emplace_back(whole(figure.unit, figure.difference()));
    row.cells.push_back(std::move(relative));
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> operationTable(const std::vector<analyser::compare::OperationDifference>& operations) {
  auto table = std::make_shared<tables::Table>();
  // Twice the same titles: the unit in every cell says which are cycles and which bytes.
  table->columns = {{QObject::tr("Operation"), Kind::Name, {}, 0, false},
                    {QObject::tr("Kind"), Kind::Text, {}, 0, false},
                    {QObject::tr("Cycles A"), Kind::Cycles, QObject::tr("Cycles in the source"), 0, false},
                    {QObject::tr("Cycles B"), Kind::Cycles, QObject::tr("Cycles in the target"), 0, false},
                    {QObject::tr("B − A"), Kind::CyclesDelta, QObject::tr("Of the cycles"), 112, true},
                    {QObject::tr("Memory A"), Kind::Bytes, QObject::tr("Bytes of variables and code in the source"), 0, false},
                    {QObject::tr("Memory B"), Kind::Bytes, QObject::tr("Bytes of variables and code in the target"), 0, false},
                    {QObject::tr("B − A"), Kind::BytesDelta, QObject::tr("Of the memory"), 104, true}};
  for (const auto& o : operations) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    QString name = reportText(o.name);
    if (o.presence == Presence::SourceOnly) name += QObject::tr(" (source only)");
    if (o.presence == Presence::TargetOnly) name += QObject::tr(" (target only)");
    Cell sourceCycles, targetCycles, sourceBytes, targetBytes; // unknown where the operation is absent
    if (o.presence != Presence::TargetOnly) sourceCycles = o.sourceCycles.value(), sourceBytes = o.sourceBytes.value();
    if (o.presence != Presence::SourceOnly) targetCycles = o.targetCycles.value(), targetBytes = o.targetBytes.value();
    row.cells.push_back(name);
    row.cells.push_back(reportText(o.kind));
    row.cells.push_back(std::move(sourceCycles));
    row.cells.push_back(std::move(targetCycles));
    row.cells.push_back(o.cycles().value());
    row.cells.push_back(std::move(sourceBytes));
    row.cells.push_back(std::move(targetBytes));
    row.cells.push_back(o.bytes().value());
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> textTable(const analyser::compare::Comparison& comparison, const QString& source,
                                               const QString& target) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Name"), Kind::Text, {}, 0, false},
                    {QObject::tr("Of"), Kind::Text, {}, 0, false},
                    {QObject::tr("Source"), Kind::Text, source, 260, false},
                    {QObject::tr("Target"), Kind::Text, target, 260, false}};
  const std::pair<QString, const std::vector<analyser::compare::TextDifference>*> groups[] = {
      {QObject::tr("machine"), &comparison.machine},
      {QObject::tr("option"), &comparison.options},
      {QObject::tr("report"), &comparison.metadata}};
  for (const auto& [group, differences] : groups)
    for (const auto& d : *differences) {
      tables::Row row;
      row.id = int64_t(table->rows.size());
      const auto cell = [](const std::string& text) {
        Cell c;
        if (!text.empty()) c = reportText(text);
        return c;
      };
      row.cells = {reportText(d.key), group, cell(d.source), cell(d.target)};
      table->rows.push_back(std::move(row));
    }
  return table;
}

} // namespace ui::compare
