#include "ui/views/memory/memory_tables.h"

#include "ui/shell/report_text.h"
#include "ui/theme/tokens.h"

namespace ui::memory {

using shell::reportText;
using tables::Cell;
using tables::Kind;

namespace {
QString categoryTitle(reports::MemoryCategory category) { return reportText(reports::memoryCategoryTitle(category)); }
} // namespace

std::shared_ptr<const tables::Tree> detailsTree(const analyser::memory::TileDetails& details, int tiles) {
  auto tree = std::make_shared<tables::Tree>();
  tree->columns.push_back({QObject::tr("Memory"), Kind::Text, {}, 0, false});
  for (const std::string& title : details.columns) tree->columns.push_back({reportText(title), Kind::Bytes, {}, 110, false});
  const bool shares = details.columns.size() == 1, means = shares && tiles > 1;
  if (means) tree->columns.push_back({QObject::tr("Mean per tile"), Kind::Bytes, {}, 120, false});
  if (shares)
    tree->columns.push_back({QObject::tr("Share"), Kind::Percent, QObject::tr("Of the line all of these add up to"), 120, true});
  std::vector<int> open; // the last row of every depth
  int64_t whole = 0;     // of the last row at depth 0
  for (const auto& row : details.rows) {
    tables::TreeRow out;
    out.id = int64_t(tree->rows.size());
    out.cells.push_back(reportText(row.title));
    for (std::size_t c = 0; c < details.columns.size(); ++c) {
      Cell cell; // unknown where the analyser gave fewer values than columns
      if (row.isText && c < row.texts.size()) cell = reportText(row.texts[c]);
      if (!row.isText && c < row.values.size()) cell = row.values[c].value();
      out.cells.push_back(std::move(cell));
    }
    const bool counted = !row.isText && !row.values.empty();
    if (row.depth == 0) whole = counted ? row.values.front().value() : 0;
    if (means) out.cells.push_back(tables::cellIf(counted, counted ? row.values.front().value() / tiles : 0));
    const int64_t part = counted ? row.values.front().value() : 0;
    if (shares) out.cells.push_back(tables::cellIf(row.depth > 0 && whole > 0, whole > 0 ? double(part) / double(whole) : 0.0));
    const auto depth = std::min(std::size_t(std::max(0, row.depth)), open.size());
    out.parent = depth > 0 ? open[depth - 1] : -1;
    open.resize(depth);
    open.push_back(int(tree->rows.size()));
    // A heading that repeats the whole says nothing by its share.
    if (shares && out.parent >= 0)
      if (Cell& share = tree->rows[std::size_t(out.parent)].cells.back(); share == Cell(1.0)) share = Cell();
    tree->rows.push_back(std::move(out));
  }
  return tree;
}

std::shared_ptr<const tables::Table> placedTable(const analyser::memory::TileLayout& layout, bool dark) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Name"), Kind::Name, {}, 0, false},
                    {QObject::tr("Address"), Kind::Address, {}, 0, false},
                    {QObject::tr("Size"), Kind::Bytes, {}, 0, true},
                    {QObject::tr("Own"), Kind::Bytes,
                     QObject::tr("What it adds to the tile: less than its size where it shares addresses"), 0, false},
                    {QObject::tr("Category"), Kind::Text, {}, 0, false},
                    {QObject::tr("Live"), Kind::Text, {}, 0, false},
                    {QObject::tr("Region"), Kind::Text, {}, 0, false},
                    {QObject::tr("Why here"), Kind::Text, QObject::tr("What the allocator put it here for"), 0, false}};
  for (std::size_t i = 0; i < layout.variables.size(); ++i) {
    const auto& v = layout.variables[i];
    tables::Row row;
    row.id = int64_t(i);
    if (v.isGap) {
      row.cells = {QObject::tr("gap"), v.address.value(), v.size.value(), int64_t(0), QObject::tr("Gap"), Cell(), Cell(), Cell()};
    } else {
      row.swatch = theme::memoryColour(v.category, dark);
      row.cells = {reportText(v.name),
                   v.address.value(),
                   v.size.value(),
                   v.own.value(),
                   categoryTitle(v.category),
                   v.alwaysLive ? QObject::tr("Always live") : QObject::tr("Not always live"),
                   v.beyondMemory  ? QObject::tr("Beyond memory")
                   : v.interleaved ? QObject::tr("Interleaved")
                                   : QObject::tr("Non-interleaved"),
                   reportText(v.why)};
    }
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> vertexTable(const std::vector<analyser::memory::VertexUse>& vertices) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {QObject::tr("Vertex type"), Kind::Name, {}, 0, false},
      {QObject::tr("Kind"), Kind::Text, {}, 0, false},
      {QObject::tr("Vertices"), Kind::Count, {}, 0, true},
      {QObject::tr("Compute sets"), Kind::Count, {}, 0, false},
      {QObject::tr("Code, each tile"), Kind::Bytes, {}, 0, false},
      {QObject::tr("State"), Kind::Bytes, QObject::tr("Estimated as the tiles' share of the compute sets' state"), 0, false}};
  for (const auto& v : vertices) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {reportText(v.type), reportText(v.kind), v.vertices, v.computeSets, v.codeBytes.value(), v.stateBytes.value()};
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::memory::VariableUse>& variables, bool dark) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Name"), Kind::Name, {}, 0, false},
                    {QObject::tr("Bytes"), Kind::Bytes, QObject::tr("On the selected tiles, or on all"), 0, true},
                    {QObject::tr("Most on a tile"), Kind::Bytes, {}, 0, false},
                    {QObject::tr("Tiles"), Kind::Count, {}, 0, false},
                    {QObject::tr("Type"), Kind::Text, {}, 0, false},
                    {QObject::tr("Shape"), Kind::Text, {}, 0, false},
                    {QObject::tr("Category"), Kind::Text, {}, 0, false},
                    {QObject::tr("Live"), Kind::Text, {}, 0, false},
                    {QObject::tr("Operation"), Kind::Text, {}, 0, false}};
  for (const auto& v : variables) {
    tables::Row row;
    row.id = v.variable.valid() ? int64_t(v.variable.value()) : -1;
    row.swatch = theme::memoryColour(v.category, dark);
    row.cells = {reportText(v.name),        v.total.value(),
                 v.maxTile.value(),         v.tiles,
                 reportText(v.elementType), reportText(v.shape),
                 categoryTitle(v.category), v.alwaysLive ? QObject::tr("Always live") : QObject::tr("Not always live"),
                 reportText(v.operation)};
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::memory
