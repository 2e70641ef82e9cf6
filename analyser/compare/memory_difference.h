// The variables on the same tiles of two reports.
#pragma once

#include "analyser/compare/compare.h"

#include <span>

namespace analyser::compare {

// The variables whose bytes on the selected tiles differ, largest absolute difference first. They are aligned by operation and
// name; for an empty selection use compare(), which also follows renamed operations.
std::vector<VariableDifference> variablesDifference(Session& base, Session& other, std::span<const TileId> selection,
                                                    std::stop_token stop = {});

} // namespace analyser::compare
