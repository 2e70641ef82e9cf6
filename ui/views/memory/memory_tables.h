// The rows of the memory view's tables, made on a worker from the analyser's answers.
#pragma once

#include "analyser/memory/tile_details.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::memory {

// A single column is followed by its shares and, of all `tiles`, by the mean of one.
std::shared_ptr<const tables::Tree> detailsTree(const analyser::memory::TileDetails& details, int tiles);
// Row ids are indices into the layout's variables.
std::shared_ptr<const tables::Table> placedTable(const analyser::memory::TileLayout& layout, bool dark);
std::shared_ptr<const tables::Table> vertexTable(const std::vector<analyser::memory::VertexUse>& vertices);
// Row ids are variable ids.
std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::memory::VariableUse>& variables, bool dark);

} // namespace ui::memory
