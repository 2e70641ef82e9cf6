// The layers of rollup.h: steps summed by their context in one layer.
#include "analyser/operations/rollup.h"

#include "analyser/operations/peak_use.h"
#include "analyser/operations/shared_steps.h"
#include "analyser/operations/sums.h"
#include "analyser/program/model_layers.h"
#include "analyser/session/debug_contexts.h"
#include "analyser/session/exchange_code.h"
#include "analyser/session/words.h"
#include "reports/sqlite/reader.h"

#include <cmath>
#include <functional>

namespace analyser::operations {

namespace {

constexpr int kLongestChain = 256; // contexts; a longer chain is a circle

struct Context {
  int64_t parent = -1, name = 0, layer = 0, kind = 0;
};
using Contexts = std::unordered_map<int64_t, Context>;

Contexts readContexts(Session& session, const std::stop_token& stop) {
  Contexts contexts;
  session.reader().forEach<reports::DebugContextRow>(
      {}, {},
      [&](const reports::DebugContextRow& row) {
        contexts.emplace(row.id, Context{row.parentId.value_or(-1), row.nameId, row.layerId, row.kindId});
      },
      stop);
  return contexts;
}

std::string pathOf(Session& session, const Contexts& contexts, int64_t id) {
  std::string path;
  for (int k = 0; k < kLongestChain; ++k) {
    const auto at = contexts.find(id);
    if (at == contexts.end()) break;
    path = path.empty() ? session.text(at->second.name) : session.text(at->second.name) + "/" + path;
    id = at->second.parent;
  }
  return path;
}

// The outermost context of the layer at or above a context. Contexts without a kind only contribute to names and are skipped.
int64_t ownerOf(Session& session, const Contexts& contexts, int64_t id, int64_t layer) {
  int64_t owner = -1;
  for (int k = 0; k < kLongestChain; ++k) {
    const auto at = contexts.find(id);
    if (at == contexts.end()) break;
    if (at->second.layer == layer && !session.text(at->second.kind).empty()) owner = id;
    id = at->second.parent;
  }
  return owner;
}

struct StepCode {
  std::unordered_map<int64_t, int64_t> exchangeCode, vertices; // by exchange, by compute set
};
StepCode readCode(Session& session, const std::stop_token& stop) {
  StepCode code{exchangeCode(session, stop), {}};
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement rows(session.reader().connection(), "SELECT id, vertices FROM compute_set");
  while (rows.step()) {
    int64_t id = 0, vertices = 0;
    rows.read(0, id, "compute_set.id");
    rows.read(1, vertices, "compute_set.vertices");
    code.vertices.emplace(id, vertices);
  }
  return code;
}

// One step with its whole cost, as an operation.
Operation costOf(const reports::ProgramStepRow& row, const trace::StepTileCycles& cost, const StepCode& code) {
  Operation o;
  switch (static_cast<reports::Activity>(row.activity)) {
  case reports::Activity::Compute:
  case reports::Activity::OnTileCopy: o.compute = cost.cycles; break;
  case reports::Activity::InternalExchange:
  case reports::Activity::GlobalExchange: o.exchange = cost.cycles; break;
  case reports::Activity::Sync: o.sync = cost.cycles; break;
  case reports::Activity::HostStream: o.host = cost.cycles; break;
  default: break;
  }
  o.total = cost.cycles;
  o.flops = cost.flops;
  o.codeBytes = Bytes(row.codeBytes);
  if (row.exchangeId) {
    if (const auto at = code.exchangeCode.find(*row.exchangeId); at != code.exchangeCode.end())
      o.exchangeCodeBytes = Bytes(at->second), o.codeBytes += o.exchangeCodeBytes;
    if (o.host == Cycles()) o.exchangeBytes = cost.received;
  }
  if (row.computeSetId)
    if (const auto at = code.vertices.find(*row.computeSetId); at != code.vertices.end()) o.vertices = at->second;
  o.tileCycles = cost.cost;
  for (const auto& [ipu, cycles] : cost.onIpus) o.ipus.push_back(int(ipu));
  std::sort(o.ipus.begin(), o.ipus.end());
  if (row.activity == int64_t(reports::Activity::GlobalExchange)) o.betweenIpus = o.tileCycles[trace::TileTime::Exchange];
  if (o.tileCycles[trace::TileTime::Busy] > 0) {
    o.tiles = cost.tiles, o.tilesAvailable = cost.available;
    const int64_t active = cost.cost[trace::TileTime::Busy] + cost.cost[trace::TileTime::Imbalance];
    o.balance = double(cost.cost[trace::TileTime::Busy]) / double(active);
  }
  return o;
}

struct StepPart {
  std::size_t step = 0; // program_step.id
  int64_t some = 1, all = 1;
  trace::TileCycles tileCycles = {}; // of this part
};

// Rows by key, in the order of their first add(). Their balance is weighted by compute cycles.
class Rows {
public:
  Operation& of(int64_t key, const std::function<Operation()>& make) {
    const auto [at, isNew] = m_index.try_emplace(key, m_rows.size());
    if (isNew) m_rows.push_back(make()), m_balance.emplace_back(), m_costliest.emplace_back();
    return m_rows[at->second];
  }
  // Adds `part` of a step's executions to the row, with the `cost` of that part.
  void add(int64_t key, const Operation& cost, const StepPart& part, const std::function<Operation()>& make) {
    addTo(of(key, make), cost);
    const std::size_t row = m_index.at(key);
    m_steps.push_back({int(row), part});
    m_steps.back().second.tileCycles = cost.tileCycles;
    if (m_costliest[row] < cost.total)
      m_costliest[row] = cost.total, m_rows[row].costliestStep = reports::ProgramStepId(part.step);
    if (!cost.balance) return;
    auto& [sum, weight] = m_balance[row];
    sum += *cost.balance * double(cost.compute.value()), weight += double(cost.compute.value());
  }
  void addToProgram(Cycles cycles) { m_ofProgram += cycles; }
  Cycles ofProgram() const { return m_ofProgram; }                               // of all steps, including those without a row
  const std::vector<std::pair<int, StepPart>>& steps() const { return m_steps; } // by row
  std::vector<Operation> take() {
    for (std::size_t i = 0; i < m_rows.size(); ++i)
      if (m_balance[i].second > 0) m_rows[i].balance = m_balance[i].first / m_balance[i].second;
    return std::move(m_rows);
  }

private:
  std::unordered_map<int64_t, std::size_t> m_index;
  std::vector<Operation> m_rows;
  std::vector<std::pair<double, double>> m_balance;
  Cycles m_ofProgram;
  std::vector<Cycles> m_costliest; // step of each row
  std::vector<std::pair<int, StepPart>> m_steps;
};

struct TypeShare {
  int64_t type = 0, vertices = 0, cycles = 0;
};

// The share some / all of a step's cost, subtracted from `left`. The last share takes the rest, so that the shares sum to the
// step.
Operation takePart(const Operation& step, Operation& left, int64_t some, int64_t all, bool isLast) {
  const auto share = [&](auto whole, auto& rest) {
    auto mine = isLast ? rest : decltype(whole)(std::llround(double(whole.value()) * double(some) / double(all)));
    rest -= mine;
    return mine;
  };
  Operation o = step;
  o.compute = share(step.compute, left.compute);
  o.exchange = share(step.exchange, left.exchange);
  o.sync = share(step.sync, left.sync);
  o.host = share(step.host, left.host);
  o.total = o.compute + o.exchange + o.sync + o.host;
  o.flops = share(step.flops, left.flops);
  o.exchangeBytes = share(step.exchangeBytes, left.exchangeBytes);
  o.codeBytes = share(step.codeBytes, left.codeBytes);
  o.exchangeCodeBytes = share(step.exchangeCodeBytes, left.exchangeCodeBytes);
  o.vertices = isLast ? left.vertices : std::llround(double(step.vertices) * double(some) / double(all));
  left.vertices -= o.vertices;
  o.tileCycles = isLast ? left.tileCycles : step.tileCycles.part(some, all);
  left.tileCycles -= o.tileCycles;
  if (step.betweenIpus > 0) o.betweenIpus = o.tileCycles[trace::TileTime::Exchange];
  return o;
}

// Distributes a compute step over its vertex types.
void addByType(Rows& rows, std::size_t id, const Operation& step, const std::vector<TypeShare>& types,
               const std::unordered_map<int64_t, std::string>& names) {
  int64_t all = 0;
  for (const TypeShare& t : types) all += t.cycles;
  Operation left = step;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const bool isLast = i + 1 == types.size();
    const StepPart part{id, all > 0 ? types[i].cycles : 1, all > 0 ? all : int64_t(types.size())};
    Operation o = takePart(step, left, part.some, part.all, isLast);
    o.vertices = types[i].vertices;
    rows.add(types[i].type, o, part, [&] {
      Operation made;
      const auto name = names.find(types[i].type);
      made.name = name == names.end() ? "?" : name->second;
      made.kind = made.name.substr(0, made.name.find('<'));
      made.layer = kVertexTypes;
      return made;
    });
  }
}

// Calls f(step, cost) for every step with a cost.
template<class F> void forEachStep(Session& session, const std::stop_token& stop, F f) {
  const StepCode code = readCode(session, stop);
  const trace::StepCosts costs = trace::tileCyclesBySteps(session, stop);
  session.reader().forEach<reports::ProgramStepRow>(
      "liveness_step IS NOT NULL", {},
      [&](const reports::ProgramStepRow& row) {
        const auto cost = costs.find(row.id);
        if (cost != costs.end() && row.activity >= 0 && row.activity < reports::kActivityCount)
          f(row, costOf(row, cost->second, code));
      },
      stop);
}

Rows vertexTypes(Session& session, const std::stop_token& stop) {
  std::unordered_map<int64_t, std::vector<TypeShare>> types; // by compute set
  std::unordered_map<int64_t, std::string> names;
  session.reader().forEach<reports::VertexTypeRow>(
      {}, {}, [&](const reports::VertexTypeRow& row) { names.emplace(row.id, session.text(row.nameId)); });
  session.reader().forEach<reports::ComputeSetVerticesRow>(
      {}, {},
      [&](const reports::ComputeSetVerticesRow& row) {
        types[row.computeSetId].push_back({row.vertexTypeId, row.vertices, row.cycles});
      },
      stop);
  Rows rows;
  forEachStep(session, stop, [&](const reports::ProgramStepRow& row, const Operation& step) {
    rows.addToProgram(step.total);
    const auto of = row.computeSetId ? types.find(*row.computeSetId) : types.end();
    if (of != types.end()) addByType(rows, static_cast<std::size_t>(row.id), step, of->second, names);
  });
  return rows;
}

// Sums the steps by a key: rowOf(context) gives the key of a row; -1 leaves the step out. A step of a function that several
// operations share is divided among these operations. A caller that has no row of its own counts for the row of the function's
// context.
Rows byContext(Session& session, const std::stop_token& stop, const std::function<int64_t(int64_t)>& rowOf,
               const std::function<Operation(int64_t)>& make) {
  const OperationNames operationsOfContexts(session, stop);
  program::ProgramOnce program(session, stop);
  SharedSteps shared(session, program, stop);
  Rows rows;
  const auto add = [&](int64_t key, const Operation& cost, const StepPart& step) {
    rows.add(key, cost, step, [&] { return make(key); });
  };
  forEachStep(session, stop, [&](const reports::ProgramStepRow& row, const Operation& step) {
    rows.addToProgram(step.total);
    const int64_t key = row.debugContextId ? rowOf(*row.debugContextId) : -1;
    if (key < 0) return;
    const auto operation = operationsOfContexts.contextOf(row.debugContextId);
    const auto shares = operation ? shared.of(row.id, *operation) : std::vector<program::Callers::Share>();
    int64_t executions = 0;
    for (const auto& share : shares) executions += share.executions;
    const auto id = static_cast<std::size_t>(row.id);
    if (executions == 0) return add(key, step, {id});
    Operation left = step;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const Operation part = takePart(step, left, shares[i].executions, executions, i + 1 == shares.size());
      const int64_t of = rowOf(shares[i].context);
      add(of >= 0 ? of : key, part, {id, shares[i].executions, executions});
    }
  });
  return rows;
}

