// Writes a model as an .onnx file that other tools read. Constants are raw little-endian data, so the file is one piece of at
// most 2 GB, which is protobuf's limit.
#pragma once

#include "simcore/model/graph/graph.h"

#include <filesystem>

namespace simcore::model {

// A model as it was read (function bodies expanded), with these constants replaced: what training changed. A value that a node
// of the model makes (Constant, or what folding computed from constants) becomes a constant, without the node. Input and output
// declarations stay as the file had them; an output without a declared shape gets the one that inference found. Throws
// reports::Error: NotFound for a name that is no constant of the model, InvalidInput for another shape, Unsupported for
// operators that are not ONNX's, Io for the file.
void writeOnnx(const Model& model, const std::map<std::string, numerics::HostTensor>& constants,
               const std::filesystem::path& file);
std::string onnxBytes(const Model& model, const std::map<std::string, numerics::HostTensor>& constants);

} // namespace simcore::model
