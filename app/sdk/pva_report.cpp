#include "app/sdk/pva_report.h"

#include "analyser/summary/summary.h"
#include "reports/core/categories.h"
#include "reports/core/packed.h"
#include "reports/rows/block_records.h"
#include "reports/rows/slice_decode.h"
#include "reports/sqlite/reader.h"

#include <array>
#include <cstdio>
#include <limits>
#include <unordered_map>

namespace pva {

// Variables by tile as the report packs them, and bytes of each category on each tile. A tile is decoded when its categories are asked for.
struct TileContents {
  std::vector<std::vector<int64_t>> totals;                          // by category, by tile
  std::vector<int64_t> categories;                                   // by variable
  std::unordered_map<std::size_t, reports::TileVariablesRow> placed; // by tile
  std::array<int64_t, 4> bounds{};                                   // of the regions

  MemoryByCategory of(std::size_t tile) const {
    MemoryByCategory all;
    for (std::size_t c = 0; c < totals.size(); ++c) {
      MemoryCategory& category = all.m_all[c];
      category.m_total = std::uint64_t(totals[c][tile]);
      category.m_hasRegions = !placed.empty();
    }
    if (const auto row = placed.find(tile); row != placed.end()) addRegions(row->second, all);
    return all;
  }

private:
  void addRegions(const reports::TileVariablesRow& row, MemoryByCategory& all) const {
    const auto n = std::size_t(row.lowered);
    const auto ids = reports::unpackDeltas(row.variables, n, "tile_variables.variables"),
               addresses = reports::unpackDeltas(row.addresses, n, "tile_variables.addresses");
    const auto sizes = reports::unpackVarints(row.sizes, n, "tile_variables.sizes"),
               fresh = reports::unpackVarints(row.ownBytes, n, "tile_variables.own_bytes");
    for (std::size_t i = 0; i < n; ++i) {
      const int64_t category = ids[i] >= 0 && std::size_t(ids[i]) < categories.size() ? categories[std::size_t(ids[i])] : -1;
      constexpr int64_t kMostOfATile = int64_t(1) << 40;
      if (category < 0 || category >= reports::kMemoryCategoryCount)
        throw reports::Error(reports::ErrorCode::Damaged, "a tile names a variable that is not in the report",
                             "table tile_variables", "write the report again");
      if (sizes[i] < 0 || sizes[i] > kMostOfATile || addresses[i] < 0 || addresses[i] > kMostOfATile)
        throw reports::Error(reports::ErrorCode::Damaged, "impossible size or address of a variable", "table tile_variables",
                             "write the report again");
      int64_t own = std::max<int64_t>(0, fresh[i]);
      for (std::size_t region = 0; region < 3; ++region) {
        const int64_t inside = std::min(addresses[i] + sizes[i], bounds[region + 1]) - std::max(addresses[i], bounds[region]);
        if (inside <= 0) continue;
        MemoryRegion& sum = all.m_all[category].m_regions[region];
        const int64_t first = std::min(own, inside);
        own -= first;
        sum.m_nonOverlapped += std::uint64_t(first);
        sum.m_overlapped += std::uint64_t(inside - first);
      }
    }
  }
};

MemoryByCategory TileMemory::category() const {
  try {
    return m_contents ? m_contents->of(m_tile) : MemoryByCategory();
  } catch (const reports::Error& error) {
    throw std::runtime_error(error.what());
  }
}

// Fills the classes; no other code can.
struct Contents {
  explicit Contents(analyser::Session& session) : m_session(session), m_reader(session.reader()) {}

  Report read() {
    m_compilation = std::make_shared<CompilationReport>();
    m_execution = std::make_shared<ExecutionReport>();
    readTarget();
    readTiles();
    readPrograms();
    readComputeSets();
    for (const auto& option : m_reader.rows<reports::EngineOptionRow>()) m_compilation->m_options[option.key] = option.value;
    readRuns();
    readBlocks();
    Report report;
    report.m_version = version(m_session.metadata("tool_version", TILESCOPE_VERSION));
    report.m_compilation = m_compilation;
    report.m_execution = m_execution;
    return report;
  }

private:
  // Programs ask for the version of Poplar. They get the version whose names are implemented, followed by our own version.
  static PoplarVersion version(const std::string& tool) { return {3, 3, 0, "3.3.0 (Tilescope " + tool + ")"}; }

