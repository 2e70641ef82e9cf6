// A whole report as one HTML page that any browser shows: findings, memory of the tiles as curve and floor plan, liveness, and
// tables that sort and filter. It holds its data, style and script itself and asks nothing of the network; names of the
// report, which are foreign text, never become markup.
#pragma once

#include "analyser/session/session.h"

#include <stop_token>
#include <string>

namespace analyser::html {

std::string reportPage(Session& session, std::stop_token stop = {});

} // namespace analyser::html
