#include "analyser/memory/memory_columns.h"

#include "analyser/session/format.h"

namespace analyser::memory {

using columns::Kind;
using columns::knownIf;
using columns::Sum;

const columns::Columns<VariableUse>& variableColumns() {
  using Use = VariableUse;
  static const columns::Columns<Use> columns = {
      {"name", "Name", Kind::Name, "", &Use::name},
      {"bytes", "Bytes", Kind::Bytes,
       "On the selected tiles, or on all. Variables that are alive at different times share addresses, so the total may be more "
       "than the memory",
       &Use::total, Sum::Yes},
      {"mostOnATile", "Most on a tile", Kind::Bytes, "", &Use::maxTile},
      {"tiles", "Tiles", Kind::Count, "", &Use::tiles},
      {"unevenness", "Most / mean", Kind::Number,
       "Most bytes on one tile / mean of the tiles that have some; 1 if it is spread evenly",
       [](const Use& v) { return knownIf(v.total > Bytes(), ratio(v.maxTile * v.tiles, std::max(v.total, Bytes(1)))); }},
      {"copies", "Copies", Kind::Number, "Replication: bytes over all tiles / bytes of its elements; 1 if it has no copies",
       [](const Use& v) { return knownIf(v.copies > 0, v.copies); }},
      {"type", "Type", Kind::Text, "", &Use::elementType},
      {"shape", "Shape", Kind::Text, "", &Use::shape},
      {"category", "Category", Kind::Text, "", [](const Use& v) { return reports::memoryCategoryTitle(v.category); }},
      {"live", "Live", Kind::Text, "", [](const Use& v) { return v.alwaysLive ? "Always live" : "Not always live"; }},
      {"operation", "Operation", Kind::Text, "", &Use::operation}};
  return columns;
}

const columns::Columns<VertexUse>& vertexColumns() {
  using Use = VertexUse;
  static const columns::Columns<Use> columns = {
      {"type", "Vertex type", Kind::Name, "", &Use::type},
      {"kind", "Kind", Kind::Text, "", &Use::kind},
      {"vertices", "Vertices", Kind::Count, "", &Use::vertices, Sum::Yes},
      {"tiles", "Tiles", Kind::Count, "With such a vertex", &Use::tiles},
      {"computeSets", "Compute sets", Kind::Count, "", &Use::computeSets},
      {"tileCycles", "Tile-cycles", Kind::TileCycles,
       "Cycles of all executions, summed over all tiles; for selected tiles, in proportion to their share of the vertices",
       &Use::tileCycles, Sum::Yes},
      {"code", "Code, each tile", Kind::Bytes, "", &Use::codeBytes, Sum::Yes},
      {"state", "State", Kind::Bytes,
       "Fields and edge pointers; estimated: the bytes of the compute sets × the tiles' share of their vertices",
       &Use::stateBytes, Sum::Yes},
      {"source", "Source", Kind::Text, "The file and line of its compute()", &Use::source}};
  return columns;
}

const columns::Columns<ComputeSetUse>& computeSetColumns() {
  using Use = ComputeSetUse;
  static const columns::Columns<Use> columns = {
      {"computeSet", "Compute set", Kind::Name, "", &Use::name},
      {"vertices", "Vertices", Kind::Count, "On the selected tiles, or on all", &Use::vertices, Sum::Yes},
      {"tiles", "Tiles", Kind::Count, "", &Use::tiles},
      {"state", "State", Kind::Bytes,
       "Fields and edge pointers; estimated: the bytes of the compute set × the tiles' share of its vertices", &Use::stateBytes,
       Sum::Yes},
      {"steps", "Steps", Kind::Count, "Program steps that execute it", &Use::executions},
      {"types", "Vertex types", Kind::Text, "", &Use::types},
      {"operation", "Operation", Kind::Text, "", &Use::operation}};
  return columns;
}

columns::Columns<TileSeries> partColumns(Bytes total) {
  return {{"category", "Category", Kind::Text, "", &TileSeries::title},
          {"bytes", "All tiles", Kind::Bytes, "", &TileSeries::sum, Sum::Yes},
          {"share", "Share", Kind::Percent, "", [total](const TileSeries& s) { return ratio(s.sum, std::max(total, Bytes(1))); }},
          {"mostOnATile", "Most on a tile", Kind::Bytes, "", &TileSeries::max},
          {"tile", "That tile", Kind::Count, "", &TileSeries::maxTile}};
}

std::vector<std::reference_wrapper<const TileSeries>> partsWithBytes(const TileMemory& memory) {
  std::vector<std::reference_wrapper<const TileSeries>> parts;
  for (const TileSeries& part : memory.parts)
    if (part.sum > Bytes()) parts.emplace_back(part);
  return parts;
}

namespace {

int64_t valueAt(const std::vector<Bytes>& values, std::size_t tile) { return tile < values.size() ? values[tile].value() : 0; }

columns::Column<std::size_t> figureColumn(const TileMetricValues& figure) {
  const bool isShare = figure.metric == TileMetric::Utilisation;
  return {"figure",
          std::string(tileMetricTitle(figure.metric)),
          isShare                               ? Kind::Percent
          : figure.metric == TileMetric::Cycles ? Kind::Cycles
                                                : Kind::Bytes,
          "The values of the curve",
          [&figure, isShare](std::size_t tile) {
            const int64_t value = tile < figure.values.size() ? figure.values[tile] : 0;
            return isShare ? columns::Cell(double(value) / 1e6) : columns::Cell(value);
          },
          isShare ? Sum::No : Sum::Yes};
}

} // namespace

columns::Columns<std::size_t> tileColumns(const TileMemory& memory, const TileMetricValues* figure) {
  columns::Columns<std::size_t> columns = {{"tile", "Tile", Kind::Count, "", [](std::size_t tile) { return tile; }}};
  if (figure) columns.push_back(figureColumn(*figure));
  if (memory.ipus > 1)
    columns.push_back({"ipu", "IPU", Kind::Count, "", [&memory](std::size_t tile) { return memory.ipuOf(tile); }});
  const auto add = [&](std::string id, const std::string& title, const char* meaning, const std::vector<Bytes>& values) {
    columns.push_back(
        {std::move(id), title, Kind::Bytes, meaning, [&values](std::size_t tile) { return valueAt(values, tile); }, Sum::Yes});
  };
  add("used", "Used", "Without gaps", memory.total.values);
  add("withGaps", "With gaps", "", memory.totalWithGaps.values);
  add("tooMuch", "Too much", "Bytes beyond the memory of the tile", memory.overflow.values);
  for (const TileSeries& part : memory.parts) add(part.name, part.title, "", part.values);
  return columns;
}

namespace {

// Columns for single exchanges only, not for operations.
columns::Columns<ExchangeUse> endOfExchange() {
  using Use = ExchangeUse;
  return {{"busiest", "Busiest tile", Kind::Count, "The tile that receives or sends most bytes", &Use::busiest},
          {"cycles", "Cycles", Kind::Cycles, "Of the slowest tile, in one execution", &Use::cycles},
          {"operation", "Operation", Kind::Text, "", &Use::operation}};
}

} // namespace

columns::Columns<ExchangeUse> exchangeColumns(bool areOperations) {
  using Use = ExchangeUse;
  const char* once = areOperations ? "By the selected tiles, or all, in one execution of each"
                                   : "By the selected tiles, or all, in one execution";
  columns::Columns<Use> columns = {
      {"name", areOperations ? "Operation" : "Exchange", Kind::Name, "", &Use::name},
      {"kind", "Kind", Kind::Text, "", [](const Use& e) { return e.kind.empty() ? std::string("several") : e.kind; }},
      {"exchanges", "Exchanges", Kind::Count, "", &Use::exchanges, Sum::Yes},
      {"code", "Code", Kind::Bytes, "Exchange code on the selected tiles, or all", &Use::codeHere, Sum::Yes},
      {"codeOnAll", "All tiles", Kind::Bytes, "Exchange code over all tiles", &Use::code, Sum::Yes},
      {"receivedInAll", "Received over the run", Kind::Bytes,
       "By the selected tiles, or all, in all executions of the run, as in Trace; 0 if it did not run", &Use::receivedInAll,
       Sum::Yes},
      {"received", "Received", Kind::Bytes, once, &Use::received, Sum::Yes},
      {"sent", "Sent", Kind::Bytes, once, &Use::sent, Sum::Yes},
      {"messages", "Messages", Kind::Count, "Of all tiles", [](const Use& e) { return knownIf(e.messages > 0, e.messages); },
       Sum::Yes}, // copies between IPUs do not count messages
      {"senders", "Senders", Kind::Count, "Tiles that send", &Use::senders},
      {"receivers", "Receivers", Kind::Count, "Tiles that receive", &Use::receivers}};
  if (!areOperations)
    columns.insert(columns.begin() + columns::indexOf(columns, "received"),
                   {"executions", "Executions", Kind::Count, "Over the run; 0: its step did not run", &Use::executions});
  if (areOperations)
    columns.push_back(
        {"cycles", "Cycles", Kind::Cycles, "One execution of each exchange, on its slowest tile; summed", &Use::cycles});
  else
    for (auto& column : endOfExchange()) columns.push_back(std::move(column));
  return areOperations ? without(std::move(columns), {"senders", "receivers"}) : without(std::move(columns), {"exchanges"});
}

columns::Columns<PartnerUse> partnerColumns(const Machine& machine, bool isOfAll) {
  using Use = PartnerUse;
  const auto ipuOf = [machine](const Use& p) { return p.tile.valid() ? machine.ipuOf(p.tile) : reports::IpuId(); };
  const char* bytes = isOfAll ? "Over all exchanges, also with the host, one execution of each"
                              : "Over all exchanges, one execution of each. A word that several tiles need counts for each";
  columns::Columns<Use> columns = {
      {"tile", isOfAll ? "Tile" : "Partner tile", Kind::Count, "", &Use::tile},
      {"ipu", "IPU", Kind::Count, "", ipuOf},
      {"received", isOfAll ? "Sent" : "Received from it", Kind::Bytes, bytes, &Use::received, Sum::Yes},
      {"sent", isOfAll ? "Received" : "Sent to it", Kind::Bytes, bytes, &Use::sent, Sum::Yes},
      {"exchanges", "Exchanges", Kind::Count,
       isOfAll ? "Exchanges of the program with this tile" : "Exchanges of the program with bytes between them", &Use::exchanges},
      {"estimated", "Estimated", Kind::Bytes,
       "The part of these bytes that is estimated: in exchanges without known pairs of tiles, a tile is assumed to receive from "
       "all senders in proportion to the bytes they send",
       &Use::estimated, Sum::Yes}};
  if (machine.ipus < 2) columns = without(std::move(columns), {"ipu"});
  return isOfAll ? without(std::move(columns), {"estimated"}) : columns;
}

namespace {

// "conv1/out", "7: conv1/out, conv2/out, conv3/out, …": the count stays visible if the names are cut off.
std::string partnerNames(const Placed& placed) {
  const auto& partners = *placed.sharedWith;
  if (partners.empty()) return "none";
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamedPartners, partners.size()); ++i)
    names += (i > 0 ? ", " : "") + placed.layout->variables[std::size_t(partners[i])].name;
  if (partners.size() > kNamedPartners) names += ", …";
  return partners.size() < 2 ? names : formatCount(int64_t(partners.size())) + ": " + names;
}

