// The older form of profiles: trees of values with the names in Poplar's JSON files.
#pragma once

#include "analyser/session/session.h"
#include "analyser/summary/summary.h"
#include "poplar/ProfileValue.hpp"

namespace app::sdk {

poplar::ProfileValue graphProfile(analyser::Session& session, const analyser::summary::Summary& summary);
poplar::ProfileValue executionProfile(analyser::Session& session, const analyser::summary::Summary& summary);

} // namespace app::sdk
