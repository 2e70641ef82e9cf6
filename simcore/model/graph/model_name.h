// The name of a model, from that of its file.
#pragma once

#include <filesystem>
#include <string>

namespace simcore::model {

// As its file, or as its folder where the file is "model.onnx".
inline std::string modelName(const std::filesystem::path& file) {
  if (file.filename() != "model.onnx" || !file.has_parent_path()) return file.stem().string();
  return std::filesystem::absolute(file).lexically_normal().parent_path().filename().string(); // of "./model.onnx", too
}

} // namespace simcore::model
