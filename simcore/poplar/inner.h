// Connects Poplar's public classes to the simulator: the simulator's object behind each handle, and the context of a library
// call.
#pragma once

#include "poplar/Graph.hpp"
#include "reports/core/error.h"
#include "simcore/graph/graph.h"
#include "simcore/ops/op_builder.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace simcore::poplar {

graph::Graph& inner(::poplar::Graph& graph);
const graph::Graph& inner(const ::poplar::Graph& graph);
// Must not be called for an invalid tensor.
const graph::Tensor& inner(const ::poplar::Tensor& tensor);
::poplar::Tensor outer(graph::Tensor tensor);
std::vector<graph::Tensor> inner(::poplar::ArrayRef<::poplar::Tensor> tensors);
numerics::ElementType inner(const ::poplar::Type& type);
::poplar::Type outer(numerics::ElementType type);
graph::Shape innerShape(::poplar::ArrayRef<std::size_t> shape);
std::vector<std::size_t> outerShape(const graph::Shape& shape);
// The sequence behind `sequence`, to append to.
graph::Sequence& inner(::poplar::program::Sequence& sequence);
graph::Program inner(const ::poplar::program::Program& program);
::poplar::program::Program outer(graph::Program program);
const arch::Machine& inner(const ::poplar::Target& target);

// The context for a path, with one context per part. Not valid for an empty path.
graph::DebugContextId contextOf(::poplar::Graph& graph, const std::string& path);
// A new context for one library call, e.g. kind "matMul"; its name is the path's last part, or the kind.
graph::DebugContextId contextOfCall(::poplar::Graph& graph, const ::poplar::DebugContext& context, const char* kind);
// The name of a variable or compute set: the context around it and its own name.
struct Named {
  graph::DebugContextId context;
  std::string name;
};
Named named(::poplar::Graph& graph, const ::poplar::DebugContext& context, const char* otherwise);

// Throws the current `reports::Error` as one of Poplar's exception classes. To be called in a catch block.
[[noreturn]] void rethrowAsPoplar();
// Runs f and turns the simulator's errors into Poplar's.
template<class F> auto asPoplar(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const reports::Error&) {
    rethrowAsPoplar();
  }
}

// The same, but throws Poplar's exception `E` if the caller's input is wrong.
template<class E, class F> auto asPoplarOr(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const reports::Error& error) {
    if (error.code() == reports::ErrorCode::InvalidInput || error.code() == reports::ErrorCode::NotFound) throw E(error.what());
    rethrowAsPoplar();
  }
}

// Prints a sentence on standard error, once per process.
void warnOnce(const std::string& sentence);
// Warns once that a given argument has no effect.
void ignoreArgument(bool isGiven, const char* call, const char* argument);

// A library call: `builder()` appends to the program under the name of the call. Use it inside asPoplar().
class LibraryCall {
public:
  LibraryCall(::poplar::Graph& graph, ::poplar::program::Sequence& program, const ::poplar::DebugContext& context,
              const char* kind);
  const ops::OpBuilder& builder() const { return m_builder; }
  operator const ops::OpBuilder&() const { return m_builder; }

private:
  ops::OpBuilder m_builder;
};

} // namespace simcore::poplar
