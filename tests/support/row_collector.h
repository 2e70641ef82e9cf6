// A ReportSink that keeps every row in memory, so that tests can check the rows without a file.
// The receivers are compiled once, in the source file; the header only gives access to the rows.
#pragma once

#include "reports/rows/report_sink.h"

#include <memory>
#include <string>
#include <vector>

namespace tests {

class RowCollector {
public:
  RowCollector();
  ~RowCollector();
  RowCollector(RowCollector&&) noexcept;
  RowCollector& operator=(RowCollector&&) noexcept;

  reports::ReportSink& sink();
  operator reports::ReportSink&() { return sink(); }
  template<class Row> void add(const Row& row) { sink().add(row); }

  template<class Row> const std::vector<Row>& rows() const { return *static_cast<const std::vector<Row>*>(rowsOf(Row::kTable)); }
  // The text of a string id; empty if it was never written.
  std::string text(int64_t id) const;
  // Writes all rows to another sink.
  void replay(reports::ReportSink& into) const;

private:
  struct Rows;
  const void* rowsOf(std::string_view table) const; // a std::vector of the table's rows

  std::unique_ptr<Rows> m_rows;
};

} // namespace tests
