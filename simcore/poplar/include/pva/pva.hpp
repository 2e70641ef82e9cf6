// Reads a report in C++: the compiled program and its runs. Sizes are in bytes, times in cycles.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pva {

struct Contents; // how a report is kept
struct TileContents; // variables on tiles, decoded when they are asked for

class PoplarVersion {
public:
  PoplarVersion() = default;
  PoplarVersion(unsigned major, unsigned minor, unsigned point, std::string text)
      : m_major(major), m_minor(minor), m_point(point), m_text(std::move(text)) {}
  unsigned major() const { return m_major; }
  unsigned minor() const { return m_minor; }
  unsigned point() const { return m_point; }
  unsigned majorVer() const { return m_major; } // libpva's names
  unsigned minorVer() const { return m_minor; }
  unsigned pointVer() const { return m_point; }
  const std::string& string() const { return m_text; }
  std::string packageHash() const { return ""; } // empty: Poplar did not write the report

private:
  unsigned m_major = 0, m_minor = 0, m_point = 0;
  std::string m_text;
};
inline std::ostream& operator<<(std::ostream& out, const PoplarVersion& version) { return out << version.string(); }

class Target {
public:
  const std::string& architecture() const { return m_architecture; }
  const std::string& type() const { return m_type; }
  std::uint64_t bytesPerTile() const { return m_bytesPerTile; }
  std::uint64_t totalMemory() const { return m_bytesPerTile * m_tiles; }
  std::uint64_t clockFrequency() const { return m_clockFrequency; } // Hz
  std::uint64_t numIPUs() const { return m_ipus; }
  std::uint64_t numTiles() const { return m_tiles; } // of all IPUs
  std::uint64_t tilesPerIpu() const { return m_tilesPerIpu; }
  std::uint64_t numReplicas() const { return m_replicas; }

private:
  friend struct Contents;
  std::string m_architecture, m_type;
  std::uint64_t m_bytesPerTile = 0, m_clockFrequency = 0, m_ipus = 0, m_tiles = 0, m_tilesPerIpu = 0, m_replicas = 1;
};

class Graph {
public:
  std::uint64_t numComputeSets() const { return m_computeSets; }
  std::uint64_t numEdges() const { return m_edges; }
  std::uint64_t numVars() const { return m_variables; }
  std::uint64_t numVertices() const { return m_vertices; }

private:
  friend struct Contents;
  std::uint64_t m_computeSets = 0, m_edges = 0, m_variables = 0, m_vertices = 0;
};

class TotalMemory {
public:
  std::uint64_t includingGaps() const { return m_includingGaps; } // up to the highest address that is used
  std::uint64_t excludingGaps() const { return m_excludingGaps; }

private:
  friend struct Contents;
  std::uint64_t m_includingGaps = 0, m_excludingGaps = 0;
};

// Bytes of a storage category in one region of a tile's memory.
class MemoryRegion {
public:
  std::uint64_t nonOverlapped() const { return m_nonOverlapped; }
  std::uint64_t overlapped() const { return m_overlapped; } // share memory with variables that are never live at the same time
  std::uint64_t total() const { return m_nonOverlapped; }

private:
  friend struct TileContents;
  std::uint64_t m_nonOverlapped = 0, m_overlapped = 0;
};

// Bytes of a storage category on a tile. Regions throw std::runtime_error if the report does not say where variables are.
class MemoryCategory {
public:
  std::uint64_t total() const { return m_total; } // without overlapped bytes
  const MemoryRegion& nonInterleaved() const { return region(0); }
  const MemoryRegion& interleaved() const { return region(1); }
  const MemoryRegion& overflowed() const { return region(2); } // beyond the end of the tile's memory

private:
  friend struct TileContents;
  const MemoryRegion& region(std::size_t i) const {
    if (!m_hasRegions) throw std::runtime_error("pva: the report does not say where variables are on the tiles");
    return m_regions[i];
  }
  std::uint64_t m_total = 0;
  MemoryRegion m_regions[3];
  bool m_hasRegions = false;
};

