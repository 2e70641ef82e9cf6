// Reports that a program writes without a change of its source: by Poplar's options autoReport.* and our variable TILESCOPE_REPORT.
#pragma once

#include "simcore/run/engine_options.h"

#include <functional>

namespace simcore::run {

// The requested files: DIRECTORY/profile.pop if autoReport.outputGraphProfile or autoReport.outputExecutionProfile is true,
// DIRECTORY/debug.cbor if autoReport.outputDebugInfo is true, and the file named by TILESCOPE_REPORT. autoReport.all is the
// default of these options.
std::vector<std::string> reportsAskedFor(const EngineOptionSet& options);
// Writes one of these files, and makes its folder if missing. `writeReport` writes a report.
void writeAskedFor(const std::string& file, const std::function<void(const std::string&)>& writeReport);

// Whether the file is a debug.cbor instead of a report.
bool isDebugInfo(const std::string& file);
// Writes a debug.cbor without contexts, as Poplar does for a program without any; our contexts are in profile.pop. Scripts look
// for the file, copy it or pass its name to pva.openReport.
void writeDebugInfo(const std::string& file);

// Facts that `tilescope-cli run program:FILE` passes in TILESCOPE_RUN, a JSON object, for the report's metadata. Empty if there
// are none.
std::map<std::string, std::string> metadataOfRun();

} // namespace simcore::run
