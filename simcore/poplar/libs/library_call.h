// The body of a library function. Ops run under the name of the call, their errors become a poplibs_error, and unknown options
// are named once on standard error.
#pragma once

#include "poputil/exceptions.hpp"
#include "reports/core/error.h"
#include "simcore/poplar/inner.h"
#include "simcore/poplar/libs/names.h"
#include "simcore/poplar/store/call_fields.h"
#include "simcore/poplar/store/recorded_call.h"

#include <initializer_list>
#include <type_traits>
#include <vector>

// A recorded call needs a lambda without captures, so its parameters have the names of the caller's variables.
#pragma GCC diagnostic ignored "-Wshadow"

namespace simcore::poplar {

// Rethrows the error that is being handled as a poplibs_error, or as Poplar's class for a lack of memory.
[[noreturn]] void rethrowFromLibrary();

template<class F> auto inLibrary(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const reports::Error&) {
    rethrowFromLibrary();
  }
}

// Records a call and the programs that it appended during the object's lifetime, for executables on disk.
class CallNote {
public:
  CallNote(::poplar::Graph& graph, const ops::OpBuilder& builder, const char* kind, std::shared_ptr<RecordedCall> call)
      : m_graph(graph), m_builder(builder), m_kind(kind), m_call(std::move(call)), m_first(builder.program().children().size()),
        m_firstFunction(builder.graph().functions().size()) {}
  void finish();

private:
  ::poplar::Graph& m_graph;
  const ops::OpBuilder& m_builder;
  const char* m_kind;
  std::shared_ptr<RecordedCall> m_call;
  std::size_t m_first, m_firstFunction;
};

// Calls f(builder, arguments …) and returns tensors as Poplar's. If f captures nothing, the call can be written to a file with
// the program.
template<class F, class... Arguments>
auto library(::poplar::Graph& graph, ::poplar::program::Sequence& prog, const ::poplar::DebugContext& context, const char* kind,
             F&& f, const Arguments&... arguments) {
  return inLibrary([&] {
    const LibraryCall call(graph, prog, context, kind);
    const ops::OpBuilder& b = call.builder();
    std::shared_ptr<RecordedCall> recorded;
    using Function = std::decay_t<F>;
    if constexpr (std::is_empty_v<Function> && std::is_default_constructible_v<Function>)
      recorded = std::make_shared<Call<Function, Arguments...>>(arguments...);
    CallNote note(graph, b, kind, std::move(recorded));
    using Result = decltype(f(b, arguments...));
    if constexpr (std::is_void_v<Result>) {
      f(b, arguments...);
      note.finish();
    } else {
      Result result = f(b, arguments...);
      note.finish();
      if constexpr (std::is_same_v<Result, graph::Tensor>)
        return outer(std::move(result));
      else
        return result;
    }
  });
}
// For calls that only create tensors.
template<class F, class... Arguments>
auto library(::poplar::Graph& graph, const ::poplar::DebugContext& context, const char* kind, F&& f,
             const Arguments&... arguments) {
  ::poplar::program::Sequence nothing;
  return library(graph, nothing, context, kind, std::forward<F>(f), arguments...);
}

void ignoreOptions(const char* call, const ::poplar::OptionFlags& options, std::initializer_list<const char*> read = {});

// Copies element i to element i, between any tiles.
inline void copyTo(const ops::OpBuilder& b, const graph::Tensor& from, const graph::Tensor& to) {
  b.program().add(graph::program::copy(from, to, "copy", b.context()));
}

inline graph::Shape sizesOf(const std::vector<std::size_t>& sizes) { return {sizes.begin(), sizes.end()}; }
inline std::vector<std::size_t> sizesOf(const graph::Shape& sizes) { return {sizes.begin(), sizes.end()}; }

} // namespace simcore::poplar
