#include "ui/views/memory/memory_tables.h"

#include "analyser/memory/memory_columns.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/tokens.h"

#include <QObject>

namespace ui::memory {

using tables::Cell;

namespace {
constexpr std::string_view kTile = "Tile "; // begins the title of a selected tile's column

tables::Swatch categorySwatch(reports::MemoryCategory category) {
  return tables::swatchOf([&](bool dark) { return theme::memoryColour(category, dark); });
}
} // namespace

std::shared_ptr<const tables::Tree> detailsTree(const analyser::memory::TileDetails& details, int tiles) {
  const bool isSelection = !details.columns.empty() && details.columns.front().starts_with(kTile);
  std::vector<analyser::memory::DetailsCells> rows;
  reports::Bytes whole; // value of the last row at depth 0
  for (const auto& row : details.rows) {
    rows.push_back({&row, {}});
    if (row.depth == 0) whole = rows.back().part();
    rows.back().whole = whole;
  }
  tables::Look look{.bars = {"share"}, .widths = {{"meanPerTile", 120}, {"median", 110}, {"overTheMedian", 130}, {"share", 120}}};
  const auto columns = analyser::memory::detailsColumns(details, isSelection, tiles);
  for (std::size_t c = 1; c <= details.columns.size(); ++c) look.widths.emplace_back(columns[c].id, 110);
  std::vector<int> open; // the last row at every depth
  auto tree = tables::treeOf(columns, rows, look, [&](tables::TreeRow& row, const auto& cells) {
    const auto depth = std::min(std::size_t(std::max(0, cells.row->depth)), open.size());
    row.parent = depth > 0 ? open[depth - 1] : -1;
    open.resize(depth);
    open.push_back(int(row.id));
    if (isSelection && details.columns.size() == 1)
      row.about.push_back({analyser::columns::Thing::Tile, std::stoll(details.columns.front().substr(kTile.size()))});
  });
  // The share of a heading that repeats the whole is left out.
  if (details.columns.size() == 1)
    for (const tables::TreeRow& row : tree->rows)
      if (row.parent >= 0)
        if (Cell& share = tree->rows[std::size_t(row.parent)].cells.back(); share == Cell(1.0)) share = Cell();
  return tree;
}

namespace {
// The sum over variables, not the memory that the tiles use.
QString totalOfVariables() { return QObject::tr("Total (variables may share addresses)"); }
} // namespace

std::shared_ptr<const tables::Table> placedTable(const analyser::memory::TileLayout& layout) {
  const auto shared = analyser::memory::sharedMemory(layout);
  std::vector<analyser::memory::Placed> rows;
  for (std::size_t i = 0; i < layout.variables.size(); ++i) rows.push_back({&layout, &layout.variables[i], &shared[i]});
  const tables::Look look{
      .bars = {"size"}, .optional = {"own", "live", "region", "alignment"}, .ofOthers = {"sharesMemoryWith", "why"}};
  auto table = tables::tableOf(analyser::memory::placedColumns(), rows, look, [](tables::Row& row, const auto& placed) {
    if (!placed.variable->isGap) row.swatch = categorySwatch(placed.variable->category);
  });
  table->total = totalOfVariables();
  return table;
}

std::shared_ptr<const tables::Table> vertexTable(const std::vector<analyser::memory::VertexUse>& vertices) {
  auto columns = analyser::memory::vertexColumns();
  if (std::all_of(vertices.begin(), vertices.end(), [](const auto& use) { return use.source.empty(); }))
    columns = analyser::columns::without(std::move(columns), {"source"});
  return tables::tableOf(columns, vertices, {.bars = {"vertices"}});
}

std::shared_ptr<const tables::Table> tileTable(const analyser::memory::TileMemory& memory,
                                               const analyser::memory::TileMetricValues* figure) {
  tables::Look look{.bars = {"figure", "used"}};
  for (const auto& part : memory.parts) look.optional.push_back(part.name);
  std::vector<std::size_t> tiles;
  for (std::size_t tile = 0; tile < memory.total.values.size(); ++tile)
    if (!memory.ipu || memory.ipuOf(tile) == memory.ipu->value()) tiles.push_back(tile);
  return tables::tableOf(analyser::memory::tileColumns(memory, figure), tiles, look, [](tables::Row& row, std::size_t tile) {
    row.id = int64_t(tile);
    row.about = {{analyser::columns::Thing::Tile, row.id}};
  });
}

std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::memory::VariableUse>& variables) {
  const tables::Look look{.bars = {"bytes"}, .optional = {"copies", "type", "shape", "live"}};
  auto table = tables::tableOf(analyser::memory::variableColumns(), variables, look, [](tables::Row& row, const auto& v) {
    row.id = tables::idOf(v.variable);
    row.swatch = categorySwatch(v.category);
  });
  table->total = totalOfVariables();
  return table;
}

std::shared_ptr<const tables::Table> computeSetTable(const std::vector<analyser::memory::ComputeSetUse>& computeSets) {
  return tables::tableOf(analyser::memory::computeSetColumns(), computeSets, {.bars = {"vertices"}},
                         [](tables::Row& row, const auto& use) { row.id = tables::idOf(use.step); });
}

} // namespace ui::memory
