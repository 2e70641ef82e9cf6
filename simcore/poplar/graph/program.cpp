#include "poplar/Program.hpp"

#include "poplar/Graph.hpp"
#include "simcore/graph/print_format.h"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/inner.h"

#include <iterator>

namespace poplar {

namespace graph = simcore::graph;
namespace made = simcore::graph::program;
using simcore::poplar::asPoplar;
using simcore::poplar::asPoplarOr;
using simcore::poplar::inner;

// ---- parts of programs ------------------------------------------------------------------------------------------------

graph::Program core::ProgramAccess::node(const program::Program& program) {
  if (!program.m_inside) return nullptr;
  return program.m_inside->node ? program.m_inside->node : program.m_inside->sequence.program();
}
graph::Sequence& core::ProgramAccess::sequence(program::Program& program) {
  auto& inside = program.m_inside;
  if (!inside)
    inside = std::make_shared<program::Program::Inside>();
  else if (inside.use_count() > 1)
    inside = std::make_shared<program::Program::Inside>(*inside);
  return inside->sequence;
}
void core::ProgramAccess::set(program::Program& program, graph::Program node) {
  program.m_inside = std::make_shared<program::Program::Inside>();
  program.m_inside->node = std::move(node);
}

namespace program {

namespace {
using Access = core::ProgramAccess;

graph::Sequence body(const Program& program) {
  graph::Sequence sequence;
  sequence.add(Access::node(program));
  return sequence;
}
const graph::Tensor& valid(const Tensor& tensor, const DebugContext& context) {
  if (!inner(tensor).valid())
    throw poplar_error("a program uses a tensor that was declared without a value" +
                       (context.getPathName().empty() ? std::string() : ": " + context.getPathName()));
  return inner(tensor);
}
template<class Make> void set(Program& program, Make make) {
  asPoplar([&] { Access::set(program, make()); });
}
graph::StreamId streamOf(const DataStream& stream) {
  if (stream.handle().empty())
    throw stream_connection_error("the DataStream was declared without a value: use addHostToDeviceFIFO or addDeviceToHostFIFO");
  return {stream.id()};
}
void requireFits(const DataStream& stream, const graph::Tensor& tensor, DataStreamType type) {
  const auto direction = [](DataStreamType t) { return isHostToDevice(t) ? "host-to-device" : "device-to-host"; };
  if (stream.type() != type)
    throw stream_connection_error("stream '" + stream.handle() + "' is " + direction(stream.type()) + ", but the copy needs " +
                                  direction(type));
  if (std::size_t(tensor.numElements()) != stream.numElements())
    throw stream_connection_error("stream '" + stream.handle() + "' moves " + std::to_string(stream.numElements()) +
                                  " elements, tensor " + tensor.getDebugStr() + " has " + std::to_string(tensor.numElements()));
  if (tensor.elementType() != inner(stream.elementType()))
    throw type_error("stream '" + stream.handle() + "' moves " + stream.elementType().toString() + ", tensor " +
                     tensor.getDebugStr() + " is " + simcore::numerics::elementTypeName(tensor.elementType()));
}
graph::RemoteBuffer bufferOf(const RemoteBuffer& buffer) {
  if (buffer.handle().empty()) return {};
  return {buffer.id(),
          buffer.handle(),
          inner(buffer.elementType()),
          int64_t(buffer.numElements()),
          int64_t(buffer.getRepeats()),
          buffer.isRearrangeOnHost(),
          buffer.isOptimisedForMemory()};
}
graph::SyncType syncOf(SyncType type) {
  return type == SyncType::INTERNAL   ? graph::SyncType::Internal
         : type == SyncType::EXTERNAL ? graph::SyncType::External
                                      : graph::SyncType::Global;
}
} // namespace

Program::Program() = default;
Program::Program(const Program&) = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(const Program&) = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;
bool Program::isEmpty() const { return !m_inside || (!m_inside->node && m_inside->sequence.empty()); }
bool Program::operator==(const Program& other) const {
  return m_inside == other.m_inside || (isEmpty() && other.isEmpty()) ||
         (m_inside && other.m_inside && m_inside->node && m_inside->node == other.m_inside->node);
}

Sequence::Sequence(const DebugContext& context) {
  m_inside = std::make_shared<Inside>();
  m_inside->sequence = graph::Sequence(context.getPathName());
}
Sequence::Sequence(std::initializer_list<Program> programs, const DebugContext& context) : Sequence(context) {
  for (const Program& p : programs) add(p);
}
Sequence::Sequence(ArrayRef<Program> programs, const DebugContext& context) : Sequence(context) {
  for (const Program& p : programs) add(p);
}
Sequence::Sequence(const std::vector<Program>& programs) : Sequence(ArrayRef<Program>(programs), DebugContext()) {}
void Sequence::add(const Program& program) {
  graph::Program node = Access::node(program); // copied before this sequence changes, because `program` may be this sequence
  Access::sequence(*this).add(std::move(node));
}
void Sequence::add(Program&& program) { add(static_cast<const Program&>(program)); }

Block::Block(const Program& content, const DebugContext& context) {
  set(*this, [&] { return made::block(body(content), context.getPathName()); });
}

Execute::Execute(ComputeSet computeSet, const DebugContext&) {
  if (computeSet.getId() == ~0u) throw poplar_error("Execute: the compute set was declared without a value");
  set(*this, [&] { return made::execute(reports::ComputeSetId(std::size_t(computeSet.getId()))); });
}
Execute::Execute(ComputeSet, Tensor, const DebugContext&) {
  throw poplar_error(
      "Execute with a tensor for the results of compute() is not simulated: write them to an output of the vertex");
}

Copy::Copy(Tensor source, Tensor destination, bool dontOutline, const DebugContext& context) {
  simcore::poplar::ignoreArgument(dontOutline, "Copy", "dontOutline");
  set(*this, [&] { return made::copy(valid(source, context), valid(destination, context), context.getPathName()); });
}
Copy::Copy(Tensor source, Tensor destination, const char* name) : Copy(source, destination, false, DebugContext(name)) {}
Copy::Copy(Tensor source, Tensor destination, const DebugContext& context)
    : Copy(std::move(source), std::move(destination), false, context) {}
Copy::Copy(const DataStream& source, Tensor destination, bool optimiseMemory, const DebugContext& context) {
  simcore::poplar::ignoreArgument(optimiseMemory, "Copy from a stream", "optimiseMemory");
  set(*this, [&] {
    requireFits(source, valid(destination, context), DataStreamType::HostToDeviceFIFO);
    return made::copy(streamOf(source), inner(destination), context.getPathName());
  });
}
Copy::Copy(Tensor source, const DataStream& destination, bool optimiseMemory, const DebugContext& context) {
  simcore::poplar::ignoreArgument(optimiseMemory, "Copy to a stream", "optimiseMemory");
  set(*this, [&] {
    requireFits(destination, valid(source, context), DataStreamType::DeviceToHostFIFO);
    return made::copy(inner(source), streamOf(destination), context.getPathName());
  });
}
Copy::Copy(const RemoteBuffer& source, Tensor destination, const DebugContext& context) {
  set(*this, [&] { return made::copy(bufferOf(source), valid(destination, context), context.getPathName()); });
}
Copy::Copy(const RemoteBuffer& source, Tensor destination, Tensor offset, const DebugContext& context) {
  set(*this,
      [&] { return made::copy(bufferOf(source), valid(destination, context), valid(offset, context), context.getPathName()); });
}
Copy::Copy(Tensor source, const RemoteBuffer& destination, const DebugContext& context) {
  set(*this, [&] { return made::copy(valid(source, context), bufferOf(destination), context.getPathName()); });
}
Copy::Copy(Tensor source, const RemoteBuffer& destination, Tensor offset, const DebugContext& context) {
  set(*this,
      [&] { return made::copy(valid(source, context), bufferOf(destination), valid(offset, context), context.getPathName()); });
}

Copy::Copy(const FunctionBuffer& source, const Function& destination, const DebugContext&) {
  if (source.function() != destination) throw poplar_error("Copy: the buffer has the code of another function");
  simcore::poplar::warnOnce("Copy of a function's code takes no time here: the code is always on its tiles");
}
Copy::Copy(const Function& source, const FunctionBuffer& destination, const DebugContext& context)
    : Copy(destination, source, context) {}

WriteUndef::WriteUndef(Tensor tensor, const DebugContext& context) {
  set(*this, [&] { return made::writeUndef(valid(tensor, context)); });
}
Repeat::Repeat(unsigned count, const Program& content, const DebugContext& context) {
  set(*this, [&] { return made::repeat(count, body(content), context.getPathName()); });
}
RepeatWhileTrue::RepeatWhileTrue(const Program& condition, Tensor predicate, const Program& content,
                                 const DebugContext& context) {
  set(*this,
      [&] { return made::repeatWhileTrue(body(condition), valid(predicate, context), body(content), context.getPathName()); });
}
RepeatWhileFalse::RepeatWhileFalse(const Program& condition, Tensor predicate, const Program& content,
                                   const DebugContext& context) {
  set(*this,
      [&] { return made::repeatWhileFalse(body(condition), valid(predicate, context), body(content), context.getPathName()); });
}
If::If(Tensor predicate, const Program& whenTrue, const Program& whenFalse, const DebugContext& context) {
  set(*this, [&] { return made::ifElse(valid(predicate, context), body(whenTrue), body(whenFalse), context.getPathName()); });
}

namespace {
void makeSwitch(Program::Inside& inside) {
  inside.node = made::switchOn(inside.control, inside.cases, inside.otherwise, inside.name);
}
} // namespace

Switch::Switch(Tensor control, const std::vector<std::pair<std::int32_t, Program>>& cases, const Program& otherwise,
               const DebugContext& context) {
  m_inside = std::make_shared<Inside>();
  m_inside->control = valid(control, context);
  for (const auto& [value, program] : cases) m_inside->cases.emplace_back(value, body(program));
  m_inside->otherwise = body(otherwise);
  m_inside->name = context.getPathName();
  asPoplar([&] { makeSwitch(*m_inside); });
}
Switch::Switch(Tensor control, const DebugContext& context)
    : Switch(std::move(control), std::vector<std::pair<std::int32_t, Program>>(), Program(), context) {}
Switch::Switch(Tensor control, const Program& otherwise, const DebugContext& context)
    : Switch(std::move(control), std::vector<std::pair<std::int32_t, Program>>(), otherwise, context) {}
Switch::Switch(Tensor control, const std::vector<std::pair<std::int32_t, Program>>& cases, const DebugContext& context)
    : Switch(std::move(control), cases, Program(), context) {}
Switch Switch::switchWithBoundsChecking(Tensor control, const std::vector<std::pair<std::int32_t, Program>>& cases,
                                        const DebugContext& context) {
  return Switch(control, cases, ErrorProgram("no case of the Switch has this value", control, context), context);
}
Switch Switch::switchWithUnreachableDefault(Tensor control, const DebugContext& context) {
  return Switch(std::move(control), context);
}
Switch& Switch::add(std::int32_t value, const Program& program) {
  if (m_inside.use_count() > 1) m_inside = std::make_shared<Inside>(*m_inside);
  m_inside->cases.emplace_back(value, body(program));
  asPoplar([&] { makeSwitch(*m_inside); });
  return *this;
}

Call::Call(Function function, const DebugContext& context) {
  set(*this, [&] { return made::call(graph::FunctionId{function.id()}, context.getPathName()); });
}
Call::Call(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs, const DebugContext& context) {
  set(*this, [&] {
    const auto* known = static_cast<const graph::HostFunction*>(function.inside().get());
    if (!known) throw stream_connection_error("the HostFunction was declared without a value: use addHostFunction");
    return made::call(*known, inner(inputs), inner(outputs), context.getPathName());
  });
}
Sync::Sync(SyncType type, const DebugContext&) {
  set(*this, [&] { return made::sync(syncOf(type)); });
}
PrintTensor::PrintTensor(Tensor tensor, const DebugContext& context) {
  set(*this, [&] { return made::printTensor(context.getPathName(), valid(tensor, context)); });
}
PrintTensor::PrintTensor(StringRef title, Tensor tensor, const DebugContext& context) {
  set(*this, [&] { return made::printTensor(title, valid(tensor, context)); });
}
PrintTensor::PrintTensor(Tensor tensor, const PrintTensorFmt& format, const DebugContext& context)
    : PrintTensor(StringRef(context.getPathName()), std::move(tensor), format, context) {}
PrintTensor::PrintTensor(StringRef title, Tensor tensor, const PrintTensorFmt& format, const DebugContext& context) {
  graph::PrintFormat f = graph::PrintFormat::formatted();
  f.threshold = format.summariseThreshold;
  f.edgeItems = format.edgeItems;
  f.lineWidth = format.maxLineWidth;
  f.digits = format.digits;
  f.floats = graph::PrintFormat::Floats(int(format.floatFormat));
  f.separator = format.separator;
  f.open = format.openBracket;
  f.close = format.closeBracket;
  set(*this, [&] { return made::printTensor(title, valid(tensor, context), f); });
}
AbortOnCondition::AbortOnCondition(Tensor predicate, const std::string& message, const DebugContext& context) {
  set(*this, [&] { return made::abortOnCondition(valid(predicate, context), message); });
}
AbortOnCondition::AbortOnCondition(Tensor predicate, const char* message, const DebugContext& context)
    : AbortOnCondition(std::move(predicate), std::string(message), context) {}
AbortOnCondition::AbortOnCondition(Tensor predicate, const DebugContext& context)
    : AbortOnCondition(std::move(predicate), context.getPathName(), context) {}
ErrorProgram::ErrorProgram(StringRef message, Tensor shown, const DebugContext&) {
  set(*this, [&] { return made::errorProgram(message, inner(shown)); });
}
Abort::Abort(const DebugContext& context) : Abort(std::string("the program was stopped by Abort"), context) {}
Abort::Abort(const std::string& message, const DebugContext&) {
  set(*this, [&] { return made::errorProgram(message); });
}
Abort::Abort(const char* message, const DebugContext& context) : Abort(std::string(message), context) {}
AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(Tensor tensor, const DebugContext& context) {
  set(*this, [&] { return made::assumeEqualAcrossReplicas(valid(tensor, context), context.getPathName()); });
}
CrossReplicaCopy::CrossReplicaCopy(Tensor source, Tensor destination, const std::map<unsigned, unsigned>&,
                                   const DebugContext& context)
    : CrossReplicaCopy(std::move(source), std::move(destination), std::vector<unsigned>(), context) {}
CrossReplicaCopy::CrossReplicaCopy(Tensor source, Tensor, const std::vector<unsigned>&, const DebugContext&) {
  throw poplar_error("CrossReplicaCopy of " + source.getDebugStr() + " is not simulated: use the collectives of gcl");
}

void dumpProgram(const Graph& graph, const Program& program, std::ostream& out) {
  graph.outputComputeGraph(out, ArrayRef<Program>(&program, 1));
}

} // namespace program
} // namespace poplar
