// The columns of tables of memory: variables, the memory of one tile, vertices, compute sets, exchanges, categories.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"
#include "analyser/memory/compute_set_uses.h"
#include "analyser/memory/exchange_uses.h"
#include "analyser/memory/tile_details.h"
#include "analyser/memory/tile_memory.h"
#include "analyser/memory/tile_metrics.h"

#include <functional>

namespace analyser::memory {

const columns::Columns<VariableUse>& variableColumns();
const columns::Columns<VertexUse>& vertexColumns();
const columns::Columns<ComputeSetUse>& computeSetColumns();
// A category, or another part of the memory of tiles; shares are of `total`.
columns::Columns<TileSeries> partColumns(Bytes total);
// The parts of the breakdown that have bytes: the rows of such a table. `memory` must outlive them.
std::vector<std::reference_wrapper<const TileSeries>> partsWithBytes(const TileMemory& memory);

// Rows are tile numbers. If the curve shows a figure other than memory, `figure` is that figure, and its column comes first; else
// null. `memory` and `figure` must outlive the columns.
columns::Columns<std::size_t> tileColumns(const TileMemory& memory, const TileMetricValues* figure = nullptr);

// Columns of single exchanges, or of the sums of operations. The caller formats the partners.
columns::Columns<ExchangeUse> exchangeColumns(bool areOperations);

// The partners of the selected tiles. `isOfAll`: no tile is selected, and each row has the sums of one tile.
columns::Columns<PartnerUse> partnerColumns(const Machine& machine, bool isOfAll);

// Row of a tile's layout; `sharedWith` are indices of the layout's variables.
struct Placed {
  const TileLayout* layout = nullptr;
  const PlacedVariable* variable = nullptr;
  const std::vector<int>* sharedWith = nullptr;
};
const columns::Columns<Placed>& placedColumns();

// A row of the details of tiles; `whole` is the amount of the row at depth 0 that contains it.
struct DetailsCells {
  const DetailsRow* row = nullptr;
  Bytes whole = {};
  bool isAmount() const { return !row->isText && !row->values.empty(); }
  Bytes part() const { return isAmount() ? row->values.front() : Bytes(); }
};
// `isSelection`: the columns are selected tiles. `tiles`: number of tiles per column. The columns copy what they need from
// `details`; DetailsCells point into it.
columns::Columns<DetailsCells> detailsColumns(const TileDetails& details, bool isSelection, int tiles);

using columns::Thing;
columns::Subjects subjectsOf(const DetailsCells& cells); // a category or region of memory
inline columns::Subjects subjectsOf(const VariableUse& use) { return columns::about(Thing::Variable, use.variable); }
inline columns::Subjects subjectsOf(const VertexUse& use) { return {{Thing::VertexType, -1, use.type}}; }
inline columns::Subjects subjectsOf(const ComputeSetUse& use) { return columns::about(Thing::Step, use.step); }
inline columns::Subjects subjectsOf(const ExchangeUse& use) { return columns::about(Thing::Step, use.step); }
inline columns::Subjects subjectsOf(const PartnerUse& partner) { return columns::about(Thing::Tile, partner.tile); }
columns::Subjects subjectsOf(const Placed& placed); // for a gap, the tile

} // namespace analyser::memory
