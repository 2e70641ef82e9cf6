#include "ui/views/compare/compare_tables.h"

#include "analyser/compare/comparison_columns.h"
#include "ui/parts/sentence_text.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace ui::compare {

using analyser::compare::Unit;
using tables::Cell;
using tables::Kind;
using theme::reportText;

Kind kindOfUnit(Unit unit) {
  switch (unit) {
  case Unit::Cycles: return Kind::Cycles;
  case Unit::Bytes: return Kind::Bytes;
  case Unit::Seconds: return Kind::Nanoseconds;
  case Unit::Flops: return Kind::Flops;
  case Unit::Count: break;
  }
  return Kind::Count;
}

namespace {

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

} // namespace

int64_t wholeNumber(Unit unit, double value) { return std::llround(unit == Unit::Seconds ? value * 1e9 : value); }

namespace {
Cell relativeCell(std::optional<double> relative) {
  Cell cell;
  if (relative) cell = *relative;
  return cell;
}

} // namespace

std::shared_ptr<const tables::Table> findingTable(const analyser::compare::Comparison& comparison, const theme::Format& format) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {"cause", QObject::tr("Cause"), Kind::Name, QObject::tr("What changed, largest effect first"), 0, false},
      {"a", QObject::tr("A"), Kind::Cycles, QObject::tr("In the base"), 92, false},
      {"b", QObject::tr("B"), Kind::Cycles, QObject::tr("In the other report"), 92, false},
      {"difference", QObject::tr("B − A"), Kind::CyclesDelta, QObject::tr("Blue is less, orange is more"), 104, false},
      {"effect", QObject::tr("Effect"), Kind::PercentDelta,
       QObject::tr("Part of the cycles of A, or of the memory of its machine"), 76, true}};
  const bool perSample = comparison.samplesDiffer();
  if (perSample)
    table->columns.push_back({"perSample", QObject::tr("Per sample"), Kind::PercentDelta,
                              QObject::tr("Change of what one sample takes: %1 in A, %2 in B")
                                  .arg(*comparison.baseSamples.run)
                                  .arg(*comparison.otherSamples.run),
                              84, false});
  table->columns.push_back({"why", QObject::tr("Why"), Kind::Text, {}, 0, false});
  for (const auto& f : comparison.findings) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.kinds = {Kind::Name, kindOfUnit(f.unit), kindOfUnit(f.unit), deltaOf(f.unit), Kind::PercentDelta};
    row.cells = {reportText(f.title), wholeNumber(f.unit, f.base), wholeNumber(f.unit, f.other),
                 wholeNumber(f.unit, f.difference()), f.effect};
    if (perSample) row.kinds.push_back(Kind::PercentDelta), row.cells.push_back(relativeCell(f.relativePerSample()));
    row.kinds.push_back(Kind::Text);
    row.cells.emplace_back(shell::sentenceText(f.reason, format, analyser::Sentence::kNameWidth));
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> figureTable(const std::vector<analyser::compare::Figure>& figures, const QString& base,
                                                 const QString& other) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {"figure", QObject::tr("Figure"), Kind::Text, {}, 0, false},
      {"a", QObject::tr("A"), Kind::Count, base, 150, false},
      {"b", QObject::tr("B"), Kind::Count, other, 150, false},
      {"difference", QObject::tr("B − A"), Kind::CountDelta, QObject::tr("Blue is less, orange is more"), 150, false},
      {"relative", QObject::tr("Relative"), Kind::PercentDelta, QObject::tr("To A"), 110, true}};
  const bool perSample =
      std::any_of(figures.begin(), figures.end(), [](const auto& f) { return f.relativePerSample().has_value(); });
  if (perSample)
    table->columns.push_back({"perSample", QObject::tr("Per sample"), Kind::PercentDelta,
                              QObject::tr("Change for one sample: of the run, or for memory of the micro-batch"), 110, true});
  for (const auto& figure : figures) {
    if (!figure.missing.empty()) continue; // it is not 0 there
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.kinds = {Kind::Text,           kindOfUnit(figure.unit), kindOfUnit(figure.unit),
                 deltaOf(figure.unit), Kind::PercentDelta,      Kind::PercentDelta};
    row.cells = {reportText(figure.title), wholeNumber(figure.unit, figure.base), wholeNumber(figure.unit, figure.other)};
    row.cells.emplace_back(wholeNumber(figure.unit, figure.difference()));
    row.cells.push_back(relativeCell(figure.relative()));
    if (perSample) row.cells.push_back(relativeCell(figure.relativePerSample()));
    row.kinds.resize(row.cells.size());
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> operationTable(const std::vector<analyser::compare::OperationDifference>& operations) {
  const tables::Look look{.bars = {"cyclesDifference", "memoryDifference"},
                          .optional = {"kind", "memoryA", "memoryB"},
                          .widths = {{"cyclesDifference", 112}, {"memoryDifference", 112}}};
  return tables::tableOf(analyser::compare::operationColumns(), operations, look);
}

std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::compare::VariableDifference>& variables) {
  const tables::Look look{.bars = {"difference"}, .widths = {{"a", 104}, {"b", 104}, {"difference", 112}}};
  return tables::tableOf(analyser::compare::variableColumns(), variables, look);
}

std::shared_ptr<const tables::Table> textTable(const analyser::compare::Comparison& comparison, const QString& base,
                                               const QString& other) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{"name", QObject::tr("Name"), Kind::Text, {}, 0, false},
                    {"of", QObject::tr("Of"), Kind::Text, {}, 0, false},
                    {"a", QObject::tr("A"), Kind::Text, base, 260, false},
                    {"b", QObject::tr("B"), Kind::Text, other, 260, false}};
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
      row.cells = {reportText(d.key), group, cell(d.base), cell(d.other)};
      table->rows.push_back(std::move(row));
    }
  return table;
}

} // namespace ui::compare
