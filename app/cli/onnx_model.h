// An ONNX file as a workload with its inputs filled: given ones from files, the others made up from the seed.
#pragma once

#include "app/cli/workload_source.h"
#include "simcore/model/graph.h"

#include <filesystem>
#include <optional>
#include <unordered_map>

namespace app::cli {

using NamedTensors = std::unordered_map<std::string, simcore::numerics::HostTensor>;

// The .onnx file that a word of the command line names: itself, or model.onnx in the folder. Nothing if it is neither.
std::optional<std::filesystem::path> findOnnxFile(const std::filesystem::path& path);

// Reads, gives every input the shape of its given value (sizes that neither file nor value know become 1), infers types and
// folds constants. Throws Error(NotFound) for a given value whose name is no input.
simcore::model::Model resolveModel(const std::filesystem::path& file, const NamedTensors& given, const std::stop_token& stop,
                                   reports::Progress& progress);

// A value for every input, converted to its type. Throws Error(InvalidInput) if a given one has another type or shape.
std::map<std::string, std::vector<simcore::numerics::HostTensor>> inputValues(const simcore::model::Model& model,
                                                                              const NamedTensors& given, int64_t seed);

} // namespace app::cli
