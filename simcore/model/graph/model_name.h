// What a model is called.
#pragma once

#include <filesystem>
#include <string>

namespace simcore::model {

// As its file, or as its folder where the file is "model.onnx".
std::string modelName(const std::filesystem::path& file);

} // namespace simcore::model
