#include "simcore/graph/program.h"

#include "reports/core/error.h"
#include "simcore/graph/print_format.h"

#include "reports/core/text.h"
#include <algorithm>

namespace simcore::graph {

namespace {
using Kind = ProgramNode::Kind;

std::shared_ptr<ProgramNode> node(Kind kind, std::string name, DebugContextId context) {
  auto n = std::make_shared<ProgramNode>();
  n->kind = kind;
  n->name = std::move(name);
  n->context = context;
  return n;
}

void requireScalar(const Tensor& predicate, const std::string& name) {
  if (!predicate.valid() || predicate.numElements() != 1)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "the predicate must have one element, but is " + predicate.getDebugStr(), name,
                         "reduce it to one value, or take one element of it");
}
} // namespace

Program Sequence::program() const {
  auto n = node(Kind::Sequence, m_name, m_context);
  n->children = m_children;
  return n;
}

namespace program {

Program execute(ComputeSetId computeSet, DebugContextId context) {
  auto n = node(Kind::Execute, {}, context);
  n->computeSet = computeSet;
  return n;
}

Program copy(const Tensor& source, const Tensor& destination, std::string name, DebugContextId context) {
  if (source.numElements() != destination.numElements() || source.elementType() != destination.elementType())
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "copy from " + source.getDebugStr() + " " + numerics::elementTypeName(source.elementType()) + " to " +
                             destination.getDebugStr() + " " + numerics::elementTypeName(destination.elementType()),
                         name.empty() ? "Copy" : name, "both sides must have the same type and number of elements");
  auto n = node(Kind::Copy, std::move(name), context);
  // Elements are copied in order, for any shapes, as in Poplar.
  n->source = source.shape() == destination.shape() ? source : source.flatten();
  n->destination = source.shape() == destination.shape() ? destination : destination.flatten();
  return n;
}

Program copy(StreamId stream, const Tensor& destination, std::string name, DebugContextId context) {
  auto n = node(Kind::StreamToTensor, std::move(name), context);
  n->stream = stream;
  n->destination = destination;
  return n;
}

Program copy(const Tensor& source, StreamId stream, std::string name, DebugContextId context) {
  auto n = node(Kind::TensorToStream, std::move(name), context);
  n->stream = stream;
  n->source = source;
  return n;
}

namespace {
// A copy of the buffer's rows whose numbers are in `offset`; without an offset, of one row.
std::shared_ptr<ProgramNode> remote(Kind kind, const RemoteBuffer& buffer, const Tensor& tensor, const Tensor& offset,
                                    std::string name, DebugContextId context) {
  const auto refuse = [&](const std::string& what, const std::string& advice) {
    throw reports::Error(reports::ErrorCode::InvalidInput, what, buffer.handle.empty() ? "remote buffer" : buffer.handle, advice);
  };
  if (!buffer.valid()) refuse("the remote buffer does not belong to a graph", "create it with addRemoteBuffer");
  const int64_t rows = offset.valid() ? offset.numElements() : 1;
  if (tensor.elementType() != buffer.type)
    refuse(std::string("the tensor is ") + numerics::elementTypeName(tensor.elementType()) + ", the remote buffer holds " +
               numerics::elementTypeName(buffer.type),
           {});
  if (tensor.numElements() != rows * buffer.elements)
    refuse("a tensor of shape " + numerics::toString(tensor.shape()) + " is not " + reports::counted(rows, "row") + " of " +
               std::to_string(buffer.elements) + " elements",
           "a copy moves one row for each element of the offset tensor");
  if (offset.valid() && !numerics::isInteger(offset.elementType()))
    refuse(std::string("rows are chosen by integers, not by ") + numerics::elementTypeName(offset.elementType()), {});
  auto n = node(kind, std::move(name), context);
  n->remoteBuffer = buffer;
  n->offset = offset;
  return n;
}
} // namespace

Program copy(const RemoteBuffer& source, const Tensor& destination, const Tensor& offset, std::string name,
             DebugContextId context) {
  auto n = remote(Kind::RemoteToTensor, source, destination, offset, std::move(name), context);
  n->destination = destination;
  return n;
}

Program copy(const Tensor& source, const RemoteBuffer& destination, const Tensor& offset, std::string name,
             DebugContextId context) {
  auto n = remote(Kind::TensorToRemote, destination, source, offset, std::move(name), context);
  n->source = source;
  return n;
}

Program copy(const RemoteBuffer& source, const Tensor& destination, std::string name, DebugContextId context) {
  return copy(source, destination, Tensor(), std::move(name), context);
}

Program copy(const Tensor& source, const RemoteBuffer& destination, std::string name, DebugContextId context) {
  return copy(source, destination, Tensor(), std::move(name), context);
}

Program repeat(int64_t count, const Sequence& body, std::string name, DebugContextId context) {
  if (count < 0)
    throw reports::Error(reports::ErrorCode::InvalidInput, "a Repeat cannot run " + std::to_string(count) + " times", name);
  auto n = node(Kind::Repeat, std::move(name), context);
  n->count = count;
  n->children = {body.program()};
  return n;
}

Program repeatWhile(bool value, const Sequence& condition, const Tensor& predicate, const Sequence& body, std::string name,
                    DebugContextId context) {
  requireScalar(predicate, name);
  auto n = node(value ? Kind::RepeatWhileTrue : Kind::RepeatWhileFalse, std::move(name), context);
  n->source = predicate;
  n->children = {condition.program(), body.program()};
  return n;
}

