#include "simcore/compile/lower.h"

#include "reports/core/error.h"
#include "simcore/codelets/copy.h"
#include "simcore/compile/compute_cost.h"
#include "simcore/compile/exchange_plan.h"
#include "simcore/compile/race_check.h"

#include <algorithm>

namespace simcore::compile {

using graph::Graph;
using graph::ProgramNode;
using graph::Tensor;
using graph::Traffic;
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
                                           "HostCompute"};
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

// Control code of one step on a tile that takes part: about 5 to 10 instructions per compute-set or exchange call, a few
// for a sync, a packet loop for streams (ipu-reference section 7).
int64_t controlCode(StepKind kind) {
  switch (kind) {
  case StepKind::OnTileExecute:
  case StepKind::OnTileCopy: return 20;
  case StepKind::DoExchange:
  case StepKind::GlobalExchange: return 16;
  case StepKind::StreamCopyBegin:
  case StepKind::StreamCopyMid:
  case StepKind::StreamCopyEnd: return 24;
  case StepKind::Sync: return 4;
  case StepKind::Repeat:
  case StepKind::RepeatWhile:
  case StepKind::If:
  case StepKind::Switch:
  case StepKind::Call: return 24;
  default: return 0;
  }
}

class Lowering {
public:
  Lowering(const Graph& graph, LoweredProgram& out) : m_graph(graph), m_out(out) {}

  void run(const std::vector<NamedProgram>& programs) {
    for (const auto& v : m_graph.variables())
      if (!v.mapped())
        throw reports::Error(reports::ErrorCode::InvalidInput,
                             "variable of shape " + numerics::toString(v.shape) + " is not mapped to a tile", v.name,
                             "call setTileMapping for every element");
    m_functionSteps.assign(m_graph.functions().size(), -1);
    for (const auto& p : programs) root(StepKind::ControlProgram, p.name, p.program);
    for (std::size_t f = 0; f < m_graph.functions().size(); ++f)
      m_functionSteps[f] = root(StepKind::Function, m_graph.functions()[f].name, m_graph.functions()[f].body);
    for (auto& s : m_out.steps) narrowToIpus(s);
    for (auto& s : m_out.steps)
      if (s.kind == StepKind::Call) s.callee = m_functionSteps[std::size_t(s.repeat)], s.repeat = 0;
  }

private:
  int root(StepKind kind, const std::string& name, const graph::Program& program) {
    const int id = begin(kind, name, {});
    m_out.roots.push_back(id);
    node(*program);
    m_parent = -1;
    return id;
  }

  int begin(StepKind kind, std::string name, DebugContextId context) {
    const int id = int(m_out.steps.size());
    m_out.steps.push_back({});
    Step& s = m_out.steps.back();
    s.kind = kind;
    s.name = std::move(name);
    s.context = context;
    s.parent = m_parent;
    s.endIpu = m_graph.machine().ipus;
    s.controlCodeBytes = controlCode(kind) * m_graph.tiles();
    if (m_parent >= 0) {
      s.position = int(m_out.steps[std::size_t(m_parent)].children.size());
      m_out.steps[std::size_t(m_parent)].children.push_back(id);
    }
    if (isControl(kind)) m_parent = id;
    return id;
  }

  void end(int id) { m_parent = m_out.steps[std::size_t(id)].parent; }

  // A leaf step with a place on the liveness axis.
  Step& leaf(StepKind kind, Activity activity, std::string name, DebugContextId context) {
    const int id = begin(kind, std::move(name), context);
    Step& s = m_out.steps[std::size_t(id)];
    s.activity = activity;
    s.ordinal = int(m_out.ordinals.size());
    m_out.ordinals.push_back(id);
    return s;
  }

  std::string nameOf(DebugContextId context, const std::string& own) const {
    const std::string path = m_graph.fullName(context);
    if (path.empty()) return own;
    return own.empty() ? path : path + "/" + own;
  }

  // Which IPUs have tiles with a value; all if none has.
  std::vector<bool> ipusOf(std::initializer_list<const PerTile*> columns) const {
    const auto& m = m_graph.machine();
    std::vector<bool> takesPart(std::size_t(m.ipus), false);
    for (const PerTile* column : columns)
      for (const auto& r : column->runs())
        for (int64_t i = r.tiles.begin / m.tilesPerIpu; i * m.tilesPerIpu < r.tiles.end && i < m.ipus; ++i)
          takesPart[std::size_t(i)] = true;
    if (std::find(takesPart.begin(), takesPart.end(), true) == takesPart.end()) takesPart.assign(takesPart.size(), true);
    return takesPart;
  }
  // The same time on every tile of these IPUs.
  PerTile cyclesOn(const std::vector<bool>& ipus, Cycles duration) const {
    const int64_t perIpu = m_graph.machine().tilesPerIpu;
    PerTile cycles;
    for (int64_t i = 0; i < int64_t(ipus.size()); ++i)
      if (ipus[std::size_t(i)]) cycles.add({i * perIpu, (i + 1) * perIpu}, duration.value());
    return cycles;
  }

