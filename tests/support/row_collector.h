// A ReportSink that keeps every row in memory, so that tests look at what was emitted without a file.
#pragma once

#include "reports/rows/report_sink.h"

#include <string>
#include <tuple>
#include <vector>

namespace tests {

template<class List> struct VectorsOf;
template<class... Rows> struct VectorsOf<reports::TypeList<Rows...>> { using Type = std::tuple<std::vector<Rows>...>; };

class RowCollector final : public reports::ForwardingSink<RowCollector> {
public:
  template<class Row> void receive(const Row& row) {
    auto& all = std::get<std::vector<Row>>(m_rows);
    all.push_back(row);
    if constexpr (std::is_same_v<Row, reports::ReportIssueRow>) all.back().id = int64_t(all.size()) - 1;
  }
  template<class Row> const std::vector<Row>& rows() const { return std::get<std::vector<Row>>(m_rows); }
  // The text of a string id; empty if it was never written.
  std::string text(int64_t id) const {
    for (const auto& row : rows<reports::StringRow>())
      if (row.id == id) return row.text;
    return {};
  }
  // Everything again, into another sink.
  void replay(reports::ReportSink& sink) const {
    reports::forEachTable([&]<class Row>() {
      for (const auto& row : rows<Row>()) sink.add(row);
    });
  }

private:
  VectorsOf<reports::AllTables>::Type m_rows;
};

} // namespace tests
