// Converts an ONNX TensorProto to a HostTensor. Sizes are checked before memory is allocated: dimensions, typed fields against
// the shape, and external data against its file.
#pragma once

#include "simcore/model/graph/graph.h"
#include "simcore/numerics/host_tensor.h"

#include <filesystem>

// Uses only the messages of Debian's libonnx-dev, with the macros that its headers need.
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace simcore::model {

// External data is read from `folder`. Throws reports::Error: InvalidInput for contradictions, Unsupported for element types
// outside ElementType, Damaged for truncated data.
numerics::HostTensor tensorOf(const onnx::TensorProto& proto, const std::filesystem::path& folder);

} // namespace simcore::model
