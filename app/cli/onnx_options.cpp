#include "app/cli/onnx_options.h"

#include "app/cli/checks.h"
#include "app/cli/output_files.h"
#include "reports/core/error.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/onnx/onnx_reader.h"
#include "simcore/model/onnx/onnx_writer.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace app::cli {

using reports::Error;
using reports::ErrorCode;
using simcore::model::attributes;
using simcore::model::GraphBuilder;
using simcore::model::Model;
using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;
using simcore::numerics::Shape;

namespace {

const std::string& outputFor(const Model& model, const OnnxOptions& options) {
  const auto& outputs = model.graph.outputs;
  const auto found = options.output.empty()
                         ? outputs.begin()
                         : std::find_if(outputs.begin(), outputs.end(), [&](const auto& o) { return o.name == options.output; });
  if (found != outputs.end()) return found->name;
  std::string known;
  for (const auto& output : outputs) known += (known.empty() ? "" : ", ") + output.name;
  throw Error(ErrorCode::NotFound, "the model has no output '" + options.output + "'", model.file, "it has " + known);
}

// Cross-entropy takes scores: what a softmax at the end reads.
std::string scoresOf(const Model& model, const std::string& output) {
  for (const auto& node : model.graph.nodes)
    if (node.opType == "Softmax" && node.outputs.at(0) == output) return node.inputs.at(0);
  return output;
}

std::string labelsOf(GraphBuilder& builder, Model& model, const OnnxOptions& options, ElementType type, const Shape& shape) {
  if (model.inputTypes.count(options.labels) || model.graph.types.count(options.labels))
    throw Error(ErrorCode::InvalidInput, "the model has a value of this name already", "--labels " + options.labels);
  model.inputTypes[options.labels] = {type, shape};
  return builder.input(options.labels, type, shape);
}

} // namespace

std::string OnnxOptions::givenOption() const {
  if (!shapes.empty()) return "--shape";
  if (!disabledPasses.empty()) return "--disable-pass";
  if (train) return "--train";
  return saveModel.empty() ? "" : "--save-model";
}

void declareOnnxOptions(CLI::App& command, OnnxOptions& o) {
  const std::string group = "ONNX models";
  command
      .add_option("--shape", o.shapes, "NAME=1x3x224x224: shape of an input whose sizes the model leaves open; may be repeated")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--disable-pass", o.disabledPasses, "fusion pass to leave out (see `passes`), or all; may be repeated")
      ->allow_extra_args(false)
      ->group(group);
  command.add_flag("--train", o.train, "train the model: forward, backward, weight update")->group(group);
  // Notes that the option was given, for runs that have no use for it.
  const auto noted = [&o](const char* name) { return [&o, name](const std::string& word) { o.training[name] = word; }; };
  command
      .add_option("--loss", o.loss,
                  "what training minimises: cross-entropy (of scores and class numbers), mse, mae (of values), or output: the "
                  "output itself, if it is one number")
      ->check(CLI::IsMember({"cross-entropy", "mse", "mae", "output"}))
      ->each(noted("--loss"))
      ->capture_default_str()
      ->group(group);
  command.add_option("--labels", o.labels, "name of the input that the loss compares with, for --input")
      ->each(noted("--labels"))
      ->capture_default_str()
      ->group(group);
  command.add_option("--output", o.output, "output that the loss looks at (default: the first)")
      ->each(noted("--output"))
      ->group(group);
  command.add_option("--optimiser", o.optimiserName, "sgd, adam, adamw, lamb, rmsprop or adagrad; also of a sample that trains")
      ->each(noted("--optimiser"))
      ->capture_default_str()
      ->group(group);
  command.add_option("--learning-rate", o.optimiser.learningRate, "of the optimiser; also of a sample that trains")
      ->check(isNotNegative())
      ->each(noted("--learning-rate"))
      ->capture_default_str()
      ->group(group);
  command.add_option("--momentum", o.optimiser.momentum, "of sgd; also of a sample that trains")
      ->check(isBetween(0, 1))
      ->each(noted("--momentum"))
      ->capture_default_str()
      ->group(group);
  command.add_option("--weight-decay", o.optimiser.weightDecay, "of the optimiser; also of a sample that trains")
      ->check(isNotNegative())
      ->each(noted("--weight-decay"))
      ->capture_default_str()
      ->group(group);
  command.add_option("--save-model", o.saveModel, "write the trained model as this .onnx file")->check(isNamed())->group(group);
}

std::string addLoss(Model& model, const OnnxOptions& o) {
  std::string output = outputFor(model, o);
  GraphBuilder builder(model.graph);
  builder.setPath({"fwd"});
  const Shape shape = builder.shape(output);
  if (o.loss == "output") {
    if (simcore::numerics::elementCount(shape) != 1)
      throw Error(ErrorCode::InvalidInput, "output '" + output + "' is no single number", "--loss output");
    return output;
  }
  std::string loss;
  if (o.loss == "cross-entropy") {
    if (shape.size() < 2)
      throw Error(ErrorCode::InvalidInput,
                  "output '" + output + "' has the shape " + simcore::numerics::toString(shape) + ", not a batch of scores",
                  "--loss cross-entropy", "--loss mse compares values");
    Shape classes = shape;
    classes.erase(classes.begin() + 1);
    loss = builder.add("SoftmaxCrossEntropyLoss",
                       {scoresOf(model, output), labelsOf(builder, model, o, ElementType::Int64, classes)}, {}, "loss");
  } else {
    const std::string labels = labelsOf(builder, model, o, builder.type(output).type, shape);
    const std::string difference = builder.add("Sub", {output, labels}, {}, "difference");
    const std::string size = o.loss == "mse" ? builder.add("Mul", {difference, difference}, {}, "squares")
                                             : builder.add("Abs", {difference}, {}, "sizes");
    loss = builder.add("ReduceMean", {size}, attributes({{"keepdims", std::int64_t(0)}}), "loss");
  }
  builder.output(loss);
  return loss;
}

void saveTrained(const std::string& file, const std::map<std::string, HostTensor>& parameters, const std::string& target) {
  const Model model = simcore::model::readOnnx(file);
  std::map<std::string, HostTensor> constants;
  for (const auto& [name, value] : parameters) {
    const auto old = model.graph.initialisers.find(name);
    const bool isKept = old != model.graph.initialisers.end();
    constants[name] = isKept ? value.reshaped(old->second.shape()).cast(old->second.type()) : value.cast(ElementType::Float);
  }
  writeWhole(target, [&](const std::filesystem::path& part) { simcore::model::writeOnnx(model, constants, part); });
}

} // namespace app::cli
