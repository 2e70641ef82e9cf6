// The body of a library function: ops run under the name of the call, what they refuse becomes a poplibs_error, and options that nobody
// reads are named once on standard error.
#pragma once

#include "poputil/exceptions.hpp"
#include "reports/core/error.h"
#include "simcore/poplar/inner.h"

#include <initializer_list>
#include <type_traits>
#include <vector>

namespace simcore::poplar {

// Throws the poplibs_error, or Poplar's class for want of memory, of the error that is being handled.
[[noreturn]] void rethrowFromLibrary();

template<class F> auto inLibrary(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const reports::Error&) {
    rethrowFromLibrary();
  }
}

// f(builder); a tensor comes out as Poplar's.
template<class F>
auto library(::poplar::Graph& graph, ::poplar::program::Sequence& prog, const ::poplar::DebugContext& context, const char* kind,
             F&& f) {
  return inLibrary([&] {
    const LibraryCall call(graph, prog, context, kind);
    if constexpr (std::is_same_v<decltype(f(call.builder())), graph::Tensor>)
      return outer(f(call.builder()));
    else
      return f(call.builder());
  });
}
// For calls that only make tensors.
template<class F> auto library(::poplar::Graph& graph, const ::poplar::DebugContext& context, const char* kind, F&& f) {
  ::poplar::program::Sequence nothing;
  return library(graph, nothing, context, kind, std::forward<F>(f));
}

void ignoreOptions(const char* call, const ::poplar::OptionFlags& options, std::initializer_list<const char*> read = {});

// Element i of one to element i of the other, wherever they lie.
inline void copyTo(const ops::OpBuilder& b, const graph::Tensor& from, const graph::Tensor& to) {
  b.program().add(graph::program::copy(from, to, "copy", b.context()));
}

inline graph::Shape sizesOf(const std::vector<std::size_t>& sizes) { return {sizes.begin(), sizes.end()}; }
inline std::vector<std::size_t> sizesOf(const graph::Shape& sizes) { return {sizes.begin(), sizes.end()}; }

} // namespace simcore::poplar
