#include "simcore/model/lowering/pipeline.h"

#include "reports/core/error.h"
#include "reports/core/within.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/slice.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/section_lowering.h"
#include "simcore/ops/collective/inter_ipu.h"

#include <algorithm>

namespace simcore::model {

using codelets::BinaryOp;
using codelets::SliceDirection;
using graph::Program;
using graph::Sequence;
using graph::Tensor;
using graph::VariableId;
using numerics::ElementType;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {

// The stages of a graph as functions, to be called in any cycle: stage s has micro-batch m in cycle s + m.
class PipelineCycles {
public:
  // Without overlap a load belongs to what it is loaded for, a store to what it stores.
  PipelineCycles(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                 std::int64_t microBatches, bool overlap)
      : m_microBatches(microBatches) {
    const std::int64_t count = std::int64_t(stages.size());
    if (count == 0 || microBatches < count)
      throw Error(ErrorCode::InvalidInput,
                  "a pipeline of " + std::to_string(count) + " stages never fills with " + std::to_string(microBatches) +
                      " micro-batches",
                  {}, "use at least as many micro-batches as stages ({option accumulation})");
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const PipelineStage& stage = stages[s];
      const std::string name = stage.name.empty() ? "stage" + std::to_string(s) : stage.name;
      Sequence in, out;
      for (const Sequence* part : {&stage.load, &stage.toDevice})
        if (!part->empty() && !(overlap && part == &stage.load)) in.add(*part);
      for (const Sequence* part : {&stage.toHost, &stage.store})
        if (!part->empty() && !(overlap && part == &stage.store)) out.add(*part);
      m_toDevice.push_back(callOf(graph, name + "/toDevice", in));
      m_main.push_back(callOf(graph, name + (stage.name.empty() ? "/main" : ""), stage.main));
      m_toHost.push_back(callOf(graph, name + "/toHost", out));
      m_load.push_back(callOf(graph, name + "/load", overlap ? stage.load : Sequence()));
      m_store.push_back(callOf(graph, name + "/store", overlap ? stage.store : Sequence()));
    }
    m_exchange = callOf(graph, "stages/exchange", exchange);
  }

  Sequence cycle(std::int64_t c) const {
    Sequence cycle;
    for (const auto* part : {&m_toDevice, &m_main, &m_toHost}) addActive(cycle, *part, c);
    if (m_exchange) cycle.add(m_exchange);
    return cycle;
  }
  // Transfers of the I/O tiles come first; then they go on by themselves, and the other tiles work.
  Sequence overlapped(std::int64_t c) const {
    Sequence cycle;
    addActive(cycle, m_toHost, c - 1);
    addActive(cycle, m_toDevice, c);
    addActive(cycle, m_store, c - 1);
    addActive(cycle, m_load, c + 1);
    if (!addActive(cycle, m_main, c)) return cycle;
    if (m_exchange) cycle.add(m_exchange);
    return cycle;
  }

  static Program callOf(graph::Graph& graph, const std::string& name, const Sequence& body) {
    if (body.empty()) return nullptr;
    return graph::program::call(graph.addFunction(name, body.program()), name);
  }

private:
  // Of the stages that have a micro-batch in cycle c; whether there are any.
  bool addActive(Sequence& cycle, const std::vector<Program>& part, std::int64_t c) const {
    const std::int64_t last = std::min(c, std::int64_t(part.size()) - 1);
    for (std::int64_t s = std::max<std::int64_t>(0, c - m_microBatches + 1); s <= last; ++s)
      if (part[std::size_t(s)]) cycle.add(part[std::size_t(s)]);
    return c >= 0 && c - m_microBatches + 1 < std::int64_t(part.size());
  }

  std::int64_t m_microBatches;
  std::vector<Program> m_toDevice, m_main, m_toHost, m_load, m_store; // null: nothing to do
  Program m_exchange;
};

} // namespace