class MemoryByCategory {
public:
  const MemoryCategory& variable() const { return m_all[0]; }
  const MemoryCategory& constant() const { return m_all[1]; }
  const MemoryCategory& vertexCode() const { return m_all[2]; }
  const MemoryCategory& internalExchangeCode() const { return m_all[3]; }
  const MemoryCategory& controlCode() const { return m_all[4]; }
  const MemoryCategory& vertexInstanceState() const { return m_all[5]; }
  const MemoryCategory& stack() const { return m_all[6]; }
  const MemoryCategory& message() const { return m_all[7]; }
  const MemoryCategory& vertexFieldData() const { return m_all[8]; }
  const MemoryCategory& copyDescriptor() const { return m_all[9]; }
  const MemoryCategory& vectorListDescriptor() const { return m_all[10]; }
  const MemoryCategory& controlTable() const { return m_all[11]; }
  const MemoryCategory& controlId() const { return m_all[12]; }
  const MemoryCategory& hostExchangeCode() const { return m_all[13]; }
  const MemoryCategory& hostExchangePacketHeader() const { return m_all[14]; }
  const MemoryCategory& hostMessage() const { return m_all[15]; }
  const MemoryCategory& globalExchangeCode() const { return m_all[16]; }
  const MemoryCategory& globalExchangePacketHeader() const { return m_all[17]; }
  const MemoryCategory& globalMessage() const { return m_all[18]; }
  const MemoryCategory& instrumentationResults() const { return m_all[19]; }
  const MemoryCategory& rearrangement() const { return m_all[20]; }
  const MemoryCategory& sharedCodeStorage() const { return m_all[21]; }
  const MemoryCategory& sharedDataStorage() const { return m_all[22]; }

private:
  friend struct TileContents;
  MemoryCategory m_all[23]; // by number of category in the report
};

class TileMemory {
public:
  const TotalMemory& total() const { return m_total; }
  std::uint64_t alwaysLiveBytes() const { return m_alwaysLive; }
  std::uint64_t notAlwaysLiveBytes() const { return m_notAlwaysLive; } // the maximum over all steps
  std::uint64_t nonInterleaved() const { return m_nonInterleaved; }
  std::uint64_t interleaved() const { return m_interleaved; }
  std::uint64_t overflowed() const { return m_overflowed; } // bytes beyond the end of the tile's memory
  MemoryByCategory category() const; // throws std::runtime_error for damaged rows of the tile

private:
  friend struct Contents;
  TotalMemory m_total;
  std::uint64_t m_alwaysLive = 0, m_notAlwaysLive = 0, m_nonInterleaved = 0, m_interleaved = 0, m_overflowed = 0;
  std::shared_ptr<const TileContents> m_contents;
  std::size_t m_tile = 0;
};

class Tile {
public:
  std::uint64_t id() const { return m_id; }
  std::uint64_t ipu() const { return m_ipu; }
  const TileMemory& memory() const { return m_memory; }

private:
  friend struct Contents;
  std::uint64_t m_id = 0, m_ipu = 0;
  TileMemory m_memory;
};

class ComputeSet {
public:
  const std::string& name() const { return m_name; }
  std::uint64_t id() const { return m_id; }
  std::uint64_t numVertices() const { return m_vertices; }

private:
  friend struct Contents;
  std::string m_name;
  std::uint64_t m_id = 0, m_vertices = 0;
};

class Program {
public:
  enum class Type {
    Unknown,
    OnTileExecute,
    OnTileCopy,
    DoExchange,
    GlobalExchange,
    StreamCopyBegin,
    StreamCopyMid,
    StreamCopyEnd,
    Sync,
    SyncAns,
    Sequence,
    Repeat,
    RepeatWhile,
    If,
    Switch,
    Call,
    Block,
    BlockFlush,
    BlockOverflow,
    SetLocalConsensusFromVar,
    CpuExecute
  };
  Type type() const { return m_type; }
  const std::string& name() const { return m_name; } // the last part of the context's path
  const std::string& path() const { return m_path; }
  std::uint64_t id() const { return m_id; }
  const std::vector<std::shared_ptr<Program>>& children() const { return m_children; }
  std::uint64_t controlCodeBytes() const { return m_codeBytes; } // over all tiles
  // One number for each tile of the machine; empty for reports that have only the sum, and for executions that are not a step.
  std::vector<std::uint64_t> controlCodeByTile() const {
    std::vector<std::uint64_t> bytes;
    if (m_code)
      for (const auto& run : *m_code) bytes.insert(bytes.end(), std::size_t(run.first), run.second);
    return bytes;
  }

private:
  friend struct Contents;
  using CodeRuns = std::vector<std::pair<std::uint64_t, std::uint64_t>>; // tiles, bytes on each
  Type m_type = Type::Unknown;
  std::string m_name, m_path;
  std::uint64_t m_id = 0, m_codeBytes = 0;
  std::shared_ptr<const CodeRuns> m_code; // shared by programs with equal code
  std::vector<std::shared_ptr<Program>> m_children;
};

using ProgramPtr = std::shared_ptr<Program>;
inline std::ostream& operator<<(std::ostream& out, const Program& program) { return out << program.name(); }

