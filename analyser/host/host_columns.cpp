#include "analyser/host/host_columns.h"

#include <cmath>

namespace analyser::host {

using columns::Kind;

const columns::Columns<LabelStatistics>& labelColumns() {
  using Row = LabelStatistics;
  // A value over the slices that are entirely inside the range; unknown without such slices.
  const auto ofWhole = [](auto value) {
    return [value](const Row& s) { return s.whole() > 0 ? columns::cellOf(std::invoke(value, s)) : columns::Cell(); };
  };
  static const columns::Columns<Row> columns = {
      {"label", "Label", Kind::Name, "", &Row::label},
      {"channel", "Channel", Kind::Text, "", &Row::channel},
      {"count", "Count", Kind::Count, "Slices that touch the range", &Row::count},
      {"cut", "Cut", Kind::Count, "Slices that an end of the range cuts; Total and Self count only the part inside the range",
       &Row::cut},
      {"total", "Total", Kind::Nanoseconds, "Within the range", &Row::total},
      {"self", "Self", Kind::Nanoseconds, "Total minus the time of the slices inside it", &Row::self},
      {"mean", "Mean", Kind::Nanoseconds, "Of slices entirely inside the range",
       ofWhole([](const Row& s) { return std::llround(s.mean()); })},
      {"longest", "Longest", Kind::Nanoseconds, "Of slices entirely inside the range", ofWhole(&Row::max)},
      {"median", "Median", Kind::Nanoseconds, "Of slices entirely inside the range", ofWhole(&Row::median)},
      {"p95", "95th percentile", Kind::Nanoseconds, "95 % of the slices entirely inside the range take at most this long",
       ofWhole(&Row::p95)},
      {"shortest", "Shortest", Kind::Nanoseconds, "Of slices entirely inside the range", ofWhole(&Row::min)}};
  return columns;
}

Kind kindOf(const MeasuredValue& value) {
  using Unit = MeasuredValue::Unit;
  return value.unit == Unit::Bytes ? Kind::Bytes : value.unit == Unit::Count ? Kind::Count : Kind::Nanoseconds;
}

columns::Columns<LabelStatistics> labelColumns(const MeasuredValue& value) {
  columns::Columns<LabelStatistics> columns = labelColumns();
  // The stacks of a profile occur once: values of a single one are its total.
  if (!value.isInTime) columns = columns::without(columns, {"mean", "longest", "median", "p95", "shortest"});
  if (value.unit == MeasuredValue::Unit::Time) return columns;
  for (auto& column : columns)
    if (column.kind == Kind::Nanoseconds) {
      column.kind = kindOf(value);
      if (column.id == "longest") column.title = "Largest";
      if (column.id == "shortest") column.title = "Smallest";
      if (column.id == "self") column.meaning = "Total minus that of the slices inside it";
      if (column.id == "p95") column.meaning = "95 % of the slices entirely inside the range have at most this much";
    }
  return columns;
}

} // namespace analyser::host