Program pipelineProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                        std::int64_t microBatches) {
  const PipelineCycles cycles(graph, stages, exchange, microBatches, false);
  const std::int64_t count = std::int64_t(stages.size());
  Sequence fill, main, flush, all;
  for (std::int64_t c = 0; c < count - 1; ++c) fill.add(cycles.cycle(c));
  main.add(graph::program::repeat(microBatches - count + 1, cycles.cycle(count - 1), "cycles"));
  for (std::int64_t c = microBatches; c < microBatches + count - 1; ++c) flush.add(cycles.cycle(c));
  if (!fill.empty()) all.add(graph::program::block(fill, "fill"));
  all.add(graph::program::block(main, "main"));
  if (!flush.empty()) all.add(graph::program::block(flush, "flush"));
  return all.program();
}

Program overlappedProgram(graph::Graph& graph, const std::vector<PipelineStage>& stages, const Sequence& exchange,
                          std::int64_t microBatches) {
  const PipelineCycles cycles(graph, stages, exchange, microBatches, true);
  const std::int64_t count = std::int64_t(stages.size()), same = microBatches - count - 1; // cycles in which all have all to do
  Sequence fill, main, flush, all;
  for (std::int64_t c = -1; c < count - 1; ++c) fill.add(cycles.overlapped(c));
  main.add(cycles.overlapped(count - 1));
  if (same > 0) main.add(graph::program::repeat(same, cycles.overlapped(count), "cycles"));
  if (microBatches > count) main.add(cycles.overlapped(microBatches - 1));
  for (std::int64_t c = microBatches; c < microBatches + count; ++c) flush.add(cycles.overlapped(c));
  const bool pipeline = count > 1; // else nothing fills: it is a loop
  if (!fill.empty()) all.add(graph::program::block(fill, pipeline ? "fill" : "prologue"));
  all.add(graph::program::block(main, "main"));
  if (!flush.empty()) all.add(graph::program::block(flush, pipeline ? "flush" : "epilogue"));
  return all.program();
}

Program batchLoop(graph::Graph& graph, const PipelineStage& batch, std::int64_t batches, OverlapIo overlap,
                  const std::string& name, reports::DebugContextId context) {
  if (overlap != OverlapIo::Off && batches > 1 && graph.machine().ioTiles > 0)
    return overlappedProgram(graph, {batch}, {}, batches);
  Sequence inTurn;
  for (const Sequence* part : {&batch.load, &batch.toDevice, &batch.main, &batch.toHost, &batch.store})
    for (const Program& program : part->children()) inTurn.add(program);
  if (batches == 1) return inTurn.program();
  return graph::program::repeat(batches, inTurn, name, context);
}

Program overlappedLoops(graph::Graph& graph, const PipelineStage& microBatch, std::int64_t microBatches, std::int64_t batches,
                        const Sequence& start, const Sequence& end) {
  const PipelineCycles cycles(graph, {microBatch}, {}, microBatches * batches, true);
  const Program first = PipelineCycles::callOf(graph, "batch/start", start),
                last = PipelineCycles::callOf(graph, "batch/end", end);
  const auto middle = [&](std::int64_t times) { return graph::program::repeat(times, cycles.overlapped(1), "microBatches"); };
  const auto batch = [&](std::initializer_list<Program> work) {
    Sequence all;
    if (first) all.add(first);
    for (const Program& program : work) all.add(program);
    if (last) all.add(last);
    return all;
  };
  Sequence main;
  main.add(batch({cycles.overlapped(0).program(), middle(microBatches - 1)}));
  if (batches > 2) main.add(graph::program::repeat(batches - 2, batch({middle(microBatches)}), "batches"));
  main.add(batch({middle(microBatches - 1), cycles.overlapped(microBatches * batches - 1).program()}));
  Sequence all;
  if (const Sequence load = cycles.overlapped(-1); !load.empty()) all.add(graph::program::block(load, "prologue"));
  all.add(graph::program::block(main, "main"));
  if (const Sequence store = cycles.overlapped(microBatches * batches); !store.empty())
    all.add(graph::program::block(store, "epilogue"));
  return all.program();
}