// Sums the steps by their outermost context in a layer of the report.
Rows namesOf(Session& session, const std::string& layer, const std::stop_token& stop) {
  const auto wanted = session.findText(layer);
  if (!wanted) return Rows();
  const Contexts contexts = readContexts(session, stop);
  std::unordered_map<int64_t, int64_t> owners; // by context
  const auto ownerOfContext = [&](int64_t context) {
    const auto [owner, isNew] = owners.try_emplace(context, -1);
    if (isNew) owner->second = ownerOf(session, contexts, context, int64_t(wanted->value()));
    return owner->second;
  };
  return byContext(session, stop, ownerOfContext, [&](int64_t owner) {
    Operation made;
    made.debugContext = reports::DebugContextId(static_cast<std::size_t>(owner));
    made.name = pathOf(session, contexts, owner);
    made.kind = session.text(contexts.at(owner).kind);
    made.layer = layer;
    return made;
  });
}

// A row is a layer of the model: its forward and backward steps and its weight update.
Rows modelLayers(Session& session, const std::stop_token& stop) {
  program::ContextLayers layers(session, stop);
  std::vector<std::string> names;
  std::unordered_map<std::string, int64_t> numbers;
  const auto layerOfContext = [&](int64_t context) -> int64_t {
    const std::string& name = layers.of(context);
    if (name.empty()) return -1;
    const auto [number, isNew] = numbers.try_emplace(name, int64_t(names.size()));
    if (isNew) names.push_back(name);
    return number->second;
  };
  return byContext(session, stop, layerOfContext, [&](int64_t number) {
    Operation made;
    made.name = names[std::size_t(number)];
    made.kind = "layer";
    made.layer = kModelLayers;
    return made;
  });
}