// One execution of a program that a tile timed: of a poplar::program::Block, or of a program that profiler.programs.filter names.
class Block {
public:
  const ProgramPtr& program() const { return m_program; }
  std::uint64_t cyclesFrom() const { return m_from; }
  std::uint64_t cyclesTo() const { return m_to; }
  std::uint64_t cycles() const { return m_to - m_from; }
  std::uint64_t tile() const { return m_tile; } // the tile that timed it
  bool isCommon() const { return !isStreamCopy() && !isBlockFlush() && !isOverflow(); }
  bool isBlockFlush() const { return m_program->type() == Program::Type::BlockFlush; }
  bool isOverflow() const {
    return m_program->type() == Program::Type::BlockOverflow;
  } // represents executions that did not fit into the buffer
  bool isStreamCopy() const {
    const Program::Type type = m_program->type();
    return type == Program::Type::StreamCopyBegin || type == Program::Type::StreamCopyMid || type == Program::Type::StreamCopyEnd;
  }

private:
  friend struct Contents;
  ProgramPtr m_program;
  std::uint64_t m_from = 0, m_to = 0, m_tile = 0;
};

// One execution of a step.
class Step {
public:
  const ProgramPtr& program() const { return m_program; }
  std::uint64_t ipu() const { return m_ipu; }
  std::uint64_t cyclesFrom() const { return m_from; }
  std::uint64_t cyclesTo() const { return m_to; }
  std::uint64_t cycles() const { return m_to - m_from; }

private:
  friend struct Contents;
  ProgramPtr m_program;
  std::uint64_t m_ipu = 0, m_from = 0, m_to = 0;
};

using ExecutionStep = Step; // libpva's name

class Run {
public:
  const std::string& name() const { return m_name; }
  std::uint64_t cyclesFrom() const { return m_from; }
  std::uint64_t cyclesTo() const { return m_to; }
  std::uint64_t cycles() const { return m_to - m_from; }
  const std::vector<Step>& steps() const { return m_steps; }

private:
  friend struct Contents;
  std::string m_name;
  std::uint64_t m_from = 0, m_to = 0;
  std::vector<Step> m_steps;
};

class CompilationReport {
public:
  const Graph& graph() const { return m_graph; }
  const Target& target() const { return m_target; }
  const std::vector<Tile>& tiles() const { return m_tiles; }
  const std::vector<ProgramPtr>& programs() const { return m_programs; } // all steps, callers before callees
  const std::vector<ProgramPtr>& controlPrograms() const { return m_roots; }
  const std::vector<ComputeSet>& computeSets() const { return m_computeSets; }
  const std::map<std::string, std::string>& engineOptions() const { return m_options; }

private:
  friend struct Contents;
  Graph m_graph;
  Target m_target;
  std::vector<Tile> m_tiles;
  std::vector<ProgramPtr> m_programs, m_roots;
  std::vector<ComputeSet> m_computeSets;
  std::map<std::string, std::string> m_options;
};

class ExecutionReport {
public:
  const std::vector<Run>& runs() const { return m_runs; }
  const std::vector<Step>& steps() const { return m_steps; }  // of all runs and IPUs, by time
  std::vector<Block> blocks() const;                          // of all tiles
  const std::vector<Block>& blocks(std::uint64_t tile) const; // that this tile timed, by time; empty if it timed none
  std::uint64_t totalCycles() const { return m_runs.empty() ? 0 : m_runs.back().cyclesTo() - m_runs.front().cyclesFrom(); }

private:
  friend struct Contents;
  std::vector<Run> m_runs;
  std::vector<Step> m_steps;
  std::map<std::uint64_t, std::vector<Block>> m_blocks;
};

inline const std::vector<Block>& ExecutionReport::blocks(std::uint64_t tile) const {
  static const std::vector<Block> none;
  const auto it = m_blocks.find(tile);
  return it == m_blocks.end() ? none : it->second;
}
inline std::vector<Block> ExecutionReport::blocks() const {
  std::vector<Block> all;
  for (const auto& tile : m_blocks) all.insert(all.end(), tile.second.begin(), tile.second.end());
  return all;
}

class Report {
public:
  const PoplarVersion& poplarVersion() const { return m_version; }
  const CompilationReport& compilation() const { return *m_compilation; }
  const ExecutionReport& execution() const { return *m_execution; }
  bool hasExecution() const { return !m_execution->runs().empty(); }

private:
  friend struct Contents;
  PoplarVersion m_version;
  std::shared_ptr<const CompilationReport> m_compilation;
  std::shared_ptr<const ExecutionReport> m_execution;
};

// Opens a report that an engine wrote. Throws std::runtime_error for any other file.
Report openReport(const std::string& file);
Report openReport(const std::string& file, const std::string& debugFile);

} // namespace pva
