#include "simcore/numerics/dnnl_support.h"

#include "reports/core/error.h"

namespace simcore::numerics {

using dnnl::memory;

const dnnl::engine& dnnlEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& dnnlStream() {
  thread_local dnnl::stream stream(dnnlEngine());
  return stream;
}

memory dnnlView(const memory::desc& description, const HostTensor& tensor) {
  return {description, dnnlEngine(), const_cast<std::byte*>(tensor.raw().data())};
}

memory dnnlTarget(const memory::desc& description, HostTensor& tensor) {
  return {description, dnnlEngine(), tensor.mutableRaw().data()};
}

memory dnnlReordered(const memory& source, const memory::desc& wanted) {
  if (source.get_desc() == wanted) return source;
  memory target(wanted, dnnlEngine());
  dnnl::reorder(source, target).execute(dnnlStream(), const_cast<memory&>(source), target);
  return target;
}

memory::desc dnnlPlain(const Shape& dims) { return dnnlStrided(dims, rowMajorStrides(dims)); }

memory::desc dnnlStrided(const Shape& dims, const Shape& strides) {
  return {memory::dims(dims), memory::data_type::f32, memory::dims(strides)};
}

memory::desc dnnlAny(const Shape& dims) { return {memory::dims(dims), memory::data_type::f32, memory::format_tag::any}; }

void withDnnlErrors(const char* what, const std::function<void()>& f) {
  try {
    f();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory)
      throw reports::Error(reports::ErrorCode::OutOfMemory, std::string("no host memory for ") + what);
    throw reports::Error(reports::ErrorCode::Internal, std::string("oneDNN failed in ") + what + ": " + error.what());
  }
}

} // namespace simcore::numerics
