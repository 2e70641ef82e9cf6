// The details of one program step of program_tree.h.
#include "analyser/program/program_tree.h"

#include "analyser/session/vertex_source.h"
#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace analyser::program {

namespace {

void addProfiles(Session& session, StepDetails& d) {
  bool isFilled = false, isExecuted = false;
  std::optional<int64_t> ipu;
  std::unordered_map<int64_t, int64_t> executions;
  session.reader().forEach<reports::StepProfileRow>(
      "program_step_id = ? ORDER BY id", {int64_t(d.id.value())}, [&](const reports::StepProfileRow& row) {
        executions[row.ipu.value_or(-1)] += row.executions;
        if (isExecuted && row.executions > 0 && row.ipu == ipu) {
          d.leastCycles = std::min(d.leastCycles, Cycles(row.cycles));
          d.mostCycles = std::max(d.mostCycles, Cycles(row.cycles));
        }
        if (isExecuted || (isFilled && row.executions == 0)) return;
        isFilled = true, isExecuted = row.executions > 0, ipu = row.ipu;
        d.cycles = d.leastCycles = d.mostCycles = Cycles(row.cycles);
        d.busyCycles = Cycles(row.busyCycles);
        d.activeTiles = row.activeTiles;
        const double whole = double(row.cycles) * double(row.activeTiles);
        d.balance = whole > 0 ? std::min(1.0, double(row.busyCycles) / whole) : 0;
        d.bytesIn = Bytes(row.bytesIn);
        d.bytesOut = Bytes(row.bytesOut);
        d.flops = Flops(row.flops);
        d.cyclesByTile.clear();
        d.firstTile = TileId(static_cast<std::size_t>(row.firstTile));
        for (const int64_t c :
             reports::unpackAmounts(row.cyclesByTile, static_cast<std::size_t>(row.tiles), "step_profile.cycles_by_tile"))
          d.cyclesByTile.emplace_back(c);
      });
  for (const auto& [chip, count] : executions) d.executions = std::max(d.executions, count);
}

void addComputeSet(Session& session, int64_t computeSet, StepDetails& d) {
  if (const auto row = session.reader().first<reports::ComputeSetRow>("id = ?", {computeSet}))
    d.computeSet = session.text(row->nameId);
  const auto tiles = static_cast<std::size_t>(session.machine().tiles());
  session.reader().forEach<reports::ComputeSetVerticesRow>(
      "compute_set_id = ?", {computeSet}, [&](const reports::ComputeSetVerticesRow& row) {
        StepVertices v;
        if (const auto type = session.reader().first<reports::VertexTypeRow>("id = ?", {row.vertexTypeId})) {
          v.type = session.text(type->nameId);
          v.kind = type->kind;
          v.source = sourceOf(session, *type);
        }
        v.vertices = row.vertices;
        const auto byTile = reports::unpackAmounts(row.verticesByTile, tiles, "compute_set_vertices.vertices_by_tile");
        v.tiles = std::count_if(byTile.begin(), byTile.end(), [](int64_t n) { return n > 0; });
        v.cycles = Cycles(row.cycles);
        v.cyclesFrom = cyclesFrom(row);
        v.flops = Flops(row.flops);
        v.stateBytes = Bytes(row.stateBytes);
        v.verticesByTile = byTile;
        d.vertices.push_back(std::move(v));
      });
  std::stable_sort(d.vertices.begin(), d.vertices.end(),
                   [](const StepVertices& a, const StepVertices& b) { return a.cycles > b.cycles; });
}

std::vector<Bytes> bytesOf(const reports::Blob& blob, std::size_t tiles, std::string_view what) {
  std::vector<Bytes> bytes;
  for (const int64_t v : reports::unpackAmounts(blob, tiles, what)) bytes.emplace_back(v);
  return bytes;
}

void addExchange(Session& session, int64_t exchange, StepDetails& d) {
  const auto row = session.reader().first<reports::ExchangeRow>("id = ?", {exchange});
  if (!row) return;
  d.exchange = session.text(row->nameId);
  d.exchangeKind = row->kind;
  d.messages = row->messages;
  d.exchangeCodeBytes = Bytes(row->codeBytes);
  const auto tiles = static_cast<std::size_t>(session.machine().tiles());
  d.bytesInByTile = bytesOf(row->bytesInByTile, tiles, "exchange.bytes_in_by_tile");
  d.bytesOutByTile = bytesOf(row->bytesOutByTile, tiles, "exchange.bytes_out_by_tile");
}

} // namespace