Program ifElse(const Tensor& predicate, const Sequence& whenTrue, const Sequence& whenFalse, std::string name,
               DebugContextId context) {
  requireScalar(predicate, name);
  auto n = node(Kind::If, std::move(name), context);
  n->source = predicate;
  n->children = {whenTrue.program(), whenFalse.program()};
  return n;
}

Program switchOn(const Tensor& selector, const std::vector<std::pair<int64_t, Sequence>>& cases, const Sequence& otherwise,
                 std::string name, DebugContextId context) {
  requireScalar(selector, name);
  if (!numerics::isInteger(selector.elementType()))
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "a Switch chooses by an integer, " + selector.getDebugStr() + " is " +
                             numerics::elementTypeName(selector.elementType()),
                         name.empty() ? "Switch" : name, "cast the selector");
  auto n = node(Kind::Switch, std::move(name), context);
  n->source = selector;
  for (const auto& [value, body] : cases) {
    if (std::find(n->cases.begin(), n->cases.end(), value) != n->cases.end())
      throw reports::Error(reports::ErrorCode::InvalidInput, "the Switch has two bodies for " + std::to_string(value),
                           n->name.empty() ? "Switch" : n->name);
    n->cases.push_back(value);
    n->children.push_back(body.program());
  }
  n->children.push_back(otherwise.program());
  return n;
}

Program call(FunctionId function, std::string name, DebugContextId context, std::vector<CalledFor> calledFor) {
  auto n = node(Kind::Call, std::move(name), context);
  n->function = function;
  n->calledFor = std::move(calledFor);
  return n;
}

Program call(const HostFunction& function, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs,
             std::string name, DebugContextId context) {
  const std::string where = function.handle.empty() ? "host function" : "host function " + function.handle;
  if (function.handle.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "the host function does not belong to a graph", where,
                         "create it with addHostFunction");
  const auto require = [&](const char* side, const std::vector<HostFunctionArgument>& wanted, const std::vector<Tensor>& given) {
    if (wanted.size() != given.size())
      throw reports::Error(
          reports::ErrorCode::InvalidInput,
          "it has " + std::to_string(wanted.size()) + " " + side + "s, the call gives " + std::to_string(given.size()), where);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (!given[i].valid() || given[i].numElements() != wanted[i].elements || given[i].elementType() != wanted[i].type)
        throw reports::Error(reports::ErrorCode::InvalidInput,
                             std::string(side) + " " + std::to_string(i) + " is " + std::to_string(wanted[i].elements) + " " +
                                 numerics::elementTypeName(wanted[i].type) + ", the call gives " + given[i].getDebugStr() +
                                 (given[i].valid() ? std::string(" ") + numerics::elementTypeName(given[i].elementType()) : ""),
                             where);
  };
  require("input", function.inputs, inputs);
  require("output", function.outputs, outputs);
  if (name.empty()) name = function.handle;
  auto n = node(Kind::Sequence, std::move(name), context);
  for (std::size_t i = 0; i < inputs.size(); ++i) n->children.push_back(copy(inputs[i], function.inputStreams[i]));
  for (std::size_t i = 0; i < outputs.size(); ++i) n->children.push_back(copy(function.outputStreams[i], outputs[i]));
  return n;
}

Program assumeEqualAcrossReplicas(const Tensor&, std::string name) {
  return node(Kind::Sequence, name.empty() ? "AssumeEqualAcrossReplicas" : std::move(name), {});
}

Program writeUndef(const Tensor& tensor) {
  auto n = node(Kind::WriteUndef, {}, {});
  n->destination = tensor;
  return n;
}

Program sync(SyncType type) {
  auto n = node(Kind::Sync, type == SyncType::Internal ? "Internal" : type == SyncType::External ? "External" : "Global", {});
  n->sync = type;
  return n;
}

Program printTensor(std::string title, const Tensor& tensor, const PrintFormat& format) {
  auto n = node(Kind::PrintTensor, std::move(title), {});
  n->source = tensor;
  n->cases = format.numbers();
  return n;
}
Program printTensor(std::string title, const Tensor& tensor) { return printTensor(std::move(title), tensor, PrintFormat()); }

Program abortOnCondition(const Tensor& predicate, std::string message) {
  requireScalar(predicate, message);
  auto n = node(Kind::AbortOnCondition, std::move(message), {});
  n->source = predicate;
  return n;
}

Program errorProgram(std::string message, const Tensor& shown) {
  auto n = node(Kind::ErrorProgram, std::move(message), {});
  n->source = shown;
  return n;
}

Program setFloatingPointBehaviour(FloatingPointBehaviour behaviour, std::string name, DebugContextId context) {
  auto n = node(Kind::SetFloatingPoint, std::move(name), context);
  n->floatingPoint = behaviour;
  return n;
}

Program block(const Sequence& body, std::string name) {
  auto n = node(Kind::Block, std::move(name), {});
  n->children = {body.program()};
  return n;
}

Program rearrange(std::string name, DebugContextId context, std::vector<VariableId> reads, std::vector<VariableId> writes,
                  Traffic traffic, PerTile copyCycles, int64_t copyRuns, std::vector<VariableMove> moves) {
  auto n = node(Kind::Rearrange, std::move(name), context);
  n->reads = std::move(reads);
  n->writes = std::move(writes);
  n->traffic = std::move(traffic);
  n->copyCycles = std::move(copyCycles);
  n->copyRuns = copyRuns;
  n->moves = std::move(moves);
  return n;
}

Program hostCompute(std::string name, DebugContextId context, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                    HostKernel kernel) {
  auto n = node(Kind::HostCompute, std::move(name), context);
  n->inputs = std::move(inputs);
  n->outputs = std::move(outputs);
  n->kernel = std::move(kernel);
  return n;
}

} // namespace program

} // namespace simcore::graph
