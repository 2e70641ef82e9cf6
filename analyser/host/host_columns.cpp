#include "analyser/host/host_columns.h"

#include <cmath>

namespace analyser::host {

using columns::Kind;

const columns::Columns<LabelStatistics>& labelColumns() {
  using Row = LabelStatistics;
  static const columns::Columns<Row> columns = {
      {"label", "Label", Kind::Name, "", &Row::label},
      {"channel", "Channel", Kind::Text, "", &Row::channel},
      {"count", "Count", Kind::Count, "", &Row::count},
      {"total", "Total", Kind::Nanoseconds, "", &Row::total},
      {"self", "Self", Kind::Nanoseconds, "Total minus the time of the slices inside it", &Row::self},
      {"mean", "Mean", Kind::Nanoseconds, "", [](const Row& s) { return std::llround(s.mean()); }},
      {"longest", "Longest", Kind::Nanoseconds, "", &Row::max},
      {"median", "Median", Kind::Nanoseconds, "", &Row::median},
      {"p95", "95th percentile", Kind::Nanoseconds, "95 % of the slices take at most this long", &Row::p95},
      {"shortest", "Shortest", Kind::Nanoseconds, "", &Row::min}};
  return columns;
}

} // namespace analyser::host
