// Reads an .onnx file into a Model and writes a Model to one. A file is untrusted input: sizes, nesting and names are limited and
// checked, external data is read only from regular files below the model's folder, and every error names the file and the node.
#pragma once

#include "simcore/model/graph/graph.h"

#include <filesystem>

namespace simcore::model {

// Reads the model, expands model-local functions and sorts the nodes; operators are not looked up here. Throws reports::Error:
// NotFound or Io for the file, Damaged if it is not a complete ONNX model, InvalidInput for inconsistent graphs, Unsupported for
// nodes whose form in their opset is unknown (requireKnownForm()).
Model readOnnx(const std::filesystem::path& file);

// Reads a model from bytes in memory, like readOnnx(). Messages use `name` as the file's name; external data is read from
// `folder`.
Model parseOnnx(const std::string& bytes, const std::string& name, const std::filesystem::path& folder);

// Writes a model as it was read, with function bodies expanded and with `constants` (the trained ones) in place of its own. A
// value of `constants` that a node of the model makes (Constant, or a folded constant) becomes a constant, and the node is
// dropped. Inputs and outputs are declared as in the file; an output without a declared shape gets the inferred one. Constants
// are raw little-endian data: the file is one piece of at most 2 GB.
// Throws reports::Error: NotFound for a name that is not a constant of the model, InvalidInput for another shape, Unsupported for
// operators that are not ONNX's, Io for the file.
void writeOnnx(const Model& model, const std::map<std::string, numerics::HostTensor>& constants,
               const std::filesystem::path& file);
std::string onnxBytes(const Model& model, const std::map<std::string, numerics::HostTensor>& constants);

} // namespace simcore::model
