#include "app/cli/onnx_options.h"

#include "app/cli/checks.h"
#include "app/cli/output_files.h"
#include "simcore/model/onnx/onnx_file.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace app::cli {

using simcore::model::Model;
using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;

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
      .add_option("--loss", o.loss.kind,
                  "what training minimises: cross-entropy (of scores and class numbers), mse, mae (of values), or output: the "
                  "output itself, if it is one number")
      ->check(CLI::IsMember({"cross-entropy", "mse", "mae", "output"}))
      ->each(noted("--loss"))
      ->capture_default_str()
      ->group(group);
  command.add_option("--labels", o.loss.labels, "name of the input that the loss compares with, for --input")
      ->each(noted("--labels"))
      ->capture_default_str()
      ->group(group);
  command.add_option("--output", o.loss.output, "output that the loss looks at (default: the first)")
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
