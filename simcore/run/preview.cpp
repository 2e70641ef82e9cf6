#include "simcore/run/preview.h"

#include "simcore/compile/compiler.h"
#include "simcore/run/block_filter.h"
#include "simcore/run/operation_context.h"

#include <map>
#include <set>

namespace simcore::run {

namespace {

// Streams know how many elements they move; the tensors at their end know the shape.
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

void addOperations(const compile::Executable& e, Preview& p) {
  std::map<int64_t, std::size_t> rows;
  const auto rowOf = [&](graph::DebugContextId context) -> Preview::Operation* {
    const int64_t operation = context.valid() ? operationContext(*e.graph, context) : -1;
    if (operation < 0) return nullptr;
    const auto [it, added] = rows.emplace(operation, p.operations.size());
    if (added)
      p.operations.push_back({e.graph->fullName(graph::DebugContextId(std::size_t(operation))),
                              e.graph->contexts()[std::size_t(operation)].kind, 0});
    return &p.operations[it->second];
  };
  for (const auto& step : e.program.steps)
    if (step.ordinal >= 0) rowOf(step.context);
  for (const auto& storage : e.storage)
    if (Preview::Operation* operation = rowOf(storage.context)) operation->bytes += storage.bytes.sum();
}

void addMemory(const compile::Executable& e, Preview& p) {
  p.tileBytes = e.graph->machine().tile.memory.value();
  p.maxTile = e.allocation.maxTile, p.maxTileBytes = e.allocation.maxTileBytes;
  p.overflowTiles = e.allocation.overflowTiles;
  for (const uint32_t layout : e.allocation.layoutOfTile) {
    p.totalBytes += e.allocation.layouts[layout].totalBytes;
    p.alwaysLiveBytes += e.allocation.layouts[layout].alwaysLiveBytes;
  }
}

} // namespace

Preview preview(const graph::Workload& workload, const EngineOptionSet& options, std::stop_token stop,
                reports::Progress& progress, const Replanning& replanning) {
  compile::CompileOptions compileOptions;
  compileOptions.instrument = options.flag("debug.instrument");
  compileOptions.blocks = blockBufferOf(options, workload.graph->machine());
  const FittedProgram program = compileToFit(workload, replanning, [&](const graph::Workload& planned) {
    return compile::compile(planned.graph, planned.programs, stop, progress, {}, compileOptions);
  });
  const compile::Executable& executable = program.executable;
  Preview p;
  p.plans = program.plans;
  addValues(workload, p);
  addOperations(executable, p);
  addMemory(executable, p);
  return p;
}

} // namespace simcore::run
