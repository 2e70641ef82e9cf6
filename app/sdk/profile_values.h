// The older form of profiles: trees of values under the names that Poplar's JSON files have.
#pragma once

#include "analyser/session/session.h"
#include "analyser/summary/summary.h"
#include "poplar/ProfileValue.hpp"

namespace app::sdk {

poplar::ProfileValue graphProfile(analyser::Session& session, const analyser::summary::Summary& summary);
poplar::ProfileValue executionProfile(analyser::Session& session, const analyser::summary::Summary& summary);

} // namespace app::sdk
