#include "simcore/poplar/report_services.h"

#include "poplar/exceptions.hpp"

namespace simcore::poplar {

namespace {
std::unique_ptr<ReportServices>& given() {
  static auto* services = new std::unique_ptr<ReportServices>; // engines that outlive main() still write their reports
  return *services;
}
} // namespace

void giveReportServices(std::unique_ptr<ReportServices> services) { given() = std::move(services); }
ReportServices& reportServices() {
  if (!given()) throw ::poplar::profiling_disabled("this library was built without reports");
  return *given();
}

} // namespace simcore::poplar
