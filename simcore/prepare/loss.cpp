// The losses that training minimises: addLoss() of prepare.h.
#include "reports/core/error.h"
#include "reports/core/join.h"
#include "reports/core/option.h"
#include "reports/core/within.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/prepare/ctc.h"
#include "simcore/prepare/prepare.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::model {

using reports::joined;
using reports::option;

namespace {

const std::string& outputFor(const Model& model, const LossRequest& request) {
  const auto& outputs = model.graph.outputs;
  // If the output itself is the loss, and exactly one output is a single number, this output is the default.
  const auto isNumber = [&](const auto& o) { return numerics::elementCount(model.graph.types.at(o.name).shape) == 1; };
  const bool picksNumber = request.kind == "output" && std::count_if(outputs.begin(), outputs.end(), isNumber) == 1;
  const auto found = !request.output.empty()
                         ? std::find_if(outputs.begin(), outputs.end(), [&](const auto& o) { return o.name == request.output; })
                     : picksNumber ? std::find_if(outputs.begin(), outputs.end(), isNumber)
                                   : outputs.begin();
  if (found != outputs.end()) return found->name;
  throw Error(ErrorCode::NotFound, "the model has no output '" + request.output + "'", model.file,
              "it has " + joined(outputs, &ValueDeclaration::name));
}

// The scores for cross-entropy: if a softmax makes the output, its input.
std::string scoresOf(const Model& model, const std::string& output) {
  for (const auto& node : model.graph.nodes)
    if (node.opType == "Softmax" && node.outputs.at(0) == output) return node.inputs.at(0);
  return output;
}

// Whether the scores are logarithms of probabilities already. Then cross-entropy only needs those of the labels' classes.
bool isLogarithm(const Model& model, const std::string& scores, std::size_t axis) {
  const auto rank = std::int64_t(model.graph.types.at(scores).shape.size());
  return std::any_of(model.graph.nodes.begin(), model.graph.nodes.end(), [&](const Node& node) {
    if (node.opType != "LogSoftmax" || node.outputs.at(0) != scores || (node.opset < 13 && rank != 2)) return false;
    const std::int64_t along = node.attributes.integer("axis", node.opset < 13 ? 1 : -1);
    return (along < 0 ? along + rank : along) == std::int64_t(axis);
  });
}

std::string labelsOf(GraphBuilder& builder, Model& model, const LossRequest& request, ElementType type, const Shape& shape) {
  if (model.inputTypes.count(request.labels) || model.graph.types.count(request.labels))
    throw Error(ErrorCode::InvalidInput, "the model has a value of this name already", option("labels") + " " + request.labels);
  model.inputTypes[request.labels] = {type, shape};
  return builder.input(request.labels, type, shape);
}

Shape without(Shape shape, std::size_t axis) {
  shape.erase(shape.begin() + std::ptrdiff_t(axis));
  return shape;
}

struct ClassAxis {
  std::size_t axis = 1;
  bool isGuess = false;
};
// torch has classes in the second dimension. Language models have them in the last: [batch, tokens, words].
ClassAxis classAxisOf(const Shape& scores, const LossRequest& request, const std::optional<Shape>& labels) {
  const auto rank = std::int64_t(scores.size());
  if (request.classAxis) {
    const std::int64_t axis = *request.classAxis < 0 ? *request.classAxis + rank : *request.classAxis;
    if (axis < 0 || axis >= rank)
      throw Error(ErrorCode::InvalidInput, "the scores have only " + std::to_string(rank) + " dimensions",
                  option("class-axis") + " " + std::to_string(*request.classAxis));
    return {std::size_t(axis), false};
  }
  if (rank == 2) return {};
  const std::size_t last = scores.size() - 1;
  if (labels) {
    const bool fitsSecond = without(scores, 1) == *labels, fitsLast = without(scores, last) == *labels;
    if (fitsSecond != fitsLast) return {fitsLast ? last : 1, false};
  }
  return {rank == 3 ? last : 1, true};
}

// Adds label smoothing: the share `labelSmoothing` of the loss becomes the mean over all classes, as in torch; ignored labels do
// not count.
std::string smoothed(GraphBuilder& builder, const std::string& plain, const std::string& logarithms, const std::string& labels,
                     const LossRequest& request) {
  const ElementType type = builder.type(logarithms).type;
  const auto all = attributes({{"keepdims", std::int64_t(0)}});
  const std::string ofClasses = builder.add("Neg", {builder.reduce("ReduceMean", logarithms, {1}, false)});
  std::string mean;
  if (request.ignoreIndex) {
    const std::string ignored =
        builder.constant("ignored", HostTensor::full(ElementType::Int64, {}, double(*request.ignoreIndex)));
    const std::string counts = builder.add("Cast", {builder.add("Not", {builder.add("Equal", {labels, ignored})})},
                                           attributes({{"to", onnxTypeOf(type)}}));
    mean = builder.add("Div", {builder.add("ReduceSum", {builder.add("Mul", {ofClasses, counts})}, all),
                               builder.add("ReduceSum", {counts}, all)});
  } else {
    mean = builder.add("ReduceMean", {ofClasses}, all);
  }
  const double share = request.labelSmoothing;
  return builder.add("Add", {builder.scaled(plain, 1 - share), builder.scaled(mean, share)}, {}, "loss");
}

// The operator needs the classes in the second dimension. The gradient reads the log-probabilities, so they are a value of their own.
std::string addCrossEntropy(GraphBuilder& builder, std::string scores, std::string labels, std::size_t axis,
                            const LossRequest& request, bool areLogarithms) {
  const Shape shape = builder.shape(scores);
  if (axis == shape.size() - 1 && axis > 1) {
    const std::int64_t classes = shape.back();
    scores = builder.reshape(scores, {numerics::elementCount(shape) / std::max<std::int64_t>(1, classes), classes});
    labels = builder.reshape(labels, {numerics::elementCount(builder.shape(labels))});
  } else if (axis != 1) {
    std::vector<std::int64_t> order;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (d != axis) order.push_back(std::int64_t(d));
    order.insert(order.begin() + 1, std::int64_t(axis));
    scores = builder.add("Transpose", {scores}, attributes({{"perm", order}}));
  }
  Attributes attributes;
  if (request.ignoreIndex) attributes.set("ignore_index", *request.ignoreIndex);
  if (!areLogarithms)
    scores = builder.add("LogSoftmax", {scores}, model::attributes({{"axis", std::int64_t(1)}}), "loss/logSoftmax");
  const std::string plain = builder.add("NegativeLogLikelihoodLoss", {scores, labels}, attributes,
                                        request.labelSmoothing > 0 ? "cross_entropy" : "loss");
  return request.labelSmoothing > 0 ? smoothed(builder, plain, scores, labels, request) : plain;
}

// Steps, batch and classes may be in any order in the scores; the batch size of the labels shows which dimension is the batch.
AddedLoss addSteps(GraphBuilder& builder, Model& model, const LossRequest& request, const std::string& output,
                   const std::optional<Shape>& labelsShape) {
  const std::string place = option("loss") + " ctc";
  const std::string scores = scoresOf(model, output);
  const Shape shape = builder.shape(scores);
  if (shape.size() != 3)
    throw Error(ErrorCode::InvalidInput,
                "output '" + output + "' has the shape " + numerics::toString(shape) + ", not steps, batch and classes", place);
  if (!labelsShape || labelsShape->size() != 2)
    throw Error(ErrorCode::InvalidInput,
                labelsShape ? "the labels have the shape " + numerics::toString(*labelsShape) + ", not two dimensions"
                            : std::string("the labels are missing"),
                place, option("input") + " " + request.labels + "=FILE, of the shape [batch, length]");
  const std::size_t classes = request.classAxis ? classAxisOf(shape, request, {}).axis : 2;
  std::vector<std::size_t> others;
  for (std::size_t d = 0; d < 3; ++d)
    if (d != classes) others.push_back(d);
  const bool fitsFirst = shape[others[0]] == labelsShape->at(0), fitsSecond = shape[others[1]] == labelsShape->at(0);
  if (!fitsFirst && !fitsSecond)
    throw Error(ErrorCode::InvalidInput,
                fmt::format("labels {} and scores {} have different batch sizes", numerics::toString(*labelsShape),
                            numerics::toString(shape)),
                place);
  const std::size_t batch = fitsSecond ? others[1] : others[0], steps = fitsSecond ? others[0] : others[1];
  AddedLoss loss;
  if (fitsFirst && fitsSecond)
    loss.guess = fmt::format("steps are along dimension {} of the scores {}", steps, numerics::toString(shape));
  const std::vector<std::int64_t> order{std::int64_t(steps), std::int64_t(batch), std::int64_t(classes)};
  const std::string ordered = order == std::vector<std::int64_t>{0, 1, 2} ? scores : builder.transpose(scores, order);
  loss.name = reports::within(place, [&] {
    return addCtc(builder, ordered, labelsOf(builder, model, request, ElementType::Int64, *labelsShape),
                  {.ignoreIndex = request.ignoreIndex});
  });
  return loss;
}

// The distance of each value from its label, for this kind of loss.
std::string distance(GraphBuilder& builder, const std::string& kind, const std::string& values, const std::string& labels) {
  if (kind == "bce") // entropy from scores: log(1 + e^x) - x y
    return builder.add("Sub", {builder.add("Softplus", {values}, {}, "softplus"), builder.add("Mul", {values, labels})}, {},
                       "entropies");
  const std::string difference = builder.add("Sub", {values, labels}, {}, "difference");
  if (kind == "mae" || kind == "l1") return builder.add("Abs", {difference}, {}, "sizes");
  const std::string squares = builder.add("Mul", {difference, difference}, {}, "squares");
  if (kind == "mse") return squares;
  const ElementType type = builder.type(values).type; // huber: squares up to 1, linear beyond
  const std::string size = builder.add("Abs", {difference}, {}, "sizes");
  return builder.add("Where",
                     {builder.add("Less", {size, builder.number(1, type)}), builder.scaled(squares, 0.5),
                      builder.add("Sub", {size, builder.number(0.5, type)})},
                     {}, "huber");
}

} // namespace

