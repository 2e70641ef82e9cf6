// The options of the run that made a report, from its command line. An option is a whole word, so a file name that contains an
// option's name does not count.
#pragma once

#include "analyser/session/session.h"

#include <string>
#include <string_view>

namespace analyser {

// A short form of the run: "mlp batch=16 --precision fp16" for "tilescope-cli run mlp --set batch=16 --precision fp16 -o a.tsr
// --json". Empty if the line is not a run.
std::string shortRun(std::string_view commandLine);
// Whether the run was given the option, e.g. "--offload"; false if the report does not have its command line.
bool runHasOption(const Session& session, std::string_view option);

} // namespace analyser
