// ONNX TensorProto to HostTensor. All sizes are checked before memory is taken: dimensions, typed fields against the shape,
// and external data against its file.
#pragma once

#include "simcore/model/graph/graph.h"
#include "simcore/model/onnx/onnx_messages.h"
#include "simcore/numerics/host_tensor.h"

#include <filesystem>
#include <optional>

namespace simcore::model {

// `folder` is where external data is looked for. Throws reports::Error: InvalidInput for contradictions, Unsupported for
// element types outside ElementType, Damaged for data that is cut short.
numerics::HostTensor tensorOf(const onnx::TensorProto& proto, const std::filesystem::path& folder);

// Reads `count` bytes at `offset` of the file `location` relative to `folder`. Refused (InvalidInput): absolute or empty
// locations, any ".." part, NUL bytes, a symbolic link in any component, anything but a regular file with one hard link,
// ranges outside the file.
std::vector<std::byte> readExternalData(const std::filesystem::path& folder, const std::string& location, std::int64_t offset,
                                        std::int64_t count);

} // namespace simcore::model