namespace {
// The places of the nodes in a pipeline, and what of it the stages of one IPU share.
struct StagesOfInference {
  std::vector<int> stageOfNode, ipuOfStage;
  bool sharesIpus = false; // then values go along routes

  explicit StagesOfInference(const LoweringOptions& options)
      : stageOfNode(options.stageOfNode.empty() ? options.ipuOfNode : options.stageOfNode),
        sharesIpus(stageOfNode != options.ipuOfNode) {
    ipuOfStage.assign(std::size_t(stageOfNode.empty() ? 1 : *std::max_element(stageOfNode.begin(), stageOfNode.end()) + 1), 0);
    for (std::size_t n = 0; n < stageOfNode.size(); ++n) ipuOfStage[std::size_t(stageOfNode[n])] = options.ipuOfNode[n];
  }
};
} // namespace

graph::Workload lowerPipeline(const Model& model, const arch::Machine& machine, const LoweringOptions& options,
                              std::int64_t microBatches) {
  const std::size_t nodes = model.graph.nodes.size();
  const StagesOfInference places(options);
  if (options.ipuOfNode.size() != nodes || places.stageOfNode.size() != nodes ||
      !std::is_sorted(places.stageOfNode.begin(), places.stageOfNode.end()))
    throw Error(ErrorCode::InvalidInput, "the stages of a pipeline must follow the order of the model's nodes", model.file);
  graph::Workload load = emptyWorkload(model, machine);
  graph::Graph& g = *load.graph;
  const auto root = g.addContext({}, load.name, "model", "");
  reports::within(model.file, [&] {
    LoweringScope scope(model.graph, nullptr, g, root, options);
    std::vector<PipelineStage> stages(places.ipuOfStage.size());
    const auto at = [&](int stage) -> PipelineStage& { return stages[std::size_t(stage)]; };
    std::vector<Sequence> starts(stages.size()), ends(stages.size());
    std::vector<ops::IpuCopy> crossings;
    StageRoutes routes(
        g, root, places.ipuOfStage, [&](int stage) -> Sequence& { return starts[std::size_t(stage)]; }, false);
    if (places.sharesIpus)
      scope.followRoutes(&routes);
    else
      scope.collectCrossings(crossings);
    scope.lowerInputs(
        model, load, [&](int stage) -> Sequence& { return at(stage).toDevice; },
        [&](int stage) -> Sequence& { return at(stage).load; });
    std::deque<std::pair<int, std::deque<Sequence>>> programs; // what a node makes can be stashed behind it until all are lowered
    for (const auto& stretch : stretchesOf(places.stageOfNode, 0, nodes)) {
      const int stage = places.stageOfNode[stretch[0]];
      auto& [unused, own] = programs.emplace_back(stage, std::deque<Sequence>());
      SectionLowering(scope, own, places.sharesIpus ? &routes : nullptr, stage).lower(stretch, options.outline);
    }
    scope.lowerOutputs(
        load, [&](int stage) -> Sequence& { return at(stage).toHost; }, [&](int stage) -> Sequence& { return at(stage).store; });
    scope.placeTheRest();
    routes.finish([&](int stage) -> Sequence& { return ends[std::size_t(stage)]; });
    for (std::size_t s = 0; s < stages.size(); ++s)
      if (!starts[s].empty()) stages[s].main.add(starts[s]);
    for (const auto& [stage, own] : programs)
      for (const Sequence& program : own)
        if (!program.empty()) at(stage).main.add(program);
    for (std::size_t s = 0; s < stages.size(); ++s)
      if (!ends[s].empty()) stages[s].main.add(ends[s]);
    if (places.sharesIpus) crossings = routes.crossings();
    Sequence exchange;
    ops::interIpuCopies(ops::OpBuilder(g, exchange, root), "stageCopies", crossings);
    for (const auto& copy : crossings) // they wait from one cycle to the next, which functions do not show
      for (const auto& tensor : {copy.from, copy.to})
        for (const auto id : tensor.variables()) g.variable(id).alwaysLive = true;
    const auto program = options.overlapIo != OverlapIo::Off && machine.ioTiles > 0 ? overlappedProgram : pipelineProgram;
    load.programs = {{"inference", program(g, stages, exchange, microBatches)}};
  });
  return load;
}

