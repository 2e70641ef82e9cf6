// Reports that a program writes without a change of its source: by Poplar's options autoReport.* and our variable TILESCOPE_REPORT.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace simcore::run {

// The files: DIRECTORY/profile.pop if autoReport.all, autoReport.outputGraphProfile or autoReport.outputExecutionProfile is true, and the
// file that TILESCOPE_REPORT names.
std::vector<std::string> reportsAskedFor(const std::map<std::string, std::string>& engineOptions);

// What `tilescope-cli run program:FILE` says of the run, for the metadata of the report: the JSON object in TILESCOPE_RUN. Empty if there is none.
std::map<std::string, std::string> metadataOfRun();

} // namespace simcore::run