  void readTarget() {
    const analyser::Machine& machine = m_session.machine();
    Target& target = m_compilation->m_target;
    target.m_architecture = machine.architecture;
    target.m_type = "IPU";
    target.m_bytesPerTile = std::uint64_t(machine.memoryPerTile.value());
    target.m_clockFrequency = std::uint64_t(machine.clockHz);
    target.m_ipus = std::uint64_t(machine.ipus);
    target.m_tilesPerIpu = std::uint64_t(machine.tilesPerIpu);
    target.m_tiles = std::uint64_t(machine.tiles());
    const auto counts = analyser::summary::summarise(m_session).graph;
    Graph& graph = m_compilation->m_graph;
    graph.m_computeSets = std::uint64_t(counts.computeSets);
    graph.m_edges = std::uint64_t(counts.edges);
    graph.m_variables = std::uint64_t(counts.variables);
    graph.m_vertices = std::uint64_t(counts.vertices);
  }

  std::vector<int64_t> series(const char* name) {
    const auto row = m_reader.first<reports::TileSeriesRow>("name = ?", {std::string(name)});
    std::vector<int64_t> values(std::size_t(m_session.machine().tiles()), 0);
    if (row) values = reports::unpackRuns(row->byTile, values.size(), "tile_series");
    return values;
  }

  std::shared_ptr<const TileContents> tileContents() {
    auto contents = std::make_shared<TileContents>();
    const analyser::Machine& machine = m_session.machine();
    contents->bounds = {0, machine.interleavedStart.value(), machine.memoryPerTile.value(), std::numeric_limits<int64_t>::max()};
    for (int c = 0; c < reports::kMemoryCategoryCount; ++c)
      contents->totals.push_back(
          series(("memory.category." + std::string(reports::memoryCategoryName(reports::MemoryCategory(c)))).c_str()));
    for (const auto& row : m_reader.rows<reports::VariableRow>()) {
      if (row.id >= int64_t(contents->categories.size())) contents->categories.resize(std::size_t(row.id) + 1, -1);
      if (row.id >= 0) contents->categories[std::size_t(row.id)] = row.category;
    }
    m_reader.forEach<reports::TileVariablesRow>(
        {}, {}, [&](const reports::TileVariablesRow& row) { contents->placed.emplace(std::size_t(row.tile), row); });
    return contents;
  }

  void readTiles() {
    const auto total = series("memory.total"), withGaps = series("memory.total_with_gaps"), overflow = series("memory.overflow"),
               live = series("memory.always_live"), notLive = series("memory.peak_not_always_live"),
               plain = series("memory.region.non_interleaved"), interleaved = series("memory.region.interleaved");
    const auto contents = tileContents();
    for (std::size_t t = 0; t < total.size(); ++t) {
      Tile tile;
      tile.m_id = t;
      tile.m_ipu = t / std::size_t(m_session.machine().tilesPerIpu);
      tile.m_memory.m_total.m_excludingGaps = std::uint64_t(total[t]);
      tile.m_memory.m_total.m_includingGaps = std::uint64_t(withGaps[t]);
      tile.m_memory.m_alwaysLive = std::uint64_t(live[t]);
      tile.m_memory.m_notAlwaysLive = std::uint64_t(notLive[t]);
      tile.m_memory.m_nonInterleaved = std::uint64_t(plain[t]);
      tile.m_memory.m_interleaved = std::uint64_t(interleaved[t]);
      tile.m_memory.m_overflowed = std::uint64_t(overflow[t]);
      tile.m_memory.m_contents = contents;
      tile.m_memory.m_tile = t;
      m_compilation->m_tiles.push_back(std::move(tile));
    }
  }

