// Functions of a graph with tensors as arguments: the body is built once, calls copy arguments in and results out.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace poputil {
namespace graphfn {

enum ArgType {
  InputArg,  // copied in
  OutputArg, // copied out
  InOutArg,  // both
  CreatedArg // made by the body; calls give it to the caller
};

struct ArgSig {
  ArgSig(ArgType argumentType, poplar::Tensor tensor, std::string name)
      : type(argumentType), similarTensor(std::move(tensor)), debugName(std::move(name)) {}
  ArgType type;
  poplar::Tensor similarTensor; // arguments get its shape, type and mapping
  std::string debugName;
};
inline ArgSig input(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
inline ArgSig output(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
inline ArgSig created(std::string debugName = "") { return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName)); }

using Signature = std::vector<ArgSig>;

class VoidFunction {
public:
  // With `inlined`, each call contains a copy of the body.
  VoidFunction(poplar::Graph& graph, Signature signature,
               std::function<void(std::vector<poplar::Tensor>&, poplar::program::Sequence&)> body, bool inlined = false,
               const poplar::DebugContext& debugContext = {});
  VoidFunction(poplar::Graph& graph, Signature signature,
               std::function<void(std::vector<poplar::Tensor>&, poplar::program::Sequence&, const poplar::DebugNameAndId&)> body,
               bool inlined = false, const poplar::DebugContext& debugContext = {});
  VoidFunction(VoidFunction&& other) noexcept;
  ~VoidFunction();
  // Throws poplibs_error if the number of arguments is not that of the signature.
  void operator()(std::vector<poplar::Tensor>& arguments, poplar::program::Sequence& prog,
                  const poplar::DebugContext& debugContext = {});

private:
  struct Inside;
  std::unique_ptr<Inside> m_inside;
};

class ProgramFunction {
public:
  ProgramFunction(poplar::Graph& graph, Signature signature,
                  std::function<poplar::program::Program(std::vector<poplar::Tensor>&)> body, bool inlined = false,
                  const poplar::DebugContext& debugContext = {});
  ProgramFunction(poplar::Graph& graph, Signature signature,
                  std::function<poplar::program::Program(std::vector<poplar::Tensor>&, const poplar::DebugNameAndId&)> body,
                  bool inlined = false, const poplar::DebugContext& debugContext = {});
  poplar::program::Program operator()(std::vector<poplar::Tensor>& arguments, const poplar::DebugContext& debugContext = {});

private:
  VoidFunction m_function;
};

// The result of the body becomes a created argument after the others.
class TensorFunction {
public:
  TensorFunction(poplar::Graph& graph, Signature signature,
                 std::function<poplar::Tensor(std::vector<poplar::Tensor>&, poplar::program::Sequence&)> body,
                 bool inlined = false, const poplar::DebugContext& debugContext = {});
  TensorFunction(
      poplar::Graph& graph, Signature signature,
      std::function<poplar::Tensor(std::vector<poplar::Tensor>&, poplar::program::Sequence&, const poplar::DebugNameAndId&)> body,
      bool inlined = false, const poplar::DebugContext& debugContext = {});
  poplar::Tensor operator()(std::vector<poplar::Tensor>& arguments, poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {});

private:
  VoidFunction m_function;
};

} // namespace graphfn
} // namespace poputil
