// ONNX files from strangers: any bytes give a model or an Error, and so do binding shapes, inference with folding, fusion and
// writing. A model that could be written is read again.
#include "reports/core/error.h"
#include "simcore/fusion/fusion.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/onnx/onnx_file.h"

#include <cstdint>
#include <cstdlib>

using namespace simcore;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  model::Model read;
  std::string written;
  try {
    read = model::parseOnnx(std::string(reinterpret_cast<const char*>(bytes), size), "fuzz", "/nonexistent");
    written = model::onnxBytes(read, {});
  } catch (const reports::Error&) {
    return 0;
  }
  try {
    if (model::parseOnnx(written, "again", "/nonexistent").graph.nodes.size() != read.graph.nodes.size()) std::abort();
  } catch (const reports::Error&) {
    std::abort(); // what was read and written must be readable
  }
  try {
    std::unordered_map<std::string, numerics::Shape> shapes;
    for (const auto& input : read.graph.inputs) {
      if (!input.dims) continue;
      numerics::Shape shape;
      for (const auto& dim : *input.dims) shape.push_back(dim.size.value_or(2));
      shapes[input.name] = shape;
    }
    model::bindShapes(read, shapes);
    model::resolveTypes(read);
    model::fuse(read, {});
  } catch (const reports::Error&) {
  }
  return 0;
}
