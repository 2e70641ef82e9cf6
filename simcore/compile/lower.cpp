#include "simcore/compile/lower.h"

#include "reports/core/error.h"
#include "reports/core/progress.h"
#include "simcore/compile/step_builder.h"

#include <algorithm>
#include <map>

namespace simcore::compile {

using graph::Graph;
using graph::ProgramNode;
using Kind = ProgramNode::Kind;

const char* stepKindName(StepKind kind) {
  static constexpr const char* kNames[] = {"ControlProgram", "Function",
                                           "Sequence",       "Repeat",
                                           "RepeatWhile",    "If",
                                           "Switch",         "Call",
                                           "Block",          "OnTileExecute",
                                           "OnTileCopy",     "DoExchange",
                                           "GlobalExchange", "StreamCopyBegin",
                                           "StreamCopyMid",  "StreamCopyEnd",
                                           "Sync",           "WriteUndef",
                                           "PrintTensor",    "AbortOnCondition",
                                           "ErrorProgram",   "HostCompute"};
  return kNames[std::size_t(kind)];
}

bool isControl(StepKind kind) {
  switch (kind) {
  case StepKind::ControlProgram:
  case StepKind::Function:
  case StepKind::Sequence:
  case StepKind::Repeat:
  case StepKind::RepeatWhile:
  case StepKind::If:
  case StepKind::Switch:
  case StepKind::Block: return true;
  default: return false;
  }
}

namespace {

// Control code of one step on a participating tile: about 5 instructions per compute-set call, 4 per exchange call, 1 per barrier
// (ipu-reference section 7), 1 per function call and 1 per return. The code of a host transfer itself is counted with its exchange.
int64_t controlCodeOf(StepKind kind) {
  switch (kind) {
  case StepKind::OnTileExecute:
  case StepKind::OnTileCopy: return 20;
  case StepKind::DoExchange:
  case StepKind::GlobalExchange:
  case StepKind::StreamCopyMid: return 16;
  case StepKind::Sync: return 4;
  case StepKind::Repeat:
  case StepKind::RepeatWhile:
  case StepKind::If:
  case StepKind::Switch: return 24;
  case StepKind::Call: return 8;
  default: return 0;
  }
}

} // namespace

namespace {
// Throws for recursive functions: they would not end, and a tile has no stack for them.
void refuseRecursion(const LoweredProgram& p) {
  std::map<int, std::vector<int>> called; // by the first step of a function or program
  for (std::size_t i = 0, root = 0; i < p.steps.size(); ++i) {
    if (p.steps[i].parent < 0) root = i;
    if (p.steps[i].callee >= 0) called[int(root)].push_back(p.steps[i].callee);
  }
  std::map<int, bool> done; // false: being visited
  const auto visit = [&](auto&& self, int root) -> void {
    const auto [it, isNew] = done.emplace(root, false);
    if (!isNew && !it->second)
      throw reports::Error(reports::ErrorCode::InvalidInput, "the function calls itself", p.steps[std::size_t(root)].name,
                           "use a Repeat or a RepeatWhile");
    if (!isNew) return;
    for (const int callee : called[root]) self(self, callee);
    done[root] = true;
  };
  for (const int root : p.roots) visit(visit, root);
}
} // namespace

void StepBuilder::run(const std::vector<NamedProgram>& programs) {
  for (const auto& v : m_graph.variables())
    if (!v.mapped())
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           "variable of shape " + numerics::toString(v.shape) + " is not mapped to a tile",
                           m_graph.fullName(VariableId(std::size_t(&v - m_graph.variables().data()))),
                           "call setTileMapping for every element, or mapTensorLinearly");
  m_functionSteps.assign(m_graph.functions().size(), -1);
  for (const auto& p : programs) root(StepKind::ControlProgram, p.name, p.program);
  for (std::size_t f = 0; f < m_graph.functions().size(); ++f)
    m_functionSteps[f] = root(StepKind::Function, m_graph.functions()[f].name, m_graph.functions()[f].body);
  blockFlushes();
  for (auto& s : m_out.steps) narrowToIpus(s);
  for (auto& s : m_out.steps)
    if (s.kind == StepKind::Call) s.callee = m_functionSteps[s.function.value];
  refuseRecursion(m_out);
}

