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

} // namespace analyser::host
