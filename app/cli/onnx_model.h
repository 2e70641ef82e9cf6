// An ONNX file given on the command line: its path and the shapes of its inputs. simcore/prepare does the rest.
#pragma once

#include "simcore/numerics/shape.h"

#include "reports/core/error.h"
#include "reports/core/option.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace app::cli {

// The .onnx file that a word of the command line means: the file itself, or model.onnx in that folder. Nothing if it is neither.
std::optional<std::filesystem::path> findOnnxFile(const std::filesystem::path& path);

// Returns the result of `work`. In errors about the model, e.g. in a node that is lowered or runs, puts the file before the
// location. Errors about an option or the machine are not changed.
template<class Work> auto inModel(const std::filesystem::path& file, Work&& work) {
  try {
    return work();
  } catch (const reports::Error& error) {
    const bool aboutInput = error.code() == reports::ErrorCode::InvalidInput || error.code() == reports::ErrorCode::Unsupported ||
                            error.code() == reports::ErrorCode::NotFound;
    const std::string& where = error.where();
    if (!aboutInput || where.starts_with("--") || reports::isOption(where) || where.starts_with("machine ") ||
        where.starts_with(file.string()))
      throw;
    throw error.within(file.string());
  }
}

// "NAME=1x3x224x224" words; "NAME=scalar" has no dimension. Throws Error(InvalidInput) naming the option.
std::map<std::string, simcore::numerics::Shape> shapesFrom(const std::vector<std::string>& words);

} // namespace app::cli
