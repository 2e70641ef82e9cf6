#include "simcore/poplar/inner.h"

#include "simcore/poplar/graph/handles.h"

#include <iostream>
#include <mutex>
#include <set>

namespace simcore::poplar {

using reports::Error;
using reports::ErrorCode;

void rethrowAsPoplar() {
  try {
    throw;
  } catch (const Error& error) {
    switch (error.code()) {
    case ErrorCode::OutOfMemory: throw ::poplar::graph_memory_allocation_error(error.what());
    case ErrorCode::NotFound:
    case ErrorCode::Io:
    case ErrorCode::Damaged: throw ::poplar::file_load_error(error.what());
    default: throw ::poplar::poplar_error(error.what());
    }
  }
}

void warnOnce(const std::string& sentence) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(sentence).second) std::cerr << "tilescope: " << sentence << '\n';
}

void ignoreArgument(bool isGiven, const char* call, const char* argument) {
  if (isGiven) warnOnce(std::string(call) + ": the argument " + argument + " has no effect here");
}

graph::Graph& inner(::poplar::Graph& graph) { return ::poplar::core::GraphAccess::inside(graph).graph; }
const graph::Graph& inner(const ::poplar::Graph& graph) { return ::poplar::core::GraphAccess::inside(graph).graph; }
graph::Sequence& inner(::poplar::program::Sequence& sequence) { return ::poplar::core::ProgramAccess::sequence(sequence); }
graph::Program inner(const ::poplar::program::Program& program) { return ::poplar::core::ProgramAccess::node(program); }
::poplar::program::Program outer(graph::Program program) {
  ::poplar::program::Program made;
  ::poplar::core::ProgramAccess::set(made, std::move(program));
  return made;
}

graph::DebugContextId contextOf(::poplar::Graph& graph, const std::string& path) {
  if (path.empty()) return {};
  auto& known = ::poplar::core::GraphAccess::inside(graph).shared->contextOfPath;
  if (const auto it = known.find(path); it != known.end()) return it->second;
  const std::size_t slash = path.rfind('/');
  const graph::DebugContextId parent =
      slash == std::string::npos ? graph::DebugContextId() : contextOf(graph, path.substr(0, slash));
  const auto made =
      inner(graph).addContext(parent, path.substr(slash == std::string::npos ? 0 : slash + 1), "user", "", {}, graph::kNoSource);
  return known[path] = made;
}

Named named(::poplar::Graph& graph, const ::poplar::DebugContext& context, const char* otherwise) {
  const std::string path = context.getPathName();
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {{}, path.empty() ? otherwise : path};
  const std::string name = path.substr(slash + 1);
  return {contextOf(graph, path.substr(0, slash)), name.empty() ? otherwise : name};
}

graph::DebugContextId contextOfCall(::poplar::Graph& graph, const ::poplar::DebugContext& context, const char* kind) {
  const Named name = named(graph, context, kind);
  const auto& at = context.getLocation();
  const std::string file = at.getFileName(), function = at.getFunctionName();
  return inner(graph).addContext(name.context, name.name, "library", kind, {},
                                 graph::SourceLocation{file.c_str(), function.c_str(), int(at.getLineNumber())});
}

LibraryCall::LibraryCall(::poplar::Graph& graph, ::poplar::program::Sequence& program, const ::poplar::DebugContext& context,
                         const char* kind)
    : m_builder(inner(graph), inner(program), contextOfCall(graph, context, kind)) {}

} // namespace simcore::poplar
