#include "ui/views/memory/memory_tables.h"

#include "analyser/memory/memory_columns.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/tokens.h"

#include <QObject>

namespace ui::memory {

using tables::Cell;
using tables::Kind;
using theme::reportText;

namespace {
tables::Swatch categorySwatch(reports::MemoryCategory category) {
  return tables::swatchOf([&](bool dark) { return theme::memoryColour(category, dark); });
}
} // namespace

namespace {

// Columns in addition to the analyser's.
struct DetailsColumns {
  bool shares = false, means = false, difference = false;
};

void addColumns(tables::Tree& tree, const analyser::memory::TileDetails& details, const DetailsColumns& with) {
  tree.columns.push_back({"memory", QObject::tr("Memory"), Kind::Text, {}, 0, false});
  for (const std::string& title : details.columns) {
    tree.columns.push_back({tables::idOf(reportText(title)), reportText(title), Kind::Bytes, {}, 110, false});
    tree.columns.back().total = true; // an amount: a report without the row has 0 of it
  }
  const QString whose = details.ipu ? QObject::tr("tiles of IPU %1").arg(details.ipu->value()) : QObject::tr("tiles of all IPUs");
  if (with.means) {
    tree.columns.push_back(
        {"meanPerTile", QObject::tr("Mean per tile"), Kind::Bytes, QObject::tr("Over the %1").arg(whose), 120, false});
    tree.columns.push_back({"median", QObject::tr("Median"), Kind::Bytes,
                            QObject::tr("Half of the %1 hold no more than this").arg(whose), 110, false});
  }
  if (with.difference)
    tree.columns.push_back({"overTheMedian", QObject::tr("Over the median"), Kind::BytesDelta,
                            QObject::tr("Bytes of this tile minus the median of the %1").arg(whose), 130, false});
  if (with.shares)
    tree.columns.push_back({"share", QObject::tr("Share"), Kind::Percent,
                            QObject::tr("Share of the parent row, which these rows add up to"), 120, true});
}

tables::TreeRow detailsRow(const analyser::memory::TileDetails& details, const analyser::memory::DetailsRow& row,
                           const DetailsColumns& with, int64_t whole) {
  tables::TreeRow out;
  out.cells.push_back(reportText(row.title));
  for (std::size_t c = 0; c < details.columns.size(); ++c) {
    Cell cell; // unknown if the analyser gave fewer values than columns
    if (row.isText && c < row.texts.size()) cell = reportText(row.texts[c]);
    if (!row.isText && c < row.values.size()) cell = row.values[c].value();
    out.cells.push_back(std::move(cell));
  }
  const bool counted = !row.isText && !row.values.empty();
  const int64_t part = counted ? row.values.front().value() : 0;
  if (with.means) {
    out.cells.push_back(tables::cellIf(counted && row.isMeasured, row.mean.value()));
    out.cells.push_back(tables::cellIf(counted && row.isMeasured, row.median.value()));
  }
  if (with.difference) out.cells.push_back(tables::cellIf(counted && row.isMeasured, part - row.median.value()));
  if (with.shares)
    out.cells.push_back(tables::cellIf(row.depth > 0 && whole > 0, whole > 0 ? double(part) / double(whole) : 0.0));
  return out;
}

} // namespace

std::shared_ptr<const tables::Tree> detailsTree(const analyser::memory::TileDetails& details, int tiles) {
  auto tree = std::make_shared<tables::Tree>();
  const bool isSelection = !details.columns.empty() && details.columns.front().starts_with("Tile ");
  const DetailsColumns with{details.columns.size() == 1, isSelection || tiles > 1, isSelection && details.columns.size() == 1};
  addColumns(*tree, details, with);
  std::vector<int> open; // the last row at every depth
  int64_t whole = 0;     // of the last row at depth 0
  for (const auto& row : details.rows) {
    const bool counted = !row.isText && !row.values.empty();
    if (row.depth == 0) whole = counted ? row.values.front().value() : 0;
    tables::TreeRow out = detailsRow(details, row, with, whole);
    out.id = int64_t(tree->rows.size());
    const auto depth = std::min(std::size_t(std::max(0, row.depth)), open.size());
    out.parent = depth > 0 ? open[depth - 1] : -1;
    open.resize(depth);
    open.push_back(int(tree->rows.size()));
    // The share of a heading that repeats the whole is left out.
    if (with.shares && out.parent >= 0)
      if (Cell& share = tree->rows[std::size_t(out.parent)].cells.back(); share == Cell(1.0)) share = Cell();
    tree->rows.push_back(std::move(out));
  }
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
