#include "reports/sqlite/sql_tables.h"

#include "reports/core/categories.h"
#include "reports/rows/block_records.h"
#include "reports/rows/exchange_pairs.h"
#include "reports/rows/placement_reason.h"
#include "reports/rows/slice_decode.h"
#include "reports/rows/slice_track.h"
#include "reports/sqlite/reader.h"
#include "reports/sqlite/sql_functions.h"
#include "reports/sqlite/sql_host_tables.h"
#include "reports/sqlite/sql_packed_rows.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace reports {

namespace {

class SliceRows final : public PackedRows<SliceChunkRow> {
public:
  SliceRows(Reader& reader, const std::string& where, const SqlParameters& parameters)
      : PackedRows(reader, where + " ORDER BY track_id, depth, first_tick", parameters) {
    RowCursor<TrackRow> tracks(reader);
    for (TrackRow row; tracks.next(row);) m_isIpu[row.id] = row.kind.starts_with("ipu");
    RowCursor<ChannelRow> channels(reader);
    for (ChannelRow row; channels.next(row);) m_channels[row.id] = row.name;
  }
  SqlCell cell(int column) const override {
    switch (column) {
    case 0: return m_row.trackId;
    case 1: return m_row.depth;
    case 2: return m_slices.starts[m_index];
    case 3: return m_slices.durations[m_index];
    case 4: return name(m_slices.names[m_index]);
    case 5: return category(m_slices.categories[m_index]);
    case 6: return int64_t(m_slices.refs[m_index]);
    default: return m_row.chunk * kSlicesPerChunk + int64_t(m_index);
    }
  }

private:
  std::size_t unpack() override {
    m_slices = decodeChunk(m_row);
    const auto track = m_isIpu.find(m_row.trackId);
    m_ipu = track != m_isIpu.end() && track->second;
    return m_slices.size();
  }
  SqlCell category(uint8_t number) const {
    if (m_ipu) return activityName(Activity(number));
    const auto channel = m_channels.find(number);
    if (channel == m_channels.end()) return {};
    return std::string_view(channel->second);
  }
  SliceColumns m_slices;
  std::unordered_map<int64_t, bool> m_isIpu;
  std::unordered_map<int64_t, std::string> m_channels;
  bool m_ipu = false;
};

// Slices of IPU tracks that represent steps, each with its step.
class ExecutionRows final : public PackedRows<SliceChunkRow> {
public:
  ExecutionRows(Reader& reader, const std::string& where, const SqlParameters& parameters)
      : PackedRows(
            reader,
            where +
                " AND track_id IN (SELECT id FROM track WHERE kind IN ('ipu', 'ipu_io')) ORDER BY track_id, depth, first_tick",
            parameters) {
    Statement profiles(reader.connection(), "SELECT p.id, s.id, s.kind, s.name_id FROM step_profile p JOIN program_step s"
                                            " ON s.id = p.program_step_id");
    while (profiles.step()) {
      int64_t id = 0;
      Step step;
      profiles.read(0, id, "step_profile.id");
      profiles.read(1, step.id, "program_step.id");
      profiles.read(2, step.kind, "program_step.kind");
      profiles.read(3, step.nameId, "program_step.name_id");
      m_steps[id] = std::move(step);
    }
    RowCursor<TrackRow> tracks(reader, "kind IN ('ipu', 'ipu_io')");
    for (TrackRow row; tracks.next(row);) m_ipus[row.id] = {row.ipu.value_or(-1), row.kind == "ipu_io"};
  }
  SqlCell cell(int column) const override {
    const std::size_t i = m_kept[m_index];
    const auto found = m_steps.find(m_slices.refs[i]);
    const Step* step = found == m_steps.end() ? nullptr : &found->second;
    switch (column) {
    case 0: return m_ipu;
    case 1: return m_slices.starts[i];
    case 2: return m_slices.durations[i];
    case 3: return step ? SqlCell(std::string_view(step->kind)) : SqlCell();
    case 4: return name(step ? step->nameId : int64_t(m_slices.names[i]));
    case 5: return step ? SqlCell(step->id) : SqlCell();
    case 6: return int64_t(m_slices.refs[i]);
    default: return int64_t(m_io);
    }
  }

private:
  struct Step {
    int64_t id = 0, nameId = 0;
    std::string kind;
  };
  std::size_t unpack() override {
    m_slices = decodeChunk(m_row);
    m_kept.clear();
    for (std::size_t i = 0; i < m_slices.size(); ++i)
      if (m_slices.refs[i] >= 0 && m_slices.categories[i] != uint8_t(Activity::Scope)) m_kept.push_back(i);
    const auto ipu = m_ipus.find(m_row.trackId);
    std::tie(m_ipu, m_io) = ipu == m_ipus.end() ? std::pair(int64_t(-1), false) : ipu->second;
    return m_kept.size();
  }
  SliceColumns m_slices;
  std::vector<std::size_t> m_kept;
  std::unordered_map<int64_t, Step> m_steps;
  std::unordered_map<int64_t, std::pair<int64_t, bool>> m_ipus; // IPU of a track, and whether the track is for its I/O tiles
  int64_t m_ipu = -1;
  bool m_io = false;
};

SqlCell memoryCategory(int64_t number) {
  if (number < 0 || number >= kMemoryCategoryCount) return {};
  return memoryCategoryName(MemoryCategory(number));
}

class LoweredRows final : public PackedRows<TileVariablesRow> {
public:
  LoweredRows(Reader& reader, const std::string& where, const SqlParameters& parameters) : PackedRows(reader, where, parameters) {
    Statement variables(reader.connection(), "SELECT id, name_id, category, coalesce(demands_id, -1) FROM variable");
    while (variables.step()) {
      int64_t id = 0;
      auto& variable = (variables.read(0, id, "variable.id"), m_variables[id]);
      variables.read(1, variable.nameId, "variable.name_id");
      variables.read(2, variable.category, "variable.category");
      variables.read(3, variable.demandsId, "variable.demands_id");
    }
  }
  SqlCell cell(int column) const override {
    const auto found = m_variables.find(m_ids[m_index]);
    const bool known = found != m_variables.end();
    switch (column) {
    case 0: return m_row.tile;
    case 1: return m_ids[m_index];
    case 2: return known ? name(found->second.nameId) : SqlCell();
    case 3: return known ? memoryCategory(found->second.category) : SqlCell();
    case 4: return m_addresses[m_index];
    case 5: return m_sizes[m_index];
    case 6: return m_own[m_index];
    default: return why(known ? found->second.demandsId : -1);
    }
  }

private:
  struct Variable {
    int64_t nameId = 0, category = 0, demandsId = -1;
  };
  SqlCell why(int64_t demandsId) const {
    if (m_reasons.empty()) return {};
    const auto text = [&](int64_t id) { return m_reader.hasText(id) ? std::string(m_reader.text(id)) : std::string(); };
    const auto other = m_variables.find(m_others[m_index] - 1);
    m_why = placementText(m_reasons[m_index], other == m_variables.end() ? std::string() : text(other->second.nameId),
                          text(demandsId));
    return m_why.empty() ? SqlCell() : SqlCell(std::string_view(m_why));
  }
  std::size_t unpack() override {
    const auto n = std::size_t(m_row.lowered);
    m_ids = unpackDeltas(m_row.variables, n, "tile_variables.variables");
    m_addresses = unpackDeltas(m_row.addresses, n, "tile_variables.addresses");
    m_sizes = unpackVarints(m_row.sizes, n, "tile_variables.sizes");
    m_own = unpackVarints(m_row.ownBytes, n, "tile_variables.own_bytes");
    m_reasons.clear();
    m_others.clear();
    if (!m_row.reasons.empty()) {
      m_reasons = unpackVarints(m_row.reasons, n, "tile_variables.reasons");
      m_others = unpackVarints(m_row.reasonVariables, n, "tile_variables.reason_variables");
    }
    return n;
  }
  std::unordered_map<int64_t, Variable> m_variables;
  std::vector<int64_t> m_ids, m_addresses, m_sizes, m_own, m_reasons, m_others;
  mutable std::string m_why; // of the cell that was read last
};

class TileValueRows final : public PackedRows<TileSeriesRow> {
public:
  using PackedRows::PackedRows;
  SqlCell cell(int column) const override {
    if (column == 0) return std::string_view(m_row.name);
    return column == 1 ? int64_t(m_index) : m_values[m_index];
  }

private:
  std::size_t unpack() override {
    m_values = unpackRuns(m_row.byTile, std::size_t(m_row.tiles), "tile_series.by_tile");
    return m_values.size();
  }
  std::vector<int64_t> m_values;
};

class LivenessRows final : public PackedRows<LivenessCurveRow> {
public:
  using PackedRows::PackedRows;
  SqlCell cell(int column) const override {
    switch (column) {
    case 0: return std::string_view(m_row.scope);
    case 1: return int64_t(m_index);
    case 2: return m_row.alwaysLiveBytes;
    default: return m_values[m_index];
    }
  }

private:
  std::size_t unpack() override {
    m_values = unpackDeltas(m_row.notAlwaysLiveBytes, std::size_t(m_row.steps), "liveness_curve.not_always_live_bytes");
    return m_values.size();
  }
  std::vector<int64_t> m_values;
};

// A row for each interval; an always-live variable has one row over all steps.
class LifetimeRows final : public PackedRows<VariableRow> {
public:
  LifetimeRows(Reader& reader, const std::string& where, const SqlParameters& parameters)
      : PackedRows(reader, where, parameters) {
    Statement steps(reader.connection(), "SELECT count(*) FROM liveness_step");
    if (steps.step()) steps.read(0, m_steps, "liveness_step");
  }
  SqlCell cell(int column) const override {
    switch (column) {
    case 0: return m_row.id;
    case 1: return name(m_row.nameId);
    case 2: return memoryCategory(m_row.category);
    case 3: return m_bounds[2 * m_index];
    case 4: return m_bounds[2 * m_index + 1];
    case 5: return m_row.totalBytes;
    default: return m_row.alwaysLive;
    }
  }

private:
  std::size_t unpack() override {
    m_bounds = m_row.alwaysLive != 0
                   ? std::vector<int64_t>{0, m_steps}
                   : unpackDeltas(m_row.liveIntervals, 2 * std::size_t(m_row.liveIntervalCount), "variable.live_intervals");
    return m_bounds.size() / 2;
  }
  int64_t m_steps = 0;
  std::vector<int64_t> m_bounds; // first, end, first, end …
};

class StepTileRows final : public PackedRows<StepProfileRow> {
public:
  using PackedRows::PackedRows;
  SqlCell cell(int column) const override {
    if (column == 0) return m_row.id;
    return column == 1 ? m_row.firstTile + int64_t(m_index) : m_values[m_index];
  }

private:
  std::size_t unpack() override {
    m_values = unpackRuns(m_row.cyclesByTile, std::size_t(m_row.tiles), "step_profile.cycles_by_tile");
    return m_values.size();
  }
  std::vector<int64_t> m_values;
};

class ExchangeTileRows final : public PackedRows<ExchangeRow> {
public:
  using PackedRows::PackedRows;
  SqlCell cell(int column) const override {
    switch (column) {
    case 0: return m_row.id;
    case 1: return int64_t(m_index);
    case 2: return m_in[m_index];
    case 3: return m_out[m_index];
    default: return m_code.empty() ? SqlCell() : SqlCell(m_code[m_index]);
    }
  }

private:
  std::size_t unpack() override {
    m_in = unpackRuns(m_row.bytesInByTile, machineTiles(), "exchange.bytes_in_by_tile");
    m_out = unpackRuns(m_row.bytesOutByTile, machineTiles(), "exchange.bytes_out_by_tile");
    m_code.clear();
    if (m_row.codeByTile) m_code = unpackRuns(*m_row.codeByTile, machineTiles(), "exchange.code_by_tile");
    return m_in.size();
  }
  std::vector<int64_t> m_in, m_out, m_code;
};

class ControlCodeRows final : public PackedRows<ControlCodeRow> {
public:
  using PackedRows::PackedRows;
  SqlCell cell(int column) const override {
    if (column == 0) return m_row.id;
    return column == 1 ? int64_t(m_index) : m_bytes[m_index];
  }

private:
  std::size_t unpack() override {
    m_bytes = unpackRuns(m_row.byTile, machineTiles(), "control_code.by_tile");
    return m_bytes.size();
  }
  std::vector<int64_t> m_bytes;
};

// Decodes one receiver at a time: an exchange may have millions of pairs.
class ExchangePairRows final : public SqlRows {
public:
  ExchangePairRows(Reader& reader, const std::string& where, const SqlParameters& parameters)
      : m_stored(reader, where + " AND pairs IS NOT NULL", parameters), m_tiles(std::size_t(reader.limits().tiles)) {}
  bool next() override {
    if (m_pairs && ++m_index < m_pairs->senders().size()) return true;
    m_index = 0;
    while (!m_pairs || !m_pairs->next()) {
      if (!m_stored.next(m_row)) return false;
      m_pairs.emplace(decodePairs(m_row, m_tiles));
    }
    return true;
  }
  SqlCell cell(int column) const override {
    switch (column) {
    case 0: return m_row.id;
    case 1: return m_pairs->senders()[m_index].first;
    case 2: return m_pairs->receiver();
    default: return m_pairs->senders()[m_index].second;
    }
  }

private:
  RowCursor<ExchangeRow> m_stored;
  const std::size_t m_tiles;
  ExchangeRow m_row;
  std::optional<PairSweep> m_pairs;
  std::size_t m_index = 0;
};

class ComputeSetTileRows final : public PackedRows<ComputeSetVerticesRow> {
public:
  using PackedRows::PackedRows;
  SqlCell cell(int column) const override {
    switch (column) {
    case 0: return m_row.computeSetId;
    case 1: return m_row.vertexTypeId;
    case 2: return int64_t(m_index);
    case 3: return m_values[m_index];
    default: // a share of the sum
      return m_row.vertices > 0 ? double(m_row.cycles) * double(m_values[m_index]) / double(m_row.vertices) : 0.0;
    }
  }

private:
  std::size_t unpack() override {
    m_values = unpackRuns(m_row.verticesByTile, machineTiles(), "compute_set_vertices.vertices_by_tile");
    return m_values.size();
  }
  std::vector<int64_t> m_values;
};

class BlockRows final : public PackedRows<BlockChunkRow> {
public:
  using PackedRows::PackedRows;
  SqlCell cell(int column) const override {
    const BlockRecord& record = m_records[m_index];
    switch (column) {
    case 0: return m_row.ipu;
    case 1: return m_row.tile;
    case 2: return name(record.nameId);
    case 3: return blockRecordKindName(record.kind);
    case 4: return record.startCycle;
    case 5: return record.endCycle();
    case 6: return record.executions;
    default: return record.step < 0 ? SqlCell() : SqlCell(record.step);
    }
  }

private:
  std::size_t unpack() override {
    m_records = decodeBlocks(m_row);
    return m_records.size();
  }
  std::vector<BlockRecord> m_records;
};

std::vector<SqlTable> deviceTables() {
  return {
      packedTable<SliceRows>(
          "slice",
          "Slices one by one; number counts those of one (track, depth) from 0. Conditions on track_id, depth and start_tick "
          "make the query faster: only the matching chunks are decoded.",
          "track_id INTEGER, depth INTEGER, start_tick INTEGER, duration_ticks INTEGER, name TEXT, category TEXT, ref INTEGER, "
          "number INTEGER",
          {{0, "=", "track_id = ?"}, {1, "=", "depth = ?"}, {2, "=<", "first_tick <= ?"}, {2, ">", "end_tick >= ?"}}),
      packedTable<ExecutionRows>(
          "execution_step",
          "Every execution of a program step on every IPU; on an IPU with I/O tiles, one row for each of its two sets of tiles.",
          "ipu INTEGER, start_cycle INTEGER, cycles INTEGER, kind TEXT, name TEXT, program_step_id INTEGER, "
          "step_profile_id INTEGER, io_tiles INTEGER",
          {{0, "=", "track_id IN (SELECT id FROM track WHERE ipu = ?)"},
           {1, "=<", "first_tick <= ?"},
           {1, ">", "end_tick >= ?"}}),
      packedTable<LoweredRows>(
          "lowered_variable", "The address of every variable on every tile.",
          "tile INTEGER, variable_id INTEGER, name TEXT, category TEXT, address INTEGER, size_bytes INTEGER, own_bytes "
          "INTEGER, why TEXT",
          {{0, "=", "tile = ?"}, {0, "<", "tile <= ?"}, {0, ">", "tile >= ?"}}),
      packedTable<LifetimeRows>("variable_lifetime",
                                "When each variable is live: a row for each interval of liveness steps, from first_step up to, "
                                "not including, end_step. An "
                                "always-live variable has one row over all steps.",
                                "variable_id INTEGER, name TEXT, category TEXT, first_step INTEGER, end_step INTEGER, bytes "
                                "INTEGER, always_live INTEGER",
                                {{0, "=", "id = ?"}, {0, "<", "id <= ?"}, {0, ">", "id >= ?"}}),
      packedTable<TileValueRows>("tile_value", "tile_series, one row per tile.", "series TEXT, tile INTEGER, value INTEGER",
                                 {{0, "=", "name = ?"}}),
      packedTable<LivenessRows>("liveness_point", "liveness_curve, one row per step.",
                                "scope TEXT, ordinal INTEGER, always_live_bytes INTEGER, not_always_live_bytes INTEGER",
                                {{0, "=", "scope = ?"}}),
      packedTable<StepTileRows>("step_tile", "step_profile, one row per tile.",
                                "step_profile_id INTEGER, tile INTEGER, cycles INTEGER",
                                {{0, "=", "id = ?"}, {0, "<", "id <= ?"}, {0, ">", "id >= ?"}}),
      packedTable<ExchangeTileRows>("exchange_tile", "exchange, one row per tile.",
                                    "exchange_id INTEGER, tile INTEGER, bytes_in INTEGER, bytes_out INTEGER, code_bytes INTEGER",
                                    {{0, "=", "id = ?"}}),
      packedTable<ControlCodeRows>("control_code_tile", "control_code, one row per tile.",
                                   "control_code_id INTEGER, tile INTEGER, bytes INTEGER", {{0, "=", "id = ?"}}),
      packedTable<ExchangePairRows>(
          "exchange_pair",
          "exchange.pairs, one row per pair of sender and receiver; exchanges without known pairs have no rows. A word that "
          "several tiles receive leaves its tile once, so the bytes to all receivers may be more than exchange_tile.bytes_out.",
          "exchange_id INTEGER, sender INTEGER, receiver INTEGER, bytes INTEGER", {{0, "=", "id = ?"}}),
      packedTable<ComputeSetTileRows>(
          "compute_set_tile",
          "compute_set_vertices, one row per tile. cycles: those of one execution, split in proportion to the tile's share of "
          "the vertices.",
          "compute_set_id INTEGER, vertex_type_id INTEGER, tile INTEGER, vertices INTEGER, cycles REAL",
          {{0, "=", "compute_set_id = ?"}, {1, "=", "vertex_type_id = ?"}}),
      packedTable<BlockRows>("block_record",
                             "block_chunk, one row per record: an execution of a Block on the tile that timed it; kind is block, "
                             "program, flush or overflow.",
                             "ipu INTEGER, tile INTEGER, name TEXT, kind TEXT, cycles_from INTEGER, cycles_to INTEGER, "
                             "executions INTEGER, program_step_id INTEGER",
                             {{0, "=", "ipu = ?"}, {1, "=", "tile = ?"}}),
  };
}

const std::vector<SqlTable>& tables() {
  static const std::vector<SqlTable> all = [] {
    std::vector<SqlTable> list = deviceTables();
    for (SqlTable& host : hostSqlTables()) list.push_back(std::move(host));
    return list;
  }();
  return all;
}

bool narrows(const SqlTable& table, int column) {
  return std::any_of(table.filters.begin(), table.filters.end(), [&](const SqlFilter& f) { return f.column == column; });
}
} // namespace

std::string sqlTablesMarkdown() {
  std::string text;
  for (const auto& t : tables()) {
    std::string columns;
    int column = 0;
    for (std::size_t at = 0; at < t.declaration.size(); ++column) {
      const std::size_t end = std::min(t.declaration.find(", ", at), t.declaration.size());
      columns += (column ? ", " : "") + t.declaration.substr(at, end - at) + (narrows(t, column) ? "*" : "");
      at = end + 2;
    }
    text += "- `" + t.name + "` (" + columns + "): " + t.meaning + "\n";
  }
  return text;
}

void registerSqlTables(Reader& reader) {
  for (const auto& t : tables()) registerSqlTable(reader, t);
  registerSqlFunctions(reader);
}

} // namespace reports
