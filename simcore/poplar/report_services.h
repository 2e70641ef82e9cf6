// Report functions for programs. The simulator must not depend on reports, so the library for programs (app/sdk) provides them.
#pragma once

#include "poplar/ProfileValue.hpp"
#include "reports/rows/report_sink.h"

#include <functional>
#include <memory>
#include <string>

namespace pva {
class Report;
}

namespace simcore::poplar {

// Writes all rows of a report to the sink.
using Rows = std::function<void(reports::ReportSink&)>;

struct SummaryOptions {
  bool showExecutionSteps = false, showVarStorage = false;
};

class ReportServices {
public:
  virtual ~ReportServices() = default;
  virtual void write(const std::string& file, const Rows& rows) = 0;
  virtual std::string summary(const Rows& rows, const SummaryOptions& options) = 0;
  virtual pva::Report report(const Rows& rows) = 0;
  virtual ::poplar::ProfileValue graphProfile(const Rows& rows) = 0;
  virtual ::poplar::ProfileValue executionProfile(const Rows& rows) = 0;
};

// To be called once, before the first engine.
void giveReportServices(std::unique_ptr<ReportServices> services);
// Throws poplar_error if giveReportServices() was not called.
ReportServices& reportServices();

} // namespace simcore::poplar
