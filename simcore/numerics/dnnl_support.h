// Owns oneDNN's engine and stream. oneDNN caches primitives itself; these functions only describe memory and convert its
// exceptions to reports::Error.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <functional>

namespace simcore::numerics {

// The process-wide CPU engine and this thread's stream.
const dnnl::engine& dnnlEngine();
dnnl::stream& dnnlStream();

// A float tensor as oneDNN memory without a copy. The const version is for inputs: oneDNN never writes to them.
dnnl::memory dnnlView(const dnnl::memory::desc& description, const HostTensor& tensor);
dnnl::memory dnnlTarget(const dnnl::memory::desc& description, HostTensor& tensor);
// `memory` itself if it already has the wanted layout, else a reordered copy.
dnnl::memory dnnlReordered(const dnnl::memory& memory, const dnnl::memory::desc& wanted);

// A plain row-major float description, or one with the given strides.
dnnl::memory::desc dnnlPlain(const Shape& dims);
dnnl::memory::desc dnnlStrided(const Shape& dims, const Shape& strides);
// The layout that oneDNN prefers.
dnnl::memory::desc dnnlAny(const Shape& dims);

// Runs f and converts a dnnl::error to reports::Error(Internal) naming `what`.
void withDnnlErrors(const char* what, const std::function<void()>& f);

} // namespace simcore::numerics
