// The output of `run --dry-run`: the graph, its values and the memory plan, as text or as JSON.
#pragma once

#include "simcore/run/preview.h"

#include <string>

namespace app::cli {

std::string previewText(const simcore::graph::Workload& workload, const simcore::run::Preview& preview);
std::string previewJson(const simcore::graph::Workload& workload, const simcore::run::Preview& preview);

} // namespace app::cli