StepDetails partOnTiles(StepDetails d, std::span<const TileId> tiles) {
  const auto sumOn = [&](const auto& byTile) {
    auto sum = typename std::decay_t<decltype(byTile)>::value_type();
    for (const TileId tile : tiles)
      if (tile.value() < byTile.size()) sum += byTile[tile.value()];
    return sum;
  };
  for (StepVertices& v : d.vertices) {
    const int64_t all = v.vertices;
    v.vertices = sumOn(v.verticesByTile);
    v.tiles = std::count_if(tiles.begin(), tiles.end(), [&](TileId tile) {
      return tile.value() < v.verticesByTile.size() && v.verticesByTile[tile.value()] > 0;
    });
    const auto part = [&](int64_t amount) {
      return all > 0 ? std::llround(double(amount) * double(v.vertices) / double(all)) : 0;
    };
    v.cycles = Cycles(part(v.cycles.value())), v.flops = Flops(part(v.flops.value()));
    v.stateBytes = Bytes(part(v.stateBytes.value()));
  }
  std::erase_if(d.vertices, [](const StepVertices& v) { return v.vertices == 0; });
  const auto cyclesOn = [&](TileId tile) {
    const auto at = std::size_t(int64_t(tile.value()) - int64_t(d.firstTile.value())); // wraps around if before the first tile
    return d.firstTile.valid() && at < d.cyclesByTile.size() ? d.cyclesByTile[at] : Cycles();
  };
  const Cycles all = d.busyCycles;
  d.busyCycles = Cycles(), d.activeTiles = 0;
  for (const TileId tile : tiles) d.busyCycles += cyclesOn(tile), d.activeTiles += cyclesOn(tile) > Cycles();
  d.flops = Flops(all > Cycles() ? std::llround(double(d.flops.value()) * ratio(d.busyCycles, all)) : 0);
  if (!d.bytesInByTile.empty()) d.bytesIn = sumOn(d.bytesInByTile), d.bytesOut = sumOn(d.bytesOutByTile);
  return d;
}

StepDetails stepDetails(Session& session, reports::ProgramStepId step, std::stop_token stop) {
  const auto row = session.reader().first<reports::ProgramStepRow>("id = ?", {int64_t(step.value())});
  if (!row)
    throw reports::Error(reports::ErrorCode::NotFound, "no step " + std::to_string(step.value()), session.identity().fileName);
  StepDetails d;
  d.id = step;
  d.kind = row->kind;
  d.name = session.text(row->nameId);
  if (row->activity >= 0 && row->activity < reports::kActivityCount) d.activity = static_cast<reports::Activity>(row->activity);
  d.codeBytes = Bytes(row->codeBytes);
  d.livenessStep = row->livenessStep;
  addProfiles(session, d);
  reports::throwIfStopped(stop);
  if (row->computeSetId) addComputeSet(session, *row->computeSetId, d);
  if (row->exchangeId) addExchange(session, *row->exchangeId, d);
  if (const auto copy = session.reader().first<reports::StreamCopyRow>("program_step_id = ?", {int64_t(step.value())}))
    if (const auto stream = session.reader().first<reports::StreamRow>("id = ?", {copy->streamId})) d.stream = stream->name;
  d.knowsUses = session.reader().first<reports::StepVariablesRow>("1").has_value();
  if (const auto uses = session.reader().first<reports::StepVariablesRow>("program_step_id = ?", {int64_t(step.value())})) {
    d.reads = reports::unpackDeltas(uses->reads, std::size_t(uses->readCount), "step_variables.reads");
    d.writes = reports::unpackDeltas(uses->writes, std::size_t(uses->writtenCount), "step_variables.writes");
  }
  d.debug = debugChain(session, row->debugContextId);
  d.operation = operationOf(session, row->debugContextId);
  return d;
}

} // namespace analyser::program