// A value of a variable; unknown for a gap, which has only an address and a size.
template<class F> auto ofVariable(F of) {
  return [of](const Placed& p) { return p.variable->isGap ? columns::Cell() : columns::cellOf(of(p)); };
}

constexpr const char *kInterleaved = "Interleaved", *kNonInterleaved = "Non-interleaved";

const char* regionOf(const PlacedVariable& v) {
  return v.beyondMemory ? "Beyond memory" : v.interleaved ? kInterleaved : kNonInterleaved;
}

} // namespace

columns::Subjects subjectsOf(const Placed& placed) {
  auto subjects = columns::about(Thing::Variable, placed.variable->isGap ? reports::VariableId() : placed.variable->variable);
  for (auto& tile : columns::about(Thing::Tile, placed.layout->tile)) subjects.push_back(std::move(tile));
  return subjects;
}

const columns::Columns<Placed>& placedColumns() {
  static const columns::Columns<Placed> columns = {
      {"name", "Name", Kind::Name, "", [](const Placed& p) { return p.variable->isGap ? "gap" : p.variable->name; }},
      {"address", "Address", Kind::Address, "", [](const Placed& p) { return p.variable->address; }},
      {"size", "Size", Kind::Bytes,
       "Variables that live at different times share addresses, so sizes sum to more than the tile uses",
       [](const Placed& p) { return p.variable->size; }, Sum::Yes},
      {"own", "Own", Kind::Bytes, "Bytes that it adds to the tile: less than its size if it shares addresses",
       [](const Placed& p) { return p.variable->isGap ? Bytes() : p.variable->own; }, Sum::Yes},
      {"sharesMemoryWith", "Shares memory with", Kind::Text, "Variables at some of its addresses, at other times",
       ofVariable(partnerNames)},
      {"why", "Why here", Kind::Text, "Why the allocator chose this address",
       ofVariable([](const Placed& p) { return p.variable->why; })},
      {"live", "Live", Kind::Text, "",
       ofVariable([](const Placed& p) { return p.variable->alwaysLive ? "Always" : "Not always"; })},
      {"category", "Category", Kind::Text, "",
       ofVariable([](const Placed& p) { return reports::memoryCategoryTitle(p.variable->category); })},
      {"region", "Region", Kind::Text, "", ofVariable([](const Placed& p) { return regionOf(*p.variable); })},
      {"alignment", "Alignment", Kind::Bytes, "Its address is a multiple of this",
       ofVariable([](const Placed& p) { return knownIf(p.variable->alignment.value() > 0, p.variable->alignment); })}};
  return columns;
}

