// Makes a model that was read from a file ready for a run: binds values and shapes to its inputs, infers types, folds constants,
// fuses operators, adds a loss, and makes up, from a seed, the values that are not given.
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

// The inputs in the first test_data_set_* beside the model's file, by name; empty if there is none.
NamedTensors storedInputs(const Model& model, const std::filesystem::path& file);
// Throws Error if a file of the data set is missing, or if the model does not declare one; it names the file.
void requireEveryTensor(const std::filesystem::path& folder, const std::string& prefix, std::size_t stored,
                        const std::vector<ValueDeclaration>& declared);
// Names the values in the order of the model's inputs; there must not be more values than inputs.
NamedTensors inputsInOrder(const Model& model, std::vector<numerics::HostTensor> values);
// Reads input_0, input_1 … (or another prefix) of a data set, .pb or .npy, for these declarations. A tensor gets the declared
// type if the file format lacks it. Throws Error: Unsupported for a declaration that is not a tensor of numbers, NotFound for a
// gap in the numbering.
std::vector<numerics::HostTensor> numberedTensors(const std::filesystem::path& folder, const std::string& prefix,
                                                  const std::vector<ValueDeclaration>& declared);

// The value that a word gives to an input of the model. The word names a .pb or .npy file, or is a list of numbers ("16000",
// "1,0,2"). Numbers get the input's type, and its declared shape if their count fits. Throws the errors of readTensorFile().
numerics::HostTensor givenValue(const Model& model, const std::string& name, const std::string& word);

struct ModelRequest {
  NamedTensors given;
  // Shapes of inputs that are not given. An entry with a single number may also be the size of the symbolic dimension with this
  // name.
  std::map<std::string, numerics::Shape> shapes;
  std::optional<std::int64_t> batch; // replaces the first dimension of the file (batch.h)
  std::set<std::string> disabledPasses;
  std::set<std::string> namedNodes; // nodes that the run names; no pass removes them (fuse())
  bool training = false;
  std::set<std::string> trained;      // constants that training changes: values that depend on them are not folded (parameters.h)
  bool half = false;                  // values are fp16 on the machine
  int64_t seed = 0;                   // seed of made-up inputs
  bool valuesChange = false;          // values change in later runs, so shapes must not depend on them
  bool ignoresDeclaredShapes = false; // uses the shapes of the given values, because the file may be wrong
};
inline constexpr double kLargestHalf = 65504;

struct ResolvedModel {
  Model model;
  std::vector<FusionCount> fusions;
  // Constants whose finite values stand for infinity, as in masks (1e9 and more, or below fp16's range). They became fp16's
  // largest number, because infinity times 0 is NaN. In the order of names.
  std::vector<std::string> clamped;
  std::string batch; // Batch::text()
  // For the report's metadata: "pass.NAME" and how often the pass matched.
  std::map<std::string, std::string> facts() const;
};
// Gives every input of a model that was read its shape: that of its given value, or the shape asked for (an open first dimension
// is a batch of 1). Then infers types, folds constants and fuses. If shapes depend on the value of an input, the model is
// resolved for the values of this run: given integers and single values become constants of the model, and if that is not enough,
// a computation on the host finds the shapes.
// Throws Error: NotFound for a value or shape whose name is not an input, InvalidInput for an input whose shape stays open.
ResolvedModel resolveModel(Model read, const ModelRequest& request, const std::stop_token& stop, reports::Progress& progress);

// Adds to an error the integer inputs that are not given, if any: their made-up values (0) may be sizes or offsets.
reports::Error withMadeUp(const reports::Error& error, const Model& read, const NamedTensors& given);

// Values for every input, converted to its type. Throws Error(InvalidInput) if a given value has another type or shape.
std::map<std::string, std::vector<numerics::HostTensor>> inputValues(const Model& model, const NamedTensors& given, int64_t seed);

// The loss that training minimises.
struct LossRequest {
  // cross-entropy: scores and class numbers; ctc: scores of steps, and texts; mse, mae, huber (1): values; bce: scores and
  // numbers from 0 to 1; output: the output itself.
  std::string kind = "cross-entropy";
  std::string labels = "labels"; // name of the input that the loss compares with
  std::string output;            // the output that the loss uses; empty: the first
  // The dimension of the classes in the scores; a negative one counts from the end. If empty, the labels' shape decides; if that
  // is not enough, it is the last of three dimensions, or the second of any other number.
  std::optional<std::int64_t> classAxis;
  std::optional<std::int64_t> ignoreIndex; // class number of labels that do not count; for ctc, the label after a shorter text
  double labelSmoothing = 0;               // share of the loss that is spread evenly over all classes
};
struct AddedLoss {
  std::string name;
  std::string guess; // if the axis was guessed: "classes are along dimension 2 of the scores [2x6x20]"; else empty
};
// Appends the loss to a typed model, and an input for its labels if it needs one. `labels` is the shape of the labels if they are
// given. Throws Error: InvalidInput for an output that does not fit the loss, NotFound for an output that the model lacks.
AddedLoss addLoss(Model& model, const LossRequest& request, const std::optional<numerics::Shape>& labels = {});

// Reads labels: the tensor of a file, or a row of numbers (double). fitLabels() gives these the type and the shape that the loss
// needs.
numerics::HostTensor givenLabels(const std::string& word);
// The result of givenLabels() as the loss needs it. Throws Error(InvalidInput) for a class below 0 other than ignoreIndex.
numerics::HostTensor fitLabels(const Model& model, const LossRequest& request, const numerics::HostTensor& labels);

// The reason why a model misses its expected outputs in fp16 although its operators are correct: a value leaves the range of
// fp16. (Or the network is so sensitive that rounding inputs and weights to fp16 already changes the result; outputsOfRounded()
// shows this.)
struct HalfOverflow {
  std::string place;           // the input or node whose value is out of range
  std::optional<double> value; // its largest magnitude; empty if it is not finite
};
// The first value of the model in fp16 that leaves the range; nothing if all fit.
std::optional<HalfOverflow> leavesHalfRange(const Model& model, const NamedTensors& inputs, const std::stop_token& stop);

// The outputs of float arithmetic if only inputs and weights are rounded to fp16.
std::vector<numerics::HostTensor> outputsOfRounded(const Model& model, const NamedTensors& inputs, const std::stop_token& stop);

} // namespace simcore::model
