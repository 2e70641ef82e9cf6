// A whole report as one HTML page for any browser: findings, memory of the tiles as curve and floor plan, liveness, and tables
// that sort and filter. It contains its data, style and script and loads nothing from the network; names of the report, which are
// foreign text, never become markup.
#pragma once

#include "analyser/session/session.h"

#include <stop_token>
#include <string>

namespace analyser::html {

std::string reportPage(Session& session, std::stop_token stop = {});

} // namespace analyser::html
