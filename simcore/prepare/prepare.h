// A model as it was read, made ready for a run: values and shapes bound to its inputs, types inferred, constants folded, operators
// fused, a loss added, values made up from a seed where none are given.
#pragma once

#include "simcore/fusion/fusion.h"
#include "simcore/model/graph/graph.h"

#include "reports/core/error.h"
#include "reports/core/progress.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace simcore::model {

using NamedTensors = std::unordered_map<std::string, numerics::HostTensor>;

// The inputs that the first test_data_set_* beside the model's file holds, by name; empty without one.
NamedTensors storedInputs(const Model& model, const std::filesystem::path& file);
// Throws Error with the name of a missing file of the data set, or of a file that the model does not declare.
void requireEveryTensor(const std::filesystem::path& folder, const std::string& prefix, std::size_t stored,
                        const std::vector<ValueDeclaration>& declared);
// Values by name in the order of the model's inputs; there are no more values than inputs.
NamedTensors inputsInOrder(const Model& model, std::vector<numerics::HostTensor> values);
// input_0, input_1 … (or another prefix) of a data set, .pb or .npy, for these declarations. A tensor has the declared type if the file cannot
// hold that type. Throws Error: Unsupported for a declaration that is not a tensor of numbers, NotFound for a gap in the numbering.
std::vector<numerics::HostTensor> numberedTensors(const std::filesystem::path& folder, const std::string& prefix,
                                                  const std::vector<ValueDeclaration>& declared);

// The value that a word gives to an input of the model: the tensor of a .pb or .npy file, or numbers separated by commas
// ("16000", "1,0,2") in the input's type, and in its declared shape if they fill it. Throws what readTensorFile() throws.
numerics::HostTensor givenValue(const Model& model, const std::string& name, const std::string& word);

struct ModelRequest {
  NamedTensors given;
  std::map<std::string, numerics::Shape> shapes; // of inputs that are not given; one number for a dimension of this name
  std::optional<std::int64_t> batch;             // replaces the first dimension of the file (batch.h)
  std::set<std::string> disabledPasses;
  std::set<std::string> namedNodes; // that the run names: no pass leaves them out (fuse())
  bool training = false;
  std::set<std::string> trained;      // constants that training changes: values that depend on them are not folded (parameters.h)
  bool half = false;                  // values are fp16 on the machine
  int64_t seed = 0;                   // seed of made-up inputs
  bool valuesChange = false;          // later runs have other values: shapes may not depend on them
  bool ignoresDeclaredShapes = false; // uses the shapes of the given values, because the file may be wrong
};
inline constexpr double kLargestHalf = 65504;

struct ResolvedModel {
  Model model;
  std::vector<FusionCount> fusions;
  // Constants with finite values that stand for infinity, as masks have them (1e9 and more, or beyond the range below 0). They became
  // fp16's largest number, because infinity times 0 is NaN. In order of names.
  std::vector<std::string> clamped;
  std::string batch; // Batch::text()
  // "pass.NAME" and how often it fired, for the report's metadata.
  std::map<std::string, std::string> facts() const;
};
// Gives every input of a model as it was read the shape of its given value or the one asked for (an open first dimension is a batch of 1), infers
// types, folds constants, fuses. Throws Error(NotFound) for a value or shape whose name is not an input, InvalidInput for an input
// whose shape stays open. If shapes depend on the value of an input, the model is resolved for the values of this
// run: integers and single values that are given become constants of the model, and if that is not enough, an evaluation on the
// host finds the shapes.
ResolvedModel resolveModel(Model read, const ModelRequest& request, const std::stop_token& stop, reports::Progress& progress);

// The error with the names of integer inputs that are not given, if there are any: their made-up values (0) may be sizes or offsets.
reports::Error withMadeUp(const reports::Error& error, const Model& read, const NamedTensors& given);

// A value for every input, converted to its type. Throws Error(InvalidInput) if a given one has another type or shape.
std::map<std::string, std::vector<numerics::HostTensor>> inputValues(const Model& model, const NamedTensors& given, int64_t seed);

// The loss that training minimises.
struct LossRequest {
  // cross-entropy: scores and class numbers; ctc: scores of steps and texts; mse, mae, huber (1): values; bce: scores and numbers from 0 to 1;
  // output: the output itself.
  std::string kind = "cross-entropy";
  std::string labels = "labels"; // name of the input that the loss compares with
  std::string output;            // the output that the loss uses; empty: the first
  std::optional<std::int64_t>
      classAxis; // of the scores, from the end if below 0; none: as the labels' shape says, else the last of three
                 // dimensions and the second of others
  std::optional<std::int64_t> ignoreIndex; // class number of labels that do not count; in texts the padding of shorter ones
  double labelSmoothing = 0;               // share of the loss that is spread evenly over all classes
};
struct AddedLoss {
  std::string name;
  std::string guess; // "classes are along dimension 2 of the scores [2x6x20]" if the axis was guessed; else empty
};
// Appends the loss to a typed model, and an input for the labels if it needs one; its shape is `labels` if they are given. Throws
// Error(InvalidInput) for an output that does not fit the loss, NotFound for one that is not there.
AddedLoss addLoss(Model& model, const LossRequest& request, const std::optional<numerics::Shape>& labels = {});

// Labels: a tensor of a file, or numbers in a row (double), which fitLabels() gives the type and the shape of the loss.
numerics::HostTensor givenLabels(const std::string& word);
// Numbers of givenLabels() as the loss wants them. Throws Error(InvalidInput) for a class below 0 that is not left out.
numerics::HostTensor fitLabels(const Model& model, const LossRequest& request, const numerics::HostTensor& labels);

// Why a model misses its expected outputs in fp16 although its operators are right: a value leaves the range of fp16, or the
// network is so sensitive that rounding inputs and weights to fp16 already changes the result.
struct HalfOverflow {
  std::string place;           // the input or node whose value is out of range
  std::optional<double> value; // its largest magnitude; empty if it is not finite
};
// The first value of the model in fp16 that leaves its range; nothing if all fit.
std::optional<HalfOverflow> leavesHalfRange(const Model& model, const NamedTensors& inputs, const std::stop_token& stop);

// The outputs of float arithmetic on inputs and weights rounded to fp16.
std::vector<numerics::HostTensor> outputsOfRounded(const Model& model, const NamedTensors& inputs, const std::stop_token& stop);

} // namespace simcore::model
