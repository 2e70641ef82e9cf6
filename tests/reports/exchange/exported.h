// Exports a report, or a trace through a report, as text.
#pragma once

#include "reports/exchange/export.h"
#include "reports/sqlite/writer.h"
#include "tests/reports/exchange/imported.h"

#include <sstream>

namespace tests {

using Export = reports::exchange::ExportCounts (*)(reports::Reader&, const reports::exchange::ExportRequest&, std::ostream&,
                                                   reports::Progress&, std::stop_token);

inline std::string exported(const std::filesystem::path& report, Export write,
                            const reports::exchange::ExportRequest& request = {},
                            reports::exchange::ExportCounts* counts = nullptr) {
  reports::Reader reader(report);
  reports::NoProgress progress;
  std::ostringstream out;
  const reports::exchange::ExportCounts result = write(reader, request, out, progress, {});
  if (counts) *counts = result;
  return out.str();
}

// A report made from a trace.
inline void importTo(const std::filesystem::path& report, const std::filesystem::path& trace) {
  reports::exchange::ImportRequest request;
  request.files = {trace};
  reports::Writer writer(report);
  reports::NoProgress progress;
  reports::exchange::importTraces(request, writer, progress, {});
  writer.commit();
}

// The text of a trace, imported and exported again.
inline std::string exportedAgain(std::string_view trace, Export write, const reports::exchange::ExportRequest& request = {}) {
  TemporaryFolder folder;
  std::ofstream(folder / "trace", std::ios::binary) << trace;
  importTo(folder / "trace.tsr", folder / "trace");
  return exported(folder / "trace.tsr", write, request);
}

} // namespace tests
