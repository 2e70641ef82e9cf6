// Adds the report to an error: an error about a damaged packed column names the column, not the file.
#pragma once

#include "analyser/session/session.h"

#include "reports/core/error.h"
#include "reports/core/text.h"

namespace analyser {

// Returns the result of `work`. Puts the file at `path` before the location in its errors, unless it is there already.
template<class Work> auto inFile(const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const reports::Cancelled&) {
    throw;
  } catch (const reports::Error& error) {
    const std::string name = reports::displayText(path);
    throw error.where().starts_with(name) ? error : error.within(name);
  }
}
template<class Work> auto inReport(const Session& session, Work&& work) {
  return inFile(session.identity().path, std::forward<Work>(work));
}

} // namespace analyser
