// Unit scaling (Blake et al. 2023, arXiv 2303.11257): at the start of training every weight, activation and
// gradient of a dense network has unit variance, without a loss scale, because each product has separate
// factors for its result and its two gradients. Weights are scaled to unit variance and the product of `fan in`
// terms is multiplied by 1 / sqrt(fan in); the gradient of its input by 1 / sqrt(fan out), that of its weights
// by 1 / sqrt(rows). The factors of a product also compensate an activation function before it. The optimiser
// sees gradients of unit variance: a learning rate is a relative step. It is valid for networks in which every
// value has one reader, with matrix products with constant weights, the activations below between them, and a
// cross-entropy of classes at the end. A residual connection would need the same factor forwards and backwards.
#include "simcore/placement/unit_scaling.h"

#include "reports/core/option.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/training/autodiff.h"
#include "simcore/model/training/training.h"
#include "simcore/numerics/elementwise.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace simcore::model {

namespace {

// Root mean square of f over a standard normal variable, by the trapezoid rule.
double rootMeanSquare(const std::function<double(double)>& f) {
  constexpr double kEnd = 8, kStep = 1.0 / 256;
  double sum = 0;
  for (double z = -kEnd; z <= kEnd; z += kStep) sum += f(z) * f(z) * std::exp(-z * z / 2);
  return std::sqrt(sum * kStep / std::sqrt(2 * std::numbers::pi));
}

// Standard deviations of the value and the gradient after an activation function, if they were 1 before it.
struct Left {
  double value = 1, gradient = 1;
};
const std::map<std::string, Left>& activations() {
  const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
  const auto left = [](const auto& f, const auto& slope) { return Left{rootMeanSquare(f), rootMeanSquare(slope)}; };
  static const std::map<std::string, Left> all{
      {"Relu", left([](double z) { return std::max(z, 0.0); }, [](double z) { return z > 0 ? 1.0 : 0.0; })},
      {"Tanh", left([](double z) { return std::tanh(z); }, [](double z) { return 1 - std::tanh(z) * std::tanh(z); })},
      {"Sigmoid", left(sigmoid, [&](double z) { return sigmoid(z) * (1 - sigmoid(z)); })}};
  return all;
}

class Scaling {
public:
  explicit Scaling(Graph& graph) : m_graph(graph) {
    for (const Node& node : graph.nodes)
      for (const std::string& name : namesReadBy(node)) ++m_readers[name];
  }

  double run(const std::string& loss) {
    double lossFactor = 0;
    for (Node& node : m_graph.nodes) {
      for (const std::string& name : node.inputs)
        if (m_left.count(name) && m_readers.at(name) > 1) refuse(node, "the value '" + name + "' has several readers");
      if (isProduct(node))
        scaleProduct(node);
      else if (const auto activation = activations().find(node.opType); activation != activations().end())
        scaleActivation(node, activation->second);
      else if (node.opType == "NegativeLogLikelihoodLoss" || node.opType == "SoftmaxCrossEntropyLoss")
        lossFactor = lossFactorOf(node, loss);
      else if (keepsSize(node))
        m_left[node.outputs[0]] = leftOf(node.inputs[0]);
      else
        refuse(node, "the scale of the results of " + node.opType + " is not known");
    }
    if (lossFactor == 0)
      throw Error(ErrorCode::Unsupported, "unit scaling supports only cross-entropy with class labels",
                  reports::option("unit-scaling"));
    return lossFactor;
  }

private:
  [[noreturn]] static void refuse(const Node& node, const std::string& why) {
    throw Error(ErrorCode::Unsupported, "unit scaling does not support this network: " + why, node.label(),
                "leave out " + reports::option("unit-scaling"));
  }
  const Shape& shape(const std::string& name) const { return m_graph.types.at(name).shape; }
  bool isConstant(const std::string& name) const { return m_graph.initialisers.count(name) != 0; }
  Left leftOf(const std::string& name) const {
    const auto found = m_left.find(name);
    return found == m_left.end() ? Left() : found->second;
  }

