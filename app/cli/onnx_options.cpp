#include "app/cli/onnx_options.h"

#include "app/cli/options.h"
#include "app/cli/output_files.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/prepare/torch_export.h"

#include <algorithm>

namespace app::cli {

using simcore::model::Model;
using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;

std::string OnnxOptions::givenOption() const {
  if (!shapes.empty()) return "--shape";
  if (batch > 0) return "--batch";
  if (!disabledPasses.empty()) return "--disable-pass";
  if (train) return "--train";
  return saveModel.empty() ? "" : "--save-model";
}

void declareOnnxOptions(Options& command, OnnxOptions& o) {
  const std::string group = "ONNX models";
  command
      .addOption(
          "--shape", o.shapes,
          "NAME=1x3x224x224: shape of an input whose sizes the model leaves open; NAME=16: size of a dimension that has this "
          "name; may be repeated")
      .oneValueEach()
      .group(group);
  command
      .addOption("--batch", o.batch,
                 "samples of a batch: the first dimension of the inputs, if it is open or the constants of the file can follow "
                 "(default: the file's, or 1 if the file leaves it open)")
      .check(isInRange(1, 1 << 20))
      .group(group);
  command.addOption("--disable-pass", o.disabledPasses, "fusion pass to leave out (see `passes`), or all; may be repeated")
      .oneValueEach()
      .group(group);
  command.addFlag("--train", o.train, "train the model: forward, backward, weight update").group(group);
  // Records that the option was given, for runs that cannot use it.
  const auto noted = [&o](const char* name) { return [&o, name](const std::string& word) { o.training[name] = word; }; };
  command
      .addOption(
          "--loss", o.loss.kind,
          "loss that training minimises: cross-entropy (of scores and class numbers), ctc (of steps' scores and texts), bce "
          "(of scores and numbers from 0 to 1), mse, mae or l1, huber (of values), or output: the output itself, if it is one "
          "number")
      .check(isOneOf({"cross-entropy", "ctc", "bce", "mse", "mae", "l1", "huber", "output"}))
      .each(noted("--loss"))
      .showDefault()
      .group(group);
  command.addOption("--labels", o.loss.labels, "name of the input that the loss compares with, for --input")
      .each(noted("--labels"))
      .showDefault()
      .group(group);
  command
      .addOption(
          "--class-axis", o.loss.classAxis,
          "dimension of the scores that holds the classes, for cross-entropy (default: as the labels' shape says, else the "
          "last of three and the second of others)")
      .each(noted("--class-axis"))
      .group(group);
  command
      .addOption("--ignore-index", o.loss.ignoreIndex,
                 "for cross-entropy, class number of labels that do not count; for ctc, number that pads shorter texts")
      .each(noted("--ignore-index"))
      .group(group);
  command.addOption("--label-smoothing", o.loss.labelSmoothing, "share of the cross-entropy that is averaged over all classes")
      .check(isBetween(0, 1))
      .each(noted("--label-smoothing"))
      .showDefault()
      .group(group);
  command
      .addOption("--loss-output", o.loss.output,
                 "output that the loss reads (default: the first; for the loss output the one of a single number)")
      .each(noted("--loss-output"))
      .group(group);
  const auto patterns = [&](const char* name, std::vector<std::string>& list, const char* text) {
    command.addOption(name, list, text).oneValueEach().each(noted(name)).group(group);
  };
  patterns("--parameters", o.parameters.parameters, "train the constants of these names alone; may be repeated, with * and ?");
  patterns("--freeze", o.parameters.freeze, "do not train the parameters of these names; may be repeated, with * and ?");
  patterns("--buffers", o.parameters.buffers,
           "constants of these names are state of the model, not parameters; may be repeated, with * and ?");
  command
      .addOption("--optimiser", o.optimiserName,
                 "sgd, adam, adamw, lamb, lars, rmsprop, adagrad or adamax; also of a sample that trains")
      .each(noted("--optimiser"))
      .showDefault()
      .group(group);
  command.addOption("--learning-rate", o.optimiser.learningRate, "learning rate of the optimiser; also of a sample that trains")
      .check(isNotNegative())
      .each(noted("--learning-rate"))
      .showDefault()
      .group(group);
  command.addOption("--momentum", o.optimiser.momentum, "momentum of sgd, lars and rmsprop; also of a sample that trains")
      .check(isBetween(0, 1))
      .each(noted("--momentum"))
      .showDefault()
      .group(group);
  command.addOption("--weight-decay", o.optimiser.weightDecay, "weight decay of the optimiser; also of a sample that trains")
      .check(isNotNegative())
      .each(noted("--weight-decay"))
      .showDefault()
      .group(group);
  command.addOption("--trust-coefficient", o.optimiser.trust, "trust coefficient of lars; also of a sample that trains")
      .check(isNotNegative())
      .each(noted("--trust-coefficient"))
      .showDefault()
      .group(group);
  command
      .addOption("--epsilon", o.optimiser.epsilon,
                 "added to the divisor by adam, adamw, lamb, lars, rmsprop, adagrad and adamax; also of a sample that trains")
      .check(isNotNegative())
      .each(noted("--epsilon"))
      .showDefault()
      .group(group);
  command.addOption("--save-model", o.saveModel, "write the trained model as this .onnx file").check(isNamed()).group(group);
}

void saveTrained(const std::string& file, const std::map<std::string, HostTensor>& parameters, const std::string& target) {
  Model model = simcore::model::readOnnx(file);
  simcore::model::separateEqualParameters(model); // as in the run: equal parameters have separate values
  std::map<std::string, HostTensor> constants;
  for (const auto& [name, value] : parameters) {
    const auto old = model.graph.initialisers.find(name);
    const bool isKept = old != model.graph.initialisers.end();
    constants[name] = isKept ? value.reshaped(old->second.shape()).cast(old->second.type()) : value.cast(ElementType::Float);
  }
  writeWhole(target, [&](const std::filesystem::path& part) { simcore::model::writeOnnx(model, constants, part); });
}

} // namespace app::cli