namespace {

// Pieces of variables above which a view is copied as a whole.
constexpr std::size_t kMostRegions = 4096;

// `entries` of `count` elements each; entry `at` is replaced, or read.
HostTensor withEntry(const HostTensor& ring, const HostTensor& value, std::int64_t at) {
  HostTensor out = ring;
  const std::size_t bytes = value.byteCount();
  auto raw = out.mutableRaw();
  std::copy_n(value.raw().begin(), bytes, raw.begin() + std::ptrdiff_t(std::size_t(at) * bytes));
  return out;
}
HostTensor entryOf(const HostTensor& ring, const numerics::Shape& shape, std::int64_t at) {
  HostTensor out = HostTensor::uninitialised(ring.type(), shape);
  const std::size_t bytes = out.byteCount();
  const auto from = ring.raw().begin() + std::ptrdiff_t(std::size_t(at) * bytes);
  std::copy_n(from, bytes, out.mutableRaw().begin());
  return out;
}

// The time of a slice or an update at a place that is known when it runs, on each tile.
void sliceStep(const ops::OpBuilder& b, SliceDirection direction, const graph::Distribution& layout, ElementType type,
               const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) {
  ops::Superstep step(b, direction == SliceDirection::Slice ? "restore" : "stash");
  for (const auto& r : layout.elementsByTile().runs())
    step.add(codelets::dynamicSlice1DSpec(direction, type), codelets::dynamicSlice1D(b.tile(), direction, type, r.value, 1),
             r.tiles);
  step.copies();
  step.execute(reads, writes);
}

} // namespace

StageRoutes::StageRoutes(graph::Graph& graph, reports::DebugContextId context, std::vector<int> ipuOfPart, ProgramOfStage startOf,
                         bool goesBack)
    : m_graph(graph), m_context(context), m_ipuOfPart(std::move(ipuOfPart)), m_startOf(std::move(startOf)), m_goesBack(goesBack) {
}

void StageRoutes::enter(int stage, Sequence* made) {
  m_stage = stage;
  m_made = made;
}

void StageRoutes::made(const std::string& name, const Tensor& value, int call) {
  m_values[name] = {value, m_stage, call, m_made};
}

// One entry per micro-batch that is between the two stages; the ring turns with the counters of its stages.
Tensor StageRoutes::stashed(const Tensor& value, const std::string& name, int from, int to, Sequence& made, Sequence& program) {
  if (m_remote) return stashedRemotely(value, name, from, to, made, program);
  const std::int64_t entries = to - from + 1;
  const ops::OpBuilder write(m_graph, made, m_graph.addContext(m_context, "stash " + name, "model", "stash"), true, ipuOf(from));
  const ElementType type = value.elementType();
  const graph::Distribution layout = write.layoutOf(value);
  const Tensor ring = m_graph.addVariable(type, {entries, value.numElements()}, "stash/" + name, write.context());
  auto& v = m_graph.variable(ring.wholeVariable());
  for (const auto& r : layout.elementsByTile().runs())
    v.extraBytes.add(r.tiles, entries * reports::roundUp(r.value * ops::elementBytes(type), 4));
  v.alwaysLive = true;
  const Tensor in = counter(from, entries), out = counter(to, entries);
  sliceStep(write, SliceDirection::Update, layout, type, {value, in}, {ring});
  write.compute({ring, value, in}, {ring}, [entries](const std::vector<HostTensor>& x) {
    return std::vector<HostTensor>{withEntry(x[0], x[1], x[2].integerAt(0) % entries)};
  });
  const ops::OpBuilder read(m_graph, program, m_graph.addContext(m_context, "restore " + name, "model", "restore"), true,
                            ipuOf(to));
  const Tensor restored = read.output(type, layout.shape(), name, layout).reshape(value.shape());
  sliceStep(read, SliceDirection::Slice, layout, type, {ring, out}, {restored});
  read.compute({ring, out}, {restored}, [entries, shape = value.shape()](const std::vector<HostTensor>& x) {
    return std::vector<HostTensor>{entryOf(x[0], shape, x[1].integerAt(0) % entries)};
  });
  return restored;
}

