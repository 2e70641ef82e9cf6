#include "simcore/ops/program/stage_routes.h"

#include "reports/core/error.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/slice.h"

#include <algorithm>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::SliceDirection;
using graph::Program;
using graph::VariableId;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {

// A view with more pieces than this is copied as a whole.
constexpr std::size_t kMostRegions = 4096;

// `entries` of `count` elements each; replaces or reads entry `at`.
HostTensor withEntry(const HostTensor& ring, const HostTensor& value, int64_t at) {
  HostTensor out = ring;
  const std::size_t bytes = value.byteCount();
  auto raw = out.mutableRaw();
  std::copy_n(value.raw().begin(), bytes, raw.begin() + std::ptrdiff_t(std::size_t(at) * bytes));
  return out;
}
HostTensor entryOf(const HostTensor& ring, const numerics::Shape& shape, int64_t at) {
  HostTensor out = HostTensor::uninitialised(ring.type(), shape);
  const std::size_t bytes = out.byteCount();
  const auto from = ring.raw().begin() + std::ptrdiff_t(std::size_t(at) * bytes);
  std::copy_n(from, bytes, out.mutableRaw().begin());
  return out;
}

// The time on each tile of a slice or an update at a position known at run time.
void sliceStep(const OpBuilder& b, SliceDirection direction, const graph::Distribution& layout, ElementType type,
               const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) {
  Superstep step(b, direction == SliceDirection::Slice ? "restore" : "stash");
  for (const auto& r : layout.elementsByTile().runs())
    step.add(codelets::dynamicSlice1DSpec(direction, type), codelets::dynamicSlice1D(b.tile(), direction, type, r.value, 1),
             r.tiles);
  step.copies();
  step.execute(reads, writes);
}

} // namespace

StageRoutes::StageRoutes(Graph& graph, DebugContextId context, std::vector<int> ipuOfPart, ProgramOfStage startOf, bool goesBack)
    : m_graph(graph), m_context(context), m_ipuOfPart(std::move(ipuOfPart)), m_startOf(std::move(startOf)), m_goesBack(goesBack) {
}

void StageRoutes::enter(int stage, Sequence* made) {
  m_stage = stage;
  m_made = made;
}

void StageRoutes::made(const std::string& name, const Tensor& value, int call) {
  m_values[name] = {value, m_stage, call, m_made};
}

