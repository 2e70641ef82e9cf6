// The name of a model, from that of its file.
#pragma once

#include <filesystem>
#include <string>

namespace simcore::model {

// As its file, or as its folder where the file is "model.onnx".
std::string modelName(const std::filesystem::path& file);

} // namespace simcore::model
