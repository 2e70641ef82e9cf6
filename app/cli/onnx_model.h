// An ONNX file as a workload with its inputs filled: given ones from files, the others made up from the seed.
#pragma once

#include "simcore/model/fusion/fusion.h"
#include "simcore/model/graph/graph.h"

#include "reports/core/error.h"
#include "reports/core/progress.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace app::cli {

using NamedTensors = std::unordered_map<std::string, simcore::numerics::HostTensor>;

// The .onnx file that a word of the command line names: itself, or model.onnx in the folder. Nothing if it is neither.
std::optional<std::filesystem::path> findOnnxFile(const std::filesystem::path& path);

// What `work` gives. An error of it that is about the model, such as one of a node while it is lowered or runs, names the file in
// front of its place; one about an option or the machine does not.
template<class Work> auto inModel(const std::filesystem::path& file, Work&& work) {
  try {
    return work();
  } catch (const reports::Error& error) {
    const bool aboutInput = error.code() == reports::ErrorCode::InvalidInput || error.code() == reports::ErrorCode::Unsupported ||
                            error.code() == reports::ErrorCode::NotFound;
    const std::string& where = error.where();
    if (!aboutInput || where.starts_with("--") || where.starts_with("machine ") || where.starts_with(file.string())) throw;
    throw error.within(file.string());
  }
}

// "NAME=1x3x224x224" words; "NAME=scalar" has no dimension. Throws Error(InvalidInput) naming the option.
std::map<std::string, simcore::numerics::Shape> shapesFrom(const std::vector<std::string>& words);

// The inputs that the first test_data_set_* beside the model's file holds, by name; empty without one.
NamedTensors storedInputs(const simcore::model::Model& model, const std::filesystem::path& file);
// Values by name in the order of the model's inputs. Throws Error(InvalidInput) for more than it has.
NamedTensors inputsInOrder(const simcore::model::Model& model, std::vector<simcore::numerics::HostTensor> values);
// input_0, input_1 … (or another prefix) of a data set, .pb or .npy, for these declarations, whose types they get where a file
// cannot say them. Throws Error(Unsupported) for a declaration that is no tensor of numbers.
std::vector<simcore::numerics::HostTensor> numberedTensors(const std::filesystem::path& folder, const std::string& prefix,
                                                           const std::vector<simcore::model::ValueDeclaration>& declared);

// The value that a word of --input gives to an input of the model: what a .pb or .npy file holds, or numbers with commas between
// them ("16000", "1,0,2") in the input's type and, where it says one they fill, its shape. Throws what readTensorFile() throws.
simcore::numerics::HostTensor givenValue(const simcore::model::Model& model, const std::string& name, const std::string& word);

struct ModelRequest {
  NamedTensors given;
  std::map<std::string, simcore::numerics::Shape> shapes; // of inputs that are not given
  std::set<std::string> disabledPasses;
  bool training = false;
  int64_t seed = 0;                   // of inputs that are made up
  bool ignoresDeclaredShapes = false; // given values say what the shapes are, the file may be wrong
};
struct ResolvedModel {
  simcore::model::Model model;
  std::vector<simcore::model::FusionCount> fusions;
  // "pass.NAME" and how often it fired, for the report's metadata.
  std::map<std::string, std::string> facts() const;
};
// Gives every input of a model as it was read the shape of its given value or the one asked for (an open first dimension is a batch of 1), infers
// types, folds constants, fuses. Throws Error(NotFound) for a value or shape whose name is no input, InvalidInput for an input
// whose shape stays open. Where shapes depend on the value of an input, the model is resolved for the values of this
// run: integers and single values that are given become constants of the model, and if that is not enough, an evaluation on the
// host says what shapes come out.
ResolvedModel resolveModel(simcore::model::Model read, const ModelRequest& request, const std::stop_token& stop,
                           reports::Progress& progress);

// A value for every input, converted to its type. Throws Error(InvalidInput) if a given one has another type or shape.
std::map<std::string, std::vector<simcore::numerics::HostTensor>> inputValues(const simcore::model::Model& model,
                                                                              const NamedTensors& given, int64_t seed);

} // namespace app::cli