Tensor StageRoutes::stashedRemotely(const Tensor& value, const std::string& name, int from, int to, Sequence& made,
                                    Sequence& program) {
  const std::int64_t entries = to - from + 1;
  const auto buffer = m_graph.addRemoteBuffer("stash" + std::to_string(m_stashes++) + "/" + name, value.elementType(),
                                              value.numElements(), entries);
  const ops::OpBuilder write(m_graph, made, m_graph.addContext(m_context, "stash " + name, "model", "stash"), true, ipuOf(from));
  made.add(graph::program::copy(value.flatten(), buffer, counter(from, entries), "stash", write.context()));
  const ops::OpBuilder read(m_graph, program, m_graph.addContext(m_context, "restore " + name, "model", "restore"), true,
                            ipuOf(to));
  const graph::Distribution layout = write.layoutOf(value);
  const Tensor restored = read.output(value.elementType(), layout.shape(), name, layout).reshape(value.shape());
  program.add(graph::program::copy(buffer, restored.flatten(), counter(to, entries), "restore", read.context()));
  return restored;
}

Tensor StageRoutes::crossed(const Tensor& value, const std::string& name, int stage) {
  Sequence none;
  const Tensor copy = ops::destinationOn(ops::OpBuilder(m_graph, none, m_context), value, ipuOf(stage), name);
  m_crossings.push_back({value, copy});
  return copy;
}

Tensor StageRoutes::counter(int stage, std::int64_t entries) {
  const auto found = m_counters.find({stage, entries});
  if (found != m_counters.end()) return found->second;
  const Tensor count = m_graph.addVariable(ElementType::Int32, {1}, "stage" + std::to_string(stage) + "/counter", m_context);
  auto& v = m_graph.variable(count.wholeVariable()); // every tile has its own, so nobody has to send it
  Sequence none;
  v.extraBytes = graph::PerTile::uniform(ops::OpBuilder(m_graph, none, m_context, true, ipuOf(stage)).tileRange(), 4);
  v.alwaysLive = true;
  m_graph.setInitialValue(count, HostTensor(ElementType::Int32, {1}));
  return m_counters[{stage, entries}] = count;
}

void StageRoutes::finish(const ProgramOfStage& endOf) {
  for (const auto& [key, count] : m_counters) {
    const auto [stage, entries] = key;
    const std::string name = "stage" + std::to_string(stage) + "/count";
    const ops::OpBuilder b(m_graph, endOf(stage), m_graph.addContext(m_context, name, "model", "stash"), true, ipuOf(stage));
    ops::Superstep step(b, "count");
    step.add(codelets::broadcastScalar1DSpec(BinaryOp::Add, ElementType::Int32, codelets::Placement::InPlace),
             codelets::broadcastScalar1D(b.tile(), BinaryOp::Add, ElementType::Int32, 1, codelets::Placement::InPlace),
             b.tileRange());
    step.execute({count}, {count});
    b.compute({count}, {count}, [entries = entries](const std::vector<HostTensor>& x) {
      return std::vector<HostTensor>{
          HostTensor::vector(std::vector<std::int32_t>{std::int32_t((x[0].integerAt(0) + 1) % entries)})};
    });
  }
}