  bool isProduct(const Node& node) const {
    if (node.opType != "Gemm" && node.opType != "MatMul") return false;
    const auto isMatrix = [&](const std::string& name) { return shape(name).size() == 2; };
    if (isConstant(node.inputs[0]) || !isConstant(node.inputs[1]) || !isMatrix(node.inputs[0]) || !isMatrix(node.inputs[1]) ||
        node.attributes.integer("transA", 0) != 0)
      refuse(node, "a product does not multiply a matrix by constant weights");
    return true;
  }

  static bool keepsSize(const Node& node) {
    static const std::set<std::string> kSame{"Reshape", "Flatten", "Identity", "LogSoftmax", "Squeeze", "Unsqueeze"};
    return kSame.count(node.opType) && !node.inputs.empty();
  }

  void scaleActivation(const Node& node, const Left& left) {
    if (leftOf(node.inputs[0]).value != 1) refuse(node, "the node follows another activation function");
    m_left[node.outputs[0]] = left;
  }

  void scaleProduct(Node& node) {
    if (node.opType == "MatMul") {
      node.opType = "Gemm";
      node.opset = 13;
    }
    const std::string& name = node.inputs[1];
    if (m_readers.at(name) > 1) refuse(node, "the weights '" + name + "' are used twice");
    const bool turned = node.attributes.integer("transB", 0) != 0;
    const double in = double(shape(name)[turned ? 1 : 0]), out = double(shape(name)[turned ? 0 : 1]),
                 rows = double(shape(node.inputs[0])[0]);
    if (in < 1 || out < 1 || rows < 1) refuse(node, "a product without elements has no variance");
    m_graph.initialisers[name] = unitVariance(m_graph.initialisers.at(name));
    const Left left = leftOf(node.inputs[0]);
    node.attributes.set("alpha", float(1 / (left.value * std::sqrt(in))));
    node.attributes.set(kUnitInput, float(1 / (left.gradient * std::sqrt(out))));
    node.attributes.set(kUnitWeights, float(1 / (left.value * std::sqrt(rows))));
    node.attributes.set(kUnitBias, float(1 / std::sqrt(rows)));
    m_left[node.outputs[0]] = {};
  }

  static HostTensor unitVariance(const HostTensor& weights) {
    return HostTensor::deferred(weights.type(), weights.shape(), [weights] {
      const HostTensor wide = weights.cast(ElementType::Float);
      double sum = 0;
      for (const float v : wide.values<float>()) sum += double(v) * double(v);
      const double size = std::sqrt(sum / double(std::max<std::int64_t>(1, wide.count())));
      const HostTensor factor = HostTensor::full(ElementType::Float, {}, size > 0 ? 1 / size : 1);
      return numerics::binary(numerics::BinaryKind::Mul, wide, factor).cast(weights.type());
    });
  }

  // The gradient of a mean over B rows of the cross-entropy of C classes is (p - y) / B; at the start p is about 1 / C, so its mean square is (C
  // - 1) / C^2 (Blake et al. 2023, table A.2).
  double lossFactorOf(const Node& node, const std::string& loss) const {
    const Shape& scores = shape(node.inputs[0]);
    if (node.outputs[0] != loss || scores.size() != 2 || scores[1] < 2 || node.attributes.text("reduction", "mean") != "mean")
      refuse(node, "the loss is not a mean over rows of class scores");
    const double rows = double(scores[0]), classes = double(scores[1]);
    return rows * classes / std::sqrt(classes - 1);
  }

  Graph& m_graph;
  std::map<std::string, int> m_readers;
  std::map<std::string, Left> m_left; // of values on the path from the input
};

} // namespace

UnitScaled withUnitScaling(Model model, const std::string& loss) {
  UnitScaled scaled{std::move(model)};
  scaled.lossFactor = Scaling(scaled.model.graph).run(loss);
  return scaled;
}

} // namespace simcore::model