  static Program::Type typeOf(const std::string& kind) {
    using Type = Program::Type;
    static const std::map<std::string, Type> types{{"OnTileExecute", Type::OnTileExecute},
                                                   {"OnTileCopy", Type::OnTileCopy},
                                                   {"DoExchange", Type::DoExchange},
                                                   {"GlobalExchange", Type::GlobalExchange},
                                                   {"StreamCopyBegin", Type::StreamCopyBegin},
                                                   {"StreamCopyMid", Type::StreamCopyMid},
                                                   {"StreamCopyEnd", Type::StreamCopyEnd},
                                                   {"Sync", Type::Sync},
                                                   {"Sequence", Type::Sequence},
                                                   {"ControlProgram", Type::Sequence},
                                                   {"Function", Type::Sequence},
                                                   {"Repeat", Type::Repeat},
                                                   {"RepeatWhile", Type::RepeatWhile},
                                                   {"If", Type::If},
                                                   {"Switch", Type::Switch},
                                                   {"Call", Type::Call},
                                                   {"Block", Type::Block}};
    const auto it = types.find(kind);
    return it == types.end() ? Type::Unknown : it->second;
  }
  static std::string lastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); } // npos + 1 is 0

  // Code of each tile, by row of control_code; row -1: no code.
  std::map<int64_t, std::shared_ptr<const Program::CodeRuns>> controlCodes() {
    const auto tiles = std::size_t(m_session.machine().tiles());
    std::map<int64_t, std::shared_ptr<const Program::CodeRuns>> codes;
    codes[-1] = std::make_shared<const Program::CodeRuns>(Program::CodeRuns{{tiles, 0}});
    for (const auto& row : m_reader.rows<reports::ControlCodeRow>()) {
      Program::CodeRuns runs;
      for (const reports::ValueRun& run : reports::unpackAsRuns(row.byTile, tiles, "control_code.by_tile")) {
        if (run.value < 0)
          throw reports::Error(reports::ErrorCode::Damaged, "the size of control code is negative", "table control_code");
        runs.emplace_back(run.end - run.begin, std::uint64_t(run.value));
      }
      codes[row.id] = std::make_shared<const Program::CodeRuns>(std::move(runs));
    }
    return codes;
  }

  void readPrograms() {
    const auto rows = m_reader.rows<reports::ProgramStepRow>();
    const auto codes = controlCodes();
    for (const auto& row : rows) {
      auto program = std::make_shared<Program>();
      program->m_id = std::uint64_t(row.id);
      program->m_type = typeOf(row.kind);
      program->m_path = m_reader.text(row.nameId);
      program->m_name = lastPart(program->m_path);
      program->m_codeBytes = std::uint64_t(row.codeBytes);
      if (row.controlCodeId || row.codeBytes == 0) {
        const auto code = codes.find(row.controlCodeId.value_or(-1));
        if (code == codes.end())
          throw reports::Error(reports::ErrorCode::Damaged, "a program step names control code that does not exist",
                               "table program_step");
        program->m_code = code->second;
      }
      m_program[row.id] = program;
      m_compilation->m_programs.push_back(program);
    }
    for (const auto& row : rows) {
      const auto parent = row.parentId ? m_program.find(*row.parentId) : m_program.end();
      if (parent == m_program.end())
        m_compilation->m_roots.push_back(m_program[row.id]);
      else
        parent->second->m_children.push_back(m_program[row.id]);
    }
  }

  void readComputeSets() {
    for (const auto& row : m_reader.rows<reports::ComputeSetRow>()) {
      ComputeSet set;
      set.m_id = std::uint64_t(row.id);
      set.m_name = m_reader.text(row.nameId);
      set.m_vertices = std::uint64_t(row.vertices);
      m_compilation->m_computeSets.push_back(std::move(set));
    }
  }

  void readRuns() {
    for (const auto& row : m_reader.rows<reports::RunRow>()) {
      Run run;
      run.m_name = row.name;
      run.m_from = std::uint64_t(row.startCycle);
      run.m_to = std::uint64_t(row.startCycle + row.cycles);
      m_execution->m_runs.push_back(std::move(run));
    }
    std::unordered_map<int64_t, int64_t> stepOfProfile;
    for (const auto& row : m_reader.rows<reports::StepProfileRow>()) stepOfProfile[row.id] = row.programStepId;
    std::unordered_map<int64_t, std::uint64_t> ipuOfTrack;
    for (const auto& row : m_reader.rows<reports::TrackRow>())
      if (row.ipu) ipuOfTrack[row.id] = std::uint64_t(*row.ipu);
    auto& steps = m_execution->m_steps;
    m_reader.forEach<reports::SliceChunkRow>({}, {}, [&](const reports::SliceChunkRow& row) {
      const auto ipu = ipuOfTrack.find(row.trackId);
      if (ipu == ipuOfTrack.end()) return; // a track of the host
      const reports::SliceColumns slices = reports::decodeChunk(row);
      for (std::size_t i = 0; i < slices.size(); ++i) {
        if (slices.categories[i] == uint8_t(reports::Activity::Scope)) continue;
        const auto profile = stepOfProfile.find(slices.refs[i]);
        const auto program = m_program.find(profile == stepOfProfile.end() ? int64_t(slices.refs[i]) : profile->second);
        if (program == m_program.end()) continue;
        Step step;
        step.m_program = program->second;
        step.m_ipu = ipu->second;
        step.m_from = std::uint64_t(slices.starts[i]);
        step.m_to = std::uint64_t(slices.end(i));
        steps.push_back(std::move(step));
      }
    });
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.m_from < b.m_from; });
    auto& runs = m_execution->m_runs;
    std::size_t at = 0;
    for (const Step& step : steps) {
      while (at < runs.size() && step.m_from >= runs[at].m_to) ++at;
      if (at < runs.size()) runs[at].m_steps.push_back(step);
    }
  }

  // The program of a scope of debug contexts, which has no program step.
  ProgramPtr scope(int64_t nameId) {
    ProgramPtr& program = m_scope[nameId];
    if (!program) {
      program = std::make_shared<Program>();
      program->m_path = m_reader.text(nameId);
      program->m_name = lastPart(program->m_path);
    }
    return program;
  }
  ProgramPtr blockProgram(const reports::BlockRecord& record) {
    using Kind = reports::BlockRecordKind;
    if (record.kind == Kind::Flush || record.kind == Kind::Overflow) {
      auto program = std::make_shared<Program>();
      program->m_type = record.kind == Kind::Flush ? Program::Type::BlockFlush : Program::Type::BlockOverflow;
      program->m_path = program->m_name = record.kind == Kind::Flush ? "BlockFlush" : lastPart(m_reader.text(record.nameId));
      return program;
    }
    const auto known = m_program.find(record.step);
    return known == m_program.end() ? scope(record.nameId) : known->second;
  }

  void readBlocks() {
    for (const auto& row : m_reader.rows<reports::BlockChunkRow>()) {
      auto& blocks = m_execution->m_blocks[std::uint64_t(row.tile)];
      for (const reports::BlockRecord& record : reports::decodeBlocks(row)) {
        Block block;
        block.m_program = blockProgram(record);
        block.m_from = std::uint64_t(record.startCycle);
        block.m_to = std::uint64_t(record.endCycle());
        block.m_tile = std::uint64_t(row.tile);
        blocks.push_back(std::move(block));
      }
    }
  }

  analyser::Session& m_session;
  reports::Reader& m_reader;
  std::shared_ptr<CompilationReport> m_compilation;
  std::shared_ptr<ExecutionReport> m_execution;
  std::unordered_map<int64_t, ProgramPtr> m_program, m_scope; // by program_step.id, by string id
};

Report openReport(const std::string& file) {
  try {
    const auto session = analyser::Session::open(file);
    return app::sdk::pvaReport(*session);
  } catch (const reports::Error& error) {
    throw std::runtime_error(error.what());
  }
}
Report openReport(const std::string& file, const std::string&) { return openReport(file); }

} // namespace pva

namespace app::sdk {
pva::Report pvaReport(analyser::Session& session) { return pva::Contents(session).read(); }
} // namespace app::sdk
