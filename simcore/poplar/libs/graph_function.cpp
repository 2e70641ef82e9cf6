#include "poputil/GraphFunction.hpp"

#include "poputil/exceptions.hpp"
#include "simcore/poplar/libs/names.h"

namespace poputil::graphfn {

using namespace simcore::poplar::names;
using poplar::DebugNameAndId;

struct VoidFunction::Inside {
  Graph* graph;
  Signature signature;
  std::vector<Tensor> parameters;
  Sequence body;
  poplar::Function function;
  bool isInlined = false;
};

VoidFunction::VoidFunction(Graph& graph, Signature signature,
                           std::function<void(std::vector<Tensor>&, Sequence&, const DebugNameAndId&)> body, bool inlined,
                           const DebugContext& debugContext)
    : m_inside(new Inside{&graph, std::move(signature), {}, Sequence(debugContext), {}, inlined}) {
  for (const ArgSig& a : m_inside->signature)
    m_inside->parameters.push_back(a.type == CreatedArg ? Tensor()
                                                        : graph.clone(a.similarTensor, DebugContext(debugContext, a.debugName)));
  body(m_inside->parameters, m_inside->body, DebugNameAndId(debugContext.getPathName()));
  if (!inlined) m_inside->function = graph.addFunction(m_inside->body);
}
VoidFunction::VoidFunction(Graph& graph, Signature signature, std::function<void(std::vector<Tensor>&, Sequence&)> body,
                           bool inlined, const DebugContext& debugContext)
    : VoidFunction(
          graph, std::move(signature),
          [&body](std::vector<Tensor>& arguments, Sequence& prog, const DebugNameAndId&) { body(arguments, prog); }, inlined,
          debugContext) {}
VoidFunction::VoidFunction(VoidFunction&&) noexcept = default;
VoidFunction::~VoidFunction() = default;

void VoidFunction::operator()(std::vector<Tensor>& arguments, Sequence& prog, const DebugContext& debugContext) {
  const Signature& signature = m_inside->signature;
  if (arguments.size() > signature.size())
    throw poplibs_error("poputil::graphfn: the call has " + std::to_string(arguments.size()) + " arguments, the function has " +
                        std::to_string(signature.size()) + " parameters");
  arguments.resize(signature.size());
  const auto copies = [&](ArgType one, ArgType other, bool in) {
    for (std::size_t i = 0; i < signature.size(); ++i) {
      if (signature[i].type != one && signature[i].type != other) continue;
      if (!arguments[i].valid())
        throw poplibs_error("poputil::graphfn: argument " + std::to_string(i) + " is a tensor without a value");
      const Tensor& from = in ? arguments[i] : m_inside->parameters[i];
      const Tensor& to = in ? m_inside->parameters[i] : arguments[i];
      prog.add(poplar::program::Copy(from, to, false, debugContext));
    }
  };
  copies(InputArg, InOutArg, true);
  if (m_inside->isInlined)
    prog.add(m_inside->body);
  else
    prog.add(poplar::program::Call(m_inside->function, debugContext));
  for (std::size_t i = 0; i < signature.size(); ++i) // each call has its own
    if (signature[i].type == CreatedArg)
      arguments[i] = m_inside->graph->clone(m_inside->parameters[i], DebugContext(debugContext, signature[i].debugName));
  copies(OutputArg, InOutArg, false);
  copies(CreatedArg, CreatedArg, false);
}

ProgramFunction::ProgramFunction(Graph& graph, Signature signature,
                                 std::function<Program(std::vector<Tensor>&, const DebugNameAndId&)> body, bool inlined,
                                 const DebugContext& debugContext)
    : m_function(
          graph, std::move(signature),
          [&body](std::vector<Tensor>& arguments, Sequence& prog, const DebugNameAndId& name) {
            prog.add(body(arguments, name));
          },
          inlined, debugContext) {}
ProgramFunction::ProgramFunction(Graph& graph, Signature signature, std::function<Program(std::vector<Tensor>&)> body,
                                 bool inlined, const DebugContext& debugContext)
    : m_function(
          graph, std::move(signature), [&body](std::vector<Tensor>& arguments, Sequence& prog) { prog.add(body(arguments)); },
          inlined, debugContext) {}
Program ProgramFunction::operator()(std::vector<Tensor>& arguments, const DebugContext& debugContext) {
  Sequence prog(debugContext);
  m_function(arguments, prog, debugContext);
  return prog;
}

namespace {
Signature withResult(Signature signature) {
  signature.push_back(created("result"));
  return signature;
}
} // namespace

TensorFunction::TensorFunction(Graph& graph, Signature signature,
                               std::function<Tensor(std::vector<Tensor>&, Sequence&, const DebugNameAndId&)> body, bool inlined,
                               const DebugContext& debugContext)
    : m_function(
          graph, withResult(std::move(signature)),
          [&body](std::vector<Tensor>& arguments, Sequence& prog, const DebugNameAndId& name) {
            arguments.back() = body(arguments, prog, name);
          },
          inlined, debugContext) {}
TensorFunction::TensorFunction(Graph& graph, Signature signature, std::function<Tensor(std::vector<Tensor>&, Sequence&)> body,
                               bool inlined, const DebugContext& debugContext)
    : m_function(
          graph, withResult(std::move(signature)),
          [&body](std::vector<Tensor>& arguments, Sequence& prog) { arguments.back() = body(arguments, prog); }, inlined,
          debugContext) {}
Tensor TensorFunction::operator()(std::vector<Tensor>& arguments, Sequence& prog, const DebugContext& debugContext) {
  std::vector<Tensor> all = arguments;
  m_function(all, prog, debugContext);
  return all.back();
}

} // namespace poputil::graphfn