HostTensor fitLabels(const Model& model, const LossRequest& request, const HostTensor& labels) {
  const auto type = model.inputTypes.find(request.labels);
  HostTensor fitting = labels;
  const bool isInNumbers = labels.type() == ElementType::Double && labels.rank() == 1;
  if (type != model.inputTypes.end() && isInNumbers && labels.count() == numerics::elementCount(type->second.shape))
    fitting = labels.cast(type->second.type).reshaped(type->second.shape);
  if (request.kind != "cross-entropy") return fitting;
  for (std::int64_t i = 0; i < fitting.count(); ++i)
    if (const auto label = std::int64_t(fitting.at(i)); label < 0 && label != request.ignoreIndex)
      throw Error(ErrorCode::InvalidInput, fmt::format("label {} is not a class", label), option("input") + " " + request.labels,
                  fmt::format("{} {} leaves such labels out, as torch does with -100", option("ignore-index"), label));
  return fitting;
}

AddedLoss addLoss(Model& model, const LossRequest& request, const std::optional<Shape>& labelsShape) {
  std::string output = outputFor(model, request);
  GraphBuilder builder(model.graph);
  const Shape shape = builder.shape(output);
  if (request.kind == "output") {
    if (numerics::elementCount(shape) != 1)
      throw Error(ErrorCode::InvalidInput, "output '" + output + "' is not a single number", option("loss") + " output");
    return {output, {}};
  }
  AddedLoss loss;
  if (request.kind == "ctc") {
    loss = addSteps(builder, model, request, output, labelsShape);
  } else if (request.kind == "cross-entropy") {
    if (shape.size() < 2)
      throw Error(ErrorCode::InvalidInput,
                  "output '" + output + "' has the shape " + numerics::toString(shape) + ", not a batch of scores",
                  option("loss") + " cross-entropy",
                  numerics::elementCount(shape) == 1
                      ? option("loss") + " output takes the output itself as the loss, " + option("loss") + " mse compares values"
                      : option("loss") + " mse compares values");
    const ClassAxis classes = classAxisOf(shape, request, labelsShape);
    if (classes.isGuess)
      loss.guess = fmt::format("classes are along dimension {} of the scores {}", classes.axis, numerics::toString(shape));
    const std::string scores = scoresOf(model, output);
    loss.name =
        addCrossEntropy(builder, scores, labelsOf(builder, model, request, ElementType::Int64, without(shape, classes.axis)),
                        classes.axis, request, isLogarithm(model, scores, classes.axis));
  } else {
    const std::string labels = labelsOf(builder, model, request, builder.type(output).type, shape);
    loss.name = builder.add("ReduceMean", {distance(builder, request.kind, output, labels)},
                            attributes({{"keepdims", std::int64_t(0)}}), "loss");
  }
  builder.output(loss.name);
  return loss;
}

} // namespace simcore::model
