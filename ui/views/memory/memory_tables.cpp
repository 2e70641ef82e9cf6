#include "ui/views/memory/memory_tables.h"

#include "ui/shell/report_text.h"
#include "ui/theme/format.h"
#include "ui/theme/tokens.h"

namespace ui::memory {

using shell::reportText;
using tables::Cell;
using tables::Kind;

namespace {
QString categoryTitle(reports::MemoryCategory category) { return reportText(reports::memoryCategoryTitle(category)); }
} // namespace

namespace {

// What stands beside the columns of the analyser.
struct DetailsColumns {
  bool shares = false, means = false, difference = false;
};

void addColumns(tables::Tree& tree, const analyser::memory::TileDetails& details, const DetailsColumns& with) {
  tree.columns.push_back({QObject::tr("Memory"), Kind::Text, {}, 0, false});
  for (const std::string& title : details.columns) tree.columns.push_back({reportText(title), Kind::Bytes, {}, 110, false});
  const QString whose = details.ipu ? QObject::tr("tiles of IPU %1").arg(details.ipu->value()) : QObject::tr("tiles of all IPUs");
  if (with.means) {
    tree.columns.push_back({QObject::tr("Mean per tile"), Kind::Bytes, QObject::tr("Over the %1").arg(whose), 120, false});
    tree.columns.push_back(
        {QObject::tr("Median"), Kind::Bytes, QObject::tr("Half of the %1 hold no more than this").arg(whose), 110, false});
  }
  if (with.difference)
    tree.columns.push_back({QObject::tr("Over the median"), Kind::BytesDelta,
                            QObject::tr("What this tile holds more or less than the median of the %1").arg(whose), 130, false});
  if (with.shares)
    tree.columns.push_back({QObject::tr("Share"), Kind::Percent, QObject::tr("Of the line all of these add up to"), 120, true});
}

tables::TreeRow detailsRow(const analyser::memory::TileDetails& details, const analyser::memory::DetailsRow& row,
                           const DetailsColumns& with, int64_t whole) {
  tables::TreeRow out;
  out.cells.push_back(reportText(row.title));
  for (std::size_t c = 0; c < details.columns.size(); ++c) {
    Cell cell; // unknown where the analyser gave fewer values than columns
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
  std::vector<int> open; // the last row of every depth
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
    // A heading that repeats the whole says nothing by its share.
    if (with.shares && out.parent >= 0)
      if (Cell& share = tree->rows[std::size_t(out.parent)].cells.back(); share == Cell(1.0)) share = Cell();
    tree->rows.push_back(std::move(out));
  }
  return tree;
}

namespace {
constexpr std::size_t kNamedPartners = 40; // the column cuts them; its tooltip and a saved file show them

// "conv1/out", "7: conv1/out, conv2/out, conv3/out, …": the number is read where the names are cut off.
QString partnersText(const analyser::memory::TileLayout& layout, const std::vector<int>& partners) {
  QStringList names;
  for (std::size_t i = 0; i < std::min(kNamedPartners, partners.size()); ++i)
    names << reportText(layout.variables[std::size_t(partners[i])].name);
  if (partners.empty()) return QObject::tr("none");
  if (partners.size() > kNamedPartners) names << QString(QChar(0x2026));
  const QString text = names.join(QStringLiteral(", "));
  return partners.size() < 2 ? text : QObject::tr("%1: %2").arg(theme::count(int64_t(partners.size())), text);
}

// Not what the tiles use.
QString totalOfVariables() { return QObject::tr("Total (variables may share addresses)"); }
} // namespace

std::shared_ptr<const tables::Table> placedTable(const analyser::memory::TileLayout& layout) {
  auto table = std::make_shared<tables::Table>();
  table->total = totalOfVariables();
  table->columns = {
      {QObject::tr("Name"), Kind::Name, {}, 0, false},
      {QObject::tr("Address"), Kind::Address, {}, 0, false},
      {QObject::tr("Size"), Kind::Bytes,
       QObject::tr("Variables that live at different times share places: sizes sum up to more than the tile uses"), 0, true,
       true},
      tables::optional({QObject::tr("Own"), Kind::Bytes,
                        QObject::tr("What it adds to the tile: less than its size where it shares addresses"), 0, false, true}),
      tables::ofOthers({QObject::tr("Shares memory with"), Kind::Text,
                        QObject::tr("Variables at some of its addresses, at other times"), 0, false}),
      tables::ofOthers({QObject::tr("Why here"), Kind::Text, QObject::tr("What the allocator put it here for"), 0, false}),
      tables::optional({QObject::tr("Live"), Kind::Text, {}, 0, false}),
      {QObject::tr("Category"), Kind::Text, {}, 0, false},
      tables::optional({QObject::tr("Region"), Kind::Text, {}, 0, false}),
      tables::optional({QObject::tr("Alignment"), Kind::Bytes, QObject::tr("Its address is a multiple of it"), 0, false})};
  const auto shared = analyser::memory::sharedMemory(layout);
  for (std::size_t i = 0; i < layout.variables.size(); ++i) {
    const auto& v = layout.variables[i];
    tables::Row row;
    row.id = int64_t(i);
    if (v.isGap) {
      row.cells = {QObject::tr("gap"), v.address.value(), v.size.value(), int64_t(0)};
      row.cells.resize(table->columns.size());
    } else {
      row.swatch = tables::swatchOf([&](bool dark) { return theme::memoryColour(v.category, dark); });
      row.cells = {reportText(v.name),
                   v.address.value(),
                   v.size.value(),
                   v.own.value(),
                   partnersText(layout, shared[i]),
                   reportText(v.why),
                   v.alwaysLive ? QObject::tr("Always") : QObject::tr("Not always"),
                   categoryTitle(v.category),
                   v.beyondMemory  ? QObject::tr("Beyond memory")
                   : v.interleaved ? QObject::tr("Interleaved")
                                   : QObject::tr("Non-interleaved"),
                   tables::cellIf(v.alignment.value() > 0, v.alignment.value())};
    }
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> vertexTable(const std::vector<analyser::memory::VertexUse>& vertices) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Vertex type"), Kind::Name, {}, 0, false},
                    {QObject::tr("Kind"), Kind::Text, {}, 0, false},
                    {QObject::tr("Vertices"), Kind::Count, {}, 0, true, true},
                    {QObject::tr("Tiles"), Kind::Count, QObject::tr("With such a vertex"), 0, false},
                    {QObject::tr("Compute sets"), Kind::Count, {}, 0, false},
                    {QObject::tr("Code, each tile"), Kind::Bytes, {}, 0, false, true},
                    {QObject::tr("State"), Kind::Bytes,
                     QObject::tr("Fields and edge pointers, estimated as the tiles' share of those of the compute sets"), 0,
                     false, true}};
  for (const auto& v : vertices) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {
        reportText(v.type), reportText(v.kind),  v.vertices,          tables::cellIf(v.tiles.has_value(), v.tiles.value_or(0)),
        v.computeSets,      v.codeBytes.value(), v.stateBytes.value()};
    table->rows.push_back(std::move(row));
  }
  return table;
}

namespace {
using analyser::memory::TileMetric;
tables::Column columnOf(TileMetric metric) {
  const bool isShare = metric == TileMetric::Utilisation;
  return {reportText(analyser::memory::tileMetricTitle(metric)),
          isShare                        ? Kind::Percent
          : metric == TileMetric::Cycles ? Kind::Cycles
                                         : Kind::Bytes,
          QObject::tr("What the curve shows"),
          0,
          true,
          !isShare};
}
} // namespace

std::shared_ptr<const tables::Table> tileTable(const analyser::memory::TileMemory& memory,
                                               const analyser::memory::TileMetricValues* figure) {
  auto table = std::make_shared<tables::Table>();
  const bool several = memory.ipus > 1;
  table->columns = {{QObject::tr("Tile"), Kind::Count, {}, 0, false}};
  if (figure) table->columns.push_back(columnOf(figure->metric));
  if (several) table->columns.push_back({QObject::tr("IPU"), Kind::Count, {}, 0, false});
  table->columns.push_back({QObject::tr("Used"), Kind::Bytes, QObject::tr("Without gaps"), 0, true, true});
  table->columns.push_back({QObject::tr("With gaps"), Kind::Bytes, {}, 0, false, true});
  table->columns.push_back({QObject::tr("Too much"), Kind::Bytes, QObject::tr("Beyond the memory of the tile"), 0, false, true});
  for (const auto& part : memory.parts)
    table->columns.push_back(tables::optional({reportText(part.title), Kind::Bytes, {}, 0, false, true}));
  const auto at = [](const std::vector<reports::Bytes>& values, std::size_t tile) {
    return tile < values.size() ? values[tile].value() : 0;
  };
  for (std::size_t tile = 0; tile < memory.total.values.size(); ++tile) {
    if (memory.ipu && memory.ipuOf(tile) != memory.ipu->value()) continue;
    tables::Row row;
    row.id = int64_t(tile);
    row.cells.reserve(table->columns.size());
    row.cells.emplace_back(int64_t(tile));
    if (figure) {
      const int64_t value = tile < figure->values.size() ? figure->values[tile] : 0;
      figure->metric == TileMetric::Utilisation ? row.cells.emplace_back(double(value) / 1e6) : row.cells.emplace_back(value);
    }
    if (several) row.cells.emplace_back(int64_t(memory.ipuOf(tile)));
    for (const auto* values : {&memory.total.values, &memory.totalWithGaps.values, &memory.overflow.values})
      row.cells.emplace_back(at(*values, tile));
    for (const auto& part : memory.parts) row.cells.emplace_back(at(part.values, tile));
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> variableTable(const std::vector<analyser::memory::VariableUse>& variables) {
  auto table = std::make_shared<tables::Table>();
  table->total = totalOfVariables();
  table->columns = {
      {QObject::tr("Name"), Kind::Name, {}, 0, false},
      {QObject::tr("Bytes"), Kind::Bytes,
       QObject::tr("On the selected tiles, or on all. Variables that are alive at different times share addresses, so the total "
                   "may be more than the memory"),
       0, true, true},
      {QObject::tr("Most on a tile"), Kind::Bytes, {}, 0, false},
      {QObject::tr("Tiles"), Kind::Count, {}, 0, false},
      tables::optional({QObject::tr("Copies"), Kind::Number,
                        QObject::tr("Replication: bytes over all tiles divided by those of its elements; 1 is no copy"), 0,
                        false}),
      tables::optional({QObject::tr("Type"), Kind::Text, {}, 0, false}),
      tables::optional({QObject::tr("Shape"), Kind::Text, {}, 0, false}),
      {QObject::tr("Category"), Kind::Text, {}, 0, false},
      tables::optional({QObject::tr("Live"), Kind::Text, {}, 0, false}),
      {QObject::tr("Operation"), Kind::Text, {}, 0, false}};
  for (const auto& v : variables) {
    tables::Row row;
    row.id = v.variable.valid() ? int64_t(v.variable.value()) : -1;
    row.swatch = tables::swatchOf([&](bool dark) { return theme::memoryColour(v.category, dark); });
    row.cells = {reportText(v.name),
                 v.total.value(),
                 v.maxTile.value(),
                 v.tiles,
                 tables::cellIf(v.copies > 0, v.copies),
                 reportText(v.elementType),
                 reportText(v.shape),
                 categoryTitle(v.category),
                 v.alwaysLive ? QObject::tr("Always live") : QObject::tr("Not always live"),
                 reportText(v.operation)};
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> computeSetTable(const std::vector<analyser::memory::ComputeSetUse>& computeSets) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Compute set"), Kind::Name, {}, 0, false},
                    {QObject::tr("Vertices"), Kind::Count, QObject::tr("On the selected tiles, or on all"), 0, true, true},
                    {QObject::tr("Tiles"), Kind::Count, {}, 0, false},
                    {QObject::tr("State"), Kind::Bytes,
                     QObject::tr("Fields and edge pointers, estimated as the tiles' share of those of the compute set"), 0, false,
                     true},
                    {QObject::tr("Steps"), Kind::Count, QObject::tr("Program steps that execute it"), 0, false},
                    {QObject::tr("Vertex types"), Kind::Text, {}, 0, false},
                    {QObject::tr("Operation"), Kind::Text, {}, 0, false}};
  for (const auto& use : computeSets) {
    tables::Row row;
    row.id = use.step.valid() ? int64_t(use.step.value()) : -1;
    row.cells = {reportText(use.name),     use.vertices, use.tiles, use.stateBytes.value(), use.executions, reportText(use.types),
                 reportText(use.operation)};
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::memory