int StepBuilder::root(StepKind kind, const std::string& name, const graph::Program& program) {
  const int id = begin(kind, name, {});
  m_out.roots.push_back(id);
  if (program) node(*program); // a Program without a definition does nothing
  m_parent = -1;
  return id;
}

int StepBuilder::begin(StepKind kind, std::string name, DebugContextId context) {
  const int id = int(m_out.steps.size());
  m_out.steps.push_back({});
  Step& s = m_out.steps.back();
  s.kind = kind;
  s.name = std::move(name);
  s.context = context;
  s.parent = m_parent;
  s.endIpu = m_graph.machine().ipus;
  if (m_parent >= 0) {
    s.position = int(m_out.steps[std::size_t(m_parent)].children.size());
    m_out.steps[std::size_t(m_parent)].children.push_back(id);
  }
  if (isControl(kind)) m_parent = id;
  return id;
}

Step& StepBuilder::leaf(StepKind kind, Activity activity, std::string name, DebugContextId context) {
  const int id = begin(kind, std::move(name), context);
  Step& s = m_out.steps[std::size_t(id)];
  s.activity = activity;
  s.ordinal = int(m_out.ordinals.size());
  m_out.ordinals.push_back(id);
  return s;
}

std::string StepBuilder::nameOf(DebugContextId context, const std::string& own) const {
  const std::string path = m_graph.fullName(context);
  if (path.empty()) return own;
  return own.empty() ? path : path + "/" + own;
}

PerTile StepBuilder::cyclesOn(const std::vector<bool>& sets, Cycles duration) const {
  PerTile cycles;
  for (int set = 0; set < m_sets.count(); ++set)
    if (sets[std::size_t(set)]) cycles.add(m_sets.tiles(set), duration.value());
  return cycles;
}

void StepBuilder::narrowToIpus(Step& s) const {
  const int64_t perIpu = m_graph.machine().tilesPerIpu, bytes = controlCodeOf(s.kind);
  if (!s.cycles.empty()) {
    s.firstIpu = int(s.cycles.runs().front().tiles.begin / perIpu);
    s.endIpu = int(reports::ceilDiv(s.cycles.runs().back().tiles.end, perIpu));
  }
  switch (s.kind) { // a tile without vertices or data is not part of these steps and continues to the next barrier
  case StepKind::OnTileExecute:
  case StepKind::OnTileCopy:
  case StepKind::DoExchange:
  case StepKind::Sync:
    for (const auto& r : s.cycles.runs()) s.controlCode.add(r.tiles, bytes);
    break;
  case StepKind::StreamCopyMid: {
    const Exchange& e = m_out.exchanges[std::size_t(s.exchange)];
    for (const PerTile* moved : {&e.bytesIn, &e.bytesOut})
      for (const auto& r : moved->runs()) s.controlCode.add(r.tiles, bytes);
    break;
  }
  default: s.controlCode = PerTile::uniform({s.firstIpu * perIpu, s.endIpu * perIpu}, bytes);
  }
}

void StepBuilder::node(const ProgramNode& n) {
  reports::throwIfStopped(m_stop);
  switch (n.kind) {
  case Kind::Sequence:
    if (n.name.empty()) return children(n);
    return nested(StepKind::Sequence, n, 0);
  case Kind::Repeat: return nested(StepKind::Repeat, n, n.count);
  case Kind::Block: return nested(StepKind::Block, n, 0);
  case Kind::RepeatWhileTrue:
  case Kind::RepeatWhileFalse: return nested(StepKind::RepeatWhile, n, 0);
  case Kind::If: return nested(StepKind::If, n, 0);
  case Kind::Switch: return nested(StepKind::Switch, n, 0);
  case Kind::Execute: return execute(n);
  case Kind::Copy: return copy(n);
  case Kind::Rearrange: return rearrange(n);
  case Kind::StreamToTensor:
  case Kind::TensorToStream: return stream(n);
  case Kind::RemoteToTensor:
  case Kind::TensorToRemote: return remote(n);
  case Kind::HostCompute: {
    m_out.steps[std::size_t(begin(StepKind::HostCompute, n.name, n.context))].action = &n;
    return;
  }
  case Kind::Call: {
    m_graph.function(n.function); // throws for a function of another graph
    Step& s = leaf(StepKind::Call, Activity::Control, nameOf(n.context, n.name), n.context);
    s.function = n.function;
    s.action = &n;
    return;
  }
  case Kind::WriteUndef: {
    Step& s = leaf(StepKind::WriteUndef, Activity::Control, "WriteUndef", n.context);
    const std::vector<VariableId> partly = partlyWritten(m_graph, n.destination);
    for (VariableId v : n.destination.variables()) // a variable of which only a part becomes undefined stays live
      if (!std::binary_search(partly.begin(), partly.end(), v)) s.writes.push_back(v);
    s.action = &n;
    return;
  }
  case Kind::Sync: return syncStep(n.context, n.sync != graph::SyncType::Internal, m_sets.touchedBy({}));
  case Kind::PrintTensor:
  case Kind::AbortOnCondition:
  case Kind::ErrorProgram: return hostStop(n);
  case Kind::CycleStamp: { // the tile reads its counter
    const int64_t tile = m_graph.variable(n.destination.variables()[0]).tileRange().begin;
    registerStep(n, n.name, {tile, tile + 1}, 1);
    m_out.steps.back().writes = n.destination.variables();
    return;
  }
  case Kind::SetFloatingPoint: // all workers write the control register at the same time
    return registerStep(n, n.name.empty() ? "setFloatingPointBehaviour" : n.name, {0, m_graph.tiles()},
                        m_graph.machine().tile.workers);
  }
}