// Whether any step belongs to a layer of the model.
bool hasModelLayers(Session& session, const std::stop_token& stop) {
  program::ContextLayers layers(session, stop);
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement rows(session.reader().connection(),
                          "SELECT DISTINCT debug_context_id FROM program_step WHERE debug_context_id IS NOT NULL");
  while (rows.step()) {
    int64_t context = 0;
    rows.read(0, context, "program_step.debug_context_id");
    if (!layers.of(context).empty()) return true;
  }
  return false;
}

// The steps of all rows, in program order. `areExecutions` is false for vertex types: a part is then a share of the step's
// cycles, and the step keeps all its executions.
std::vector<OperationStep> stepsOf(Session& session, const std::vector<std::pair<int, StepPart>>& parts, bool areExecutions,
                                   const std::stop_token& stop) {
  std::vector<OperationStep> steps;
  if (parts.empty()) return steps;
  const program::Program program = program::programTree(session, stop);
  for (const auto& [row, part] : parts) {
    const int at = program.indexOf(reports::ProgramStepId(part.step));
    if (at < 0) continue;
    const program::Node& node = program.nodes[std::size_t(at)];
    OperationStep step{row, partOf(node, part.some, part.all), double(part.some) / double(part.all), part.tileCycles};
    if (!areExecutions) step.node.executions = node.executions;
    steps.push_back(std::move(step));
  }
  return steps;
}

} // namespace

