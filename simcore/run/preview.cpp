#include "simcore/run/preview.h"

#include "simcore/run/call_frames.h"
#include "simcore/run/operation_context.h"

#include <map>
#include <set>

namespace simcore::run {

namespace {

// Shapes of streams: a stream only has a number of elements, but the tensor at its end has a shape.
using ShapesOfStreams = std::map<uint32_t, graph::Shape>;

void addShapes(const graph::Program& program, std::set<const graph::ProgramNode*>& seen, ShapesOfStreams& shapes) {
  if (!program || !seen.insert(program.get()).second) return;
  using Kind = graph::ProgramNode::Kind;
  if (program->kind == Kind::StreamToTensor) shapes.emplace(program->stream.value, program->destination.shape());
  if (program->kind == Kind::TensorToStream) shapes.emplace(program->stream.value, program->source.shape());
  for (const auto& child : program->children) addShapes(child, seen, shapes);
}

ShapesOfStreams shapesOfStreams(const graph::Workload& workload) {
  std::set<const graph::ProgramNode*> seen;
  ShapesOfStreams shapes;
  for (const auto& named : workload.programs) addShapes(named.program, seen, shapes);
  for (const auto& function : workload.graph->functions()) addShapes(function.body, seen, shapes);
  return shapes;
}

Preview::Values valuesOf(std::string name, graph::ElementType type, int64_t elements, const graph::Shape& shape) {
  return {std::move(name), numerics::elementTypeName(type), shape.size() > 1 ? numerics::toString(shape) : std::string(),
          elements, elements * int64_t(numerics::deviceSize(type))};
}

void addValues(const graph::Workload& workload, Preview& p) {
  const ShapesOfStreams shapes = shapesOfStreams(workload);
  const auto& streams = workload.graph->streams();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto shape = shapes.find(uint32_t(i));
    (streams[i].direction == graph::StreamDirection::HostToDevice ? p.inputs : p.outputs)
        .push_back(valuesOf(streams[i].name, streams[i].type, streams[i].elements,
                            shape == shapes.end() ? graph::Shape() : shape->second));
  }
  for (const auto& [name, handle] : workload.graph->hostHandles()) {
    const auto values = valuesOf(name, handle.tensor.elementType(), handle.tensor.numElements(), handle.tensor.shape());
    if (handle.write) p.inputs.push_back(values);
    if (handle.read) p.outputs.push_back(values);
  }
  for (const auto& [name, tensor] : workload.variables) {
    ++p.weights;
    p.weightElements += tensor.numElements();
    p.weightBytes += tensor.numElements() * int64_t(numerics::deviceSize(tensor.elementType()));
  }
}

// Walks through a program as it is called: the steps of a function count for the operations that its calls name, as in the report
// of a run.
class OperationWalk {
public:
  OperationWalk(const compile::Executable& e, Preview& p) : m_e(e), m_p(p) {}

  void addSteps() {
    for (std::size_t i = 0; i < m_e.programs.size(); ++i) walk(m_e.program.roots[i]);
  }

  // A function's storage exists once, so its callers share the bytes equally.
  void addBytes() {
    for (const auto& storage : m_e.storage) {
      const int64_t operation = operationOf(storage.context);
      if (operation < 0) continue;
      const auto known = m_callers.find(operation);
      const std::set<int64_t> callers = known == m_callers.end() ? std::set<int64_t>{operation} : known->second;
      int64_t left = storage.bytes.sum(), count = int64_t(callers.size());
      for (const int64_t caller : callers) {
        const int64_t part = left / count--;
        m_p.operations[rowOf(caller)].bytes += part;
        left -= part;
      }
    }
  }

private:
  int64_t operationOf(graph::DebugContextId context) const {
    return context.valid() ? operationContext(*m_e.graph, context) : -1;
  }

  std::size_t rowOf(int64_t operation) {
    const auto [it, added] = m_rows.emplace(operation, m_p.operations.size());
    if (added)
      m_p.operations.push_back({m_e.graph->fullName(graph::DebugContextId(std::size_t(operation))),
                                m_e.graph->contexts()[std::size_t(operation)].kind, 0});
    return it->second;
  }

  void walk(int index) {
    const compile::Step& s = m_e.program.steps[std::size_t(index)];
    if (const int64_t operation = s.ordinal >= 0 ? operationOf(s.context) : -1; operation >= 0) {
      const int64_t caller = m_frames.caller(m_frames.current(), operation);
      m_callers[operation].insert(caller);
      rowOf(caller);
    }
    for (const int child : s.children) walk(child);
    if (s.callee < 0) return;
    m_frames.begin(s);
    if (m_walked.insert({m_frames.current(), s.callee}).second) walk(s.callee);
    m_frames.end();
  }

  const compile::Executable& m_e;
  Preview& m_p;
  CallFrames m_frames;
  std::set<std::pair<int, int>> m_walked;         // frame and function
  std::map<int64_t, std::size_t> m_rows;          // by operation
  std::map<int64_t, std::set<int64_t>> m_callers; // by the operation for which a step was made
};

void addMemory(const compile::Executable& e, Preview& p) {
  p.tileBytes = e.graph->machine().tile.memory.value();
  p.maxTile = e.allocation.maxTile, p.maxTileBytes = e.allocation.maxTileBytes;
  p.overflowTiles = e.allocation.overflowTiles;
  for (std::size_t tile = 0; tile < e.allocation.layoutOfTile.size(); ++tile) {
    const uint32_t layout = e.allocation.layoutOfTile[tile];
    if (const int64_t extent = e.allocation.layouts[layout].extentBytes; extent > p.maxTileWithGapsBytes)
      p.maxTileWithGaps = int64_t(tile), p.maxTileWithGapsBytes = extent;
    p.totalBytes += e.allocation.layouts[layout].totalBytes;
    p.alwaysLiveBytes += e.allocation.layouts[layout].alwaysLiveBytes;
  }
}

} // namespace

Preview previewOf(const graph::Workload& workload, const compile::Executable& executable, int plans) {
  Preview p;
  p.plans = plans;
  addValues(workload, p);
  OperationWalk walk(executable, p);
  walk.addSteps(), walk.addBytes();
  addMemory(executable, p);
  return p;
}

} // namespace simcore::run