columns::Subjects subjectsOf(const DetailsCells& cells) {
  const std::string& title = cells.row->title;
  for (const char* region : {kInterleaved, kNonInterleaved})
    if (title == region) return {{Thing::Region, -1, title}};
  for (int c = 0; c < reports::kMemoryCategoryCount; ++c)
    if (title == reports::memoryCategoryTitle(reports::MemoryCategory(c))) return {{Thing::Category, c, title}};
  return {};
}

columns::Columns<DetailsCells> detailsColumns(const TileDetails& details, bool isSelection, int tiles) {
  using Cells = DetailsCells;
  const auto isMeasured = [](const Cells& cells) { return cells.isAmount() && cells.row->isMeasured; };
  const std::string whose = details.ipu ? "tiles of IPU " + std::to_string(details.ipu->value()) : "tiles of all IPUs";
  columns::Columns<Cells> all{{"memory", "Memory", Kind::Text, "", [](const Cells& cells) { return cells.row->title; }}};
  for (std::size_t c = 0; c < details.columns.size(); ++c)
    all.push_back({columns::idOf(details.columns[c]), details.columns[c], Kind::Bytes, "",
                   [c](const Cells& cells) {
                     const DetailsRow& row = *cells.row; // unknown for columns beyond the row's values
                     if (row.isText) return c < row.texts.size() ? columns::Cell(row.texts[c]) : columns::Cell();
                     return c < row.values.size() ? columns::cellOf(row.values[c]) : columns::Cell();
                   },
                   Sum::Yes}); // a report without this row counts as 0
  const bool isOne = details.columns.size() == 1;
  if (isSelection || tiles > 1) {
    all.push_back({"meanPerTile", "Mean per tile", Kind::Bytes, "Over the " + whose,
                   [isMeasured](const Cells& cells) { return knownIf(isMeasured(cells), cells.row->mean); }});
    all.push_back({"median", "Median", Kind::Bytes, "Half of the " + whose + " hold no more than this",
                   [isMeasured](const Cells& cells) { return knownIf(isMeasured(cells), cells.row->median); }});
  }
  if (isSelection && isOne)
    all.push_back({"overTheMedian", "Over the median", Kind::BytesDelta, "Bytes of this tile minus the median of the " + whose,
                   [isMeasured](const Cells& cells) { return knownIf(isMeasured(cells), cells.part() - cells.row->median); }});
  if (isOne)
    all.push_back(
        {"share", "Share", Kind::Percent, "Share of the parent row, which these rows add up to", [](const Cells& cells) {
           const bool isKnown = cells.row->depth > 0 && cells.whole > Bytes();
           return knownIf(isKnown, isKnown ? ratio(cells.part(), cells.whole) : 0.0);
         }});
  return all;
}

} // namespace analyser::memory