std::string layerTitle(std::string_view layer) {
  if (layer == "onnx") return "ONNX nodes";
  if (layer == kModelLayers) return "Model layers";
  if (layer == "library") return "Library calls";
  if (layer == "poplar") return "Poplar programs";
  if (layer == "user") return "User code";
  if (layer == kVertexTypes) return "Vertex types";
  return std::string(layer);
}

std::vector<std::string> layersOf(Session& session, std::stop_token stop) {
  std::vector<std::string> layers;
  if (hasModelLayers(session, stop)) layers.emplace_back(kModelLayers);
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement rows(session.reader().connection(),
                          "SELECT c.layer_id, min(c.id) FROM debug_context c JOIN string k ON k.id = c.kind_id "
                          "WHERE k.text <> '' GROUP BY c.layer_id ORDER BY 2");
  while (rows.step()) {
    int64_t id = 0;
    rows.read(0, id, "debug_context.layer_id");
    if (session.text(id) != "model") layers.push_back(session.text(id)); // contexts of the layer "model" only group other layers
  }
  layers.emplace_back(kVertexTypes);
  return layers;
}

Layer operationsOfLayer(Session& session, const std::string& layer, std::stop_token stop) {
  Rows rows = layer == kVertexTypes   ? vertexTypes(session, stop)
              : layer == kModelLayers ? modelLayers(session, stop)
                                      : namesOf(session, layer, stop);
  Layer answer{{}, stepsOf(session, rows.steps(), layer != kVertexTypes, stop)};
  Operations& all = answer.operations;
  all.rows = rows.take();
  all.stepCycles = rows.ofProgram();
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    all.rows[i].id = reports::OperationId(i);
    all.rows[i].flopUtilisation = utilisation(session, all.rows[i]);
    all.rows[i].exchangeable = exchangeableBytes(session.machine(), all.rows[i]);
  }
  const PeakUse peaks(session, stop);
  for (OperationStep& step : answer.steps) {
    peaks.fill(step);
    peaks.add(all.rows[std::size_t(step.operation)], step.node.id, step.node.activity, step.share, step.tileCycles);
  }
  session.reader().forEach<reports::RunRow>({}, {}, [&](const reports::RunRow& row) { all.runCycles += Cycles(row.cycles); });
  finish(session, all, lowerFirst(layerTitle(layer)));
  return answer;
}

} // namespace analyser::operations