void StepBuilder::registerStep(const ProgramNode& n, const std::string& name, graph::TileRange tiles, int workers) {
  Step& s = leaf(StepKind::OnTileExecute, Activity::Compute, nameOf(n.context, name), n.context);
  s.duration = Cycles(6);   // of a `get` or `put` (ipu-reference 3)
  s.workerCycles = workers; // one instruction each
  s.cycles = PerTile::uniform(tiles, s.duration.value());
  s.action = &n;
}

// The step in which the host prints a tensor or stops the program.
void StepBuilder::hostStop(const ProgramNode& n) {
  const StepKind kind = n.kind == Kind::PrintTensor        ? StepKind::PrintTensor
                        : n.kind == Kind::AbortOnCondition ? StepKind::AbortOnCondition
                                                           : StepKind::ErrorProgram;
  Step& s = leaf(kind, Activity::HostStream, n.name, n.context);
  if (n.source.valid()) s.reads = n.source.variables();
  s.action = &n;
  s.duration = m_graph.machine().host.handshake;
  s.cycles = PerTile::uniform({0, m_graph.machine().tilesPerIpu}, s.duration.value()); // all tiles of the first IPU wait
}

void StepBuilder::children(const ProgramNode& n) {
  for (const auto& c : n.children) node(*c);
}

// Name of a branch: "true", "case 3", "body".
static std::string branchName(const ProgramNode& n, std::size_t child) {
  switch (n.kind) {
  case Kind::If: return child == 0 ? "true" : "false";
  case Kind::Switch: return child < n.cases.size() ? "case " + std::to_string(n.cases[child]) : "default";
  default: return child == 0 ? "condition" : "body";
  }
}

void StepBuilder::nested(StepKind kind, const ProgramNode& n, int64_t repeat) {
  const std::string name = nameOf(n.context, n.name.empty() ? stepKindName(kind) : n.name);
  const bool loop = kind == StepKind::RepeatWhile;
  bool told = n.source.valid() && !loop && tellPredicate(n, name);
  const int id = begin(kind, nameOf(n.context, n.name), n.context);
  m_out.steps[std::size_t(id)].repeat = repeat;
  m_out.steps[std::size_t(id)].action = &n;
  if (kind == StepKind::RepeatWhile || kind == StepKind::If || kind == StepKind::Switch) {
    for (std::size_t i = 0; i < n.children.size(); ++i) { // branches and conditions are separate steps: the engine chooses
      const int branch = begin(StepKind::Sequence, branchName(n, i), n.context);
      node(*n.children[i]);
      if (loop && i == 0) told = tellPredicate(n, name);
      end(branch);
    }
  } else {
    children(n);
  }
  if (n.source.valid() && !told) // else the step that sends the predicate reads it
    for (VariableId v : n.source.variables()) m_out.steps[std::size_t(id)].reads.push_back(v);
  end(id);
}

LoweredProgram lower(const Graph& graph, const std::vector<NamedProgram>& programs, const std::stop_token& stop,
                     const BlockBuffer& blocks) {
  LoweredProgram out;
  out.blockBuffer = blocks;
  StepBuilder(graph, out, stop).run(programs);
  return out;
}

} // namespace simcore::compile