// The way from where a value is to where it is read: first over links to the reader's IPU if that is further on (or waiting
// for the way back if it is not), then in a stash to the reader's stage.
Tensor StageRoutes::copyIn(Copies& copies, const std::string& name, int stage, const Arrival& arrival, Sequence& program) {
  if (const auto found = copies.find(stage); found != copies.end()) return found->second;
  const auto last = std::prev(copies.upper_bound(stage));
  const int ipu = ipuOf(stage);
  // The latest stage on the same IPU that has it.
  for (auto it = std::make_reverse_iterator(std::next(last)); it != copies.rend(); ++it)
    if (ipuOf(it->first) == ipu) {
      Sequence& made = it->first == arrival.stage && arrival.made ? *arrival.made : m_startOf(it->first);
      return copies[stage] = stashed(it->second, name, it->first, stage, made, program);
    }
  const int first = copies.begin()->first;
  if (stage >= parts() && first < parts()) { // backward, of a forward value that never was here
    const int turn = partOf(stage) > first ? partOf(stage) : mirrorOf(first);
    copyIn(copies, name, turn, arrival, turn == stage ? program : m_startOf(turn));
    if (turn != stage && ipuOf(turn) == ipu) return copyIn(copies, name, stage, arrival, program);
  }
  const auto from = std::prev(copies.upper_bound(stage));
  Tensor value = from->second;
  for (int s = from->first + 1; s <= stage; ++s) copies[s] = value = crossed(value, name, s);
  return value;
}

Tensor StageRoutes::here(const std::string& name, Sequence& program) {
  const Value& value = m_values.at(name);
  if (value.stage == m_stage) return value.tensor;
  if (value.stage > m_stage)
    throw reports::Error(reports::ErrorCode::Internal, "the value '" + name + "' is read in a stage before that which makes it");
  const Arrival arrival{value.stage, value.made};
  const auto whole = [&](VariableId id, const Tensor& tensor) {
    Copies& copies = m_copies[{id.value(), value.call}];
    if (copies.empty()) copies[value.stage] = tensor;
    return copyIn(copies, name, m_stage, arrival, program);
  };
  if (const auto id = value.tensor.wholeVariable(); id.valid()) return whole(id, value.tensor).reshape(value.tensor.shape());
  auto& known = m_views[{name, m_stage}];
  if (known.valid()) return known;
  const auto regions = value.tensor.contiguousRegions();
  if (regions.size() > kMostRegions) {
    Copies& copies = m_copiesOfViews[name];
    if (copies.empty()) copies[value.stage] = value.tensor;
    return known = copyIn(copies, name, m_stage, arrival, program);
  }
  // The same view of copies of its variables, which other views share.
  std::vector<Tensor> parts;
  for (const auto& region : regions) {
    const auto& v = m_graph.variable(region.variable);
    const Tensor copy = whole(region.variable, Tensor(region.variable, v.type, v.shape));
    parts.push_back(copy.flatten().slice(region.begin, region.end));
  }
  return known = graph::concat(parts).reshape(value.tensor.shape());
}

Tensor StageRoutes::known(const std::string& name) const {
  const auto found = m_values.find(name);
  if (found == m_values.end()) return {};
  const Value& value = found->second;
  if (value.stage == m_stage) return value.tensor;
  if (const auto id = value.tensor.wholeVariable(); id.valid()) {
    const auto copies = m_copies.find({id.value(), value.call});
    if (copies == m_copies.end() || !copies->second.count(m_stage)) return {};
    return copies->second.at(m_stage).reshape(value.tensor.shape());
  }
  const auto view = m_views.find({name, m_stage});
  return view == m_views.end() ? Tensor() : view->second;
}

} // namespace simcore::model
