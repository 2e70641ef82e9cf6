// A ReportSink that keeps every row in memory, so that tests look at what was emitted without a file.
// The receivers behind it are compiled once, in the source: what a test includes only finds the rows.
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
  template<class Row> void add(const Row& row) { static_cast<reports::RowReceiver<Row>&>(sink()).add(row); }

  template<class Row> const std::vector<Row>& rows() const { return *static_cast<const std::vector<Row>*>(rowsOf(Row::kTable)); }
  // The text of a string id; empty if it was never written.
  std::string text(int64_t id) const;
  // Everything again, into another sink.
  void replay(reports::ReportSink& into) const;

private:
  struct Rows;
  const void* rowsOf(std::string_view table) const; // a std::vector of the table's rows

  std::unique_ptr<Rows> m_rows;
};

} // namespace tests
