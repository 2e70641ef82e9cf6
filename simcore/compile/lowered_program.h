// The program after lowering: a tree of the steps that a machine runs, each with its cost on every tile. Steps are stored
// depth-first. Leaf steps that take time have an ordinal, their position on the axis of liveness.
#pragma once

#include "reports/core/categories.h"
#include "simcore/compile/compute_cost.h"

#include <string>
#include <vector>

namespace simcore::compile {

using graph::PerTile;
using graph::VariableId;
using reports::Activity;
using reports::Bytes;
using reports::Cycles;
using reports::DebugContextId;
using reports::MemoryCategory;

enum class StepKind {
  ControlProgram,
  Function,
  Sequence,
  Repeat,
  RepeatWhile,
  If,
  Switch,
  Call,
  Block,
  OnTileExecute,
  OnTileCopy,
  DoExchange,
  GlobalExchange,
  StreamCopyBegin,
  StreamCopyMid,
  StreamCopyEnd,
  Sync,
  WriteUndef,
  PrintTensor,
  AbortOnCondition,
  ErrorProgram,
  HostCompute, // the numbers of a library op: takes no time and is not in the report
};
const char* stepKindName(StepKind kind);
bool isControl(StepKind kind); // has children, takes no time itself

// One exchange as executed: between tiles of an IPU, over links, or with the host. Only exchanges within an IPU have sharedIn and
// latencyIn.
struct Exchange : graph::TileTraffic {
  Activity activity = Activity::InternalExchange; // InternalExchange, GlobalExchange or HostStream
  std::string name;
  PerTile codeBytes;
  std::vector<graph::LinkFlow> linkFlows; // GlobalExchange: bytes between IPUs; may be empty
  PerTile packets;                        // HostStream: packets by tile
};

struct Step {
  StepKind kind = StepKind::Sequence;
  std::string name; // full path, parts separated by slashes
  std::string shownName() const { return name.empty() ? stepKindName(kind) : name; }
  DebugContextId context;
  int parent = -1, position = 0;
  std::vector<int> children;
  Activity activity = Activity::Scope;
  graph::ComputeSetId computeSet;
  int exchange = -1; // index of LoweredProgram::exchanges
  int64_t repeat = 0;
  graph::FunctionId function; // Call: the function …
  int callee = -1;            // … and its first step, set after all functions are lowered
  bool external = false;      // Sync: with other IPUs or the host
  int ordinal = -1;           // position on the liveness axis
  PerTile cycles;             // busy cycles by tile
  Cycles duration{0};         // of the slowest tile
  int64_t flops = 0;
  int64_t workerCycles = 0;     // compute: sum over vertices
  PerTile controlCode;          // bytes by tile
  PerTile copyRuns;             // OnTileCopy: number of contiguous stretches moved, by tile
  int firstIpu = 0, endIpu = 1; // IPUs that take part
  std::vector<VariableId> reads, writes;
  std::vector<VariableId> partialWrites;      // variables in `writes` that keep some of their old elements; sorted
  std::vector<graph::VariableMove> moves;     // for a copy or exchange: the source in `reads` of each of `writes`; empty: unknown
  bool gathers = false;                       // packs parts of words for the next exchange
  bool planned = false;                       // reads and writes come from a planner, as whole variables
  const graph::ProgramNode* action = nullptr; // the node whose numbers belong to this step
};

// Storage that is always live or live at times: variables of the graph, buffers of exchanges, and everything that is not data
// (code, vertex state, tables, stacks).
struct Storage {
  std::string name;
  DebugContextId context;
  VariableId variable; // of the graph; invalid for storage that the compiler makes
  MemoryCategory category = MemoryCategory::Variable;
  PerTile bytes;
  bool alwaysLive = true;
  bool interleaved = false;
  int alignment = 4;
  // Liveness ordinals; empty if always live. A function's steps count once for all its calls. Storage that only waits for the end
  // of a call is shown as live in the function only if most bytes wait during that call.
  std::vector<reports::Range<int64_t>> live;
  PerTile alignmentPhase = {};      // by tile: offset of the byte that must be aligned
  std::vector<uint32_t> apart = {}; // indices of storage that must not share a memory element with this one
  // For storage that waits for calls: the ordinals of its own programs' steps, and those of the called functions. Two storages
  // that both wait overlap in a function only if they overlap at the call, so `waiting` is only compared with `own`. If both are
  // empty, `live` counts.
  std::vector<reports::Range<int64_t>> own = {}, waiting = {};
  const std::vector<reports::Range<int64_t>>& ownLive() const { return waiting.empty() ? live : own; }
  std::string demands = {}; // list of the vertex fields that constrain the address, for messages
  // Constants of vertices: type and elements of one vertex; `bytes` counts them once per vertex.
  std::string elementType = {};
  int64_t elements = 0;
};

// Memory on one tile of each IPU for the begins and ends of Blocks (engine options profiler.*).
struct BlockBuffer {
  int64_t bytes = 0;   // 0: no Blocks are timed
  int64_t tile = 0;    // the index within each IPU
  bool flushed = true; // a full buffer is sent to the host while the program runs
};

struct LoweredProgram {
  std::vector<Step> steps;
  std::vector<int> roots; // control programs, then functions
  std::vector<Exchange> exchanges;
  std::vector<ComputeCost> costs; // by compute set; empty for sets that no program executes
  std::vector<int> ordinals;      // by liveness ordinal: its step
  std::vector<Storage> buffers;   // exchange buffers made by lowering, with their live range
  BlockBuffer blockBuffer;
  std::vector<int> blockFlushes; // by IPU: the function that sends the buffer to the host; empty if it is not flushed
  int64_t vertices = 0, edges = 0;
};

} // namespace simcore::compile
