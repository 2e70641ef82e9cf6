#include "analyser/operations/operation_columns.h"

#include "analyser/operations/rollup.h"

namespace analyser::operations {

using columns::Columns;
using columns::Kind;
using columns::knownIf;
using columns::Sum;
using trace::TileTime;

namespace {

constexpr const char *kWastedMeaning = "Tile-cycles in which tiles neither compute nor copy: tiles × cycles − busy",
                     *kWhyMeaning = "The largest part of the wasted tile-cycles",
                     *kBusyMeaning = "Tile-cycles in which tiles compute or copy, of tiles × cycles";

std::optional<std::string_view> mostlyLostTo(const trace::TileCycles& cost) {
  return knownIf(cost.wasted() > 0, trace::tileTimeTitle(cost.largestWaste()));
}

std::optional<double> shareOf(const trace::TileCycles& cost, TileTime kind) {
  return knownIf(cost.total() > 0, cost.share(kind));
}

columns::Column<Operation> lostTo(const char* id, TileTime kind) {
  std::string title = "Lost to " + std::string(trace::tileTimeTitle(kind));
  title[8] = char(title[8] - 'A' + 'a');
  return {id, std::move(title), Kind::Percent, std::string(trace::tileTimeMeaning(kind)) + ", of the operation's tile-cycles",
          [kind](const Operation& o) { return shareOf(o.tileCycles, kind); }};
}

std::optional<double> flopsPerByte(const Operation& o) {
  const bool isKnown = o.flops.value() > 0 && o.exchangeBytes.value() > 0;
  return knownIf(isKnown, isKnown ? double(o.flops.value()) / double(o.exchangeBytes.value()) : 0.0);
}

std::optional<double> exchangeUse(const Operation& o) {
  return knownIf(o.exchangeable > 0, o.exchangeable > 0 ? double(o.exchangeBytes.value()) / o.exchangeable : 0.0);
}

columns::Column<Operation> useOf(const char* id, const char* title, const char* meaning, Operation::Way Operation::*way) {
  return {id, title, Kind::Percent, meaning, [way](const Operation& o) {
            const Operation::Way& of = o.*way;
            return knownIf(of.possible > 0, of.possible > 0 ? of.bytes / of.possible : 0.0);
          }};
}

} // namespace

const Columns<Operation>& operationColumns() {
  static const Columns<Operation> columns = {
      {"name", "Operation", Kind::Name, "", &Operation::name},
      {"kind", "Kind", Kind::Text, "", &Operation::kind},
      {"cycles", "Cycles", Kind::Cycles, "Compute, exchange, sync and host of all executions", &Operation::total, Sum::Yes},
      {"share", "Share", Kind::Percent, "Of all operations' cycles", &Operation::share, Sum::Yes},
      {"compute", "Compute cycles", Kind::Cycles, "Cycles in compute and on-tile copies", &Operation::compute, Sum::Yes},
      {"exchange", "Exchange cycles", Kind::Cycles, "Cycles in exchange", &Operation::exchange, Sum::Yes},
      {"sync", "Sync cycles", Kind::Cycles, "Cycles in the syncs before its steps", &Operation::sync, Sum::Yes},
      {"host", "Host cycles", Kind::Cycles, "Cycles in stream copies", &Operation::host, Sum::Yes},
      {"wasted", "Wasted tile-cycles", Kind::TileCycles, kWastedMeaning, [](const Operation& o) { return o.tileCycles.wasted(); },
       Sum::Yes},
      {"why", "Mostly lost to", Kind::Text, kWhyMeaning, [](const Operation& o) { return mostlyLostTo(o.tileCycles); }},
      {"busy", "Busy", Kind::Percent, kBusyMeaning, [](const Operation& o) { return shareOf(o.tileCycles, TileTime::Busy); }},
      lostTo("unused", TileTime::Unused),
      lostTo("imbalance", TileTime::Imbalance),
      lostTo("waitExchange", TileTime::Exchange),
      lostTo("waitSync", TileTime::Sync),
      lostTo("waitHost", TileTime::Host),
      {"tiles", "Tiles used", Kind::Count, "Tiles of the compute step that uses the most tiles",
       [](const Operation& o) { return knownIf(o.tiles > 0, o.tiles); }},
      {"ipus", "Runs on", Kind::Text,
       "IPUs that compute it; for pure data movement, the IPUs that take part; for a group, their union",
       [](const Operation& o) { return ipusTitle(o.ipus); }},
      {"balance", "Balance over active tiles", Kind::Percent,
       "Mean cycles of the tiles that compute / cycles of the slowest; tiles without work do not count", &Operation::balance},
      {"flops", "FLOPs", Kind::Flops, "Floating-point operations of all executions", &Operation::flops, Sum::Yes},
      {"achieved", "FLOP use", Kind::Percent, "FLOPs / peak FLOPs of the IPUs it runs on in these cycles",
       &Operation::flopUtilisation},
      {"exchangeUse", "Exchange use", Kind::Percent,
       "Bytes that tiles receive / bytes that all tiles of its IPUs could receive in the cycles of its exchanges", &exchangeUse},
      useOf("linkUse", "Link use", "Bytes that it receives over links / bytes that the peak of the links allows in these cycles",
            &Operation::overLinks),
      useOf("hostUse", "Host link use", "Bytes of its stream copies / bytes that the host's link could move while they transfer",
            &Operation::withHost),
      useOf("streamingUse", "Streaming memory use",
            "Bytes to and from streaming memory / bytes that it could move while they transfer", &Operation::withStreamingMemory),
      {"intensity", "FLOP per byte", Kind::Number, "FLOPs / bytes exchanged for it: its position in the roofline", &flopsPerByte},
      {"vertices", "Vertices", Kind::Count, "In its compute sets", &Operation::vertices, Sum::Yes},
      {"received", "Exchanged", Kind::Bytes, "Bytes that tiles receive in its exchanges, all executions",
       &Operation::exchangeBytes, Sum::Yes},
      {"code", "Code", Kind::Bytes, "Exchange and control code of its steps, over all tiles; vertex code is shared",
       &Operation::codeBytes, Sum::Yes},
      {"exchangeCode", "Exchange code", Kind::Bytes, "Exchange code of this operation, all tiles", &Operation::exchangeCodeBytes,
       Sum::Yes},
      {"controlCode", "Control code", Kind::Bytes, "Code of the program's steps for this operation, all tiles",
       [](const Operation& o) { return o.codeBytes - o.exchangeCodeBytes; }, Sum::Yes},
      {"memory", "Memory", Kind::Bytes, "Its variables and its code, over all tiles", &Operation::memory, Sum::Yes},
      {"temporary", "Temporary", Kind::Bytes, "Its variables that are not always live, over all tiles",
       &Operation::temporaryBytes, Sum::Yes},
  };
  return columns;
}

const Columns<StepOfOperations>& stepColumns() {
  using Step = StepOfOperations;
  static const Columns<Step> columns = {
      {"step", "Program step", Kind::Name, "", [](const Step& s) { return s.node->name; }},
      {"kind", "Kind", Kind::Text, "", [](const Step& s) { return s.node->kind; }},
      {"cycles", "Cycles", Kind::Cycles, "Of all executions", &Step::cycles},
      {"wasted", "Wasted tile-cycles", Kind::TileCycles, kWastedMeaning, [](const Step& s) { return s.tileCycles.wasted(); }},
      {"why", "Mostly lost to", Kind::Text, kWhyMeaning, [](const Step& s) { return mostlyLostTo(s.tileCycles); }},
      {"busy", "Busy", Kind::Percent, kBusyMeaning, [](const Step& s) { return shareOf(s.tileCycles, TileTime::Busy); }},
      {"peakUse", "Use of the peak", Kind::Percent,
       "FLOPs of a compute step or bytes of an exchange or copy / what the peak of compute, exchange, links, host or streaming "
       "memory "
       "allows in its cycles on its IPUs",
       [](const Step& s) { return knownIf(s.usable > 0, s.usable > 0 ? s.used / s.usable : 0.0); }},
      {"executions", "Executions", Kind::Count, "", &Step::executions},
      {"received", "Received", Kind::Bytes, "By all executions", &Step::bytes},
      {"code", "Code", Kind::Bytes, "Exchange and control code of the step, over all tiles",
       [](const Step& s) { return s.node->codeBytes; }},
  };
  return columns;
}

} // namespace analyser::operations
