// The rows of the memory view's tables, made on a worker from the analyser's results.
#pragma once

#include "analyser/memory/compute_set_uses.h"
#include "analyser/memory/tile_details.h"
#include "analyser/memory/tile_memory.h"
#include "analyser/memory/tile_metrics.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::memory {

// After the columns of the selected tiles come mean and median of all tiles. A single tile also has its difference from the
// median; a single column also has its shares.
std::shared_ptr<const tables::Tree> detailsTree(const analyser::memory::TileDetails& details, int tiles);
// Row ids are indices into the layout's variables.
std::shared_ptr<const tables::Table> placedTable(const analyser::memory::TileLayout& layout);
std::shared_ptr<const tables::Table> vertexTable(const std::vector<analyser::memory::VertexUse>& vertices);
// Row ids are variable ids.
std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::memory::VariableUse>& variables);

// The figures of the curve, one row per tile; row ids are tiles. If `memory.ipu` is set, only tiles of that IPU. The column of
// another figure that the curve shows comes first; null: the curve shows memory.
std::shared_ptr<const tables::Table> tileTable(const analyser::memory::TileMemory& memory,
                                               const analyser::memory::TileMetricValues* figure = nullptr);

// Row ids are program step ids; -1 if no step uses the compute set.
std::shared_ptr<const tables::Table> computeSetTable(const std::vector<analyser::memory::ComputeSetUse>& computeSets);

} // namespace ui::memory
