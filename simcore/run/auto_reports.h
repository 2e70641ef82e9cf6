// Reports that a program writes without a change of its source: by Poplar's options autoReport.* and our variable TILESCOPE_REPORT.
#pragma once

#include "simcore/run/engine_options.h"

#include <functional>

namespace simcore::run {

// The files: DIRECTORY/profile.pop if autoReport.outputGraphProfile or autoReport.outputExecutionProfile is true, DIRECTORY/debug.cbor if
// autoReport.outputDebugInfo is, and the file that TILESCOPE_REPORT names. autoReport.all is the value of those options that are not set.
std::vector<std::string> reportsAskedFor(const EngineOptionSet& options);
// Writes one of these files, in a folder that is made if it is missing: a report by `writeReport`.
void writeAskedFor(const std::string& file, const std::function<void(const std::string&)>& writeReport);

// Whether the file is a debug.cbor, and not a report.
bool isDebugInfo(const std::string& file);
// Writes a debug.cbor without contexts, as Poplar does for a program that has none: profile.pop has ours. Scripts look for the file, copy it
// or give its name to pva.openReport.
void writeDebugInfo(const std::string& file);

// What `tilescope-cli run program:FILE` says of the run, for the metadata of the report: the JSON object in TILESCOPE_RUN. Empty if there is none.
std::map<std::string, std::string> metadataOfRun();

} // namespace simcore::run
