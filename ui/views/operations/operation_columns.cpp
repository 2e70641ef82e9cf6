#include "ui/views/operations/operation_columns.h"

#include "analyser/operations/rollup.h"
#include "ui/shell/report_text.h"
#include "ui/shell/tile_time.h"

namespace ui::operations {

using analyser::operations::Operation;
using analyser::trace::TileTime;
using tables::Cell;
using tables::Kind;

namespace {

Cell cell(reports::Cycles v) { return v.value(); }
Cell cell(reports::Bytes v) { return v.value(); }

Cell shareOfTileCycles(const Operation& o, TileTime kind) {
  return tables::cellIf(o.tileCycles.total() > 0, o.tileCycles.share(kind));
}

template<TileTime kind> OperationColumn wasteColumn(const char* id) {
  return {QString::fromLatin1(id),
          {QObject::tr("Lost to %1").arg(shell::wasteTitle(kind).toLower()), Kind::Percent,
           shell::tileTimeTip(kind) + QObject::tr(", of the operation's tile-cycles"), 0, false},
          false,
          [](const Operation& o) { return shareOfTileCycles(o, kind); }};
}

std::vector<OperationColumn> makeColumns() {
  const auto tr = [](const char* text) { return QObject::tr(text); };
  return {
      {"cycles",
       {tr("Cycles"), Kind::Cycles, tr("Compute, exchange, sync and host of all executions"), 110, true},
       true,
       [](const Operation& o) { return cell(o.total); }},
      {"share",
       {tr("Share"), Kind::Percent, tr("Of all operations' cycles"), 66, false},
       true,
       [](const Operation& o) { return Cell(o.share); }},
      {"compute",
       {tr("Compute cycles"), Kind::Cycles, tr("Cycles in compute and on-tile copies"), 0, false},
       false,
       [](const Operation& o) { return cell(o.compute); }},
      {"exchange",
       {tr("Exchange cycles"), Kind::Cycles, tr("Cycles in exchange"), 0, false},
       false,
       [](const Operation& o) { return cell(o.exchange); }},
      {"sync",
       {tr("Sync cycles"), Kind::Cycles, tr("Cycles in the syncs before its steps"), 0, false},
       false,
       [](const Operation& o) { return cell(o.sync); }},
      {"host",
       {tr("Host cycles"), Kind::Cycles, tr("Cycles in stream copies"), 0, false},
       false,
       [](const Operation& o) { return cell(o.host); }},
      {"wasted",
       {tr("Wasted tile-cycles"), Kind::TileCycles,
        tr("Tile-cycles in which tiles neither compute nor copy: tiles × cycles − busy"), 0, true},
       true,
       [](const Operation& o) { return Cell(o.tileCycles.wasted()); }},
      {"why",
       {tr("Mostly lost to"), Kind::Text, tr("The largest part of the wasted tile-cycles"), 0, false},
       true,
       [](const Operation& o) {
         return o.tileCycles.wasted() > 0 ? Cell(shell::wasteTitle(o.tileCycles.largestWaste())) : Cell();
       }},
      {"busy",
       {tr("Busy"), Kind::Percent, tr("Tile-cycles in which tiles compute or copy, of tiles × cycles"), 0, false},
       true,
       [](const Operation& o) { return shareOfTileCycles(o, TileTime::Busy); }},
      wasteColumn<TileTime::Unused>("unused"),
      wasteColumn<TileTime::Imbalance>("imbalance"),
      wasteColumn<TileTime::Exchange>("waitExchange"),
      wasteColumn<TileTime::Sync>("waitSync"),
      wasteColumn<TileTime::Host>("waitHost"),
      {"tiles",
       {tr("Tiles used"), Kind::Count, tr("Of the compute step that uses most"), 0, false},
       true,
       [](const Operation& o) { return tables::cellIf(o.tiles > 0, o.tiles); }},
      {"ipus",
       {tr("Runs on"), Kind::Text,
        tr("IPUs that compute for it; of one that only moves data, those that take part; of a group, of all in it"), 0, false},
       false,
       [](const Operation& o) { return Cell(QString::fromStdString(analyser::operations::ipusTitle(o.ipus))); }},
      {"balance",
       {tr("Balance over active tiles"), Kind::Percent,
        tr("Mean cycles of the tiles that compute over the slowest; tiles without work are not in it"), 0, false},
       false,
       [](const Operation& o) { return tables::cellIf(o.balance.has_value(), o.balance.value_or(0)); }},
      {"flops",
       {tr("FLOPs"), Kind::Flops, tr("Floating-point operations of all executions"), 0, false},
       false,
       [](const Operation& o) { return Cell(o.flops.value()); }},
      {"achieved",
       {tr("FLOP use"), Kind::Percent, tr("FLOPs over what the IPUs it runs on could do in these cycles"), 94, false},
       true,
       [](const Operation& o) { return Cell(o.flopUtilisation); }},
      {"intensity",
       {tr("FLOP per byte"), Kind::Number, tr("FLOPs over the bytes that are exchanged for it: where it stands in the roofline"),
        0, false},
       false,
       [](const Operation& o) {
         const bool isKnown = o.flops.value() > 0 && o.exchangeBytes.value() > 0;
         return tables::cellIf(isKnown, isKnown ? double(o.flops.value()) / double(o.exchangeBytes.value()) : 0.0);
       }},
      {"vertices",
       {tr("Vertices"), Kind::Count, tr("In its compute sets"), 0, false},
       false,
       [](const Operation& o) { return Cell(o.vertices); }},
      {"received",
       {tr("Exchanged"), Kind::Bytes, tr("Bytes that tiles receive in its exchanges, all executions"), 0, false},
       false,
       [](const Operation& o) { return cell(o.exchangeBytes); }},
      {"code",
       {tr("Code"), Kind::Bytes, tr("Exchange and control code of its steps, over all tiles; vertex code is shared"), 0, false},
       false,
       [](const Operation& o) { return cell(o.codeBytes); }},
      {"exchangeCode",
       {tr("Exchange code"), Kind::Bytes, tr("Of its code, what exchanges take, over all tiles"), 0, false},
       false,
       [](const Operation& o) { return cell(o.exchangeCodeBytes); }},
      {"controlCode",
       {tr("Control code"), Kind::Bytes, tr("Of its code, what the program's steps take, over all tiles"), 0, false},
       false,
       [](const Operation& o) { return cell(o.codeBytes - o.exchangeCodeBytes); }},
      {"memory",
       {tr("Memory"), Kind::Bytes, tr("Its variables and its code, over all tiles"), 92, false},
       false,
       [](const Operation& o) { return cell(o.memory()); }},
      {"temporary",
       {tr("Temporary"), Kind::Bytes, tr("Its variables that are not always live, over all tiles"), 0, false},
       false,
       [](const Operation& o) { return cell(o.temporaryBytes); }},
  };
}

} // namespace

const std::vector<OperationColumn>& operationColumns() {
  static const std::vector<OperationColumn> columns = [] {
    auto all = makeColumns();
    // In a narrow window the name stays readable and numbers stay whole; the menu says what there is.
    for (OperationColumn& c : all) {
      c.column.isOptional = c.id == "achieved" || c.id == "tiles" || c.id == "busy" || c.id == "share";
      const Kind kind = c.column.kind;
      c.column.total = kind == Kind::Cycles || kind == Kind::TileCycles || kind == Kind::Bytes || kind == Kind::Flops ||
                       c.id == "share" || c.id == "vertices";
    }
    return all;
  }();
  return columns;
}

QStringList columnsShownAtFirst() {
  QStringList ids;
  for (const OperationColumn& c : operationColumns())
    if (c.shownAtFirst) ids << c.id;
  return ids;
}

} // namespace ui::operations