  // A tile holds control code of the steps its IPU takes part in. Steps without time are everywhere.
  void narrowToIpus(Step& s) const {
    if (s.cycles.empty()) return;
    const int64_t perIpu = m_graph.machine().tilesPerIpu;
    s.firstIpu = int(s.cycles.runs().front().tiles.begin / perIpu);
    s.endIpu = int(reports::ceilDiv(s.cycles.runs().back().tiles.end, perIpu));
    s.controlCodeBytes = controlCode(s.kind) * perIpu * (s.endIpu - s.firstIpu);
  }

  void syncStep(DebugContextId context, bool external, const std::vector<bool>& ipus, bool beyondReplica = false) {
    Step& s = leaf(StepKind::Sync, Activity::Sync, external ? "External" : "Internal", context);
    const auto& machine = m_graph.machine();
    if (!external) {
      s.duration = machine.exchange.internalSync;
    } else if (beyondReplica) {
      s.duration = machine.globalSync();
    } else {
      const auto first = std::find(ipus.begin(), ipus.end(), true);
      const auto last = std::find(ipus.rbegin(), ipus.rend(), true).base();
      s.duration = machine.globalSync(int(last - first));
    }
    s.cycles = cyclesOn(ipus, s.duration);
  }

  void exchangeStep(const std::string& name, DebugContextId context, const Traffic& traffic, std::vector<VariableId> reads,
                    std::vector<VariableId> writes) {
    if (!traffic.bytesIn.empty()) {
      syncStep(context, false, ipusOf({&traffic.bytesIn, &traffic.bytesOut}));
      Exchange e;
      e.name = name;
      e.bytesIn = traffic.bytesIn;
      e.bytesOut = traffic.bytesOut;
      e.messagesIn = traffic.messagesIn;
      e.messagesOut = traffic.messagesOut;
      e.codeBytes = exchangeCode(e);
      Step& s = leaf(StepKind::DoExchange, Activity::InternalExchange, name, context);
      s.cycles = internalExchangeCycles(m_graph.machine(), e);
      addExchange(s, std::move(e), reads, writes);
    }
    if (!traffic.linkBytesIn.empty()) {
      const std::vector<bool> ipus = ipusOf({&traffic.linkBytesIn, &traffic.linkBytesOut});
      const auto beyond = [&](const graph::LinkFlow& f) { return std::max(f.from, f.to) >= m_graph.machine().ipus; };
      syncStep(context, true, ipus, std::any_of(traffic.linkFlows.begin(), traffic.linkFlows.end(), beyond));
      Exchange e;
      e.linkFlows = traffic.linkFlows;
      e.activity = Activity::GlobalExchange;
      e.name = name;
      e.bytesIn = traffic.linkBytesIn;
      e.bytesOut = traffic.linkBytesOut;
      for (const PerTile* bytes : {&e.bytesIn, &e.bytesOut}) // a loop over packets of 256 bytes and their table, as for the host
        for (const auto& r : bytes->runs()) e.codeBytes.add(r.tiles, 48 + 4 * reports::ceilDiv(r.value, 256));
      Step& s = leaf(StepKind::GlobalExchange, Activity::GlobalExchange, name, context);
      s.cycles = cyclesOn(ipus, globalExchangeCycles(m_graph.machine(), e));
      addExchange(s, std::move(e), reads, writes);
    }
  }

  void addExchange(Step& s, Exchange e, std::vector<VariableId> reads, std::vector<VariableId> writes) {
    s.duration = Cycles(s.cycles.max());
    s.exchange = int(m_out.exchanges.size());
    s.reads = std::move(reads);
    s.writes = std::move(writes);
    m_out.exchanges.push_back(std::move(e));
  }

  // On-tile copies of `bytes` on each tile: the six-worker copy loop.
  void copyStep(const std::string& name, DebugContextId context, const PerTile& cycles, std::vector<VariableId> reads,
                std::vector<VariableId> writes) {
    Step& s = leaf(StepKind::OnTileCopy, Activity::OnTileCopy, name, context);
    s.cycles = cycles;
    s.duration = Cycles(cycles.max());
    s.reads = std::move(reads);
    s.writes = std::move(writes);
  }

