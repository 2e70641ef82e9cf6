// One plot of a report as an SVG file: for documents and notebooks. Names of the report never become markup.
#pragma once

#include "analyser/session/session.h"

#include <stop_token>
#include <string>

namespace analyser::html {

// Memory: bytes of every tile by category. Liveness: bytes over the steps of the program.
enum class Picture { Memory, Liveness };

// Throws Error(Unsupported) for a report without these figures.
std::string picture(Session& session, Picture which, std::stop_token stop = {});

} // namespace analyser::html
