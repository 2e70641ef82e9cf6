// Arbitrary SQL on a valid report: any bytes give rows or an Error in a short time, and the report does not change.
#include "reports/sqlite/query.h"
#include "tests/fuzz/damaged_report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  static const tests::TinyReport report;
  static reports::Reader reader(report.path());
  static const auto written = std::filesystem::last_write_time(report.path());
  const std::string_view sql(reinterpret_cast<const char*>(bytes), size);
  tests::reads([&] { reports::runQuery(reader, sql, {1000, std::chrono::milliseconds(200)}); });
  if (std::filesystem::last_write_time(report.path()) != written) std::abort();
  return 0;
}