  PerTile copyCycles(const PerTile& bytes) const {
    PerTile cycles;
    for (const auto& r : bytes.runs())
      cycles.add(r.tiles, codelets::memcpyCycles(m_graph.machine().tile, r.value, 8).cycles.value());
    return cycles;
  }

  void node(const ProgramNode& n) {
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
    case Kind::HostCompute: {
      m_out.steps[std::size_t(begin(StepKind::HostCompute, n.name, n.context))].action = &n;
      return;
    }
    case Kind::Call: {
      Step& s = leaf(StepKind::Call, Activity::Control, nameOf(n.context, n.name), n.context);
      s.repeat = int64_t(n.function.value); // turned into the callee when all functions are lowered
      return;
    }
    case Kind::WriteUndef: {
      Step& s = leaf(StepKind::WriteUndef, Activity::Control, "WriteUndef", n.context);
      s.writes = n.destination.variables();
      s.action = &n;
      return;
    }
    case Kind::Sync: return syncStep(n.context, n.sync == graph::SyncType::External, ipusOf({}));
    case Kind::PrintTensor:
    case Kind::AbortOnCondition: {
      Step& s = leaf(n.kind == Kind::PrintTensor ? StepKind::PrintTensor : StepKind::AbortOnCondition, Activity::HostStream,
                     n.name, n.context);
      s.reads = n.source.variables();
      s.action = &n;
      s.duration = m_graph.machine().host.handshake;
      s.cycles = PerTile::uniform({0, 1}, s.duration.value());
      return;
    }
    }
  }

  void children(const ProgramNode& n) {
    for (const auto& c : n.children) node(*c);
  }

  void nested(StepKind kind, const ProgramNode& n, int64_t repeat) {
    const int id = begin(kind, nameOf(n.context, n.name), n.context);
    m_out.steps[std::size_t(id)].repeat = repeat;
    m_out.steps[std::size_t(id)].action = &n;
    if (kind == StepKind::Repeat || kind == StepKind::Block) {
      children(n);
    } else {
      for (const auto& c : n.children) { // branches and conditions stay apart so that the engine can choose
        const int branch = begin(StepKind::Sequence, {}, n.context);
        node(*c);
        end(branch);
      }
    }
    if (n.source.valid()) // the predicate is read every time
      for (VariableId v : n.source.variables()) m_out.steps[std::size_t(id)].reads.push_back(v);
    end(id);
  }

  static std::vector<VariableId> unique(std::vector<VariableId> v) {
    std::sort(v.begin(), v.end());
    v.erase(std::unique(v.begin(), v.end()), v.end());
    return v;
  }

  void execute(const ProgramNode& n) {
    const graph::ComputeSet& set = m_graph.computeSet(n.computeSet);
    const DebugContextId context = n.context.valid() ? n.context : set.context;
    Traffic in, out;
    std::vector<VariableId> reads = set.reads, writes = set.writes, remoteReads, remoteWrites;
    for (const auto& v : set.vertices) {
      if (!v.tile.valid()) continue; // costOf reports it
      const auto& codelet = m_graph.codelets()[std::size_t(m_graph.vertexTypes()[v.type].codelet)];
      for (const auto& [field, tensor] : v.edges) {
        const auto direction = codelet.fields[field].direction;
        const auto vars = tensor.variables();
        if (direction != graph::FieldDirection::Output) {
          addEdgeTraffic(m_graph, tensor, int64_t(v.tile.value()), true, in);
          reads.insert(reads.end(), vars.begin(), vars.end());
        }
        if (direction != graph::FieldDirection::Input) {
          addEdgeTraffic(m_graph, tensor, int64_t(v.tile.value()), false, out);
          writes.insert(writes.end(), vars.begin(), vars.end());
        }
      }
    }
    requireNoRaces(m_graph, set);
    reads = unique(std::move(reads));
    writes = unique(std::move(writes));
    const std::string name = nameOf(context, set.name);
    const int64_t first = int64_t(m_out.ordinals.size());
    if (!in.empty()) exchangeStep(name + "/exchange", context, in, reads, {});
    const ComputeCost cost = costOf(m_graph, set);
    Step& s = leaf(set.copies ? StepKind::OnTileCopy : StepKind::OnTileExecute,
                   set.copies ? Activity::OnTileCopy : Activity::Compute, name, context);
    s.computeSet = n.computeSet;
    s.action = set.vertices.empty() ? nullptr : &n;
    s.cycles = cost.cycles;
    s.duration = Cycles(cost.cycles.max());
    s.flops = cost.flops;
    s.workerCycles = cost.workerCycles;
    s.reads = reads;
    s.writes = writes;
    m_out.vertices += cost.vertices;
    m_out.edges += cost.edges;
    const int64_t executed = int64_t(m_out.ordinals.size());
    if (!in.empty()) buffer(name + "/received", context, sum(in.bytesIn, in.linkBytesIn), {first, executed});
    if (!out.empty()) {
      exchangeStep(name + "/exchangeOut", context, out, {}, writes);
      buffer(name + "/sent", context, sum(out.bytesOut, out.linkBytesOut), {executed - 1, int64_t(m_out.ordinals.size())});
    }
  }

  static PerTile sum(PerTile a, const PerTile& b) {
    a.add(b);
    return a;
  }

  void buffer(std::string name, DebugContextId context, PerTile bytes, reports::Range<int64_t> live) {
    Storage b;
    b.name = std::move(name);
    b.context = context;
    b.category = MemoryCategory::Message;
    b.bytes = std::move(bytes);
    b.alwaysLive = false;
    b.live = {live};
    m_out.buffers.push_back(std::move(b));
  }

  void copy(const ProgramNode& n) {
    const std::string name = nameOf(n.context, n.name.empty() ? "Copy" : n.name);
    const Traffic traffic = copyTraffic(m_graph, n.source, n.destination);
    exchangeStep(name, n.context, traffic, n.source.variables(), n.destination.variables());
    Step* last = nullptr;
    if (!traffic.localBytes.empty()) {
      copyStep(name + "/OnTileCopy", n.context, copyCycles(traffic.localBytes), n.source.variables(), n.destination.variables());
      last = &m_out.steps.back();
    } else if (!traffic.empty()) {
      last = &m_out.steps.back();
    } else { // nothing to move, e.g. no elements
      copyStep(name, n.context, {}, n.source.variables(), n.destination.variables());
      last = &m_out.steps.back();
    }
    last->action = &n;
  }

  void rearrange(const ProgramNode& n) {
    const std::string name = nameOf(n.context, n.name);
    exchangeStep(name, n.context, n.traffic, n.reads, n.writes);
    if (!n.copyCycles.empty()) copyStep(name + "/OnTileCopy", n.context, n.copyCycles, n.reads, n.writes);
  }

  void stream(const ProgramNode& n) {
    const auto& s = m_graph.streams()[n.stream.value];
    const bool in = n.kind == Kind::StreamToTensor;
    const Tensor& tensor = in ? n.destination : n.source;
    const std::string name = nameOf(n.context, n.name.empty() ? s.name : n.name);
    const auto& host = m_graph.machine().host;
    PerTile bytes;
    for (VariableId v : tensor.variables()) bytes.add(m_graph.variable(v).bytesByTile(m_graph.tiles()));
    const int64_t total = tensor.numElements() * int64_t(numerics::deviceSize(tensor.elementType()));
    const std::vector<bool> ipus = ipusOf({&bytes}); // the host waits for those only
    syncStep(n.context, true, ipus);
    const auto vars = tensor.variables();
    auto part = [&](StepKind kind, Cycles duration) -> Step& {
      Step& step = leaf(kind, Activity::HostStream, name, n.context);
      step.duration = duration;
      step.cycles = cyclesOn(ipus, duration);
      return step;
    };
    part(StepKind::StreamCopyBegin, host.begin);
    Step& mid = part(StepKind::StreamCopyMid, Cycles(host.handshake.value() + int64_t(double(total) / host.bytesPerCycle)));
    mid.action = &n;
    (in ? mid.writes : mid.reads) = vars;
    Exchange e;
    e.activity = Activity::HostStream;
    e.name = name;
    (in ? e.bytesIn : e.bytesOut) = bytes;
    for (const auto& r : bytes.runs()) // packets of 256 bytes up, 1024 down: a loop per tile and its packet table
      e.codeBytes.add(r.tiles, 48 + 4 * reports::ceilDiv(r.value, in ? 1024 : 256));
    mid.exchange = int(m_out.exchanges.size());
    m_out.exchanges.push_back(std::move(e));
    part(StepKind::StreamCopyEnd, host.end);
  }

  const Graph& m_graph;
  LoweredProgram& m_out;
  int m_parent = -1;
  std::vector<int> m_functionSteps;
};

} // namespace

LoweredProgram lower(const Graph& graph, const std::vector<NamedProgram>& programs) {
  LoweredProgram out;
  Lowering(graph, out).run(programs);
  return out;
}

} // namespace simcore::compile