// One entry per micro-batch between the two stages; the ring advances with the counters of its stages.
Tensor StageRoutes::stashed(const Tensor& value, const std::string& name, int from, int to, Sequence& made, Sequence& program) {
  if (m_remote) return stashedRemotely(value, name, from, to, made, program);
  const int64_t entries = to - from + 1;
  const OpBuilder write(m_graph, made, m_graph.addContext(m_context, "stash/" + name, "model", "Stash", {}, graph::kNoSource),
                        true, ipuOf(from));
  const ElementType type = value.elementType();
  const graph::Distribution layout = write.layoutOf(value);
  const Tensor ring = m_graph.addVariable(type, {entries, value.numElements()}, "stash/" + name, write.context());
  auto& v = m_graph.variable(ring.wholeVariable());
  for (const auto& r : layout.elementsByTile().runs())
    v.extraBytes.add(r.tiles, entries * reports::roundUp(r.value * elementBytes(type), 4));
  v.alwaysLive = true;
  const Tensor in = counter(from, entries), out = counter(to, entries);
  sliceStep(write, SliceDirection::Update, layout, type, {value, in}, {ring});
  write.compute({ring, value, in}, {ring}, [entries](const std::vector<HostTensor>& x) {
    return std::vector<HostTensor>{withEntry(x[0], x[1], x[2].integerAt(0) % entries)};
  });
  const OpBuilder read(m_graph, program,
                       m_graph.addContext(m_context, "restore/" + name, "model", "Restore", {}, graph::kNoSource), true,
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
  const int64_t entries = to - from + 1;
  const auto buffer = m_graph.addRemoteBuffer("stash" + std::to_string(m_stashes++) + "/" + name, value.elementType(),
                                              value.numElements(), entries);
  const OpBuilder write(m_graph, made, m_graph.addContext(m_context, "stash/" + name, "model", "Stash", {}, graph::kNoSource),
                        true, ipuOf(from));
  made.add(graph::program::copy(value.flatten(), buffer, counter(from, entries), "stash", write.context()));
  const OpBuilder read(m_graph, program,
                       m_graph.addContext(m_context, "restore/" + name, "model", "Restore", {}, graph::kNoSource), true,
                       ipuOf(to));
  const graph::Distribution layout = write.layoutOf(value);
  const Tensor restored = read.output(value.elementType(), layout.shape(), name, layout).reshape(value.shape());
  program.add(graph::program::copy(buffer, restored.flatten(), counter(to, entries), "restore", read.context()));
  return restored;
}

Tensor StageRoutes::crossed(const Tensor& value, const std::string& name, int stage) {
  Sequence none;
  const Tensor copy = destinationOn(OpBuilder(m_graph, none, m_context), value, ipuOf(stage), name);
  m_crossings.push_back({value, copy});
  return copy;
}

Tensor StageRoutes::counter(int stage, int64_t entries) {
  const auto found = m_counters.find({stage, entries});
  if (found != m_counters.end()) return found->second;
  const Tensor count = m_graph.addVariable(ElementType::Int32, {1}, "stage" + std::to_string(stage) + "/counter", m_context);
  auto& v = m_graph.variable(count.wholeVariable()); // every tile has a copy, so it is never sent
  Sequence none;
  v.extraBytes = graph::PerTile::uniform(OpBuilder(m_graph, none, m_context, true, ipuOf(stage)).tileRange(), 4);
  v.alwaysLive = true;
  m_graph.setInitialValue(count, HostTensor(ElementType::Int32, {1}));
  return m_counters[{stage, entries}] = count;
}

void StageRoutes::finish(const ProgramOfStage& endOf) {
  for (const auto& [key, count] : m_counters) {
    const auto [stage, entries] = key;
    const std::string name = "stage" + std::to_string(stage) + "/count";
    const OpBuilder b(m_graph, endOf(stage), m_graph.addContext(m_context, name, "model", "Stash", {}, graph::kNoSource), true,
                      ipuOf(stage));
    Superstep step(b, "count");
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

// The route of a value to its reader: first over links to the reader's IPU if that IPU comes later (else the value waits for the
// backward stages), then in a stash to the reader's stage.
Tensor StageRoutes::copyIn(Copies& copies, const std::string& name, int stage, const Arrival& arrival, Sequence& program) {
  if (const auto found = copies.find(stage); found != copies.end()) return found->second.tensor;
  const auto last = std::prev(copies.upper_bound(stage));
  const int ipu = ipuOf(stage);
  // Looks for the latest stage on the same IPU that has the value.
  for (auto it = std::make_reverse_iterator(std::next(last)); it != copies.rend(); ++it)
    if (ipuOf(it->first) == ipu) {
      Sequence* restored = it->first == arrival.stage ? arrival.made : it->second.restored;
      Sequence& made = restored ? *restored : m_startOf(it->first);
      const bool isAtNode = stage == m_stage && &program != &m_startOf(stage);
      const Tensor value = stashed(it->second.tensor, name, it->first, stage, made, program);
      copies[stage] = {value, isAtNode ? m_made : nullptr};
      return value;
    }
  const int first = copies.begin()->first;
  if (stage >= parts() && first < parts()) { // a backward stage reads a forward value that was never on its IPU
    const int turn = partOf(stage) > first ? partOf(stage) : mirrorOf(first);
    copyIn(copies, name, turn, arrival, turn == stage ? program : m_startOf(turn));
    if (turn != stage && ipuOf(turn) == ipu) return copyIn(copies, name, stage, arrival, program);
  }
  const auto from = std::prev(copies.upper_bound(stage));
  Tensor value = from->second.tensor;
  for (int s = from->first + 1; s <= stage; ++s) copies[s].tensor = value = crossed(value, name, s);
  return value;
}

Tensor StageRoutes::here(const std::string& name, Sequence& program) {
  const Value& value = m_values.at(name);
  if (value.stage == m_stage) return value.tensor;
  if (value.stage > m_stage)
    throw reports::Error(reports::ErrorCode::Internal,
                         "the value '" + name + "' is read in a stage before the one that makes it");
  const Arrival arrival{value.stage, value.made};
  const auto whole = [&](VariableId id, const Tensor& tensor) {
    Copies& copies = m_copies[{id.value(), value.call}];
    if (copies.empty()) copies[value.stage].tensor = tensor;
    return copyIn(copies, name, m_stage, arrival, program);
  };
  if (const auto id = value.tensor.wholeVariable(); id.valid()) return whole(id, value.tensor).reshape(value.tensor.shape());
  auto& known = m_views[{name, m_stage}];
  if (known.valid()) return known;
  const auto regions = value.tensor.contiguousRegions();
  if (regions.size() > kMostRegions) {
    Copies& copies = m_copiesOfViews[name];
    if (copies.empty()) copies[value.stage].tensor = value.tensor;
    return known = copyIn(copies, name, m_stage, arrival, program);
  }
  // The value as a view of copies of its variables; other views share these copies.
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
    return copies->second.at(m_stage).tensor.reshape(value.tensor.shape());
  }
  const auto view = m_views.find({name, m_stage});
  return view == m_views.end() ? Tensor() : view->second;
}

} // namespace simcore::ops
