// A sink that keeps its rows, so that they can be written to several reports later.
#pragma once

#include "reports/rows/report_sink.h"

#include <functional>
#include <vector>

namespace reports {

class RowLog final : public ForwardingSink<RowLog> {
public:
  template<class Row> void receive(const Row& row) {
    m_rows.push_back([row](ReportSink& sink) { sink.add(row); });
  }
  void replayTo(ReportSink& sink) const {
    for (const auto& row : m_rows) row(sink);
  }

private:
  std::vector<std::function<void(ReportSink&)>> m_rows; // in order of arrival
};

} // namespace reports
