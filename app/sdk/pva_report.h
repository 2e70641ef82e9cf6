// A Tilescope report as the classes of pva.
#pragma once

#include "analyser/session/session.h"
#include "pva/pva.hpp"

namespace app::sdk {

pva::Report pvaReport(analyser::Session& session);

} // namespace app::sdk
