// The output of `run --dry-run`: the graph, its values and the memory plan, as text or as JSON.
#pragma once

#include "app/cli/preview_memory.h"
#include "simcore/run/preview.h"

#include <string>

namespace app::cli {

std::string previewText(const simcore::graph::Workload& workload, const simcore::run::Preview& preview,
                        const PreviewMemory& memory);
std::string previewJson(const simcore::graph::Workload& workload, const simcore::run::Preview& preview,
                        const PreviewMemory& memory);

} // namespace app::cli
