#include "simcore/model/graph/model_name.h"

namespace simcore::model {

std::string modelName(const std::filesystem::path& file) {
  if (file.filename() != "model.onnx" || !file.has_parent_path()) return file.stem().string();
  return std::filesystem::absolute(file).lexically_normal().parent_path().filename().string(); // of "./model.onnx", too
}

} // namespace simcore::model
