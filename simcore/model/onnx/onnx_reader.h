// Reads an .onnx file into a Model. The file is untrusted: sizes, nesting and names are bounded and checked, external data
// is read only from plain files below the model's folder, and every error names the file and the node.
#pragma once

#include "simcore/model/graph/graph.h"

#include <filesystem>

namespace simcore::model {

// Reads, expands model-local functions, sorts the nodes. Throws reports::Error: NotFound or Io for the file, Damaged for
// what is not a whole ONNX model, InvalidInput for graphs that make no sense, Unsupported for nodes of opsets whose form is not
// known (requireKnownForm()). Operators are not looked up here.
Model readOnnx(const std::filesystem::path& file);

// The same from bytes in memory; `name` stands for the file in messages, `folder` is where external data is looked for.
Model parseOnnx(const std::string& bytes, const std::string& name, const std::filesystem::path& folder);

} // namespace simcore::model
